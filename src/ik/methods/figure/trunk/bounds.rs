//! The inequalities of the trunk: lengths of fixed limbs, guarded joints and limits of joints.

use glam::DQuat;

use crate::ik::rotation::rotation_vector;

use super::super::merit::{GUARD, HARD};
use super::super::posed::Posed;
use super::super::trunk_tasks::{Guard, Rope, Subject, TrunkTasks};
use super::Trunk;

/// Maximum number of times that violated inequalities are added to a step.
const ROUNDS: usize = 4;

impl Trunk {
    /// Adds the inequalities that the step violates, and solves again.
    pub(super) fn obey(&mut self, posed: &Posed, subject: &Subject<'_>, tasks: &TrunkTasks, damping: f64) {
        for _ in 0..ROUNDS {
            let mut violated = false;
            for (index, rope) in tasks.ropes.iter().enumerate().filter(|(_, r)| r.pull.is_none()) {
                violated |= self.obey_rope(posed, subject, (rope, self.bends[index]));
            }
            for guard in &tasks.guards {
                violated |= self.obey_guard(posed, guard);
            }
            for &link in &tasks.joints {
                violated |= self.obey_limit(posed, subject, link);
            }
            if !violated {
                return;
            }
            self.normal.solve(damping);
        }
    }

    fn obey_rope(&mut self, posed: &Posed, subject: &Subject<'_>, (rope, bend): (&Rope, f64)) -> bool {
        let at = posed.positions[rope.link];
        let after = at + self.displacement(posed, rope.link, at) - rope.target;
        let [min, max] = rope.range;
        let distance = after.length() + bend;
        let bound = distance.clamp(min, max);
        let tolerance = 1e-7 * subject.weights.size;
        let Some(direction) = after.try_normalize().filter(|_| (distance - bound).abs() > tolerance) else {
            return false;
        };
        // A plane that touches the sphere where the step leaves it.
        let missing = (at - rope.target).dot(direction) + bend - bound;
        self.point_row(posed, rope.link, at, direction);
        self.normal.add_row(missing, HARD / subject.weights.size, 1.0);
        true
    }

    /// Adds to the current row how a guarded joint turns towards its limit.
    pub(super) fn guard_row(&mut self, posed: &Posed, guard: &Guard) {
        self.point_row(posed, guard.link, posed.positions[guard.link], guard.gradient);
        self.turn_row(posed, guard.carrier, -guard.axis);
    }

    fn obey_guard(&mut self, posed: &Posed, guard: &Guard) -> bool {
        self.guard_row(posed, guard);
        let now = guard.excess(posed);
        let is_violated = now + self.normal.predicted() > 1e-6;
        // A row of weight zero only clears it.
        self.normal.add_row(now, if is_violated { GUARD } else { 0.0 }, 1.0);
        is_violated
    }

    fn obey_limit(&mut self, posed: &Posed, subject: &Subject<'_>, link: usize) -> bool {
        let turn = self.turn(link);
        let above = posed.spin_above(link);
        let after = DQuat::from_scaled_axis(above.conjugate() * turn) * posed.locals[link];
        let allowed = subject.limits.nearest(link, after);
        let excess = above * rotation_vector(after * allowed.conjugate());
        let Some(axis) = excess.try_normalize().filter(|_| excess.length() > 1e-6) else { return false };
        let Some(column) = self.column[link] else { return false };
        (0..3).for_each(|i| self.normal.row[column + i] = axis[i]);
        self.normal.add_row(excess.length() - axis.dot(turn), HARD, 1.0);
        true
    }
}
