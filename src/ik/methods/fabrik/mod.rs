//! Forward and backward reaching: Aristidou & Lasenby 2011, "FABRIK: a fast, iterative solver for the inverse kinematics problem",
//! algorithm 1 and section 3.2 (several end effectors); and Aristidou, Chrysanthou & Lasenby 2016, "Extending FABRIK with model
//! constraints".

mod backward;

use glam::DVec3;

use crate::FabrikOptions;
use crate::tree::Tree;

use super::particle::Particles;
use super::two_bone::swing;
use backward::Proposals;

/// The state of forward and backward reaching. Buffers are reused by later iterations.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fabrik {
    /// For each particle, the sum and the number of the positions that the particles below it propose.
    proposals: Vec<(DVec3, f64)>,
    segments: Proposals,
}

impl Fabrik {
    /// Runs one iteration. Each sweep first visits the joints from the effectors to the base. A joint moves onto the
    /// line from its child to its old position, one link length away from the child. A joint with several children (a
    /// sub-base) moves to the mean of the positions that they propose. The sweep then visits the joints from the base
    /// to the effectors in the same way. At the end the joints are fitted to the points.
    ///
    /// If there are limits or orientation goals, the links are rigid segments ([`Segments`](super::segments::Segments))
    /// with an orientation, and both directions of a sweep respect the limits. For free joints the points move in the
    /// same way as without segments.
    pub(crate) fn pass(&mut self, particles: &mut Particles, tree: &mut Tree, options: &FabrikOptions) {
        if let Some(segments) = particles.segments() {
            segments.move_to_pose(tree);
            for _ in 0..options.sweeps.max(1) {
                self.segments.sweep(segments, tree);
                segments.fit(tree);
            }
            return;
        }
        particles.start_iteration(tree);
        for _ in 0..options.sweeps.max(1) {
            self.backward(particles, tree);
            forward(particles);
        }
        particles.fit(tree);
    }

    /// Sweeps from the effectors to the base.
    fn backward(&mut self, particles: &mut Particles, tree: &Tree) {
        self.proposals.clear();
        self.proposals.resize(particles.positions.len(), (DVec3::ZERO, 0.0));
        for (task, &particle) in tree.tasks.iter().zip(&particles.tasks) {
            let here = particles.positions[particle];
            let target = tree.nearest_target(task, here);
            let there = target.map_or(here, |target| here.lerp(target, task.position_weight().min(1.0)));
            self.proposals[particle].0 += there;
            self.proposals[particle].1 += 1.0;
        }
        for particle in (0..particles.positions.len()).rev() {
            let Some(parent) = particles.parents[particle] else { continue };
            let (sum, number) = self.proposals[particle];
            if number > 0.0 {
                particles.positions[particle] = sum / number;
            }
            let away = point_towards(
                particles.positions[particle],
                particles.positions[parent],
                particles.lengths[particle],
            );
            self.proposals[parent].0 += away;
            self.proposals[parent].1 += 1.0;
        }
    }
}

/// Swings the whole chain about its first joint so that the end is in the direction of the target, if that brings the end nearer to the
/// target. A drag has no restarts, and within limits the sweeps alone could leave a leg far from its target.
pub(crate) fn swing_whole(tree: &mut Tree) {
    let [task] = &tree.tasks[..] else { return };
    let (Some(target), Some(rotation)) = (task.target, tree.joints.first().map(|j| j.rotation)) else {
        return;
    };
    let before = tree.measure();
    swing(tree, 0, target);
    if !tree.measure().is_better(&before) {
        tree.joints[0].rotation = rotation;
        tree.forward();
    }
}

/// Sweeps from the base, which stays in place, to the effectors.
fn forward(particles: &mut Particles) {
    for particle in 0..particles.positions.len() {
        if let Some(parent) = particles.parents[particle] {
            particles.positions[particle] = point_towards(
                particles.positions[parent],
                particles.positions[particle],
                particles.lengths[particle],
            );
        }
    }
}

/// Returns the point that is `distance` away from `from` in the direction of `to`.
fn point_towards(from: DVec3, to: DVec3, distance: f64) -> DVec3 {
    let way = to - from;
    let length = way.length();
    if length > 0.0 { from + way * (distance / length) } else { from }
}
