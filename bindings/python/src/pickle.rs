//! Support for pickle.

use pyo3::PyClass;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// The result of `__reduce__`: a function, and the arguments with which it makes an equal object.
pub(crate) type Reduced<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// The result of `__getnewargs_ex__`: positional and named arguments of the constructor.
pub(crate) type NewArguments<'py, T> = (T, Bound<'py, PyDict>);

/// Reduces an object to a call of a static method of its class.
pub(crate) fn reduce<'py, T: PyClass>(
    object: &Bound<'py, T>,
    method: &str,
    arguments: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error: Into<PyErr>>,
) -> PyResult<Reduced<'py>> {
    let arguments = arguments.into_pyobject(object.py()).map_err(Into::into)?;
    Ok((object.as_any().get_type().getattr(method)?, arguments.into_any()))
}
