//! Contact constraints for feet and hands that a motion keeps in place.

use glam::{Affine3A, DAffine3, DQuat, DVec3, Vec3};

use crate::asset::Skeleton;
use crate::ik::{Method, Outcome, Start};
use crate::pose::{Pose, orientation};

use super::problem::Demand;
use super::solve::Posable;
use super::{GoalKind, GoalReport, Puppet, Target};

/// Maximum number of solves for contacts on nodes that the solve itself moves.
const ROUNDS: usize = 4;
/// A contact on a node is solved again if the node has moved the contact's target by more than this, in metres at human size.
const MOVED: f64 = 1e-4;

/// A contact target attached to a node that may move, with its position and orientation in the node's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldOn {
    /// The index of the target.
    target: usize,
    on: usize,
    /// Position and orientation of the target in the frame of the node.
    position: DVec3,
    orientation: Option<DQuat>,
}

impl Puppet {
    /// Moves each constrained joint to its target as a pin of the whole body, or with its own chain if the body is not recognised. A joint
    /// that nothing can move stays in place. If `yields` is set, a joint that has a target stays in place too. Every other joint gets a
    /// report, which [`Puppet::report_contacts`] completes.
    pub(super) fn keep_contacts(&mut self, yields: bool) {
        self.contact_reports.clear();
        if self.contacts.is_empty() {
            return;
        }
        self.set_contact_targets(yields);
        self.solve_contacts();
        for _ in 1..ROUNDS {
            if !self.follow_nodes() {
                break;
            }
            self.contact_reports.clear();
            self.solve_contacts();
        }
    }

    /// Solves the targets of the contacts.
    fn solve_contacts(&mut self) {
        // Pins are left out here. They apply when the puppet's targets are solved, and then keep a joint where the
        // motion and its contact constraints have put it.
        let demand = Demand {
            kind: GoalKind::Contact,
            targets: &self.contact_targets,
            pins: &[],
            pinned: &[],
            yielding: &self.yielding,
            pulling: &self.pulling,
            // The solve starts from the motion, independently of earlier frames.
            options: self
                .options
                .solver
                .with_method(Method::FullBody)
                .with_start(Start::Current)
                .with_tolerance(None)
                .with_trace(false)
                .with_textbook(false),
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
            Demand { options: demand.options.with_method(Method::Auto), whole_body: false, ..demand }
        };
        self.workspace.groups.set(&self.character, &self.rig, &demand);
        for index in 0..self.workspace.groups.len() {
            let (solver, reports) = (&mut self.contact_solver, &mut self.contact_reports);
            let solved = self.workspace.solve_group(solver, &mut posable, &demand, index, reports);
            if solved.is_err() {
                // If a chain cannot be solved, its joint stays where the motion puts it.
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
        self.yielding.clear();
        self.pulling.clear();
        self.held_on.clear();
        // A contact can belong to a node that marks the end of a bone and is not a joint of the body. An orientation goal there would hold
        // the whole bone.
        let turns = |node: usize| self.rig.body.as_ref().is_none_or(|body| body.is_joint(node));
        for contact in &self.contacts {
            let node = contact.node;
            let has_target = yields && self.targets.iter().any(|t| t.node == node);
            let is_known = [Some(node), contact.on].into_iter().flatten().all(|n| n < self.pose.locals.len());
            if has_target || !is_known {
                continue;
            }
            let known = self.contact_targets.iter().position(|t| t.node == node);
            let index = known.unwrap_or(self.contact_targets.len());
            let at = |offset: Vec3| self.world_from_node[node].transform_point3(offset).as_dvec3();
            if known.is_none() {
                let keeps_turn = contact.orientation.is_some() || !contact.pulls && turns(node);
                let orientation = keeps_turn.then(|| orientation(&self.character.skeleton, &self.pose, node));
                let position = Some(at(contact.offset));
                let offset = contact.offset.as_dvec3();
                self.contact_targets.push(Target { offset, position, orientation, ..Target::new(node) });
            }
            self.yielding.extend(contact.yields.then_some(node));
            // If a contact holds the node, a goal only blends the node's position and does not pull.
            match contact.pulls {
                true if known.is_none() => self.pulling.push(node),
                true => {}
                false => self.pulling.retain(|pulling| *pulling != node),
            }
            if let Some(target) = self.contact_targets.get_mut(index) {
                // A second constraint on a node may apply to another point, which moves with the node.
                let between = at(target.offset.as_vec3()) - at(contact.offset);
                let frame = contact
                    .on
                    .map(|on| frame(&self.character.skeleton, &self.pose, &self.world_from_node, on));
                let mut world = (contact.position.as_dvec3(), contact.orientation.map(glam::Quat::as_dquat));
                if let Some((world_from_on, turn)) = frame {
                    world = (world_from_on.transform_point3(world.0), world.1.map(|own| turn * own));
                }
                constrain(target, contact.weight, world.0 + between, world.1);
                self.held_on.retain(|held| held.target != index);
                if let (Some(on), Some((world_from_on, turn)), Some(position)) =
                    (contact.on, frame, target.position)
                {
                    let position = world_from_on.inverse().transform_point3(position);
                    let orientation = target.orientation.map(|own| turn.conjugate() * own);
                    self.held_on.push(HeldOn { target: index, on, position, orientation });
                }
            }
        }
    }

    /// Moves the targets of contacts on other nodes along with these nodes, which the last solve may have moved. Returns whether a target
    /// has moved.
    fn follow_nodes(&mut self) -> bool {
        let size = self.rig.body.as_ref().map_or(1.0, |body| f64::from(body.size));
        let mut has_moved = false;
        for &HeldOn { target, on, position, orientation } in &self.held_on {
            let Some(target) = self.contact_targets.get_mut(target) else { continue };
            let (world_from_on, turn) =
                frame(&self.character.skeleton, &self.pose, &self.world_from_node, on);
            let to = world_from_on.transform_point3(position);
            has_moved |= target.position.is_some_and(|at| at.distance(to) > MOVED * size);
            target.position = Some(to);
            target.orientation = orientation.map(|own| (turn * own).normalize());
        }
        has_moved
    }
}

/// Returns the matrix and the orientation of a node in a pose.
fn frame(skeleton: &Skeleton, pose: &Pose, world_from_node: &[Affine3A], node: usize) -> (DAffine3, DQuat) {
    let world = world_from_node.get(node).copied().unwrap_or_default();
    let matrix = world.matrix3.as_dmat3();
    (
        DAffine3 { matrix3: matrix, translation: world.translation.as_dvec3() },
        orientation(skeleton, pose, node),
    )
}

/// Blends a target with a constraint, by the weight of the constraint. `position` is the position that the constraint requires for the
/// target's point.
fn constrain(target: &mut Target, weight: f32, position: DVec3, orientation: Option<DQuat>) {
    let weight = f64::from(weight.clamp(0.0, 1.0));
    target.position = target.position.map(|at| at.lerp(position, weight));
    target.orientation = target.orientation.map(|from| orientation.map_or(from, |to| from.slerp(to, weight)));
}
