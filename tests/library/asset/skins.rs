//! Skins and joint influences.

use glam::{Affine3A, Vec4};
use serde_json::{Value, json};
use sinew::asset::Character;

use crate::{load, refusal};
use sinew_testkit::Builder;

const TRIANGLE: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];

/// Returns a file with one skinned triangle, with joints and weights for each vertex.
fn skinned(joints: &[u8], weights: &[f32], skin: Value) -> Vec<u8> {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", 3, &TRIANGLE);
    let mut attributes = json!({"POSITION": positions});
    for (set, (j, w)) in joints.chunks(12).zip(weights.chunks(12)).enumerate() {
        attributes[format!("JOINTS_{set}")] = b.accessor("VEC4", 5121, 3, j).into();
        attributes[format!("WEIGHTS_{set}")] = b.floats("VEC4", 4, w).into();
    }
    b.file(json!({
        "meshes": [{"primitives": [{"attributes": attributes}]}],
        "nodes": [{"mesh": 0, "skin": 0}, {}, {}],
        "skins": [skin],
    }))
}

fn weights(character: &Character, set: usize) -> &[Vec4] {
    &character.meshes[0].primitives[0].influences[set].weights
}

#[test]
fn missing_inverse_binds_are_identity() {
    let file = skinned(&[0; 12], &[1.0; 12], json!({"joints": [1, 2]}));
    let skin = &load(&file).unwrap().skins[0];
    assert_eq!(skin.joint_from_mesh, [Affine3A::IDENTITY; 2]);
    assert!(!skin.has_inverse_binds);
}

#[test]
fn more_inverse_binds_than_joints_are_allowed_and_fewer_are_not() {
    let with_binds = |joints: Value| {
        let mut b = Builder::default();
        let binds = b.floats("MAT4", 16, &[0.5; 32]);
        b.file(json!({"nodes": [{}, {}, {}], "skins": [{"joints": joints, "inverseBindMatrices": binds}]}))
    };
    assert_eq!(load(&with_binds(json!([0]))).unwrap().skins[0].joint_from_mesh.len(), 1);
    assert_eq!(
        refusal(&with_binds(json!([0, 1, 2]))),
        "test.gltf: skins[0].inverseBindMatrices: has 2 matrices for 3 joints"
    );
}

#[test]
fn weights_sum_to_one_over_both_sets() {
    let file = skinned(&[0; 24], &[0.5; 24], json!({"joints": [1]}));
    let character = load(&file).unwrap();
    assert_eq!(weights(&character, 0)[0], Vec4::splat(0.125));
    assert_eq!(weights(&character, 1)[2], Vec4::splat(0.125));
}

/// Regression: in a file with twelve influences per vertex, the first eight were used. The heaviest were last.
#[test]
fn the_heaviest_eight_influences_count() {
    // One vertex has ten influences, one has none, and one has a single one in the third set.
    let joints: Vec<u8> = (0..3)
        .flat_map(|set| [0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12].map(|lane| (lane / 4 + 4 * set) % 12))
        .collect();
    let mut values = [0.0; 36];
    for (index, weight) in [1.0, 1.0, 4.0, 4.0].into_iter().enumerate() {
        (values[index], values[12 + index]) = (weight, 2.0);
    }
    (values[24], values[25]) = (16.0, 8.0);
    values[32] = 3.0;
    let nodes = json!({"joints": [1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2]});
    let character = load(&skinned(&joints, &values, nodes)).unwrap();
    let sets = &character.meshes[0].primitives[0].influences;
    assert_eq!(sets.len(), 2);
    assert_eq!((sets[0].joints[0], sets[1].joints[0]), ([8, 9, 2, 3], [4, 5, 6, 7]));
    assert!(sets[0].weights[0].abs_diff_eq(Vec4::new(16.0, 8.0, 4.0, 4.0) / 40.0, 1e-6));
    assert!(sets[1].weights[0].abs_diff_eq(Vec4::splat(0.05), 1e-6));
    assert_eq!((sets[0].joints[1][0], sets[0].weights[1]), (0, Vec4::X));
    assert_eq!((sets[0].joints[2][0], sets[0].weights[2]), (8, Vec4::X));
    let all = character.warnings.join("\n");
    assert!(all.contains("1 vertices have more than 8 influences"), "{all}");
}

#[test]
fn vertices_without_valid_weights_follow_their_first_joint() {
    let mut values = [0.0; 12];
    values[4..8].copy_from_slice(&[f32::NAN, 3.0, 1.0, f32::INFINITY]);
    values[8..12].copy_from_slice(&[1.0, 0.0, 0.0, 0.0]);
    let character = load(&skinned(&[1; 12], &values, json!({"joints": [1, 2]}))).unwrap();
    assert_eq!(weights(&character, 0), [Vec4::X, Vec4::new(0.0, 0.75, 0.25, 0.0), Vec4::X]);
    let all = character.warnings.join("\n");
    assert!(all.contains("weights of 1 vertices are not finite"), "{all}");
    assert!(all.contains("1 vertices have no weight"), "{all}");
}

#[test]
fn a_missing_joint_is_refused_only_if_it_has_weight() {
    let mut joints = [0; 12];
    joints[7] = 200;
    let mut values = [0.25; 12];
    assert_eq!(
        refusal(&skinned(&joints, &values, json!({"joints": [1, 2]}))),
        "test.gltf: meshes[0].primitives[0].attributes.JOINTS_0[1]: joint 200 does not exist; skin 0 has 2, counted from 0"
    );
    values[7] = 0.0;
    let character = load(&skinned(&joints, &values, json!({"joints": [1, 2]}))).unwrap();
    assert_eq!(character.meshes[0].primitives[0].influences[0].joints[1], [0, 0, 0, 0]);
}

#[test]
fn joints_of_a_skin_must_exist() {
    let file = skinned(&[0; 12], &[1.0; 12], json!({"joints": [1, 99]}));
    let cause = "node 99 does not exist; the file has 3, counted from 0";
    assert_eq!(refusal(&file), format!("test.gltf: skins[0].joints[1]: {cause}"));
}
