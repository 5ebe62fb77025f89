//! A humanoid in its reference pose.

use crate::asset::{Character, Skeleton};
use crate::pose::{Pose, world_matrices};
use crate::rig::Bones;

use super::frame::{BodyFrame, STANDING_HEIGHTS, turns};
use super::reference::reference;
use glam::{Affine3A, Quat, Vec3};

/// A character's bones by their VRM 1.0 names, and the reference pose in which the character is compared with another
/// one. The reference pose is the rest pose unless [`reference()`] chooses another.
pub(super) struct RestFigure<'a> {
    pub(super) skeleton: &'a Skeleton,
    bones: &'a Bones,
    pub(super) pose: Pose,
    /// World positions of all nodes.
    pub(super) positions: Vec<Vec3>,
    /// World orientations of all nodes, including [`mirror`].
    pub(super) turns: Vec<Quat>,
    /// `world_from_body`. In the body frame, +x points left, +y up and +z to the front.
    pub(super) body: Quat,
    /// The midpoint of the hip joints.
    pub(super) middle: Vec3,
    /// Heights of the ground and of the lower ankle along the body's up axis.
    pub(super) ground: f32,
    pub(super) ankle: f32,
    /// Whether the figure stands on the plane that is perpendicular to its up axis and contains the world's origin.
    pub(super) is_on_ground: bool,
}

impl<'a> RestFigure<'a> {
    /// Returns `None` if the body frame is degenerate.
    pub(super) fn new(character: &'a Character, bones: &'a Bones) -> Option<Self> {
        let skeleton = &character.skeleton;
        let pose = reference(character, bones);
        let mut world = Vec::new();
        world_matrices(skeleton, &pose, &mut world);
        let positions: Vec<Vec3> = world.iter().map(|m: &Affine3A| m.translation.into()).collect();
        let turns = turns(skeleton, &pose);
        let BodyFrame { body, middle } = BodyFrame::new(|bone| bones.get(bone).map(|&n| positions[n]))?;
        let (ground, ankle, is_on_ground) = (0.0, 0.0, true);
        let mut figure =
            Self { skeleton, bones, pose, positions, turns, body, middle, ground, ankle, is_on_ground };
        figure.find_ground();
        Some(figure)
    }

    fn find_ground(&mut self) {
        let up = self.up();
        let heights = self.soles().into_iter().map(|n| self.positions[n].dot(up));
        let lowest = heights.fold(f32::INFINITY, f32::min);
        let ankles = ["leftFoot", "rightFoot"].into_iter().filter_map(|b| Some(self.position(b)?.dot(up)));
        self.ankle = ankles.fold(f32::INFINITY, f32::min);
        if !lowest.is_finite() {
            (self.ankle, self.is_on_ground) = (0.0, true);
            return;
        }
        let hips = self.middle.dot(up) - lowest;
        self.is_on_ground = STANDING_HEIGHTS.contains(&(lowest / hips));
        self.ground = if self.is_on_ground { 0.0 } else { lowest };
    }

    /// Returns the feet and all their descendants.
    pub(super) fn soles(&self) -> Vec<usize> {
        let feet = [self.node("leftFoot"), self.node("rightFoot")];
        let below = |n: &usize| self.skeleton.ancestors(*n).any(|a| feet.contains(&Some(a)));
        (0..self.positions.len()).filter(below).collect()
    }

    pub(super) fn node(&self, bone: &str) -> Option<usize> {
        self.bones.get(bone).copied()
    }

    pub(super) fn position(&self, bone: &str) -> Option<Vec3> {
        self.node(bone).map(|n| self.positions[n])
    }

    pub(super) fn up(&self) -> Vec3 {
        self.body * Vec3::Y
    }

    /// Returns the offset between two world positions, in the body frame.
    pub(super) fn offset(&self, from: Vec3, to: Vec3) -> Vec3 {
        self.body.conjugate() * (to - from)
    }

    /// Returns the height of the hips above the ground.
    pub(super) fn height(&self) -> f32 {
        self.middle.dot(self.up()) - self.ground
    }

    /// Returns the nodes on the path from `top` (exclusive) down to `end` (inclusive). The result is empty if `end` is
    /// not a descendant of `top`.
    pub(super) fn path(&self, top: usize, end: usize) -> Vec<usize> {
        let mut path: Vec<usize> = self.skeleton.ancestors(end).take_while(|n| *n != top).collect();
        path.reverse();
        if self.below(end, top) { path } else { Vec::new() }
    }

    pub(super) fn below(&self, node: usize, top: usize) -> bool {
        self.skeleton.ancestors(node).any(|n| n == top)
    }

    /// Returns the top bone of the spine, to which the arms and the neck are attached.
    pub(super) fn chest(&self) -> Option<usize> {
        ["upperChest", "chest", "spine", "hips"].into_iter().find_map(|b| self.node(b))
    }

    /// Returns the lowest common ancestor of the hips and the legs. In some files, the legs are siblings of the hips.
    pub(super) fn anchor(&self) -> Option<usize> {
        let hips = self.node("hips")?;
        let legs = [self.node("leftUpperLeg")?, self.node("rightUpperLeg")?];
        let is_above_legs = |n: &usize| legs.iter().all(|l| self.below(*l, *n));
        Some(self.skeleton.ancestors(hips).find(is_above_legs).unwrap_or(hips))
    }
}
