//! Whole-body inverse kinematics of a figure, in which limbs are limbs.
//!
//! The trunk comes first: hips, back, collars, and the neck if the head is pulled. Each limb is then only a rope between
//! its ends, so that a straight limb is no singularity. Then every limb is posed in closed form, and what its limits took
//! away moves the trunk once more. Last come the head and what must stay above the floor.
//!
//! The order of analytic and differential parts is that of Li & Peng 2013. The figure stays near its stance, the pose
//! in which a drag began, so that a pull that is undone leads back to it.

use glam::DVec3;

use crate::ik::{Body, Goal, Options, Start};

mod floor;
mod limb;
mod neck;
mod normal;
mod posed;
mod tasks;
mod trunk;
mod weights;

use limb::LimbShape;
use posed::{Limits, Posed};
use tasks::{LimbTask, Tasks};
use trunk::{Subject, Trunk, TrunkPoint};
use weights::Weights;

/// Distance by which targets move in one step of a solve that does not continue a drag, metres of a person.
const STEP: f64 = 0.03;
/// The same for a drag, in which the pose of the last frame is near.
const DRAG_STEP: f64 = 0.06;
const MAX_STEPS: f64 = 100.0;
/// Iterations of the trunk in a step, and in the last one.
const ITERATIONS: usize = 2;
const LAST_ITERATIONS: usize = 8;
/// Maximum number of times that the trunk makes up for the limits of limbs.
const CORRECTIONS: usize = 3;
/// A limb that misses its target by less needs no correction, metres of a person.
const MISSED: f64 = 1e-5;
/// Height of a person whose leg is one metre long, relative to 1.75 m.
const SIZE_PER_LEG: f64 = 1.15;

/// The solver of figures, with its buffers.
#[derive(Clone, Debug, Default)]
pub(in crate::ik) struct FigureSolver {
    stance: Posed,
    state: State,
}

/// The figure while it is solved.
#[derive(Clone, Debug, Default)]
struct State {
    posed: Posed,
    trunk: Trunk,
    tasks: Tasks,
}

impl FigureSolver {
    /// Poses a body that is a figure. Returns the number of iterations, or `None` if the body is no figure or its links
    /// have no fixed lengths.
    pub(in crate::ik) fn solve(
        &mut self,
        body: &mut Body,
        goals: &[Goal],
        options: &Options,
    ) -> Option<usize> {
        let figure = body.figure().cloned()?;
        let Self { stance, state } = self;
        if !state.posed.load(body) {
            return None;
        }
        stance.clone_from(&state.posed);
        if let Some(given) = body.stance() {
            stance.set_stance(body, given);
        }
        let weights = Weights::new(size(&figure, stance), &options.full_body);
        let limits = Limits { body, apply: options.limits };
        let subject = Subject { figure: &figure, limits, stance, weights: &weights };
        let iterations = state.solve(&subject, goals, options.start == Start::Continue);
        state.posed.write(body);
        Some(iterations)
    }
}

impl State {
    fn solve(&mut self, subject: &Subject<'_>, goals: &[Goal], continues: bool) -> usize {
        self.tasks.set(subject, &self.posed, goals);
        let step = subject.weights.size * if continues { DRAG_STEP } else { STEP };
        let steps = (self.tasks.distance() / step).ceil().clamp(1.0, MAX_STEPS);
        let (mut iterations, mut done) = (0, 0.0);
        while done < steps {
            done += 1.0;
            self.tasks.advance(subject, done / steps);
            let (passes, corrections) =
                if done < steps { (ITERATIONS, 1) } else { (LAST_ITERATIONS, CORRECTIONS) };
            iterations += self.trunk.solve(&mut self.posed, subject, &self.tasks.trunk, passes);
            iterations += self.solve_limbs(subject, corrections);
        }
        neck::level(&mut self.posed, subject, &self.tasks);
        self.posed.forward();
        floor::lift(&mut self.posed, subject, &self.tasks);
        iterations
    }

    /// Poses all limbs, and lets the trunk make up for their limits.
    fn solve_limbs(&mut self, subject: &Subject<'_>, corrections: usize) -> usize {
        let mut iterations = 0;
        let points = self.tasks.trunk.points.len();
        for correction in 0..=corrections {
            self.tasks.trunk.points.truncate(points);
            for index in 0..subject.figure.parts.limbs.len() {
                let missing = self.pose_limb(subject, index);
                let (Some(task), Some(missing)) = (self.tasks.limbs[index], missing) else { continue };
                if missing.length() > MISSED * subject.weights.size {
                    self.correct(subject, index, &task, missing);
                }
            }
            if self.tasks.trunk.points.len() == points || correction == corrections {
                break;
            }
            iterations += self.trunk.solve(&mut self.posed, subject, &self.tasks.trunk, 2);
        }
        self.tasks.trunk.points.truncate(points);
        iterations
    }

    /// Poses a limb for its task. Returns by how much it misses its target. A limb without a task is as in the stance.
    fn pose_limb(&mut self, subject: &Subject<'_>, index: usize) -> Option<DVec3> {
        let Self { posed, tasks, .. } = self;
        let (limb, hinges) = (&subject.figure.parts.limbs[index], &subject.figure.hinges[index]);
        let task = tasks.limbs[index];
        let missing = task.map(|LimbTask { reach, .. }| {
            let chain = (&limb.joints[..], &hinges[..]);
            let shape = LimbShape::new(subject.stance, &subject.limits, chain, (reach.last, reach.point));
            shape.pose(posed, subject.stance, &subject.limits, &reach, true)
        });
        let first_free = task.map_or(0, |task| task.reach.last + 1);
        for &joint in &limb.joints[first_free..] {
            posed.locals[joint] = subject.stance.locals[joint];
        }
        (limb.joints[0]..posed.len()).for_each(|link| posed.forward_link(link));
        if let (Some(orientation), Some(&end)) = (task.and_then(|t| t.orientation), limb.joints.last()) {
            let local = (posed.spin_above(end).conjugate() * orientation).normalize();
            posed.locals[end] = subject.limits.nearest(end, local);
            posed.forward_link(end);
        }
        missing
    }

    /// Asks the trunk to carry a limb, as it is, to its target.
    fn correct(&mut self, subject: &Subject<'_>, index: usize, task: &LimbTask, missing: DVec3) {
        let first = subject.figure.parts.limbs[index].joints[0];
        let Some(link) = self.posed.parent(first) else { return };
        let at = task.reach.target - missing;
        let offset = self.posed.spins[link].conjugate() * (at - self.posed.positions[link]);
        let weight = if task.reach.fixed { subject.weights.fixed } else { task.weight };
        let (target, along) = (task.reach.target, missing.try_normalize());
        self.tasks.trunk.points.push(TrunkPoint { link, offset, target, along, weight });
    }
}

/// Returns the size of a figure relative to a person of 1.75 m, from its longest limb.
fn size(figure: &crate::ik::figure::Figure, stance: &Posed) -> f64 {
    let length = |joints: &[usize]| {
        let bones = joints.windows(2).map(|w| stance.positions[w[0]].distance(stance.positions[w[1]]));
        bones.sum::<f64>()
    };
    let longest = figure.parts.limbs.iter().map(|l| length(&l.joints)).fold(0.0, f64::max);
    if longest > 0.0 { longest * SIZE_PER_LEG } else { 1.0 }
}
