//! Obstacles, which do not move with the body.

use glam::{DQuat, DVec3};

use super::distance::Capsule;
use super::hull::Hull;

/// A convex shape that a body must not touch, in world space.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Obstacle {
    /// All points within a radius of a point.
    Sphere {
        /// The centre in metres.
        centre: DVec3,
        /// The radius in metres, greater than 0.
        radius: f64,
    },
    /// All points within a radius of a segment.
    Capsule {
        /// The ends of the segment in metres.
        ends: [DVec3; 2],
        /// The radius in metres, greater than 0.
        radius: f64,
    },
    /// A box.
    Box {
        /// The centre in metres.
        centre: DVec3,
        /// The rotation from the box's axes to the world. Any length except zero is valid.
        rotation: DQuat,
        /// Edge lengths in metres along the axes of the box, greater than 0.
        size: DVec3,
    },
    /// The convex hull of points: the smallest convex shape that contains them.
    Hull {
        /// Positions in metres: at most 10,000, and not all in one plane. Points inside the hull have no effect.
        points: Vec<DVec3>,
    },
}

impl Obstacle {
    /// Returns a sphere with a radius in metres.
    pub fn sphere(centre: DVec3, radius: f64) -> Self {
        Self::Sphere { centre, radius }
    }

    /// Returns a capsule around a segment, with a radius in metres.
    pub fn capsule(ends: [DVec3; 2], radius: f64) -> Self {
        Self::Capsule { ends, radius }
    }

    /// Returns a box with edges parallel to the axes of the world, with edge lengths in metres.
    pub fn cuboid(centre: DVec3, size: DVec3) -> Self {
        Self::Box { centre, rotation: DQuat::IDENTITY, size }
    }

    /// Returns the convex hull of points in metres.
    pub fn hull(points: Vec<DVec3>) -> Self {
        Self::Hull { points }
    }

    /// Returns the requirement that the obstacle does not meet, or the obstacle in the form that distances are computed from.
    pub(super) fn placed(self) -> Result<Placed, &'static str> {
        let is_radius = |radius: f64| radius.is_finite() && radius > 0.0;
        match self {
            Self::Sphere { radius, .. } | Self::Capsule { radius, .. } if !is_radius(radius) => {
                Err("the radius must be finite and greater than 0")
            }
            Self::Sphere { centre, radius } if centre.is_finite() => {
                Ok(Placed::Capsule(Capsule { ends: [centre; 2], radius }))
            }
            Self::Capsule { ends, radius } if ends.iter().all(|end| end.is_finite()) => {
                Ok(Placed::Capsule(Capsule { ends, radius }))
            }
            Self::Box { size, .. } if !(size.is_finite() && size.min_element() > 0.0) => {
                Err("the size must be finite and greater than 0")
            }
            Self::Box { rotation, .. } if !(rotation.is_finite() && rotation.length_squared() > 0.0) => {
                Err("the rotation must be finite and not zero")
            }
            Self::Box { centre, rotation, size } if centre.is_finite() => {
                Hull::new(corners(centre, rotation.normalize(), size)).map(Placed::Hull)
            }
            Self::Hull { points } => Hull::new(points).map(Placed::Hull),
            _ => Err("the position must be finite"),
        }
    }
}

/// A valid obstacle.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Placed {
    Capsule(Capsule),
    Hull(Hull),
}

impl Placed {
    /// Returns the centre and the radius of a sphere that contains the obstacle.
    pub(super) fn bounds(&self) -> (DVec3, f64) {
        match self {
            Self::Capsule(capsule) => capsule.bounds(),
            Self::Hull(hull) => hull.bounds,
        }
    }
}

/// Returns the corners of a box.
pub(super) fn corners(centre: DVec3, rotation: DQuat, size: DVec3) -> Vec<DVec3> {
    let sign = |corner: usize, axis: usize| if corner >> axis & 1 == 0 { -0.5 } else { 0.5 };
    let corner = |corner: usize| {
        let at = DVec3::new(sign(corner, 0), sign(corner, 1), sign(corner, 2));
        centre + rotation * (at * size)
    };
    (0..8).map(corner).collect()
}
