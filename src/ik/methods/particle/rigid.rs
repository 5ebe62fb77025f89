//! Particle inverse kinematics within limits: rigid segments on springs instead of bare particles.
//!
//! The constraints follow Müller, Macklin, Chentanez, Jeschke & Kim 2020, "Detailed rigid body simulation with extended
//! position based dynamics", sections 3.3.1 (positions) and 3.3.2 (angles), without compliance: each correction moves
//! both segments in proportion to their generalised inverse masses.

use glam::{DQuat, DVec3};

use crate::methods::segments::{Attached, Segment, Segments};
use crate::rotation::{rotation_vector, shortest_arc};
use crate::tree::{EffectorTask, Tree};

/// Factor for the corrections of a constraint, as in successive over-relaxation (Macklin, Müller, Chentanez & Kim 2014,
/// "Unified particle physics for real-time applications", section 4.3). A factor of 1.3 needs a quarter fewer
/// iterations than 1 on a chain of ten joints, and 1.5 is no better.
const OVER_RELAXATION: f64 = 1.3;
/// Radius of gyration of a segment as a fraction of its length. The fraction is 0.29 for a thin rod and 0.5 for a
/// hollow dumbbell. A fraction of 0.25 needs three times as many iterations as 0.5 on a chain of ten joints.
const GYRATION: f64 = 0.5;
/// Minimum segment length for the radius of gyration, as a multiple of the mean length. If there were no minimum, the
/// short segments of a robot's wrist would turn too readily, and an arm of seven hinges would reach half as many poses.
const LEAST_LENGTH: f64 = 2.0;

/// A segment with mass one.
#[derive(Clone, Copy, Debug)]
struct RigidSegment {
    /// Centre of mass in base space, and in the turned frame.
    centre: DVec3,
    local_centre: DVec3,
    /// Rotation from the turned frame to base space.
    rotation: DQuat,
    /// Inverse of the moment of inertia, which is the same about all axes.
    inverse_inertia: f64,
}

impl RigidSegment {
    /// Returns the vector from the centre of mass to a point of the turned frame.
    fn arm(&self, local: DVec3) -> DVec3 {
        self.rotation * (local - self.local_centre)
    }

    fn turn(&mut self, vector: DVec3) {
        self.rotation = (DQuat::from_scaled_axis(vector) * self.rotation).normalize();
    }

    /// Returns the generalised inverse mass at the end of an arm along a unit vector (equation 2).
    fn inverse_mass(&self, arm: DVec3, along: DVec3) -> f64 {
        1.0 + arm.cross(along).length_squared() * self.inverse_inertia
    }

    /// Applies a positional impulse at the end of an arm (equations 6 to 9).
    fn push(&mut self, arm: DVec3, impulse: DVec3) {
        self.centre += impulse;
        self.turn(arm.cross(impulse) * self.inverse_inertia);
    }
}

/// The rigid segments of a tree on springs. Buffers are reused by later solves.
#[derive(Clone, Debug, Default)]
pub(super) struct RigidSegments {
    all: Vec<RigidSegment>,
    /// For each segment, the sum of its points, their number including the joint, and the largest distance of a point
    /// from the joint.
    extents: Vec<(DVec3, f64, f64)>,
}

impl RigidSegments {
    /// Places rigid segments at the segments of a tree.
    pub(super) fn set(&mut self, segments: &Segments, tree: &Tree) {
        self.extents.clear();
        for index in 0..segments.all.len() {
            let mut extent = (DVec3::ZERO, 1.0, 0.0_f64);
            for attached in segments.attached(index) {
                let local = match *attached {
                    Attached::Joint(joint) => tree.local(joint),
                    Attached::Effector(task) => tree.tasks[task].local,
                };
                extent = (extent.0 + local, extent.1 + 1.0, extent.2.max(local.length()));
            }
            self.extents.push(extent);
        }
        let total: f64 = self.extents.iter().map(|e| e.2).sum();
        #[expect(clippy::cast_precision_loss, reason = "bodies have few joints")]
        let mean = total / self.extents.len().max(1) as f64;
        // A body of zero length only turns in place, so its size does not matter.
        let least = if mean > 0.0 { LEAST_LENGTH * mean } else { 1.0 };
        self.all.clear();
        for (segment, &(sum, count, length)) in segments.all.iter().zip(&self.extents) {
            let (local_centre, radius) = (sum / count, GYRATION * length.max(least));
            self.all.push(RigidSegment {
                centre: segment.point(local_centre),
                local_centre,
                rotation: segment.rotation,
                inverse_inertia: 1.0 / (radius * radius),
            });
        }
    }

    /// Runs sweeps over the constraints. Each sweep pulls the effectors to their goals and relaxes the joints, from the
    /// tips to the root and back. Then the joints are fitted to the segments within their limits.
    ///
    /// The segments themselves stay where the sweeps have left them, so the next iteration continues from there.
    pub(super) fn pass(&mut self, segments: &mut Segments, tree: &mut Tree, sweeps: usize, stiffness: f64) {
        let factor = OVER_RELAXATION * stiffness;
        for _ in 0..sweeps {
            for task in &tree.tasks {
                if let Some(segment) = task.joint.and_then(|j| self.all.get_mut(j)) {
                    pull(segment, tree, task);
                }
            }
            (0..self.all.len()).rev().for_each(|index| self.relax(tree, index, factor));
            (0..self.all.len()).for_each(|index| self.relax(tree, index, factor));
        }
        for (segment, rigid) in segments.all.iter_mut().zip(&self.all) {
            *segment = Segment { position: rigid.centre + rigid.arm(DVec3::ZERO), rotation: rigid.rotation };
        }
        segments.fit(tree);
    }

    /// Relaxes a joint: first turns its two segments until its rotation is within the limit, and then moves them until the joint connects
    /// them. The segment above the topmost joint is the base, which is fixed.
    fn relax(&mut self, tree: &Tree, index: usize, factor: f64) {
        let joint = &tree.joints[index];
        let mut below = self.all[index];
        let mut above = joint.parent.map(|p| self.all[p]);
        let frame = above.map_or(DQuat::IDENTITY, |a| a.rotation) * joint.fixed_rotation();
        let rotation = (frame.conjugate() * below.rotation).normalize();
        let back = (joint.allowed(rotation) * rotation.conjugate()).normalize();
        let turn = frame * rotation_vector(back) * factor;
        let share = above.map_or(0.0, |a| a.inverse_inertia);
        let total = share + below.inverse_inertia;
        below.turn(turn * (below.inverse_inertia / total));
        if let Some(above) = &mut above {
            above.turn(turn * (-share / total));
        }
        let arm = below.arm(DVec3::ZERO);
        let arm_above = above.map_or(DVec3::ZERO, |a| a.arm(tree.local(index)));
        let anchor = above.map_or(tree.local(index) + tree.root, |a| a.centre + arm_above);
        let gap = anchor - (below.centre + arm);
        if let Some(along) = gap.try_normalize() {
            let inverse_mass = |segment: &RigidSegment| segment.inverse_mass(arm_above, along);
            let inverse = below.inverse_mass(arm, along) + above.as_ref().map_or(0.0, inverse_mass);
            let impulse = gap * (factor / inverse);
            below.push(arm, impulse);
            if let Some(above) = &mut above {
                above.push(arm_above, -impulse);
            }
        }
        self.all[index] = below;
        if let Some((parent, above)) = joint.parent.zip(above) {
            self.all[parent] = above;
        }
    }
}

/// Pulls the segment of an effector to its goal. If the weight is below one, the segment moves only part of the way.
fn pull(segment: &mut RigidSegment, tree: &Tree, task: &EffectorTask) {
    if let Some(orientation) = task.nearest_orientation(segment.rotation * task.local_rotation()) {
        let wanted = orientation * task.local_rotation().conjugate();
        let weight = task.orientation_weight().min(1.0);
        segment.turn(rotation_vector((wanted * segment.rotation.conjugate()).normalize()) * weight);
    }
    if let Some((axis, at)) = task.aim {
        let now = segment.rotation * (task.local_rotation() * axis);
        let way = at - (segment.centre + segment.arm(task.local));
        segment.turn(rotation_vector(shortest_arc(now, way, DVec3::X)) * task.weight.min(1.0));
    }
    let arm = segment.arm(task.local);
    if let Some(target) = tree.nearest_target(task, segment.centre + arm) {
        let gap = target - (segment.centre + arm);
        let weight = task.position_weight().min(1.0);
        if let Some(along) = gap.try_normalize() {
            segment.push(arm, gap * (weight / segment.inverse_mass(arm, along)));
        }
    }
}
