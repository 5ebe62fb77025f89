//! Extensions of nodes, animations and materials.

use glam::{Quat, Vec3};
use serde_json::{Value, json};
use sinew::asset::{Character, LightKind, Values, gltf};

use crate::{load, refusal};
use sinew_testkit::Builder;

/// Adds the positions of a triangle and returns their accessor.
fn triangle(b: &mut Builder) -> usize {
    b.floats("VEC3", 3, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0])
}

fn instanced(attributes: Value, b: Builder) -> Vec<u8> {
    b.file(json!({
        "extensionsRequired": ["EXT_mesh_gpu_instancing"],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "nodes": [
            {"mesh": 0, "translation": [0, 5, 0], "extensions": {"EXT_mesh_gpu_instancing": {"attributes": attributes}}},
            {"name": "last"},
        ],
        "scenes": [{"nodes": [0, 1]}],
    }))
}

#[test]
fn instances_of_a_mesh_are_nodes_after_those_of_the_file() {
    let mut b = Builder::default();
    triangle(&mut b);
    let translation = b.floats("VEC3", 3, &[1.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
    let rotation = b.accessor("VEC4", 5120, 2, &[0, 0, 0, 127, 0, 127, 0, 0]);
    b.last()["normalized"] = true.into();
    let bytes = instanced(json!({"TRANSLATION": translation, "ROTATION": rotation}), b);
    let character = load(&bytes).unwrap();
    let nodes = &character.skeleton.nodes;
    assert_eq!((nodes.len(), nodes[0].mesh, &nodes[0].children), (4, None, &vec![2, 3]));
    assert_eq!(nodes[1].name.as_deref(), Some("last"));
    assert_eq!(nodes[3].rest.translation, Vec3::new(2.0, 0.0, 0.0));
    assert_eq!(nodes[3].rest.rotation, Quat::from_xyzw(0.0, 1.0, 0.0, 0.0));
    let parts: Vec<_> = character.parts(0).iter().map(|p| p.node).collect();
    assert_eq!(parts, [2, 3]);
    let rest: Vec<_> = nodes.iter().map(|n| n.rest).collect();
    let path = std::path::Path::new("test.gltf");
    let copy = gltf::posed_copy(path, &bytes, None, &character.skeleton, &rest, &[], &[]).unwrap();
    assert_eq!(load(&copy).unwrap().parts(0), character.parts(0));
}

#[test]
fn instances_with_different_counts_are_refused() {
    let mut b = Builder::default();
    triangle(&mut b);
    let translation = b.floats("VEC3", 3, &[0.0; 6]);
    let scale = b.floats("VEC3", 3, &[1.0; 3]);
    let line = refusal(&instanced(json!({"TRANSLATION": translation, "SCALE": scale}), b));
    assert!(
        line.ends_with("EXT_mesh_gpu_instancing.attributes: the accessors have different counts"),
        "{line}"
    );
}

#[test]
fn hidden_nodes_and_their_descendants_are_not_drawn() {
    let mut b = Builder::default();
    triangle(&mut b);
    let visible = |visible: bool| json!({"KHR_node_visibility": {"visible": visible}});
    let character = load(&b.file(json!({
        "extensionsRequired": ["KHR_node_visibility"],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "nodes": [
            {"mesh": 0, "children": [1, 3]},
            {"mesh": 0, "children": [2], "extensions": visible(false)},
            {"mesh": 0, "extensions": visible(true)},
            {"mesh": 0},
        ],
    })))
    .unwrap();
    assert_eq!(character.parts(0).iter().map(|p| p.node).collect::<Vec<_>>(), [0, 3]);
}

/// Returns a file with one animation, whose two channels have pointers.
fn pointing_to(first: &str, second: &str) -> Vec<u8> {
    let mut b = Builder::default();
    let positions = triangle(&mut b);
    let input = b.floats("SCALAR", 1, &[0.0, 1.0]);
    let vectors = b.floats("VEC3", 3, &[0.0, 0.0, 0.0, 1.0, 2.0, 3.0]);
    let weights = b.floats("SCALAR", 1, &[0.0, 1.0]);
    let target = |pointer: &str| json!({"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": pointer}}});
    b.file(json!({
        "extensionsUsed": ["KHR_animation_pointer"],
        "meshes": [{
            "primitives": [{"attributes": {"POSITION": positions}, "targets": [{"POSITION": positions}]}],
            "extras": {"targetNames": ["grow"]},
        }],
        "nodes": [{}, {"mesh": 0}],
        "animations": [{
            "channels": [{"sampler": 0, "target": target(first)}, {"sampler": 1, "target": target(second)}],
            "samplers": [{"input": input, "output": vectors}, {"input": input, "output": weights}],
        }],
    }))
}

#[test]
fn pointers_to_properties_of_nodes_are_ordinary_channels() {
    let character = load(&pointing_to("/nodes/0/scale", "/nodes/1/weights")).unwrap();
    assert!(character.warnings.is_empty(), "{:?}", character.warnings);
    let channels = &character.clips[0].channels;
    assert!(matches!(&channels[0].values, Values::Scale(v) if v[1] == Vec3::new(1.0, 2.0, 3.0)));
    assert!(channels[1].node == 1 && matches!(&channels[1].values, Values::Weights(w) if w == &[0.0, 1.0]));
    assert_eq!(character.meshes[0].target_names, ["grow"]);
}

#[test]
fn other_pointers_are_warnings_and_missing_nodes_are_errors() {
    let pointer = "/materials/0/pbrMetallicRoughness/baseColorFactor";
    let character = load(&pointing_to("/nodes/0/translation", pointer)).unwrap();
    assert_eq!(character.clips[0].channels.len(), 1);
    assert_eq!(
        character.warnings,
        [format!("animations[0]: \"{pointer}\" is not animated, because it does not exist")]
    );
    let line = refusal(&pointing_to("/nodes/9/translation", pointer));
    assert!(line.ends_with("target.node: node 9 does not exist; the file has 2, counted from 0"), "{line}");
}

fn with_variants() -> Character {
    let mut b = Builder::default();
    triangle(&mut b);
    let mappings = json!([{"material": 1, "variants": [0, 2]}, {"material": 2, "variants": [1]}]);
    let extension = json!({"KHR_materials_variants": {"mappings": mappings}});
    load(&b.file(json!({
        "extensionsUsed": ["KHR_materials_variants"],
        "extensions": {"KHR_materials_variants": {"variants": [{"name": "red"}, {"name": "blue"}, {"name": "old"}, {"name": "plain"}]}},
        "materials": [{}, {}, {}],
        "meshes": [{"primitives": [
            {"attributes": {"POSITION": 0}, "mode": 0},
            {"attributes": {"POSITION": 0}, "material": 0, "extensions": extension},
            {"attributes": {"POSITION": 0}, "material": 2},
        ]}],
        "nodes": [{"mesh": 0}],
    })))
    .unwrap()
}

#[test]
fn a_variant_selects_other_materials() {
    let mut character = with_variants();
    assert_eq!(character.variants.names, ["red", "blue", "old", "plain"]);
    let materials = |c: &Character| c.meshes[0].primitives.iter().map(|p| p.material).collect::<Vec<_>>();
    for (name, first) in [
        (Some("red"), 1),
        (Some("blue"), 2),
        (Some("old"), 1),
        (Some("plain"), 0),
        (Some("red"), 1),
        (None, 0),
    ] {
        character.select_variant(name).unwrap();
        assert_eq!(materials(&character), [Some(first), Some(2)], "{name:?}");
    }
    let error = character.select_variant(Some("green")).unwrap_err().to_string();
    assert_eq!(error, "variant \"green\" does not exist; nearest: \"red\", \"blue\", \"plain\"");
    let error = Character::default().select_variant(Some("x")).unwrap_err().to_string();
    assert_eq!(error, "variant \"x\" does not exist; the file has no variants with names");
}

#[test]
fn lights_are_read_with_their_nodes() {
    let lights = json!({"lights": [
        {"name": "sun", "type": "directional", "color": [1, 0.5, 0], "intensity": 3},
        {"type": "spot", "range": 7, "spot": {"innerConeAngle": 0.1, "outerConeAngle": 0.2}},
        {"type": "laser"},
    ]});
    let light = |i: usize| json!({"extensions": {"KHR_lights_punctual": {"light": i}}});
    let file = |nodes: Value| {
        json!({"asset": {"version": "2.0"}, "nodes": nodes, "extensions": {"KHR_lights_punctual": lights}})
            .to_string()
    };
    let character = load(file(json!([light(1), {}, light(0), light(2), light(1)])).as_bytes()).unwrap();
    assert_eq!(character.lights.iter().map(|l| l.node).collect::<Vec<_>>(), [0, 2, 4]);
    assert_eq!(character.lights[0].kind, LightKind::Spot { inner: 0.1, outer: 0.2 });
    assert_eq!((character.lights[0].range, character.lights[0].intensity), (Some(7.0), 1.0));
    let sun = &character.lights[1];
    assert_eq!((sun.kind, sun.name.as_deref()), (LightKind::Directional, Some("sun")));
    assert_eq!(sun.color, Vec3::new(1.0, 0.5, 0.0));
    assert!(character.warnings[0].ends_with("lights[2].type: value is unknown, so the light is ignored"));
    let line = refusal(file(json!([light(3)])).as_bytes());
    assert!(line.ends_with("light 3 does not exist; the file has 3, counted from 0"), "{line}");
}
