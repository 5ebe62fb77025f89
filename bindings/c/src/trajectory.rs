//! Trajectories: paths of poses with times that respect the velocity limits of the joints.

use std::ffi::{CString, c_char, c_int};
use std::path::Path;

use sinew::files::atomic;
use sinew::ik::{Goal, GoalOutcome, Options};
use sinew::robot::{Redundancy, Robot, Trajectory, TrajectoryError, TrajectoryOptions};

use crate::character::missing;
use crate::goal::{SinewGoal, SinewResult, apply};
use crate::pointers::{free, give, shared, slice, text, write};
use crate::robot::{SinewRobot, c_name, status_of};
use crate::robot_collisions::SinewClearance;
use crate::status::{Failure, SinewStatus, guard, value_or};

/// Each pose is as near as possible to the last one.
pub const SINEW_REDUNDANCY_NEAREST: u32 = 0;
/// The joints move towards their initial values, and slides towards 0.
pub const SINEW_REDUNDANCY_REST: u32 = 1;
/// The joints move towards the middle of their ranges.
pub const SINEW_REDUNDANCY_JOINT_CENTRES: u32 = 2;
/// The joints move away from singular poses of the link of the first goal, and slides towards 0.
pub const SINEW_REDUNDANCY_MANIPULABILITY: u32 = 3;

/// Options of a trajectory. A value of 0 means the default, so that all zeros are the default options.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SinewTrajectoryOptions {
    /// Largest distance between successive targets in metres. Intermediate targets lie on straight lines. The default is 0.01.
    pub spacing: f64,
    /// Largest turn between successive targets in radians. The default is 0.05.
    pub turn_spacing: f64,
    /// Largest change of a joint between successive rows, in radians or metres. A larger change is an error. The default is 0.5.
    pub largest_step: f64,
    /// Fraction of the velocity limits that the joints use, at most 1. The default is 1.
    pub speed: f64,
    /// Velocity in radians or metres per second of joints for which the file has none, or has 0. The default is 1.
    pub default_velocity: f64,
    /// How the robot uses the freedom that the goals leave, for example of the elbow: `SINEW_REDUNDANCY_NEAREST`,
    /// `SINEW_REDUNDANCY_REST`, `SINEW_REDUNDANCY_JOINT_CENTRES` or `SINEW_REDUNDANCY_MANIPULABILITY`.
    pub redundancy: u32,
    /// Fraction of the way towards the posture of `redundancy` that one iteration applies, at most 1. The default is 0.05.
    pub gain: f64,
}

/// Joint values at times along a path of poses. Between two rows, each joint moves at a constant rate. A trajectory is independent of the
/// robot that it was computed for.
pub struct SinewTrajectory {
    robot: Robot,
    trajectory: Trajectory,
    /// The names of the nearest pair, if there is one.
    names: [CString; 2],
}

/// Computes joint values and times along a path of poses, and stores them in `*out`. Free them with `sinew_trajectory_free`.
///
/// `goals` contains `goals_per_pose` goals for the first pose, then as many for the second one, and so on. Their links are links of the
/// robot. `q0_count` must be the number of joints. `options` is as in `sinew_body_solve`. `trajectory_options` is NULL for the defaults.
///
/// The first row meets the first pose and is found from `q0`. Each following row continues from the last one, so that joints do not jump. A
/// joint that would move too far between two rows is an error. The times are as short as the velocity limits of the joints allow.
/// Accelerations are not limited. The trajectory of a robot with collisions is also tested between its rows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_robot_trajectory(
    robot: *const SinewRobot,
    goals: *const SinewGoal,
    goals_per_pose: usize,
    pose_count: usize,
    q0: *const f64,
    q0_count: usize,
    options: *const c_char,
    trajectory_options: *const SinewTrajectoryOptions,
    out: *mut *mut SinewTrajectory,
) -> SinewStatus {
    let create = || {
        // SAFETY: the caller passes a robot and `q0_count` numbers.
        let (robot, q0) = unsafe { (&shared("robot", robot)?.robot, slice("q0", q0, q0_count)?) };
        if goals_per_pose == 0 && pose_count > 0 {
            return Err(Failure::new(SinewStatus::Length, "goals_per_pose must be at least 1, but is 0"));
        }
        // SAFETY: the caller passes `goals_per_pose` goals for each pose.
        let goals = unsafe { slice("goals", goals, goals_per_pose.saturating_mul(pose_count)) }?;
        let goals = goals.iter().map(SinewGoal::goal).collect::<Result<Vec<Goal>, _>>()?;
        let path: Vec<Vec<Goal>> = goals.chunks(goals_per_pose.max(1)).map(<[Goal]>::to_vec).collect();
        let mut of_solves = Options::default();
        // SAFETY: the caller passes NULL or a valid string.
        unsafe { apply(&mut of_solves, options) }?;
        let of_trajectory = if trajectory_options.is_null() {
            TrajectoryOptions::default()
        } else {
            // SAFETY: the caller passes options.
            unsafe { shared("trajectory_options", trajectory_options) }?.options()?
        };
        let trajectory = robot.trajectory(&path, q0, &of_solves, &of_trajectory).map_err(failed)?;
        Ok(SinewTrajectory::new(robot.clone(), trajectory))
    };
    // SAFETY: the caller passes memory for a handle.
    guard(|| unsafe { give(out, create) })
}

/// Frees a trajectory. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_trajectory_free(trajectory: *mut SinewTrajectory) {
    // SAFETY: the caller passes a trajectory that is not used again.
    unsafe { free(trajectory) }
}

/// Returns the number of rows, or 0 if `trajectory` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_trajectory_row_count(trajectory: *const SinewTrajectory) -> usize {
    // SAFETY: the caller passes a trajectory.
    value_or(0, || Ok(unsafe { shared("trajectory", trajectory) }?.trajectory.table.rows.len())).0
}

/// Writes the times of all rows in seconds, in ascending order from 0. `count` must be the number of rows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_trajectory_times(
    trajectory: *const SinewTrajectory,
    times: *mut f64,
    count: usize,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a trajectory.
        let rows = &unsafe { shared("trajectory", trajectory) }?.trajectory.table.rows;
        let values: Vec<f64> = rows.iter().map(|(time, _)| *time).collect();
        // SAFETY: the caller passes memory for `count` numbers.
        unsafe { write("times", times, count, &values) }
    })
}

/// Writes the joint values of all rows, row after row. `count` must be the number of rows times the number of joints.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_trajectory_q(
    trajectory: *const SinewTrajectory,
    q: *mut f64,
    count: usize,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a trajectory.
        let rows = &unsafe { shared("trajectory", trajectory) }?.trajectory.table.rows;
        let values: Vec<f64> = rows.iter().flat_map(|(_, q)| q.iter().copied()).collect();
        // SAFETY: the caller passes memory for `count` numbers.
        unsafe { write("q", q, count, &values) }
    })
}

/// Writes the index of the row of each pose of the path. `count` must be the number of poses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_trajectory_pose_rows(
    trajectory: *const SinewTrajectory,
    rows: *mut usize,
    count: usize,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a trajectory.
        let poses = &unsafe { shared("trajectory", trajectory) }?.trajectory.poses;
        // SAFETY: the caller passes memory for `count` indices.
        unsafe { write("rows", rows, count, poses) }
    })
}

/// Writes the results of the goals of a row. `count` must be the number of goals of each pose.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_trajectory_results(
    trajectory: *const SinewTrajectory,
    row: usize,
    results: *mut SinewResult,
    count: usize,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a trajectory.
        let solutions = &unsafe { shared("trajectory", trajectory) }?.trajectory.solutions;
        let solution = solutions.get(row).ok_or_else(|| missing("row", row, solutions.len()))?;
        let result = |g: &GoalOutcome| SinewResult::new(g.outcome, g.position_error, g.orientation_error);
        let values: Vec<SinewResult> = solution.report.goals.iter().map(result).collect();
        // SAFETY: the caller passes memory for `count` results.
        unsafe { write("results", results, count, &values) }
    })
}

/// Returns 1 if all goals are within tolerance at all rows and the whole way is free of collisions. Returns 0 if not, or if `trajectory` is
/// NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_trajectory_reached(trajectory: *const SinewTrajectory) -> c_int {
    // SAFETY: the caller passes a trajectory.
    value_or(0, || Ok(c_int::from(unsafe { shared("trajectory", trajectory) }?.trajectory.reached()))).0
}

/// Stores the smallest distance on the whole way, also between rows, in `*out`. The names belong to the trajectory. The distance is
/// infinity if the robot has no collisions to avoid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_trajectory_clearance(
    trajectory: *const SinewTrajectory,
    out: *mut SinewClearance,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a trajectory.
        let SinewTrajectory { trajectory, names, .. } = unsafe { shared("trajectory", trajectory) }?;
        let names = names.each_ref().map(|name| name.as_ptr());
        let found = SinewClearance::new(trajectory.clearance.as_ref().map(|nearest| (nearest, names)));
        // SAFETY: the caller passes memory for a clearance.
        unsafe { write("out", out, 1, &[found]) }
    })
}

/// Writes a trajectory to a CSV file with the columns `time` in seconds and one for each joint. An existing file is replaced.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_trajectory_write_csv(
    trajectory: *const SinewTrajectory,
    path: *const c_char,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a trajectory and a valid string.
        let (own, path) = unsafe { (shared("trajectory", trajectory)?, Path::new(text("path", path)?)) };
        let csv = own.trajectory.to_csv(&own.robot);
        let failed = |e| Failure::new(SinewStatus::File, format_args!("{}: {e}", path.display()));
        atomic::write(path, csv.as_bytes()).map_err(failed)
    })
}

impl SinewTrajectory {
    fn new(robot: Robot, trajectory: Trajectory) -> Self {
        let nearest = trajectory.clearance.as_ref();
        let names = nearest.map(|nearest| nearest.pair.each_ref().map(|name| c_name(name)));
        Self { names: names.unwrap_or_default(), robot, trajectory }
    }
}

impl SinewTrajectoryOptions {
    /// Converts these options to the library's type. Their numbers are checked when they are used.
    fn options(&self) -> Result<TrajectoryOptions, Failure> {
        let redundancy = match self.redundancy {
            SINEW_REDUNDANCY_NEAREST => Redundancy::Nearest,
            SINEW_REDUNDANCY_REST => Redundancy::Rest,
            SINEW_REDUNDANCY_JOINT_CENTRES => Redundancy::JointCentres,
            SINEW_REDUNDANCY_MANIPULABILITY => Redundancy::Manipulability,
            other => return Err(Failure::invalid(format_args!("redundancy {other} does not exist"))),
        };
        let or = |value: f64, default: f64| if value == 0.0 { default } else { value };
        let base = TrajectoryOptions::default();
        Ok(base
            .with_spacing(or(self.spacing, base.spacing))
            .with_turn_spacing(or(self.turn_spacing, base.turn_spacing))
            .with_largest_step(or(self.largest_step, base.largest_step))
            .with_speed(or(self.speed, base.speed))
            .with_default_velocity(or(self.default_velocity, base.default_velocity))
            .with_redundancy(redundancy)
            .with_gain(or(self.gain, base.gain)))
    }
}

/// Returns the failure for an error of a trajectory.
fn failed(error: TrajectoryError) -> Failure {
    let status = match &error {
        TrajectoryError::Options(source) | TrajectoryError::Pose { source, .. } => status_of(source),
        _ => SinewStatus::Invalid,
    };
    Failure::new(status, error)
}
