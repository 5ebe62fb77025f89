//! Robots from URDF files: joint values in, joint values out.

use std::path::PathBuf;

use glam::{DMat4, DVec3};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sinew::ik::{self, Options};
use sinew::robot;

use crate::arrays::{list, read_only, unit, vector};
use crate::error::{OrRaise, error};
use crate::options;
use crate::pickle::{Reduced, reduce};
use crate::robot_arrays::{self, Batch, common, shaped};
use crate::solve_many::counts;

/// A robot, read from a URDF file. `q` has one value for each joint that moves independently, in the order of `joint_names`: radians for
/// hinges, metres for slides. Everything is in the robot's frame, the frame of its root link, with +Z up.
///
/// Arrays of joint values have the shape (joints,) or (n, joints), and results have the same leading axis.
#[pyclass(frozen, module = "sinew")]
pub(crate) struct Robot {
    robot: robot::Robot,
    /// The text of the file, for pickle.
    text: String,
}

/// The results of `Robot.solve` and `Robot.follow`. If the targets have a leading axis, so does each array.
#[pyclass(frozen, module = "sinew")]
pub(crate) struct RobotSolutions {
    /// Joint values within their ranges, shape (n, joints) or (joints,), radians and metres.
    #[pyo3(get)]
    q: Py<PyAny>,
    /// Distances from the target positions in metres, shape (n,). NaN without target positions.
    #[pyo3(get)]
    errors: Py<PyArray1<f64>>,
    /// Orientation errors in radians, shape (n,). NaN without target orientations.
    #[pyo3(get)]
    orientation_errors: Py<PyArray1<f64>>,
    /// Whether all goals are within tolerance, shape (n,).
    #[pyo3(get)]
    reached: Py<PyArray1<bool>>,
    /// Number of iterations, shape (n,).
    #[pyo3(get)]
    iterations: Py<PyArray1<i64>>,
    count: usize,
    solved: usize,
}

/// The arrays of [`RobotSolutions`] in order, for pickle.
type State = (Py<PyAny>, Py<PyArray1<f64>>, Py<PyArray1<f64>>, Py<PyArray1<bool>>, Py<PyArray1<i64>>);

#[pymethods]
impl RobotSolutions {
    #[staticmethod]
    fn _from_state(py: Python<'_>, state: State) -> PyResult<Self> {
        let (q, errors, orientation_errors, reached, iterations) = state;
        let (count, solved) = counts(reached.bind(py))?;
        Ok(Self { q, errors, orientation_errors, reached, iterations, count, solved })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let own = slf.get();
        let state = (&own.q, &own.errors, &own.orientation_errors, &own.reached, &own.iterations);
        reduce(slf, "_from_state", (state,))
    }

    fn __len__(&self) -> usize {
        self.count
    }

    fn __repr__(&self) -> String {
        format!("RobotSolutions({} of {} reached)", self.solved, self.count)
    }
}

/// A link, given by name or index.
#[derive(FromPyObject)]
pub(crate) enum LinkName {
    Name(String),
    Index(i64),
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
            Ok(Self { robot, text })
        })
    }

    /// Reads the text of a URDF file.
    #[staticmethod]
    fn from_urdf(text: String) -> PyResult<Self> {
        Ok(Self { robot: robot::Robot::from_urdf(&text).or_raise()?, text })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        reduce(slf, "from_urdf", (&slf.get().text,))
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
        self.robot.tips().into_iter().filter_map(|tip| self.robot.links().get(tip).cloned()).collect()
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
        let values = py.detach(|| {
            let mut values = Vec::new();
            for row in 0..q.rows() {
                let matrices = match link {
                    Some(link) => vec![self.robot.world_from_link(q.row(row), link).or_raise()?],
                    None => self.robot.fk(q.row(row)).or_raise()?,
                };
                for matrix in matrices {
                    values.extend(DMat4::from(matrix).transpose().to_cols_array());
                }
            }
            PyResult::Ok(values)
        })?;
        let links = self.robot.links().len();
        let shape = if link.is_some() { vec![4, 4] } else { vec![links, 4, 4] };
        shaped(py, values, q.count, &shape)
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
        let mut values = Vec::new();
        for row in 0..q.rows() {
            let columns = self.robot.jacobian(q.row(row), link, point).or_raise()?;
            for axis in 0..3 {
                values.extend(
                    columns
                        .iter()
                        .map(|column| column.linear.to_array().get(axis).copied().unwrap_or_default()),
                );
            }
            for axis in 0..3 {
                values.extend(
                    columns
                        .iter()
                        .map(|column| column.angular.to_array().get(axis).copied().unwrap_or_default()),
                );
            }
        }
        shaped(py, values, q.count, &[6, self.robot.joints().len()])
    }

    /// Returns joint values with which a link reaches its targets. `positions` are in metres, shape (3,) or (n, 3), and `orientations` are
    /// quaternions (x, y, z, w), shape (4,) or (n, 4), or rotation matrices, shape (3, 3) or (n, 3, 3). Either may be None.
    ///
    /// Every solve starts from `q0`, shape (joints,) or (n, joints), and is independent of the others. The default of `q0` is `rest`. All
    /// results are within the ranges of the joints. `tolerance` is in metres, and None means a ten-thousandth of the reach.
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
        self.solutions(py, &solved, count)
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
        let start = q0.map(|q0| self.values("q0", q0)).transpose()?;
        if start.as_ref().is_some_and(|start| start.count.is_some()) {
            return Err(error(format!("q0 must have the shape ({},)", self.robot.joints().len())));
        }
        let (goals, count) = self.goals(link, positions, orientations, &None)?;
        let rest = self.robot.rest();
        let first = start.as_ref().map_or(&*rest, |start| start.row(0));
        let solved = py.detach(|| self.robot.follow(&goals, first, &all));
        let solved = solved.map_err(|(index, cause)| error(format!("target {index}: {cause}")))?;
        self.solutions(py, &solved, count)
    }

    fn __repr__(&self) -> String {
        let (joints, links) = (self.robot.joints().len(), self.robot.links().len());
        format!("Robot(\"{}\", {joints} joints, {links} links)", self.robot.name())
    }
}

impl Robot {
    /// Reads joint values. Messages name the joint.
    fn values(&self, what: &str, value: &Bound<'_, PyAny>) -> PyResult<Batch> {
        let joints = self.robot.joints();
        let joint = |column: usize| joints.get(column).map(|joint| format!("joint \"{}\"", joint.name));
        Batch::with_names(what, value, joints.len(), &joint)
    }

    fn link(&self, link: LinkName) -> PyResult<usize> {
        let count = self.robot.links().len();
        match link {
            LinkName::Name(name) => self.robot.link(&name).or_raise(),
            LinkName::Index(index) => {
                let link = usize::try_from(index).ok().filter(|link| *link < count);
                link.ok_or_else(|| error(format!("link {index} does not exist; the robot has {count}")))
            }
        }
    }

    /// Returns the goals of each solve, and the number of solves if an array has a leading axis.
    fn goals(
        &self,
        link: LinkName,
        positions: Option<&Bound<'_, PyAny>>,
        orientations: Option<&Bound<'_, PyAny>>,
        start: &Option<Batch>,
    ) -> PyResult<(Vec<Vec<ik::Goal>>, Option<usize>)> {
        let link = self.link(link)?;
        if positions.is_none() && orientations.is_none() {
            return Err(error("positions or orientations are missing"));
        }
        let positions = positions.map(|positions| Batch::new("positions", positions, 3)).transpose()?;
        let orientations =
            orientations.map(|all| robot_arrays::orientations("orientations", all)).transpose()?;
        let count = common(&[("positions", &positions), ("orientations", &orientations), ("q0", start)])?;
        let goal = |index: usize| {
            let mut goal = ik::Goal::position(link, DVec3::ZERO);
            goal.position = positions.as_ref().map(|all| DVec3::from_slice(all.row(index)));
            let wanted = orientations.as_ref().map(|all| <[f64; 4]>::try_from(all.row(index)));
            let wanted = wanted.transpose().map_err(|_| error("orientations is empty"))?;
            goal.orientation = wanted.map(|xyzw| unit("orientations", xyzw)).transpose()?;
            Ok(vec![goal])
        };
        let goals = (0..count.unwrap_or(1)).map(goal).collect::<PyResult<Vec<_>>>()?;
        Ok((goals, count))
    }

    fn solutions(
        &self,
        py: Python<'_>,
        solved: &[robot::Solution],
        count: Option<usize>,
    ) -> PyResult<RobotSolutions> {
        let first = |of: fn(&ik::GoalOutcome) -> Option<f64>| {
            let one = |s: &robot::Solution| s.report.goals.first().and_then(of).unwrap_or(f64::NAN);
            list(py, solved.iter().map(one).collect()).unbind()
        };
        let values = solved.iter().flat_map(|solution| solution.q.iter().copied()).collect();
        let reached: Vec<bool> = solved.iter().map(|solution| solution.report.reached()).collect();
        let iterations = solved.iter().map(|s| i64::try_from(s.report.iterations).unwrap_or(i64::MAX));
        Ok(RobotSolutions {
            q: shaped(py, values, count, &[self.robot.joints().len()])?.unbind(),
            errors: first(|goal| goal.position_error),
            orientation_errors: first(|goal| goal.orientation_error),
            solved: reached.iter().filter(|reached| **reached).count(),
            count: solved.len(),
            reached: list(py, reached).unbind(),
            iterations: list(py, iterations.collect()).unbind(),
        })
    }
}
