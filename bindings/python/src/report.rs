//! Results of solves.

use pyo3::prelude::*;
use sinew::ik;
use sinew::puppet;

use crate::error::OrRaise;
use crate::pickle::{Reduced, reduce};

/// The result of `Body.solve`. Errors are measured on the returned pose. Each list has one entry for each goal.
#[pyclass(frozen, get_all, module = "sinew")]
pub(crate) struct Report {
    /// Whether every goal is within tolerance.
    reached: bool,
    /// The method that found the pose.
    method: &'static str,
    /// Number of iterations.
    iterations: usize,
    /// `reached`, `out-of-reach`, `blocked-by-limits`, `blocked-by-balance`, `blocked-by-contact`, `stalled` or `iteration-limit`.
    outcomes: Vec<String>,
    /// Distances from the target positions in metres. None for a goal without a position.
    position_errors: Vec<Option<f64>>,
    /// Orientation or aim errors in radians. None for a goal with neither.
    orientation_errors: Vec<Option<f64>>,
    /// The links at their limits.
    limited: Vec<usize>,
}

impl From<&ik::Report> for Report {
    fn from(report: &ik::Report) -> Self {
        Self {
            reached: report.reached(),
            method: report.method.name(),
            iterations: report.iterations,
            outcomes: report.goals.iter().map(|g| g.outcome.to_string()).collect(),
            position_errors: report.goals.iter().map(|g| g.position_error).collect(),
            orientation_errors: report.goals.iter().map(|g| g.orientation_error).collect(),
            limited: report.limited.iter().map(|link| link.0).collect(),
        }
    }
}

/// The fields of a [`Report`] in order, for pickle.
type ReportState = (bool, String, usize, Vec<String>, Vec<Option<f64>>, Vec<Option<f64>>, Vec<usize>);

#[pymethods]
impl Report {
    #[staticmethod]
    fn _from_state(state: ReportState) -> PyResult<Self> {
        let (reached, method, iterations, outcomes, position_errors, orientation_errors, limited) = state;
        let method = method_name(&method)?;
        Ok(Self { reached, method, iterations, outcomes, position_errors, orientation_errors, limited })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let Self { reached, method, iterations, outcomes, position_errors, orientation_errors, limited } =
            slf.get();
        let errors = (position_errors, orientation_errors);
        let state = (*reached, *method, *iterations, outcomes, errors.0, errors.1, limited);
        reduce(slf, "_from_state", (state,))
    }

    fn __repr__(&self) -> String {
        let outcomes: Vec<String> = self.outcomes.iter().map(|o| format!("'{o}'")).collect();
        format!(
            "Report(outcomes=[{}], method='{}', iterations={})",
            outcomes.join(", "),
            self.method,
            self.iterations
        )
    }
}

/// The result of `Puppet.update` for one target, pin or contact.
#[pyclass(frozen, get_all, module = "sinew")]
pub(crate) struct GoalReport {
    /// Index of the node.
    node: usize,
    /// Name of the node, or `#INDEX`.
    name: String,
    /// `goal`, `pin` or `contact`.
    kind: String,
    /// Whether the target is within tolerance.
    reached: bool,
    /// `reached`, `out-of-reach`, `blocked-by-limits`, `blocked-by-balance`, `blocked-by-contact`, `stalled` or `iteration-limit`.
    outcome: String,
    /// The method that found the pose.
    method: &'static str,
    /// Number of iterations.
    iterations: usize,
    /// Distance from the target position in metres, or None.
    position_error: Option<f64>,
    /// Orientation or look error in radians, or None.
    orientation_error: Option<f64>,
    /// Duration of the solve in seconds.
    seconds: f64,
}

impl GoalReport {
    /// Creates the report of a node with a name.
    pub(crate) fn new(report: &puppet::GoalReport, name: String) -> Self {
        Self {
            node: report.node,
            name,
            kind: report.kind.to_string(),
            reached: report.outcome == ik::Outcome::Reached,
            outcome: report.outcome.to_string(),
            method: report.method.name(),
            iterations: report.iterations,
            position_error: report.position_error,
            orientation_error: report.orientation_error,
            seconds: report.seconds,
        }
    }
}

/// The fields of a [`GoalReport`] in order, for pickle.
type GoalReportState = (usize, String, String, bool, String, String, usize, Option<f64>, Option<f64>, f64);

#[pymethods]
impl GoalReport {
    #[staticmethod]
    fn _from_state(state: GoalReportState) -> PyResult<Self> {
        let (
            node,
            name,
            kind,
            reached,
            outcome,
            method,
            iterations,
            position_error,
            orientation_error,
            seconds,
        ) = state;
        let method = method_name(&method)?;
        Ok(Self {
            node,
            name,
            kind,
            reached,
            outcome,
            method,
            iterations,
            position_error,
            orientation_error,
            seconds,
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let own = slf.get();
        let errors = (own.position_error, own.orientation_error);
        let state = (
            own.node,
            &own.name,
            &own.kind,
            own.reached,
            &own.outcome,
            own.method,
            own.iterations,
            errors.0,
            errors.1,
            own.seconds,
        );
        reduce(slf, "_from_state", (state,))
    }

    fn __repr__(&self) -> String {
        let error = |e: Option<f64>| e.map_or_else(|| "None".to_owned(), |e| format!("{e:.3e}"));
        format!(
            "GoalReport('{}', kind='{}', outcome='{}', position_error={}, orientation_error={})",
            self.name.escape_debug(),
            self.kind,
            self.outcome,
            error(self.position_error),
            error(self.orientation_error)
        )
    }
}

/// Returns the name of a method without its lifetime.
fn method_name(name: &str) -> PyResult<&'static str> {
    let method: ik::Method = name.parse().or_raise()?;
    Ok(method.name())
}
