//! The fingers of a hand, and how their joints turn.

use glam::{DQuat, DVec3, Quat};

use crate::asset::Skeleton;
use crate::ik::{Limit, swing_twist};
use crate::pose::{Pose, orientation, rest_orientation};
use crate::rig::limits::angle_about;

/// A finger or a thumb of a [`Hand`](super::Hand).
#[derive(Clone, Debug, PartialEq)]
pub struct Finger {
    pub(super) name: &'static str,
    pub(super) is_thumb: bool,
    pub(super) joints: Vec<FingerJoint>,
    pub(super) fan: Option<Fan>,
}

impl Finger {
    /// Name for users, such as `Thumb` or `Index`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The joints that bend, from the knuckle to the tip.
    pub fn joints(&self) -> impl Iterator<Item = usize> + '_ {
        self.joints.iter().map(|joint| joint.node)
    }
}

/// A joint of a finger, which bends about an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FingerJoint {
    pub(super) node: usize,
    pub(super) rest: DQuat,
    pub(super) logical_parent: Option<usize>,
    pub(super) limit: Limit,
    /// Unit axis in the rest frame, about which positive angles bend towards the palm.
    pub(super) axis: DVec3,
    /// Angles relative to the rest pose at curl 0 and at curl 1, in radians.
    pub(super) range: [f64; 2],
}

/// How the first joint of a finger moves the finger sideways.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fan {
    /// Unit axis in the rest frame, perpendicular to the curl axis. Positive angles turn towards the thumb.
    pub(super) axis: DVec3,
    /// Angle from the direction of the hand in the rest pose, in radians.
    pub(super) at_rest: f64,
    /// The same angle at spread 1.
    pub(super) widest: f64,
}

impl FingerJoint {
    /// Returns the angle relative to the rest pose for a curl.
    pub(super) fn angle(&self, curl: f64) -> f64 {
        self.range[0] + curl * (self.range[1] - self.range[0])
    }

    /// Returns the local rotation for a curl angle and a fan angle about their axes, relative to the rest pose.
    pub(super) fn rotation(
        &self,
        skeleton: &Skeleton,
        pose: &Pose,
        curl: f64,
        fan: Option<(Fan, f64)>,
    ) -> Option<(usize, Quat)> {
        let bent = DQuat::from_axis_angle(self.axis, curl);
        let turn = fan.map_or(bent, |(fan, angle)| DQuat::from_axis_angle(fan.axis, angle) * bent);
        self.turned(skeleton, pose, turn)
    }

    /// Returns the curl angle and the fan angle about their axes in a pose, relative to the rest pose.
    pub(super) fn angles(&self, skeleton: &Skeleton, pose: &Pose, fan: Option<Fan>) -> (f64, f64) {
        let Some(local) = pose.locals.get(self.node) else { return (0.0, 0.0) };
        let turn = self.at_rest(skeleton, pose).conjugate() * local.rotation.as_dquat();
        // The curl does not move its own axis, so the fan determines where this axis points.
        let fanned = fan.map_or(0.0, |fan| angle_about(fan.axis, self.axis, turn * self.axis));
        let unfanned = fan.map_or(turn, |fan| DQuat::from_axis_angle(fan.axis, -fanned) * turn);
        (swing_twist(unfanned, self.axis).1, fanned)
    }

    /// Returns the local rotation in the rest pose.
    pub(super) fn relaxed(&self, skeleton: &Skeleton, pose: &Pose) -> Option<(usize, Quat)> {
        self.turned(skeleton, pose, DQuat::IDENTITY)
    }

    /// Returns the local rotation after a turn from the rest pose, within the limit, or `None` if it is not finite.
    fn turned(&self, skeleton: &Skeleton, pose: &Pose, turn: DQuat) -> Option<(usize, Quat)> {
        let rotation = (self.at_rest(skeleton, pose) * self.limit.nearest(turn)).as_quat().normalize();
        rotation.is_finite().then_some((self.node, rotation))
    }

    /// Returns the local rotation that the joint would have in a pose without any turn of its own.
    fn at_rest(&self, skeleton: &Skeleton, pose: &Pose) -> DQuat {
        let Some(logical) = self.logical_parent else { return self.rest };
        // The joint's logical parent is not its parent in the file.
        let parent = skeleton.nodes.get(self.node).and_then(|node| node.parent);
        let world_from_parent = parent.map_or(DQuat::IDENTITY, |parent| orientation(skeleton, pose, parent));
        let turn = orientation(skeleton, pose, logical) * rest_orientation(skeleton, logical).conjugate();
        (world_from_parent.conjugate() * turn * rest_orientation(skeleton, self.node)).normalize()
    }
}
