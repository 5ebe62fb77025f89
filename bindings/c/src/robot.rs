//! Robots from URDF files, and their forward kinematics.

use std::ffi::{CString, c_char};
use std::fmt::Display;

use glam::{DMat4, DVec3};
use sinew::ik::LinkIndex;
use sinew::robot::{JointUnit, Robot, RobotError};

use crate::character::missing;
use crate::pointers::{free, give, shared, slice, text, write};
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
    unsafe { count(robot, |robot| &robot.joint_names) }
}

/// Returns the name of a joint, or NULL if the joint does not exist. The text belongs to the robot.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_robot_joint_name(robot: *const SinewRobot, joint: usize) -> *const c_char {
    // SAFETY: the caller passes a robot.
    unsafe { name(robot, |robot| &robot.joint_names, "joint", joint) }
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
        let joint = SinewJoint { unit, lower, upper, rest: own.rest, velocity, link: own.link.0 };
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
    // SAFETY: the caller passes a robot, a valid string, and memory for an index.
    unsafe { find(robot, name, Robot::joint, out) }
}

/// Returns the number of links, or 0 if `robot` is NULL. The root link is the first one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_robot_link_count(robot: *const SinewRobot) -> usize {
    // SAFETY: the caller passes a robot.
    unsafe { count(robot, |robot| &robot.link_names) }
}

/// Returns the name of a link, or NULL if the link does not exist. The text belongs to the robot.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_robot_link_name(robot: *const SinewRobot, link: usize) -> *const c_char {
    // SAFETY: the caller passes a robot.
    unsafe { name(robot, |robot| &robot.link_names, "link", link) }
}

/// Stores the index of the link with the given name in `*out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_robot_find_link(
    robot: *const SinewRobot,
    name: *const c_char,
    out: *mut usize,
) -> SinewStatus {
    // SAFETY: the caller passes a robot, a valid string, and memory for an index.
    unsafe { find(robot, name, |robot, name| robot.link(name).map(|link| link.0), out) }
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
        let (robot, q) = unsafe { robot_at(robot, q, q_count, link) }?;
        let transform = robot.world_from_link(q, LinkIndex(link)).map_err(refused)?;
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
        let (robot, q) = unsafe { robot_at(robot, q, q_count, link) }?;
        let point = if point.is_null() {
            DVec3::ZERO
        } else {
            // SAFETY: the caller passes three numbers.
            unsafe { slice("point", point, 3) }?.first_chunk().map_or(DVec3::ZERO, |p| DVec3::from_array(*p))
        };
        if !point.is_finite() {
            return Err(Failure::invalid("the point must be finite"));
        }
        let columns = robot.jacobian(q, LinkIndex(link), point).map_err(refused)?;
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

/// Returns the number of names of a robot, or 0 if the robot is NULL.
///
/// # Safety
/// See [`shared`].
unsafe fn count(robot: *const SinewRobot, names: fn(&SinewRobot) -> &[CString]) -> usize {
    // SAFETY: promised by the caller.
    value_or(0, || Ok(names(unsafe { shared("robot", robot) }?).len())).0
}

/// Returns the text of a name of a robot, or NULL if it does not exist.
///
/// # Safety
/// See [`shared`].
unsafe fn name(
    robot: *const SinewRobot,
    names: fn(&SinewRobot) -> &[CString],
    kind: &str,
    index: usize,
) -> *const c_char {
    let name = || {
        // SAFETY: promised by the caller.
        let names = names(unsafe { shared("robot", robot) }?);
        let name = names.get(index).ok_or_else(|| missing(kind, index, names.len()))?;
        Ok(name.as_ptr())
    };
    value_or(std::ptr::null(), name).0
}

/// Stores the index that a robot finds for a name in `*out`.
///
/// # Safety
/// See [`shared`], [`text`] and [`write()`].
unsafe fn find<E: Display>(
    robot: *const SinewRobot,
    name: *const c_char,
    find: fn(&Robot, &str) -> Result<usize, E>,
    out: *mut usize,
) -> SinewStatus {
    guard(|| {
        // SAFETY: promised by the caller.
        let (robot, name) = unsafe { (&shared("robot", robot)?.robot, text("name", name)?) };
        let found = find(robot, name).map_err(Failure::invalid)?;
        // SAFETY: promised by the caller.
        unsafe { write("out", out, 1, &[found]) }
    })
}

/// Returns a robot that has a link, and joint values.
///
/// # Safety
/// See [`shared`] and [`slice`].
unsafe fn robot_at<'a>(
    robot: *const SinewRobot,
    q: *const f64,
    q_count: usize,
    link: usize,
) -> Result<(&'a Robot, &'a [f64]), Failure> {
    // SAFETY: promised by the caller.
    let (robot, q) = unsafe { (&shared("robot", robot)?.robot, slice("q", q, q_count)?) };
    let count = robot.links().len();
    if link < count { Ok((robot, q)) } else { Err(missing("link", link, count)) }
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
