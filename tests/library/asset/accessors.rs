//! Reading numbers from accessors.

use glam::{Vec2, Vec3};
use serde_json::json;

use crate::{load, refusal};
use sinew_testkit::Builder;

const TRIANGLE: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];

fn triangle_with(attributes: serde_json::Value, extra: serde_json::Value) -> serde_json::Value {
    let mut primitive = json!({"attributes": attributes});
    for (key, value) in extra.as_object().into_iter().flatten() {
        primitive[key] = value.clone();
    }
    json!({"meshes": [{"primitives": [primitive]}], "nodes": [{"mesh": 0}]})
}

#[test]
fn normalised_integers_become_fractions_and_others_keep_their_value() {
    let mut b = Builder::default();
    let shorts: Vec<u8> = [0_i16, 1, -2, 3, 4, 5, 6, 7, 8].iter().flat_map(|v| v.to_le_bytes()).collect();
    let positions = b.accessor("VEC3", 5122, 3, &shorts);
    let uvs = b.accessor("VEC2", 5121, 3, &[0, 255, 51, 102, 255, 0]);
    b.last()["normalized"] = true.into();
    let file = b.file(triangle_with(json!({"POSITION": positions, "TEXCOORD_0": uvs}), json!({})));
    let character = load(&file).unwrap();
    let primitive = &character.meshes[0].primitives[0];
    assert_eq!(primitive.positions[0], Vec3::new(0.0, 1.0, -2.0));
    assert_eq!(primitive.uvs[0], [Vec2::new(0.0, 1.0), Vec2::new(0.2, 0.4), Vec2::new(1.0, 0.0)]);
}

#[test]
fn strides_and_offsets_are_applied() {
    let mut b = Builder::default();
    // Each of the three vertices has 20 bytes: 4 bytes of padding, a position of 12 bytes, and 4 bytes of padding.
    let mut bytes = Vec::new();
    for p in TRIANGLE.chunks(3) {
        bytes.extend_from_slice(&[0xFF; 4]);
        p.iter().for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()));
        bytes.extend_from_slice(&[0xFF; 4]);
    }
    let positions = b.accessor("VEC3", 5126, 3, &bytes);
    b.last()["byteOffset"] = 4.into();
    let mut root: serde_json::Value =
        serde_json::from_slice(&b.file(triangle_with(json!({"POSITION": positions}), json!({})))).unwrap();
    root["bufferViews"][0]["byteStride"] = 20.into();
    let character = load(&serde_json::to_vec(&root).unwrap()).unwrap();
    assert_eq!(character.meshes[0].primitives[0].positions, [Vec3::ZERO, Vec3::X, Vec3::Y]);
}

#[test]
fn sparse_values_replace_zeros_or_the_base() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", 3, &TRIANGLE);
    let indices = b.view(&[2]);
    let values = b.view(&[5.0_f32, 6.0, 7.0].iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>());
    b.last()["sparse"] = json!({
        "count": 1,
        "indices": {"bufferView": indices, "componentType": 5121},
        "values": {"bufferView": values},
    });
    let file = b.file(triangle_with(json!({"POSITION": positions}), json!({})));
    let character = load(&file).unwrap();
    assert_eq!(character.meshes[0].primitives[0].positions, [Vec3::ZERO, Vec3::X, Vec3::new(5.0, 6.0, 7.0)]);
}

#[test]
fn strips_and_fans_become_lists_with_the_same_winding() {
    for (mode, expected) in [(5, [[0, 1, 2], [1, 3, 2]]), (6, [[1, 2, 0], [2, 3, 0]])] {
        let mut b = Builder::default();
        let positions = b.floats("VEC3", 3, &[0.0; 12]);
        let file = b.file(triangle_with(json!({"POSITION": positions}), json!({"mode": mode})));
        assert_eq!(load(&file).unwrap().meshes[0].primitives[0].triangles, expected);
    }
}

#[test]
fn lines_are_left_out_with_a_warning() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", 3, &TRIANGLE);
    let file = b.file(triangle_with(json!({"POSITION": positions}), json!({"mode": 1})));
    let character = load(&file).unwrap();
    assert!(character.meshes[0].primitives.is_empty());
    assert!(character.warnings[0].contains("mode Lines is not supported"), "{:?}", character.warnings);
}

#[test]
fn accessors_that_exceed_their_view_are_refused() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", 3, &TRIANGLE);
    b.last()["count"] = 4.into();
    let file = b.file(triangle_with(json!({"POSITION": positions}), json!({})));
    assert_eq!(
        refusal(&file),
        "test.gltf: accessors[0]: 4 elements of 12 bytes from byte 0 exceed the buffer view of 36 bytes"
    );
}

#[test]
fn counts_that_overflow_are_refused() {
    for count in [u64::MAX, u64::MAX / 12, 1 << 40] {
        let mut b = Builder::default();
        let positions = b.floats("VEC3", 3, &TRIANGLE);
        b.last()["count"] = count.into();
        let message = refusal(&b.file(triangle_with(json!({"POSITION": positions}), json!({}))));
        assert!(message.contains("exceed the buffer view"), "{message}");
    }
}

#[test]
fn accessors_without_a_view_are_bounded_by_the_file_size() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", 3, &TRIANGLE);
    b.last()["count"] = (1_u64 << 32).into();
    b.last().as_object_mut().unwrap().remove("bufferView");
    let message = refusal(&b.file(triangle_with(json!({"POSITION": positions}), json!({}))));
    assert!(message.contains("out of proportion"), "{message}");
}

#[test]
fn numbers_that_are_not_finite_are_refused_with_their_vertex() {
    let mut b = Builder::default();
    let mut values = TRIANGLE;
    values[4] = f32::NAN;
    let positions = b.floats("VEC3", 3, &values);
    let message = refusal(&b.file(triangle_with(json!({"POSITION": positions}), json!({}))));
    assert!(message.starts_with("test.gltf: meshes[0].primitives[0].attributes.POSITION[1]: "), "{message}");
}

#[test]
fn an_index_beyond_the_vertices_is_refused() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", 3, &TRIANGLE);
    let indices = b.accessor("SCALAR", 5121, 3, &[0, 1, 3]);
    let file = b.file(triangle_with(json!({"POSITION": positions}), json!({"indices": indices})));
    assert_eq!(
        refusal(&file),
        "test.gltf: meshes[0].primitives[0].indices[2]: vertex 3 does not exist; the file has 3, counted from 0"
    );
}

#[cfg(feature = "meshopt")]
#[test]
fn compressed_views_are_decoded() {
    // The reference encoder compresses three positions. Both names of the extension are tested.
    let vertices: Vec<[f32; 3]> = TRIANGLE.chunks(3).map(|p| [p[0], p[1], p[2]]).collect();
    let encoded = meshopt::encode_vertex_buffer(&vertices).unwrap();
    for name in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
        let mut b = Builder::default();
        let positions = b.accessor("VEC3", 5126, 3, &encoded);
        let file = b.file(triangle_with(json!({"POSITION": positions}), json!({})));
        let mut root: serde_json::Value = serde_json::from_slice(&file).unwrap();
        root["extensionsRequired"] = json!([name]);
        root["bufferViews"][0]["extensions"][name] = json!({
            "buffer": 0, "byteLength": encoded.len(), "byteStride": 12, "count": 3, "mode": "ATTRIBUTES",
        });
        let character = load(&serde_json::to_vec(&root).unwrap()).unwrap();
        assert_eq!(character.meshes[0].primitives[0].positions, [Vec3::ZERO, Vec3::X, Vec3::Y]);
    }
}
