//! Nodes and clips of a character.

use pyo3::prelude::*;
use sinew::asset;

use crate::pickle::{Reduced, reduce};

/// A node of a character: a joint, a node with a mesh, or a group. Translation, rotation (x, y, z, w) and scale are as in
/// the file, in the space of the parent.
#[pyclass(frozen, get_all, module = "sinew")]
pub(crate) struct Node {
    /// Index of the node.
    index: usize,
    /// Name of the node, or None.
    name: Option<String>,
    /// Index of the parent, or None for a root.
    parent: Option<usize>,
    /// Translation in the space of the parent in metres, as in the file.
    translation: (f32, f32, f32),
    /// Rotation in the space of the parent, a quaternion (x, y, z, w), as in the file.
    rotation: (f32, f32, f32, f32),
    /// Scale factors, as in the file.
    scale: (f32, f32, f32),
    /// Whether a skin of the character contains the node.
    is_joint: bool,
}

impl Node {
    /// Copies a node of a character.
    pub(crate) fn new(index: usize, node: &asset::Node, is_joint: bool) -> Self {
        Self {
            index,
            name: node.name.clone(),
            parent: node.parent,
            translation: node.rest.translation.into(),
            rotation: node.rest.rotation.into(),
            scale: node.rest.scale.into(),
            is_joint,
        }
    }
}

type Vector = (f32, f32, f32);
type Quaternion = (f32, f32, f32, f32);
/// The fields of a [`Node`] in order, for pickle.
type NodeState = (usize, Option<String>, Option<usize>, Vector, Quaternion, Vector, bool);

#[pymethods]
impl Node {
    #[staticmethod]
    fn _from_state(state: NodeState) -> Self {
        let (index, name, parent, translation, rotation, scale, is_joint) = state;
        Self { index, name, parent, translation, rotation, scale, is_joint }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let Self { index, name, parent, translation, rotation, scale, is_joint } = slf.get();
        let state = (*index, name.as_deref(), *parent, *translation, *rotation, *scale, *is_joint);
        reduce(slf, "_from_state", (state,))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let parent = self.parent.map_or_else(|| "None".to_owned(), |parent| parent.to_string());
        let is_joint = if self.is_joint { "True" } else { "False" };
        Ok(format!(
            "Node(index={}, name={}, parent={parent}, is_joint={is_joint})",
            self.index,
            repr(py, &self.name)?
        ))
    }
}

/// An animation clip of a character.
#[pyclass(frozen, get_all, module = "sinew")]
pub(crate) struct Clip {
    /// Index of the clip.
    index: usize,
    /// Name of the clip, or None.
    name: Option<String>,
    /// Duration in seconds.
    seconds: f32,
}

impl Clip {
    /// Copies the name and the duration of a clip.
    pub(crate) fn new(index: usize, clip: &asset::Clip) -> Self {
        Self { index, name: clip.name.clone(), seconds: clip.seconds }
    }
}

#[pymethods]
impl Clip {
    #[staticmethod]
    fn _from_state(index: usize, name: Option<String>, seconds: f32) -> Self {
        Self { index, name, seconds }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let Self { index, name, seconds } = slf.get();
        reduce(slf, "_from_state", (*index, name.as_deref(), *seconds))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Clip(index={}, name={}, seconds={:?})", self.index, repr(py, &self.name)?, self.seconds))
    }
}

/// Returns a name as Python prints it.
fn repr(py: Python<'_>, name: &Option<String>) -> PyResult<String> {
    Ok(name.into_pyobject(py)?.repr()?.to_string())
}

/// A node or a clip, given by name or index.
#[derive(Clone, FromPyObject, IntoPyObject, IntoPyObjectRef)]
pub(crate) enum Key {
    Index(i64),
    Name(String),
}

impl Key {
    /// Returns the index of an item with this name or index. `kind` names the kind of item in messages.
    pub(crate) fn find<'a>(
        &self,
        py: Python<'_>,
        kind: &str,
        names: impl Iterator<Item = Option<&'a str>> + Clone,
    ) -> PyResult<usize> {
        match self {
            Self::Index(index) => {
                let count = names.count();
                let found = usize::try_from(*index).ok().filter(|index| *index < count);
                let missing = || format!("{kind} {index} does not exist; the character has {count}");
                found.ok_or_else(|| crate::error::error(missing()))
            }
            Self::Name(name) => {
                let found = names.clone().position(|known| known == Some(name));
                found.map_or_else(|| Err(unknown(py, kind, name, names)), Ok)
            }
        }
    }
}

/// Returns the error for a name that does not exist. It suggests the most similar name.
fn unknown<'a>(
    py: Python<'_>,
    kind: &str,
    name: &str,
    names: impl Iterator<Item = Option<&'a str>>,
) -> PyErr {
    let names: Vec<&str> = names.flatten().collect();
    let similar = || -> PyResult<Vec<String>> {
        py.import("difflib")?.call_method1("get_close_matches", (name, names, 1))?.extract()
    };
    // Without a suggestion, the message is still complete.
    let hint = similar().ok().and_then(|found| found.first().map(|best| format!("; did you mean {best:?}?")));
    crate::error::error(format!("{kind} {name:?} does not exist{}", hint.unwrap_or_default()))
}
