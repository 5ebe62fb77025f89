//! A humanoid as it stands.

use std::collections::BTreeMap;

use glam::{Affine3A, Mat3, Quat, Vec3};

use crate::asset::{Character, Skeleton, Transform, humanoid};
use crate::pose::{Pose, world_matrices};

use super::align::SIDES;
use super::reference::reference;

/// Within this of an axis of the world (30°, 20°) a body is meant to stand upright, and to face along it.
const UPRIGHT: f32 = 0.866;
const FACING: f32 = 0.94;
/// The lowest joint of the feet is so far below and above the ground of one that stands on it, in heights of its hips.
pub(super) const STANDS: std::ops::Range<f32> = -0.05..0.2;

/// How a body stands in the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// `world_from_body`: the body's left, up and front are x, y and z.
    pub(super) body: Quat,
    /// Between the joints of the hips.
    pub(super) middle: Vec3,
}

impl Frame {
    /// By where its bones are: left–right between the hips, up from hips to shoulders. `None` where these are in one point.
    pub(super) fn new(at: impl Fn(&str) -> Option<Vec3>) -> Option<Self> {
        let between = |bone: &str| {
            let [left, right] = SIDES.map(|side| at(&format!("{side}{bone}")));
            left.zip(right)
        };
        let ((left, right), (left_arm, right_arm)) = (between("UpperLeg")?, between("UpperArm")?);
        let middle = 0.5 * (left + right);
        let up = snapped((0.5 * (left_arm + right_arm) - middle).try_normalize()?, UPRIGHT);
        let across = (left - right).reject_from_normalized(up).try_normalize()?;
        let across = snapped(across, FACING).reject_from_normalized(up).try_normalize()?;
        let body = Quat::from_mat3(&Mat3::from_cols(across, up, across.cross(up))).normalize();
        (body.is_finite() && middle.is_finite()).then_some(Self { body, middle })
    }
}

/// A character's bones by VRM 1.0's names, and the pose that it is compared in: that of rest, where it stands there.
pub(super) struct Figure<'a> {
    pub(super) skeleton: &'a Skeleton,
    bones: BTreeMap<String, usize>,
    pub(super) pose: Pose,
    /// World positions of all nodes.
    pub(super) places: Vec<Vec3>,
    /// World orientations of all nodes, with [`mirror`].
    pub(super) turns: Vec<Quat>,
    /// `world_from_body`: the body's left, up and front are x, y and z.
    pub(super) body: Quat,
    /// Between the joints of the hips.
    pub(super) middle: Vec3,
    /// Heights of the ground and of the lower ankle along the body's up axis.
    pub(super) ground: f32,
    pub(super) ankle: f32,
    /// Whether it stands on the plane through the world's origin.
    pub(super) stands: bool,
}

impl<'a> Figure<'a> {
    /// `None` for what is no humanoid, or has its hips in one point.
    pub(super) fn new(character: &'a Character) -> Option<Self> {
        let skeleton = &character.skeleton;
        let bones = humanoid(character)?.bones;
        let pose = reference(character, &bones);
        let mut world = Vec::new();
        world_matrices(skeleton, &pose, &mut world);
        let places: Vec<Vec3> = world.iter().map(|m: &Affine3A| m.translation.into()).collect();
        let turns = turns(skeleton, &pose);
        let Frame { body, middle } = Frame::new(|bone| bones.get(bone).map(|&n| places[n]))?;
        let (ground, ankle, stands) = (0.0, 0.0, true);
        let mut figure = Self { skeleton, bones, pose, places, turns, body, middle, ground, ankle, stands };
        figure.find_ground();
        Some(figure)
    }

    fn find_ground(&mut self) {
        let up = self.up();
        let heights = self.soles().into_iter().map(|n| self.places[n].dot(up));
        let lowest = heights.fold(f32::INFINITY, f32::min);
        let ankles = ["leftFoot", "rightFoot"].into_iter().filter_map(|b| Some(self.place(b)?.dot(up)));
        self.ankle = ankles.fold(f32::INFINITY, f32::min);
        if !lowest.is_finite() {
            (self.ankle, self.stands) = (0.0, true);
            return;
        }
        let hips = self.middle.dot(up) - lowest;
        self.stands = STANDS.contains(&(lowest / hips));
        self.ground = if self.stands { 0.0 } else { lowest };
    }

    /// The feet and all that hangs on them.
    pub(super) fn soles(&self) -> Vec<usize> {
        let feet = [self.node("leftFoot"), self.node("rightFoot")];
        let below = |n: &usize| self.skeleton.ancestors(*n).any(|a| feet.contains(&Some(a)));
        (0..self.places.len()).filter(below).collect()
    }

    pub(super) fn node(&self, bone: &str) -> Option<usize> {
        self.bones.get(bone).copied()
    }

    pub(super) fn place(&self, bone: &str) -> Option<Vec3> {
        self.node(bone).map(|n| self.places[n])
    }

    pub(super) fn up(&self) -> Vec3 {
        self.body * Vec3::Y
    }

    /// A way from one place to another as the body sees it.
    pub(super) fn way(&self, from: Vec3, to: Vec3) -> Vec3 {
        self.body.conjugate() * (to - from)
    }

    /// How high the hips stand above the ground.
    pub(super) fn height(&self) -> f32 {
        self.middle.dot(self.up()) - self.ground
    }

    /// The nodes from below one to another, the latter included. Empty where it is not below.
    pub(super) fn path(&self, top: usize, end: usize) -> Vec<usize> {
        let mut path: Vec<usize> = self.skeleton.ancestors(end).take_while(|n| *n != top).collect();
        path.reverse();
        if self.below(end, top) { path } else { Vec::new() }
    }

    pub(super) fn below(&self, node: usize, top: usize) -> bool {
        self.skeleton.ancestors(node).any(|n| n == top)
    }

    /// The top of the back: where arms and neck begin.
    pub(super) fn chest(&self) -> Option<usize> {
        ["upperChest", "chest", "spine", "hips"].into_iter().find_map(|b| self.node(b))
    }

    /// The lowest node that takes hips and legs along. Some files hang the legs beside the hips.
    pub(super) fn anchor(&self) -> Option<usize> {
        let hips = self.node("hips")?;
        let legs = [self.node("leftUpperLeg")?, self.node("rightUpperLeg")?];
        let carries = |n: &usize| legs.iter().all(|l| self.below(*l, *n));
        Some(self.skeleton.ancestors(hips).find(carries).unwrap_or(hips))
    }
}

/// World orientations of all nodes, with [`mirror`].
pub(super) fn turns(skeleton: &Skeleton, pose: &Pose) -> Vec<Quat> {
    let mut turns = vec![Quat::IDENTITY; skeleton.nodes.len()];
    for &(node, parent) in &skeleton.parents_first {
        let above = parent.map_or(Quat::IDENTITY, |p| turns[p]);
        turns[node] = (above * turn(&pose.locals[node])).normalize();
    }
    turns
}

/// A local rotation as conjugations see it: [`mirror`] included.
pub(super) fn turn(local: &Transform) -> Quat {
    local.rotation * mirror(local.scale)
}

/// The rotation that turns as a mirror does: a reflection is one times −1, and −1 leaves rotations as they are.
pub(super) fn mirror(scale: Vec3) -> Quat {
    let odd = |a: f32, b: f32| (a < 0.0) != (b < 0.0);
    let Vec3 { x, y, z } = scale;
    match (odd(x, y), odd(y, z)) {
        (false, false) => Quat::IDENTITY,
        (true, false) => Quat::from_xyzw(1.0, 0.0, 0.0, 0.0),
        (true, true) => Quat::from_xyzw(0.0, 1.0, 0.0, 0.0),
        (false, true) => Quat::from_xyzw(0.0, 0.0, 1.0, 0.0),
    }
}

/// The axis of the world that a direction is nearest to, where it is near.
fn snapped(direction: Vec3, near: f32) -> Vec3 {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(|a| [a, -a]);
    axes.into_iter().find(|a| a.dot(direction) > near).unwrap_or(direction)
}
