//! Hands and feet that would pass through the floor.

use glam::{DQuat, DVec3};

use crate::ik::limit::{angle_between, swing_twist};

use super::limb::Pace;
use super::posed::Posed;
use super::trunk_tasks::Subject;
use super::{State, hang};

/// Maximum number of turns of the end of a limb.
const MAX_TURNS: usize = 6;
/// Largest twist of a hand about its forearm, radians, and number of twists tried in each direction.
const MAX_TWIST: f64 = 1.2;
const TWISTS: u32 = 6;
/// Cost of the square of a twist, as a fraction of the length of the hand.
const TWIST_COST: f64 = 0.05;
/// Cost of the square of a change of the twist in a drag. Without it, a hand would waver between two twists.
const CHANGE_COST: f64 = 0.1;
/// A hand begins to twist when it is this many of its lengths above the floor.
const NEAR: f64 = 1.8;
/// Maximum number of turns of fingers or toes.
const MAX_DIGIT_TURNS: usize = 10;

/// Largest turn that the floor gives a hand, a finger, a foot or a toe in a step of a slow drag, radians.
const MAX_LIFT: f64 = 0.13;
/// Largest distance by which a hand or a foot stays above its target so that its digits stay above the floor, metres of a
/// person.
const MAX_RAISE: f64 = 0.019;

impl State {
    /// Lifts hands and feet whose fingers or toes would pass through the floor. What their joints cannot do, the limb does.
    pub(super) fn avoid_floor(&mut self, subject: &Subject<'_>, pace: Option<&Pace>) {
        for index in 0..subject.figure.parts.limbs.len() {
            let Some(fixed) = self.tasks.limbs[index].map(|task| task.reach.fixed) else {
                self.raise(subject, index, pace);
                continue;
            };
            let depth = self.lift(subject, index, pace);
            let raised = depth.min(MAX_RAISE * subject.weights.size);
            if let Some(task) = self.tasks.limbs[index].as_mut().filter(|_| raised > 0.0 && !fixed) {
                task.reach.target.y += raised;
                self.pose_limb(subject, index, pace);
                self.lift(subject, index, pace);
            }
        }
    }

    /// Raises a limb that does nothing above the floor.
    fn raise(&mut self, subject: &Subject<'_>, index: usize, pace: Option<&Pace>) {
        raise(&mut self.posed, subject, index);
        if let Some(pace) = pace {
            let first = subject.figure.parts.limbs[index].joints[0];
            self.slow(subject, index, (first, hang::MAX_TURN * pace.speed));
        }
    }

    /// Lifts the end of a limb and its fingers or toes above the floor. Returns how deep the lowest of them still is.
    fn lift(&mut self, subject: &Subject<'_>, index: usize, pace: Option<&Pace>) -> f64 {
        if self.tasks.limbs[index].is_some_and(|t| t.orientation.is_some()) {
            return 0.0;
        }
        lift(&mut self.posed, subject, index, pace.map(|_| &self.previous[..]));
        if let Some(pace) = pace {
            self.slow_digits(subject, index, MAX_LIFT * pace.speed);
        }
        depth(&self.posed, subject, index)
    }

    /// Limits how far the floor turns the end of a limb and its fingers or toes in a step.
    fn slow_digits(&mut self, subject: &Subject<'_>, index: usize, max: f64) {
        let limb = &subject.figure.parts.limbs[index];
        for &link in limb.joints.last().into_iter().chain(&limb.digits) {
            self.slow(subject, index, (link, max));
        }
    }

    /// Limits how far a joint of a limb turns in a step.
    fn slow(&mut self, subject: &Subject<'_>, index: usize, (link, max): (usize, f64)) {
        let Self { posed, previous, .. } = self;
        posed.locals[link] = subject.limits.slowed(link, (previous[link], posed.locals[link]), max);
        subject.figure.below[index].iter().for_each(|&link| posed.forward_link(link));
    }
}

/// Turns the end of a limb, and then its toes or fingers, so that they stay above the floor, as far as their limits
/// allow.
fn lift(posed: &mut Posed, subject: &Subject<'_>, index: usize, previous: Option<&[DQuat]>) {
    let limb = &subject.figure.parts.limbs[index];
    let (Some(floor), Some(&end)) = (subject.floor, limb.joints.last()) else { return };
    let lowest = |posed: &Posed| lowest(posed, &limb.digits).filter(|(p, _)| p.y < floor);
    let last = previous.map(|locals| locals[end]);
    let local = twisted(posed, subject, (index, end), (floor, last));
    lift_end(posed, subject, (index, end), (local, floor));
    for _ in 0..MAX_DIGIT_TURNS {
        let Some((point, digit)) = lowest(posed) else { return };
        let first = posed.up(digit).skip(1).take_while(|&l| l != end).last();
        if !first.is_some_and(|joint| turn(posed, subject, (index, joint), point, floor)) {
            break;
        }
    }
}

/// Returns how deep the lowest finger or toe of a limb is under the floor, metres.
fn depth(posed: &Posed, subject: &Subject<'_>, index: usize) -> f64 {
    let lowest = lowest(posed, &subject.figure.parts.limbs[index].digits);
    subject.floor.zip(lowest).map_or(0.0, |(floor, (point, _))| (floor - point.y).max(0.0))
}

/// Turns a limb that does nothing at its first joint, so that its end and its fingers stay above the floor.
fn raise(posed: &mut Posed, subject: &Subject<'_>, index: usize) {
    let limb = &subject.figure.parts.limbs[index];
    let Some(floor) = subject.floor else { return };
    for _ in 0..MAX_TURNS {
        let ends = limb.digits.iter().chain(&limb.joints);
        let Some((point, _)) = lowest(posed, ends).filter(|(p, _)| p.y < floor) else { return };
        turn(posed, subject, (index, limb.joints[0]), point, floor);
    }
}

/// Returns the lowest of some links.
fn lowest<'a>(posed: &Posed, links: impl IntoIterator<Item = &'a usize>) -> Option<(DVec3, usize)> {
    links.into_iter().map(|&d| (posed.positions[d], d)).min_by(|a, b| a.0.y.total_cmp(&b.0.y))
}

/// Turns the end of a limb so that its digits stay above a height, from a given rotation. Returns how deep the lowest
/// of them still is.
fn lift_end(
    posed: &mut Posed,
    subject: &Subject<'_>,
    (limb, end): (usize, usize),
    (local, height): (DQuat, f64),
) -> f64 {
    let digits = &subject.figure.parts.limbs[limb].digits;
    posed.locals[end] = subject.limits.nearest(end, local.normalize());
    subject.figure.below[limb].iter().for_each(|&link| posed.forward_link(link));
    // Each turn lifts the lowest digit. Another one may then be the lowest.
    for _ in 0..MAX_TURNS {
        let Some((point, _)) = lowest(posed, digits).filter(|(p, _)| p.y < height) else { return 0.0 };
        turn(posed, subject, (limb, end), point, height);
    }
    lowest(posed, digits).map_or(0.0, |(point, _)| (height - point.y).max(0.0))
}

/// Returns the local rotation of a hand that comes near the floor. The hand twists about its forearm so that it bends in the
/// direction in which it bends farthest.
fn twisted(
    posed: &mut Posed,
    subject: &Subject<'_>,
    (limb, end): (usize, usize),
    (floor, last): (f64, Option<DQuat>),
) -> DQuat {
    let start = posed.locals[end];
    let parts = &subject.figure.parts.limbs[limb];
    let at = posed.positions[end];
    let length = parts.digits.iter().map(|&d| posed.positions[d].distance(at)).fold(0.0, f64::max);
    let near = ((NEAR * length - (at.y - floor)) / ((NEAR - 1.0) * length)).clamp(0.0, 1.0);
    let Some(parent) = posed.parent(end).filter(|_| parts.is_arm && near > 0.0) else { return start };
    let bone = posed.spin_above(end).conjugate() * (at - posed.positions[parent]);
    let bone = bone.normalize_or(DVec3::Y);
    let local = |twist: f64| DQuat::from_axis_angle(bone, twist) * start;
    let last = last.map(|last| swing_twist(last * start.conjugate(), bone).1 / near);
    let mut cost = |twist: f64| {
        // A flat hand at the height of its wrist.
        let depth = lift_end(posed, subject, (limb, end), (local(twist), at.y));
        let change = last.map_or(0.0, |last| (twist - last).clamp(-MAX_TWIST, MAX_TWIST));
        depth / length.max(f64::MIN_POSITIVE) + TWIST_COST * twist * twist + CHANGE_COST * change * change
    };
    let mut best = (cost(0.0), 0.0);
    for step in 1..=TWISTS {
        for twist in [f64::from(step), -f64::from(step)] {
            let twist = twist * MAX_TWIST / f64::from(TWISTS);
            let cost = cost(twist);
            if cost < best.0 {
                best = (cost, twist);
            }
        }
    }
    local(near * best.1)
}

/// Turns a joint so that a point below it comes up to a height. Returns whether the joint has turned.
fn turn(
    posed: &mut Posed,
    subject: &Subject<'_>,
    (limb, joint): (usize, usize),
    point: DVec3,
    height: f64,
) -> bool {
    let Some(turn) = lifting(posed.positions[joint], point, height) else { return false };
    let before = posed.locals[joint];
    let local = (posed.spin_above(joint).conjugate() * turn * posed.spins[joint]).normalize();
    posed.locals[joint] = subject.limits.nearest(joint, local);
    subject.figure.below[limb].iter().for_each(|&link| posed.forward_link(link));
    angle_between(before, posed.locals[joint]) > 1e-3
}

/// Returns the turn about a pivot that lifts a point to a height.
fn lifting(pivot: DVec3, point: DVec3, height: f64) -> Option<DQuat> {
    let arm = point - pivot;
    let length = arm.length();
    let axis = arm.cross(DVec3::Y).try_normalize()?;
    let angle = |rise: f64| (rise / length).clamp(-1.0, 1.0).asin();
    Some(DQuat::from_axis_angle(axis, angle(height - pivot.y) - angle(arm.y)))
}
