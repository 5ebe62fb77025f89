//! Joint limits.

use std::f64::consts::PI;

use glam::DVec3;
use pyo3::prelude::*;
use sinew::ik;
use sinew::ik::shared::{euler_order, euler_order_name};

use crate::arrays::vector;
use crate::error::error;
use crate::pickle::{Reduced, reduce};

/// The type of a joint and its range of rotations or displacements from the rest pose. Angles are in radians, and axes are in the
/// joint's rest frame. Axes may have any length except zero.
#[pyclass(frozen, from_py_object, module = "sinew")]
#[derive(Clone)]
pub(crate) struct Limit {
    pub(crate) limit: ik::Limit,
    /// The Python call that creates the limit.
    text: String,
}

impl Limit {
    /// Returns the limit of a joint that may turn freely.
    pub(crate) fn unlimited() -> Self {
        Self { limit: ik::Limit::Free, text: "free()".to_owned() }
    }

    /// Returns the Python expression that creates the limit.
    pub(crate) fn repr(&self) -> String {
        format!("Limit.{}", self.text)
    }
}

#[pymethods]
impl Limit {
    /// Any rotation.
    #[staticmethod]
    fn free() -> Self {
        Self::unlimited()
    }

    /// No rotation.
    #[staticmethod]
    fn locked() -> Self {
        Self { limit: ik::Limit::Locked, text: "locked()".to_owned() }
    }

    /// A rotation about one axis, between two angles.
    #[staticmethod]
    #[pyo3(signature = (axis, min = -PI, max = PI))]
    fn hinge(axis: &Bound<'_, PyAny>, min: f64, max: f64) -> PyResult<Self> {
        let axis = unit("axis", axis)?;
        check_range(min, max)?;
        Ok(Self {
            limit: ik::Limit::Hinge { axis, min, max },
            text: format!("hinge({}, {min}, {max})", show(axis)),
        })
    }

    /// A displacement along one axis, between two lengths in metres, and no rotation.
    #[staticmethod]
    fn prismatic(axis: &Bound<'_, PyAny>, min: f64, max: f64) -> PyResult<Self> {
        let axis = unit("axis", axis)?;
        check_range(min, max)?;
        let text = format!("prismatic({}, {min}, {max})", show(axis));
        Ok(Self { limit: ik::Limit::Prismatic { axis, min, max }, text })
    }

    /// A swing of at most `swing` about each of two axes perpendicular to `axis`, and a twist about `axis` within
    /// `twist`. The first swing axis is the part of `side` that is perpendicular to `axis`.
    #[staticmethod]
    #[pyo3(signature = (axis, side, swing, twist = (-PI, PI)))]
    fn cone(
        axis: &Bound<'_, PyAny>,
        side: &Bound<'_, PyAny>,
        swing: (f64, f64),
        twist: (f64, f64),
    ) -> PyResult<Self> {
        let axis = unit("axis", axis)?;
        let given = unit("side", side)?;
        let along = axis.dot(given);
        // A vector that is already perpendicular keeps its bits.
        let side = if along.abs() < UNIT { Some(given) } else { (given - axis * along).try_normalize() };
        let side = side.ok_or_else(|| error("side must not be parallel to axis"))?;
        let is_swing = |angle: f64| (0.0..=PI).contains(&angle);
        if !(is_swing(swing.0) && is_swing(swing.1)) {
            return Err(error("swing must be two angles between 0 and pi"));
        }
        check_range(twist.0, twist.1)?;
        let text = format!("cone({}, {}, {swing:?}, {twist:?})", show(axis), show(side));
        let limit = ik::Limit::Cone { axis, side, swing: swing.into(), twist: twist.into() };
        Ok(Self { limit, text })
    }

    /// A range for each of three Euler angles. `order` is one of xyz, xzy, yxz, yzx, zxy and zyx.
    #[staticmethod]
    fn euler(order: &str, min: [f64; 3], max: [f64; 3]) -> PyResult<Self> {
        let known = euler_order(order).filter(|known| euler_order_name(*known) == Some(order));
        let unknown = || error(format!("unknown order \"{order}\"; use xyz, xzy, yxz, yzx, zxy or zyx"));
        let rotation = known.ok_or_else(unknown)?;
        min.iter().zip(max).try_for_each(|(min, max)| check_range(*min, max))?;
        let text = format!("euler('{order}', {min:?}, {max:?})");
        Ok(Self { limit: ik::Limit::Euler { order: rotation, min, max }, text })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let tuple = |v: DVec3| <(f64, f64, f64)>::from(v);
        match slf.get().limit {
            ik::Limit::Free => reduce(slf, "free", ()),
            ik::Limit::Locked => reduce(slf, "locked", ()),
            ik::Limit::Hinge { axis, min, max } => reduce(slf, "hinge", (tuple(axis), min, max)),
            ik::Limit::Prismatic { axis, min, max } => reduce(slf, "prismatic", (tuple(axis), min, max)),
            ik::Limit::Cone { axis, side, swing, twist } => {
                let (swing, twist) = (<(f64, f64)>::from(swing), <(f64, f64)>::from(twist));
                reduce(slf, "cone", (tuple(axis), tuple(side), swing, twist))
            }
            ik::Limit::Euler { order, min, max } => reduce(slf, "euler", (euler_order_name(order), min, max)),
        }
    }

    fn __repr__(&self) -> String {
        self.repr()
    }
}

/// Largest deviation of a length or a dot product that counts as rounding.
const UNIT: f64 = 1e-15;

fn unit(what: &str, value: &Bound<'_, PyAny>) -> PyResult<DVec3> {
    let vector = vector(what, value)?;
    // A vector that is already normalised keeps its bits.
    if (vector.length() - 1.0).abs() < UNIT {
        return Ok(vector);
    }
    vector.try_normalize().ok_or_else(|| error(format!("{what} must have a length greater than 0")))
}

fn check_range(min: f64, max: f64) -> PyResult<()> {
    if min.is_finite() && max.is_finite() && min <= max {
        Ok(())
    } else {
        Err(error(format!("a range must be finite, and its minimum {min} must not exceed its maximum {max}")))
    }
}

/// Formats a vector as Python does.
pub(crate) fn show(v: DVec3) -> String {
    let [x, y, z] = v.to_array();
    format!("({x}, {y}, {z})")
}
