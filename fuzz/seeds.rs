//! Seed characters: the built-in ones reduced to a few vertices and keys, and a small one with all features of glTF.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

/// Number of vertices to keep in a primitive, a multiple of three.
const VERTICES: usize = 24;
/// Number of keys to keep in an animation sampler.
const KEYS: usize = 6;

/// Returns the JSON and the binary chunk of a GLB file.
pub(crate) fn parts(glb: &[u8]) -> Option<(Value, Vec<u8>)> {
    let word = |at: usize| {
        let bytes = glb.get(at..)?.first_chunk::<4>()?;
        usize::try_from(u32::from_le_bytes(*bytes)).ok()
    };
    let length = word(12)?;
    let root = serde_json::from_slice(glb.get(20..20 + length)?).ok()?;
    let binary = word(20 + length).and_then(|n| glb.get(28 + length..28 + length + n)).unwrap_or_default();
    Some((root, binary.to_vec()))
}

/// Builds a GLB file from its two chunks.
pub(crate) fn glb(root: &mut Value, binary: &[u8]) -> Vec<u8> {
    let mut json = serde_json::to_vec(root).unwrap_or_default();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut binary = binary.to_vec();
    binary.resize(binary.len().next_multiple_of(4), 0);
    let word = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).to_le_bytes();
    let total = 12 + 8 + json.len() + 8 + binary.len();
    let head = [&b"glTF"[..], &word(2), &word(total), &word(json.len()), b"JSON"].concat();
    [&head[..], &json, &word(binary.len()), b"BIN\0", &binary].concat()
}

fn index(value: &Value, key: &str) -> Option<usize> {
    value.get(key)?.as_u64().and_then(|n| usize::try_from(n).ok())
}

/// Returns the size of an accessor's element in bytes.
fn element_size(accessor: &Value) -> usize {
    let component = match index(accessor, "componentType") {
        Some(5120 | 5121) => 1,
        Some(5122 | 5123) => 2,
        _ => 4,
    };
    component
        * match accessor["type"].as_str() {
            Some("VEC2") => 2,
            Some("VEC3") => 3,
            Some("VEC4" | "MAT2") => 4,
            Some("MAT3") => 9,
            Some("MAT4") => 16,
            _ => 1,
        }
}

/// Removes indices and all but the first two animations. Returns the reduced lengths of the accessors that contain
/// vertices or keys, by accessor index.
fn shorten(root: &mut Value) -> Map<String, Value> {
    let mut counts: Map<String, Value> = Map::new();
    let mut limit = |accessor: Option<usize>, count: usize| {
        accessor.map(|a| counts.insert(a.to_string(), count.into()));
    };
    for primitive in
        root["meshes"].as_array_mut().into_iter().flatten().flat_map(|m| m["primitives"].as_array_mut())
    {
        for primitive in primitive {
            primitive.as_object_mut().map(|p| p.remove("indices"));
            let targets = primitive["targets"].as_array().cloned().unwrap_or_default();
            for attributes in targets.iter().chain([&primitive["attributes"]]) {
                for accessor in attributes.as_object().into_iter().flat_map(Map::values) {
                    limit(accessor.as_u64().and_then(|n| usize::try_from(n).ok()), VERTICES);
                }
            }
        }
    }
    if let Some(list) = root["animations"].as_array_mut() {
        list.truncate(2);
    }
    let accessors = root["accessors"].as_array().cloned().unwrap_or_default();
    for sampler in
        root["animations"].as_array().into_iter().flatten().flat_map(|a| a["samplers"].as_array()).flatten()
    {
        let (input, output) = (index(sampler, "input"), index(sampler, "output"));
        let count = |a: Option<usize>| a.and_then(|a| index(accessors.get(a)?, "count")).unwrap_or(1).max(1);
        let keys = count(input).min(KEYS);
        limit(output, count(output) / count(input) * keys);
        limit(input, keys);
    }
    counts
}

/// Reduces a GLB file to a few vertices and keys. Each accessor gets a separate buffer view.
pub(crate) fn trimmed(glb: &[u8]) -> (Value, Vec<u8>) {
    let (mut root, binary) = parts(glb).expect("a built-in character is a GLB");
    let counts = shorten(&mut root);
    let views = root["bufferViews"].as_array().cloned().unwrap_or_default();
    let (mut out, mut new_views) = (Vec::new(), Vec::new());
    for (accessor_index, accessor) in root["accessors"].as_array_mut().into_iter().flatten().enumerate() {
        let size = element_size(accessor);
        let count = counts
            .get(&accessor_index.to_string())
            .and_then(Value::as_u64)
            .and_then(|n| usize::try_from(n).ok());
        let count = count.unwrap_or(usize::MAX).min(index(accessor, "count").unwrap_or(0));
        let view = index(accessor, "bufferView").and_then(|v| views.get(v)).cloned().unwrap_or_default();
        let start = index(&view, "byteOffset").unwrap_or(0) + index(accessor, "byteOffset").unwrap_or(0);
        let stride = index(&view, "byteStride").unwrap_or(size);
        out.resize(usize::next_multiple_of(out.len(), 4), 0);
        let offset = out.len();
        (0..count).for_each(|i| {
            out.extend(binary.get(start + i * stride..start + i * stride + size).unwrap_or_default());
        });
        new_views.push(json!({ "buffer": 0, "byteOffset": offset, "byteLength": out.len() - offset }));
        for key in ["byteOffset", "sparse", "min", "max"] {
            accessor.as_object_mut().map(|a| a.remove(key));
        }
        accessor["count"] = count.into();
        accessor["bufferView"] = accessor_index.into();
    }
    root["bufferViews"] = new_views.into();
    root["buffers"] = json!([{ "byteLength": out.len() }]);
    (root, out)
}

/// Returns a PNG image of 2 x 2 pixels.
pub(crate) fn png() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 2, 2);
    encoder.set_color(png::ColorType::Rgba);
    let written = encoder.write_header().and_then(|mut w| w.write_image_data(&[200; 16]));
    written.map(|()| bytes).expect("a small PNG")
}

/// Returns a character of three joints with the features that the built-in ones do not have: morph targets, sparse
/// and compressed data, normalized integers, an image, splines, and a humanoid.
pub(crate) fn small() -> (Value, Vec<u8>) {
    let mut binary: Vec<u8> = Vec::new();
    let mut views: Vec<Value> = Vec::new();
    let mut add = |bytes: &[u8]| {
        binary.resize(binary.len().next_multiple_of(4), 0);
        views.push(json!({ "buffer": 0, "byteOffset": binary.len(), "byteLength": bytes.len() }));
        binary.extend(bytes);
    };
    let floats = |list: &[f32]| list.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let positions: Vec<f32> =
        (0_u8..12).flat_map(|i| [f32::from(i % 2), f32::from(i / 4), f32::from(i % 3)]).collect();
    add(&floats(&positions));
    add(&[0, 1, 2, 0].repeat(12));
    add(&[128, 127, 0, 0].repeat(12));
    add(&[0, 0, 1, 0, 2, 0, 2, 0, 3, 0, 4, 0]);
    add(&floats(&[0.0, 0.5, 1.0]));
    add(&floats(&[0.0, 0.0, 0.0, 1.0].repeat(9)));
    add(&floats(&[0.0, 1.0, 0.0, 0.5, 1.0, 0.5]));
    add(&[1, 0, 5, 0]);
    add(&floats(&[0.1; 6]));
    add(&png());
    let rows: Vec<[f32; 3]> = positions.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect();
    let packed = meshopt::encode_vertex_buffer(&rows).expect("compressed vertices");
    add(&packed);
    let at = views.len() - 1;
    let mut compressed = views[at].clone();
    compressed["byteStride"] = 12.into();
    compressed["count"] = 12.into();
    compressed["mode"] = "ATTRIBUTES".into();
    views[at] = json!({ "buffer": 1, "byteOffset": 0, "byteLength": 144, "byteStride": 12,
        "extensions": { "EXT_meshopt_compression": compressed } });
    let accessor = |view: usize, component: u32, count: usize, kind: &str| json!({ "bufferView": view, "componentType": component, "count": count, "type": kind });
    let mut weights = accessor(2, 5121, 12, "VEC4");
    weights["normalized"] = true.into();
    let sparse = json!({ "componentType": 5126, "count": 12, "type": "VEC3", "sparse": { "count": 2,
        "indices": { "bufferView": 7, "componentType": 5123 }, "values": { "bufferView": 8 } } });
    let image = format!("data:image/png;base64,{}", STANDARD.encode(png()));
    let root = json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }],
        "extensionsUsed": ["EXT_meshopt_compression", "VRMC_vrm", "KHR_materials_emissive_strength"],
        "nodes": [
            { "name": "hips", "children": [1, 3], "translation": [0, 1, 0] },
            { "name": "leftUpperArm", "children": [2], "translation": [0.3, 0, 0], "rotation": [0, 0.6, 0, 0.8] },
            { "name": "hand", "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0.2, 0, 1, 0, 0.4, 0, 0, 1] },
            { "name": "body", "mesh": 0, "skin": 0, "weights": [0.5] }
        ],
        "skins": [{ "joints": [0, 1, 2], "skeleton": 0 }],
        "meshes": [{ "weights": [0.2], "primitives": [{ "material": 0, "mode": 4, "indices": 3,
            "attributes": { "POSITION": 8, "JOINTS_0": 1, "WEIGHTS_0": 2 }, "targets": [{ "POSITION": 7 }] }] }],
        "materials": [{ "alphaMode": "MASK", "doubleSided": true,
            "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 }, "baseColorFactor": [1, 0.5, 0.2, 1] },
            "emissiveTexture": { "index": 1 }, "extensions": { "KHR_materials_emissive_strength": { "emissiveStrength": 2 } } }],
        "textures": [{ "source": 0, "sampler": 0 }, { "source": 1 }],
        "samplers": [{ "wrapS": 33071, "minFilter": 9729 }],
        "images": [{ "bufferView": 9, "mimeType": "image/png" }, { "uri": image }],
        "animations": [{ "name": "turn", "samplers": [
            { "input": 4, "output": 5, "interpolation": "CUBICSPLINE" }, { "input": 4, "output": 6 },
            { "input": 4, "output": 9, "interpolation": "STEP" }],
            "channels": [{ "sampler": 0, "target": { "node": 1, "path": "rotation" } },
                { "sampler": 1, "target": { "node": 3, "path": "weights" } },
                { "sampler": 2, "target": { "node": 0, "path": "translation" } }] }],
        "accessors": [accessor(0, 5126, 12, "VEC3"), accessor(1, 5121, 12, "VEC4"), weights, accessor(3, 5123, 6, "SCALAR"),
            accessor(4, 5126, 3, "SCALAR"), accessor(5, 5126, 9, "VEC4"), accessor(6, 5126, 3, "SCALAR"), sparse,
            accessor(10, 5126, 12, "VEC3"), accessor(0, 5126, 3, "VEC3")],
        "bufferViews": views,
        "buffers": [{ "byteLength": binary.len() }, { "byteLength": 144, "extensions": { "EXT_meshopt_compression": { "fallback": true } } }],
        "extensions": { "VRMC_vrm": { "specVersion": "1.0", "humanoid": { "humanBones": { "hips": { "node": 0 },
            "leftUpperArm": { "node": 1 } } }, "expressions": { "preset": { "happy": { "morphTargetBinds": [
            { "node": 3, "index": 0, "weight": 1.0 }] } } } } }
    });
    (root, binary)
}
