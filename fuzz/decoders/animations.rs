//! Files with clips: VRM animations, BVH and FBX.

use std::path::Path;

use serde_json::json;
use sinew::asset::{bvh, load};

use crate::format::file;
use crate::mutate;
use crate::random::Random;
use crate::seeds::glb;

use super::binary_fbx::binary;
use super::{BASE_MEMORY, Decoder, bytes, files, prefix};

pub(super) const VRMA: Decoder = Decoder {
    name: "vrma",
    seeds: || std::iter::once(animation()).chain(files::external("models/vrm/animation-test.vrma")).collect(),
    mutate: files::data,
    truncate: files::truncate,
    decode: files::decode,
    base_memory: BASE_MEMORY,
};

pub(super) const BVH: Decoder = Decoder {
    name: "bvh",
    seeds: || crate::bvh::SEEDS.iter().map(|text| text.clone().into_bytes()).collect(),
    mutate: text,
    truncate: prefix,
    decode: |input| Ok(bvh::read(&String::from_utf8_lossy(input), Path::new("input.bvh"), None).is_ok()),
    base_memory: BASE_MEMORY,
};

/// A text file and two binary files, one of them with compressed arrays.
pub(super) const FBX: Decoder = Decoder {
    name: "fbx",
    seeds: || {
        let text = crate::fbx::STRIP;
        vec![text.into(), binary(text, false), binary(text, true)]
    },
    mutate: |input, random| {
        if input.starts_with(b"Kaydara") { bytes(input, random) } else { text(input, random) }
    },
    truncate: prefix,
    decode: |input| Ok(load(&file("input.fbx", input)?).is_ok()),
    // The parser may need as much memory for its result as for reading, and the result is copied.
    base_memory: 3 * BASE_MEMORY,
};

/// Changes words and lines or, one time in eight, bytes.
pub(super) fn text(input: &[u8], random: &mut Random) -> Vec<u8> {
    if random.once_in(8) {
        return bytes(input, random);
    }
    mutate::text(&String::from_utf8_lossy(input), random).into_bytes()
}

/// Returns an animation of two bones, two expressions and a gaze.
fn animation() -> Vec<u8> {
    let mut binary: Vec<u8> = Vec::new();
    for value in [0.0_f32, 0.5, 1.0] {
        binary.extend(value.to_le_bytes());
    }
    for value in [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.6, 0.0, 0.8, 0.0, 0.0, 0.0, 1.0] {
        binary.extend(value.to_le_bytes());
    }
    let channel = |node: usize, path: &str| json!({ "sampler": usize::from(path != "rotation"), "target": { "node": node, "path": path } });
    let mut root = json!({
        "asset": { "version": "2.0" }, "extensionsUsed": ["VRMC_vrm_animation"],
        "extensions": { "VRMC_vrm_animation": {
            "specVersion": "1.0",
            "humanoid": { "humanBones": { "hips": { "node": 0 }, "spine": { "node": 1 } } },
            "expressions": { "preset": { "happy": { "node": 2 } }, "custom": { "own": { "node": 3 } } },
            "lookAt": { "node": 4, "offsetFromHeadBone": [0, 0.06, 0] },
        } },
        "nodes": [{ "name": "hips", "children": [1] }, { "name": "spine" }, {}, {}, { "name": "gaze" }],
        "animations": [{
            "channels": [channel(0, "translation"), channel(1, "rotation"), channel(2, "translation"),
                channel(3, "translation"), channel(4, "rotation")],
            "samplers": [{ "input": 0, "output": 1 }, { "input": 0, "output": 2, "interpolation": "STEP" }],
        }],
        "bufferViews": [{ "buffer": 0, "byteLength": 12 }, { "buffer": 0, "byteOffset": 12, "byteLength": 48 }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 3, "type": "SCALAR" },
            { "bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC4" },
            { "bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC3" },
        ],
        "buffers": [{ "byteLength": binary.len() }],
    });
    glb(&mut root, &binary)
}
