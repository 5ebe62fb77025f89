//! Inverse kinematics of robots: joint values in, joint values out.

use std::ffi::c_char;

use sinew::ik::{self, Goal, Options, Solver};

use crate::goal::{SinewGoal, SinewResult, apply};
use crate::pointers::{check_output, shared, slice, write};
use crate::robot::{SinewRobot, refused};
use crate::status::{Failure, SinewStatus, guard};

/// A problem for `sinew_robot_solve`. All zeros are a valid start.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SinewRobotProblem {
    /// The goals. Their links are links of the robot.
    pub goals: *const SinewGoal,
    /// Number of goals.
    pub goal_count: usize,
    /// The joint values from which the solve starts.
    pub q0: *const f64,
    /// Number of values in `q0`. It must be the number of joints.
    pub q0_count: usize,
    /// NULL, or a string of assignments, for example `"method=ccd; tolerance=1mm"`.
    pub options: *const c_char,
}

/// Finds joint values that meet the goals of a problem as closely as possible.
///
/// `q` receives the joint values, all within their ranges, and may be `q0` of the problem. `q_count` must be the number of joints. If no
/// results are wanted, `results` is NULL and `result_count` is 0. Otherwise, `result_count` must be the number of goals. If the call fails,
/// `q` is unchanged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_robot_solve(
    robot: *const SinewRobot,
    problem: *const SinewRobotProblem,
    q: *mut f64,
    q_count: usize,
    results: *mut SinewResult,
    result_count: usize,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a robot and a problem.
        let (robot, problem) = unsafe { (&shared("robot", robot)?.robot, shared("problem", problem)?) };
        // SAFETY: the caller passes a problem with valid pointers.
        let (goals, q0, options) = unsafe { problem.read() }?;
        check_output("q", q, q_count, robot.joints().len())?;
        if result_count != 0 {
            check_output("results", results, result_count, goals.len())?;
        }
        let solution = robot.solve_with(&mut Solver::default(), &goals, &q0, &options).map_err(refused)?;
        let result = |g: &ik::GoalOutcome| SinewResult::new(g.outcome, g.position_error, g.orientation_error);
        let values: Vec<SinewResult> = solution.report.goals.iter().map(result).take(result_count).collect();
        // SAFETY: the caller passes memory for `q_count` numbers.
        unsafe { write("q", q, q_count, &solution.q) }?;
        // SAFETY: the caller passes memory for `result_count` results.
        unsafe { write("results", results, result_count, &values) }
    })
}

impl SinewRobotProblem {
    /// Returns the goals, the initial joint values and the options. The values are copied, because the caller may want the result in the
    /// same array.
    ///
    /// # Safety
    /// Each pointer that is not NULL must point to what its documentation says, and this must not change during the call.
    unsafe fn read(&self) -> Result<(Vec<Goal>, Vec<f64>, Options), Failure> {
        // SAFETY: promised by the caller.
        let goals = unsafe { slice("goals", self.goals, self.goal_count) }?;
        let goals = goals.iter().map(SinewGoal::goal).collect::<Result<Vec<Goal>, _>>()?;
        // SAFETY: promised by the caller.
        let q0 = unsafe { slice("q0", self.q0, self.q0_count) }?.to_vec();
        let mut options = Options::default();
        // SAFETY: promised by the caller.
        unsafe { apply(&mut options, self.options) }?;
        Ok((goals, q0, options))
    }
}
