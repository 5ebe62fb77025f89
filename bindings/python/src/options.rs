//! The options of a solve.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use sinew::ik::{Method, OptionValue, Options, SolverOption};

use crate::error::{OrRaise, error};

/// Returns the names of the solver methods.
#[pyfunction]
pub(crate) fn methods() -> Vec<&'static str> {
    // A style needs postures to learn from, and this module cannot pass them to the solver.
    Method::all().filter(|method| *method != Method::Style).map(Method::name).collect()
}

/// Applies the arguments shared by all solves to the options. `more` maps keys such as `ccd.step` to values.
pub(crate) fn apply(
    options: &mut Options,
    method: Option<&str>,
    tolerance: Option<f64>,
    iterations: Option<i64>,
    more: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    if let Some(method) = method {
        options.method = method.parse().or_raise()?;
    }
    if let Some(tolerance) = tolerance {
        set(options, "tolerance", OptionValue::Number(tolerance))?;
    }
    if let Some(iterations) = iterations {
        let iterations = crate::arrays::index("iterations", iterations)?;
        set(options, "iterations", OptionValue::Count(iterations))?;
    }
    for (key, value) in more.into_iter().flatten() {
        let key: String = key.extract().map_err(|_| error("the keys of options must be strings"))?;
        let option = SolverOption::find(&key).or_raise()?;
        let parsed = match value {
            none if none.is_none() => OptionValue::None,
            // A bool is also an int in Python, so it is checked first.
            flag if flag.is_instance_of::<PyBool>() => OptionValue::Flag(flag.extract()?),
            other => option.parse(&other.str()?.to_cow()?).or_raise()?,
        };
        option.set(options, parsed).or_raise()?;
    }
    Ok(())
}

fn set(options: &mut Options, key: &str, value: OptionValue) -> PyResult<()> {
    SolverOption::find(key).and_then(|option| option.set(options, value)).or_raise()
}
