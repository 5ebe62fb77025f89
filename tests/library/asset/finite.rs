//! Numbers that are read are finite, and numbers that are written can be read again.

use std::path::Path;

use glam::{Quat, Vec3};
use proptest::prelude::*;
use serde_json::{Value, json};
use sinew::asset::{Channel, Clip, Interpolation, Values, bvh as file, gltf, mannequin};
use sinew::export::bake::Source;
use sinew::export::bvh;
use sinew::export::bvh::BvhError;
use sinew::rig;

use crate::{load, refusal};
use sinew_testkit::Builder;

#[test]
fn json_numbers_beyond_single_precision_are_refused_with_their_path() {
    let node = |node: Value| Builder::default().file(json!({ "nodes": [{}, node] }));
    let material = |material: Value| {
        let rest =
            json!({ "materials": [material], "textures": [{"source": 0}], "images": [{"uri": "a.png"}] });
        Builder::default().file(rest)
    };
    let shift = |value: Value| {
        let info = json!({ "index": 0, "extensions": { "KHR_texture_transform": value } });
        material(json!({ "pbrMetallicRoughness": { "baseColorTexture": info } }))
    };
    let transform = "materials[0].baseColorTexture.extensions.KHR_texture_transform";
    for (file, at) in [
        (node(json!({"translation": [0, -1e39, 0]})), "nodes[1].translation[1]"),
        (node(json!({"rotation": [0, 0, 0, 1e300]})), "nodes[1].rotation[3]"),
        (node(json!({"scale": [1e39, 1, 1]})), "nodes[1].scale[0]"),
        (node(json!({"matrix": [1e39, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]})), "nodes[1].matrix[0]"),
        (node(json!({"weights": [0, 1e39]})), "nodes[1].weights[1]"),
        (
            material(json!({"pbrMetallicRoughness": {"metallicFactor": 1e39}})),
            "materials[0].pbrMetallicRoughness.metallicFactor",
        ),
        (material(json!({"emissiveFactor": [0, 1e39, 0]})), "materials[0].emissiveFactor[1]"),
        (
            material(json!({"extensions": {"KHR_materials_emissive_strength": {"emissiveStrength": 1e39}}})),
            "materials[0].extensions.KHR_materials_emissive_strength.emissiveStrength",
        ),
        (
            material(json!({"extensions": {"KHR_materials_ior": {"ior": 1e39}}})),
            "materials[0].extensions.KHR_materials_ior.ior",
        ),
        (
            material(
                json!({"extensions": {"KHR_materials_specular": {"specularColorFactor": [1, 1e39, 1]}}}),
            ),
            "materials[0].extensions.KHR_materials_specular.specularColorFactor[1]",
        ),
        (shift(json!({"rotation": 1e39})), &format!("{transform}.rotation")),
        (shift(json!({"offset": [0, -1e39]})), &format!("{transform}.offset[1]")),
    ] {
        assert_eq!(refusal(&file), format!("test.gltf: {at}: value is too large"));
    }
    // Extensions and extras of other programs may contain any number.
    let other = json!({ "nodes": [{"extras": {"a": 1e300}, "extensions": {"OTHER": {"b": 1e300}}}] });
    assert!(load(&Builder::default().file(other)).is_ok());
}

#[test]
fn a_rest_pose_beyond_single_precision_is_refused() {
    let far = json!({"translation": [3e38, 0, 0], "children": [1]});
    let chain = json!({ "nodes": [far, {"name": "hand", "translation": [3e38, 0, 0]}] });
    let message = "test.gltf: nodes[1]: joint \"hand\": world matrix is not finite";
    assert_eq!(refusal(&Builder::default().file(chain)), message);
    let columns = json!({"matrix": [3e38, 3e38, 3e38, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]});
    let message = "test.gltf: nodes[0]: joint \"#0\": scale is not finite";
    assert_eq!(refusal(&Builder::default().file(json!({ "nodes": [columns] }))), message);
    // A node with a sheared matrix can be copied even if the matrix has very large values.
    let sheared = json!({"matrix": [2, 0, 1e30, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]});
    let bytes = Builder::default().file(json!({ "nodes": [sheared] }));
    let read = load(&bytes).unwrap();
    assert!(read.skeleton.nodes[0].rest.scale.is_finite());
    let mut locals = vec![read.skeleton.nodes[0].rest];
    locals[0].translation.y = 1.0;
    let path = Path::new("test.gltf");
    let copy = gltf::posed_copy(path, &bytes, None, &read.skeleton, &locals, &[], &[]).unwrap();
    assert_eq!(load(&copy).unwrap().skeleton.nodes[0].rest.translation.y, 1.0);
    let joint = "JOINT a { OFFSET 1e30 0 0 ";
    let deep = format!("HIERARCHY ROOT a {{ OFFSET 0 0 0 {}{}}}", joint.repeat(400), "} ".repeat(400));
    let error = file::read(&deep, Path::new("a.bvh"), Some(1e6)).unwrap_err().to_string();
    assert!(error.contains("a.bvh: joint \"a\": world matrix is not finite"), "{error}");
}

/// Returns a clip of one joint with two keys.
fn clip(node: usize, values: Values) -> Clip {
    let channel = Channel { node, timeline: 0, interpolation: Interpolation::Linear, values };
    Clip {
        name: None,
        seconds: 1.0,
        timelines: vec![vec![0.0, 1.0]],
        channels: vec![channel],
        ..Clip::default()
    }
}

fn number() -> impl Strategy<Value = f32> {
    prop_oneof![
        -2.0..2.0_f32,
        prop::sample::select(vec![1e29, -1e30, 1e33, f32::MAX]),
        prop::num::f32::NORMAL
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn bvh_files_can_be_read_again_or_are_not_written(
        node in 0..10_usize, keys in prop::array::uniform6(number()), fps in 0.01..100.0_f64,
        units in prop::sample::select(vec![1e-6, 0.01, 1.0, 1e6]),
    ) {
        let character = mannequin().unwrap();
        let keys = vec![Vec3::new(keys[0], keys[1], keys[2]), Vec3::new(keys[3], keys[4], keys[5])];
        match bvh::write(&character, &clip(node, Values::Translation(keys)), fps, units) {
            Ok(written) => {
                let read = file::read(&written.text, Path::new("a.bvh"), Some(units));
                prop_assert!(read.is_ok(), "{:?}", read.err());
            }
            Err(BvhError::TooLarge { joint } | BvhError::NotFinite { joint, .. }) => prop_assert!(!joint.is_empty()),
            Err(other) => prop_assert!(false, "{}", other),
        }
    }
}

#[test]
fn bvh_files_that_reading_would_refuse_are_not_written() {
    let character = mannequin().unwrap();
    let hips = character.skeleton.find("hips").unwrap();
    let keys = |y: f32| clip(hips, Values::Translation(vec![Vec3::ZERO, Vec3::Y * y]));
    assert!(bvh::write(&character, &keys(1e29), 30.0, 1.0).is_ok());
    let error = bvh::write(&character, &keys(1e29), 30.0, 0.01).unwrap_err();
    assert_eq!(error.to_string(), "joint \"hips\": position is larger than 1e30 units");
    let error = bvh::write(&character, &keys(f32::NAN), 30.0, 1.0).unwrap_err();
    assert_eq!(error.to_string(), "frame 1: joint \"hips\": position or rotation is not finite");
    // The reader would replace a frame time below one microsecond by its default.
    assert_eq!(bvh::write(&character, &keys(1.0), 2e6, 1.0).unwrap_err(), BvhError::Rate(2e6));
}

#[test]
fn retargeted_clips_that_exceed_single_precision_are_refused() {
    let target = mannequin().unwrap();
    let mut source = target.clone();
    let spine = source.skeleton.find("spine").unwrap();
    // The source's bones are shorter than the target's, so lengths are scaled.
    source.skeleton.nodes.iter_mut().for_each(|n| n.rest.translation *= 0.01);
    source.clips = vec![
        clip(spine, Values::Rotation(vec![Quat::IDENTITY; 2])),
        clip(source.skeleton.find("hips").unwrap(), Values::Translation(vec![Vec3::ZERO, Vec3::MAX])),
    ];
    let rig = rig::detect(&target);
    let error = Source::Character(Box::new(source)).clips(&target, &rig, false).unwrap_err().to_string();
    assert!(error.starts_with("animations[1] at ") && error.ends_with(" is not finite"), "{error}");
}
