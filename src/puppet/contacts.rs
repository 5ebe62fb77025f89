//! Contact constraints: feet and hands that a motion keeps in place.

use glam::{DQuat, DVec3, Vec3};

use crate::ik::{Method, Options, Outcome, Start};
use crate::motion::ContactConstraint;
use crate::pose::orientation;

use super::problem::Demand;
use super::solve::Posable;
use super::{GoalKind, GoalReport, Puppet, Target};

impl Puppet {
    /// Moves each constrained joint to its target: as pins of the whole body, or of its own chain if the body is not
    /// recognised. A joint that nothing can move stays where it is, and so does one that has a target if `yields` is set. Every
    /// other joint gets a report, which [`Puppet::report_contacts`] completes.
    pub(super) fn keep_contacts(&mut self, yields: bool) {
        self.contact_reports.clear();
        if self.contacts.is_empty() {
            return;
        }
        self.set_contact_targets(yields);
        // Pins are left out here. They apply when the puppet's targets are solved, and then keep a joint where the
        // motion and its contact constraints have placed it.
        let demand = Demand {
            kind: GoalKind::Contact,
            targets: &self.contact_targets,
            pins: &[],
            pinned: &[],
            // The motion is the start, whatever the frames before were.
            options: Options {
                method: Method::FullBody,
                start: Start::Current,
                tolerance: None,
                trace: false,
                ..self.options
            },
            whole_body: true,
        };
        let mut posable = Posable {
            character: &self.character,
            rig: &self.rig,
            style: self.style.as_ref(),
            // The body stays near the motion.
            stance: None,
            pose: &mut self.pose,
            world_from_node: &mut self.world_from_node,
        };
        let demand = if self.workspace.poses_figure(&posable, &demand) {
            demand
        } else {
            Demand {
                options: Options { method: Method::Auto, ..demand.options },
                whole_body: false,
                ..demand
            }
        };
        self.workspace.groups.set(&self.character, &self.rig, &demand);
        for index in 0..self.workspace.groups.len() {
            let (solver, reports) = (&mut self.contact_solver, &mut self.contact_reports);
            let solved = self.workspace.solve_group(solver, &mut posable, &demand, index, reports);
            if solved.is_err() {
                // If a chain cannot be solved, its joint stays where the motion places it.
                let targets = self.workspace.groups.targets(index, demand.targets);
                let unsolved = |target: &Target| GoalReport {
                    solve: index,
                    outcome: Outcome::OutOfReach,
                    ..GoalReport::new(GoalKind::Contact, target.node)
                };
                reports.extend(targets.map(unsolved));
            }
        }
    }

    /// Turns the constraints into targets.
    fn set_contact_targets(&mut self, yields: bool) {
        self.contact_targets.clear();
        for contact in &self.contacts {
            let node = contact.node;
            let has_target = yields && self.targets.iter().any(|t| t.node == node);
            if has_target || node >= self.pose.locals.len() {
                continue;
            }
            let known = self.contact_targets.iter().position(|t| t.node == node);
            let index = known.unwrap_or(self.contact_targets.len());
            let at = |offset: Vec3| self.world_from_node[node].transform_point3(offset).as_dvec3();
            if known.is_none() {
                let orientation = orientation(&self.character.skeleton, &self.pose, node);
                let (position, orientation) = (Some(at(contact.offset)), Some(orientation));
                let offset = contact.offset.as_dvec3();
                self.contact_targets.push(Target { offset, position, orientation, ..Target::new(node) });
            }
            if let Some(target) = self.contact_targets.get_mut(index) {
                // A second constraint of a node may be that of another point, which moves along.
                let between = at(target.offset.as_vec3()) - at(contact.offset);
                constrain(target, contact, contact.position.as_dvec3() + between);
            }
        }
    }
}

/// Blends a target with a constraint, by the weight of the constraint. `position` is where the constraint puts the target's point.
fn constrain(target: &mut Target, contact: &ContactConstraint, position: DVec3) {
    let weight = f64::from(contact.weight.clamp(0.0, 1.0));
    target.position = target.position.map(|at| at.lerp(position, weight));
    let towards = |from: DQuat, to: glam::Quat| from.slerp(to.as_dquat(), weight);
    target.orientation =
        target.orientation.map(|from| contact.orientation.map_or(from, |to| towards(from, to)));
}
