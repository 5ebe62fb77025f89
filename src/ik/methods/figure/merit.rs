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

/// Returns the sum of squares that the steps reduce, with the violation of inequalities.
pub(super) fn merit(posed: &Posed, subject: &Subject<'_>, tasks: &TrunkTasks) -> f64 {
    let Subject { figure, stance, weights, .. } = *subject;
    let square = |v: DVec3, w: DVec3| (v * w).length_squared();
    let moved = (posed.positions[0] - stance.positions[0]) / weights.size;
    let turn = |link: usize| rotation_vector(posed.spins[link] * stance.spins[link].conjugate());
    let mut sum =
        square(moved, DVec3::new(weights.hips_sideways, weights.hips_height, weights.hips_sideways));
    sum += square(turn(0), DVec3::new(weights.hips_tilt, weights.hips_yaw, weights.hips_tilt));
    for &link in &tasks.joints {
        let own = rotation_vector(posed.locals[link] * stance.locals[link].conjugate());
        sum += square(own, DVec3::splat(weights.of(figure.roles[link])));
    }
    let chest = figure.chest();
    if chest != 0 {
        sum += square(turn(chest), DVec3::new(weights.chest_tilt, weights.chest_yaw, weights.chest_tilt));
    }
    sum += square(unbalanced(posed, subject, tasks), DVec3::splat(weights.balance / weights.size));
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
        sum += (guard.excess(posed).max(0.0) * GUARD).powi(2);
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

/// Returns by how much the middle of the mass has left the ground on which the figure stands. A figure that stood beside it
/// in the stance may stay there.
pub(super) fn unbalanced(posed: &Posed, subject: &Subject<'_>, tasks: &TrunkTasks) -> DVec3 {
    let Some([lo, hi]) = tasks.support else { return DVec3::ZERO };
    let (now, before) = (middle(posed, subject.figure), middle(subject.stance, subject.figure));
    (now - now.clamp(lo.min(before), hi.max(before))).with_y(0.0)
}

/// Returns the square of an error, which grows only linearly beyond `cap`.
fn capped(error: f64, cap: f64) -> f64 {
    if error < cap { error * error } else { cap * (2.0 * error - cap) }
}
