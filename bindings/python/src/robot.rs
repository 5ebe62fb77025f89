//! Robots from URDF files: joint values in, joint values out.

use std::path::{Path, PathBuf};

use glam::DVec3;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};
use sinew::ik::Options;
use sinew::robot::{self, TrajectoryOptions};

use crate::arrays::{list, read_only, vector};
use crate::error::{OrRaise, error};
use crate::options;
use crate::pickle::{Reduced, reduce};
use crate::robot_arguments::LinkName;
use crate::robot_arrays::shaped;
use crate::robot_collisions::{
    self, Capsule, Clearance, CollisionData, CollisionState, GivenCapsule, Meshes,
};
use crate::robot_kinematics;
use crate::robot_solutions::RobotSolutions;
use crate::robot_trajectory::{self, Trajectory};

/// A robot, read from a URDF file. `q` has one value for each joint that moves independently, in the order of `joint_names`: radians for
/// hinges, metres for slides. Everything is in the robot's frame, the frame of its root link, with +Z up.
///
/// Arrays of joint values have the shape (joints,) or (n, joints), and results have the same leading axis.
#[pyclass(frozen, module = "sinew")]
pub(crate) struct Robot {
    pub(crate) robot: robot::Robot,
    /// The text of the file, for pickle.
    text: String,
    /// The path of the file, if the robot was read from one.
    pub(crate) file: Option<PathBuf>,
    /// The parts of its collisions, for pickle.
    collisions: Option<CollisionData>,
}

#[pymethods]
impl Robot {
    /// Reads a URDF file. Meshes are not read. A xacro file must be expanded first.
    #[new]
    fn new(py: Python<'_>, file: PathBuf) -> PyResult<Self> {
        py.detach(|| {
            let text =
                std::fs::read_to_string(&file).map_err(|e| error(format!("{}: {e}", file.display())))?;
            let robot = robot::Robot::from_urdf(&text);
            let robot = robot.map_err(|e| {
                let cause = e.to_string();
                error(format!("{}: {}", file.display(), cause.strip_prefix("URDF: ").unwrap_or(&cause)))
            })?;
            // The meshes are read later, perhaps from another working directory.
            let file = std::path::absolute(&file).unwrap_or(file);
            Ok(Self { robot, text, file: Some(file), collisions: None })
        })
    }

    /// Reads the text of a URDF file.
    #[staticmethod]
    fn from_urdf(text: String) -> PyResult<Self> {
        Ok(Self { robot: robot::Robot::from_urdf(&text).or_raise()?, text, file: None, collisions: None })
    }

    #[staticmethod]
    fn _from_state(
        text: String,
        file: Option<PathBuf>,
        collisions: Option<CollisionState>,
    ) -> PyResult<Self> {
        let own = Self { file, ..Self::from_urdf(text)? };
        match collisions {
            Some(state) => own.avoiding(CollisionData::from_state(&own.robot, state)?),
            None => Ok(own),
        }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let own = slf.get();
        let collisions = own.collisions.as_ref().map(|collisions| collisions.state(&own.robot));
        reduce(slf, "_from_state", (&own.text, own.file.as_deref().map(Path::as_os_str), collisions))
    }

    /// The name of the robot.
    #[getter]
    fn name(&self) -> &str {
        self.robot.name()
    }

    /// The names of the joints, in the order of `q`.
    #[getter]
    fn joint_names(&self) -> Vec<String> {
        self.robot.joints().iter().map(|joint| joint.name.clone()).collect()
    }

    /// The units of the joints, "rad" or "m".
    #[getter]
    fn units(&self) -> Vec<&'static str> {
        self.robot.joints().iter().map(|joint| joint.unit.symbol()).collect()
    }

    /// The smallest joint values, shape (joints,). Minus infinity for continuous joints.
    #[getter]
    fn lower<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let lower = |joint: &robot::RobotJoint| joint.range.map_or(f64::NEG_INFINITY, |[min, _]| min);
        read_only(&list(py, self.robot.joints().iter().map(lower).collect()))
    }

    /// The largest joint values, shape (joints,). Infinity for continuous joints.
    #[getter]
    fn upper<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let upper = |joint: &robot::RobotJoint| joint.range.map_or(f64::INFINITY, |[_, max]| max);
        read_only(&list(py, self.robot.joints().iter().map(upper).collect()))
    }

    /// The largest speeds in radians or metres per second, shape (joints,). Infinity where the file has no limit.
    #[getter]
    fn velocity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let velocity = |joint: &robot::RobotJoint| joint.velocity.unwrap_or(f64::INFINITY);
        read_only(&list(py, self.robot.joints().iter().map(velocity).collect()))
    }

    /// The rest values of the joints, shape (joints,): 0, or the middle of a range that excludes 0.
    #[getter]
    fn rest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        read_only(&list(py, self.robot.rest()))
    }

    /// The names of the links. The root is the first one, and parents precede their children.
    #[getter]
    fn link_names(&self) -> Vec<String> {
        self.robot.links().to_vec()
    }

    /// The names of the links that are moved by joints and have no children.
    #[getter]
    fn tip_names(&self) -> Vec<String> {
        self.robot.tips().into_iter().filter_map(|tip| self.robot.links().get(tip.0).cloned()).collect()
    }

    /// The names of the mimic joints, in the order of `mimic_values`.
    #[getter]
    fn mimic_names(&self) -> Vec<String> {
        self.robot.mimics().iter().map(|mimic| mimic.name.clone()).collect()
    }

    /// Returns the values of the mimic joints, shape (..., mimics). Mimic joints follow other joints.
    fn mimic_values<'py>(&self, py: Python<'py>, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let q = self.values("q", q)?;
        let values = (0..q.rows()).flat_map(|row| self.robot.mimic_values(q.row(row))).collect();
        shaped(py, values, q.count, &[self.robot.mimics().len()])
    }

    /// The capsules of the links: the name of the link, the start and the end in metres in the frame of the link, and the radius in metres.
    /// Empty without collisions.
    #[getter]
    fn capsules(&self) -> Vec<Capsule> {
        robot_collisions::capsules(&self.robot)
    }

    /// The names of the pairs of links, and of links and obstacles, that must not touch. Empty without collisions.
    #[getter]
    fn collision_pairs(&self) -> Vec<(String, String)> {
        let pairs = self.robot.collisions().map_or_else(Vec::new, robot::Collisions::pairs);
        pairs.into_iter().map(|[first, second]| (first.to_owned(), second.to_owned())).collect()
    }

    /// Returns a robot that keeps clear of itself and of obstacles. Its solves, paths and trajectories avoid collisions, and a result that
    /// collides does not count as reached. Collisions that the robot already has are replaced.
    ///
    /// The links have capsules. `meshes` fits them to the shapes in a URDF file: its path, or True for the file from which the robot was
    /// read. `capsules` lists them as (link, start, end, radius) instead, with points of shape (3,) in the frame of the link, in metres.
    /// `obstacles` maps names to obstacles. All pairs keep a distance of at least `margin` metres.
    ///
    /// Links may touch if nothing moves one relative to the other, if they are next to each other, or if their capsules overlap in the rest
    /// pose. More pairs may touch if they are in the SRDF file with the path `srdf`, or in `allowed`, which contains pairs of names. Obstacles
    /// may touch links that never move, such as the base.
    #[pyo3(signature = (*, meshes = None, capsules = None, srdf = None, allowed = vec![], obstacles = None, margin = 0.0))]
    fn with_collisions(
        &self,
        py: Python<'_>,
        meshes: Option<Meshes>,
        capsules: Option<Vec<GivenCapsule<'_>>>,
        srdf: Option<PathBuf>,
        allowed: Vec<(String, String)>,
        obstacles: Option<&Bound<'_, PyMapping>>,
        margin: f64,
    ) -> PyResult<Self> {
        let capsules = robot_collisions::read_capsules(py, self, meshes, capsules)?;
        let srdf = srdf.map(|file| robot_collisions::read_srdf(py, &file)).transpose()?;
        let obstacles = robot_collisions::read_obstacles(obstacles)?;
        self.avoiding(CollisionData { capsules, srdf, allowed, obstacles, margin })
    }

    /// Returns the smallest distance between the shapes of a pose, or None without collisions. `q` has the shape (joints,).
    fn clearance(&self, q: &Bound<'_, PyAny>) -> PyResult<Option<Clearance>> {
        let nearest = self.robot.clearance(&self.row("q", q)?).or_raise()?;
        Ok(nearest.as_ref().map(Clearance::from))
    }

    /// Forward kinematics for joint values: returns the transforms of `link`, shape (..., 4, 4), or of all links, shape (..., links, 4, 4).
    #[pyo3(signature = (q, link = None))]
    fn fk<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        link: Option<LinkName>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let q = self.values("q", q)?;
        let link = link.map(|link| self.link(link)).transpose()?;
        robot_kinematics::fk(py, &self.robot, &q, link)
    }

    /// Returns the derivative of a point of a link with respect to `q`, shape (..., 6, joints). The rows are the velocity along x, y and z
    /// and the angular velocity about x, y and z, in the robot's frame. `point` is in the link's frame, in metres.
    #[pyo3(signature = (q, link, point = None))]
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        link: LinkName,
        point: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (q, link) = (self.values("q", q)?, self.link(link)?);
        let point = point.map_or(Ok(DVec3::ZERO), |point| vector("point", point))?;
        robot_kinematics::jacobian(py, &self.robot, &q, (link, point))
    }

    /// Returns the manipulability of a link, shape (...,): the square root of det(J Jᵀ), where J is the Jacobian of its position, and also of
    /// its orientation if `orientation` is True (Yoshikawa 1985). It is 0 in singular poses and for robots with too few joints.
    #[pyo3(signature = (q, link, orientation = true))]
    fn manipulability<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        link: LinkName,
        orientation: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (q, link) = (self.values("q", q)?, self.link(link)?);
        robot_kinematics::manipulability(py, &self.robot, &q, (link, orientation))
    }

    /// Returns joint values with which a link reaches its targets. `positions` are in metres, shape (3,) or (n, 3), and `orientations` are
    /// quaternions (x, y, z, w), shape (4,) or (n, 4), or rotation matrices, shape (3, 3) or (n, 3, 3). Either may be None.
    ///
    /// Every solve starts from `q0`, shape (joints,) or (n, joints), and is independent of the others. The default of `q0` is `rest`. All
    /// results are within the ranges of the joints. `tolerance` is in metres, and None means a ten-thousandth of the reach. If the robot has
    /// collisions, the results keep clear of them.
    #[pyo3(signature = (link, positions, orientations = None, *, q0 = None, method = "dls", tolerance = None, iterations = None, options = None))]
    #[expect(clippy::too_many_arguments, reason = "most of them are optional in Python")]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        link: LinkName,
        positions: Option<&Bound<'py, PyAny>>,
        orientations: Option<&Bound<'py, PyAny>>,
        q0: Option<&Bound<'py, PyAny>>,
        method: &str,
        tolerance: Option<f64>,
        iterations: Option<i64>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<RobotSolutions> {
        let mut all = Options::default();
        options::apply(&mut all, Some(method), tolerance, iterations, options)?;
        let start = q0.map(|q0| self.values("q0", q0)).transpose()?;
        let (goals, count) = self.goals(link, positions, orientations, &start)?;
        let rest = self.robot.rest();
        let row = |index: usize| start.as_ref().map_or(&*rest, |start| start.row(index));
        // A single solve does not have to wait for another thread.
        let solved = py.detach(|| match &goals[..] {
            [one] => vec![self.robot.solve(one, row(0), &all)],
            many => self.robot.solve_many(many, row, &all),
        });
        let solved = solved.into_iter().collect::<Result<Vec<_>, _>>().or_raise()?;
        RobotSolutions::new(py, &solved, count, self.robot.joints().len())
    }

    /// Makes a link follow a path: like `solve`, but each solve starts from the previous result and does not jump. Continuous joints count
    /// their revolutions. `q0` has the shape (joints,).
    #[pyo3(signature = (link, positions, orientations = None, *, q0 = None, method = "dls", tolerance = None, iterations = None, options = None))]
    #[expect(clippy::too_many_arguments, reason = "most of them are optional in Python")]
    fn follow<'py>(
        &self,
        py: Python<'py>,
        link: LinkName,
        positions: Option<&Bound<'py, PyAny>>,
        orientations: Option<&Bound<'py, PyAny>>,
        q0: Option<&Bound<'py, PyAny>>,
        method: &str,
        tolerance: Option<f64>,
        iterations: Option<i64>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<RobotSolutions> {
        let mut all = Options::default();
        options::apply(&mut all, Some(method), tolerance, iterations, options)?;
        let first = self.start(q0)?;
        let (goals, count) = self.goals(link, positions, orientations, &None)?;
        let solved = py.detach(|| self.robot.follow(&goals, &first, &all));
        let solved = solved.map_err(|(index, cause)| error(format!("target {index}: {cause}")))?;
        RobotSolutions::new(py, &solved, count, self.robot.joints().len())
    }

    /// Returns joint values and times with which a link follows a path of poses. `positions` and `orientations` are the same as for `solve`.
    /// The first row is found from `q0`, shape (joints,). The joints do not jump between rows, and they respect their velocity limits.
    ///
    /// Intermediate targets lie on straight lines, at most `spacing` metres and `turn_spacing` radians apart. If a joint would move by more
    /// than `largest_step` radians or metres between two rows, an `Error` is raised. `speed` is the fraction of the velocity limits that the
    /// joints use, from 0 to 1. Joints without a limit have `default_velocity` in radians or metres per second. Accelerations are not limited.
    ///
    /// `redundancy` is the use of the freedom that the targets leave. Each row is as near as possible to the last one (`nearest`), or the
    /// joints move towards the rest pose (`rest`), towards the middle of their ranges (`centres`) or away from singular poses
    /// (`manipulability`). `gain` is the fraction of the way that one iteration applies, from 0 to 1.
    #[pyo3(signature = (link, positions, orientations = None, *, q0 = None, method = "dls", tolerance = None, iterations = None, spacing = 0.01, turn_spacing = 0.05, largest_step = 0.5, speed = 1.0, default_velocity = 1.0, redundancy = "nearest", gain = 0.05, options = None))]
    #[expect(clippy::too_many_arguments, reason = "most of them are optional in Python")]
    fn trajectory(
        slf: &Bound<'_, Self>,
        link: LinkName,
        positions: Option<&Bound<'_, PyAny>>,
        orientations: Option<&Bound<'_, PyAny>>,
        q0: Option<&Bound<'_, PyAny>>,
        method: &str,
        tolerance: Option<f64>,
        iterations: Option<i64>,
        spacing: f64,
        turn_spacing: f64,
        largest_step: f64,
        speed: f64,
        default_velocity: f64,
        redundancy: &str,
        gain: f64,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Trajectory> {
        let own = slf.get();
        let mut all = Options::default();
        options::apply(&mut all, Some(method), tolerance, iterations, options)?;
        let steps = TrajectoryOptions::default()
            .with_spacing(spacing)
            .with_turn_spacing(turn_spacing)
            .with_largest_step(largest_step)
            .with_speed(speed)
            .with_default_velocity(default_velocity)
            .with_redundancy(robot_trajectory::redundancy(redundancy)?)
            .with_gain(gain);
        let first = own.start(q0)?;
        let (goals, _) = own.goals(link, positions, orientations, &None)?;
        let found = slf.py().detach(|| own.robot.trajectory(&goals, &first, &all, &steps)).or_raise()?;
        Ok(Trajectory::new(slf.clone().unbind(), found))
    }

    fn __repr__(&self) -> String {
        let (joints, links) = (self.robot.joints().len(), self.robot.links().len());
        format!("Robot(\"{}\", {joints} joints, {links} links)", self.robot.name())
    }
}

impl Robot {
    /// Returns a robot that avoids collisions.
    fn avoiding(&self, collisions: CollisionData) -> PyResult<Self> {
        let robot = collisions.add_to(self.robot.clone())?;
        let (text, file) = (self.text.clone(), self.file.clone());
        Ok(Self { robot, text, file, collisions: Some(collisions) })
    }
}
