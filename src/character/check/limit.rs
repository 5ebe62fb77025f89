//! Joints beyond their limits.
//!
//! The limits of a machine are known and fully checked. Limits that were detected in a living body are guesses. Guessed hinges are measured
//! by the direction of the bone, because rigs differ in where they put the twist of a forearm. Guessed cones are widened by
//! [`CONE_MARGIN`].

use glam::{DQuat, DVec3};

use crate::ik::{Limit, swing_twist};
use crate::rig::Rig;

use super::anatomy::Anatomy;
use super::finding::{Curve, Finding, Measured};
use super::kind::Check;
use super::sampled::Sampled;
use crate::mathematics::spans::{peak, runs};

/// Angle by which a guessed cone is widened, in degrees.
const CONE_MARGIN: f64 = 40.0;
/// A bone whose component across the axis of its hinge is shorter than this has no defined angle about the axis.
const ALONG_AXIS: f64 = 0.15;

/// A joint whose limit is checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct LimitedJoint {
    pub(super) node: usize,
    limit: Limit,
    /// Its parent in the rig, if this differs from its parent in the file.
    above: Option<usize>,
    rest: DQuat,
    /// Unit direction of the bone in the space of the joint.
    bone: Option<DVec3>,
    is_exact: bool,
}

impl LimitedJoint {
    /// Returns the joints of a rig that have limits. `is_exact` specifies whether the limits are known rather than guessed.
    pub(super) fn all(anatomy: &Anatomy, rig: &Rig, rest: &Sampled, is_exact: bool) -> Vec<Self> {
        let limited = rig.joints.iter().filter(|(_, joint)| joint.limit != Limit::Free);
        let joint = |(&node, joint): (&usize, &crate::rig::JointRig)| {
            let bone = anatomy.bone(node).map(glam::Vec3::as_dvec3);
            let above = joint.logical_parent;
            let new = Self { node, limit: joint.limit, above, rest: DQuat::IDENTITY, bone, is_exact };
            Self { rest: new.relative(rest, 0), ..new }
        };
        limited.map(joint).collect()
    }

    /// Returns the rotation of the joint relative to its parent in the rig.
    fn relative(&self, sampled: &Sampled, frame: usize) -> DQuat {
        match self.above {
            None => sampled.local(frame, self.node).rotation.as_dquat(),
            Some(above) => {
                let world = |n: usize| super::sampled::rotation_of(&sampled.matrix(frame, n)).as_dquat();
                world(above).conjugate() * world(self.node)
            }
        }
    }

    /// Returns the angle in degrees by which the joint exceeds its limit in each frame.
    pub(super) fn excesses(&self, sampled: &Sampled) -> Vec<f64> {
        let excess = |frame: usize| {
            let q = self.rest.conjugate() * self.relative(sampled, frame);
            self.excess(q)
        };
        (0..sampled.len()).map(excess).collect()
    }

    fn excess(&self, q: DQuat) -> f64 {
        let d = q.conjugate() * self.nearest(q);
        (2.0 * d.xyz().length().atan2(d.w.abs())).to_degrees()
    }

    /// Returns the local rotation, repaired so that it exceeds the limit by at most `kept` degrees.
    pub(super) fn repaired(&self, sampled: &Sampled, frame: usize, kept: f64) -> DQuat {
        let local = sampled.local(frame, self.node).rotation.as_dquat();
        let q = self.rest.conjugate() * self.relative(sampled, frame);
        let excess = self.excess(q);
        if excess <= kept {
            return local;
        }
        let inside = self.nearest(q);
        let inside = if q.dot(inside) < 0.0 { -inside } else { inside };
        let repaired = q.slerp(inside, (excess - kept) / excess);
        // Applies the repair in the space of the joint itself.
        local * (q.conjugate() * repaired)
    }

    /// Returns the local rotation that bends a guessed hinge `beyond` radians past its minimum angle, or `None` for other joints.
    pub(super) fn overbent(&self, sampled: &Sampled, frame: usize, beyond: f64) -> Option<DQuat> {
        let Limit::Hinge { axis, min, .. } = self.limit else { return None };
        let local = sampled.local(frame, self.node).rotation.as_dquat();
        let q = self.rest.conjugate() * self.relative(sampled, frame);
        let change = min - beyond - self.bend(q, axis).filter(|_| !self.is_exact)?;
        Some(local * (q.conjugate() * DQuat::from_axis_angle(axis, change) * q))
    }

    /// Returns the accepted rotation nearest to `q`, relative to the rest pose.
    fn nearest(&self, q: DQuat) -> DQuat {
        if self.is_exact {
            return self.limit.nearest(q);
        }
        let Limit::Hinge { axis, .. } = self.limit else {
            return self.limit.nearest_swing(q, CONE_MARGIN.to_radians());
        };
        let Some(angle) = self.bend(q, axis) else { return q };
        let allowed = self.limit.nearest(DQuat::from_axis_angle(axis, angle));
        DQuat::from_axis_angle(axis, swing_twist(allowed, axis).1 - angle) * q
    }

    /// Returns the angle of the bone from its rest direction about the axis of its hinge, in radians.
    fn bend(&self, q: DQuat, axis: DVec3) -> Option<f64> {
        let bone = self.bone?;
        let [from, to] = [bone, q * bone].map(|v| v.reject_from_normalized(axis));
        let is_across = from.length() > ALONG_AXIS && to.length() > ALONG_AXIS;
        is_across.then(|| from.cross(to).dot(axis).atan2(from.dot(to)))
    }
}

pub(super) fn check(joints: &[LimitedJoint], sampled: &Sampled, largest: f64) -> Measured {
    if joints.is_empty() {
        return Measured::not_applied(Check::Limit, "no joint has a limit");
    }
    let mut measured = Measured::default();
    let mut worst: Option<(f64, usize, Vec<f64>)> = None;
    for joint in joints {
        let values = joint.excesses(sampled);
        for run in runs(values.len(), 1, |i| values[i] > largest) {
            let (_, excess) = peak(&values, run.clone());
            let text = format!("is {excess:.1} degrees beyond its limit");
            let span = sampled.span(*run.start(), *run.end());
            measured.findings.push(Finding::new(Check::Limit, Some(joint.node), span, excess, largest, text));
        }
        let most = values.iter().copied().fold(0.0, f64::max);
        if worst.as_ref().is_none_or(|(value, ..)| most > *value) {
            worst = Some((most, joint.node, values));
        }
    }
    if let Some((_, node, values)) = worst {
        measured.curves.push(Curve {
            check: Check::Limit,
            node: Some(node),
            limit: Some(largest),
            times: sampled.times.clone(),
            values,
        });
    }
    measured
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A knee that bends backwards, with a bone that points down.
    fn knee() -> LimitedJoint {
        LimitedJoint {
            node: 0,
            limit: Limit::hinge(DVec3::X, 0.0..=2.5),
            above: None,
            rest: DQuat::IDENTITY,
            bone: Some(DVec3::NEG_Y),
            is_exact: false,
        }
    }

    #[test]
    fn a_knee_that_bends_forwards_exceeds_its_limit() {
        let knee = knee();
        assert!((knee.excess(DQuat::from_rotation_x(-0.5)) - 0.5_f64.to_degrees()).abs() < 1e-6);
        assert!(knee.excess(DQuat::from_rotation_x(1.0)) < 1e-6);
    }

    #[test]
    fn the_twist_of_a_bone_does_not_count() {
        let twisted = DQuat::from_rotation_x(1.0) * DQuat::from_rotation_y(1.5);
        assert!(knee().excess(twisted) < 1e-6);
    }
}
