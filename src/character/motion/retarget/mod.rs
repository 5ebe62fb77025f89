//! Motion retargeting: transfers poses from one character to another.
//!
//! Two humanoids are compared in a shared posture, in which each limb bone of the source points in the direction of the
//! target's bone in the rest pose. Starting from this posture, each joint of the target rotates in world space like its
//! counterpart (Monzani, Baerlocher, Boulic & Thalmann 2000, "Using an intermediate skeleton and inverse kinematics for
//! motion retargeting", section 3). The scaled position of a source's foot on the ground becomes a
//! [`ContactConstraint`].

mod align;
mod bodies;
mod figure;
mod followed_joints;
mod frame;
mod ground;
mod landing;
mod limbs;
mod names;
mod over_time;
mod reference;
mod samples;
mod stances;
#[cfg(test)]
mod tests;
mod tree;

use std::path::PathBuf;

use glam::{Affine3A, Vec3};

use crate::asset::{Character, Clip, NotFinite};
use crate::motion::{ContactConstraint, Playhead};
use crate::pose::Pose;
use crate::rig::{self, Bones};

use bodies::BodyMapping;
use figure::RestFigure;
use landing::Landing;
pub use landing::RetargetedFrame;
use names::NameMapping;

/// An error that occurred while a motion was retargeted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RetargetError {
    /// The characters match neither by joint names nor as humanoids.
    #[error(
        "{}: not recognised as a humanoid ({reason}), and its joint names do not match those of {}",
        file.display(),
        other.display()
    )]
    NoMatch {
        /// The file that is not a humanoid.
        file: PathBuf,
        /// The reason why it is not a humanoid, as a clause.
        reason: String,
        /// The other file.
        other: PathBuf,
    },
    /// A character is not a humanoid.
    #[error("{}: not recognised as a humanoid: {reason}", file.display())]
    NoHumanoid {
        /// The file of the character.
        file: PathBuf,
        /// The reason why it is not a humanoid, as a clause.
        reason: String,
    },
    /// The characters have no joint name in common.
    #[error("{}: none of its joint names occurs in {}", file.display(), other.display())]
    NoNames {
        /// The file of the source.
        file: PathBuf,
        /// The file of the target.
        other: PathBuf,
    },
    /// A pose of a clip is not finite in single precision.
    #[error("animations[{clip}] at {time} s: {source}")]
    NotFinite {
        /// Index of the clip in the source.
        clip: usize,
        /// Time in the clip, in seconds.
        time: String,
        /// The joint, and the property that is not finite.
        source: NotFinite,
    },
}

/// Transfers poses from a source to a target, frame by frame. One instance works for all clips of the source.
#[derive(Clone, Debug)]
pub struct Retarget {
    /// Whether contact constraints are added for the hands too. Their offsets from the shoulders are then scaled by the arm span, so that
    /// hands keep touching each other or the body.
    pub hands: bool,
    mapping: Mapping,
}

#[derive(Clone, Debug)]
enum Mapping {
    Names(NameMapping),
    Bodies(Box<BodyMapping>),
}

impl Retarget {
    /// Prepares retargeting between two characters. Skeletons that differ only in size and rest pose are matched by
    /// joint names. Otherwise the characters are matched as humanoids. If that fails, they are matched by names if most
    /// names agree.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use sinew_character::asset;
    /// use sinew_character::export::bvh;
    /// use sinew_character::motion::{Playhead, Retarget};
    /// use sinew_character::pose::Pose;
    ///
    /// // The mannequin, converted to a file in inches without meshes.
    /// let mannequin = asset::mannequin()?;
    /// let text = bvh::write(&mannequin, &mannequin.clips[2], 30.0, 0.0254)?.text;
    /// let captured = asset::bvh::read(&text, Path::new("walk.bvh"), Some(0.0254))?;
    ///
    /// let mut retarget = Retarget::new(&captured, &mannequin)?;
    /// let mut source = Pose::rest(&captured.skeleton);
    /// Playhead::default().sample(&captured.clips[0], 0.4, &captured.skeleton, &mut source);
    /// let mut pose = Pose::rest(&mannequin.skeleton);
    /// retarget.pose(&source, &mut pose, &mut Vec::new());
    ///
    /// let mut expected = Pose::rest(&mannequin.skeleton);
    /// Playhead::default().sample(&mannequin.clips[2], 0.4, &mannequin.skeleton, &mut expected);
    /// let knee = mannequin.skeleton.find("leftLowerLeg").ok_or("no knee")?;
    /// assert!(pose.locals[knee].rotation.angle_between(expected.locals[knee].rotation) < 0.02);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`RetargetError`] if the characters cannot be matched.
    pub fn new(source: &Character, target: &Character) -> Result<Self, RetargetError> {
        let [from, to] = [source, target].map(|c| rig::humanoid(c).unwrap_or_default());
        Self::with_bones(source, &from, target, &to)
    }

    /// Like [`Self::new`], but uses known bones of the source (`from`) and of the target (`to`), as in
    /// [`Rig::bones`](crate::rig::Rig::bones). If one of them is not a humanoid, its bones may be empty.
    ///
    /// # Errors
    /// [`RetargetError`] if the characters cannot be matched.
    pub fn with_bones(
        source: &Character,
        from: &Bones,
        target: &Character,
        to: &Bones,
    ) -> Result<Self, RetargetError> {
        let names = NameMapping::new(source, target, [from, to]);
        if let Some(names) = names.as_ref().filter(|n| n.is_same_skeleton) {
            return Ok(Self { hands: false, mapping: Mapping::Names(names.clone()) });
        }
        match (Self::by_known_bodies(source, from, target, to), names) {
            (Ok(retarget), _) => Ok(retarget),
            (Err(_), Some(names)) if names.has_most_joints => {
                Ok(Self { hands: false, mapping: Mapping::Names(names) })
            }
            (Err(RetargetError::NoHumanoid { file, reason }), _) => {
                let other = if file == target.path { &source.path } else { &target.path };
                Err(RetargetError::NoMatch { file, reason, other: other.clone() })
            }
            (Err(error), _) => Err(error),
        }
    }

    /// Matches joints by their names. Each joint gets the rotation of its counterpart, and the counterpart's translation from the rest
    /// pose, scaled by the ratio of bone lengths. If the skeletons are not the same, rotations are also relative to the rest pose.
    ///
    /// # Errors
    /// [`RetargetError::NoNames`] if no name occurs in both.
    pub fn by_names(source: &Character, target: &Character) -> Result<Self, RetargetError> {
        let no_names = || RetargetError::NoNames { file: source.path.clone(), other: target.path.clone() };
        let [from, to] = [source, target].map(|c| rig::humanoid(c).unwrap_or_default());
        let names = NameMapping::new(source, target, [&from, &to]).ok_or_else(no_names)?;
        Ok(Self { hands: false, mapping: Mapping::Names(names) })
    }

    /// Matches the characters as humanoids ([`humanoid`](crate::rig::humanoid())).
    ///
    /// # Errors
    /// [`RetargetError::NoHumanoid`] if one of them is not a humanoid.
    pub fn by_bodies(source: &Character, target: &Character) -> Result<Self, RetargetError> {
        let [from, to] = [source, target].map(|c| rig::humanoid(c).unwrap_or_default());
        Self::by_known_bodies(source, &from, target, &to)
    }

    fn by_known_bodies(
        source: &Character,
        from: &Bones,
        target: &Character,
        to: &Bones,
    ) -> Result<Self, RetargetError> {
        let source_figure = figure(source, from)?;
        let target_figure = figure(target, to)?;
        let bodies = BodyMapping::new(source, &source_figure, &target_figure);
        let bodies = bodies.ok_or_else(|| no_humanoid(target, "its hips are on the ground".into()))?;
        Ok(Self { hands: false, mapping: Mapping::Bodies(Box::new(bodies)) })
    }

    /// Returns whether joints are matched by their names and not by body parts.
    pub fn is_by_names(&self) -> bool {
        matches!(self.mapping, Mapping::Names(_))
    }

    /// Returns the transform from the source's world to the target's. It aligns the facing directions, the sizes and the heights of the
    /// ground. If joints are matched by name, it only scales.
    pub fn target_from_source(&self) -> Affine3A {
        match &self.mapping {
            Mapping::Names(names) => Affine3A::from_scale(Vec3::splat(names.ratio)),
            Mapping::Bodies(bodies) => bodies.target_from_source,
        }
    }

    /// Transfers a clip. The target's soles are kept in place on its floor while the source's soles are in contact with the ground. `times`
    /// contains the times of the frames in seconds, which must increase. `is_stopped` is called before each frame. If it returns true, the
    /// result is empty.
    ///
    /// The poses equal the results of [`Self::pose`] before the contacts are applied. A mapping by names adds no contacts.
    pub fn clip(
        &mut self,
        source: &Character,
        clip: &Clip,
        times: &[f32],
        target: &Character,
        is_stopped: &dyn Fn() -> bool,
    ) -> Vec<RetargetedFrame> {
        let (mut playhead, mut from) = (Playhead::default(), Pose::rest(&source.skeleton));
        let mut frames = vec![RetargetedFrame::default(); times.len()];
        let mut sample = |time: f32, from: &mut Pose| {
            from.reset(&source.skeleton);
            playhead.sample(clip, time, &source.skeleton, from);
        };
        let hands = self.hands;
        let bodies = match &mut self.mapping {
            Mapping::Bodies(bodies) => bodies,
            Mapping::Names(names) => {
                for (frame, &time) in frames.iter_mut().zip(times) {
                    if is_stopped() {
                        return Vec::new();
                    }
                    sample(time, &mut from);
                    names.pose(&from, &mut frame.pose);
                }
                return frames;
            }
        };
        let mut landing = Landing::new(bodies, source, target);
        for (frame, &time) in frames.iter_mut().zip(times) {
            if is_stopped() {
                return Vec::new();
            }
            sample(time, &mut from);
            landing.push(source, time, &from, &mut frame.pose, hands.then_some(&mut frame.contacts));
        }
        landing.finish(&mut frames);
        frames
    }

    /// Computes the target's pose for a pose of the source. Morph weights, and joints without a counterpart, keep their
    /// rest values.
    ///
    /// `contacts` is cleared and filled with one contact constraint per foot. The weight of a constraint fades as the foot leaves the
    /// ground. With [`Retarget::hands`], there is also a constraint for each hand. A mapping by names adds no constraints. If the number of
    /// transforms in the pose differs from the number of nodes of the source, the target stays in the rest pose. Only the first call
    /// allocates.
    pub fn pose(&mut self, source: &Pose, out: &mut Pose, contacts: &mut Vec<ContactConstraint>) {
        contacts.clear();
        match &mut self.mapping {
            Mapping::Names(names) => names.pose(source, out),
            Mapping::Bodies(bodies) => bodies.pose(source, self.hands, out, contacts),
        }
    }
}

/// Returns the figure of a character with known bones.
fn figure<'a>(character: &'a Character, bones: &'a Bones) -> Result<RestFigure<'a>, RetargetError> {
    let missing: Vec<&str> = rig::LIMB_BONES.into_iter().filter(|bone| !bones.contains_key(*bone)).collect();
    if missing.is_empty() {
        let degenerate = || no_humanoid(character, "its shoulders and hips are at one place".into());
        return RestFigure::new(character, bones).ok_or_else(degenerate);
    }
    // Without bones, the recogniser supplies the reason.
    let reason = rig::humanoid(character).err().map(|reason| reason.to_string());
    let reason = reason.unwrap_or_else(|| format!("no node is known for {}", missing.join(", ")));
    Err(no_humanoid(character, reason))
}

fn no_humanoid(character: &Character, reason: String) -> RetargetError {
    RetargetError::NoHumanoid { file: character.path.clone(), reason }
}

/// Copies the rest pose into existing buffers.
fn copy_rest(rest: &Pose, out: &mut Pose) {
    out.locals.clone_from(&rest.locals);
    out.weights.clone_from(&rest.weights);
}
