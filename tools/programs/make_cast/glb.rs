//! Writes a model as binary glTF 2.0.

use crate::clips::{Clip, Track};
use crate::model::{Model, Node, Skin, rounded, world};
use glam::{DMat4, DQuat, DVec3};
use serde_json::{Map, Value, json};
use std::error::Error;

const FLOAT: u32 = 5126;
const UNSIGNED_BYTE: u32 = 5121;
const UNSIGNED_SHORT: u32 = 5123;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

/// The binary chunk with its buffer views and accessors.
#[derive(Default)]
struct Binary {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Binary {
    /// Appends data with a new buffer view and a new accessor. Returns the index of the accessor.
    fn push(&mut self, data: impl Iterator<Item = u8>, mut accessor: Value, target: Option<u32>) -> usize {
        let start = self.bytes.len();
        self.bytes.extend(data);
        let mut view = json!({ "buffer": 0, "byteLength": self.bytes.len() - start, "byteOffset": start });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        accessor["bufferView"] = json!(self.views.len());
        self.views.push(view);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn push_floats(&mut self, data: &[f32], kind: &str, width: usize, target: Option<u32>) -> usize {
        let accessor = json!({ "componentType": FLOAT, "count": data.len() / width, "type": kind });
        self.push(data.iter().flat_map(|x| x.to_le_bytes()), accessor, target)
    }

    /// Writes the minimum and maximum of each component to an accessor of floats.
    fn write_bounds(&mut self, accessor: usize, data: &[f32], width: usize) {
        let extreme = |pick: fn(f32, f32) -> f32, start: f32| -> Vec<f32> {
            (0..width).map(|c| data.iter().skip(c).step_by(width).fold(start, |m, &x| pick(m, x))).collect()
        };
        self.accessors[accessor]["min"] = json!(extreme(f32::min, f32::INFINITY));
        self.accessors[accessor]["max"] = json!(extreme(f32::max, f32::NEG_INFINITY));
    }
}

/// Returns the bytes of the file.
///
/// # Errors
/// Fails if the file would exceed the 4 GiB limit of GLB, or if a clip names an unknown node.
pub(crate) fn write(model: &Model) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut binary = Binary::default();
    let world = world(&model.nodes);
    let (mut nodes, mut roots) = nodes(&model.nodes);
    let (mut meshes, mut skins) = (Vec::new(), Vec::new());
    for (index, skin) in model.skins.iter().enumerate() {
        meshes.push(mesh(&mut binary, skin));
        let inverse: Vec<f32> = skin
            .joints
            .iter()
            .flat_map(|&j| DMat4::from(world[j].inverse()).as_mat4().to_cols_array())
            .collect();
        let inverse = binary.push_floats(&inverse, "MAT4", 16, None);
        skins.push(json!({ "name": skin.name, "inverseBindMatrices": inverse, "joints": skin.joints }));
        // The transform of a skinned mesh's node has no effect, so the node is a root.
        roots.push(nodes.len());
        nodes.push(json!({ "name": skin.name, "mesh": index, "skin": index }));
    }
    let animations =
        model.clips.iter().map(|clip| animation(&mut binary, clip, model)).collect::<Result<Vec<_>, _>>()?;
    let mut document = json!({
        "asset": { "generator": "sinew make_cast", "version": "2.0" },
        "scene": 0,
        "scenes": [{ "name": model.name, "nodes": roots }],
        "nodes": nodes,
        "meshes": meshes,
        "materials": [{
            "name": "vinyl",
            "pbrMetallicRoughness": { "metallicFactor": 0.0, "roughnessFactor": 0.55 },
        }],
        "skins": skins,
        "accessors": binary.accessors,
        "bufferViews": binary.views,
        "buffers": [{ "byteLength": binary.bytes.len() }],
    });
    if !animations.is_empty() {
        document["animations"] = json!(animations);
    }
    if model.humanoid {
        document["extensionsUsed"] = json!(["VRMC_vrm"]);
        document["extensions"] = json!({ "VRMC_vrm": vrm(model) });
    }
    container(sorted(document).to_string().into_bytes(), binary.bytes)
}

/// Returns the VRM 1.0 extension. Every joint of the first skin is the humanoid bone of the same name.
fn vrm(model: &Model) -> Value {
    let joints = model.skins.iter().take(1).flat_map(|skin| &skin.joints);
    let bones: Map<String, Value> =
        joints.map(|&joint| (model.nodes[joint].name.clone(), json!({ "node": joint }))).collect();
    json!({
        "specVersion": "1.0",
        "meta": {
            "name": model.name,
            "authors": ["the sinew contributors"],
            "licenseUrl": "https://vrm.dev/licenses/1.0/",
        },
        "humanoid": { "humanBones": bones },
    })
}

/// Returns a mesh with one primitive that contains all vertices.
fn mesh(binary: &mut Binary, skin: &Skin) -> Value {
    let all = &skin.vertices;
    let target = Some(ARRAY_BUFFER);
    let positions: Vec<f32> = all.iter().flat_map(|v| v.position).collect();
    let normals: Vec<f32> = all.iter().flat_map(|v| v.normal).collect();
    let position = binary.push_floats(&positions, "VEC3", 3, target);
    binary.write_bounds(position, &positions, 3);
    let normal = binary.push_floats(&normals, "VEC3", 3, target);
    let accessor_of = |kind: u32, normalized: bool| {
        let mut accessor = json!({ "componentType": kind, "count": all.len(), "type": "VEC4" });
        if normalized {
            accessor["normalized"] = json!(true);
        }
        accessor
    };
    let colour = binary.push(all.iter().flat_map(|v| v.colour), accessor_of(UNSIGNED_BYTE, true), target);
    let mut attributes = json!({ "POSITION": position, "NORMAL": normal, "COLOR_0": colour });
    let sets = if all.iter().any(|v| v.influences.1[4] > 0) { 2 } else { 1 };
    for set in 0..sets {
        let range = set * 4..set * 4 + 4;
        let joints = all.iter().flat_map(|v| v.influences.0[range.clone()].to_vec());
        let joints = binary.push(joints, accessor_of(UNSIGNED_BYTE, false), target);
        let quantized =
            all.iter().flat_map(|v| v.influences.1[range.clone()].to_vec()).flat_map(u16::to_le_bytes);
        let weights = binary.push(quantized, accessor_of(UNSIGNED_SHORT, true), target);
        attributes[format!("JOINTS_{set}")] = json!(joints);
        attributes[format!("WEIGHTS_{set}")] = json!(weights);
    }
    let count = json!({ "componentType": UNSIGNED_SHORT, "count": skin.indices.len(), "type": "SCALAR" });
    let indices = skin.indices.iter().flat_map(|i| i.to_le_bytes());
    let indices = binary.push(indices, count, Some(ELEMENT_ARRAY_BUFFER));
    let mut primitive = json!({ "attributes": attributes, "indices": indices, "material": 0 });
    let mut mesh = json!({ "name": skin.name });
    if !skin.morphs.is_empty() {
        let mut targets = Vec::new();
        for morph in &skin.morphs {
            let deltas = morph.deltas.concat();
            let accessor = binary.push_floats(&deltas, "VEC3", 3, target);
            binary.write_bounds(accessor, &deltas, 3);
            targets.push(json!({ "POSITION": accessor }));
        }
        primitive["targets"] = json!(targets);
        mesh["weights"] = json!(vec![0.0; skin.morphs.len()]);
        let names: Vec<&str> = skin.morphs.iter().map(|m| m.name).collect();
        mesh["extras"] = json!({ "targetNames": names });
    }
    mesh["primitives"] = json!([primitive]);
    mesh
}

/// Returns the nodes as JSON, and the indices of the roots.
fn nodes(all: &[Node]) -> (Vec<Value>, Vec<usize>) {
    let json_of = |index: usize| {
        let node = &all[index];
        let children: Vec<usize> = (0..all.len()).filter(|&n| all[n].parent == Some(index)).collect();
        let mut value = json!({ "name": node.name, "translation": rounded(node.translation).to_array() });
        if node.scale != DVec3::ONE {
            value["scale"] = json!(node.scale.to_array());
        }
        if !children.is_empty() {
            value["children"] = json!(children);
        }
        value
    };
    let roots = (0..all.len()).filter(|&n| all[n].parent.is_none()).collect();
    ((0..all.len()).map(json_of).collect(), roots)
}

/// Returns a clip as an animation. All tracks share their times.
fn animation(binary: &mut Binary, clip: &Clip, model: &Model) -> Result<Value, Box<dyn Error>> {
    let times: Vec<f32> = clip.times.iter().map(|&t| t as f32).collect();
    let input = binary.push_floats(&times, "SCALAR", 1, None);
    binary.write_bounds(input, &times, 1);
    let (mut channels, mut samplers) = (Vec::new(), Vec::new());
    for track in &clip.tracks {
        let (name, path, output) = match track {
            Track::Rotation(name, keys) => {
                let unit = |q: &DQuat| if clip.cubic { *q } else { q.normalize() };
                let data: Vec<f32> = keys.iter().flat_map(|q| unit(q).as_quat().to_array()).collect();
                (name, "rotation", binary.push_floats(&data, "VEC4", 4, None))
            }
            Track::Translation(name, keys) => {
                let data: Vec<f32> = keys.iter().flat_map(|p| p.as_vec3().to_array()).collect();
                (name, "translation", binary.push_floats(&data, "VEC3", 3, None))
            }
            Track::Morphs(name, weights) => {
                let data: Vec<f32> = weights.iter().map(|&w| w as f32).collect();
                (name, "weights", binary.push_floats(&data, "SCALAR", 1, None))
            }
        };
        let joint = model.nodes.iter().position(|node| node.name == *name);
        let mesh = model.skins.iter().position(|skin| skin.name == name).map(|s| model.nodes.len() + s);
        let node = joint
            .or(mesh)
            .ok_or_else(|| format!("clip {} animates {name}, but the model has no such node", clip.name))?;
        let interpolation = if clip.cubic { "CUBICSPLINE" } else { "LINEAR" };
        channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }));
        samplers.push(json!({ "input": input, "interpolation": interpolation, "output": output }));
    }
    Ok(json!({ "name": clip.name, "channels": channels, "samplers": samplers }))
}

/// Returns the value with the keys of all objects in alphabetical order. The keys are inserted in this order, because
/// serde_json may keep insertion order.
fn sorted(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        Value::Object(map) => {
            let mut entries: Vec<(String, Value)> = map.into_iter().collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(entries.into_iter().map(|(key, item)| (key, sorted(item))).collect::<Map<_, _>>())
        }
        plain => plain,
    }
}

/// Returns a GLB container with the two chunks.
fn container(mut json: Vec<u8>, binary: Vec<u8>) -> Result<Vec<u8>, Box<dyn Error>> {
    json.resize(json.len().next_multiple_of(4), b' ');
    let length = u32::try_from(12 + 8 + json.len() + 8 + binary.len())?;
    let mut file = Vec::new();
    file.extend(b"glTF");
    file.extend(2_u32.to_le_bytes());
    file.extend(length.to_le_bytes());
    for (kind, chunk) in [(b"JSON", json), (b"BIN\0", binary)] {
        file.extend(u32::try_from(chunk.len())?.to_le_bytes());
        file.extend(kind);
        file.extend(chunk);
    }
    Ok(file)
}
