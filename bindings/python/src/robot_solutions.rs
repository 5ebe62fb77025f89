//! Results of solves of robots.

use numpy::PyArray1;
use pyo3::prelude::*;
use sinew::{ik, robot};

use crate::arrays::list;
use crate::pickle::{Reduced, reduce};
use crate::robot_arrays::shaped;
use crate::solve_many::counts;

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
    /// Whether all goals are within tolerance and the pose is free of collisions, shape (n,).
    #[pyo3(get)]
    reached: Py<PyArray1<bool>>,
    /// Number of iterations, shape (n,).
    #[pyo3(get)]
    iterations: Py<PyArray1<i64>>,
    /// The smallest distances between shapes in metres, shape (n,). NaN without collisions.
    #[pyo3(get)]
    clearances: Py<PyArray1<f64>>,
    count: usize,
    solved: usize,
}

/// The arrays of [`RobotSolutions`] in order, for pickle.
type State = (
    Py<PyAny>,
    Py<PyArray1<f64>>,
    Py<PyArray1<f64>>,
    Py<PyArray1<bool>>,
    Py<PyArray1<i64>>,
    Py<PyArray1<f64>>,
);

impl RobotSolutions {
    /// Creates the arrays. `count` is the length of the leading axis, if there is one.
    pub(crate) fn new(
        py: Python<'_>,
        solved: &[robot::Solution],
        count: Option<usize>,
        joints: usize,
    ) -> PyResult<Self> {
        let first = |of: fn(&ik::GoalOutcome) -> Option<f64>| {
            let one = |s: &robot::Solution| s.report.goals.first().and_then(of).unwrap_or(f64::NAN);
            list(py, solved.iter().map(one).collect()).unbind()
        };
        let values = solved.iter().flat_map(|solution| solution.q.iter().copied()).collect();
        let reached: Vec<bool> = solved.iter().map(|solution| solution.report.reached()).collect();
        let iterations = solved.iter().map(|s| i64::try_from(s.report.iterations).unwrap_or(i64::MAX));
        let clearance = |s: &robot::Solution| s.clearance.as_ref().map_or(f64::NAN, |own| own.distance);
        Ok(Self {
            q: shaped(py, values, count, &[joints])?.unbind(),
            errors: first(|goal| goal.position_error),
            orientation_errors: first(|goal| goal.orientation_error),
            solved: reached.iter().filter(|reached| **reached).count(),
            count: solved.len(),
            reached: list(py, reached).unbind(),
            iterations: list(py, iterations.collect()).unbind(),
            clearances: list(py, solved.iter().map(clearance).collect()).unbind(),
        })
    }
}

#[pymethods]
impl RobotSolutions {
    #[staticmethod]
    fn _from_state(py: Python<'_>, state: State) -> PyResult<Self> {
        let (q, errors, orientation_errors, reached, iterations, clearances) = state;
        let (count, solved) = counts(reached.bind(py))?;
        Ok(Self { q, errors, orientation_errors, reached, iterations, clearances, count, solved })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let own = slf.get();
        let errors = (&own.errors, &own.orientation_errors);
        let state = (&own.q, errors.0, errors.1, &own.reached, &own.iterations, &own.clearances);
        reduce(slf, "_from_state", (state,))
    }

    fn __len__(&self) -> usize {
        self.count
    }

    fn __repr__(&self) -> String {
        format!("RobotSolutions({} of {} reached)", self.solved, self.count)
    }
}
