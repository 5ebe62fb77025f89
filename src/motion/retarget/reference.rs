//! The pose in which two figures are compared.
//!
//! That is rest, unless one leg is elsewhere than the other: then some frame of a motion was saved as rest. Such a figure is
//! compared as it was bound to its skin, and without a skin as it stands in its clips.

use std::collections::BTreeMap;

use glam::{Affine3A, Quat, Vec3};

use crate::asset::{Character, Clip, Skeleton, Skin, Values};
use crate::motion::interpolate::slerp;
use crate::pose::{Pose, world_matrices};

use super::align::SIDES;
use super::figure::{Frame, STANDS, turns};
use super::ground::each_pose;
use super::tree::within;

/// A leg is elsewhere than the other where, mirrored, a joint of it is farther off than this share of its length. Of
/// rests that people drew or captured, none is by more than 0.11.
const LOPSIDED: f32 = 0.15;
/// A foot stands flat while neither its ankle nor its toes are higher above their lowest places than so much more than
/// in its flattest pose, in lengths of a leg.
const FLAT: f32 = 0.01;

/// A character's bones, and a pose of all its nodes.
struct Reference<'a> {
    skeleton: &'a Skeleton,
    bones: &'a BTreeMap<String, usize>,
    pose: Pose,
    world: Vec<Affine3A>,
}

/// The pose to compare a character in. `bones`: nodes by VRM 1.0's names.
pub(super) fn reference(character: &Character, bones: &BTreeMap<String, usize>) -> Pose {
    let rest = Pose::rest(&character.skeleton);
    let Some(stands) = Reference::new(&character.skeleton, bones, rest.clone()) else { return rest };
    if stands.lopsided().is_none_or(|by| by <= LOPSIDED) {
        return rest;
    }
    let neutral = |r: &Reference| r.lopsided().is_some_and(|by| by <= LOPSIDED);
    let bound = bound(character, &stands).filter(neutral);
    bound.or_else(|| standing(character, &stands)).map_or(rest, |r| r.pose)
}

impl<'a> Reference<'a> {
    fn new(skeleton: &'a Skeleton, bones: &'a BTreeMap<String, usize>, pose: Pose) -> Option<Self> {
        let mut world = Vec::new();
        world_matrices(skeleton, &pose, &mut world);
        let reference = Self { skeleton, bones, pose, world };
        reference.frame().map(|_| reference)
    }

    fn node(&self, bone: &str) -> Option<usize> {
        self.bones.get(bone).copied()
    }

    fn at(&self, bone: &str) -> Option<Vec3> {
        self.node(bone).map(|n| self.world[n].translation.into())
    }

    fn frame(&self) -> Option<Frame> {
        Frame::new(|bone| self.at(bone))
    }

    fn leg(&self, side: &str) -> Option<[Vec3; 3]> {
        let [top, knee, ankle] = ["UpperLeg", "LowerLeg", "Foot"].map(|b| self.at(&format!("{side}{b}")));
        Some([top?, knee?, ankle?])
    }

    /// The length of a leg.
    fn length(&self) -> Option<f32> {
        let [top, knee, ankle] = self.leg("left")?;
        Some(top.distance(knee) + knee.distance(ankle)).filter(|l| *l > 0.0)
    }

    /// How far one leg is from where the other is, mirrored, in lengths of a leg.
    fn lopsided(&self) -> Option<f32> {
        let (frame, length) = (self.frame()?, self.length()?);
        let apart = |bone: &str| {
            let [left, right] = SIDES.map(|side| self.at(&format!("{side}{bone}")));
            let [left, right] = [left?, right?].map(|p| frame.body.conjugate() * (p - frame.middle));
            Some(left.distance(right * Vec3::new(-1.0, 1.0, 1.0)) / length)
        };
        ["LowerLeg", "Foot", "Toes"].into_iter().filter_map(apart).reduce(f32::max)
    }

    /// How far the trunk is from upright and untwisted: radians, summed.
    fn bent(&self) -> Option<f32> {
        let up = self.frame()?.body * Vec3::Y;
        let [hips, shoulders] = ["UpperLeg", "UpperArm"].map(|b| {
            let [left, right] = SIDES.map(|side| self.at(&format!("{side}{b}")));
            left.zip(right)
        });
        let ((hl, hr), (sl, sr)) = (hips?, shoulders?);
        let leans = (sl + sr - hl - hr).angle_between(up);
        Some(leans + (hl - hr).angle_between(sl - sr) + (hl - hr).normalize().dot(up).abs())
    }

    /// The lowest node that takes hips and legs along.
    fn anchor(&self) -> Option<usize> {
        let legs = [self.node("leftUpperLeg")?, self.node("rightUpperLeg")?];
        let below = |n: usize, top: usize| self.skeleton.ancestors(n).any(|a| a == top);
        let hips = self.node("hips")?;
        self.skeleton.ancestors(hips).find(|a| legs.iter().all(|l| below(*l, *a)))
    }

    fn update(&mut self) {
        world_matrices(self.skeleton, &self.pose, &mut self.world);
    }

    /// Turns a node in the world.
    fn turn(&mut self, node: usize, by: Quat) {
        let above = self.skeleton.nodes[node].parent.map(|p| turns(self.skeleton, &self.pose)[p]);
        let above = above.unwrap_or(Quat::IDENTITY);
        let local = &mut self.pose.locals[node].rotation;
        *local = (above.conjugate() * by * above * *local).normalize();
        self.update();
    }

    /// Shifts a node in the world.
    fn shift(&mut self, node: usize, by: Vec3) {
        let above = self.skeleton.nodes[node].parent.map_or(Affine3A::IDENTITY, |p| self.world[p]);
        let place = within(above, Vec3::from(self.world[node].translation) + by);
        if place.is_finite() {
            self.pose.locals[node].translation = place;
        }
        self.update();
    }

    /// The lowest of the feet and what hangs on them, along a direction.
    fn lowest(&self, up: Vec3) -> f32 {
        let feet = [self.node("leftFoot"), self.node("rightFoot")];
        let is_sole = |n: &usize| self.skeleton.ancestors(*n).any(|a| feet.contains(&Some(a)));
        let heights = (0..self.world.len()).filter(is_sole).map(|n| self.world[n].translation.dot(up.into()));
        heights.fold(f32::INFINITY, f32::min)
    }
}

/// The pose in which it was bound, by the skin that has most of its bones, where it stands at rest.
fn bound<'a>(character: &Character, rest: &Reference<'a>) -> Option<Reference<'a>> {
    let count = |s: &Skin| rest.bones.values().filter(|n| s.joints.contains(n)).count();
    let skin = character.skins.iter().filter(|s| s.has_inverse_binds).max_by_key(|s| count(s))?;
    let mut mesh_from_joint: Vec<Option<Affine3A>> = vec![None; rest.world.len()];
    for (&joint, joint_from_mesh) in skin.joints.iter().zip(&skin.joint_from_mesh) {
        mesh_from_joint[joint] = Some(joint_from_mesh.inverse()).filter(Affine3A::is_finite);
    }
    // What bounds the limbs has to be there: the skin's own space is found by it.
    let place = |bone: &str| mesh_from_joint[rest.node(bone)?].map(|m| Vec3::from(m.translation));
    let (own, frame) = (Frame::new(place)?, rest.frame()?);
    let length = |at: &dyn Fn(&str) -> Option<Vec3>| {
        let of = |bones: [&str; 2]| Some(at(bones[0])?.distance(at(bones[1])?));
        Some(of(["leftUpperLeg", "leftLowerLeg"])? + of(["rightUpperLeg", "rightLowerLeg"])?)
    };
    let scale = length(&|bone| rest.at(bone))? / length(&place)?;
    let turn = frame.body * own.body.conjugate();
    let world_from_mesh =
        Affine3A::from_scale_rotation_translation(Vec3::splat(scale), turn.normalize(), Vec3::ZERO);
    if !world_from_mesh.is_finite() {
        return None;
    }
    let mut pose = rest.pose.clone();
    let mut world = rest.world.clone();
    for &(node, parent) in &rest.skeleton.parents_first {
        let above = parent.map_or(Affine3A::IDENTITY, |p| world[p]);
        let local = &mut pose.locals[node];
        if let Some(mesh_from_joint) = mesh_from_joint[node] {
            let bound = above.inverse() * (world_from_mesh * mesh_from_joint);
            let (scale, rotation, translation) = bound.to_scale_rotation_translation();
            // Scales are the file's: those of a mirror are not told apart in a matrix.
            let mirrors = scale.cmplt(Vec3::ZERO).any() || local.scale.cmplt(Vec3::ZERO).any();
            if mirrors || !(rotation.is_finite() && translation.is_finite()) {
                return None;
            }
            (local.rotation, local.translation) = (rotation.normalize(), translation);
        }
        world[node] = above * local.to_affine();
    }
    let mut bound = Reference::new(rest.skeleton, rest.bones, pose)?;
    // Where the skin's space has its own origin or ground, the figure stays where it is.
    let (anchor, up, height) = (bound.anchor()?, frame.body * Vec3::Y, rest.length()?);
    let gap = frame.middle - bound.frame()?.middle;
    let flat = gap - up * gap.dot(up);
    let low = bound.lowest(up);
    let high = if STANDS.contains(&(low / height)) { 0.0 } else { rest.lowest(up) - low };
    let flat = if flat.length() < 0.5 * height { Vec3::ZERO } else { flat };
    bound.shift(anchor, flat + up * high);
    Some(bound)
}

/// A foot of a clip.
#[derive(Clone, Copy, Debug)]
struct Foot {
    /// Heights of its joints.
    ankle: f32,
    toes: f32,
    /// How it is turned in the world, as the figure faces at rest.
    turn: Quat,
}

/// A pose of the clips whose trunk is most upright, with its legs straight and its feet as they stand on the ground.
fn standing<'a>(character: &Character, rest: &Reference<'a>) -> Option<Reference<'a>> {
    let Frame { body, middle } = rest.frame()?;
    let up = body * Vec3::Y;
    // `rest_from_now`: about the vertical, by the line between the hips.
    let heading = |r: &Reference| {
        let [left, right] = SIDES.map(|side| r.at(&format!("{side}UpperLeg")));
        let across = body.conjugate() * (left? - right?);
        Some(Quat::from_axis_angle(up, across.z.atan2(across.x)))
    };
    let mut now = Reference { world: rest.world.clone(), pose: rest.pose.clone(), ..*rest };
    let mut best: Option<(f32, Pose)> = None;
    let mut seen: Vec<[Vec<Foot>; 2]> = vec![[Vec::new(), Vec::new()]; character.clips.len()];
    // What a clip leaves at rest says nothing where rest is no posture.
    let legs: Vec<usize> = SIDES
        .into_iter()
        .flat_map(|side| ["UpperLeg", "LowerLeg", "Foot"].map(|b| rest.node(&format!("{side}{b}"))))
        .collect::<Option<_>>()?;
    let turns_node = |clip: &Clip, node: usize| {
        clip.channels.iter().any(|c| c.node == node && matches!(c.values, Values::Rotation(_)))
    };
    let tells = |clip: &Clip| legs.iter().all(|&n| turns_node(clip, n));
    let tells: Vec<bool> = character.clips.iter().map(tells).collect();
    each_pose(character, |clip, pose, world| {
        if !tells[clip] {
            return;
        }
        now.pose.clone_from(pose);
        now.world.copy_from_slice(world);
        let Some((turn, bent)) = heading(&now).zip(now.bent()) else { return };
        if best.as_ref().is_none_or(|(least, _)| bent < *least) {
            best = Some((bent, pose.clone()));
        }
        let all = turns(rest.skeleton, pose);
        for (side, seen) in SIDES.into_iter().zip(&mut seen[clip]) {
            let high = |bone: &str| now.at(&format!("{side}{bone}")).map(|p| p.dot(up));
            let Some((ankle, foot)) = high("Foot").zip(now.node(&format!("{side}Foot"))) else { continue };
            seen.push(Foot { ankle, toes: high("Toes").unwrap_or(ankle), turn: turn * all[foot] });
        }
    });
    let length = rest.length()?;
    // What one clip's feet are too deep in the ground, another's are too high above it. Clips that run on their toes do
    // not tell.
    let stances = [0, 1].map(|side| {
        let flat = seen.iter().filter_map(|clip| flat(clip.get(side)?, FLAT * length));
        flattest(flat.collect(), FLAT * length).map(|(_, foot)| foot)
    });
    let mut standing = Reference::new(rest.skeleton, rest.bones, best?.1)?;
    let anchor = standing.anchor()?;
    let turn = heading(&standing)?;
    standing.turn(anchor, turn);
    let mut ankles = Vec::new();
    for (side, stands) in SIDES.into_iter().zip(stances) {
        let stands = stands?;
        let bones = ["UpperLeg", "LowerLeg", "Foot"].map(|b| standing.node(&format!("{side}{b}")));
        let [upper, lower, foot] = [bones[0]?, bones[1]?, bones[2]?];
        for (bone, next) in [(upper, lower), (lower, foot)] {
            let way = Vec3::from(standing.world[next].translation - standing.world[bone].translation);
            standing.turn(bone, Quat::from_rotation_arc(way.try_normalize()?, -up));
        }
        let is = turns(standing.skeleton, &standing.pose)[foot];
        standing.turn(foot, stands.turn * is.conjugate());
        ankles.push((standing.leg(side)?[2].dot(up), stands.ankle));
    }
    let high = ankles.iter().map(|(is, wanted)| wanted - is).fold(f32::NEG_INFINITY, f32::max);
    let gap = middle - standing.frame()?.middle;
    standing.shift(anchor, gap - up * gap.dot(up) + up * high);
    standing.pose.locals.iter().all(|l| l.rotation.is_finite()).then_some(standing)
}

/// The mean of the flattest poses of a foot in a clip, and how flat it is there: how much higher its ankle or its toes
/// are than where they are lowest.
fn flat(seen: &[Foot], near: f32) -> Option<(f32, Foot)> {
    let lowest = |of: fn(&Foot) -> f32| seen.iter().map(of).fold(f32::INFINITY, f32::min);
    let (ankle, toes) = (lowest(|f| f.ankle), lowest(|f| f.toes));
    let raised = |f: &Foot| (f.ankle - ankle).max(f.toes - toes);
    flattest(seen.iter().map(|f| (raised(f), *f)).collect(), near)
}

/// The least raised of some feet, and the mean of those that are hardly more so.
fn flattest(feet: Vec<(f32, Foot)>, near: f32) -> Option<(f32, Foot)> {
    let least = feet.iter().map(|f| f.0).fold(f32::INFINITY, f32::min);
    let weighed = feet.into_iter().filter(|f| f.0 <= least + near).zip(1_u16..);
    let mean = weighed.fold(None, |mean: Option<Foot>, ((_, foot), count)| {
        let (of, share) = (mean.unwrap_or(foot), 1.0 / f32::from(count));
        let toward = |a: f32, b: f32| a + share * (b - a);
        let turn = slerp(of.turn, foot.turn, share);
        Some(Foot { ankle: toward(of.ankle, foot.ankle), toes: toward(of.toes, foot.toes), turn })
    });
    mean.map(|foot| (least, foot))
}
