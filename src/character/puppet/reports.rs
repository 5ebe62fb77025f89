//! Reports that are measured in the final pose, after everything is solved.

use glam::{DVec3, Vec3};

use crate::ik::{Options, Outcome};
use crate::pose::orientation;

use super::problem::base;
use super::solve::Posable;
use super::{GoalReport, Puppet, Target};

/// The default tolerance for positions, as a fraction of the length of the chain ([`Options::tolerance`]).
const TOLERANCE: f64 = 1e-4;
/// Rounding error of a pose. For a position, it is a fraction of the distance from the origin plus the chain's length. For an angle, it is
/// in radians. Poses have single precision, and the errors of all ancestors add up.
const ROUNDING: f64 = 1e-6;

impl Posable<'_> {
    /// Returns the distance between a target's point and its position, in metres: first without the components along
    /// free axes, then with all components.
    pub(super) fn position_errors(&self, target: &Target) -> (Option<f64>, Option<f64>) {
        let Some(world_from_node) = self.world_from_node.get(target.node) else { return (None, None) };
        let position = world_from_node.transform_point3(target.offset.as_vec3()).as_dvec3();
        let error = target.position.map(|wanted| wanted - position);
        let counted = error.and_then(|error| target.axes.position_error(error, target.orientation));
        (counted, error.map(DVec3::length))
    }

    /// Completes the report of a target with the errors in the current pose and the resulting outcome. `length` is the length of the
    /// target's chain in metres.
    pub(super) fn measure(&self, report: &mut GoalReport, target: &Target, options: &Options, length: f64) {
        let own = || orientation(&self.character.skeleton, self.pose, target.node);
        (report.position_error, report.full_position_error) = self.position_errors(target);
        report.orientation_error = target.orientation.map(|wanted| wanted.angle_between(own()));
        report.full_orientation_error = report.orientation_error;
        let extent = length + target.position.map_or(0.0, DVec3::length);
        let tolerance = options.tolerance.unwrap_or(TOLERANCE * length) + ROUNDING * extent;
        let is_reached = report.position_error.is_none_or(|e| e <= tolerance)
            && report.orientation_error.is_none_or(|e| e <= options.angle_tolerance + ROUNDING);
        report.outcome = match report.outcome {
            _ if is_reached => Outcome::Reached,
            // A later solve has moved the joint away from its target.
            Outcome::Reached => Outcome::Stalled,
            other => other,
        };
    }

    /// Returns the length of the chain from a target's base to its node, in metres.
    pub(super) fn chain_length(&self, target: &Target) -> f64 {
        let base = base(self.character, self.rig, target);
        let place = |n: usize| self.world_from_node.get(n).map_or(Vec3::ZERO, |m| m.translation.into());
        let above = |n: usize| self.rig.above(&self.character.skeleton, n).filter(|_| n != base);
        // A rig with a cycle of logical parents was rejected, but it still contains the cycle.
        let nodes = self.world_from_node.len();
        let path = std::iter::successors(Some(target.node), |&n| above(n)).take(nodes);
        path.map(|n| above(n).map_or(0.0, |a| f64::from(place(n).distance(place(a))))).sum()
    }
}

impl Puppet {
    /// Adds the reports of the contact constraints, measured in the final pose.
    pub(super) fn report_contacts(&mut self) {
        let solves = self.reports.last().map_or(0, |r| r.solve + 1);
        // The default tolerance is used for contacts.
        let options = self.options.solver.with_tolerance(None);
        let posable = Posable {
            character: &self.character,
            rig: &self.rig,
            style: None,
            stance: None,
            pose: &mut self.pose,
            world_from_node: &mut self.world_from_node,
        };
        for mut report in self.contact_reports.drain(..) {
            report.solve += solves;
            if let Some(target) = self.contact_targets.iter().find(|t| t.node == report.node) {
                let length = posable.chain_length(target);
                posable.measure(&mut report, target, &options, length);
                self.reports.push(report);
            }
        }
    }
}
