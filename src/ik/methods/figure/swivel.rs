//! The swivel of a limb, its turn about the line to its target, within the limit of its first joint.

use std::f64::consts::PI;

use glam::{DQuat, DVec3};

use super::posed::Limits;

/// Number of intervals in which a swivel that the limit allows is searched.
const SCAN: f64 = 8.0;
/// Largest swivel for the sake of a limit, radians.
pub(super) const MAX_SWIVEL: f64 = 80.0 * PI / 180.0;
/// Cost of a swivel relative to that of exceeding the limit.
const SWIVEL_COST: f64 = 0.05;
/// A limb that exceeds its limit by more may be on the wrong side, radians.
const STUCK: f64 = 0.1;
/// Number of swivels to each side that are tried then, and the fraction of the violation that counts as much better.
const WAYS: u32 = 12;
const MUCH: f64 = 0.25;
/// The golden section.
const GOLDEN: f64 = 0.618_033_988_749_894_8;
/// A rotation that exceeds its limit by less is allowed, radians.
const ALLOWED: f64 = 1e-4;

/// The swivels to choose from, radians.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swivels {
    /// The swivel that the limb should have.
    pub(super) wanted: f64,
    /// Smallest and largest swivel.
    pub(super) range: [f64; 2],
}

/// Returns where a swivel of a drag goes if the limit keeps the limb from its target on this side: a swivel anywhere with
/// which the limb comes much nearer. `None` if the swivels nearby are about as good.
pub(super) fn way_out(
    limits: &Limits<'_>,
    (first, local): (usize, DQuat),
    (axis, swivels): (DVec3, Swivels),
) -> Option<f64> {
    let violation = |swivel: f64| limits.violation(first, turned(local, axis, swivel));
    let [min, max] = swivels.range;
    let here = violation(min).min(violation(0.0)).min(violation(max));
    if here < STUCK {
        return None;
    }
    let cost = |swivel: f64| {
        let violation = violation(swivel);
        violation * violation + (SWIVEL_COST * (swivel - swivels.wanted)).powi(2)
    };
    let mut best = (cost(0.0), 0.0);
    for step in 1..=WAYS {
        let swivel = PI * f64::from(step) / f64::from(WAYS);
        for swivel in [swivel, -swivel] {
            let cost = cost(swivel);
            if cost < best.0 {
                best = (cost, swivel);
            }
        }
    }
    (best.0 < MUCH * here * here).then_some(best.1)
}

fn turned(local: DQuat, axis: DVec3, swivel: f64) -> DQuat {
    (DQuat::from_axis_angle(axis, swivel) * local).normalize()
}

/// Returns the local rotation of the first joint after a swivel about `axis`, the line to the target in the frame above
/// the joint. It is as near to the wanted swivel as the limit allows. A large swivel for a small gain would be a jump.
pub(super) fn allowed(
    limits: &Limits<'_>,
    (first, local): (usize, DQuat),
    (axis, swivels): (DVec3, Swivels),
) -> DQuat {
    let Swivels { wanted, range: [min, max] } = swivels;
    let turned = |swivel: f64| turned(local, axis, swivel);
    let nearest = wanted.clamp(min, max);
    if limits.violation(first, turned(nearest)) <= ALLOWED {
        return turned(nearest);
    }
    let cost = |swivel: f64| {
        let violation = limits.violation(first, turned(swivel));
        violation * violation + (SWIVEL_COST * (swivel - wanted)).powi(2)
    };
    // A scan for the best interval, and golden sections in it.
    let step = (max - min) / SCAN;
    let mut best = (cost(nearest), nearest);
    let mut k = 0.0;
    while k <= SCAN {
        let swivel = min + k * step;
        let cost = cost(swivel);
        if cost < best.0 {
            best = (cost, swivel);
        }
        k += 1.0;
    }
    let (mut lo, mut hi) = ((best.1 - step).max(min), (best.1 + step).min(max));
    for _ in 0..20 {
        let (a, b) = (lo + (1.0 - GOLDEN) * (hi - lo), lo + GOLDEN * (hi - lo));
        if cost(a) < cost(b) { hi = b } else { lo = a }
    }
    limits.nearest(first, turned(0.5 * (lo + hi)))
}
