//! Parallel solves of many bodies.

#[cfg(feature = "rayon")]
use rayon::prelude::*;

use super::{Body, Goal, Options, Report, SolveError, Solver};

/// Solves for the goals of each body, with the feature `rayon` in parallel on its threads. Surplus entries of the longer
/// slice are ignored.
///
/// Each solve is independent. For any number of threads, the results have the same bits as separate solves with a new
/// [`Solver`] each.
///
/// # Errors
/// Each body has its own result, with the same errors as [`Solver::solve`].
pub fn solve_many(
    bodies: &mut [Body],
    goals: &[Vec<Goal>],
    options: &Options,
) -> Vec<Result<Report, SolveError>> {
    let solve = |solver: &mut Solver, (body, goals): (&mut Body, &Vec<Goal>)| {
        // Only a solve that continues remembers anything.
        solver.reset();
        solver.solve(body, goals, options).cloned()
    };
    #[cfg(feature = "rayon")]
    let reports = bodies.par_iter_mut().zip(goals.par_iter()).map_init(Solver::default, solve).collect();
    #[cfg(not(feature = "rayon"))]
    let reports = {
        let mut solver = Solver::default();
        bodies.iter_mut().zip(goals).map(|problem| solve(&mut solver, problem)).collect()
    };
    reports
}
