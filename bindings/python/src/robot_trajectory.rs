//! Joint values at times along a path.

use numpy::PyArrayMethods;
use pyo3::prelude::*;
use sinew::robot::{self, JointTable, Redundancy};

use crate::arrays::{Array, Size, list, read_only};
use crate::error::error;
use crate::pickle::{Reduced, reduce};
use crate::robot::Robot;
use crate::robot_arrays::Batch;
use crate::robot_collisions::Clearance;

/// The names of the uses of the freedom that targets leave.
const REDUNDANCIES: [(&str, Redundancy); 4] = [
    ("nearest", Redundancy::Nearest),
    ("rest", Redundancy::Rest),
    ("centres", Redundancy::JointCentres),
    ("manipulability", Redundancy::Manipulability),
];

/// The result of `Robot.trajectory`: joint values at times. Between two rows, each joint moves at a constant rate within its velocity
/// limit. The arrays are read-only copies.
#[pyclass(frozen, module = "sinew")]
pub(crate) struct Trajectory {
    robot: Py<Robot>,
    table: JointTable,
    row_reached: Vec<bool>,
    poses: Vec<usize>,
    /// Whether all targets are within tolerance at all rows, and the whole way is free of collisions.
    #[pyo3(get)]
    reached: bool,
    /// The smallest distance on the whole way, also between rows, or None without collisions.
    #[pyo3(get)]
    clearance: Option<Clearance>,
}

/// The fields of [`Trajectory`] in order, for pickle.
type State = (Py<Robot>, Py<PyAny>, Py<PyAny>, Vec<bool>, Vec<usize>, bool, Option<Clearance>);

impl Trajectory {
    pub(crate) fn new(robot: Py<Robot>, found: robot::Trajectory) -> Self {
        Self {
            robot,
            row_reached: found.solutions.iter().map(|solution| solution.report.reached()).collect(),
            reached: found.reached(),
            clearance: found.clearance.as_ref().map(Clearance::from),
            poses: found.poses,
            table: found.table,
        }
    }
}

#[pymethods]
impl Trajectory {
    #[staticmethod]
    fn _from_state(py: Python<'_>, state: State) -> PyResult<Self> {
        let (robot, times, q, row_reached, poses, reached, clearance) = state;
        let times = Array::new("times", times.bind(py), &[Size::Any("n")])?.values;
        let q = Batch::new("q", q.bind(py), robot.get().robot.joints().len())?;
        let rows = times.into_iter().enumerate().map(|(row, time)| (time, q.row(row).to_vec())).collect();
        Ok(Self { robot, table: JointTable { rows }, row_reached, poses, reached, clearance })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let (py, own) = (slf.py(), slf.get());
        let arrays = (own.times(py)?, own.q(py)?);
        let flags = (&own.row_reached, &own.poses, own.reached);
        let state = (&own.robot, arrays.0, arrays.1, flags.0, flags.1, flags.2, own.clearance.clone());
        reduce(slf, "_from_state", (state,))
    }

    /// Times in seconds from 0, in ascending order, shape (n,).
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        read_only(&list(py, self.table.rows.iter().map(|(time, _)| *time).collect()))
    }

    /// Joint values within their ranges, shape (n, joints), radians and metres.
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let values: Vec<f64> = self.table.rows.iter().flat_map(|(_, q)| q.iter().copied()).collect();
        let shape = [self.table.rows.len(), self.robot.get().robot.joints().len()];
        read_only(&list(py, values).reshape(shape)?)
    }

    /// Whether the target of each row is within tolerance and its pose is free of collisions, shape (n,).
    #[getter]
    fn row_reached<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        read_only(&list(py, self.row_reached.clone()))
    }

    /// The row of each pose of the path, shape (poses,).
    #[getter]
    fn poses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let poses = self.poses.iter().map(|row| i64::try_from(*row).unwrap_or(i64::MAX));
        read_only(&list(py, poses.collect()))
    }

    /// The time of the last row in seconds.
    #[getter]
    fn duration(&self) -> f64 {
        self.table.rows.last().map_or(0.0, |(time, _)| *time)
    }

    /// Returns the table as CSV. The columns are `time`, the joints, and the mimic joints.
    fn to_csv(&self) -> String {
        self.table.to_csv(&self.robot.get().robot)
    }

    fn __len__(&self) -> usize {
        self.table.rows.len()
    }

    fn __repr__(&self) -> String {
        let reached = if self.reached { "reached" } else { "not reached" };
        format!("Trajectory({} rows, {:.3} s, {reached})", self.table.rows.len(), self.duration())
    }
}

/// Returns the use of the freedom that targets leave.
pub(crate) fn redundancy(name: &str) -> PyResult<Redundancy> {
    let known = REDUNDANCIES.iter().find(|(known, _)| *known == name);
    let names = "nearest, rest, centres or manipulability";
    let unknown = || error(format!("unknown redundancy \"{}\"; use {names}", name.escape_debug()));
    known.map(|(_, redundancy)| *redundancy).ok_or_else(unknown)
}
