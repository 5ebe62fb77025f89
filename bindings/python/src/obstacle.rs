//! Obstacles that robots keep clear of.

use glam::{DAffine3, DQuat, DVec3};
use pyo3::prelude::*;
use sinew::ik;

use crate::arrays::{Array, Size, unit, vector};
use crate::error::{OrRaise, error};
use crate::limit::show;
use crate::pickle::{Reduced, reduce};
use crate::robot_arrays::orientations;

type Vector = (f64, f64, f64);
type Quaternion = (f64, f64, f64, f64);

/// A convex shape that a robot must not touch, in the robot's frame. `Robot.with_collisions` takes obstacles with their names.
#[pyclass(frozen, from_py_object, module = "sinew")]
#[derive(Clone)]
pub(crate) struct Obstacle {
    pub(crate) obstacle: ik::Obstacle,
}

impl Obstacle {
    /// Checks an obstacle when it is created, so that the exception comes from the call that is wrong.
    fn checked(obstacle: ik::Obstacle) -> PyResult<Self> {
        let body = ik::Body::new(vec![ik::Link::base()], DAffine3::IDENTITY).or_raise()?;
        let mut model = ik::CollisionModel::new(&body, Vec::new()).or_raise()?;
        match model.add_obstacle(obstacle.clone()) {
            Ok(_) => Ok(Self { obstacle }),
            Err(ik::CollisionError::Shape { why, .. }) => Err(error(why)),
            Err(other) => Err(error(other)),
        }
    }
}

#[pymethods]
impl Obstacle {
    /// A sphere with a centre of shape (3,) and a radius in metres.
    #[staticmethod]
    fn sphere(centre: &Bound<'_, PyAny>, radius: f64) -> PyResult<Self> {
        Self::checked(ik::Obstacle::sphere(vector("centre", centre)?, radius))
    }

    /// All points within a radius of a segment, in metres. `start` and `end` have the shape (3,).
    #[staticmethod]
    fn capsule(start: &Bound<'_, PyAny>, end: &Bound<'_, PyAny>, radius: f64) -> PyResult<Self> {
        Self::checked(ik::Obstacle::capsule([vector("start", start)?, vector("end", end)?], radius))
    }

    /// A box with a centre of shape (3,) and edge lengths of shape (3,), in metres. `rotation` rotates the edges: a quaternion
    /// (x, y, z, w), shape (4,), or a rotation matrix, shape (3, 3). Without it, the edges are parallel to the axes of the robot's frame.
    #[staticmethod]
    #[pyo3(name = "box", signature = (centre, size, rotation = None))]
    fn cuboid(
        centre: &Bound<'_, PyAny>,
        size: &Bound<'_, PyAny>,
        rotation: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (centre, size) = (vector("centre", centre)?, vector("size", size)?);
        let rotation = rotation.map_or(Ok(DQuat::IDENTITY), |rotation| orientation("rotation", rotation))?;
        Self::checked(ik::Obstacle::Box { centre, rotation, size })
    }

    /// The smallest convex shape that contains points, which have the shape (n, 3), in metres. The points must not lie in one plane.
    #[staticmethod]
    fn hull(points: &Bound<'_, PyAny>) -> PyResult<Self> {
        let points = Array::new("points", points, &[Size::Any("n"), Size::Exactly(3)])?;
        Self::checked(ik::Obstacle::hull(points.rows().map(DVec3::from_array).collect()))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let tuple = |v: &DVec3| Vector::from(*v);
        match &slf.get().obstacle {
            ik::Obstacle::Sphere { centre, radius } => reduce(slf, "sphere", (tuple(centre), *radius)),
            ik::Obstacle::Capsule { ends: [start, end], radius } => {
                reduce(slf, "capsule", (tuple(start), tuple(end), *radius))
            }
            ik::Obstacle::Box { centre, rotation, size } => {
                reduce(slf, "box", (tuple(centre), tuple(size), Quaternion::from(*rotation)))
            }
            ik::Obstacle::Hull { points } => {
                let points: Vec<Vector> = points.iter().map(tuple).collect();
                reduce(slf, "hull", (points,))
            }
            other => Err(error(format!("{other:?} cannot be pickled"))),
        }
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.obstacle == other.obstacle
    }

    fn __repr__(&self) -> String {
        match &self.obstacle {
            ik::Obstacle::Sphere { centre, radius } => {
                format!("Obstacle.sphere({}, {radius})", show(*centre))
            }
            ik::Obstacle::Capsule { ends: [start, end], radius } => {
                format!("Obstacle.capsule({}, {}, {radius})", show(*start), show(*end))
            }
            ik::Obstacle::Box { centre, rotation, size } => {
                let is_turned = *rotation != DQuat::IDENTITY;
                let rotation = is_turned.then(|| format!(", {:?}", Quaternion::from(*rotation)));
                let rotation = rotation.unwrap_or_default();
                format!("Obstacle.box({}, {}{rotation})", show(*centre), show(*size))
            }
            ik::Obstacle::Hull { points } => format!("Obstacle.hull({} points)", points.len()),
            other => format!("{other:?}"),
        }
    }
}

/// Reads one orientation: a quaternion (x, y, z, w) or a rotation matrix.
fn orientation(what: &str, value: &Bound<'_, PyAny>) -> PyResult<DQuat> {
    let batch = orientations(what, value)?;
    match <[f64; 4]>::try_from(batch.row(0)) {
        Ok(xyzw) if batch.count.is_none() => unit(what, xyzw),
        _ => Err(error(format!("{what} must have the shape (4,) or (3, 3)"))),
    }
}
