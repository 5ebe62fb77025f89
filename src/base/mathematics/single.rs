//! Rotations in single precision without trigonometry: the CPU twin of `shaders/rotation.wgsl`, for passes that also run
//! on a GPU. glam computes products of rotations and rotated vectors.

use glam::{Quat, Vec3, Vec4};

/// Returns a quaternion with unit length, or the identity if the length of `q` is zero.
pub fn normalize(q: Vec4) -> Quat {
    let square = q.dot(q);
    if square > 0.0 { Quat::from_vec4(q / square.sqrt()) } else { Quat::IDENTITY }
}

/// Returns a unit vector perpendicular to `v`.
pub fn any_perpendicular(v: Vec3) -> Vec3 {
    let away = if v.x.abs() < 0.7 * v.length() { Vec3::X } else { Vec3::Y };
    let across = v.cross(away);
    let length = across.length();
    if length > 0.0 { across / length } else { Vec3::X }
}

/// Returns the smallest rotation from one direction to another. The vectors may have any length. For opposite vectors,
/// the rotation axis is a fixed perpendicular vector. For a zero vector, the result is the identity.
pub fn shortest_arc(from: Vec3, to: Vec3) -> Quat {
    let lengths = (from.dot(from) * to.dot(to)).sqrt();
    if lengths <= 0.0 || lengths.is_nan() {
        return Quat::IDENTITY;
    }
    let w = lengths + from.dot(to);
    if w < 1e-6 * lengths {
        return Quat::from_vec4(any_perpendicular(from).extend(0.0));
    }
    normalize(from.cross(to).extend(w))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_shortest_arc_turns_one_direction_to_the_other(
            from in prop::array::uniform3(-1.0_f32..1.0), to in prop::array::uniform3(-1.0_f32..1.0),
        ) {
            let (from, to) = (Vec3::from(from), Vec3::from(to));
            prop_assume!(from.length() > 1e-3 && to.length() > 1e-3);
            let turned = shortest_arc(from, to) * from.normalize();
            prop_assert!(turned.distance(to.normalize()) < 2e-3, "{turned}");
        }
    }
}
