//! Reads numbers from Python, and creates numpy arrays.
//!
//! Everything that numpy can turn into an array of real numbers is accepted: lists, arrays of integers or of single
//! precision, and views that are not contiguous. Shapes are checked, and numbers that are not finite are rejected.

use glam::{DAffine3, DMat4, DQuat, DVec3};
use numpy::{
    Element, IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArrayDyn,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::error::{OrRaise, error};

/// The required length of an axis of an array.
#[derive(Clone, Copy)]
pub(crate) enum Size {
    /// Any length, with its name for messages.
    Any(&'static str),
    Exactly(usize),
}

/// Finite numbers in row-major order.
pub(crate) struct Array {
    pub(crate) shape: Vec<usize>,
    pub(crate) values: Vec<f64>,
}

impl Array {
    /// Reads an array. `what` names it in messages.
    pub(crate) fn new(what: &str, value: &Bound<'_, PyAny>, sizes: &[Size]) -> PyResult<Self> {
        Self::with_names(what, value, sizes, &|_| None)
    }

    /// Like [`Self::new`]. `name` returns the names of columns for messages.
    pub(crate) fn with_names(
        what: &str,
        value: &Bound<'_, PyAny>,
        sizes: &[Size],
        name: &dyn Fn(usize) -> Option<String>,
    ) -> PyResult<Self> {
        let (shape, values) = match plain(value) {
            Some(plain) => plain,
            None => Self::convert(what, value)?,
        };
        let fits = |(length, size): (&usize, &Size)| match size {
            Size::Any(_) => true,
            Size::Exactly(n) => length == n,
        };
        if shape.len() != sizes.len() || !shape.iter().zip(sizes).all(fits) {
            return Err(error(format!(
                "{what} must have the shape {}, but has {}",
                wanted(sizes),
                text(&shape)
            )));
        }
        if let Some(flat) = values.iter().position(|v| !v.is_finite()) {
            let column = shape.last().map_or(0, |width| flat % width.max(&1));
            let named = name(column).map(|name| format!(" ({name})")).unwrap_or_default();
            return Err(error(format!("{what}{}{named} is not finite", place(flat, &shape))));
        }
        Ok(Self { shape, values })
    }

    /// Converts whatever numpy turns into an array of real numbers.
    fn convert(what: &str, value: &Bound<'_, PyAny>) -> PyResult<(Vec<usize>, Vec<f64>)> {
        let refused =
            |e: &PyErr| error(format!("{what} must be an array of numbers: {}", first_line(value, e)));
        let numpy = value.py().import("numpy")?;
        let array = numpy.call_method1("asarray", (value,)).map_err(|e| refused(&e))?;
        let dtype = array.getattr("dtype")?;
        let kind: String = dtype.getattr("kind")?.extract()?;
        if !["f", "i", "u"].contains(&&*kind) {
            return Err(error(format!("{what} must be an array of real numbers, but its dtype is {dtype}")));
        }
        let kwargs = PyDict::new(value.py());
        kwargs.set_item("order", "C")?;
        kwargs.set_item("copy", false)?;
        let array = array.call_method("astype", ("float64",), Some(&kwargs)).map_err(|e| refused(&e))?;
        let array: PyReadonlyArrayDyn<'_, f64> = array.extract()?;
        Ok((array.shape().to_vec(), array.as_slice().or_raise()?.to_vec()))
    }

    /// Returns the rows of the last axis.
    pub(crate) fn rows<const N: usize>(&self) -> impl Iterator<Item = [f64; N]> {
        self.values.chunks_exact(N).filter_map(|row| row.try_into().ok())
    }
}

/// Returns the shape and the numbers of the most common arguments: an array of double precision, or a list or tuple of numbers. This takes
/// less time than a conversion by numpy.
pub(crate) fn plain(value: &Bound<'_, PyAny>) -> Option<(Vec<usize>, Vec<f64>)> {
    if value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyList>() {
        let numbers: Vec<f64> = value.extract().ok()?;
        return Some((vec![numbers.len()], numbers));
    }
    let array: PyReadonlyArrayDyn<'_, f64> = value.extract().ok()?;
    // A slice may also be in column-major order.
    let values = array.as_slice().ok().filter(|_| array.is_c_contiguous())?.to_vec();
    Some((array.shape().to_vec(), values))
}

/// Reads N numbers.
fn numbers<const N: usize>(what: &str, value: &Bound<'_, PyAny>) -> PyResult<[f64; N]> {
    let array = Array::new(what, value, &[Size::Exactly(N)])?;
    array.rows().next().ok_or_else(|| error(format!("{what} is empty")))
}

/// Reads a vector of three numbers.
pub(crate) fn vector(what: &str, value: &Bound<'_, PyAny>) -> PyResult<DVec3> {
    numbers(what, value).map(DVec3::from_array)
}

/// Reads an optional vector of three numbers.
pub(crate) fn optional_vector(what: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<DVec3>> {
    value.map(|v| vector(what, v)).transpose()
}

/// Reads an optional vector of three numbers in single precision.
#[cfg(feature = "render")]
pub(crate) fn single_vector(what: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<glam::Vec3>> {
    let single = optional_vector(what, value)?.map(DVec3::as_vec3);
    match single.filter(|v| !v.is_finite()) {
        Some(_) => Err(error(format!("{what} must be within the range of single precision"))),
        None => Ok(single),
    }
}

/// Reads a quaternion (x, y, z, w) of any length except zero, and normalises it.
pub(crate) fn quaternion(what: &str, value: &Bound<'_, PyAny>) -> PyResult<DQuat> {
    unit(what, numbers(what, value)?)
}

/// Returns a normalised quaternion.
pub(crate) fn unit(what: &str, xyzw: [f64; 4]) -> PyResult<DQuat> {
    let q = DQuat::from_array(xyzw);
    let length = q.length();
    if length > 0.0 && length.is_finite() {
        // The bits of a quaternion that is already normalised do not change.
        Ok(if (length - 1.0).abs() < 1e-15 { q } else { q / length })
    } else {
        Err(error(format!("{what} must be a quaternion (x, y, z, w) of a length greater than 0")))
    }
}

/// Reads an affine 4×4 matrix.
pub(crate) fn affine(what: &str, value: &Bound<'_, PyAny>) -> PyResult<DAffine3> {
    let array = Array::new(what, value, &[Size::Exactly(4), Size::Exactly(4)])?;
    let rows: [f64; 16] = array.values.try_into().map_err(|_| error(format!("{what} is empty")))?;
    let matrix = DMat4::from_cols_array(&rows).transpose();
    if matrix.row(3) != glam::DVec4::W {
        return Err(error(format!("the last row of {what} must be 0, 0, 0, 1")));
    }
    Ok(DAffine3::from_mat4(matrix))
}

/// Reads an index, which must not be negative.
pub(crate) fn index(what: &str, value: i64) -> PyResult<usize> {
    usize::try_from(value).map_err(|_| error(format!("{what} must be at least 0, but is {value}")))
}

/// Returns an array with rows of N numbers.
pub(crate) fn rows<'py, T: Element, const N: usize>(
    py: Python<'py>,
    rows: impl IntoIterator<Item = [T; N]>,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let values: Vec<T> = rows.into_iter().flatten().collect();
    let count = values.len() / N;
    values.into_pyarray(py).reshape([count, N])
}

/// Converts matrices in column-major order to an array of 4×4 matrices.
pub(crate) fn matrices<'py, T: Element + Copy>(
    py: Python<'py>,
    columns: impl IntoIterator<Item = [T; 16]>,
) -> PyResult<Bound<'py, PyArray3<T>>> {
    let transposed = |m: [T; 16]| {
        let [a, b, c, d, e, f, g, h, i, j, k, l, n, o, p, q] = m;
        [a, e, i, n, b, f, j, o, c, g, k, p, d, h, l, q]
    };
    let values: Vec<T> = columns.into_iter().flat_map(transposed).collect();
    let count = values.len() / 16;
    values.into_pyarray(py).reshape([count, 4, 4])
}

/// Returns one number for each item.
pub(crate) fn list<T: Element>(py: Python<'_>, values: Vec<T>) -> Bound<'_, PyArray1<T>> {
    values.into_pyarray(py)
}

/// Makes an array read-only. A property returns a copy of its array, so an assignment to an element would be lost.
pub(crate) fn read_only<'py, T: Element, D: numpy::ndarray::Dimension>(
    array: &Bound<'py, numpy::PyArray<T, D>>,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(array.try_readwrite().or_raise()?.make_nonwriteable().as_any().clone())
}

fn wanted(sizes: &[Size]) -> String {
    let names: Vec<String> = sizes
        .iter()
        .map(|size| match size {
            Size::Any(name) => (*name).to_owned(),
            Size::Exactly(n) => n.to_string(),
        })
        .collect();
    tuple(&names)
}

fn text(shape: &[usize]) -> String {
    tuple(&shape.iter().map(usize::to_string).collect::<Vec<_>>())
}

/// Formats a shape as Python does.
fn tuple(names: &[String]) -> String {
    match names {
        [one] => format!("({one},)"),
        names => format!("({})", names.join(", ")),
    }
}

/// Returns the indices of an element as text, for example `[3, 1]`.
fn place(flat: usize, shape: &[usize]) -> String {
    let mut rest = flat;
    let mut indices: Vec<String> = Vec::with_capacity(shape.len());
    for length in shape.iter().rev() {
        indices.push((rest % length.max(&1)).to_string());
        rest /= length.max(&1);
    }
    indices.reverse();
    if indices.is_empty() { String::new() } else { format!("[{}]", indices.join(", ")) }
}

/// Returns the first line of an error message from numpy.
fn first_line(value: &Bound<'_, PyAny>, error: &PyErr) -> String {
    error.value(value.py()).to_string().lines().next().unwrap_or_default().to_owned()
}
