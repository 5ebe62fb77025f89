//! Parallel solves of many bodies.

use rayon::prelude::*;

use super::{Body, Goal, Options, Report, SolveError, Solver};

/// Solves for each body and its goals on rayon's threads. The shorter list decides how many are solved.
///
/// Each solve is independent. For any number of threads, the results have the same bits as separate solves with a new
/// [`Solver`] each.
///
/// # Errors
/// Each body has a separate result, with the errors of [`Solver::solve`].
pub fn solve_many(
    bodies: &mut [Body],
    goals: &[Vec<Goal>],
    options: &Options,
) -> Vec<Result<Report, SolveError>> {
    let solve = |solver: &mut Solver, (body, goals): (&mut Body, &Vec<Goal>)| {
        solver.reset();
        solver.solve(body, goals, options).cloned()
    };
    bodies.par_iter_mut().zip(goals.par_iter()).map_init(Solver::default, solve).collect()
}
