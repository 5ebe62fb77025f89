//! Tests of spring bones, node constraints and eyes, on files built by the tests.

mod animation;
mod constraints;
mod hostile;
mod springs;

use serde_json::{Value, json};
use sinew::asset::{Channel, Character, Clip, Interpolation, Values};

use super::load;

/// Returns a file with a pole of 1 m at the origin, and a strand of six nodes that hangs from its top. The last node only
/// marks the end of the fifth joint. A collider is at the pole's foot.
fn strand(joint: &Value, shape: &Value) -> Value {
    let node = |name: &str, translation: [f64; 3], children: &[usize]| {
        let mut node = json!({ "name": name, "translation": translation });
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        node
    };
    let mut nodes = vec![node("pole", [0.0; 3], &[1, 7]), node("strand0", [0.0, 1.0, 0.0], &[2])];
    for i in 1..6 {
        let children = if i < 5 { vec![i + 2] } else { vec![] };
        nodes.push(node(&format!("strand{i}"), [0.0, -0.15, 0.0], &children));
    }
    nodes.push(node("collider", [0.0; 3], &[]));
    let joints: Vec<Value> = (1..7)
        .map(|node| {
            let mut joint = joint.clone();
            joint["node"] = json!(node);
            joint
        })
        .collect();
    json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": nodes,
        "extensionsUsed": ["VRMC_springBone", "VRMC_springBone_extended_collider"],
        "extensions": { "VRMC_springBone": {
            "specVersion": "1.0",
            "colliders": [{ "node": 7, "shape": { "sphere": { "radius": 0.0 } }, "extensions": {
                "VRMC_springBone_extended_collider": { "specVersion": "1.0", "shape": shape }
            } }],
            "colliderGroups": [{ "colliders": [0] }],
            "springs": [{ "joints": joints, "colliderGroups": [0] }],
        } },
    })
}

/// A joint that swings under gravity.
fn soft() -> Value {
    json!({ "stiffness": 0.2, "gravityPower": 0.5, "gravityDir": [0, -1, 0], "dragForce": 0.2, "hitRadius": 0.02 })
}

/// A collider that no joint can reach.
fn far_away() -> Value {
    json!({ "sphere": { "offset": [0, -100, 0], "radius": 0.1 } })
}

fn character(file: &Value) -> Character {
    let character = load(file.to_string().as_bytes()).unwrap();
    assert_eq!(character.warnings, Vec::<String>::new());
    character
}

/// Returns a clip that moves the first node sideways and back within a second, and keeps it still for another second.
fn sway() -> Clip {
    let times: Vec<f32> = (0..=20_u8).map(|i| f32::from(i) / 20.0).chain([2.0]).collect();
    let at = |t: &f32| {
        glam::Vec3::new(0.3 * (t * std::f32::consts::TAU).sin(), 0.0, 0.1 * t.min(1.0) * (1.0 - t.min(1.0)))
    };
    let values = Values::Translation(times.iter().map(at).collect());
    Clip {
        name: Some("sway".to_owned()),
        seconds: 2.0,
        timelines: vec![times],
        channels: vec![Channel { node: 0, timeline: 0, interpolation: Interpolation::Linear, values }],
        ..Clip::default()
    }
}
