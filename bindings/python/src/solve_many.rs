//! Solves many goals for copies of one body.

use glam::{DQuat, DVec3};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sinew::ik::{self, Options};

use crate::arrays::{Array, Size, index, list, rows};
use crate::body::{Body, displacements, rotations_of, set_rotations};
use crate::error::{OrRaise, error};
use crate::options;
use crate::pickle::{Reduced, reduce};

/// Number of solves between two checks for an interruption by the user.
const CHUNK: usize = 4096;

/// The results of `solve_many`. The first axis of each array corresponds to the targets.
#[pyclass(frozen, module = "sinew")]
pub(crate) struct Solutions {
    /// Local rotations, quaternions (x, y, z, w), shape (n, links, 4).
    #[pyo3(get)]
    rotations: Py<PyAny>,
    /// The largest distance from a target position in metres, shape (n,). NaN without target positions.
    #[pyo3(get)]
    errors: Py<PyArray1<f64>>,
    /// The largest orientation error in radians, shape (n,). NaN without target orientations.
    #[pyo3(get)]
    orientation_errors: Py<PyArray1<f64>>,
    /// Whether all goals are within tolerance, shape (n,).
    #[pyo3(get)]
    reached: Py<PyArray1<bool>>,
    /// Number of iterations, shape (n,).
    #[pyo3(get)]
    iterations: Py<PyArray1<i64>>,
    /// Translations of the base in metres, shape (n, 3). Zero without the option `root_motion`.
    #[pyo3(get)]
    roots: Py<PyAny>,
    /// Displacements of prismatic joints in metres, shape (n, links).
    #[pyo3(get)]
    displacements: Py<PyAny>,
    count: usize,
    solved: usize,
}

/// The arrays of [`Solutions`] in order, for pickle.
type State = (
    Py<PyAny>,
    Py<PyArray1<f64>>,
    Py<PyArray1<f64>>,
    Py<PyArray1<bool>>,
    Py<PyArray1<i64>>,
    Py<PyAny>,
    Py<PyAny>,
);

#[pymethods]
impl Solutions {
    #[staticmethod]
    fn _from_state(py: Python<'_>, state: State) -> PyResult<Self> {
        let (rotations, errors, orientation_errors, reached, iterations, roots, displacements) = state;
        let (count, solved) = counts(reached.bind(py))?;
        Ok(Self {
            rotations,
            errors,
            orientation_errors,
            reached,
            iterations,
            roots,
            displacements,
            count,
            solved,
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let own = slf.get();
        let first = (&own.rotations, &own.errors, &own.orientation_errors);
        let last = (&own.roots, &own.displacements);
        let state = (first.0, first.1, first.2, &own.reached, &own.iterations, last.0, last.1);
        reduce(slf, "_from_state", (state,))
    }

    fn __len__(&self) -> usize {
        self.count
    }

    fn __repr__(&self) -> String {
        format!("Solutions({} of {} reached)", self.solved, self.count)
    }
}

/// Returns the number of solves, and the number of those that reached their goals.
pub(crate) fn counts(reached: &Bound<'_, PyArray1<bool>>) -> PyResult<(usize, usize)> {
    let reached = reached.try_readonly().or_raise()?;
    let reached = reached.as_slice().or_raise()?;
    Ok((reached.len(), reached.iter().filter(|reached| **reached).count()))
}

/// The numbers of the results, row by row.
#[derive(Default)]
struct Results {
    rotations: Vec<[f64; 4]>,
    errors: Vec<f64>,
    orientation_errors: Vec<f64>,
    reached: Vec<bool>,
    iterations: Vec<i64>,
    roots: Vec<[f64; 3]>,
    displacements: Vec<f64>,
}

impl Results {
    fn push(&mut self, body: &ik::Body, report: &ik::Report) {
        let largest = |errors: &mut dyn Iterator<Item = f64>| errors.reduce(f64::max).unwrap_or(f64::NAN);
        self.rotations.extend(body.rotations().iter().map(DQuat::to_array));
        self.errors.push(largest(&mut report.goals.iter().filter_map(|g| g.position_error)));
        self.orientation_errors.push(largest(&mut report.goals.iter().filter_map(|g| g.orientation_error)));
        self.reached.push(report.reached());
        self.iterations.push(i64::try_from(report.iterations).unwrap_or(i64::MAX));
        self.roots.push(body.root().to_array());
        self.displacements.extend(displacements(body));
    }

    fn into_arrays(self, py: Python<'_>, links: usize) -> PyResult<Solutions> {
        let count = self.errors.len();
        let solved = self.reached.iter().filter(|reached| **reached).count();
        let rotations = list(py, self.rotations.into_iter().flatten().collect());
        Ok(Solutions {
            rotations: rotations.call_method1("reshape", ((count, links, 4),))?.unbind(),
            errors: list(py, self.errors).unbind(),
            orientation_errors: list(py, self.orientation_errors).unbind(),
            reached: list(py, self.reached).unbind(),
            iterations: list(py, self.iterations).unbind(),
            roots: rows(py, self.roots)?.into_any().unbind(),
            displacements: list(py, self.displacements).call_method1("reshape", ((count, links),))?.unbind(),
            count,
            solved,
        })
    }
}

/// The links that have goals.
#[derive(FromPyObject)]
pub(crate) enum Links {
    One(i64),
    Many(Vec<i64>),
}

/// Solves copies of a body for many targets, in parallel. The body itself is not changed.
///
/// The goals are for `links`, by default the last link. `targets` are world positions in metres, of shape (n, 3) for one link and
/// (n, goals, 3) for a list of links. They may be None if there are orientations. `orientations` are quaternions (x, y, z, w) of shape (n, 4)
/// or (n, goals, 4). Every solve starts from the pose of the body, or from the local rotations `starts` of shape (n, links, 4). The results
/// are bit-identical to the results of `Body.solve`.
#[pyfunction]
#[pyo3(signature = (
    body, targets, *, links = None, orientations = None, starts = None,
    method = "auto", tolerance = None, iterations = None, options = None
))]
#[expect(clippy::too_many_arguments, reason = "Python has keyword arguments")]
pub(crate) fn solve_many(
    py: Python<'_>,
    body: PyRef<'_, Body>,
    targets: Option<&Bound<'_, PyAny>>,
    links: Option<Links>,
    orientations: Option<&Bound<'_, PyAny>>,
    starts: Option<&Bound<'_, PyAny>>,
    method: &str,
    tolerance: Option<f64>,
    iterations: Option<i64>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Solutions> {
    let mut all = Options::default();
    options::apply(&mut all, Some(method), tolerance, iterations, options)?;
    let model = body.body.clone();
    drop(body);
    let problems = Problems::read(model, targets, links, orientations, starts)?;
    let mut results = Results::default();
    for first in (0..problems.count).step_by(CHUNK) {
        py.detach(|| {
            let chunk = first..problems.count.min(first + CHUNK);
            let (mut bodies, goals): (Vec<_>, Vec<_>) = chunk.map(|n| problems.problem(n)).unzip();
            let reports = ik::solve_many(&mut bodies, &goals, &all);
            for (n, (body, report)) in bodies.iter().zip(reports).enumerate() {
                let report = report.map_err(|e| error(format!("solve {}: {e}", first + n)))?;
                results.push(body, &report);
            }
            PyResult::Ok(())
        })?;
        py.check_signals()?;
    }
    results.into_arrays(py, problems.model.links().len())
}

/// The bodies and goals of all solves.
struct Problems {
    model: ik::Body,
    /// The links that have goals.
    links: Vec<usize>,
    /// The target positions of these links, solve by solve.
    positions: Option<Vec<[f64; 3]>>,
    orientations: Option<Vec<DQuat>>,
    /// The local rotations of all links, solve by solve.
    starts: Option<Vec<DQuat>>,
    count: usize,
}

impl Problems {
    /// Reads the arguments of [`solve_many`].
    fn read(
        model: ik::Body,
        targets: Option<&Bound<'_, PyAny>>,
        links: Option<Links>,
        orientations: Option<&Bound<'_, PyAny>>,
        starts: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let link_count = model.links().len();
        let is_list = matches!(links, Some(Links::Many(_)));
        let links = match links {
            None => vec![link_count.saturating_sub(1)],
            Some(Links::One(link)) => vec![index("links", link)?],
            Some(Links::Many(links)) => {
                links.into_iter().map(|link| index("links", link)).collect::<PyResult<Vec<_>>>()?
            }
        };
        if links.is_empty() {
            return Err(error("links must not be empty"));
        }
        let mut axes = vec![Size::Any("n")];
        axes.extend(is_list.then_some(Size::Exactly(links.len())));
        let positions = targets.map(|targets| {
            let axes: Vec<Size> = axes.iter().copied().chain([Size::Exactly(3)]).collect();
            Array::new("targets", targets, &axes).map(|array| array.rows().collect())
        });
        let positions: Option<Vec<[f64; 3]>> = positions.transpose()?;
        let orientations = orientations.map(|q| rotations_of("orientations", q, &axes)).transpose()?;
        let goals = match (&positions, &orientations) {
            (None, None) => return Err(error("targets or orientations are missing")),
            (Some(positions), Some(orientations)) if positions.len() != orientations.len() => {
                return Err(error("targets and orientations must have the same number of rows"));
            }
            (Some(positions), _) => positions.len(),
            (None, Some(orientations)) => orientations.len(),
        };
        let count = goals / links.len();
        let sizes = [Size::Exactly(count), Size::Exactly(link_count)];
        let starts = starts.map(|starts| rotations_of("starts", starts, &sizes)).transpose()?;
        Ok(Self { model, links, positions, orientations, starts, count })
    }

    /// Returns the body and the goals of a solve.
    fn problem(&self, n: usize) -> (ik::Body, Vec<ik::Goal>) {
        let mut body = self.model.clone();
        let link_count = body.links().len();
        let own = n * link_count..(n + 1) * link_count;
        if let Some(start) = self.starts.as_ref().and_then(|all| all.get(own)) {
            set_rotations(&mut body, start);
        }
        let first = n * self.links.len();
        let goals = self.links.iter().enumerate().map(|(i, link)| self.goal(first + i, *link)).collect();
        (body, goals)
    }

    /// Returns the goal of a link whose targets are in row `row`.
    fn goal(&self, row: usize, link: usize) -> ik::Goal {
        let mut goal = ik::Goal::position(ik::LinkIndex(link), DVec3::ZERO);
        let position = self.positions.as_ref().and_then(|all| all.get(row));
        goal.position = position.map(|p| DVec3::from_array(*p));
        goal.orientation = self.orientations.as_ref().and_then(|all| all.get(row)).copied();
        goal
    }
}
