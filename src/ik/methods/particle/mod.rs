//! Particle inverse kinematics: Hecker et al. 2008, "Real-time motion retargeting to highly varied user-created
//! morphologies", section 6.

mod rigid;

use glam::{DQuat, DVec3};

use crate::rotation::{BENT, best_fit, shortest_arc};
use crate::tree::{Tree, TreeJoint};
use crate::{Limit, ParticleOptions};

use super::segments::{Segments, needs_segments};
use rigid::RigidSegments;

/// An effector within this distance of a joint, in metres, shares the joint's particle.
const SAME_PLACE: f64 = 1e-12;
/// If the cosine of the angle between a hinge's axis and its bone is above this value, the hinge only twists the bone,
/// and the limb has no plane.
const ALONG_BONE: f64 = 0.9;
/// Weight of the plane of a hinge in the fit of its parent. The positions have weight 1. A small weight decides only the twist, which the
/// positions do not determine.
const PLANE_WEIGHT: f64 = 0.1;

/// Particles at the joints and effectors of a tree, and the fit of the joints to them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Particles {
    pub(crate) positions: Vec<DVec3>,
    /// The particle to which each particle is attached, or `None` if it is fixed.
    pub(crate) parents: Vec<Option<usize>>,
    /// Length of the spring between each particle and its parent.
    pub(crate) lengths: Vec<f64>,
    /// Position of each particle in the turned frame of its parent joint.
    locals: Vec<DVec3>,
    /// The particle of each effector: its own, or the particle of a joint at the same position.
    pub(crate) tasks: Vec<usize>,
    /// Whether a fit moves particles. A fit does so if several particles are attached to one joint, or if the body has
    /// limits, scale or weights below one.
    fit_moves_particles: bool,
    /// The particles that are attached to joints, grouped by joint, and the range of each joint.
    attached: Vec<usize>,
    ranges: Vec<(usize, usize)>,
    vectors: Vec<(DVec3, DVec3, f64)>,
    /// The rotations from which the joints are fitted: the rotations at the start of the solve, or after the last fit
    /// if fits move particles.
    start: Vec<DQuat>,
    /// Whether the links are rigid segments, because there are limits or orientation goals.
    has_segments: bool,
    segments: Segments,
    rigid: RigidSegments,
}

impl Particles {
    /// Places the particles at the joints and effectors.
    pub(crate) fn set(&mut self, tree: &Tree) {
        self.parents.clear();
        self.parents.extend(tree.joints.iter().map(|j| j.parent));
        self.locals.clear();
        self.locals.extend((0..tree.joints.len()).map(|j| tree.local(j)));
        self.tasks.clear();
        for task in &tree.tasks {
            // An effector at the position of a joint shares the joint's particle.
            let on =
                |j: usize| self.parents[j] == task.joint && self.locals[j].distance(task.local) < SAME_PLACE;
            let own = task.joint.filter(|_| task.local == DVec3::ZERO);
            let shared = own.or_else(|| (0..tree.joints.len()).find(|&j| on(j)));
            self.tasks.push(shared.unwrap_or(self.parents.len()));
            if shared.is_none() {
                self.parents.push(task.joint);
                self.locals.push(task.local);
            }
        }
        self.attached.clear();
        self.attached.extend((0..self.parents.len()).filter(|&p| self.parents[p].is_some()));
        self.attached.sort_unstable_by_key(|&p| (self.parents[p], p));
        self.ranges.clear();
        let mut start = 0;
        for joint in 0..tree.joints.len() {
            let on = self.attached[start..].iter().take_while(|&&p| self.parents[p] == Some(joint)).count();
            self.ranges.push((start, start + on));
            start += on;
        }
        let limited = tree.joints.iter().any(|j| j.limit != Limit::Free || j.weight < 1.0);
        self.fit_moves_particles =
            limited || !tree.rigid || self.ranges.iter().any(|(start, end)| end - start > 1);
        self.move_to_joints(tree);
        self.measure_lengths();
        self.store_rotations(tree);
        self.has_segments = needs_segments(tree);
        if self.has_segments {
            self.segments.set(tree);
            self.rigid.set(&self.segments, tree);
        }
    }

    /// Returns the links as rigid segments, if there are limits or orientation goals.
    pub(crate) fn segments(&mut self) -> Option<&mut Segments> {
        self.has_segments.then_some(&mut self.segments)
    }

    fn store_rotations(&mut self, tree: &Tree) {
        self.start.clear();
        self.start.extend(tree.joints.iter().map(|j| j.rotation));
    }

    fn measure_lengths(&mut self) {
        self.lengths.clear();
        let distance = |(i, parent): (usize, &Option<usize>)| {
            parent.map_or(0.0, |p| (self.positions[i] - self.positions[p]).length())
        };
        self.lengths.extend(self.parents.iter().enumerate().map(distance));
    }

    /// Starts an iteration from the current pose if fits move particles.
    pub(crate) fn start_iteration(&mut self, tree: &Tree) {
        if self.fit_moves_particles {
            self.move_to_joints(tree);
            self.store_rotations(tree);
        }
        if !tree.rigid {
            // If the body has scale, links change their length as they turn, so each iteration uses the lengths of the
            // current pose.
            self.measure_lengths();
        }
    }

    /// Pulls the particles of the effectors to their targets. If the weight is below one, a particle moves only part of the way.
    pub(crate) fn pull(&mut self, tree: &Tree) {
        for (task, &particle) in tree.tasks.iter().zip(&self.tasks) {
            let here = &mut self.positions[particle];
            let target = tree.nearest_target(task, *here).filter(|_| self.parents[particle].is_some());
            if let Some(target) = target {
                *here = here.lerp(target, task.position_weight().min(1.0));
            }
        }
    }

    /// Runs one iteration. Each sweep pulls the effectors to their targets and relaxes the springs, from the tips to the
    /// root and back. Then rotations are fitted. Targets on inner joints pull those joints.
    ///
    /// The sweep to the root is the published method. The sweep back relaxes the same springs in the opposite order, so
    /// that the pull of the root reaches the tips in the same iteration. If there are limits or orientation goals, the
    /// links are rigid segments, and the springs between them respect the limits.
    pub(crate) fn pass(&mut self, tree: &mut Tree, options: &ParticleOptions) {
        if self.has_segments {
            self.rigid.pass(&mut self.segments, tree, options.sweeps.max(1), options.stiffness);
            return;
        }
        self.start_iteration(tree);
        for _ in 0..options.sweeps.max(1) {
            self.pull(tree);
            for particle in (0..self.positions.len()).rev() {
                self.relax(particle, options.stiffness);
            }
            for particle in 0..self.positions.len() {
                self.relax(particle, options.stiffness);
            }
        }
        self.fit(tree);
    }

    /// Relaxes a spring. Both ends move by half of the spring's error. If one end is the fixed root, the other end
    /// moves by the whole error.
    fn relax(&mut self, particle: usize, stiffness: f64) {
        let Some(parent) = self.parents[particle] else { return };
        let spring = self.positions[parent] - self.positions[particle];
        let length = spring.length();
        if length == 0.0 {
            return;
        }
        let half = spring * (stiffness * first_order(self.lengths[particle], length));
        if self.parents[parent].is_none() {
            self.positions[particle] += 2.0 * half;
        } else {
            self.positions[particle] += half;
            self.positions[parent] -= half;
        }
    }

    /// Turns the joints, root to tip, so that the points of each joint come as near as possible to their particles. The
    /// turn is the shortest arc for a single particle, the best fit for several particles or orientations, and the best
    /// angle for a hinge. All turns stay within limits.
    ///
    /// As long as a fit does not move the particles, every fit starts from the same rotations, so the result does not
    /// depend on the number of fits.
    pub(crate) fn fit(&mut self, tree: &mut Tree) {
        for index in 0..tree.joints.len() {
            tree.joints[index].rotation = self.start[index];
            tree.forward_joint(index);
            let joint = &tree.joints[index];
            let (start, end) = self.ranges[index];
            self.vectors.clear();
            // If a fit does not move the particles, the links are aligned with the directions between the particles.
            // Otherwise joints are aimed at particles from the joints' current positions, because limits may keep
            // joints away from their particles.
            let here = if self.fit_moves_particles { joint.position } else { self.positions[index] };
            for &p in &self.attached[start..end] {
                let to = tree.to_frame(joint, self.positions[p] - here);
                self.vectors.push((joint.turn(self.locals[p]), to, 1.0));
            }
            tree.orientation_vectors(index, &mut self.vectors);
            if let [only] = self.attached[start..end] {
                self.hinge_plane(tree, index, only);
            }
            let arc = match (joint.hinge_axis(), &self.vectors[..]) {
                (_, []) => continue,
                (Some(axis), several) => super::ccd::best_turn_about(axis, several),
                (None, &[(from, to, _)]) => shortest_arc(from, to, DVec3::X),
                (None, several) => best_fit(several.iter().copied()),
            };
            let arc = if joint.weight < 1.0 { DQuat::IDENTITY.slerp(arc, joint.weight) } else { arc };
            tree.joints[index].rotation = joint.allowed((arc * joint.rotation).normalize());
            tree.forward_joint(index);
        }
        tree.forward_tips();
    }

    /// Adds the plane of a child hinge to the fit. The axis of the hinge must be perpendicular to the plane of the
    /// particles next to it. This determines the twist of the parent, which the shortest arc does not determine.
    fn hinge_plane(&mut self, tree: &Tree, index: usize, child: usize) {
        let Some(axis) = tree.joints.get(child).and_then(TreeJoint::hinge_axis) else { return };
        let (start, end) = self.ranges[child];
        let [next] = self.attached[start..end] else { return };
        let (joint, hinge) = (&tree.joints[index], &tree.joints[child]);
        let here = self.positions[child];
        let normal = (here - joint.position).cross(self.positions[next] - here);
        let size = self.lengths[child] * self.lengths[next];
        // A straight limb has no definite plane.
        if normal.length() < BENT * size {
            return;
        }
        if axis.dot(hinge.turn(self.locals[next])).abs() > ALONG_BONE * self.lengths[next] {
            return;
        }
        let from = joint.rotation * (hinge.fixed_linear() * axis);
        let to = tree.axis_to_frame(joint, normal / size);
        let side = if from.dot(to) < 0.0 { -1.0 } else { 1.0 };
        self.vectors.push((from * self.lengths[child], to * (side * self.lengths[child]), PLANE_WEIGHT));
    }

    /// Moves the particles to the fitted joints. Joints with the same parent are rigid relative to each other, which
    /// the springs do not enforce.
    fn move_to_joints(&mut self, tree: &Tree) {
        self.positions.clear();
        self.positions.extend(tree.joints.iter().map(|j| j.position));
        let own = tree.tasks.iter().zip(&self.tasks).filter(|(_, p)| **p >= tree.joints.len());
        self.positions.extend(own.map(|(task, _)| task.position));
    }
}

/// Returns the part of a spring's vector by which each end moves, ½ − ½ d / |P₁ − P₀|, to first order about the desired length d (Jakobsen
/// 2001, "Advanced character physics"). This becomes exact as the spring relaxes, and needs no square root.
fn first_order(length: f64, now: f64) -> f64 {
    let length2 = length * length;
    0.5 - length2 / (now * now + length2)
}

impl Tree {
    /// Collects the directions of a joint's orientation and aim goals: the current and the desired vectors in its
    /// frame, and their weights.
    fn orientation_vectors(&self, index: usize, out: &mut Vec<(DVec3, DVec3, f64)>) {
        let joint = &self.joints[index];
        for task in self.tasks.iter().filter(|t| t.joint == Some(index)) {
            let rotation = self.rotation_of(joint, task);
            let mut add = |from: DVec3, to: DVec3, weight: f64| {
                out.push((self.axis_to_frame(joint, from), self.axis_to_frame(joint, to), weight));
            };
            if let Some(orientation) = task.nearest_orientation(rotation) {
                [DVec3::X, DVec3::Y, DVec3::Z]
                    .into_iter()
                    .for_each(|axis| add(rotation * axis, orientation * axis, task.orientation_weight()));
            }
            if let Some((axis, at)) = task.aim {
                add(rotation * axis, (at - task.position).normalize_or_zero(), task.weight);
            }
        }
    }
}

#[cfg(test)]
mod tests;
