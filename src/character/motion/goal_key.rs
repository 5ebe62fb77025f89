//! Goal keys: the goal of inverse kinematics for a node at a given time, with its weight.
//!
//! Between two keys, position, orientation and weight are interpolated. The weight blends forward kinematics (the pose of the keys and
//! strips) with inverse kinematics. The first key of a node also applies before its time, and the last key also applies after its time.

use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::asset::Skeleton;

use super::interpolate::slerp;
use super::{ContactConstraint, Easing};

/// Maximum deviation of an orientation quaternion's length from one.
const MAX_LENGTH_ERROR: f32 = 1e-3;

/// The goal of a node at a point in time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoalKey {
    /// The node's index.
    pub node: usize,
    /// Time on the timeline, in seconds.
    pub time: f32,
    /// Position in the world, in metres. If `on` is set, it is in the frame of that node.
    pub position: Vec3,
    /// Orientation in the world, as a product of local rotations. If `on` is set, it is relative to that node. If `None`, the node follows
    /// its limb.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<Quat>,
    /// Weight of the goal, from 0 (only forward kinematics) to 1 (only inverse kinematics).
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub weight: f32,
    /// Easing of the goal from this key to the next key of its node.
    #[serde(default)]
    pub easing: Easing,
    /// The node that the goal follows, such as the head under a hand. `None` is the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<usize>,
}

fn one() -> f32 {
    1.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_one(weight: &f32) -> bool {
    *weight == 1.0
}

impl GoalKey {
    /// Returns a description of the key's fault, if it has one.
    pub(crate) fn error(&self) -> Option<&'static str> {
        let is_turn = |q: Quat| q.is_finite() && (q.length() - 1.0).abs() <= MAX_LENGTH_ERROR;
        match () {
            () if !(self.time.is_finite() && self.time >= 0.0) => Some("time must not be negative"),
            () if !self.position.is_finite() => Some("position must be finite"),
            () if !self.orientation.is_none_or(is_turn) => Some("orientation must have length 1"),
            () if !(0.0..=1.0).contains(&self.weight) => Some("weight must be from 0 to 1"),
            () if self.on == Some(self.node) => Some("on must be another node"),
            () => None,
        }
    }

    /// Returns whether `on` is the goal's own node or one of its descendants.
    pub(crate) fn is_on_own_part(&self, skeleton: &Skeleton) -> bool {
        self.on.is_some_and(|on| skeleton.ancestors(on).any(|above| above == self.node))
    }

    /// Returns the contact constraint that applies the goal.
    pub(super) fn constraint(&self) -> ContactConstraint {
        let Self { node, position, orientation, weight, on, .. } = *self;
        let (offset, yields, pulls) = (Vec3::ZERO, false, true);
        ContactConstraint { node, offset, position, orientation, on, weight, yields, pulls }
    }

    /// Returns the goal at a fraction of the way to the next key. Positions relative to different nodes are not blended: the goal
    /// switches to the next key halfway.
    pub(super) fn towards(&self, next: &Self, part: f32) -> Self {
        let part = self.easing.weight(part);
        let weight = self.weight + (next.weight - self.weight) * part;
        if self.on != next.on {
            return Self { weight, ..if part < 0.5 { *self } else { *next } };
        }
        let orientation = self.orientation.zip(next.orientation).map(|(a, b)| slerp(a, b, part));
        Self { position: self.position.lerp(next.position, part), orientation, weight, ..*self }
    }
}
