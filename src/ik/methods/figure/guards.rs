//! Limits of fixed limbs, which bound how the trunk moves.

use glam::{DQuat, DVec3};

use crate::ik::rotation::rotation_vector;

use super::State;
use super::limb::{LimbShape, Reach};
use super::trunk_tasks::{Guard, Subject};

/// Step of numeric derivatives, metres of a person.
const DIFFERENCE: f64 = 1e-4;
/// A smaller excess over a limit is a rounding error, radians.
const ROUNDING: f64 = 1e-6;
/// Limits of the ends of fixed limbs that are farther away need no attention, radians.
const GUARDED: f64 = 0.5;

impl State {
    /// Guards the last joint of a fixed limb. The limb turns about it while its first joint moves. `local` is the rotation
    /// that the last joint should have.
    pub(super) fn guard_end(&mut self, subject: &Subject<'_>, index: usize, local: DQuat) {
        let limb = &subject.figure.parts.limbs[index];
        let Some(&end) = limb.joints.last() else { return };
        let (link, posed) = (limb.joints[0], &self.posed);
        let arm = posed.positions[link] - posed.positions[end];
        let above = posed.spin_above(end);
        // The trunk cannot change a turn about the limb itself.
        let Some((axis, margin)) = margin(subject, (end, above, local), Some(arm)) else { return };
        let gradient = arm.cross(axis) / arm.cross(axis).length_squared().max(f64::MIN_POSITIVE);
        let (at, spin) = (posed.positions[link], posed.spins[0]);
        self.tasks.trunk.guards.push(Guard {
            link,
            at,
            gradient,
            carrier: 0,
            spin,
            axis: DVec3::ZERO,
            margin,
        });
    }

    /// Guards the first joint of a fixed limb, which turns while the joint moves and while the trunk turns. `spin` is the
    /// orientation that it should have.
    pub(super) fn guard_start(
        &mut self,
        subject: &Subject<'_>,
        index: usize,
        spin: DQuat,
        shape: &LimbShape<'_>,
        reach: &Reach,
    ) {
        let link = subject.figure.parts.limbs[index].joints[0];
        let posed = &self.posed;
        let (above, at) = (posed.spin_above(link), posed.positions[link]);
        let local = (above.conjugate() * spin).normalize();
        let Some((axis, margin)) = margin(subject, (link, above, local), None) else { return };
        let Some(carrier) = posed.parent(link) else { return };
        let step = DIFFERENCE * subject.weights.size;
        let turn = |direction: DVec3| {
            let moved = shape.aim(subject.stance, at + direction * step, reach.target);
            moved.map_or(0.0, |moved| rotation_vector(moved * spin.conjugate()).dot(axis) / step)
        };
        let gradient = DVec3::new(turn(DVec3::X), turn(DVec3::Y), turn(DVec3::Z));
        let spin = posed.spins[carrier];
        self.tasks.trunk.guards.push(Guard { link, at, gradient, carrier, spin, axis, margin });
    }
}

/// Returns the world axis about which a joint turns away from rest, and how far it may still turn about it, radians. The
/// margin is negative beyond the limit. `None` if the limit is far. A part of the turn about `ignored` does not count.
fn margin(
    subject: &Subject<'_>,
    (link, above, local): (usize, DQuat, DQuat),
    ignored: Option<DVec3>,
) -> Option<(DVec3, f64)> {
    let rest = subject.limits.body.links()[link].rest;
    let turned = above * rotation_vector(local * rest.conjugate());
    let along = ignored.map_or(DVec3::ZERO, |arm| turned.project_onto_normalized(arm.normalize_or_zero()));
    let (axis, angle) = ((turned - along).try_normalize()?, (turned - along).length());
    let own = above.conjugate() * axis;
    let from = if ignored.is_some() { rest } else { local };
    let start = if ignored.is_some() { angle } else { 0.0 };
    let violation = |turn: f64| {
        subject.limits.violation(link, (DQuat::from_axis_angle(own, start + turn) * from).normalize())
    };
    let here = violation(0.0);
    if here > ROUNDING {
        return Some((axis, -here));
    }
    if violation(GUARDED) <= ROUNDING {
        return None;
    }
    let (mut inside, mut outside) = (0.0, GUARDED);
    for _ in 0..12 {
        let middle = 0.5 * (inside + outside);
        if violation(middle) > ROUNDING { outside = middle } else { inside = middle }
    }
    Some((axis, inside))
}
