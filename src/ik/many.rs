//! Many bodies at once, on all cores.

use rayon::prelude::*;

use super::{Body, Goal, Options, Report, SolveError, Solver};

/// Solves each body for its goals, as many as the shorter list has, on rayon's threads.
///
/// Each solve stands for itself: the answers are the same bits as one by one, each with a new [`Solver`], whatever the
/// number of threads.
///
/// # Errors
/// One result a body, as [`Solver::solve`] gives it.
pub fn solve_many(
    bodies: &mut [Body],
    goals: &[Vec<Goal>],
    options: &Options,
) -> Vec<Result<Report, SolveError>> {
    let solve = |solver: &mut Solver, (body, goals): (&mut Body, &Vec<Goal>)| {
        solver.forget();
        solver.solve(body, goals, options).cloned()
    };
    bodies.par_iter_mut().zip(goals.par_iter()).map_init(Solver::default, solve).collect()
}
