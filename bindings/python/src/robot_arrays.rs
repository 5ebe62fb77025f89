//! Arrays of joint values or targets, with or without a leading axis.

use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;

use crate::arrays::{Array, Size};
use crate::error::error;

/// Rows of numbers, and whether they had a leading axis.
pub(crate) struct Batch {
    pub(crate) values: Vec<f64>,
    pub(crate) width: usize,
    /// Number of rows; `None` for a single row without a leading axis.
    pub(crate) count: Option<usize>,
}

impl Batch {
    /// Reads an array of shape (width,) or (n, width).
    pub(crate) fn new(what: &str, value: &Bound<'_, PyAny>, width: usize) -> PyResult<Self> {
        let numpy = value.py().import("numpy")?;
        // `numpy.ndim` fails for objects that are not array-like. They are rejected below.
        let dimensions = numpy.call_method1("ndim", (value,)).and_then(|n| n.extract::<usize>()).unwrap_or(1);
        let (one, many) = ([Size::Exactly(width)], [Size::Any("n"), Size::Exactly(width)]);
        let sizes: &[Size] = if dimensions == 1 { &one } else { &many };
        let array = Array::new(what, value, sizes)?;
        let count = (dimensions != 1).then(|| array.shape.first().copied().unwrap_or_default());
        Ok(Self { values: array.values, width, count })
    }

    pub(crate) fn rows(&self) -> usize {
        self.count.unwrap_or(1)
    }

    /// Returns a row. A single row without a leading axis is returned for every index.
    pub(crate) fn row(&self, index: usize) -> &[f64] {
        let index = if self.count.is_none() { 0 } else { index };
        self.values.get(index * self.width..(index + 1) * self.width).unwrap_or_default()
    }
}

/// Returns the number of rows of several batches, or `None` if no batch has a leading axis.
pub(crate) fn common(batches: &[(&str, &Option<Batch>)]) -> PyResult<Option<usize>> {
    let mut common: Option<(&str, usize)> = None;
    for (name, batch) in batches {
        let Some(count) = batch.as_ref().and_then(|batch| batch.count) else { continue };
        match common {
            Some((first, other)) if other != count => {
                return Err(error(format!("{first} has {other} rows, but {name} has {count}")));
            }
            _ => common = Some((name, count)),
        }
    }
    Ok(common.map(|(_, count)| count))
}

/// Returns an array of shape (count, …), or of shape (…) without a leading axis.
pub(crate) fn shaped<'py>(
    py: Python<'py>,
    values: Vec<f64>,
    count: Option<usize>,
    rest: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let shape: Vec<usize> = count.into_iter().chain(rest.iter().copied()).collect();
    Ok(values.into_pyarray(py).reshape(shape)?.into_any())
}
