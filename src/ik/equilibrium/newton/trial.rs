//! Trial poses, and the merit by which a step is accepted.

use super::super::buffers::Buffers;
use super::super::model::Model;
use super::super::pose::{FigurePose, Kinematics};
use super::super::problem::Problem;
use super::super::rows::Rows;

/// A pose that a step leads to.
#[derive(Clone, Debug, Default)]
pub(super) struct Trial {
    pub(super) pose: FigurePose,
    pub(super) now: Kinematics,
}

impl Trial {
    /// Computes the positions, and moves standing feet back into place.
    pub(super) fn settle(&mut self, problem: &Problem) {
        self.now.place(&problem.model, &self.pose);
        retract(problem, &mut self.pose, &mut self.now);
    }

    pub(super) fn rows(&self, problem: &Problem, buffers: &mut Buffers, rows: &mut Rows) {
        problem.rows(&self.pose, &self.now, buffers, false, rows);
        problem.pull_rows(&self.now, false, buffers, rows);
    }
}

/// Moves holding feet back into place.
pub(super) fn retract(problem: &Problem, pose: &mut FigurePose, now: &mut Kinematics) {
    let model: &Model = &problem.model;
    let holding = || problem.contacts.iter().filter(|c| c.keeps());
    holding().for_each(|contact| contact.retract(model, &problem.feet[contact.foot], pose, now));
    if holding().next().is_some() {
        now.place(model, pose);
    }
}

/// Returns the merit of a pose: the energy, the work of the pulls, and the penalties of the rows.
pub(super) fn merit(
    problem: &Problem,
    pose: &FigurePose,
    now: &Kinematics,
    rows: &Rows,
    buffers: &mut Buffers,
) -> f64 {
    problem.energy(pose, now, buffers, None) + problem.pull(now) + rows.penalty(problem)
}

impl Problem {
    /// Returns the work of all goals: force times distance.
    pub(super) fn pull(&self, now: &Kinematics) -> f64 {
        self.pulls.iter().filter(|p| !p.is_pin).map(|p| p.force * p.residual(now).length()).sum()
    }
}
