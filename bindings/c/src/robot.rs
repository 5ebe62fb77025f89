//! Robots from URDF files: joint values in, joint values out.

use std::ffi::{CString, c_char};

use glam::{DMat4, DVec3};
use sinew::ik::{self, Goal, Options, Solver};
use sinew::robot::{JointUnit, Robot, RobotError};

use crate::character::missing;
use crate::goal::{SinewGoal, SinewResult, apply};
use crate::pointers::{check_output, free, give, shared, slice, text, write};
use crate::status::{Failure, SinewStatus, guard, value_or};

/// A robot. `q` has one value for each joint that moves by itself, in the order of the file: radians for hinges, metres for slides.
/// Everything is in the robot's own frame, the frame of its root link, with +Z up. A robot is immutable, so several threads may use it at
/// the same time.
pub struct SinewRobot {
    pub(crate) robot: Robot,
    pub(crate) joint_names: Vec<CString>,
    pub(crate) link_names: Vec<CString>,
    pub(crate) obstacle_names: Vec<CString>,
}

/// The unit of a joint value.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SinewUnit {
    /// Radians, for a hinge.
    Radians = 0,
    /// Metres, for a slide.
    Metres = 1,
}

/// A joint with a value in `q`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SinewJoint {
    /// The unit of the joint's value.
    pub unit: SinewUnit,
    /// The smallest value. Minus infinity for a continuous joint.
    pub lower: f64,
    /// The largest value. Infinity for a continuous joint.
    pub upper: f64,
    /// The initial value: 0, or the middle of a range that excludes 0.
    pub rest: f64,
    /// Maximum speed in radians or metres per second, or infinity if the file has none.
    pub velocity: f64,
    /// Index of the link that the joint moves.
    pub link: usize,
}

impl SinewRobot {
    fn new(read: Result<Robot, RobotError>) -> Result<Self, Failure> {
        let robot = read.map_err(|e| Failure::new(SinewStatus::File, e))?;
        let joint_names = robot.joints().iter().map(|joint| c_name(&joint.name)).collect();
        let link_names = robot.links().iter().map(|name| c_name(name)).collect();
        Ok(Self { robot, joint_names, link_names, obstacle_names: Vec::new() })
    }
}

/// Reads a robot from the text of a URDF file, without its shapes, and stores it in `*out`. Free it with `sinew_robot_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_robot_from_urdf(
    urdf: *const c_char,
    out: *mut *mut SinewRobot,
) -> SinewStatus {
    let create = || {
        // SAFETY: the caller passes a valid string.
        SinewRobot::new(Robot::from_urdf(unsafe { text("urdf", urdf) }?))
    };
    // SAFETY: the caller passes memory for a handle.
    guard(|| unsafe { give(out, create) })
}

/// Reads a robot from a URDF file, without its shapes, and stores it in `*out`. Free it with `sinew_robot_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_robot_load(path: *const c_char, out: *mut *mut SinewRobot) -> SinewStatus {
    let create = || {
        // SAFETY: the caller passes a valid string.
        let path = unsafe { text("path", path) }?;
        let failed = |cause: String| Failure::new(SinewStatus::File, format_args!("{path}: {cause}"));
        let urdf = std::fs::read_to_string(path).map_err(|e| failed(e.to_string()))?;
        let robot = Robot::from_urdf(&urdf).map_err(|e| {
            let cause = e.to_string();
            failed(cause.strip_prefix("URDF: ").unwrap_or(&cause).to_owned())
        })?;
        SinewRobot::new(Ok(robot))
    };
    // SAFETY: the caller passes memory for a handle.
    guard(|| unsafe { give(out, create) })
}

/// Frees a robot. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_robot_free(robot: *mut SinewRobot) {
    // SAFETY: the caller passes a robot that is not used again.
    unsafe { free(robot) }
}

/// Returns the number of joints with a value in `q`, or 0 if `robot` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_robot_joint_count(robot: *const SinewRobot) -> usize {
    // SAFETY: the caller passes a robot.
    value_or(0, || Ok(unsafe { shared("robot", robot) }?.joint_names.len())).0
}

/// Returns the name of a joint, or NULL if the joint does not exist. The text belongs to the robot.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_robot_joint_name(robot: *const SinewRobot, joint: usize) -> *const c_char {
    // SAFETY: the caller passes a robot.
    let name = || name_of(&unsafe { shared("robot", robot) }?.joint_names, "joint", joint);
    value_or(std::ptr::null(), name).0
}

/// Stores the unit, the range, the initial value and the velocity of a joint in `*out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_robot_joint(
    robot: *const SinewRobot,
    joint: usize,
    out: *mut SinewJoint,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a robot.
        let joints = unsafe { shared("robot", robot) }?.robot.joints();
        let own = joints.get(joint).ok_or_else(|| missing("joint", joint, joints.len()))?;
        let unit = match own.unit {
            JointUnit::Radians => SinewUnit::Radians,
            JointUnit::Metres => SinewUnit::Metres,
        };
        let [lower, upper] = own.range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        let velocity = own.velocity.unwrap_or(f64::INFINITY);
        let joint = SinewJoint { unit, lower, upper, rest: own.rest, velocity, link: own.link };
        // SAFETY: the caller passes memory for a joint.
        unsafe { write("out", out, 1, &[joint]) }
    })
}

/// Stores the position in `q` of the joint with the given name in `*out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_robot_find_joint(
    robot: *const SinewRobot,
    name: *const c_char,
    out: *mut usize,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a robot and a valid string.
        let (robot, name) = unsafe { (&shared("robot", robot)?.robot, text("name", name)?) };
        let found = robot.joint(name).map_err(Failure::invalid)?;
        // SAFETY: the caller passes memory for an index.
        unsafe { write("out", out, 1, &[found]) }
    })
}

/// Returns the number of links, or 0 if `robot` is NULL. The root link is the first one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_robot_link_count(robot: *const SinewRobot) -> usize {
    // SAFETY: the caller passes a robot.
    value_or(0, || Ok(unsafe { shared("robot", robot) }?.link_names.len())).0
}

/// Returns the name of a link, or NULL if the link does not exist. The text belongs to the robot.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_robot_link_name(robot: *const SinewRobot, link: usize) -> *const c_char {
    // SAFETY: the caller passes a robot.
    let name = || name_of(&unsafe { shared("robot", robot) }?.link_names, "link", link);
    value_or(std::ptr::null(), name).0
}

/// Stores the index of the link with the given name in `*out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_robot_find_link(
    robot: *const SinewRobot,
    name: *const c_char,
    out: *mut usize,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a robot and a valid string.
        let (robot, name) = unsafe { (&shared("robot", robot)?.robot, text("name", name)?) };
        let found = robot.link(name).map_err(Failure::invalid)?;
        // SAFETY: the caller passes memory for an index.
        unsafe { write("out", out, 1, &[found]) }
    })
}

/// Writes the matrix `world_from_link` of a link for joint values, in column-major order (forward kinematics). `q_count` must be the number
/// of joints, and `count` must be 16.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_robot_fk(
    robot: *const SinewRobot,
    q: *const f64,
    q_count: usize,
    link: usize,
    matrix: *mut f64,
    count: usize,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a robot and `q_count` numbers.
        let (robot, q) = unsafe { (&shared("robot", robot)?.robot, slice("q", q, q_count)?) };
        check_link(robot, link)?;
        let transform = robot.world_from_link(q, link).map_err(refused)?;
        let values = DMat4::from(transform).to_cols_array();
        // SAFETY: the caller passes memory for `count` numbers.
        unsafe { write("matrix", matrix, count, &values) }
    })
}

/// Writes the derivative of a point of a link with respect to `q`: six rows with one number for each joint, row after row. The rows are the
/// velocity of the point along x, y and z, and the angular velocity of the link about x, y and z.
///
/// `point` is NULL for the origin of the link, or three numbers in metres in the frame of the link. `q_count` must be the number of joints,
/// and `count` must be six times the number of joints.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_robot_jacobian(
    robot: *const SinewRobot,
    q: *const f64,
    q_count: usize,
    link: usize,
    point: *const f64,
    jacobian: *mut f64,
    count: usize,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a robot and `q_count` numbers.
        let (robot, q) = unsafe { (&shared("robot", robot)?.robot, slice("q", q, q_count)?) };
        check_link(robot, link)?;
        let point = if point.is_null() {
            DVec3::ZERO
        } else {
            // SAFETY: the caller passes three numbers.
            unsafe { slice("point", point, 3) }?.first_chunk().map_or(DVec3::ZERO, |p| DVec3::from_array(*p))
        };
        if !point.is_finite() {
            return Err(Failure::invalid("the point must be finite"));
        }
        let columns = robot.jacobian(q, link, point).map_err(refused)?;
        let columns: Vec<[f64; 6]> = columns
            .iter()
            .map(|column| {
                let ([a, b, c], [d, e, f]) = (column.linear.to_array(), column.angular.to_array());
                [a, b, c, d, e, f]
            })
            .collect();
        let row = |row: usize| columns.iter().map(move |column| column.get(row).copied().unwrap_or_default());
        let values: Vec<f64> = (0..6).flat_map(row).collect();
        // SAFETY: the caller passes memory for `count` numbers.
        unsafe { write("jacobian", jacobian, count, &values) }
    })
}

/// Finds joint values that meet the goals as closely as possible, starting from `q0`. The links of the goals are links of the robot.
///
/// `q0_count` and `q_count` must be the number of joints. `q` receives the joint values, all within their ranges, and may be `q0`.
/// `options`, `results` and `result_count` are as in `sinew_body_solve`. If the call fails, `q` is unchanged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_robot_solve(
    robot: *const SinewRobot,
    goals: *const SinewGoal,
    goal_count: usize,
    q0: *const f64,
    q0_count: usize,
    options: *const c_char,
    q: *mut f64,
    q_count: usize,
    results: *mut SinewResult,
    result_count: usize,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a robot and `goal_count` goals.
        let (robot, goals) = unsafe { (&shared("robot", robot)?.robot, slice("goals", goals, goal_count)?) };
        let goals = goals.iter().map(SinewGoal::goal).collect::<Result<Vec<Goal>, _>>()?;
        // SAFETY: the caller passes `q0_count` numbers. They are copied, because `q` may be the same array.
        let start = unsafe { slice("q0", q0, q0_count) }?.to_vec();
        let mut all = Options::default();
        // SAFETY: the caller passes NULL or a valid string.
        unsafe { apply(&mut all, options) }?;
        check_output("q", q, q_count, robot.joints().len())?;
        if result_count != 0 {
            check_output("results", results, result_count, goals.len())?;
        }
        let solution = robot.solve_with(&mut Solver::default(), &goals, &start, &all).map_err(refused)?;
        let result = |g: &ik::GoalOutcome| SinewResult::new(g.outcome, g.position_error, g.orientation_error);
        let values: Vec<SinewResult> = solution.report.goals.iter().map(result).take(result_count).collect();
        // SAFETY: the caller passes memory for `q_count` numbers.
        unsafe { write("q", q, q_count, &solution.q) }?;
        // SAFETY: the caller passes memory for `result_count` results.
        unsafe { write("results", results, result_count, &values) }
    })
}

fn check_link(robot: &Robot, link: usize) -> Result<(), Failure> {
    let count = robot.links().len();
    if link < count { Ok(()) } else { Err(missing("link", link, count)) }
}

/// Returns the failure for an error of a robot.
pub(crate) fn refused(error: RobotError) -> Failure {
    Failure::new(status_of(&error), error)
}

pub(crate) fn status_of(error: &RobotError) -> SinewStatus {
    match error {
        RobotError::Count { .. } => SinewStatus::Length,
        RobotError::Solve(_) | RobotError::Jump { .. } => SinewStatus::Solve,
        _ => SinewStatus::Invalid,
    }
}

/// Returns the text of a name. A C string cannot contain NUL.
pub(crate) fn c_name(name: &str) -> CString {
    CString::new(name.replace('\0', " ")).unwrap_or_default()
}

fn name_of(names: &[CString], kind: &str, index: usize) -> Result<*const c_char, Failure> {
    names.get(index).map(|name| name.as_ptr()).ok_or_else(|| missing(kind, index, names.len()))
}
