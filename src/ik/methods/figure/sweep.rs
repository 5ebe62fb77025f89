//! Limbs of several hinges whose limits keep the closed form from the target: sweeps along the joints.

use glam::{DQuat, DVec3};

use crate::ik::rotation::{any_perpendicular, shortest_arc};

use super::limb::{LimbShape, MAX_BENDS, Target, wrapped_any};
use super::posed::Limits;

/// Maximum number of sweeps along a limb of several hinges, and the part of the distance at which they end.
const SWEEPS: usize = 60;
const SWEPT: f64 = 1e-6;

impl LimbShape<'_> {
    /// Returns how far the point is from a target, metres.
    pub(super) fn miss(&self, target: &Target, (angles, local): (&[f64; MAX_BENDS], DQuat)) -> f64 {
        (target.to_target - target.above * local * self.vector(angles)).length()
    }

    /// Improves a limb of several hinges whose limits keep it from its target, by cyclic coordinate descent.
    pub(super) fn refine(
        &self,
        limits: &Limits<'_>,
        target: &Target,
        (mut angles, mut local): ([f64; MAX_BENDS], DQuat),
    ) -> ([f64; MAX_BENDS], DQuat) {
        for _ in 0..SWEEPS {
            let wanted = (target.above * local).conjugate() * target.to_target;
            if wanted.distance(self.vector(&angles)) < SWEPT * wanted.length() {
                break;
            }
            for i in (0..self.last).rev() {
                // The frame of the hinge before its turn, in the frame of the first joint.
                let (mut pivot, mut frame) = (DVec3::ZERO, DQuat::IDENTITY);
                for (k, &(offset, rotation)) in self.segments.iter().enumerate().take(i + 1) {
                    pivot += frame * offset;
                    frame *= if k < i { self.turn(k, rotation, angles[k]) } else { rotation };
                }
                let (below, goal) = (self.below(i, &angles), frame.conjugate() * (wanted - pivot));
                let axis = self.hinges[i].axis;
                let (a, b) = (below - axis * axis.dot(below), axis.cross(below));
                let angle = goal.dot(b).atan2(goal.dot(a));
                angles[i] = self.clamp(i, angles[i] + wrapped_any(angle - angles[i]));
            }
            let arc =
                shortest_arc(self.vector(&angles), wanted, any_perpendicular(wanted.normalize_or(DVec3::Y)));
            local = limits.nearest(self.joints[0], (local * arc).normalize());
        }
        (angles, local)
    }
}
