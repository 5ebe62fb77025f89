//! Writes clips and skeletons as glTF.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::asset::{Character, Clip, Interpolation, Skeleton, Values};

use super::end_key::with_end_key;
use super::{add_views, append, list};

/// Component type `FLOAT` of an accessor.
const FLOAT: u32 = 5126;

/// Returns the text of a glTF document that contains only the nodes and scenes of a character. [`posed_copy`](super::posed_copy) accepts it
/// in place of the file of a character that was not loaded from glTF.
pub fn skeleton_only(character: &Character) -> Vec<u8> {
    let node = |n: &crate::asset::Node| {
        let mut json = json!({
            "translation": n.rest.translation.to_array(),
            "rotation": n.rest.rotation.to_array(),
            "scale": n.rest.scale.to_array(),
        });
        if let Some(name) = &n.name {
            json["name"] = json!(name);
        }
        if !n.children.is_empty() {
            json["children"] = json!(n.children);
        }
        json
    };
    let nodes: Vec<Value> = character.skeleton.nodes.iter().map(node).collect();
    let scenes: Vec<Value> = character.scenes.iter().map(|s| json!({ "nodes": s.roots })).collect();
    let mut root = json!({ "asset": { "version": "2.0", "generator": "sinew" }, "nodes": nodes });
    if !scenes.is_empty() {
        root["scenes"] = scenes.into();
        root["scene"] = character.default_scene.into();
    }
    root.to_string().into_bytes()
}

/// Adds clips to a document and its binary buffer. The matrices of animated nodes are converted to translation,
/// rotation and scale.
pub(in crate::asset::gltf) fn add(
    root: &mut Value,
    binary: &mut Vec<u8>,
    skeleton: &Skeleton,
    clips: &[Clip],
) {
    if clips.is_empty() {
        return;
    }
    // Instances of a mesh are nodes of the character, but not of the file.
    let nodes = list(root, "nodes");
    let held = nodes.iter().position(|node| node.get("matrix").is_none()).unwrap_or(0);
    let clips: Vec<Cow<'_, Clip>> =
        clips.iter().map(|clip| with_end_key(clip, skeleton, nodes.len(), held)).collect();
    decompose_animated_matrices(root, skeleton, &clips);
    let had_buffer = !binary.is_empty();
    let mut writer = ClipWriter {
        nodes: list(root, "nodes").len(),
        views: list(root, "bufferViews").len(),
        accessors: list(root, "accessors").len(),
        binary,
        new_views: Vec::new(),
        new_accessors: Vec::new(),
    };
    let animations: Vec<Value> = clips.iter().map(|clip| writer.clip(clip)).collect();
    let ClipWriter { new_views, mut new_accessors, .. } = writer;
    add_views(root, new_views, had_buffer);
    let Some(root) = root.as_object_mut() else { return };
    let accessors = root.entry("accessors").or_insert_with(|| json!([]));
    if let Some(accessors) = accessors.as_array_mut() {
        accessors.append(&mut new_accessors);
    }
    root.insert("animations".into(), animations.into());
}

/// Replaces the matrices of animated nodes with translation, rotation and scale, because glTF does not allow both.
fn decompose_animated_matrices(root: &mut Value, skeleton: &Skeleton, clips: &[Cow<'_, Clip>]) {
    let nodes = list(root, "nodes");
    for channel in clips.iter().flat_map(|c| &c.channels) {
        let json = nodes.get_mut(channel.node).and_then(Value::as_object_mut);
        let (Some(json), Some(node)) = (json, skeleton.nodes.get(channel.node)) else { continue };
        if json.remove("matrix").is_some() {
            json.insert("translation".into(), json!(node.rest.translation.to_array()));
            json.insert("rotation".into(), json!(node.rest.rotation.to_array()));
            json.insert("scale".into(), json!(node.rest.scale.to_array()));
        }
    }
}

struct ClipWriter<'a> {
    nodes: usize,
    views: usize,
    accessors: usize,
    binary: &'a mut Vec<u8>,
    new_views: Vec<Value>,
    new_accessors: Vec<Value>,
}

impl ClipWriter<'_> {
    fn clip(&mut self, clip: &Clip) -> Value {
        let mut timelines = BTreeMap::new();
        let (mut channels, mut samplers) = (Vec::new(), Vec::new());
        let nodes = self.nodes;
        for channel in clip.channels.iter().filter(|c| c.node < nodes) {
            let Some(times) = clip.timelines.get(channel.timeline) else { continue };
            let input = *timelines.entry(channel.timeline).or_insert_with(|| self.times(times));
            let (path, output) = match &channel.values {
                Values::Translation(v) => ("translation", self.accessor(&to_floats(v), 3, "VEC3")),
                Values::Scale(v) => ("scale", self.accessor(&to_floats(v), 3, "VEC3")),
                Values::Rotation(v) => {
                    let flat: Vec<f32> = v.iter().flat_map(glam::Quat::to_array).collect();
                    ("rotation", self.accessor(&flat, 4, "VEC4"))
                }
                Values::Weights(v) => ("weights", self.accessor(v, 1, "SCALAR")),
            };
            let interpolation = match channel.interpolation {
                Interpolation::Step => "STEP",
                Interpolation::Linear => "LINEAR",
                Interpolation::CubicSpline => "CUBICSPLINE",
            };
            channels.push(json!({
                "sampler": samplers.len(),
                "target": { "node": channel.node, "path": path },
            }));
            samplers.push(json!({ "input": input, "output": output, "interpolation": interpolation }));
        }
        let mut json = json!({ "channels": channels, "samplers": samplers });
        if let Some(name) = &clip.name {
            json["name"] = json!(name);
        }
        json
    }

    /// Adds an accessor of key times, for which glTF requires the minimum and maximum.
    fn times(&mut self, times: &[f32]) -> usize {
        let index = self.accessor(times, 1, "SCALAR");
        if let Some(accessor) = self.new_accessors.last_mut() {
            accessor["min"] = json!([times.first()]);
            accessor["max"] = json!([times.last()]);
        }
        index
    }

    fn accessor(&mut self, values: &[f32], width: usize, kind: &str) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        let start = append(self.binary, &bytes);
        self.new_views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": bytes.len() }));
        self.new_accessors.push(json!({
            "bufferView": self.views + self.new_views.len() - 1,
            "componentType": FLOAT,
            "count": values.len() / width,
            "type": kind,
        }));
        self.accessors + self.new_accessors.len() - 1
    }
}

fn to_floats(vectors: &[glam::Vec3]) -> Vec<f32> {
    vectors.iter().flat_map(glam::Vec3::to_array).collect()
}
