//! Colliders of spring bones, in world space.

use glam::{DAffine3, DVec3};

use crate::asset::ColliderShape;

/// Returns the vector that moves a sphere out of a collider, or `None` if the sphere does not penetrate it. `center`
/// and `radius` describe the sphere.
pub(super) fn correction(
    shape: &ColliderShape,
    world_from_node: &DAffine3,
    center: DVec3,
    radius: f64,
) -> Option<DVec3> {
    match *shape {
        ColliderShape::Sphere { offset, radius: own, inside } => {
            let from = center - world_from_node.transform_point3(offset);
            from_point(from, own, radius, inside)
        }
        ColliderShape::Capsule { offset, tail, radius: own, inside } => {
            let start = world_from_node.transform_point3(offset);
            let along = world_from_node.transform_point3(tail) - start;
            let from = center - start;
            let dot = along.dot(from);
            let nearest = match along.length_squared() {
                _ if dot <= 0.0 => DVec3::ZERO,
                squared if dot >= squared => along,
                squared => along * (dot / squared),
            };
            from_point(from - nearest, own, radius, inside)
        }
        ColliderShape::Plane { offset, normal } => {
            let from = center - world_from_node.transform_point3(offset);
            // Normals are transformed by the inverse transpose.
            let normal = (world_from_node.matrix3.inverse().transpose() * normal).try_normalize()?;
            let distance = from.dot(normal) - radius;
            (distance < 0.0).then(|| normal * -distance)
        }
    }
}

/// Returns the correction for a sphere at `from`, relative to the nearest point of the collider's axis.
fn from_point(from: DVec3, own: f64, radius: f64, inside: bool) -> Option<DVec3> {
    let length = from.length();
    let distance = if inside { own - radius - length } else { length - radius - own };
    if distance >= 0.0 {
        return None;
    }
    // A sphere whose centre is exactly on the axis has no direction in which it could leave.
    let outwards = from.try_normalize()?;
    Some(if inside { outwards * distance } else { outwards * -distance })
}
