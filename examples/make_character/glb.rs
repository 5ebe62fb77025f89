//! Writes a binary glTF 2.0 file.

use crate::clips::{Clip, Track};
use crate::skeleton::{Joint, joints};
use crate::skin::Skin;
use glam::DVec3;
use serde_json::{Map, Value, json};
use std::error::Error;

const FLOAT: u32 = 5126;
const UNSIGNED_BYTE: u32 = 5121;
const UNSIGNED_SHORT: u32 = 5123;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

/// Nodes before the first joint: the root and the mesh.
const FIRST_JOINT: usize = 2;

/// The binary chunk and the views and accessors into it.
#[derive(Default)]
struct Binary {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Binary {
    /// Appends the data as a view and an accessor of its own; returns the accessor's index.
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

    /// Declares the least and the greatest of each component of an accessor of floats.
    fn bound(&mut self, accessor: usize, data: &[f32], width: usize) {
        let of = |pick: fn(f32, f32) -> f32, start: f32| -> Vec<f32> {
            (0..width).map(|c| data.iter().skip(c).step_by(width).fold(start, |m, &x| pick(m, x))).collect()
        };
        self.accessors[accessor]["min"] = json!(of(f32::min, f32::INFINITY));
        self.accessors[accessor]["max"] = json!(of(f32::max, f32::NEG_INFINITY));
    }
}

/// The bytes of the file.
///
/// # Errors
/// When the file would be longer than a GLB can say, or a clip names a joint that is not there.
pub(crate) fn write(skin: &Skin, clips: &[Clip]) -> Result<Vec<u8>, Box<dyn Error>> {
    let joints = joints();
    let mut binary = Binary::default();
    let primitive = primitive(&mut binary, skin);
    let (nodes, inverse_binds) = nodes(&joints);
    let inverse_binds = binary.push_floats(&inverse_binds, "MAT4", 16, None);
    let animations =
        clips.iter().map(|clip| animation(&mut binary, clip, &joints)).collect::<Result<Vec<_>, _>>()?;
    let joint_nodes: Vec<usize> = (0..joints.len()).map(|joint| FIRST_JOINT + joint).collect();
    let document = json!({
        "asset": { "generator": "sinew make_character", "version": "2.0" },
        "scene": 0,
        "scenes": [{ "name": "scene", "nodes": [0, 1] }],
        "nodes": nodes,
        "meshes": [{ "name": "body", "primitives": [primitive] }],
        "materials": [{
            "name": "vinyl",
            "pbrMetallicRoughness": { "metallicFactor": 0.0, "roughnessFactor": 0.55 },
        }],
        "skins": [{
            "name": "figure",
            "inverseBindMatrices": inverse_binds,
            "joints": joint_nodes,
            "skeleton": FIRST_JOINT,
        }],
        "animations": animations,
        "accessors": binary.accessors,
        "bufferViews": binary.views,
        "buffers": [{ "byteLength": binary.bytes.len() }],
    });
    container(sorted(document).to_string().into_bytes(), binary.bytes)
}

/// The mesh: one primitive over all vertices.
fn primitive(binary: &mut Binary, skin: &Skin) -> Value {
    let all = &skin.vertices;
    let target = Some(ARRAY_BUFFER);
    let positions: Vec<f32> = all.iter().flat_map(|v| v.position).collect();
    let normals: Vec<f32> = all.iter().flat_map(|v| v.normal).collect();
    let position = binary.push_floats(&positions, "VEC3", 3, target);
    binary.bound(position, &positions, 3);
    let normal = binary.push_floats(&normals, "VEC3", 3, target);
    let of = |kind: u32, normalized: bool| {
        let mut accessor = json!({ "componentType": kind, "count": all.len(), "type": "VEC4" });
        if normalized {
            accessor["normalized"] = json!(true);
        }
        accessor
    };
    let colour = binary.push(all.iter().flat_map(|v| v.colour), of(UNSIGNED_BYTE, true), target);
    let joints = binary.push(all.iter().flat_map(|v| v.influences.0), of(UNSIGNED_BYTE, false), target);
    let shares = all.iter().flat_map(|v| v.influences.1).flat_map(u16::to_le_bytes);
    let weights = binary.push(shares, of(UNSIGNED_SHORT, true), target);
    let count = json!({ "componentType": UNSIGNED_SHORT, "count": skin.indices.len(), "type": "SCALAR" });
    let indices = skin.indices.iter().flat_map(|i| i.to_le_bytes());
    let indices = binary.push(indices, count, Some(ELEMENT_ARRAY_BUFFER));
    json!({
        "attributes": {
            "POSITION": position, "NORMAL": normal, "COLOR_0": colour, "JOINTS_0": joints, "WEIGHTS_0": weights,
        },
        "indices": indices,
        "material": 0,
    })
}

/// The nodes (the root, the mesh, the joints) and the inverse bind matrices.
fn nodes(joints: &[Joint]) -> (Vec<Value>, Vec<f32>) {
    let mut nodes = vec![
        json!({ "name": "figure", "children": [FIRST_JOINT] }),
        // A skinned mesh ignores its node's place, so the node is a root of its own.
        json!({ "name": "body", "mesh": 0, "skin": 0 }),
    ];
    let mut inverse_binds = Vec::with_capacity(joints.len() * 16);
    let mut world: Vec<DVec3> = Vec::with_capacity(joints.len());
    for (index, joint) in joints.iter().enumerate() {
        let origin = joint.parent.map_or(DVec3::ZERO, |parent| joints[parent].position);
        // Whole micrometres keep the text of the file short.
        let local = ((joint.position - origin) * 1e6).round() / 1e6;
        let children: Vec<usize> =
            (0..joints.len()).filter(|&j| joints[j].parent == Some(index)).map(|j| FIRST_JOINT + j).collect();
        let mut node = json!({ "name": joint.name, "translation": local.to_array() });
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        nodes.push(node);
        // What a reader finds who adds up the translations as written.
        let place = joint.parent.map_or(DVec3::ZERO, |parent| world[parent]) + local.as_vec3().as_dvec3();
        world.push(place);
        let at = (-place).as_vec3();
        #[rustfmt::skip]
        inverse_binds.extend([
            1.0, 0.0, 0.0, 0.0,
            0.0, 1.0, 0.0, 0.0,
            0.0, 0.0, 1.0, 0.0,
            at.x, at.y, at.z, 1.0,
        ]);
    }
    (nodes, inverse_binds)
}

/// One clip; its tracks share their times.
fn animation(binary: &mut Binary, clip: &Clip, joints: &[Joint]) -> Result<Value, Box<dyn Error>> {
    let times: Vec<f32> = clip.times.iter().map(|&t| t as f32).collect();
    let input = binary.push_floats(&times, "SCALAR", 1, None);
    binary.bound(input, &times, 1);
    let (mut channels, mut samplers) = (Vec::new(), Vec::new());
    for track in &clip.tracks {
        let (name, path, output) = match track {
            Track::Rotation(name, keys) => {
                let data: Vec<f32> = keys.iter().flat_map(|q| q.normalize().as_quat().to_array()).collect();
                (*name, "rotation", binary.push_floats(&data, "VEC4", 4, None))
            }
            Track::Translation(name, keys) => {
                let data: Vec<f32> = keys.iter().flat_map(|p| p.as_vec3().to_array()).collect();
                (*name, "translation", binary.push_floats(&data, "VEC3", 3, None))
            }
        };
        let joint = joints.iter().position(|joint| joint.name == name);
        let node = FIRST_JOINT + joint.ok_or_else(|| format!("no joint is called {name}"))?;
        channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }));
        samplers.push(json!({ "input": input, "interpolation": "LINEAR", "output": output }));
    }
    Ok(json!({ "name": clip.name, "channels": channels, "samplers": samplers }))
}

/// The same value with its keys inserted in the order of the alphabet, whatever map serde_json was built with.
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

/// Puts the two chunks into a GLB container.
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
