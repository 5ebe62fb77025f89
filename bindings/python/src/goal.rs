//! Goals for links.

use glam::DVec3;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sinew::ik;

use crate::arrays::{index, optional_vector, quaternion, vector};
use crate::error::error;
use crate::limit::show;
use crate::pickle::NewArguments;

/// The positional arguments of the constructor.
type Positional = (usize, Option<Vector>, Option<Quaternion>);

type Vector = (f64, f64, f64);
type Quaternion = (f64, f64, f64, f64);

/// A goal for one link of a `Body`, in world space.
///
/// `position` is the target position of the point `offset` of the link, and `orientation` is a quaternion (x, y, z, w). The axis `aim_axis`
/// of the link must point at the position `aim_at`. The limb that ends at the link bends towards `pole`. A goal can combine all of these.
/// `weight` is relative to the other goals, and `pinned` goals have priority over the others.
#[pyclass(frozen, from_py_object, module = "sinew")]
#[derive(Clone)]
pub(crate) struct Goal {
    pub(crate) goal: ik::Goal,
}

#[pymethods]
impl Goal {
    #[new]
    #[pyo3(signature = (
        link, position = None, orientation = None, *,
        aim_axis = None, aim_at = None, pole = None, offset = None, weight = 1.0, pinned = false
    ))]
    fn new(
        link: i64,
        position: Option<&Bound<'_, PyAny>>,
        orientation: Option<&Bound<'_, PyAny>>,
        aim_axis: Option<&Bound<'_, PyAny>>,
        aim_at: Option<&Bound<'_, PyAny>>,
        pole: Option<&Bound<'_, PyAny>>,
        offset: Option<&Bound<'_, PyAny>>,
        weight: f64,
        pinned: bool,
    ) -> PyResult<Self> {
        let mut goal = ik::Goal::position(ik::LinkIndex(index("link", link)?), DVec3::ZERO);
        goal.position = optional_vector("position", position)?;
        goal.orientation = orientation.map(|q| quaternion("orientation", q)).transpose()?;
        goal.aim = match (aim_axis, aim_at) {
            (None, None) => None,
            (Some(axis), Some(at)) => {
                Some(ik::Aim { axis: vector("aim_axis", axis)?, at: vector("aim_at", at)? })
            }
            _ => return Err(error("aim_axis and aim_at must be given together")),
        };
        goal.pole = optional_vector("pole", pole)?;
        goal.offset = optional_vector("offset", offset)?.unwrap_or_default();
        (goal.weight, goal.pinned) = (weight, pinned);
        if goal.position.is_none() && goal.orientation.is_none() && goal.aim.is_none() {
            return Err(error("a goal needs a position, an orientation or an aim"));
        }
        Ok(Self { goal })
    }

    /// Index of the link.
    #[getter]
    fn link(&self) -> usize {
        self.goal.link.0
    }

    /// World position of the point `offset` of the link in metres, or None.
    #[getter]
    fn position(&self) -> Option<Vector> {
        self.goal.position.map(Into::into)
    }

    /// World orientation of the link as a unit quaternion (x, y, z, w), or None.
    #[getter]
    fn orientation(&self) -> Option<Quaternion> {
        self.goal.orientation.map(Into::into)
    }

    /// Axis of the link that points at `aim_at`, or None.
    #[getter]
    fn aim_axis(&self) -> Option<Vector> {
        self.goal.aim.map(|aim| aim.axis.into())
    }

    /// World position at which `aim_axis` points in metres, or None.
    #[getter]
    fn aim_at(&self) -> Option<Vector> {
        self.goal.aim.map(|aim| aim.at.into())
    }

    /// World position towards which the limb bends in metres, or None.
    #[getter]
    fn pole(&self) -> Option<Vector> {
        self.goal.pole.map(Into::into)
    }

    /// Point of the link that reaches `position`, in the link's frame in metres.
    #[getter]
    fn offset(&self) -> Vector {
        self.goal.offset.into()
    }

    /// Weight relative to the other goals.
    #[getter]
    fn weight(&self) -> f64 {
        self.goal.weight
    }

    /// Whether the goal has priority over goals that are not pinned.
    #[getter]
    fn pinned(&self) -> bool {
        self.goal.pinned
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<NewArguments<'py, Positional>> {
        let named = PyDict::new(py);
        named.set_item("aim_axis", self.aim_axis())?;
        named.set_item("aim_at", self.aim_at())?;
        named.set_item("pole", self.pole())?;
        named.set_item("offset", self.offset())?;
        named.set_item("weight", self.weight())?;
        named.set_item("pinned", self.pinned())?;
        Ok(((self.link(), self.position(), self.orientation()), named))
    }

    fn __repr__(&self) -> String {
        let goal = &self.goal;
        let position = goal.position.map(|p| format!(", position={}", show(p)));
        let orientation = goal.orientation.map(|q| format!(", orientation={:?}", Quaternion::from(q)));
        let aim = goal.aim.map(|aim| format!(", aim_axis={}, aim_at={}", show(aim.axis), show(aim.at)));
        let pinned = goal.pinned.then(|| ", pinned=True".to_owned());
        let parts: String = [position, orientation, aim, pinned].into_iter().flatten().collect();
        format!("Goal(link={}{parts})", goal.link)
    }
}
