//! Inverse kinematics that starts from joint values and returns joint values.

use rayon::prelude::*;

use crate::ik::{Goal, Options, Report, Solver};

use super::{Robot, RobotClearance, RobotError};

/// The result of a solve.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Solution {
    /// The joint values, all of them within their ranges.
    pub q: Vec<f64>,
    /// Errors and outcomes. If the robot has [`Collisions`](super::Collisions), a goal counts as reached only if `q` is free of collisions.
    pub report: Report,
    /// The smallest distance of `q`, if the robot has collisions to avoid.
    pub clearance: Option<RobotClearance>,
}

impl Robot {
    /// Returns joint values that meet the goals as closely as the method can, starting from `q0`. The links of the goals are indices
    /// into [`Robot::links`], and positions and orientations are in the robot's own frame.
    ///
    /// If the robot has [`Collisions`](super::Collisions), the result keeps clear of them (see [`Robot::with_collisions`]).
    ///
    /// Values of `q0` beyond their ranges are clamped first. Continuous joints, and hinges with more than one revolution, end as near to
    /// `q0` as the result allows.
    ///
    /// # Errors
    /// [`RobotError`] if `q0` has the wrong number of values or a value that is not finite, or if a goal or an option is invalid.
    pub fn solve(&self, goals: &[Goal], q0: &[f64], options: &Options) -> Result<Solution, RobotError> {
        self.solve_with(&mut Solver::default(), goals, q0, options)
    }

    /// Like [`Robot::solve`], with a solver whose buffers are reused.
    ///
    /// # Errors
    /// Those of [`Robot::solve`].
    pub fn solve_with(
        &self,
        solver: &mut Solver,
        goals: &[Goal],
        q0: &[f64],
        options: &Options,
    ) -> Result<Solution, RobotError> {
        self.solve_towards(solver, goals, q0, options, None)
    }

    /// Like [`Robot::solve_with`], with joint values as the posture that [`Secondary::Posture`](crate::ik::Secondary::Posture) pulls towards.
    pub(super) fn solve_towards(
        &self,
        solver: &mut Solver,
        goals: &[Goal],
        q0: &[f64],
        options: &Options,
        posture: Option<&[f64]>,
    ) -> Result<Solution, RobotError> {
        self.check(q0)?;
        let start = self.clamp(q0);
        let mut body = self.body(&start)?;
        if let Some(posture) = posture {
            body.set_posture(self.body(posture)?.rotations());
        }
        let Some(collisions) = self.collisions() else {
            let report = solver.solve(&mut body, goals, options)?.clone();
            return Ok(Solution { q: self.values(&body, &start), report, clearance: None });
        };
        let report = solver.solve_clear(&mut body, goals, options, collisions.model())?.clone();
        let q = self.values(&body, &start);
        Ok(Solution { clearance: self.clearance(&q)?, q, report })
    }

    /// Solves many problems, in parallel if the feature `rayon` is enabled. `q0` returns the start of each problem. The results are
    /// bit-identical to single solves, for any number of threads.
    ///
    /// # Errors
    /// Each problem has its own result, with the errors of [`Robot::solve`].
    pub fn solve_many<'a>(
        &self,
        goals: &[Vec<Goal>],
        q0: impl Fn(usize) -> &'a [f64] + Sync,
        options: &Options,
    ) -> Vec<Result<Solution, RobotError>> {
        let solve = |solver: &mut Solver, (index, goals): (usize, &Vec<Goal>)| {
            solver.reset();
            self.solve_with(solver, goals, q0(index), options)
        };
        goals.par_iter().enumerate().map_init(Solver::default, |s, (i, g)| solve(s, (i, g))).collect()
    }

    /// Follows a path by solving each problem from the previous result, so that the joints do not jump. Collisions count as in
    /// [`Robot::solve`], and also on the way from one result to the next. [`Robot::trajectory`] adds intermediate poses and times.
    ///
    /// # Errors
    /// Returns the index of the first problem that is rejected, and the reason.
    pub fn follow(
        &self,
        path: &[Vec<Goal>],
        q0: &[f64],
        options: &Options,
    ) -> Result<Vec<Solution>, (usize, RobotError)> {
        let mut solver = Solver::default();
        let mut solutions: Vec<Solution> = Vec::with_capacity(path.len());
        for (index, goals) in path.iter().enumerate() {
            let last = solutions.last().map_or(q0, |solution| &solution.q);
            // The first problem may restart, because there is no earlier result to jump from.
            let options = if index == 0 { *options } else { options.with_start(crate::ik::Start::Continue) };
            let solution = self.solve_with(&mut solver, goals, last, &options);
            solutions.push(solution.map_err(|error| (index, error))?);
        }
        Ok(solutions)
    }
}
