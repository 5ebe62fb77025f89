//! VRM characters: humanoids with springs, colliders, constraints, expressions and eyes. The accepted ones are moved.

use serde_json::{Value, json};

use super::{BASE_MEMORY, Decoder, files};

pub(super) const VRM_0: Decoder = Decoder { name: "vrm0", seeds: || vec![version_0()], ..VRM };

pub(super) const VRM_1: Decoder = Decoder {
    name: "vrm1",
    seeds: || {
        let samples =
            ["core/cube", "node-constraint/cubes", "springbone/inside-collider", "springbone/plane-collider"];
        let samples = samples.iter().filter_map(|name| files::external(&format!("models/vrm/{name}.gltf")));
        std::iter::once(version_1()).chain(samples).collect()
    },
    ..VRM
};

const VRM: Decoder = Decoder {
    name: "",
    seeds: Vec::new,
    mutate: files::extensions,
    truncate: files::truncate,
    decode: |input| {
        let Some(character) = files::load(input) else { return Ok(false) };
        files::simulate(character)?;
        Ok(true)
    },
    base_memory: BASE_MEMORY,
};

/// Returns a humanoid with a strand of hair: nodes 0 to 5 are the body, 6 to 8 the hair, and 9 has the face.
fn humanoid(extensions: &Value) -> Value {
    let names: Vec<&String> = extensions.as_object().into_iter().flat_map(|map| map.keys()).collect();
    let morph = json!({ "POSITION": 0 });
    json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0, 9] }],
        "extensionsUsed": names, "extensions": extensions,
        "nodes": [
            { "name": "hips", "children": [1], "translation": [0, 1, 0] },
            { "name": "spine", "children": [2], "translation": [0, 0.3, 0] },
            { "name": "head", "children": [3, 4, 5, 6], "translation": [0, 0.3, 0], "scale": [1, 1.2, 1] },
            { "name": "leftEye", "translation": [0.03, 0.05, 0.08] },
            { "name": "rightEye", "translation": [-0.03, 0.05, 0.08] },
            { "name": "hat", "translation": [0, 0.2, 0], "rotation": [0, 0.6, 0, 0.8] },
            { "name": "hair1", "children": [7], "translation": [0, 0.1, -0.1] },
            { "name": "hair2", "children": [8], "translation": [0, -0.1, -0.02] },
            { "name": "hair3", "translation": [0, -0.1, 0] },
            { "name": "face", "mesh": 0 },
        ],
        "accessors": [{ "componentType": 5126, "type": "VEC3", "count": 3 }],
        "meshes": [{ "weights": [0, 0.5, 0], "primitives": [{
            "attributes": { "POSITION": 0 }, "targets": [morph, morph, morph],
        }] }],
    })
}

fn version_1() -> Vec<u8> {
    let bones = json!({
        "hips": { "node": 0 }, "spine": { "node": 1 }, "head": { "node": 2 },
        "leftEye": { "node": 3 }, "rightEye": { "node": 4 },
    });
    let bind = |index: usize| json!([{ "node": 9, "index": index, "weight": 0.8 }]);
    let range = json!({ "inputMaxValue": 90, "outputScale": 10 });
    let joint = |node: usize| {
        json!({
            "node": node, "hitRadius": 0.02, "stiffness": 1.2, "gravityPower": 0.3,
            "gravityDir": [0, -1, 0], "dragForce": 0.4,
        })
    };
    let extended = |shape: Value| json!({ "VRMC_springBone_extended_collider": { "specVersion": "1.0", "shape": shape } });
    let mut file = humanoid(&json!({
        "VRMC_vrm": {
            "specVersion": "1.0", "humanoid": { "humanBones": bones },
            "lookAt": {
                "type": "bone", "offsetFromHeadBone": [0, 0.06, 0.1], "rangeMapHorizontalInner": range,
                "rangeMapHorizontalOuter": range, "rangeMapVerticalDown": range, "rangeMapVerticalUp": range,
            },
            "expressions": {
                "preset": {
                    "happy": { "morphTargetBinds": bind(0), "isBinary": true, "overrideBlink": "blend" },
                    "blink": { "morphTargetBinds": bind(1), "overrideMouth": "block" },
                    "lookUp": { "morphTargetBinds": bind(2), "overrideLookAt": "block" },
                },
                "custom": { "own": { "morphTargetBinds": bind(2) } },
            },
        },
        "VRMC_springBone": {
            "specVersion": "1.0",
            "colliders": [
                { "node": 2, "shape": { "sphere": { "offset": [0, 0.1, 0], "radius": 0.1 } } },
                { "node": 1, "shape": { "capsule": { "offset": [0, 0, 0], "tail": [0, 0.3, 0], "radius": 0.1 } } },
                { "node": 2, "shape": { "sphere": { "radius": 1 } },
                  "extensions": extended(json!({ "plane": { "offset": [0, -1, 0], "normal": [0, 1, 0] } })) },
                { "node": 2, "shape": { "sphere": { "radius": 1 } },
                  "extensions": extended(json!({ "capsule": { "tail": [0, 0.3, 0], "radius": 0.9, "inside": true } })) },
            ],
            "colliderGroups": [{ "name": "body", "colliders": [0, 1] }, { "colliders": [2, 3] }],
            "springs": [{
                "name": "hair", "joints": [joint(6), joint(7), joint(8)], "colliderGroups": [0, 1], "center": 1,
            }],
        },
        "VRMC_node_constraint": {},
        "VRMC_springBone_extended_collider": {},
    }));
    let constraints = [
        (5, json!({ "roll": { "source": 2, "rollAxis": "Y", "weight": 0.5 } })),
        (3, json!({ "aim": { "source": 9, "aimAxis": "PositiveZ", "weight": 1 } })),
        (4, json!({ "rotation": { "source": 3, "weight": 0.7 } })),
    ];
    for (node, constraint) in constraints {
        let json = json!({ "VRMC_node_constraint": { "specVersion": "1.0", "constraint": constraint } });
        file["nodes"][node]["extensions"] = json;
    }
    serde_json::to_vec(&file).unwrap_or_default()
}

fn version_0() -> Vec<u8> {
    let bones: Vec<Value> = ["hips", "spine", "head", "leftEye", "rightEye"]
        .iter()
        .enumerate()
        .map(|(node, bone)| json!({ "bone": bone, "node": node, "useDefaultValues": true }))
        .collect();
    let axis = json!({ "xRange": 90, "yRange": 10, "curve": [0, 0, 0, 1, 1, 1, 1, 0] });
    let group = |name: &str, preset: &str, index: usize| {
        json!({
            "name": name, "presetName": preset, "isBinary": index == 1,
            "binds": [{ "mesh": 0, "index": index, "weight": 80 }], "materialValues": [],
        })
    };
    let file = humanoid(&json!({ "VRM": {
        "specVersion": "0.0", "humanoid": { "humanBones": bones },
        "firstPerson": {
            "firstPersonBone": 2, "firstPersonBoneOffset": { "x": 0, "y": 0.06, "z": 0.1 },
            "lookAtTypeName": "Bone", "lookAtHorizontalInner": axis, "lookAtHorizontalOuter": axis,
            "lookAtVerticalDown": axis, "lookAtVerticalUp": axis,
        },
        "blendShapeMaster": {
            "blendShapeGroups": [group("Joy", "joy", 0), group("Blink", "blink", 1), group("own", "unknown", 2)],
        },
        "secondaryAnimation": {
            "boneGroups": [{
                "comment": "hair", "stiffiness": 0.8, "gravityPower": 0.2, "gravityDir": { "x": 0, "y": -1, "z": 0 },
                "dragForce": 0.4, "center": -1, "hitRadius": 0.02, "bones": [6], "colliderGroups": [0],
            }],
            "colliderGroups": [{ "node": 2, "colliders": [{ "offset": { "x": 0, "y": 0.1, "z": 0 }, "radius": 0.1 }] }],
        },
    } }));
    serde_json::to_vec(&file).unwrap_or_default()
}
