//! Forward and backward reaching: Aristidou & Lasenby 2011, "FABRIK: a fast, iterative solver for the inverse
//! kinematics problem", algorithm 1 and section 3.2 (several end effectors).

use glam::DVec3;

use super::particle::Particles;
use super::tree::Tree;

/// Sweeps forth and back between two fits of the joints.
const SWEEPS: usize = 2;

/// Buffers, kept from pass to pass.
#[derive(Clone, Debug, Default)]
pub(super) struct Fabrik {
    /// What the particles below say where each should be: the sum and the number.
    said: Vec<(DVec3, f64)>,
}

impl Fabrik {
    /// One pass: [`SWEEPS`] times from the tips to the base, each joint on the line from its child to where it was,
    /// a link's length away, a sub-base in the middle of what its children ask; then from the base back to the tips in
    /// the same way. Joints are then fitted to the points, each within its limit, and what limits took away is where
    /// the next pass starts from.
    pub(super) fn pass(&mut self, particles: &mut Particles, tree: &mut Tree) {
        particles.begin(tree);
        for _ in 0..SWEEPS {
            self.backward(particles, tree);
            forward(particles);
        }
        particles.fit(tree);
    }

    /// From the tips to the base.
    fn backward(&mut self, particles: &mut Particles, tree: &Tree) {
        self.said.clear();
        self.said.resize(particles.positions.len(), (DVec3::ZERO, 0.0));
        for (tip, &particle) in tree.tips.iter().zip(&particles.tips) {
            let here = particles.positions[particle];
            let there = tip.target.map_or(here, |target| here.lerp(target, tip.weight.min(1.0)));
            self.said[particle].0 += there;
            self.said[particle].1 += 1.0;
        }
        for particle in (0..particles.positions.len()).rev() {
            let Some(parent) = particles.parents[particle] else { continue };
            let (sum, number) = self.said[particle];
            if number > 0.0 {
                particles.positions[particle] = sum / number;
            }
            let away = along(
                particles.positions[particle],
                particles.positions[parent],
                particles.lengths[particle],
            );
            self.said[parent].0 += away;
            self.said[parent].1 += 1.0;
        }
    }
}

/// From the base, which has not moved, to the tips.
fn forward(particles: &mut Particles) {
    for particle in 0..particles.positions.len() {
        if let Some(parent) = particles.parents[particle] {
            particles.positions[particle] = along(
                particles.positions[parent],
                particles.positions[particle],
                particles.lengths[particle],
            );
        }
    }
}

/// The point at a distance from one point towards another.
fn along(from: DVec3, to: DVec3, distance: f64) -> DVec3 {
    let way = to - from;
    let length = way.length();
    if length > 0.0 { from + way * (distance / length) } else { from }
}
