//! Chooses the reference pose in which a figure is compared with another one.
//!
//! The reference pose is the rest pose, unless the rest pose is asymmetric because it is a saved frame of a motion. In that case, the
//! reference pose is the bind pose of the skin. Without a skin, it is a standing pose found in the clips.

use glam::{Affine3A, Quat, Vec3};

use crate::asset::{Character, Clip, Skeleton, Skin, Values};
use crate::mathematics::propagate;
use crate::motion::interpolate::slerp;
use crate::pose::{Pose, world_matrices};
use crate::rig::Bones;

use super::frame::{BodyFrame, SIDES, STANDING_HEIGHTS, turns};
use super::samples::each_pose;
use super::tree::to_local;

/// A pose is asymmetric if a joint of a leg is farther than this from the mirrored joint of the other leg, in leg
/// lengths. The largest value that was found in a modelled or captured rest pose is 0.11.
const MAX_ASYMMETRY: f32 = 0.15;
/// A foot is flat if its rise is at most this far above the smallest rise, in leg lengths.
const MAX_RISE: f32 = 0.01;

/// A character's bones and a pose of all its nodes.
struct ReferencePose<'a> {
    skeleton: &'a Skeleton,
    bones: &'a Bones,
    pose: Pose,
    world: Vec<Affine3A>,
}

/// Returns the reference pose of a character. `bones` are its nodes by VRM 1.0 names.
pub(super) fn reference(character: &Character, bones: &Bones) -> Pose {
    let rest = Pose::rest(&character.skeleton);
    let Some(at_rest) = ReferencePose::new(&character.skeleton, bones, rest.clone()) else { return rest };
    if at_rest.asymmetry().is_none_or(|a| a <= MAX_ASYMMETRY) {
        return rest;
    }
    let is_symmetric = |r: &ReferencePose| r.asymmetry().is_some_and(|a| a <= MAX_ASYMMETRY);
    let bind = bind_pose(character, &at_rest).filter(is_symmetric);
    bind.or_else(|| standing_pose(character, &at_rest)).map_or(rest, |r| r.pose)
}

impl<'a> ReferencePose<'a> {
    fn new(skeleton: &'a Skeleton, bones: &'a Bones, pose: Pose) -> Option<Self> {
        let mut world = Vec::new();
        world_matrices(skeleton, &pose, &mut world);
        let reference = Self { skeleton, bones, pose, world };
        reference.frame().map(|_| reference)
    }

    fn node(&self, bone: &str) -> Option<usize> {
        self.bones.get(bone).copied()
    }

    /// Returns the world position of a bone.
    fn at(&self, bone: &str) -> Option<Vec3> {
        self.node(bone).map(|n| self.world[n].translation.into())
    }

    fn frame(&self) -> Option<BodyFrame> {
        BodyFrame::new(|bone| self.at(bone))
    }

    /// Returns the world positions of a leg's hip joint, knee and ankle.
    fn leg(&self, side: &str) -> Option<[Vec3; 3]> {
        let [top, knee, ankle] = ["UpperLeg", "LowerLeg", "Foot"].map(|b| self.at(&format!("{side}{b}")));
        Some([top?, knee?, ankle?])
    }

    /// Returns the length of a leg.
    fn length(&self) -> Option<f32> {
        let [top, knee, ankle] = self.leg("left")?;
        Some(top.distance(knee) + knee.distance(ankle)).filter(|l| *l > 0.0)
    }

    /// Returns the largest distance between a joint of a leg and the mirrored joint of the other leg, in leg lengths.
    fn asymmetry(&self) -> Option<f32> {
        let (frame, length) = (self.frame()?, self.length()?);
        let distance = |bone: &str| {
            let [left, right] = SIDES.map(|side| self.at(&format!("{side}{bone}")));
            let [left, right] = [left?, right?].map(|p| frame.body.conjugate() * (p - frame.middle));
            Some(left.distance(right * Vec3::new(-1.0, 1.0, 1.0)) / length)
        };
        ["LowerLeg", "Foot", "Toes"].into_iter().filter_map(distance).reduce(f32::max)
    }

    /// Returns the sum of the angles by which the trunk is bent and twisted, in radians.
    fn trunk_bend(&self) -> Option<f32> {
        let up = self.frame()?.body * Vec3::Y;
        let [hips, shoulders] = ["UpperLeg", "UpperArm"].map(|b| {
            let [left, right] = SIDES.map(|side| self.at(&format!("{side}{b}")));
            left.zip(right)
        });
        let ((hl, hr), (sl, sr)) = (hips?, shoulders?);
        let lean = (sl + sr - hl - hr).angle_between(up);
        Some(lean + (hl - hr).angle_between(sl - sr) + (hl - hr).normalize().dot(up).abs())
    }

    /// Returns the lowest common ancestor of the hips and the legs.
    fn anchor(&self) -> Option<usize> {
        let legs = [self.node("leftUpperLeg")?, self.node("rightUpperLeg")?];
        let below = |n: usize, top: usize| self.skeleton.ancestors(n).any(|a| a == top);
        let hips = self.node("hips")?;
        self.skeleton.ancestors(hips).find(|a| legs.iter().all(|l| below(*l, *a)))
    }

    fn update(&mut self) {
        world_matrices(self.skeleton, &self.pose, &mut self.world);
    }

    /// Rotates a node in world space.
    fn turn(&mut self, node: usize, by: Quat) {
        let above = self.skeleton.nodes[node].parent.map(|p| turns(self.skeleton, &self.pose)[p]);
        let above = above.unwrap_or(Quat::IDENTITY);
        let local = &mut self.pose.locals[node].rotation;
        *local = (above.conjugate() * by * above * *local).normalize();
        self.update();
    }

    /// Translates a node in world space.
    fn shift(&mut self, node: usize, by: Vec3) {
        let above = self.skeleton.nodes[node].parent.map_or(Affine3A::IDENTITY, |p| self.world[p]);
        let local = to_local(above, Vec3::from(self.world[node].translation) + by);
        if local.is_finite() {
            self.pose.locals[node].translation = local;
        }
        self.update();
    }

    /// Returns the smallest height of the feet and all their descendants along a direction.
    fn lowest(&self, up: Vec3) -> f32 {
        let feet = [self.node("leftFoot"), self.node("rightFoot")];
        let is_sole = |n: &usize| self.skeleton.ancestors(*n).any(|a| feet.contains(&Some(a)));
        let heights = (0..self.world.len()).filter(is_sole).map(|n| self.world[n].translation.dot(up.into()));
        heights.fold(f32::INFINITY, f32::min)
    }
}

/// Returns the bind pose of the skin that contains the most bones, moved to the position of the rest pose.
fn bind_pose<'a>(character: &Character, rest: &ReferencePose<'a>) -> Option<ReferencePose<'a>> {
    let count = |s: &Skin| rest.bones.values().filter(|n| s.joints.contains(n)).count();
    let skin = character.skins.iter().filter(|s| s.has_inverse_binds).max_by_key(|s| count(s))?;
    let mut mesh_from_joint: Vec<Option<Affine3A>> = vec![None; rest.world.len()];
    for (&joint, joint_from_mesh) in skin.joints.iter().zip(&skin.joint_from_mesh) {
        mesh_from_joint[joint] = Some(joint_from_mesh.inverse()).filter(Affine3A::is_finite);
    }
    // The hips, shoulders and thighs must be in the skin, because they define the transform of its mesh space.
    let position = |bone: &str| mesh_from_joint[rest.node(bone)?].map(|m| Vec3::from(m.translation));
    let (own, frame) = (BodyFrame::new(position)?, rest.frame()?);
    let length = |at: &dyn Fn(&str) -> Option<Vec3>| {
        let between = |bones: [&str; 2]| Some(at(bones[0])?.distance(at(bones[1])?));
        Some(between(["leftUpperLeg", "leftLowerLeg"])? + between(["rightUpperLeg", "rightLowerLeg"])?)
    };
    let scale = length(&|bone| rest.at(bone))? / length(&position)?;
    let turn = frame.body * own.body.conjugate();
    let world_from_mesh =
        Affine3A::from_scale_rotation_translation(Vec3::splat(scale), turn.normalize(), Vec3::ZERO);
    if !world_from_mesh.is_finite() {
        return None;
    }
    let mut pose = rest.pose.clone();
    let mut world = rest.world.clone();
    let mut is_usable = true;
    propagate(rest.skeleton.parents_first.iter().copied(), &mut world, |above, node| {
        let above = *above.unwrap_or(&Affine3A::IDENTITY);
        let local = &mut pose.locals[node];
        if let Some(mesh_from_joint) = mesh_from_joint[node] {
            let bound = above.inverse() * (world_from_mesh * mesh_from_joint);
            let (scale, rotation, translation) = bound.to_scale_rotation_translation();
            // The node keeps the scale that it has in the file. A matrix does not determine which axis has the negative scale, so negative
            // scales are rejected.
            let mirrors = scale.cmplt(Vec3::ZERO).any() || local.scale.cmplt(Vec3::ZERO).any();
            is_usable &= !mirrors && rotation.is_finite() && translation.is_finite();
            (local.rotation, local.translation) = (rotation.normalize(), translation);
        }
        above * local.to_affine()
    });
    if !is_usable {
        return None;
    }
    let mut bound = ReferencePose::new(rest.skeleton, rest.bones, pose)?;
    // If the skin's space has another origin or ground, the figure is moved back to its position in the rest pose.
    let (anchor, up, height) = (bound.anchor()?, frame.body * Vec3::Y, rest.length()?);
    let gap = frame.middle - bound.frame()?.middle;
    let flat = gap - up * gap.dot(up);
    let lowest = bound.lowest(up);
    let rise = if STANDING_HEIGHTS.contains(&(lowest / height)) { 0.0 } else { rest.lowest(up) - lowest };
    let flat = if flat.length() < 0.5 * height { Vec3::ZERO } else { flat };
    bound.shift(anchor, flat + up * rise);
    Some(bound)
}

/// A sample of a foot in a clip.
#[derive(Clone, Copy, Debug)]
struct FootSample {
    /// Heights of the ankle and of the toes.
    ankle: f32,
    toes: f32,
    /// World orientation, with the figure rotated to its heading in the rest pose.
    turn: Quat,
}

/// Returns a standing pose from the clips. It is the sampled pose with the straightest trunk, but with straightened legs and with the feet
/// flat on the ground.
fn standing_pose<'a>(character: &Character, rest: &ReferencePose<'a>) -> Option<ReferencePose<'a>> {
    let BodyFrame { body, middle } = rest.frame()?;
    let up = body * Vec3::Y;
    // The rotation about the vertical from the current heading to the heading in the rest pose. The heading is taken from the line between
    // the hip joints.
    let heading = |r: &ReferencePose| {
        let [left, right] = SIDES.map(|side| r.at(&format!("{side}UpperLeg")));
        let across = body.conjugate() * (left? - right?);
        Some(Quat::from_axis_angle(up, across.z.atan2(across.x)))
    };
    let mut sample = ReferencePose { world: rest.world.clone(), pose: rest.pose.clone(), ..*rest };
    let mut best: Option<(f32, Pose)> = None;
    let mut feet: Vec<[Vec<FootSample>; 2]> = vec![[Vec::new(), Vec::new()]; character.clips.len()];
    // Only clips that animate both legs are used, because in other clips the legs stay in the unsuitable rest pose.
    let legs: Vec<usize> = SIDES
        .into_iter()
        .flat_map(|side| ["UpperLeg", "LowerLeg", "Foot"].map(|b| rest.node(&format!("{side}{b}"))))
        .collect::<Option<_>>()?;
    let turns_node = |clip: &Clip, node: usize| {
        clip.channels.iter().any(|c| c.node == node && matches!(c.values, Values::Rotation(_)))
    };
    let animates_legs = |clip: &Clip| legs.iter().all(|&n| turns_node(clip, n));
    let animates_legs: Vec<bool> = character.clips.iter().map(animates_legs).collect();
    each_pose(character, |clip, pose, world| {
        if !animates_legs[clip] {
            return;
        }
        sample.pose.clone_from(pose);
        sample.world.copy_from_slice(world);
        let Some((turn, bend)) = heading(&sample).zip(sample.trunk_bend()) else { return };
        if best.as_ref().is_none_or(|(least, _)| bend < *least) {
            best = Some((bend, pose.clone()));
        }
        let orientations = turns(rest.skeleton, pose);
        for (side, feet) in SIDES.into_iter().zip(&mut feet[clip]) {
            let height = |bone: &str| sample.at(&format!("{side}{bone}")).map(|p| p.dot(up));
            let node = sample.node(&format!("{side}Foot"));
            let Some((ankle, foot)) = height("Foot").zip(node) else { continue };
            feet.push(FootSample {
                ankle,
                toes: height("Toes").unwrap_or(ankle),
                turn: turn * orientations[foot],
            });
        }
    });
    let length = rest.length()?;
    // The mean over the clips evens out feet that are too low or too high in a single clip. Clips in which the figure
    // runs on its toes are left out, because the feet are never flat in them.
    let flat_feet = [0, 1].map(|side| {
        let flat = feet.iter().filter_map(|clip| flat(clip.get(side)?, MAX_RISE * length));
        flattest(flat.collect(), MAX_RISE * length).map(|(_, foot)| foot)
    });
    let mut standing = ReferencePose::new(rest.skeleton, rest.bones, best?.1)?;
    let anchor = standing.anchor()?;
    let turn = heading(&standing)?;
    standing.turn(anchor, turn);
    let mut ankles = Vec::new();
    for (side, flat_foot) in SIDES.into_iter().zip(flat_feet) {
        let flat_foot = flat_foot?;
        let bones = ["UpperLeg", "LowerLeg", "Foot"].map(|b| standing.node(&format!("{side}{b}")));
        let [upper, lower, foot] = [bones[0]?, bones[1]?, bones[2]?];
        for (bone, next) in [(upper, lower), (lower, foot)] {
            let offset = Vec3::from(standing.world[next].translation - standing.world[bone].translation);
            standing.turn(bone, Quat::from_rotation_arc(offset.try_normalize()?, -up));
        }
        let current = turns(standing.skeleton, &standing.pose)[foot];
        standing.turn(foot, flat_foot.turn * current.conjugate());
        ankles.push((standing.leg(side)?[2].dot(up), flat_foot.ankle));
    }
    let rise = ankles.iter().map(|(current, wanted)| wanted - current).fold(f32::NEG_INFINITY, f32::max);
    let gap = middle - standing.frame()?.middle;
    standing.shift(anchor, gap - up * gap.dot(up) + up * rise);
    standing.pose.locals.iter().all(|l| l.rotation.is_finite()).then_some(standing)
}

/// Returns the smallest rise of a foot in a clip, and the mean of the samples within `tolerance` of it. The rise is the
/// height of the ankle or the toes above their lowest positions, whichever is larger.
fn flat(samples: &[FootSample], tolerance: f32) -> Option<(f32, FootSample)> {
    let lowest = |height: fn(&FootSample) -> f32| samples.iter().map(height).fold(f32::INFINITY, f32::min);
    let (ankle, toes) = (lowest(|f| f.ankle), lowest(|f| f.toes));
    let rise = |f: &FootSample| (f.ankle - ankle).max(f.toes - toes);
    flattest(samples.iter().map(|f| (rise(f), *f)).collect(), tolerance)
}

/// Returns the smallest rise of the samples, and the mean of the samples whose rise is within `tolerance` of it.
fn flattest(feet: Vec<(f32, FootSample)>, tolerance: f32) -> Option<(f32, FootSample)> {
    let least = feet.iter().map(|f| f.0).fold(f32::INFINITY, f32::min);
    let flat = feet.into_iter().filter(|f| f.0 <= least + tolerance).zip(1_u16..);
    let mean = flat.fold(None, |mean: Option<FootSample>, ((_, foot), count)| {
        let (mean, weight) = (mean.unwrap_or(foot), 1.0 / f32::from(count));
        let toward = |a: f32, b: f32| a + weight * (b - a);
        let turn = slerp(mean.turn, foot.turn, weight);
        Some(FootSample { ankle: toward(mean.ankle, foot.ankle), toes: toward(mean.toes, foot.toes), turn })
    });
    mean.map(|foot| (least, foot))
}
