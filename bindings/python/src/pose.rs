//! Poses of a character.

use glam::{Quat, Vec3};
use numpy::PyArray1;
use pyo3::prelude::*;
use sinew::pose;

use crate::arrays::{Array, Size, list, read_only, rows};
use crate::body::rotations_of;
use crate::error::error;

/// The local transforms of all nodes of a character, and its morph weights.
///
/// The arrays are read-only copies. To change a pose, assign a whole array: `pose.rotations = rotations`.
#[pyclass(module = "sinew")]
pub(crate) struct Pose {
    pub(crate) pose: pose::Pose,
}

impl Pose {
    fn nodes(&self) -> Size {
        Size::Exactly(self.pose.locals.len())
    }
}

#[pymethods]
impl Pose {
    /// Translations in the space of the parent in metres, shape (nodes, 3), float32.
    #[getter]
    fn translations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        read_only(&rows(py, self.pose.locals.iter().map(|l| l.translation.to_array()))?)
    }

    #[setter]
    fn set_translations(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let vectors = vectors("translations", value, self.nodes())?;
        self.pose.locals.iter_mut().zip(vectors).for_each(|(local, v)| local.translation = v);
        Ok(())
    }

    /// Rotations, quaternions (x, y, z, w), shape (nodes, 4), float32. They are normalised when they are assigned.
    #[getter]
    fn rotations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        read_only(&rows(py, self.pose.locals.iter().map(|l| l.rotation.to_array()))?)
    }

    #[setter]
    fn set_rotations(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let given = Array::new("rotations", value, &[self.nodes(), Size::Exactly(4)])?;
        let units = rotations_of("rotations", value, &[self.nodes()])?;
        for ((local, given), unit) in self.pose.locals.iter_mut().zip(given.rows()).zip(units) {
            let own = given.map(to_single);
            // Assigning a pose's own rotations back to it must not change any bit.
            if own != local.rotation.to_array() {
                local.rotation = Quat::from_array(unit.to_array().map(to_single));
            }
        }
        Ok(())
    }

    /// Scale factors, shape (nodes, 3), float32.
    #[getter]
    fn scales<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        read_only(&rows(py, self.pose.locals.iter().map(|l| l.scale.to_array()))?)
    }

    #[setter]
    fn set_scales(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let vectors = vectors("scales", value, self.nodes())?;
        self.pose.locals.iter_mut().zip(vectors).for_each(|(local, v)| local.scale = v);
        Ok(())
    }

    /// Morph weights of all nodes and other animated numbers, in the order of the file, float32.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let weights: Bound<'py, PyArray1<f32>> = list(py, self.pose.weights.clone());
        read_only(&weights)
    }

    #[setter]
    fn set_weights(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let array = Array::new("weights", value, &[Size::Exactly(self.pose.weights.len())])?;
        self.pose.weights = singles("weights", array.values)?;
        Ok(())
    }

    /// Returns an independent copy.
    fn copy(&self) -> Self {
        Self { pose: self.pose.clone() }
    }

    fn __copy__(&self) -> Self {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.copy()
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.pose == other.pose
    }

    fn __len__(&self) -> usize {
        self.pose.locals.len()
    }

    fn __repr__(&self) -> String {
        format!("Pose({} nodes)", self.pose.locals.len())
    }
}

#[expect(clippy::cast_possible_truncation, reason = "poses are single precision")]
fn to_single(value: f64) -> f32 {
    value as f32
}

fn singles(what: &str, values: Vec<f64>) -> PyResult<Vec<f32>> {
    let singles: Vec<f32> = values.into_iter().map(to_single).collect();
    match singles.iter().all(|v| v.is_finite()) {
        true => Ok(singles),
        false => Err(error(format!("{what} must be within the range of single precision"))),
    }
}

fn vectors(what: &str, value: &Bound<'_, PyAny>, nodes: Size) -> PyResult<Vec<Vec3>> {
    let values = singles(what, Array::new(what, value, &[nodes, Size::Exactly(3)])?.values)?;
    Ok(values.chunks_exact(3).map(Vec3::from_slice).collect())
}
