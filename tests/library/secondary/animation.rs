//! Tests of VRM animations.

use glam::{Quat, Vec3};
use serde_json::{Map, Value, json};
use sinew::asset::{Channel, Character, Clip, Interpolation, Values, load as load_file, mannequin};
use sinew::export::bake::retarget_clips;
use sinew::motion::Motion;
use sinew::puppet::Puppet;
use sinew::rig;

use super::load;
use sinew_testkit::external_or_skip;

/// The bones of a small humanoid, each with its parent and its position relative to the parent.
const BONES: [(&str, Option<usize>, [f64; 3]); 17] = [
    ("hips", None, [0.0, 0.9, 0.0]),
    ("spine", Some(0), [0.0, 0.2, 0.0]),
    ("head", Some(1), [0.0, 0.4, 0.0]),
    ("leftUpperArm", Some(1), [0.15, 0.3, 0.0]),
    ("leftLowerArm", Some(3), [0.25, 0.0, 0.0]),
    ("leftHand", Some(4), [0.25, 0.0, 0.0]),
    ("rightUpperArm", Some(1), [-0.15, 0.3, 0.0]),
    ("rightLowerArm", Some(6), [-0.25, 0.0, 0.0]),
    ("rightHand", Some(7), [-0.25, 0.0, 0.0]),
    ("leftUpperLeg", Some(0), [0.1, 0.0, 0.0]),
    ("leftLowerLeg", Some(9), [0.0, -0.4, 0.0]),
    ("leftFoot", Some(10), [0.0, -0.4, 0.0]),
    ("rightUpperLeg", Some(0), [-0.1, 0.0, 0.0]),
    ("rightLowerLeg", Some(12), [0.0, -0.4, 0.0]),
    ("rightFoot", Some(13), [0.0, -0.4, 0.0]),
    ("leftEye", Some(2), [0.03, 0.1, 0.1]),
    ("rightEye", Some(2), [-0.03, 0.1, 0.1]),
];

/// Returns the file of a humanoid, with other nodes after its bones.
fn humanoid(extension: &str, content: Value, others: &[Value]) -> Value {
    let below = |parent: usize| -> Vec<usize> {
        (0..BONES.len()).filter(|&bone| BONES[bone].1 == Some(parent)).collect()
    };
    let mut nodes = Vec::new();
    for (bone, (name, _, translation)) in BONES.iter().enumerate() {
        let mut node = json!({ "name": name, "translation": translation });
        if !below(bone).is_empty() {
            node["children"] = json!(below(bone));
        }
        nodes.push(node);
    }
    let roots: Vec<usize> = std::iter::once(0).chain(BONES.len()..BONES.len() + others.len()).collect();
    nodes.extend_from_slice(others);
    let bones: Map<String, Value> = BONES
        .iter()
        .enumerate()
        .map(|(node, (name, ..))| ((*name).to_owned(), json!({ "node": node })))
        .collect();
    let mut extension_content = content;
    extension_content["humanoid"] = json!({ "humanBones": bones });
    json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": roots }],
        "nodes": nodes,
        "extensionsUsed": [extension],
        "extensions": { extension: extension_content },
    })
}

/// Returns an animation that turns an arm, smiles, applies a custom expression, blinks, and looks to the left.
fn animation() -> Character {
    let others: Vec<Value> =
        ["happy", "own", "gaze", "blink"].iter().map(|name| json!({ "name": name })).collect();
    let content = json!({
        "expressions": {
            "preset": { "happy": { "node": 17 }, "blink": { "node": 20 } },
            "custom": { "own": { "node": 18 }, "unknown": { "node": 18 }, "broken": { "node": 99 } },
        },
        "lookAt": { "node": 19 },
    });
    let mut source = load(humanoid("VRMC_vrm_animation", content, &others).to_string().as_bytes()).unwrap();
    assert_eq!(source.warnings.len(), 1, "{:?}", source.warnings);
    let channel = |node, values| Channel { node, timeline: 0, interpolation: Interpolation::Linear, values };
    let rotations = |q: Quat| Values::Rotation(vec![Quat::IDENTITY, q]);
    let weights = |to: f32| Values::Translation(vec![Vec3::ZERO, Vec3::X * to]);
    source.clips.push(Clip {
        name: Some("wave".to_owned()),
        seconds: 1.0,
        timelines: vec![vec![0.0, 1.0]],
        channels: vec![
            channel(3, rotations(Quat::from_rotation_z(0.5))),
            channel(17, weights(0.8)),
            channel(18, weights(7.0)),
            channel(19, rotations(Quat::from_rotation_y(std::f32::consts::FRAC_PI_4))),
            channel(20, weights(1.0)),
        ],
        ..Clip::default()
    });
    source
}

/// Returns a character with three morph targets, for the expressions of the animation.
fn target() -> Character {
    let bind = |index: usize| json!([{ "node": 17, "index": index, "weight": 1.0 }]);
    let morph = json!({ "POSITION": 0 });
    let content = json!({
        "expressions": {
            "preset": {
                "happy": { "morphTargetBinds": bind(0), "overrideBlink": "blend" },
                "blink": { "morphTargetBinds": bind(2) },
            },
            "custom": { "own": { "morphTargetBinds": bind(1) } },
        },
        "lookAt": { "type": "bone" },
    });
    let mut file = humanoid("VRMC_vrm", content, &[json!({ "name": "face", "mesh": 0 })]);
    file["accessors"] = json!([{ "componentType": 5126, "type": "VEC3", "count": 3 }]);
    file["meshes"] =
        json!([{ "primitives": [{ "attributes": { "POSITION": 0 }, "targets": [morph, morph, morph] }] }]);
    load(file.to_string().as_bytes()).unwrap()
}

#[test]
fn an_animation_moves_body_face_and_eyes() {
    let (source, target) = (animation(), target());
    let rig = rig::detect(&target);
    let clips = retarget_clips(&source, &target, &rig).unwrap().clips;
    let mut puppet = Puppet::with_rig(target, 0, rig);
    puppet.add_clips(clips);
    puppet.motion = Motion::clip(0);
    puppet.time = 1.0;
    puppet.update().unwrap();
    let pose = puppet.pose();
    let turned = pose.locals[3].rotation.angle_between(Quat::from_rotation_z(0.5));
    assert!(turned < 1e-3, "{turned}");
    for (weight, expected) in pose.weights.iter().zip([0.8, 1.0, 0.2]) {
        assert!((weight - expected).abs() < 1e-4, "{:?}", pose.weights);
    }
    // 45 degrees are half of the input range, so the result is half of 10 degrees.
    for eye in [15, 16] {
        let angle = pose.locals[eye].rotation.to_axis_angle().1.to_degrees();
        assert!((angle - 5.0).abs() < 1e-2, "{angle}");
    }
}

#[test]
fn a_sample_animates_the_mannequin() {
    let Some(file) = external_or_skip("models/vrm/animation-test.vrma") else { return };
    let source = load_file(&file).unwrap();
    assert_eq!(source.warnings, Vec::<String>::new());
    assert_eq!((source.face_tracks.expressions.len(), source.face_tracks.gaze), (1, Some(52)));
    let target = mannequin().unwrap();
    let rig = rig::load(&target, None).unwrap();
    let clips = retarget_clips(&source, &target, &rig).unwrap().clips;
    assert_eq!(clips.len(), source.clips.len());
    assert!(clips.iter().all(|clip| clip.seconds > 0.0 && !clip.channels.is_empty()));
}
