//! Targets for nodes of a puppet.

use glam::{DQuat, DVec3};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sinew::asset;
use sinew::puppet;

use crate::arrays::{optional_vector, quaternion};
use crate::character::find_node;
use crate::error::error;
use crate::node::Key;
use crate::pickle::NewArguments;

/// The positional arguments of the constructor.
type Positional = (Key, Option<Vector>, Option<Quaternion>);

type Vector = (f64, f64, f64);
type Quaternion = (f64, f64, f64, f64);

/// Goals for one node of a `Puppet`, in world space. `node` and `base` are names or indices.
///
/// `position` is the target position of the point `offset` of the node, and `orientation` is a quaternion (x, y, z, w). The node's forward
/// axis must point at the position `look`. The limb that ends at the node bends towards `pole`. `base` is the node that stays fixed.
/// Without a base, a recognised body follows the target as a whole.
#[pyclass(frozen, from_py_object, module = "sinew")]
#[derive(Clone)]
pub(crate) struct Target {
    /// Name or index of the node.
    #[pyo3(get)]
    node: Key,
    /// Name or index of the node that stays fixed, or None.
    #[pyo3(get)]
    base: Option<Key>,
    position: Option<DVec3>,
    orientation: Option<DQuat>,
    look: Option<DVec3>,
    pole: Option<DVec3>,
    offset: DVec3,
    /// Weight relative to the other targets.
    #[pyo3(get)]
    weight: f64,
}

#[pymethods]
impl Target {
    #[new]
    #[pyo3(signature = (
        node, position = None, orientation = None, *,
        look = None, pole = None, base = None, offset = None, weight = 1.0
    ))]
    fn new(
        node: Key,
        position: Option<&Bound<'_, PyAny>>,
        orientation: Option<&Bound<'_, PyAny>>,
        look: Option<&Bound<'_, PyAny>>,
        pole: Option<&Bound<'_, PyAny>>,
        base: Option<Key>,
        offset: Option<&Bound<'_, PyAny>>,
        weight: f64,
    ) -> PyResult<Self> {
        let target = Self {
            node,
            base,
            position: optional_vector("position", position)?,
            orientation: orientation.map(|q| quaternion("orientation", q)).transpose()?,
            look: optional_vector("look", look)?,
            pole: optional_vector("pole", pole)?,
            offset: optional_vector("offset", offset)?.unwrap_or_default(),
            weight,
        };
        if target.position.is_none() && target.orientation.is_none() && target.look.is_none() {
            return Err(error("a target needs a position, an orientation or a look"));
        }
        Ok(target)
    }

    /// World position of the point `offset` of the node in metres, or None.
    #[getter]
    fn position(&self) -> Option<Vector> {
        self.position.map(Into::into)
    }

    /// World orientation of the node as a unit quaternion (x, y, z, w), or None.
    #[getter]
    fn orientation(&self) -> Option<Quaternion> {
        self.orientation.map(Into::into)
    }

    /// World position at which the node's forward axis points in metres, or None.
    #[getter]
    fn look(&self) -> Option<Vector> {
        self.look.map(Into::into)
    }

    /// World position towards which the limb bends in metres, or None.
    #[getter]
    fn pole(&self) -> Option<Vector> {
        self.pole.map(Into::into)
    }

    /// Point of the node that reaches `position`, in the node's frame in metres.
    #[getter]
    fn offset(&self) -> Vector {
        self.offset.into()
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<NewArguments<'py, Positional>> {
        let named = PyDict::new(py);
        named.set_item("look", self.look())?;
        named.set_item("pole", self.pole())?;
        named.set_item("base", self.base.clone())?;
        named.set_item("offset", self.offset())?;
        named.set_item("weight", self.weight)?;
        Ok(((self.node.clone(), self.position(), self.orientation()), named))
    }

    fn __repr__(&self) -> String {
        let vector = |name: &str, v: Option<DVec3>| {
            v.map(|v| format!(", {name}={}", crate::limit::show(v))).unwrap_or_default()
        };
        let node = match &self.node {
            Key::Index(index) => index.to_string(),
            Key::Name(name) => format!("'{}'", name.escape_debug()),
        };
        let orientation = self.orientation.map(|q| format!(", orientation={:?}", Quaternion::from(q)));
        format!(
            "Target({node}{}{}{})",
            vector("position", self.position),
            orientation.unwrap_or_default(),
            vector("look", self.look)
        )
    }
}

impl Target {
    /// Finds the nodes in a character.
    pub(crate) fn bind(&self, py: Python<'_>, character: &asset::Character) -> PyResult<puppet::Target> {
        let mut target = puppet::Target::new(find_node(py, character, &self.node)?);
        target.base = self.base.as_ref().map(|base| find_node(py, character, base)).transpose()?;
        (target.position, target.orientation) = (self.position, self.orientation);
        (target.look, target.pole) = (self.look, self.pole);
        (target.offset, target.weight) = (self.offset, self.weight);
        Ok(target)
    }
}
