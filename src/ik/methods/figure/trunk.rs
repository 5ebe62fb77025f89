//! The trunk of a figure: hips, back, collars, and the neck if the head is pulled. Limbs are ropes between their ends.
//!
//! A Gauss-Newton method on the position of the hips and the rotations of the joints. Priorities are weights that differ
//! by orders of magnitude. Limits of joints and lengths of fixed limbs are inequalities, which are added as equations
//! where a step would violate them.

mod bounds;

use glam::{DQuat, DVec3};

use crate::ik::limit::angle_between;
use crate::ik::rotation::rotation_vector;

use super::merit::{HARD, NEAR_LIMIT, masses, merit, own_turn, softplus, unbalanced};
use super::normal::Normal;
use super::posed::Posed;
use super::trunk_tasks::{Budget, Rope, Subject, TrunkTasks};

/// Fraction of the largest turn at which a joint is held.
const FROZEN: f64 = 0.9;
/// An iteration that reduces the merit by a smaller fraction is the last one.
const GAIN: f64 = 1e-3;
/// Maximum number of times that a step is tried with more damping.
const TRIES: usize = 6;
const DAMPING_FACTOR: f64 = 8.0;
/// Maximum turn of a joint in one step, radians.
const MAX_TURN: f64 = 0.35;
/// A step that turns and moves by less ends the iteration, radians and metres of a person.
const CONVERGED: f64 = 2e-6;

/// The solver of the trunk.
#[derive(Clone, Debug, Default)]
pub(super) struct Trunk {
    /// The unknowns are the displacement of the hips as a multiple of the size, and the turns of the joints.
    normal: Normal,
    size: f64,
    /// For each link, the first of its three unknowns.
    column: Vec<Option<usize>>,
    /// The local rotations after a step.
    trial: Vec<DQuat>,
    /// The local rotations before a step, hips first, and the position of the hips.
    before: Vec<DQuat>,
    base: DVec3,
    /// See [`Trunk::begin`].
    start: Vec<DQuat>,
    start_position: DVec3,
    /// For each rope, its length after the last step by its linear equation, metres.
    lengths: Vec<f64>,
    /// For each rope, how much longer it was after the last step than its linear equation said, metres.
    bends: Vec<f64>,
}

impl Trunk {
    /// Turns and moves the trunk. Returns the number of iterations.
    pub(super) fn solve(
        &mut self,
        posed: &mut Posed,
        subject: &Subject<'_>,
        tasks: &TrunkTasks,
        (iterations, budget): (usize, Budget),
    ) -> usize {
        self.size = subject.weights.size;
        self.column.clear();
        self.column.resize(posed.len(), None);
        self.column[0] = Some(3);
        for (index, &link) in tasks.joints.iter().enumerate() {
            self.column[link] = Some(6 + 3 * index);
        }
        let unknowns = 6 + 3 * tasks.joints.len();
        let mut best = merit(posed, subject, tasks);
        let mut damping = subject.weights.motion;
        for iteration in 0..iterations {
            self.normal.start(unknowns);
            self.add_posture(posed, subject, tasks);
            self.add_tasks(posed, subject, tasks);
            self.freeze(posed, tasks, budget);
            self.normal.save();
            self.keep(posed, tasks);
            self.bends.clear();
            self.bends.resize(tasks.ropes.len(), 0.0);
            let (mut tries, mut corrected) = (0, false);
            let gained;
            let step = loop {
                self.normal.solve(damping);
                self.obey(posed, subject, tasks, damping);
                let step = self.apply(posed, subject, tasks, budget);
                let after = merit(posed, subject, tasks);
                if after <= best || step < CONVERGED {
                    gained = best - after;
                    best = after;
                    break step;
                }
                self.measure_bends(posed, tasks);
                self.put_back(posed, subject, tasks);
                self.normal.restore();
                // A step along taut ropes leaves their spheres. Once corrected, a long one may do.
                corrected = !corrected && tasks.ropes.iter().any(|rope| rope.pull.is_none());
                if corrected {
                    continue;
                }
                self.bends.fill(0.0);
                tries += 1;
                if tries == TRIES {
                    return iteration + 1;
                }
                damping *= DAMPING_FACTOR;
            };
            if step < CONVERGED || gained < GAIN * best {
                return iteration + 1;
            }
            if tries == 0 {
                damping = (damping / DAMPING_FACTOR).max(subject.weights.motion);
            }
        }
        iterations
    }

    /// Notes the pose from which the turns of the joints count.
    pub(super) fn begin(&mut self, posed: &Posed) {
        self.start.clone_from(&posed.locals);
        self.start_position = posed.positions[0];
    }

    /// Returns the angle by which a joint has turned since the beginning, radians.
    fn turned(&self, posed: &Posed, link: usize) -> f64 {
        self.start.get(link).map_or(0.0, |start| angle_between(*start, posed.locals[link]))
    }

    /// Holds joints that have turned by nearly as much as they may.
    fn freeze(&mut self, posed: &Posed, tasks: &TrunkTasks, budget: Budget) {
        if posed.positions[0].distance(self.start_position) > FROZEN * budget.distance {
            (0..3).for_each(|axis| self.normal.add_unknown(axis, 0.0, HARD));
        }
        for link in std::iter::once(0).chain(tasks.joints.iter().copied()) {
            let is_spent = self.turned(posed, link) > FROZEN * budget.turn;
            if let Some(column) = self.column[link].filter(|_| is_spent) {
                (0..3).for_each(|axis| self.normal.add_unknown(column + axis, 0.0, HARD));
            }
        }
    }

    /// Stores the pose before a step.
    fn keep(&mut self, posed: &Posed, tasks: &TrunkTasks) {
        self.before.clear();
        self.before.push(posed.locals[0]);
        self.before.extend(tasks.joints.iter().map(|&link| posed.locals[link]));
        self.base = posed.positions[0];
    }

    /// Notes how much longer ropes are after a step than their linear equations say, the second-order correction of
    /// Nocedal & Wright 2006 (18.36). Without it, only tiny steps along taut ropes reduce the merit (Maratos 1978).
    fn measure_bends(&mut self, posed: &Posed, tasks: &TrunkTasks) {
        for (bend, (rope, linear)) in self.bends.iter_mut().zip(tasks.ropes.iter().zip(&self.lengths)) {
            *bend = posed.positions[rope.link].distance(rope.target) - linear;
        }
    }

    /// Undoes a step.
    fn put_back(&self, posed: &mut Posed, subject: &Subject<'_>, tasks: &TrunkTasks) {
        let links = std::iter::once(0).chain(tasks.joints.iter().copied());
        links.zip(&self.before).for_each(|(link, local)| posed.locals[link] = *local);
        posed.positions[0] = self.base;
        subject.figure.trunk.iter().for_each(|&link| posed.forward_link(link));
    }

    /// Nearness to the stance, uprightness and balance.
    fn add_posture(&mut self, posed: &Posed, subject: &Subject<'_>, tasks: &TrunkTasks) {
        let Subject { figure, stance, weights, .. } = *subject;
        let moved = (posed.positions[0] - stance.positions[0]) / weights.size;
        let hips = [weights.hips_sideways, weights.hips_height, weights.hips_sideways];
        for axis in 0..3 {
            self.normal.add_unknown(axis, moved[axis], hips[axis]);
        }
        let turn = |link: usize| rotation_vector(posed.spins[link] * stance.spins[link].conjugate());
        for (axis, weight) in subject.axes.into_iter().zip(weights.hips_turn.to_array()) {
            self.turn_row(posed, 0, axis);
            self.normal.add_row(turn(0).dot(axis), weight, 1.0);
        }
        for &link in &tasks.joints {
            let Some(column) = self.column[link] else { continue };
            let own = own_turn(posed, stance, link);
            // The axes of the joint, which the trunk carries.
            let carried = posed.spin_above(link) * stance.spin_above(link).conjugate();
            for (axis, weight) in subject.axes.into_iter().zip(weights.of(figure.roles[link]).to_array()) {
                let now = carried * axis;
                (0..3).for_each(|i| self.normal.row[column + i] = now[i]);
                self.normal.add_row(own.dot(axis), weight, 1.0);
            }
        }
        let chest = figure.chest();
        if chest != 0 {
            for (axis, weight) in subject.axes.into_iter().zip(weights.chest_turn.to_array()) {
                self.turn_row(posed, chest, axis);
                self.normal.add_row(turn(chest).dot(axis), weight, 1.0);
            }
        }
        self.add_balance(posed, subject, tasks);
    }

    /// The middle of the trunk stays over the ground on which the figure stands.
    fn add_balance(&mut self, posed: &Posed, subject: &Subject<'_>, tasks: &TrunkTasks) {
        let Subject { figure, weights, .. } = *subject;
        if weights.balance == 0.0 {
            return;
        }
        let unbalanced = unbalanced(posed, subject, tasks);
        for (axis, (excess, slope)) in [DVec3::X, DVec3::Z].into_iter().zip(unbalanced) {
            if slope == 0.0 {
                continue;
            }
            for (link, mass) in masses(figure) {
                self.point_row(posed, link, posed.positions[link], axis * mass * slope);
            }
            // The second derivative of an eased square.
            let curvature = if slope < 1.0 { 1.5 } else { 1.0 };
            self.normal.add_row(excess, weights.balance / weights.size, curvature);
        }
    }

    /// Adds to the current row how a point of a link moves along a direction.
    fn point_row(&mut self, posed: &Posed, link: usize, point: DVec3, direction: DVec3) {
        let row = &mut self.normal.row;
        (0..3).for_each(|axis| row[axis] += direction[axis] * self.size);
        for joint in posed.up(link) {
            if let Some(column) = self.column[joint] {
                let lever = (point - posed.positions[joint]).cross(direction);
                (0..3).for_each(|axis| row[column + axis] += lever[axis]);
            }
        }
    }

    /// Adds to the current row how a link turns about a world axis.
    fn turn_row(&mut self, posed: &Posed, link: usize, axis: DVec3) {
        for joint in posed.up(link) {
            if let Some(column) = self.column[joint] {
                (0..3).for_each(|i| self.normal.row[column + i] += axis[i]);
            }
        }
    }

    fn add_tasks(&mut self, posed: &Posed, subject: &Subject<'_>, tasks: &TrunkTasks) {
        let size = subject.weights.size;
        for task in &tasks.points {
            let at = posed.point(task.link, task.offset);
            // A far target must not outweigh what has priority.
            let missing = (at - task.target).clamp_length_max(subject.weights.max_pull * size);
            let axes =
                task.along.map_or([DVec3::X, DVec3::Y, DVec3::Z], |along| [along, DVec3::ZERO, DVec3::ZERO]);
            for axis in axes.into_iter().filter(|a| *a != DVec3::ZERO) {
                self.point_row(posed, task.link, at, axis);
                self.normal.add_row(missing.dot(axis), task.weight / size, 1.0);
            }
        }
        for task in &tasks.turns {
            let turned = rotation_vector(posed.spins[task.link] * task.target.conjugate());
            for axis in DVec3::AXES {
                self.turn_row(posed, task.link, axis);
                self.normal.add_row(turned.dot(axis), task.weight, 1.0);
            }
        }
        for rope in &tasks.ropes {
            let Some(weight) = rope.pull else { continue };
            self.add_pull(posed, subject, rope, weight);
        }
        for guard in &tasks.guards {
            let near = guard.excess(posed) + NEAR_LIMIT;
            if near > 0.0 {
                self.guard_row(posed, guard);
                self.normal.add_row(near, subject.weights.near_limit, 1.0);
            }
        }
    }

    /// A limb that pulls: almost nothing while it can reach, and more and more while it stretches or folds.
    fn add_pull(&mut self, posed: &Posed, subject: &Subject<'_>, rope: &Rope, weight: f64) {
        let size = subject.weights.size;
        let [min, max] = rope.range;
        let at = posed.positions[rope.link];
        let Some(direction) = (at - rope.target).try_normalize() else { return };
        let distance = at.distance(rope.target);
        let width = (subject.weights.softness * max).max(1e-9);
        let (value, slope) = softplus((distance - max - rope.slack) / width);
        let value = (value * width).min(subject.weights.max_pull * size);
        if value * weight > 1e-9 {
            // The second derivative of a squared softplus. Without it, the steps would oscillate.
            let curvature = 1.0 + value * (1.0 - slope) / (width * slope);
            self.point_row(posed, rope.link, at, direction * slope);
            self.normal.add_row(value, weight / size, curvature);
        }
        if distance < min {
            self.point_row(posed, rope.link, at, direction);
            self.normal.add_row(distance - min, weight / size, 1.0);
        }
    }

    /// Returns the displacement of a point of a link in the current step.
    fn displacement(&self, posed: &Posed, link: usize, point: DVec3) -> DVec3 {
        let x = &self.normal.x;
        let vector = |column: usize| DVec3::new(x[column], x[column + 1], x[column + 2]);
        let turned = posed.up(link).filter_map(|joint| {
            let column = self.column[joint]?;
            Some(vector(column).cross(point - posed.positions[joint]))
        });
        vector(0) * self.size + turned.sum::<DVec3>()
    }

    /// Returns the turn of a joint in the current step.
    fn turn(&self, link: usize) -> DVec3 {
        let x = &self.normal.x;
        self.column[link].map_or(DVec3::ZERO, |c| DVec3::new(x[c], x[c + 1], x[c + 2]))
    }

    /// Applies the step, or the part of it with which no joint turns by more than `budget` since the beginning. Returns
    /// its size.
    fn apply(&mut self, posed: &mut Posed, subject: &Subject<'_>, tasks: &TrunkTasks, budget: Budget) -> f64 {
        let turns = tasks.joints.iter().map(|&l| self.turn(l).length()).fold(0.0, f64::max);
        let turns = turns.max(self.turn(0).length());
        let x = &self.normal.x;
        let moved = DVec3::new(x[0], x[1], x[2]) * self.size;
        let size = turns.max(moved.length() / subject.weights.size);
        let mut scale = if size > MAX_TURN { MAX_TURN / size } else { 1.0 };
        for link in std::iter::once(0).chain(tasks.joints.iter().copied()) {
            let left = budget.turn - self.turned(posed, link);
            let turn = self.turn(link).length();
            if left > 0.0 && turn * scale > left {
                scale = left / turn;
            }
        }
        let left = budget.distance - posed.positions[0].distance(self.start_position);
        if left > 0.0 && moved.length() * scale > left {
            scale = left / moved.length();
        }
        self.lengths.clear();
        for rope in &tasks.ropes {
            let at = posed.positions[rope.link];
            let after = at + self.displacement(posed, rope.link, at) * scale;
            self.lengths.push(after.distance(rope.target));
        }
        self.trial.clear();
        for &link in &tasks.joints {
            let turn = posed.spin_above(link).conjugate() * self.turn(link) * scale;
            let turned = (DQuat::from_scaled_axis(turn) * posed.locals[link]).normalize();
            self.trial.push(subject.limits.nearest(link, turned));
        }
        let turn = posed.spin_above(0).conjugate() * self.turn(0) * scale;
        posed.locals[0] = (DQuat::from_scaled_axis(turn) * posed.locals[0]).normalize();
        posed.positions[0] += moved * scale;
        for (&link, local) in tasks.joints.iter().zip(&self.trial) {
            posed.locals[link] = *local;
        }
        subject.figure.trunk.iter().for_each(|&link| posed.forward_link(link));
        size
    }
}
