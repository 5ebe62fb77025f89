//! Turns joints towards world directions, within their limits.

use glam::{DQuat, DVec3, Vec3};

use crate::ik::Limit;
use crate::rig::limits::radians;

use super::{NEGLIGIBLE, Range, RangePose};

/// Fraction of the range of a hinge that is used. At the end of the range, limbs press into each other.
const HINGE: f64 = 0.95;

/// The turns of a pose, relative to the rest pose.
pub(super) struct Turns<'a> {
    range: &'a Range<'a>,
    list: Vec<(usize, DVec3)>,
}

impl<'a> Turns<'a> {
    pub(super) fn new(range: &'a Range<'a>) -> Self {
        Self { range, list: Vec::new() }
    }

    pub(super) fn pose(self, name: impl Into<String>) -> RangePose {
        RangePose { name: name.into(), turns: self.list, is_detail: false }
    }

    /// Swings a joint so that its bone, a direction in world space, turns towards another direction by at most `degrees`.
    pub(super) fn swing(&mut self, joint: usize, bone: Vec3, towards: Vec3, degrees: f64) {
        let [from, to] = [bone, towards].map(|v| self.range.rest.to_joint_frame(joint, v));
        if let Some(axis) = from.cross(to).try_normalize() {
            self.add(joint, axis * radians(degrees).min(from.angle_between(to)));
        }
    }

    /// Turns a joint about a direction in world space, by an angle in degrees.
    pub(super) fn twist(&mut self, joint: usize, about: Vec3, degrees: f64) {
        if let Some(axis) = self.range.rest.to_joint_frame(joint, about).try_normalize() {
            self.add(joint, axis * radians(degrees));
        }
    }

    /// Bends a hinge by a fraction of its range, in the direction in which it can bend farther. Returns false for any other joint.
    pub(super) fn bend(&mut self, joint: usize, part: f64) -> bool {
        let Limit::Hinge { axis, min, max } = self.range.rig.joint(joint).limit else { return false };
        let farther = if min.abs() > max.abs() { min } else { max };
        self.add(joint, axis * (farther * part * HINGE));
        true
    }

    /// Adds a turn from the rest pose, reduced to the limit of the joint.
    pub(super) fn add(&mut self, joint: usize, turn: DVec3) {
        let rig = self.range.rig.joint(joint);
        // Fully stiff joints and mimic joints never rotate by themselves.
        if rig.stiffness >= 1.0 || rig.mimic.is_some() || self.list.iter().any(|(node, _)| *node == joint) {
            return;
        }
        let allowed = rotation_vector(rig.limit.nearest(DQuat::from_scaled_axis(turn)));
        if allowed.is_finite() && allowed.length() > NEGLIGIBLE {
            self.list.push((joint, allowed));
        }
    }
}

/// Returns the shortest rotation vector of a unit quaternion, in radians.
pub(super) fn rotation_vector(q: DQuat) -> DVec3 {
    if q.w < 0.0 { -q } else { q }.to_scaled_axis()
}
