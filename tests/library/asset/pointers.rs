//! Clips that animate materials and the visibility of nodes (`KHR_animation_pointer`).

use serde_json::{Value, json};
use sinew::asset::{Interpolation, PoseTarget};

use crate::{load, refusal};
use sinew_testkit::Builder;

const COLOR: &str = "/materials/0/pbrMetallicRoughness/baseColorFactor";

/// Returns a file with a node and a material. In its clip, pointers have values at 0 and 1 seconds.
fn file(channels: &[(&str, &str, usize, &[f32])]) -> Vec<u8> {
    changed(channels, |_| {})
}

fn changed(channels: &[(&str, &str, usize, &[f32])], change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut b = Builder::default();
    let input = b.floats("SCALAR", 1, &[0.0, 1.0]);
    let (mut all, mut samplers) = (Vec::new(), Vec::new());
    for (sampler, (pointer, kind, width, values)) in channels.iter().enumerate() {
        let extension = json!({"KHR_animation_pointer": {"pointer": pointer}});
        all.push(json!({"sampler": sampler, "target": {"path": "pointer", "extensions": extension}}));
        samplers.push(json!({"input": input, "output": b.floats(kind, *width, values)}));
    }
    let mut document = json!({
        "nodes": [{}],
        "materials": [{"emissiveFactor": [0.5, 0.5, 0.5]}],
        "animations": [{"channels": all, "samplers": samplers}],
    });
    change(&mut document);
    b.file(document)
}

#[test]
fn properties_become_values_of_the_pose() {
    let character = load(&file(&[
        (COLOR, "VEC4", 4, &[1.0; 8]),
        ("/materials/0/emissiveFactor", "VEC3", 3, &[1.0; 6]),
        ("/nodes/0/extensions/KHR_node_visibility/visible", "SCALAR", 1, &[1.0, 0.0]),
        ("/nodes/0/translation", "VEC3", 3, &[1.0; 6]),
    ]));
    let character = character.unwrap();
    assert!(character.warnings.is_empty(), "{:?}", character.warnings);
    assert_eq!(character.skeleton.rest_weights, [1.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 1.0]);
    let ranges: Vec<_> = character.values.iter().map(|value| (value.first, value.count)).collect();
    assert_eq!(ranges, [(0, 4), (4, 3), (7, 1)]);
    assert_eq!(character.values[2].target, PoseTarget::Visibility(0));
    let clip = &character.clips[0];
    assert_eq!((clip.channels.len(), clip.properties.len(), clip.seconds), (1, 3, 1.0));
    let steps: Vec<_> = clip.properties.iter().map(|track| track.interpolation).collect();
    assert_eq!(steps, [Interpolation::Linear, Interpolation::Linear, Interpolation::Step]);
}

#[test]
fn what_cannot_be_animated_is_ignored_with_a_warning() {
    for pointer in [
        "/materials/7/pbrMetallicRoughness/baseColorFactor",
        "/materials/-1/pbrMetallicRoughness/baseColorFactor",
        "/materials/0/alphaCutoff",
        "/materials/0/extensions/KHR_materials_sheen/sheenColorFactor",
        "/materials/0/normalTexture/extensions/KHR_texture_transform/offset",
        "/nodes/1/extensions/KHR_node_visibility/visible",
        "/cameras/0/perspective/yfov",
        "/materials/0",
        "",
    ] {
        let character = load(&file(&[(pointer, "SCALAR", 1, &[0.0, 1.0])])).unwrap();
        assert!(character.values.is_empty() && character.clips[0].properties.is_empty(), "{pointer}");
        let is_named =
            |line: &String| line.contains(&format!("\"{pointer}\"")) && line.contains("not animated");
        assert_eq!(
            character.warnings.iter().filter(|line| is_named(line)).count(),
            1,
            "{:?}",
            character.warnings
        );
    }
}

#[test]
fn broken_keys_are_refused() {
    let width = refusal(&file(&[(COLOR, "VEC3", 3, &[1.0; 6])]));
    assert!(
        width.contains("animations[0].samplers[0].output: accessor 1 has 3 components, not 4"),
        "{width}"
    );
    let count = refusal(&file(&[(COLOR, "VEC4", 4, &[1.0; 4])]));
    assert!(count.contains("samplers[0].output: has 4 numbers, but 2 keys need 4 each"), "{count}");
    let nan = refusal(&file(&[(COLOR, "VEC4", 4, &[f32::NAN; 8])]));
    assert!(nan.contains("is not finite"), "{nan}");
    let keys: &[(&str, &str, usize, &[f32])] = &[(COLOR, "VEC4", 4, &[1.0; 8])];
    let sampler = |sampler: Value| {
        refusal(&changed(keys, |document| document["animations"][0]["channels"][0]["sampler"] = sampler))
    };
    assert!(sampler(json!(3)).contains("sampler 3 does not exist; the file has 1, counted from 0"));
    assert!(sampler(json!("first")).contains("does not exist; the file has 1, counted from 0"));
}
