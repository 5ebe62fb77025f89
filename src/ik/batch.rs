//! Parallel solves of many bodies.

#[cfg(feature = "rayon")]
use rayon::prelude::*;

use super::{Body, Goal, Options, Report, SolveError, Solver};

/// Solves for the goals of each body. If the feature `rayon` is enabled, the solves run in parallel on rayon's threads.
/// Surplus entries of the longer slice are ignored.
///
/// Each solve is independent. For any number of threads, the results are bit-identical to separate solves, each with a new [`Solver`].
///
/// ```
/// use sinew_ik::glam::{DAffine3, DVec3};
/// use sinew_ik::{Body, Goal, Link, LinkIndex, Options, solve_many};
///
/// let links = vec![Link::base(), Link::child(LinkIndex(0), DVec3::Y), Link::child(LinkIndex(1), DVec3::Y)];
/// let mut arms = vec![Body::new(links, DAffine3::IDENTITY)?; 100];
/// let target = |arm: u32| DVec3::new(1.0, 0.01 * f64::from(arm), 0.0);
/// let goals: Vec<_> = (0..100).map(|arm| vec![Goal::position(LinkIndex(2), target(arm))]).collect();
/// for report in solve_many(&mut arms, &goals, &Options::default()) {
///     assert!(report?.reached());
/// }
/// let hand = arms[70].world_from_link(LinkIndex(2)).map(|m| m.translation);
/// assert!(hand.is_some_and(|hand| hand.distance(target(70)) < 1e-3));
/// # Ok::<(), sinew_ik::SolveError>(())
/// ```
///
/// # Errors
/// Each result can contain the same errors as the result of [`Solver::solve`].
pub fn solve_many(
    bodies: &mut [Body],
    goals: &[Vec<Goal>],
    options: &Options,
) -> Vec<Result<Report, SolveError>> {
    let solve = |solver: &mut Solver, (body, goals): (&mut Body, &Vec<Goal>)| {
        // The solver is reused only for its buffers. The reset discards its state, so that the result does not depend on
        // earlier solves.
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
