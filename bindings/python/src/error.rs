//! The exception of the module.

use std::fmt::Display;

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

create_exception!(
    sinew,
    Error,
    PyValueError,
    "The reason why something could not be loaded, solved, drawn or written. The message is one line."
);

pub(crate) fn error(message: impl Display) -> PyErr {
    Error::new_err(message.to_string())
}

/// Turns the errors of the library into exceptions.
pub(crate) trait OrRaise<T> {
    /// Returns the value or the exception.
    fn or_raise(self) -> PyResult<T>;
}

impl<T, E: Display> OrRaise<T> for Result<T, E> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(error)
    }
}
