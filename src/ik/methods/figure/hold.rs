//! Shortens a step of the trunk, so that the limbs whose ends are fixed keep them in place.

use glam::{DQuat, DVec3};

use crate::ik::limit::angle_between;

use super::limb::Pace;
use super::merit::merit;
use super::tasks::LimbTask;
use super::trunk_tasks::Subject;
use super::{State, budget};

/// How far the end of a fixed limb may be from its place, metres of a person, and how far it may be turned, radians.
const SLIDE: f64 = 1e-3;
const TURN: f64 = 0.02;
/// Largest turn of a joint of a fixed limb in a step of a slow drag, radians, and that of a limb that is nearly straight.
const MAX_TURN: f64 = 0.13;
const MAX_STRETCHED_TURN: f64 = 0.3;
/// A limb that is longer than this fraction of its largest length is nearly straight.
const STRETCHED: f64 = 0.985;
/// Number of bisections of a step.
const BISECTIONS: usize = 6;

/// The ends of a step of the trunk. The local rotations at its beginning are in [`State`].
#[derive(Clone, Debug, Default)]
pub(super) struct TrunkStep {
    hips: [DVec3; 2],
    after: Vec<DQuat>,
}

impl State {
    /// Notes where the hips are before a step.
    pub(super) fn begin_step(&mut self) {
        self.step.hips[0] = self.posed.positions[0];
        // The buffer grows in the first frame of a drag, not in the first step that is shortened.
        self.step.after.clone_from(&self.posed.locals);
    }

    /// Shortens a step of the trunk until all fixed limbs hold, or as well as before.
    pub(super) fn hold(&mut self, subject: &Subject<'_>, pace: Option<&Pace>) {
        let full = self.strain(subject, pace);
        if full <= 1.0 {
            return;
        }
        self.step.hips[1] = self.posed.positions[0];
        self.step.after.clone_from(&self.posed.locals);
        let none = self.strain_before(subject, pace);
        if full <= none {
            self.strain_after(subject, pace, 1.0);
            return;
        }
        if self.shorten(subject, pace, none.max(1.0)) {
            return;
        }
        self.strain_before(subject, pace);
        if self.step_back(subject, pace) && self.shorten(subject, pace, none.max(1.0)) {
            return;
        }
        self.strain_before(subject, pace);
    }

    /// Makes the largest part of the step after which the limbs hold as well as `bound`. Returns whether there is one.
    fn shorten(&mut self, subject: &Subject<'_>, pace: Option<&Pace>, bound: f64) -> bool {
        let (mut held, mut beyond) = (0.0, 1.0);
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (held + beyond);
            let holds = self.strain_after(subject, pace, middle) <= bound;
            (held, beyond) = if holds { (middle, beyond) } else { (held, middle) };
        }
        if held > 0.0 {
            self.strain_after(subject, pace, held);
        }
        held > 0.0
    }

    /// Replaces a step that no fixed limb allows by one straight back to the stance, in which all limbs hold. Otherwise,
    /// a deep crouch at the limits of the legs would never end. Returns whether that reduces the merit.
    fn step_back(&mut self, subject: &Subject<'_>, pace: Option<&Pace>) -> bool {
        let Self { posed, step, tasks, .. } = self;
        let budget = budget(subject, pace);
        let stance = subject.stance;
        let links = std::iter::once(0).chain(tasks.trunk.joints.iter().copied());
        let turns = links.clone().map(|link| angle_between(posed.locals[link], stance.locals[link]));
        let turn = turns.fold(0.0, f64::max);
        let distance = posed.positions[0].distance(stance.positions[0]);
        let fraction = (budget.turn / turn).min(budget.distance / distance).min(1.0);
        if !fraction.is_finite() {
            return false;
        }
        let before = merit(posed, subject, &tasks.trunk);
        let hips = posed.positions[0];
        step.hips[1] = hips.lerp(stance.positions[0], fraction);
        step.after.clone_from(&posed.locals);
        for link in links {
            step.after[link] = posed.locals[link].slerp(stance.locals[link], fraction).normalize();
        }
        self.strain_after(subject, pace, 1.0);
        merit(&self.posed, subject, &self.tasks.trunk) < before
    }

    /// Makes a fraction of the step and poses the limbs. Returns the strain.
    fn strain_after(&mut self, subject: &Subject<'_>, pace: Option<&Pace>, fraction: f64) -> f64 {
        let Self { posed, previous, step, tasks, .. } = self;
        let [before, after] = step.hips;
        posed.positions[0] = before.lerp(after, fraction);
        for link in std::iter::once(0).chain(tasks.trunk.joints.iter().copied()) {
            posed.locals[link] = previous[link].slerp(step.after[link], fraction).normalize();
        }
        subject.figure.trunk.iter().for_each(|&link| posed.forward_link(link));
        self.solve_limbs(subject, pace, 0);
        self.strain(subject, pace)
    }

    /// Undoes the step and poses the limbs. Fixed limbs stay as they were if they hold better so, because without a step
    /// their swivels must not creep. Returns the strain.
    fn strain_before(&mut self, subject: &Subject<'_>, pace: Option<&Pace>) -> f64 {
        let posed = self.strain_after(subject, pace, 0.0);
        if posed <= 1.0 {
            return posed;
        }
        let Self { posed: pose, previous, tasks, .. } = self;
        let limbs = subject.figure.parts.limbs.iter().zip(&subject.figure.below).zip(&tasks.limbs);
        for ((limb, below), _) in limbs.filter(|(_, task)| task.is_some_and(|t| t.holds())) {
            limb.joints.iter().for_each(|&joint| pose.locals[joint] = previous[joint]);
            below.iter().for_each(|&link| pose.forward_link(link));
        }
        let kept = self.strain(subject, pace);
        if kept <= posed { kept } else { self.strain_after(subject, pace, 0.0) }
    }

    /// Returns how badly the fixed limbs hold. Up to 1, they hold.
    fn strain(&self, subject: &Subject<'_>, pace: Option<&Pace>) -> f64 {
        let Self { posed, previous, tasks, .. } = self;
        let mut worst = 0.0_f64;
        for (limb, task) in subject.figure.parts.limbs.iter().zip(&tasks.limbs) {
            let Some(task) = task.filter(LimbTask::holds) else { continue };
            let Some(&end) = limb.joints.last() else { continue };
            let holder = limb.joints[task.reach.last];
            let slide = posed.point(holder, task.reach.point).distance(task.reach.target);
            worst = worst.max(slide / (SLIDE * subject.weights.size));
            let wanted = task.orientation.filter(|_| subject.is_pulled);
            let turn = wanted.map_or(0.0, |wanted| angle_between(posed.spins[end], wanted));
            worst = worst.max(turn / TURN);
            let Some(pace) = pace else { continue };
            let length = posed.positions[limb.joints[0]].distance(task.reach.target);
            let is_stretched = length > STRETCHED * tasks.longest(limb.joints[0]);
            let max = if is_stretched { MAX_STRETCHED_TURN } else { MAX_TURN };
            let turns = limb.joints.iter().map(|&j| angle_between(previous[j], posed.locals[j]));
            worst = worst.max(turns.fold(0.0, f64::max) / (max * pace.speed));
        }
        worst
    }
}
