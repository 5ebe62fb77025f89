//! Arrays of joint values or targets, with or without a leading axis.

use glam::{DMat3, DQuat};
use numpy::{IntoPyArray, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::arrays::{self, Array, Size};
use crate::error::error;

/// Largest deviation of a rotation matrix from an orthogonal one.
const ORTHOGONAL: f64 = 1e-6;

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
        Self::with_names(what, value, width, &|_| None)
    }

    /// Like [`Self::new`]. `name` returns the names of columns for messages.
    pub(crate) fn with_names(
        what: &str,
        value: &Bound<'_, PyAny>,
        width: usize,
        name: &dyn Fn(usize) -> Option<String>,
    ) -> PyResult<Self> {
        // Objects that are not array-like have no number of dimensions. They are rejected below.
        let dimensions = shape(value)?.map_or(1, |shape| shape.len());
        let (one, many) = ([Size::Exactly(width)], [Size::Any("n"), Size::Exactly(width)]);
        let sizes: &[Size] = if dimensions == 1 { &one } else { &many };
        let array = Array::with_names(what, value, sizes, name)?;
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

/// Returns the shape of an array or of nested lists.
fn shape(value: &Bound<'_, PyAny>) -> PyResult<Option<Vec<usize>>> {
    if let Ok(array) = value.extract::<PyReadonlyArrayDyn<'_, f64>>() {
        return Ok(Some(array.shape().to_vec()));
    }
    if let Some((shape, _)) = arrays::plain(value) {
        return Ok(Some(shape));
    }
    let numpy = value.py().import("numpy")?;
    Ok(numpy.call_method1("shape", (value,)).and_then(|shape| shape.extract()).ok())
}

/// Reads orientations as quaternions (x, y, z, w). They may also be given as rotation matrices of shape (3, 3) or (n, 3, 3).
pub(crate) fn orientations(what: &str, value: &Bound<'_, PyAny>) -> PyResult<Batch> {
    // Objects that are not array-like have no shape. They are rejected below.
    let shape = shape(value)?.unwrap_or_default();
    if !shape.ends_with(&[3, 3]) {
        return Batch::new(what, value, 4);
    }
    let (one, many) = ([Size::Exactly(3); 2], [Size::Any("n"), Size::Exactly(3), Size::Exactly(3)]);
    let array = Array::new(what, value, if shape.len() == 2 { &one } else { &many })?;
    let mut values = Vec::new();
    for (index, rows) in array.rows::<9>().enumerate() {
        let matrix = DMat3::from_cols_array(&rows).transpose();
        let product = matrix * matrix.transpose();
        if !(product.abs_diff_eq(DMat3::IDENTITY, ORTHOGONAL) && matrix.determinant() > 0.0) {
            return Err(error(format!("{what}: matrix {index} is not a rotation")));
        }
        values.extend(DQuat::from_mat3(&matrix).normalize().to_array());
    }
    let count = (shape.len() != 2).then(|| array.shape.first().copied().unwrap_or_default());
    Ok(Batch { values, width: 4, count })
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
