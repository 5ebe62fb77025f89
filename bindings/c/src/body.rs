//! Bodies: inverse kinematics without characters.

use std::ffi::c_char;

use glam::{DAffine3, DQuat, DVec3};
use sinew::ik::{self, Body, Goal, LinkIndex, Options, Solver};

use crate::goal::{SinewGoal, SinewResult, apply};
use crate::link::SinewLink;
use crate::pointers::{check_length, check_output, exclusive, free, give, shared, slice, write};
use crate::status::{Failure, SinewStatus, guard, value_or};

/// A tree of links in a pose.
pub struct SinewBody {
    body: Body,
    solver: Solver,
}

/// Creates a body in its rest pose with its base at the origin of the world, and stores it in `*out`. Free it with
/// `sinew_body_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_body_new(
    links: *const SinewLink,
    link_count: usize,
    out: *mut *mut SinewBody,
) -> SinewStatus {
    let create = || {
        // SAFETY: the caller passes `link_count` links.
        let links = unsafe { slice("links", links, link_count) }?;
        let links = links.iter().enumerate().map(|(index, link)| link.link(index));
        let links = links.collect::<Result<Vec<_>, _>>()?;
        let body = Body::new(links, DAffine3::IDENTITY).map_err(Failure::invalid)?;
        Ok(SinewBody { body, solver: Solver::default() })
    };
    // SAFETY: the caller passes memory for a handle.
    guard(|| unsafe { give(out, create) })
}

/// Frees a body. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_body_free(body: *mut SinewBody) {
    // SAFETY: the caller passes a body that is not used again.
    unsafe { free(body) }
}

/// Returns the number of links, or 0 if `body` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_body_link_count(body: *const SinewBody) -> usize {
    // SAFETY: the caller passes a body.
    value_or(0, || Ok(unsafe { shared("body", body) }?.body.links().len())).0
}

/// Resets a body to its rest pose.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_body_reset(body: *mut SinewBody) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a body that nothing else uses.
        unsafe { exclusive("body", body) }?.body.reset();
        Ok(())
    })
}

/// Writes the local rotations of all links as quaternions x, y, z, w. `count` must be four times the number of links.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_body_rotations(
    body: *const SinewBody,
    rotations: *mut f64,
    count: usize,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a body.
        let body = unsafe { shared("body", body) }?;
        let values: Vec<f64> = body.body.rotations().iter().flat_map(DQuat::to_array).collect();
        // SAFETY: the caller passes memory for `count` numbers.
        unsafe { write("rotations", rotations, count, &values) }
    })
}

/// Sets the local rotations of all links from quaternions x, y, z, w of any length except zero. `count` must be four times the number of
/// links.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_body_set_rotations(
    body: *mut SinewBody,
    rotations: *const f64,
    count: usize,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a body that nothing else uses.
        let body = &mut unsafe { exclusive("body", body) }?.body;
        check_length("rotations", count, 4 * body.links().len())?;
        // SAFETY: the caller passes `count` numbers.
        let values = unsafe { slice("rotations", rotations, count) }?;
        let (rotations, _) = values.as_chunks::<4>();
        let rotations: Vec<DQuat> = rotations.iter().map(|xyzw| DQuat::from_array(*xyzw)).collect();
        let is_valid = |q: &DQuat| q.is_finite() && q.length_squared() > 0.0;
        if let Some(link) = rotations.iter().position(|q| !is_valid(q)) {
            return Err(Failure::invalid(format_args!("rotation {link} must be finite and not zero")));
        }
        let set = |(link, rotation)| body.set_rotation(LinkIndex(link), rotation);
        rotations.into_iter().enumerate().for_each(set);
        Ok(())
    })
}

/// Writes the world positions x, y, z of all links in metres. `count` must be three times the number of links.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_body_positions(
    body: *const SinewBody,
    positions: *mut f64,
    count: usize,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a body.
        let body = &unsafe { shared("body", body) }?.body;
        let links = (0..body.links().len()).filter_map(|link| body.world_from_link(LinkIndex(link)));
        let values: Vec<f64> = links.flat_map(|matrix| matrix.translation.to_array()).collect();
        // SAFETY: the caller passes memory for `count` numbers.
        unsafe { write("positions", positions, count, &values) }
    })
}

/// Moves the links so that the goals are met as closely as possible.
///
/// `options` is NULL or a string of assignments, for example `"method=ccd; tolerance=1mm"`. If no results are wanted, `results` is NULL and
/// `result_count` is 0. Otherwise, `result_count` must be `goal_count`. If the call fails, the body is unchanged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_body_solve(
    body: *mut SinewBody,
    goals: *const SinewGoal,
    goal_count: usize,
    options: *const c_char,
    results: *mut SinewResult,
    result_count: usize,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a body that nothing else uses.
        let SinewBody { body, solver } = unsafe { exclusive("body", body) }?;
        // SAFETY: the caller passes `goal_count` goals.
        let goals = unsafe { slice("goals", goals, goal_count) }?;
        let goals = goals.iter().map(SinewGoal::goal).collect::<Result<Vec<Goal>, _>>()?;
        let mut all = Options::default();
        // SAFETY: the caller passes NULL or a valid string.
        unsafe { apply(&mut all, options) }?;
        if result_count != 0 {
            check_output("results", results, result_count, goals.len())?;
        }
        let report = solver.solve(body, &goals, &all).map_err(|e| Failure::new(SinewStatus::Solve, e))?;
        let result = |g: &ik::GoalOutcome| SinewResult::new(g.outcome, g.position_error, g.orientation_error);
        let values: Vec<SinewResult> = report.goals.iter().map(result).take(result_count).collect();
        // SAFETY: the caller passes memory for `result_count` results.
        unsafe { write("results", results, result_count, &values) }
    })
}

/// Solves copies of a body for many target positions of one link, in parallel. The body itself is not changed.
///
/// `targets` are `target_count` world positions x, y, z. `rotations` receives the local rotations of all links of all solutions, and
/// `rotation_count` must be `4 * link_count * target_count`. `errors` receives the distances from the targets in metres, and `error_count`
/// must be `target_count`. `options` is as in `sinew_body_solve`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_body_solve_many(
    body: *const SinewBody,
    link: usize,
    targets: *const f64,
    target_count: usize,
    options: *const c_char,
    rotations: *mut f64,
    rotation_count: usize,
    errors: *mut f64,
    error_count: usize,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a body.
        let body = &unsafe { shared("body", body) }?.body;
        let numbers = target_count.saturating_mul(3);
        // SAFETY: the caller passes three numbers for each target.
        let targets = unsafe { slice("targets", targets, numbers) }?;
        let (targets, _) = targets.as_chunks::<3>();
        let mut all = Options::default();
        // SAFETY: the caller passes NULL or a valid string.
        unsafe { apply(&mut all, options) }?;
        let row = 4 * body.links().len();
        check_output("rotations", rotations, rotation_count, row.saturating_mul(target_count))?;
        check_output("errors", errors, error_count, target_count)?;
        let goal = |target: &[f64; 3]| vec![Goal::position(LinkIndex(link), DVec3::from_array(*target))];
        let goals: Vec<Vec<Goal>> = targets.iter().map(goal).collect();
        let mut bodies = vec![body.clone(); targets.len()];
        let reports = ik::solve_many(&mut bodies, &goals, &all);
        let error = |(index, report): (usize, Result<ik::Report, ik::SolveError>)| {
            let failed = |e| Failure::new(SinewStatus::Solve, format_args!("target {index}: {e}"));
            report.map(|report| report.position_error()).map_err(failed)
        };
        let found = reports.into_iter().enumerate().map(error).collect::<Result<Vec<f64>, _>>()?;
        let solved = bodies.iter().flat_map(Body::rotations).flat_map(DQuat::to_array);
        let solved: Vec<f64> = solved.collect();
        // SAFETY: the caller passes memory for `rotation_count` numbers.
        unsafe { write("rotations", rotations, rotation_count, &solved) }?;
        // SAFETY: the caller passes memory for `error_count` numbers.
        unsafe { write("errors", errors, error_count, &found) }
    })
}
