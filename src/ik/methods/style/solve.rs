//! Posing of a body in a learned style.

use crate::posture::align;
use crate::{Body, Goal, LinkIndex, Options};
use sinew_base::mathematics::minimise;

use super::Style;
use super::cost::{Cost, may_turn};

/// Number of searches. The searches start from the kept postures that are nearest to the goals.
const STARTS: usize = 3;
/// Maximum number of rounds that clamp joints to their limits and search again with the other joints.
const ROUNDS: usize = 3;
/// Limit violation in radians above which a joint is clamped.
const MAX_VIOLATION: f64 = 1e-6;
/// A search ends after a step that decreases the objective by less than this fraction.
const MIN_GAIN: f64 = 1e-5;

/// Poses a body in the likeliest posture near its goals and returns the number of steps. The result depends on the
/// goals and on the links that the style does not include. If the goals leave the placement of the body open, the
/// result also depends on its current placement.
///
/// Each kept posture is first rotated and shifted on the ground to match the goals, and the searches start from the
/// postures that are then nearest to the goals. A joint that ends beyond its limit is clamped to the nearest allowed
/// rotation, and the search is repeated for the other joints.
pub(super) fn pose(
    body: &mut Body,
    goals: &[Goal],
    style: &Style,
    joints: &[Option<usize>],
    options: &Options,
) -> usize {
    let moves = options.root_motion;
    let free: Vec<bool> = (0..joints.len()).map(|l| may_turn(body, l, options.limits)).collect();
    let mut cost = Cost::new(style, joints, goals, body, options, |l| free[l]);
    let mut starts: Vec<_> = (0..style.postures())
        .map(|kept| {
            cost.body.clone_from(body);
            let posture = style.posture(&style.kept_posture(kept));
            posture.apply(&mut cost.body, joints, cost.place, moves);
            let (place, _) = align(&cost.body, cost.place.heading, goals, moves);
            posture.apply(&mut cost.body, joints, place, moves);
            let far: f64 = style.latent(kept).iter().map(|x| x * x).sum();
            (cost.goals_cost() + 0.5 * far, kept, place)
        })
        .collect();
    starts.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let (mut steps, mut best) = (0, None::<(f64, Vec<f64>, Body, _)>);
    for &(_, kept, place) in starts.iter().take(STARTS) {
        cost.body.clone_from(body);
        cost.place = place;
        let mut z = cost.start(style.latent(kept));
        let found = minimise(&mut z, options.iterations, MIN_GAIN, |z, g| cost.evaluate(z, g));
        steps += found.steps;
        if found.value.is_finite() && best.as_ref().is_none_or(|b| found.value < b.0) {
            // The body is in the last pose that the search evaluated, which need not be the best.
            cost.evaluate(&z, &mut vec![0.0; z.len()]);
            best = Some((found.value, z, cost.body.clone(), place));
        }
    }
    let Some((_, mut z, found, place)) = best else { return steps };
    *body = found;
    if !options.limits {
        return steps;
    }
    let mut free = free;
    for _ in 0..ROUNDS {
        if !clamp_to_limits(body, &mut free) {
            break;
        }
        let mut constrained = Cost::new(style, joints, goals, body, options, |l| free[l]);
        constrained.place = place;
        z = constrained.start(&z[..style.dimensions()]);
        let found = minimise(&mut z, options.iterations, MIN_GAIN, |z, g| constrained.evaluate(z, g));
        steps += found.steps;
        constrained.evaluate(&z, &mut vec![0.0; z.len()]);
        *body = constrained.body;
    }
    clamp_to_limits(body, &mut free);
    steps
}

/// Clamps joints that are beyond their limits to the nearest allowed rotation. Returns whether a free joint was
/// clamped.
pub(super) fn clamp_to_limits(body: &mut Body, free: &mut [bool]) -> bool {
    let mut any = false;
    for (index, free) in free.iter_mut().enumerate().filter(|(_, free)| **free) {
        let (link, rotation) = (body.links()[index], body.rotations()[index]);
        if link.limit_violation(rotation) > MAX_VIOLATION {
            body.set_rotation(LinkIndex(index), link.nearest(rotation));
            (*free, any) = (false, true);
        }
    }
    any
}
