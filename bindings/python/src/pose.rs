//! Poses of a character.

use glam::{Quat, Vec3};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use sinew::asset::Transform;
use sinew::pose;

use crate::arrays::{Array, Size, list, read_only, rows};
use crate::body::rotations_of;
use crate::error::error;

/// The local transforms of all nodes of a character, and its morph weights.
///
/// `translations` are in metres, shape (nodes, 3), `rotations` are quaternions (x, y, z, w), shape (nodes, 4), `scales` have the shape
/// (nodes, 3), and `weights` are the morph weights. The arrays are read-only copies. To change a pose, assign a whole array: `pose.rotations = rotations`.
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
    #[new]
    fn new(
        translations: &Bound<'_, PyAny>,
        rotations: &Bound<'_, PyAny>,
        scales: &Bound<'_, PyAny>,
        weights: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let translations = vectors("translations", translations, Size::Any("nodes"))?;
        let nodes = translations.len();
        let mut pose =
            Self { pose: pose::Pose { locals: vec![Transform::IDENTITY; nodes], weights: Vec::new() } };
        pose.pose.locals.iter_mut().zip(translations).for_each(|(local, v)| local.translation = v);
        // A unit quaternion keeps its bits.
        let given = Array::new("rotations", rotations, &[pose.nodes(), Size::Exactly(4)])?;
        for (local, xyzw) in pose.pose.locals.iter_mut().zip(given.rows()) {
            let own = Quat::from_array(xyzw.map(to_single));
            local.rotation = if own.is_normalized() { own } else { local.rotation };
        }
        pose.set_rotations(rotations)?;
        pose.set_scales(scales)?;
        let array = Array::new("weights", weights, &[Size::Any("weights")])?;
        pose.pose.weights = singles("weights", array.values)?;
        Ok(pose)
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, [self.translations(py)?, self.rotations(py)?, self.scales(py)?, self.weights(py)?])
    }

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
