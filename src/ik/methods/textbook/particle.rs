//! Particle inverse kinematics as listed in TMPS 2009, "CCD-IK and Particle-IK", figures 5 and 6.

use glam::{DQuat, DVec3};

use crate::tree::Tree;

use super::child_local;

/// Turns up to this angle, in radians, are skipped.
const SKIPPED: f64 = 1e-5;

/// The particles of a chain, from the end to the first joint after the root, and the springs between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Particles {
    /// Positions in base space. The root is not among them, because it never moves.
    positions: Vec<DVec3>,
    /// Length of the spring from each particle to the next one, and from the last one to the root.
    lengths: Vec<f64>,
    root: DVec3,
}

/// A move of particles, in base space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    /// Index of the joint at the upper end of the spring, or of the last joint if the end is pulled to its target.
    pub(crate) joint: usize,
    /// Whether a spring is relaxed. Otherwise the end is pulled to its target.
    pub(crate) is_spring: bool,
    /// Displacement of the lower particle. The upper particle moves by the same distance in the opposite direction,
    /// unless it is the root.
    pub(crate) moved: DVec3,
    /// Positions of the lower and the upper particle after the move.
    pub(crate) points: [DVec3; 2],
    /// Position of the end's particle after the move.
    pub(crate) end: DVec3,
}

impl Particles {
    /// Places a particle at the end and at each joint except the root.
    pub(crate) fn set(&mut self, tree: &Tree) {
        let end = tree.tasks.first().map(|task| task.position);
        self.positions.clear();
        self.positions.extend(end.into_iter().chain(tree.joints.iter().skip(1).rev().map(|j| j.position)));
        self.root = tree.joints.first().map_or(DVec3::ZERO, |joint| joint.position);
        self.lengths.clear();
        let above = self.positions.iter().skip(1).chain([&self.root]);
        self.lengths.extend(self.positions.iter().zip(above).map(|(lower, upper)| lower.distance(*upper)));
    }

    /// Runs one iteration: the end moves to the target, each spring moves both of its ends by half of its error, and
    /// the spring at the root moves only its lower end. `note` is called for each move.
    pub(crate) fn pass(&mut self, target: DVec3, mut note: impl FnMut(Move)) {
        let count = self.positions.len();
        let Some(end) = self.positions.first_mut() else { return };
        let moved = target - *end;
        *end += moved;
        let above = self.positions.get(1).copied().unwrap_or(self.root);
        note(Move { joint: count - 1, is_spring: false, moved, points: [target, above], end: target });
        for (particle, &length) in self.lengths.iter().enumerate() {
            let upper = self.positions.get(particle + 1).copied();
            let Some(&lower) = self.positions.get(particle) else { return };
            let spring = upper.unwrap_or(self.root) - lower;
            let now = spring.length();
            // A spring of zero length has no direction.
            if now == 0.0 {
                continue;
            }
            let moved = match upper {
                Some(_) => spring * (0.5 - 0.5 * length / now),
                None => spring * (1.0 - length / now),
            };
            let points = [lower + moved, upper.map_or(self.root, |upper| upper - moved)];
            for (place, point) in self.positions.iter_mut().skip(particle).zip(points) {
                *place = point;
            }
            let end = self.positions.first().copied().unwrap_or(target);
            note(Move { joint: count - 1 - particle, is_spring: true, moved, points, end });
        }
    }

    /// Turns the joint at `index`, from its rest rotation, so that its link points from the joint's current position to
    /// the next particle. The joint's ancestors have already been turned.
    pub(crate) fn fit(&self, tree: &mut Tree, index: usize) {
        let local = child_local(tree, index);
        let below = tree.joints.len().checked_sub(index + 1).and_then(|place| self.positions.get(place));
        let Some((joint, &particle)) = tree.joints.get(index).zip(below) else { return };
        let to = tree.to_frame(joint, particle - joint.position).try_normalize();
        let at_rest = (joint.rest * joint.rotation.conjugate() * joint.turn(local)).try_normalize();
        let Some((from, to)) = at_rest.zip(to) else { return };
        let angle = from.dot(to).clamp(-1.0, 1.0).acos();
        let Some(axis) = from.cross(to).try_normalize().filter(|_| angle > SKIPPED) else { return };
        let rotation = joint.allowed((DQuat::from_axis_angle(axis, angle) * joint.rest).normalize());
        if let Some(joint) = tree.joints.get_mut(index) {
            joint.rotation = rotation;
        }
        tree.forward();
    }
}
