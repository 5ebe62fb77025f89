//! Whole-body inverse kinematics of a figure, in which limbs are limbs.
//!
//! The trunk comes first: hips, back, collars, and the neck if the head is pulled. Each limb is then only a rope between
//! its ends, so that a straight limb is no singularity. Then every limb is posed in closed form, and what its limits took
//! away moves the trunk once more. A step goes only as far as the limbs on the floor hold. Last come the head and what
//! must stay above the floor.
//!
//! The order of analytic and differential parts is that of Li & Peng 2013. The figure stays near its stance, the pose
//! in which a drag began, so that a pull that is undone leads back to it.

use glam::{DQuat, DVec3};

use crate::ik::figure::Part;
use crate::ik::{Body, Goal, Options, Start};

mod floor;
mod guards;
mod hang;
mod hold;
mod limb;
mod merit;
mod neck;
mod normal;
mod posed;
mod sweep;
mod swivel;
mod tasks;
mod trunk;
mod trunk_tasks;
mod weights;

use hold::TrunkStep;
use limb::{LimbShape, Pace};
use posed::{Limits, Posed};
use tasks::{LastTarget, LimbTask, Tasks};
use trunk::Trunk;
use trunk_tasks::{Budget, Subject, TrunkPoint};
use weights::Weights;

/// Distance by which targets move in one step of a solve that does not continue a drag, metres of a person.
const STEP: f64 = 0.03;
/// The same for a drag, in which the pose of the last frame is near.
const DRAG_STEP: f64 = 0.06;
const MAX_STEPS: f64 = 100.0;
/// A drag that moves its target by this distance in a step, metres of a person, is slow.
const SLOW_STEP: f64 = 0.005;
/// Largest turn of a joint of the trunk in a step of a slow drag, radians. Faster drags may turn it faster.
const SLOW_TURN: f64 = 0.1;
/// Largest displacement of the hips in such a step, metres of a person.
const SLOW_MOVE: f64 = 0.009;
/// Iterations of the trunk in a step, and in the last one.
const ITERATIONS: usize = 2;
const LAST_ITERATIONS: usize = 8;
/// Maximum number of times that the trunk makes up for the limits of limbs.
const CORRECTIONS: usize = 3;
/// A limb that misses its target by less needs no correction, metres of a person.
const MISSED: f64 = 1e-5;

/// The solver of figures, with its buffers.
#[derive(Clone, Debug, Default)]
pub(in crate::ik) struct FigureSolver {
    stance: Posed,
    state: State,
    /// The targets of the last step of a drag.
    last: Vec<LastTarget>,
}

/// The figure while it is solved.
#[derive(Clone, Debug, Default)]
struct State {
    posed: Posed,
    trunk: Trunk,
    tasks: Tasks,
    /// The local rotations before the limbs are posed.
    previous: Vec<DQuat>,
    step: TrunkStep,
}

impl FigureSolver {
    /// Forgets the last step of a drag.
    pub(in crate::ik) fn reset(&mut self) {
        self.last.clear();
    }

    /// Returns whether a limb with a goal is stretched, so that a target that is not reached is out of reach.
    pub(in crate::ik) fn is_stretched(&self) -> bool {
        self.state.tasks.is_stretched(&self.state.posed)
    }

    /// Poses a body that is a figure. Returns the number of iterations, or `None` if the body is no figure or its links
    /// have no fixed lengths.
    pub(in crate::ik) fn solve(
        &mut self,
        body: &mut Body,
        goals: &[Goal],
        options: &Options,
    ) -> Option<usize> {
        let figure = body.figure().cloned()?;
        let Self { stance, state, last } = self;
        if !state.posed.load(body, goals) {
            return None;
        }
        stance.copy(&state.posed);
        if let Some(given) = body.stance() {
            stance.set_stance(body, given);
        }
        let is_pulled = goals.iter().any(|goal| !goal.pinned);
        let weights = Weights::new(figure.parts.size.max(f64::MIN_POSITIVE), &options.full_body, is_pulled);
        let limits = Limits { body, apply: options.limits };
        let subject = Subject::new((&figure, is_pulled), limits, stance, &weights);
        let continues = options.start == Start::Continue;
        if !continues {
            last.clear();
        }
        state.tasks.set(&subject, &state.posed, goals, last);
        let iterations = state.solve(&subject, continues);
        if continues {
            last.clear();
            last.extend(goals.iter().filter_map(LastTarget::new));
        }
        state.posed.write(body);
        Some(iterations)
    }

    /// Levels the head of a figure whose links have no fixed lengths, which the differential method has posed.
    pub(in crate::ik) fn level_head(&mut self, body: &mut Body, goals: &[Goal], options: &Options) {
        let Some(figure) = body.figure().cloned() else { return };
        let Self { stance, state: State { posed, tasks, .. }, .. } = self;
        posed.load_rotations(body);
        stance.copy(posed);
        if let Some(given) = body.stance() {
            stance.set_stance(body, given);
        }
        let weights = Weights::new(figure.parts.size.max(f64::MIN_POSITIVE), &options.full_body, true);
        let limits = Limits { body, apply: options.limits };
        let subject = Subject::new((&figure, true), limits, stance, &weights);
        *tasks = Tasks::default();
        let carrier = |goal: &Goal| subject.figure.roles[subject.figure.carriers[goal.link]];
        tasks.poses_head = goals.iter().any(|goal| carrier(goal) == Part::Neck);
        neck::level(posed, &subject, tasks);
        for &joint in &figure.parts.neck {
            body.set_rotation(joint, posed.locals[joint]);
        }
    }
}

impl State {
    fn solve(&mut self, subject: &Subject<'_>, continues: bool) -> usize {
        let size = subject.weights.size;
        let distance = self.tasks.distance();
        let step = size * if continues { DRAG_STEP } else { STEP };
        let steps = (distance / step).ceil().clamp(1.0, MAX_STEPS);
        let speed = (distance / steps / (SLOW_STEP * size)).max(1.0);
        let pace = Pace { speed };
        let pace = continues.then_some(pace);
        let (mut iterations, mut done) = (0, 0.0);
        while done < steps {
            done += 1.0;
            self.tasks.advance(subject, done / steps);
            self.previous.clone_from(&self.posed.locals);
            self.begin_step();
            self.trunk.begin(&self.posed);
            if done == 1.0 {
                self.solve_limbs(subject, None, 0);
            }
            self.tasks.carry(&self.posed);
            let (passes, corrections) =
                if done < steps { (ITERATIONS, 1) } else { (LAST_ITERATIONS, CORRECTIONS) };
            iterations += self.trunk.solve(
                &mut self.posed,
                subject,
                &self.tasks.trunk,
                (passes, budget(subject, pace.as_ref())),
            );
            iterations += self.solve_limbs(subject, pace.as_ref(), corrections);
            self.hold(subject, pace.as_ref());
        }
        neck::level(&mut self.posed, subject, &self.tasks);
        if let Some(pace) = pace.filter(|_| !self.tasks.poses_head) {
            neck::slow_down(&mut self.posed, subject, &self.previous, pace.speed);
        }
        self.posed.forward();
        if subject.floor.is_some() {
            self.avoid_floor(subject, pace.as_ref());
        }
        iterations
    }

    /// Poses all limbs, and lets the trunk make up for their limits.
    fn solve_limbs(&mut self, subject: &Subject<'_>, pace: Option<&Pace>, corrections: usize) -> usize {
        let mut iterations = 0;
        let points = self.tasks.trunk.points.len();
        for correction in 0..=corrections {
            self.tasks.trunk.points.truncate(points);
            self.tasks.trunk.guards.clear();
            for index in 0..subject.figure.parts.limbs.len() {
                self.pose_limb(subject, index, pace);
            }
            self.tasks.trunk.guards.extend(neck::guard(&mut self.posed, subject, &self.tasks));
            let carried = self.tasks.carry(&self.posed) > MISSED * subject.weights.size;
            if (self.tasks.trunk.points.len() == points && !carried) || correction == corrections {
                break;
            }
            iterations +=
                self.trunk.solve(&mut self.posed, subject, &self.tasks.trunk, (2, budget(subject, pace)));
        }
        self.tasks.trunk.points.truncate(points);
        iterations
    }

    /// Poses a limb for its task, and asks the trunk to make up for its limits. A limb without a task is as in the stance.
    fn pose_limb(&mut self, subject: &Subject<'_>, index: usize, pace: Option<&Pace>) {
        let Self { posed, tasks, previous, .. } = self;
        let limb = &subject.figure.parts.limbs[index];
        let task = tasks.limbs[index];
        // The pace counts from the last step, not from the last correction.
        limb.joints.iter().for_each(|&joint| posed.locals[joint] = previous[joint]);
        subject.figure.below[index].iter().for_each(|&link| posed.forward_link(link));
        let miss = task.map(|task| {
            let LimbTask { reach, .. } = task;
            let chain = (&limb.joints[..], &subject.figure.hinges[index][..]);
            let shape = LimbShape::new(subject.stance, &subject.limits, chain, (reach.last, reach.point));
            let guarded = task.holds() && subject.limits.apply && subject.is_pulled;
            let nature = task.nature(subject, posed, index);
            let miss = shape.pose(posed, subject.stance, &subject.limits, (&reach, nature.as_ref(), pace));
            let first = limb.joints[0];
            let aimed = shape.aim(subject.stance, posed.positions[first], reach.target);
            (miss, aimed.filter(|_| guarded), shape, reach)
        });
        let miss = miss.map(|(miss, aimed, shape, reach)| {
            if let Some(spin) = aimed {
                self.guard_start(subject, index, spin, &shape, &reach);
            }
            miss
        });
        let posed = &mut self.posed;
        let first_free = task.map_or(0, |task| task.reach.last + 1);
        let turned = &limb.joints[..first_free.min(limb.joints.len())];
        for link in subject.figure.below[index].iter().filter(|l| !turned.contains(l)) {
            posed.locals[*link] = subject.stance.locals[*link];
        }
        if task.is_none() && limb.is_arm {
            let (first, local) = (limb.joints[0], hang::hanging(posed, subject, index));
            posed.locals[first] = match pace {
                Some(pace) => {
                    subject.limits.slowed(first, (self.previous[first], local), hang::MAX_TURN * pace.speed)
                }
                None => local,
            };
        }
        subject.figure.below[index].iter().for_each(|&link| posed.forward_link(link));
        let (Some(task), Some(miss)) = (task, miss) else { return };
        let missed = miss.vector.length() > MISSED * subject.weights.size;
        if missed && !miss.on_the_way && task.weight > 0.0 {
            self.correct(subject, index, &task, task.reach.target - miss.vector);
        }
        if let Some(orientation) = task.orientation {
            self.turn_end(subject, index, &task, orientation);
        }
    }

    /// Turns the last joint of a limb to an orientation. If its limit does not allow that and the end is fixed, the limb
    /// must tilt about it.
    fn turn_end(&mut self, subject: &Subject<'_>, index: usize, task: &LimbTask, orientation: DQuat) {
        let limb = &subject.figure.parts.limbs[index];
        let Some(&end) = limb.joints.last() else { return };
        let posed = &mut self.posed;
        let above = posed.spin_above(end);
        let local = (above.conjugate() * orientation).normalize();
        let allowed = subject.limits.nearest(end, local);
        posed.locals[end] = allowed;
        subject.figure.below[index].iter().for_each(|&link| posed.forward_link(link));
        if task.holds() && subject.limits.apply && subject.is_pulled {
            self.guard_end(subject, index, local);
        }
    }

    /// Asks the trunk to carry a limb, as it is, so that its point comes from `at` to its target.
    fn correct(&mut self, subject: &Subject<'_>, index: usize, task: &LimbTask, at: DVec3) {
        let weight = if task.reach.fixed { subject.weights.fixed } else { task.weight };
        self.push(subject, index, (at, task.reach.target), weight);
    }

    /// Asks the trunk to carry a point along with a limb from one place towards another.
    fn push(&mut self, subject: &Subject<'_>, index: usize, (at, target): (DVec3, DVec3), weight: f64) {
        let first = subject.figure.parts.limbs[index].joints[0];
        let Some(link) = self.posed.parent(first) else { return };
        let Some(along) = (target - at).try_normalize() else { return };
        let offset = self.posed.spins[link].conjugate() * (at - self.posed.positions[link]);
        self.tasks.trunk.points.push(TrunkPoint { link, offset, target, along: Some(along), weight });
    }
}

/// Returns how far the trunk may go in a step.
fn budget(subject: &Subject<'_>, pace: Option<&Pace>) -> Budget {
    let speed = pace.map_or(f64::INFINITY, |pace| pace.speed);
    Budget { turn: SLOW_TURN * speed, distance: SLOW_MOVE * speed * subject.weights.size }
}
