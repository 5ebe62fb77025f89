//! The sum of squares that a step of the trunk must reduce.

use glam::DVec3;

use crate::ik::figure::Figure;
use crate::ik::rotation::rotation_vector;

use super::posed::Posed;
use super::trunk_tasks::{Subject, TrunkTasks};

/// Weight of the lengths of fixed limbs and of limits.
pub(super) const HARD: f64 = 1e4;
/// Weight of guards, which give way to the lengths of fixed limbs.
pub(super) const GUARD: f64 = 5e3;
/// A guarded joint avoids its limit when it is this near to it, radians.
pub(super) const NEAR_LIMIT: f64 = 0.4;

/// Returns the sum of squares that the steps reduce, with the violation of inequalities.
pub(super) fn merit(posed: &Posed, subject: &Subject<'_>, tasks: &TrunkTasks) -> f64 {
    let Subject { figure, stance, weights, .. } = *subject;
    let square = |v: DVec3, w: DVec3| (v * w).length_squared();
    let moved = (posed.positions[0] - stance.positions[0]) / weights.size;
    let turn = |link: usize| rotation_vector(posed.spins[link] * stance.spins[link].conjugate());
    let mut sum =
        square(moved, DVec3::new(weights.hips_sideways, weights.hips_height, weights.hips_sideways));
    sum += square(subject.along_axes(turn(0)), weights.hips_turn);
    for &link in &tasks.joints {
        sum += square(subject.along_axes(own_turn(posed, stance, link)), weights.of(figure.roles[link]));
    }
    let chest = figure.chest();
    if chest != 0 {
        sum += square(subject.along_axes(turn(chest)), weights.chest_turn);
    }
    for (excess, _) in unbalanced(posed, subject, tasks) {
        sum += (excess * weights.balance / weights.size).powi(2);
    }
    for task in &tasks.points {
        let missing = posed.point(task.link, task.offset) - task.target;
        let missing = task.along.map_or(missing, |along| along * missing.dot(along)).length();
        sum += capped(missing / weights.size, weights.max_pull) * task.weight * task.weight;
    }
    for task in &tasks.turns {
        let turned = rotation_vector(posed.spins[task.link] * task.target.conjugate());
        sum += square(turned, DVec3::splat(task.weight));
    }
    for guard in &tasks.guards {
        let excess = guard.excess(posed);
        sum += (excess.max(0.0) * GUARD).powi(2);
        sum += ((excess + NEAR_LIMIT).max(0.0) * weights.near_limit).powi(2);
    }
    for rope in &tasks.ropes {
        let distance = posed.positions[rope.link].distance(rope.target);
        let [min, max] = rope.range;
        let (value, weight) = match rope.pull {
            Some(weight) => {
                let width = (weights.softness * max).max(1e-9);
                (
                    width * softplus((distance - max - rope.slack) / width).0 + (min - distance).max(0.0),
                    weight,
                )
            }
            None => ((distance - max).max(min - distance).max(0.0), HARD),
        };
        sum += capped(value / weights.size, weights.max_pull) * weight * weight;
    }
    sum
}

/// Returns how far a joint has turned from the stance, as a rotation vector in the stance's world.
pub(super) fn own_turn(posed: &Posed, stance: &Posed, link: usize) -> DVec3 {
    let own = rotation_vector(posed.locals[link] * stance.locals[link].conjugate());
    stance.spin_above(link) * own
}

/// Returns ln(1 + eˣ) and its derivative.
pub(super) fn softplus(x: f64) -> (f64, f64) {
    if x > 30.0 {
        return (x, 1.0);
    }
    let e = x.exp();
    (e.ln_1p(), (e / (1.0 + e)).max(f64::MIN_POSITIVE))
}

/// Returns the links that stand for the mass of the trunk, with their fractions of it.
pub(super) fn masses(figure: &Figure) -> [(usize, f64); 3] {
    let chest = figure.chest();
    [(0, 0.4), (chest, 0.4), (figure.parts.neck.last().copied().unwrap_or(chest), 0.2)]
}

/// Returns the middle of the mass of the trunk.
fn middle(posed: &Posed, figure: &Figure) -> DVec3 {
    masses(figure).into_iter().map(|(link, mass)| posed.positions[link] * mass).sum()
}

/// Width over which balance begins to count, metres of a person.
const BALANCE_EASE: f64 = 0.03;

/// Returns by how much the middle of the mass has left the ground on which the figure stands, along x and z, each with its
/// derivative. A figure that stood beside it in the stance may stay there.
pub(super) fn unbalanced(posed: &Posed, subject: &Subject<'_>, tasks: &TrunkTasks) -> [(f64, f64); 2] {
    let Some([lo, hi]) = tasks.support else { return [(0.0, 0.0); 2] };
    let (now, before) = (middle(posed, subject.figure), middle(subject.stance, subject.figure));
    let ease = BALANCE_EASE * subject.weights.size;
    [0, 2].map(|axis| {
        let over = eased(now[axis] - hi[axis].max(before[axis] + ease), ease);
        let under = eased(lo[axis].min(before[axis] - ease) - now[axis], ease);
        (over.0 - under.0, over.1 + under.1)
    })
}

/// Returns x if it is positive, eased over ±`width`, and its derivative.
fn eased(x: f64, width: f64) -> (f64, f64) {
    let from = (x + width).max(0.0);
    if x > width { (x, 1.0) } else { (from * from / (4.0 * width), from / (2.0 * width)) }
}

/// Returns the square of an error, which grows only linearly beyond `cap`.
fn capped(error: f64, cap: f64) -> f64 {
    if error < cap { error * error } else { cap * (2.0 * error - cap) }
}
