//! Dual-quaternion skinning on the CPU.

use glam::{Affine3A, Mat3, Quat, Vec3, Vec3Swizzles};
use proptest::prelude::*;
use serde_json::json;
use sinew::puppet::Puppet;
use sinew::skin::{Skinned, Skinning};

use crate::load;
use sinew_testkit::Builder;

/// Skins points to two joints with each skinning method. The number of each point is its weight for the second joint;
/// the first joint has the rest of the weight.
fn skin(points: &[(Vec3, f32)], joints: [Affine3A; 2]) -> [Vec<Vec3>; 2] {
    let mut b = Builder::default();
    // Three copies of each point form a triangle.
    let count = points.len();
    let points: Vec<(Vec3, f32)> = points.iter().flat_map(|p| [*p; 3]).collect();
    let flat: Vec<f32> = points.iter().flat_map(|(p, _)| p.to_array()).collect();
    let weights: Vec<f32> = points.iter().flat_map(|(_, w)| [1.0 - w, *w, 0.0, 0.0]).collect();
    let attributes = json!({
        "POSITION": b.floats("VEC3", 3, &flat),
        "JOINTS_0": b.accessor("VEC4", 5121, points.len(), &[0, 1, 0, 0].repeat(points.len())),
        "WEIGHTS_0": b.floats("VEC4", 4, &weights),
    });
    let [first, second] = joints.map(|m| glam::Mat4::from(m).to_cols_array());
    let file = b.file(json!({
        "meshes": [{"primitives": [{"attributes": attributes}]}],
        "nodes": [{"mesh": 0, "skin": 0}, {"matrix": first}, {"matrix": second}],
        "skins": [{"joints": [1, 2]}],
    }));
    let mut puppet = Puppet::new(load(&file).unwrap(), 0);
    Skinning::ALL.map(|skinning| {
        puppet.options.skinning = skinning;
        puppet.update().unwrap();
        let mut out = Skinned::default();
        puppet.skin(0, &mut out);
        assert_eq!(out.positions.len(), 3 * count);
        out.positions.iter().step_by(3).copied().collect()
    })
}

#[test]
fn a_half_turn_keeps_the_radius_unlike_linear_skinning() {
    let ring: Vec<(Vec3, f32)> =
        (0..8).map(|i| (Quat::from_rotation_x(i as f32) * Vec3::new(0.3, 0.1, 0.0), 0.5)).collect();
    let twist = Affine3A::from_rotation_x(3.1);
    let [linear, dual] = skin(&ring, [Affine3A::IDENTITY, twist]);
    for (l, d) in linear.iter().zip(&dual) {
        assert!(l.yz().length() < 0.01, "{l}");
        assert!((d.yz().length() - 0.1).abs() < 1e-6, "{d}");
    }
}

#[test]
fn opposite_quaternions_blend_along_the_shorter_arc() {
    // A turn of 350 degrees equals a turn of −10 degrees.
    let turn = Affine3A::from_rotation_z(350.0_f32.to_radians());
    let [_, dual] = skin(&[(Vec3::X, 0.5)], [Affine3A::IDENTITY, turn]);
    assert!(dual[0].distance(Quat::from_rotation_z(-5.0_f32.to_radians()) * Vec3::X) < 1e-6, "{}", dual[0]);
}

proptest! {
    #[test]
    fn a_single_joint_applies_its_matrix(numbers in prop::array::uniform12(-2.0_f32..2.0), flat in 0..4_usize) {
        // The matrix may rotate, stretch, shear, mirror, or flatten to a plane, a line or a point.
        let [a, b, c, d, e, f, g, h, i, x, y, z] = numbers;
        let mut linear = Mat3::from_cols_array(&[a, b, c, d, e, f, g, h, i]);
        let keep = [Vec3::ONE, Vec3::new(1.0, 1.0, 0.0), Vec3::X, Vec3::ZERO][flat];
        linear = linear * Mat3::from_diagonal(keep) * Mat3::from_quat(Quat::from_rotation_x(x));
        let matrix = Affine3A::from_mat3_translation(linear, Vec3::new(x, y, z));
        let points = [(Vec3::new(0.3, -0.7, 1.1), 0.0), (Vec3::new(-1.3, 0.2, 0.1), 1.0)];
        let [linear, dual] = skin(&points, [matrix, matrix]);
        for (l, d) in linear.iter().zip(&dual) {
            prop_assert!(l.distance(*d) < 2e-5, "{l} {d}");
        }
    }

    #[test]
    fn a_common_rigid_motion_moves_the_skin_rigidly(
        turn in prop::array::uniform4(-1.0_f32..1.0), bend in 0.0_f32..3.0, weight in 0.0_f32..1.0,
    ) {
        let rotation = Quat::from_array(turn).normalize();
        prop_assume!(rotation.is_finite());
        let joints = [Affine3A::IDENTITY, Affine3A::from_rotation_y(bend)];
        let moved = joints.map(|j| Affine3A::from_rotation_translation(rotation, Vec3::new(1.0, 2.0, 3.0)) * j);
        let points = [(Vec3::new(0.3, -0.7, 1.1), weight)];
        let ([_, before], [_, after]) = (skin(&points, joints), skin(&points, moved));
        prop_assert!((rotation * before[0] + Vec3::new(1.0, 2.0, 3.0)).distance(after[0]) < 2e-5);
    }
}
