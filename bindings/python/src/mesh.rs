//! Surfaces of characters, both as stored in the file and skinned.

use std::sync::Arc;

use glam::{Vec3, Vec4};
use numpy::{PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use sinew::asset;
use sinew::asset::{Character, MorphTarget, Primitive};

use crate::arrays::{list, read_only, rows};
use crate::pickle::{Reduced, reduce};

/// A primitive on a node, which is skinned and drawn as a unit. The arrays are as in the file, before skinning.
#[pyclass(frozen, module = "sinew")]
pub(crate) struct Part {
    character: Arc<Character>,
    part: asset::Part,
    /// Index of the part.
    #[pyo3(get)]
    index: usize,
}

impl Part {
    /// Refers to a part of a character.
    pub(crate) fn new(character: Arc<Character>, index: usize, part: asset::Part) -> Self {
        Self { character, part, index }
    }

    fn primitive(&self) -> &Primitive {
        self.character.primitive(self.part)
    }
}

#[pymethods]
impl Part {
    /// Index of the node.
    #[getter]
    fn node(&self) -> usize {
        self.part.node
    }

    /// Whether joints deform the part. Otherwise, it moves rigidly with its node.
    #[getter]
    fn is_skinned(&self) -> bool {
        self.part.skin.is_some()
    }

    /// Node indices of the joints that `joints` refers to. For a rigid part, the index of its node.
    #[getter]
    fn skin_nodes(&self) -> Vec<usize> {
        let skin = self.part.skin.and_then(|skin| self.character.skins.get(skin));
        skin.map_or_else(|| vec![self.part.node], |skin| skin.joints.clone())
    }

    /// Positions in metres, shape (vertices, 3), float32.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        read_only(&rows(py, self.primitive().positions.iter().map(Vec3::to_array))?)
    }

    /// Unit normals, shape (vertices, 3), float32. The first axis has length 0 if the file has none.
    #[getter]
    fn normals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        read_only(&rows(py, self.primitive().normals.iter().map(Vec3::to_array))?)
    }

    /// Vertex indices, shape (triangles, 3), uint32, counter-clockwise as seen from outside.
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        read_only(&rows(py, self.primitive().triangles.iter().copied())?)
    }

    /// Indices into `skin_nodes` of the joints that move a vertex, shape (vertices, 4 or 8), uint16. The second axis has length 0
    /// for a rigid part.
    #[getter]
    fn joints<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let sets = self.primitive().influences.iter().map(|set| set.joints.clone());
        side_by_side(py, sets.collect(), self.primitive().vertices())
    }

    /// Weights of the joints, shape (vertices, 4 or 8), float32. The weights of a vertex sum to one.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let sets = self.primitive().influences.iter();
        let sets = sets.map(|set| set.weights.iter().map(Vec4::to_array).collect());
        side_by_side(py, sets.collect(), self.primitive().vertices())
    }

    /// Displacements by each morph target at weight 1 before skinning, in metres, shape (targets, vertices, 3), float32.
    #[getter]
    fn morph_targets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Primitive { positions, morph_targets, .. } = self.primitive();
        let deltas = |target: &MorphTarget| -> Vec<Vec3> {
            let zero = || vec![Vec3::ZERO; positions.len()];
            if target.positions.is_empty() { zero() } else { target.positions.clone() }
        };
        let values: Vec<f32> = morph_targets.iter().flat_map(deltas).flat_map(|v| v.to_array()).collect();
        let shape = [morph_targets.len(), positions.len(), 3];
        let array: Bound<'py, PyArray3<f32>> = list(py, values).reshape(shape)?;
        read_only(&array)
    }

    /// The start and the end of the part's morph weights in `Pose.weights`.
    #[getter]
    fn morph_weights(&self) -> (usize, usize) {
        let node = self.character.skeleton.nodes.get(self.part.node);
        node.map_or((0, 0), |node| (node.morph_weights.start, node.morph_weights.end))
    }

    fn __repr__(&self) -> String {
        let vertices = self.primitive().vertices();
        let kind = if self.is_skinned() { "skinned" } else { "rigid" };
        format!("Part(index={}, node={}, {vertices} vertices, {kind})", self.index, self.part.node)
    }
}

/// Returns sets of four numbers for each vertex as one array.
fn side_by_side<'py, T: numpy::Element + Copy>(
    py: Python<'py>,
    sets: Vec<Vec<[T; 4]>>,
    vertices: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let columns = sets.len() * 4;
    let row = |vertex: usize| {
        let in_set = move |set: &Vec<[T; 4]>| set.get(vertex).copied();
        sets.iter().filter_map(in_set).flatten().collect::<Vec<T>>()
    };
    let values: Vec<T> = (0..vertices).flat_map(row).collect();
    let array: Bound<'py, PyArray2<T>> = list(py, values).reshape([vertices, columns])?;
    read_only(&array)
}

/// Skinned vertices in world space.
#[pyclass(frozen, get_all, module = "sinew")]
pub(crate) struct Mesh {
    /// Positions in metres, shape (vertices, 3), float32.
    positions: Py<PyArray2<f32>>,
    /// Unit normals, shape (vertices, 3), float32, or None if a part has none.
    normals: Option<Py<PyArray2<f32>>>,
    /// Vertex indices, shape (triangles, 3), uint32, counter-clockwise as seen from outside.
    triangles: Py<PyArray2<u32>>,
}

impl Mesh {
    pub(crate) fn new(
        py: Python<'_>,
        positions: Vec<Vec3>,
        normals: Vec<Vec3>,
        triangles: Vec<[u32; 3]>,
    ) -> PyResult<Self> {
        let has_normals = normals.len() == positions.len();
        let normals = has_normals.then(|| rows(py, normals.into_iter().map(|n| n.to_array()))).transpose()?;
        Ok(Self {
            positions: rows(py, positions.into_iter().map(|p| p.to_array()))?.unbind(),
            normals: normals.map(Bound::unbind),
            triangles: rows(py, triangles)?.unbind(),
        })
    }
}

#[pymethods]
impl Mesh {
    #[staticmethod]
    fn _from_state(
        positions: Py<PyArray2<f32>>,
        normals: Option<Py<PyArray2<f32>>>,
        triangles: Py<PyArray2<u32>>,
    ) -> Self {
        Self { positions, normals, triangles }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let Self { positions, normals, triangles } = slf.get();
        reduce(slf, "_from_state", (positions, normals, triangles))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (vertices, triangles) = (self.positions.bind(py).len()?, self.triangles.bind(py).len()?);
        Ok(format!("Mesh({vertices} vertices, {triangles} triangles)"))
    }
}
