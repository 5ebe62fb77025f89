//! Links of a body.

use glam::DVec3;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sinew::ik;

use crate::arrays::{index, quaternion, vector};
use crate::limit::{Limit, show};
use crate::pickle::NewArguments;

/// The positional arguments of the constructor.
type Positional = (Option<usize>, (f64, f64, f64));

/// A joint of a `Body` and its offset from its parent.
///
/// The first link of a body is its base and has no parent. The parent of every other link precedes it. `offset` is the
/// position in the parent's frame in metres, `rest` is the local rotation in the rest pose as a quaternion (x, y, z, w), and `scale` is the
/// scale of all its descendants. A link of `weight` 0 never turns.
#[pyclass(frozen, from_py_object, module = "sinew")]
#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) link: ik::Link,
    pub(crate) limit: Limit,
}

impl Link {
    /// Returns a link with the identity as its rest rotation.
    pub(crate) fn at(parent: Option<usize>, offset: DVec3, limit: Limit) -> Self {
        let mut link = ik::Link::base();
        (link.parent, link.offset, link.limit) = (parent.map(ik::LinkIndex), offset, limit.limit);
        Self { link, limit }
    }
}

#[pymethods]
impl Link {
    #[new]
    #[pyo3(signature = (parent = None, offset = None, *, rest = None, limit = None, weight = 1.0, scale = None))]
    fn new(
        parent: Option<i64>,
        offset: Option<&Bound<'_, PyAny>>,
        rest: Option<&Bound<'_, PyAny>>,
        limit: Option<Limit>,
        weight: f64,
        scale: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let parent = parent.map(|parent| index("parent", parent)).transpose()?;
        let offset = offset.map_or(Ok(DVec3::ZERO), |offset| vector("offset", offset))?;
        let mut made = Self::at(parent, offset, limit.unwrap_or_else(Limit::unlimited));
        let link = &mut made.link;
        link.weight = weight;
        link.rest = rest.map_or(Ok(link.rest), |rest| quaternion("rest", rest))?;
        link.scale = scale.map_or(Ok(link.scale), |scale| vector("scale", scale))?;
        Ok(made)
    }

    /// Index of the parent, or None for the base.
    #[getter]
    fn parent(&self) -> Option<usize> {
        self.link.parent.map(|parent| parent.0)
    }

    /// Position in the parent's frame in metres.
    #[getter]
    fn offset(&self) -> (f64, f64, f64) {
        self.link.offset.into()
    }

    /// Local rotation in the rest pose, a quaternion (x, y, z, w).
    #[getter]
    fn rest(&self) -> (f64, f64, f64, f64) {
        self.link.rest.into()
    }

    /// Scale factors of all descendants.
    #[getter]
    fn scale(&self) -> (f64, f64, f64) {
        self.link.scale.into()
    }

    /// Type and range of the joint.
    #[getter]
    fn limit(&self) -> Limit {
        self.limit.clone()
    }

    /// Willingness to turn. A link of weight 0 never turns.
    #[getter]
    fn weight(&self) -> f64 {
        self.link.weight
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<NewArguments<'py, Positional>> {
        let named = PyDict::new(py);
        named.set_item("rest", self.rest())?;
        named.set_item("limit", self.limit())?;
        named.set_item("weight", self.weight())?;
        named.set_item("scale", self.scale())?;
        Ok(((self.parent(), self.offset()), named))
    }

    fn __repr__(&self) -> String {
        let parent = self.link.parent.map_or_else(|| "None".to_owned(), |parent| parent.to_string());
        format!("Link(parent={parent}, offset={}, limit={})", show(self.link.offset), self.limit.repr())
    }
}
