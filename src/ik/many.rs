//! Parallel solves of many bodies.

use rayon::prelude::*;

use super::{Body, Goal, Options, Report, SolveError, Solver};

/// Solves for each body and its goals on rayon's threads. The shorter list decides how many are solved.
///
/// Each solve is independent. The results have the same bits as solves one by one, each with a new [`Solver`], for
/// any number of threads.
///
/// # Errors
/// Each body has its own result, with the errors of [`Solver::solve`].
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
