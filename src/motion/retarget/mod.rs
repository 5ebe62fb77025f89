//! A character's pose on another character.
//!
//! Two humanoids are brought together in one posture: the source is thought to stand as the target does at rest, each bone
//! of its limbs pointing where the target's points. From there on every joint of the target turns in the world as its
//! counterpart does (Monzani, Baerlocher, Boulic & Thalmann 2000, "Using an intermediate skeleton and inverse kinematics
//! for motion retargeting", section 3). Where a foot stands is the source's place, scaled; that becomes a [`Hold`].

mod align;
mod bodies;
mod figure;
mod ground;
mod limbs;
mod names;
mod reference;
#[cfg(test)]
mod tests;
mod tree;
mod turns;

use std::path::PathBuf;

use glam::{Affine3A, Vec3};

use crate::asset::{Character, NotFinite};
use crate::motion::Hold;
use crate::pose::Pose;

use bodies::Bodies;
use figure::Figure;
use names::Names;

/// Why one character's motion cannot be put on another.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RetargetError {
    /// Neither names nor bodies agree.
    #[error("{}: no humanoid is found in it, and its joints have other names than those of {}", file.display(), other.display())]
    Strangers {
        /// Which is no humanoid.
        file: PathBuf,
        /// The other one.
        other: PathBuf,
    },
    /// One is no humanoid.
    #[error("{}: no humanoid is found in it: two arms and two legs of joints that are named so", file.display())]
    NoHumanoid {
        /// Which it is.
        file: PathBuf,
    },
    /// No joint of one has the name of a joint of the other.
    #[error("{}: none of its joints has the name of a joint of {}", file.display(), other.display())]
    NoNames {
        /// The source.
        file: PathBuf,
        /// The target.
        other: PathBuf,
    },
    /// A pose of a clip is beyond what single precision holds.
    #[error("animations[{clip}] at {time} s: {source}")]
    NotFinite {
        /// The clip's index in the source.
        clip: usize,
        /// Seconds into the clip.
        time: String,
        /// The joint, and what of it.
        source: NotFinite,
    },
}

/// Puts a source's poses on a target, frame by frame. It is made for two characters and serves all their clips.
#[derive(Clone, Debug)]
pub struct Retarget {
    /// Whether hands are held too: as far from the shoulders as the source's, by the span of the arms. For hands that meet
    /// each other or the body.
    pub hands: bool,
    how: How,
}

#[derive(Clone, Debug)]
enum How {
    Names(Names),
    Bodies(Box<Bodies>),
}

impl Retarget {
    /// By names where both are the same skeleton, but for its size and its rest; else by what they are of a human body; else
    /// by names again.
    ///
    /// # Errors
    /// [`RetargetError`] where neither is possible.
    pub fn new(source: &Character, target: &Character) -> Result<Self, RetargetError> {
        let names = Names::new(source, target);
        if let Some(names) = names.as_ref().filter(|n| n.is_same) {
            return Ok(Self { hands: false, how: How::Names(names.clone()) });
        }
        match (Self::by_bodies(source, target), names) {
            (Ok(retarget), _) => Ok(retarget),
            (Err(_), Some(names)) if names.is_most => Ok(Self { hands: false, how: How::Names(names) }),
            (Err(RetargetError::NoHumanoid { file }), _) => {
                let other = if file == target.path { &source.path } else { &target.path };
                Err(RetargetError::Strangers { file, other: other.clone() })
            }
            (Err(error), _) => Err(error),
        }
    }

    /// By joints of the same names: each takes its counterpart's rotation, and its way from rest, scaled as its bones are. Of
    /// skeletons that are not the same it takes rotations from rest too.
    ///
    /// # Errors
    /// [`RetargetError::NoNames`].
    pub fn by_names(source: &Character, target: &Character) -> Result<Self, RetargetError> {
        let no_names = || RetargetError::NoNames { file: source.path.clone(), other: target.path.clone() };
        let names = Names::new(source, target).ok_or_else(no_names)?;
        Ok(Self { hands: false, how: How::Names(names) })
    }

    /// By the bones of both bodies ([`humanoid`](crate::asset::humanoid())).
    ///
    /// # Errors
    /// [`RetargetError::NoHumanoid`].
    pub fn by_bodies(source: &Character, target: &Character) -> Result<Self, RetargetError> {
        let figure = |c: &'_ Character| RetargetError::NoHumanoid { file: c.path.clone() };
        let from = Figure::new(source).ok_or_else(|| figure(source))?;
        let to = Figure::new(target).ok_or_else(|| figure(target))?;
        let bodies = Bodies::new(source, &from, &to).ok_or_else(|| figure(target))?;
        Ok(Self { hands: false, how: How::Bodies(Box::new(bodies)) })
    }

    /// Whether joints follow those of the same names, not those of the same part of the body.
    pub fn is_by_names(&self) -> bool {
        matches!(self.how, How::Names(_))
    }

    /// Where the source's world lies in the target's: turned to its front, scaled to its size, ground on ground.
    pub fn target_from_source(&self) -> Affine3A {
        match &self.how {
            How::Names(names) => Affine3A::from_scale(Vec3::splat(names.ratio)),
            How::Bodies(bodies) => bodies.target_from_source,
        }
    }

    /// The target's pose for a pose of the source. What has no counterpart stays at rest. Morph weights stay at rest.
    ///
    /// `holds` is filled anew: a foot each, with its weight fading as it leaves the ground; with [`Retarget::hands`] a hand each.
    /// By names alone there are none: the feet are where they were. Allocates on the first call only. A pose that has not
    /// a transform for every node of the source leaves the target at rest.
    pub fn pose(&mut self, source: &Pose, out: &mut Pose, holds: &mut Vec<Hold>) {
        holds.clear();
        match &mut self.how {
            How::Names(names) => names.pose(source, out),
            How::Bodies(bodies) => bodies.pose(source, self.hands, out, holds),
        }
    }
}

/// Rest, into the buffers that are there.
fn at_rest(rest: &Pose, out: &mut Pose) {
    out.locals.clone_from(&rest.locals);
    out.weights.clone_from(&rest.weights);
}
