//! Collisions of a robot with itself and with obstacles.

use std::ffi::{CString, c_char};
use std::path::Path;

use sinew::asset;
use sinew::robot::{Collisions, Robot, RobotClearance};

use crate::obstacle::{SinewCapsule, SinewObstacle};
use crate::pointers::{give, shared, slice, text, write};
use crate::robot::{SinewRobot, refused};
use crate::status::{Failure, SinewStatus, guard};

/// The shapes of a robot's links and of its surroundings. All zeros are a valid start. Either `urdf` or `capsules` must be set.
///
/// Links may touch if nothing moves one relative to the other, if they are next to each other, if their capsules overlap in the rest pose,
/// or if `srdf` says so. Obstacles may touch links that never move, such as the base.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SinewCollisions {
    /// Path of the robot's .urdf file, or NULL. Capsules are fitted to the meshes of its links. All triangles of a link are inside its
    /// capsules, of which there are at most four.
    pub urdf: *const c_char,
    /// The capsules of the links if `urdf` is NULL. Links without capsules never collide.
    pub capsules: *const SinewCapsule,
    /// Number of capsules.
    pub capsule_count: usize,
    /// Path of a .srdf file, or NULL. The two links of each `<disable_collisions link1="A" link2="B"/>` may touch.
    pub srdf: *const c_char,
    /// The obstacles.
    pub obstacles: *const SinewObstacle,
    /// Number of obstacles.
    pub obstacle_count: usize,
    /// The distance in metres that links keep from each other and from obstacles, at least 0.
    pub margin: f64,
}

/// The smallest distance between shapes that must not touch. Without such shapes, `distance` is infinity, the names are NULL, and the
/// other numbers are 0.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SinewClearance {
    /// The distance between the surfaces in metres. A negative value is the depth of the penetration.
    pub distance: f64,
    /// The names of a link, and of the link or obstacle that is nearest to it. The texts belong to the handle that the function was
    /// called with.
    pub names: [*const c_char; 2],
    /// The nearest points x, y, z of the two surfaces, in metres in the robot's own frame.
    pub points: [[f64; 3]; 2],
    /// Unit vector in the robot's own frame from the second surface to the first.
    pub normal: [f64; 3],
}

/// Copies a robot, adds collisions to the copy, and stores it in `*out`. Free it with `sinew_robot_free`. Collisions that `robot` has are
/// not copied.
///
/// `sinew_robot_solve` and `sinew_robot_trajectory` of the copy keep all shapes apart by at least the margin. If the plain answer collides,
/// the solver looks for a way around the obstacles, first from `q0` and then from other start poses. An answer that still collides does not
/// count as reached: the outcome of its goals is `SINEW_OUTCOME_BLOCKED_BY_CONTACT`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_robot_with_collisions(
    robot: *const SinewRobot,
    collisions: *const SinewCollisions,
    out: *mut *mut SinewRobot,
) -> SinewStatus {
    let create = || {
        // SAFETY: the caller passes a robot.
        let robot = unsafe { shared("robot", robot) }?;
        // SAFETY: the caller passes collisions.
        let collisions = unsafe { shared("collisions", collisions) }?;
        // SAFETY: the caller passes collisions with valid pointers.
        let (collisions, names) = unsafe { collisions.collisions(&robot.robot) }?;
        robot.with_collisions(collisions, names)
    };
    // SAFETY: the caller passes memory for a handle.
    guard(|| unsafe { give(out, create) })
}

/// Stores the smallest distance for joint values in `*out`. `q_count` must be the number of joints. The names belong to the robot. The
/// distance is infinity if the robot has no collisions to avoid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_robot_clearance(
    robot: *const SinewRobot,
    q: *const f64,
    q_count: usize,
    out: *mut SinewClearance,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a robot and `q_count` numbers.
        let (robot, q) = unsafe { (shared("robot", robot)?, slice("q", q, q_count)?) };
        let nearest = robot.robot.clearance(q).map_err(refused)?;
        let names = |nearest: &RobotClearance| nearest.pair.each_ref().map(|name| robot.name_of_body(name));
        let found = SinewClearance::new(nearest.as_ref().map(|nearest| (nearest, names(nearest))));
        // SAFETY: the caller passes memory for a clearance.
        unsafe { write("out", out, 1, &[found]) }
    })
}

/// Writes the derivative of the smallest distance with respect to `q`: metres per radian or per metre. It is 0 if the robot has no
/// collisions to avoid. The distance has a kink where another pair becomes the nearest.
///
/// `q_count` and `count` must be the number of joints.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_robot_clearance_gradient(
    robot: *const SinewRobot,
    q: *const f64,
    q_count: usize,
    gradient: *mut f64,
    count: usize,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a robot and `q_count` numbers.
        let (robot, q) = unsafe { (&shared("robot", robot)?.robot, slice("q", q, q_count)?) };
        let mut values = robot.clearance_gradient(q).map_err(refused)?;
        // It is empty if there is nothing to avoid.
        values.resize(robot.joints().len(), 0.0);
        // SAFETY: the caller passes memory for `count` numbers.
        unsafe { write("gradient", gradient, count, &values) }
    })
}

impl SinewClearance {
    /// Returns the clearance with texts for the names of its pair.
    pub(crate) fn new(nearest: Option<(&RobotClearance, [*const c_char; 2])>) -> Self {
        let Some((nearest, names)) = nearest else {
            let (names, points) = ([std::ptr::null(); 2], [[0.0; 3]; 2]);
            return Self { distance: f64::INFINITY, names, points, normal: [0.0; 3] };
        };
        let points = nearest.points.map(|point| point.to_array());
        Self { distance: nearest.distance, names, points, normal: nearest.normal.to_array() }
    }
}

impl SinewRobot {
    /// Returns a copy with collisions. `obstacle_names` are the names of their obstacles.
    fn with_collisions(&self, collisions: Collisions, obstacle_names: Vec<CString>) -> Result<Self, Failure> {
        let robot = self.robot.clone().with_collisions(collisions).map_err(refused)?;
        let (joint_names, link_names) = (self.joint_names.clone(), self.link_names.clone());
        Ok(Self { robot, joint_names, link_names, obstacle_names })
    }

    /// Returns the text of the name of a link or an obstacle. The text belongs to the robot.
    fn name_of_body(&self, name: &str) -> *const c_char {
        let mut names = self.link_names.iter().chain(&self.obstacle_names);
        let found = names.find(|own| own.as_bytes() == name.as_bytes());
        found.map_or(std::ptr::null(), |own| own.as_ptr())
    }
}

impl SinewCollisions {
    /// Converts the collisions to the library's type, and returns them with the names of the obstacles.
    ///
    /// # Safety
    /// Each pointer that is not NULL must point to what its documentation says, and this must not change during the call.
    unsafe fn collisions(&self, robot: &Robot) -> Result<(Collisions, Vec<CString>), Failure> {
        // SAFETY: promised by the caller.
        let capsules = unsafe { slice("capsules", self.capsules, self.capsule_count) }?;
        // SAFETY: promised by the caller.
        let (urdf, srdf) = unsafe { (path("urdf", self.urdf)?, path("srdf", self.srdf)?) };
        // SAFETY: promised by the caller.
        let obstacles = unsafe { slice("obstacles", self.obstacles, self.obstacle_count) }?;
        let mut collisions = match (urdf, capsules) {
            (Some(urdf), []) => fitted(robot, urdf)?,
            (None, [_, ..]) => {
                let capsules = capsules.iter().map(SinewCapsule::capsule).collect();
                Collisions::from_capsules(robot, capsules).map_err(refused)?
            }
            (None, []) => {
                return Err(Failure::invalid("urdf and capsules are both missing; one of them is required"));
            }
            (Some(_), _) => {
                return Err(Failure::invalid("urdf and capsules are both set; only one of them is allowed"));
            }
        };
        if let Some(srdf) = srdf {
            collisions = with_srdf(collisions, srdf)?;
        }
        let mut names = Vec::with_capacity(obstacles.len());
        for (index, obstacle) in obstacles.iter().enumerate() {
            // SAFETY: promised by the caller.
            let name = unsafe { text(&format!("the name of obstacle {index}"), obstacle.name) }?;
            // SAFETY: promised by the caller.
            let shape = unsafe { obstacle.obstacle(name) }?;
            collisions = collisions.with_obstacle(name, shape).map_err(refused)?;
            // The text of a C string contains no NUL.
            names.push(CString::new(name).unwrap_or_default());
        }
        Ok((collisions.with_margin(self.margin).map_err(refused)?, names))
    }
}

/// Returns a path, or `None` if the pointer is NULL.
///
/// # Safety
/// See [`text`].
unsafe fn path<'a>(name: &str, pointer: *const c_char) -> Result<Option<&'a str>, Failure> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: promised by the caller.
    unsafe { text(name, pointer) }.map(Some)
}

/// Fits capsules to the meshes of a URDF file.
fn fitted(robot: &Robot, path: &str) -> Result<Collisions, Failure> {
    let failed = |cause: String| Failure::new(SinewStatus::File, format_args!("{path}: {cause}"));
    let character = asset::load(Path::new(path)).map_err(|e| Failure::new(SinewStatus::File, e))?;
    let drawn = Robot::new(&character).map_err(|e| failed(e.to_string()))?;
    if drawn.links() != robot.links() {
        return Err(failed(format!("the links are not those of robot \"{}\"", robot.name())));
    }
    let fitted = Collisions::from_character(&drawn, &character).map_err(|e| failed(e.to_string()))?;
    if fitted.capsules().is_empty() {
        return Err(failed("the links have no meshes; use capsules instead".into()));
    }
    // Only the shapes come from the file. The joints, which decide which links are next to each other, are those of the robot.
    Collisions::from_capsules(robot, fitted.capsules().to_vec()).map_err(refused)
}

/// Lets the pairs of links touch that a SRDF file lists.
fn with_srdf(collisions: Collisions, path: &str) -> Result<Collisions, Failure> {
    let failed = |cause: &str| Failure::new(SinewStatus::File, format_args!("{path}: {cause}"));
    let srdf = std::fs::read_to_string(path).map_err(|e| failed(&e.to_string()))?;
    collisions.with_srdf(&srdf).map_err(|e| {
        let cause = e.to_string();
        failed(cause.strip_prefix("SRDF: ").unwrap_or(&cause))
    })
}
