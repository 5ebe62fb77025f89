//! Conversions between the types of Bevy and sinew.
//!
//! Both libraries use glam, but different versions of it, so the compiler treats the types as different. Bevy uses single
//! precision, and sinew solves in double precision.

use bevy::prelude::{Quat, Transform, Vec3};
use sinew::glam::{DAffine3, DQuat, DVec3};

/// Converts a vector to the solver's type.
pub fn solver_vec3(v: Vec3) -> DVec3 {
    DVec3::from_array(v.to_array().map(f64::from))
}

/// Converts a rotation to the solver's type.
pub fn solver_quat(q: Quat) -> DQuat {
    DQuat::from_array(q.to_array().map(f64::from))
}

/// Converts a rotation for a [`Transform`], rounded to single precision.
pub fn bevy_quat(q: DQuat) -> Quat {
    Quat::from_array(q.to_array().map(|component| component as f32))
}

/// Returns the map from an entity's space to its parent's.
pub fn solver_affine(t: &Transform) -> DAffine3 {
    let (scale, rotation) = (solver_vec3(t.scale), solver_quat(t.rotation));
    DAffine3::from_scale_rotation_translation(scale, rotation, solver_vec3(t.translation))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_survives_the_round_trip() {
        let q = Quat::from_euler(bevy::math::EulerRot::XYZ, 0.3, -1.1, 2.5);
        assert_eq!(bevy_quat(solver_quat(q)), q);
    }

    #[test]
    fn both_libraries_map_a_point_to_the_same_place() {
        let transform = Transform::from_xyz(0.2, -0.5, 1.5)
            .with_rotation(Quat::from_euler(bevy::math::EulerRot::XYZ, 0.3, -1.1, 2.5))
            .with_scale(Vec3::new(2.0, 0.5, 3.0));
        let point = Vec3::new(0.7, -0.1, 0.4);
        let mapped = solver_affine(&transform).transform_point3(solver_vec3(point));
        assert!(mapped.distance(solver_vec3(transform.transform_point(point))) < 1e-6);
    }
}
