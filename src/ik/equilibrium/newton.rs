//! Newton steps to the pose with the least energy that satisfies the constraint rows.
//!
//! Sequential quadratic programming with an exact penalty (Fletcher 1987, "Practical Methods of Optimization", chapter 14.4). Each step
//! eliminates the pose. The remaining problem is a quadratic program with bounds, in which the forces on the rows are the unknowns.
//! Damping limits steps, and a second-order correction (Fletcher 1982) satisfies curved rows.

mod correction;
mod hessian;
mod step;
mod trial;

use super::buffers::Buffers;
use super::factor::TreeMatrix;
use super::pose::{FigurePose, Kinematics};
use super::problem::Problem;
use super::rows::{Kind, Rows};
use super::system::System;
use crate::damping::{Damping, Rejection};
use crate::qp::BoxQp;
use correction::Correction;
use hessian::Augmented;
use trial::{Trial, merit, retract};

/// Maximum turn of a joint in a step, in radians. The hips may move by half this number of metres.
const LARGEST_STEP: f64 = 0.6;
/// If joints may still turn by less than this angle, in radians, further steps only repair rows.
const SHORTEST: f64 = 5e-3;
/// Row violations are repaired only if their penalty is at least the first value, in joules. A repair step turns joints by at most the
/// second value, in radians.
const MENDED: f64 = 1e-2;
const MENDING: f64 = 0.03;
/// Factor by which hinges may turn farther than the other joints in a frame.
const KNEES: f64 = 1.5;
/// A step is accepted if the merit falls by at least this fraction of the decrease that the model predicts.
const ACCEPTED: f64 = 0.05;
/// Stiffness of the springs along active rows that make an indefinite Hessian definite.
const AUGMENTATION: f64 = 3e4;
/// A step smaller than this angle, in radians, ends the solve.
const SMALLEST_STEP: f64 = 2e-6;
/// If the last step was at least this large, in radians, the next step uses the whole curvature along a pull.
const FAR_STEP: f64 = 0.05;
/// Maximum number of times that goals may switch between holding and pulling in a step.
const SWITCHES: usize = 3;

/// Hints from the last solve. Hints affect only the time of a solve, and never its result.
/// [`Newton::reset`] sets the damping.
#[derive(Clone, Debug, Default)]
struct Warm {
    damping: Damping,
    step: f64,
    /// The force on each row, and whether this force is strictly between its bounds.
    forces: Vec<f64>,
    free: Vec<bool>,
}

/// The limits of a solve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// Maximum number of iterations.
    pub(super) iterations: usize,
    /// Maximum angle by which all steps together turn joints, in radians.
    pub(super) reach: f64,
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ending {
    pub(super) iterations: usize,
    /// Whether no step lowers the merit by more than the tolerance.
    pub(super) converged: bool,
}

/// The solver, with its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Newton {
    system: System,
    pub(super) rows: Rows,
    trial_rows: Rows,
    other_rows: Rows,
    buffers: Buffers,
    qp: BoxQp,
    factor: TreeMatrix,
    /// L⁻ᵀ times each near row.
    z: Vec<f64>,
    half: Vec<f64>,
    step: Vec<f64>,
    augmented: Augmented,
    /// The second derivatives that forces add to the Hessian.
    curvature: TreeMatrix,
    pub(super) now: Kinematics,
    trial: Trial,
    other: Trial,
    warm: Warm,
    /// Angle by which the steps of this solve may still turn joints, in radians.
    left: f64,
    /// Whether joints have turned as far as they may, so that a step only repairs rows.
    mends: bool,
    /// Squared length of each pull's residual after the step, according to the quadratic model.
    lengths: Vec<f64>,
    correction: Correction,
}

/// What the attempts at one step have in common.
struct StepState {
    /// Whether the quadratic model contains the second derivatives of forces.
    full: bool,
    /// The fraction of the curvature along a pull that the quadratic model contains.
    share: f64,
    /// The number of times that goals have switched between holding and pulling.
    switches: usize,
}

/// The result of a damped step.
enum Attempt {
    Accepted {
        small: bool,
    },
    Rejected {
        hopeless: bool,
    },
    /// A goal has switched between holding and pulling.
    Switched,
}

impl Newton {
    /// Clears the hints.
    pub(super) fn reset(&mut self) {
        (self.warm.damping, self.warm.step) = (Damping::BODY, f64::INFINITY);
        self.warm.forces.clear();
        self.warm.free.clear();
    }

    /// Returns the force on each row of the solved pose.
    pub(super) fn forces(&self) -> impl Iterator<Item = (Kind, f64)> + '_ {
        self.rows.all.iter().zip(&self.warm.forces).map(|(row, &force)| (row.kind, force))
    }

    /// Solves from a pose within a budget, until a step gains less than `tolerance`, in joules.
    pub(super) fn solve(
        &mut self,
        problem: &mut Problem,
        pose: &mut FigurePose,
        budget: Budget,
        tolerance: f64,
    ) -> Ending {
        (self.left, self.mends) = (budget.reach, false);
        self.now.place(&problem.model, pose);
        retract(problem, pose, &mut self.now);
        let mut ending = Ending::default();
        let mut merit = self.evaluate(problem, pose);
        while ending.iterations < budget.iterations && !ending.converged {
            if self.left < SHORTEST {
                // Joints have turned as far as they may. Only row violations left by the last step are still repaired.
                if self.trial_rows.penalty(problem) < MENDED {
                    break;
                }
                (self.left, self.mends) = (MENDING, true);
            }
            ending.iterations += 1;
            ending.converged = self.iterate(problem, pose, &mut merit, tolerance);
        }
        self.warm.damping.end_solve();
        ending
    }

    /// Returns the merit of a pose, and sets its rows.
    fn evaluate(&mut self, problem: &Problem, pose: &FigurePose) -> f64 {
        problem.rows(pose, &self.now, &mut self.buffers, false, &mut self.rows);
        problem.pull_rows(&self.now, false, &mut self.buffers, &mut self.rows);
        merit(problem, pose, &self.now, &self.rows, &mut self.buffers)
    }

    /// Takes one step, with increasing damping until the step is accepted. Returns whether this was the last step.
    fn iterate(
        &mut self,
        problem: &mut Problem,
        pose: &mut FigurePose,
        merit: &mut f64,
        tolerance: f64,
    ) -> bool {
        let share = (self.warm.step / FAR_STEP).min(1.0);
        let mut state = StepState { full: true, share, switches: 0 };
        loop {
            self.assemble(problem, pose, state.share);
            state.full = true;
            loop {
                match self.attempt(problem, pose, merit, &mut state, tolerance) {
                    Attempt::Accepted { small } => return small,
                    Attempt::Rejected { hopeless: true } => return true,
                    Attempt::Rejected { .. } => {}
                    Attempt::Switched => break,
                }
            }
        }
    }

    /// Computes the rows, and the quadratic model of the energy and the pulls.
    fn assemble(&mut self, problem: &Problem, pose: &FigurePose, share: f64) {
        self.now.derive(&problem.model);
        self.system.begin(&problem.model);
        problem.energy(pose, &self.now, &mut self.buffers, Some(&mut self.system));
        problem.rows(pose, &self.now, &mut self.buffers, true, &mut self.rows);
        problem.pull_rows(&self.now, true, &mut self.buffers, &mut self.rows);
        for pull in problem.pulls.iter().filter(|p| !p.holds) {
            pull.add(&mut self.system, &problem.model, &self.now, share, &mut self.buffers.columns);
        }
        self.warm.forces.resize(self.rows.all.len(), 0.0);
        self.warm.free.resize(self.rows.all.len(), false);
        let Self { system, rows, warm, now, curvature, buffers, .. } = self;
        curvature.begin(&problem.model);
        problem.push_rows(pose, now, rows, &warm.forces, &buffers.places, &mut system.forces, curvature);
        system.forces.bend(&problem.model, now, curvature);
        self.augmented.is_set = false;
    }

    /// Tries a step with the current damping.
    fn attempt(
        &mut self,
        problem: &mut Problem,
        pose: &mut FigurePose,
        merit_now: &mut f64,
        state: &mut StepState,
        tolerance: f64,
    ) -> Attempt {
        if !self.factorise(&problem.model, &mut state.full) {
            return self.reject(Rejection::Undefined);
        }
        self.solve_qp(&problem.model, state.full);
        if state.switches < SWITCHES && self.switch(problem, &mut state.share, state.switches) {
            state.switches += 1;
            return Attempt::Switched;
        }
        if !self.step.iter().all(|x| x.is_finite()) {
            return self.reject(Rejection::Undefined);
        }
        let mut size = problem.model.largest_turn(&self.step);
        // A step that repairs rows must satisfy them, so it is damped instead of shortened.
        let most = if self.mends { self.left } else { LARGEST_STEP };
        if size > most {
            return self.reject(Rejection::Long(size / most));
        }
        if size > self.left {
            // The step of a frame is shortened. More damping would lead to a different path, for example past a straight knee.
            size = self.shorten(size, self.left / size);
        }
        pose.stepped(&problem.model, &self.step, &mut self.trial.pose);
        self.trial.settle(problem);
        // The knees of standing legs follow the hips, and turn fast when they are nearly straight.
        let knees = |trial: &FigurePose| {
            let turned = trial.angles.iter().zip(&pose.angles).map(|(a, b)| (a - b).abs());
            turned.fold(0.0, f64::max) / KNEES
        };
        let mut turned = knees(&self.trial.pose);
        if turned > self.left && !self.mends {
            size = self.shorten(size, (self.left / turned).powi(2).max(0.05));
            pose.stepped(&problem.model, &self.step, &mut self.trial.pose);
            self.trial.settle(problem);
            turned = knees(&self.trial.pose);
        }
        let predicted = self.prediction(problem, state.full);
        self.trial.rows(problem, &mut self.buffers, &mut self.trial_rows);
        if size > 1e-7 {
            self.correct(problem, size, 0.5 * tolerance);
        }
        let Trial { pose: trial, now } = &self.trial;
        let after = merit(problem, trial, now, &self.trial_rows, &mut self.buffers);
        let gain = *merit_now - after;
        let noise = 1e-9 * (1.0 + merit_now.abs());
        if gain >= ACCEPTED * predicted - noise && predicted > -noise {
            std::mem::swap(pose, &mut self.trial.pose);
            std::mem::swap(&mut self.now, &mut self.trial.now);
            *merit_now = after;
            let warm = &mut self.warm;
            warm.step = size;
            self.left -= size.max(turned);
            warm.damping.accept_fletcher(gain, predicted);
            warm.forces.fill(0.0);
            warm.free.fill(false);
            for ((&row, &y), &free) in self.rows.near.iter().zip(&self.qp.y).zip(&self.qp.free) {
                (warm.forces[row], warm.free[row]) = (y, free);
            }
            // Near the end, the error of the model in this step bounds the gain of the next step.
            let next = (gain - predicted) * (gain - predicted) / predicted.max(noise);
            let is_small =
                predicted < tolerance || size < SMALLEST_STEP || state.full && next < 0.1 * tolerance;
            return Attempt::Accepted { small: is_small };
        }
        if size < 1e-7 || predicted < 1e-3 * tolerance {
            return Attempt::Rejected { hopeless: true };
        }
        let rejected = self.reject(Rejection::Gain);
        state.full &= self.warm.damping.value() <= 1e3;
        rejected
    }

    /// Rejects the step, so that the next attempt has more damping.
    fn reject(&mut self, why: Rejection) -> Attempt {
        Attempt::Rejected { hopeless: self.warm.damping.reject_fletcher(why) }
    }

    /// Shortens the step. Returns its size.
    fn shorten(&mut self, size: f64, share: f64) -> f64 {
        self.step.iter_mut().for_each(|x| *x *= share);
        size * share
    }
}
