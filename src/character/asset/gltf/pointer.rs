//! Reads channels of `KHR_animation_pointer` that animate materials and the visibility of nodes.

use std::collections::BTreeMap;

use gltf::json::animation::{Animation, Interpolation as JsonInterpolation, Sampler};
use gltf::json::validation::Checked;
use serde_json::{Map, Value, json};

use crate::asset::{
    Interpolation, Material, MaterialProperty, PoseTarget, PoseValue, PropertyTrack, Skeleton,
};

use super::extension::index;
use super::{GltfFile, ObjectError};

/// Key in the animation's extensions under which the channels are kept while the crate parses the JSON. The crate cannot represent channels
/// without a node.
const KEPT: &str = "KHR_animation_pointer channels";

/// A distance in metres that is practically infinite.
const FAR: f32 = 1e6;

/// Moves the channels that this module reads to a separate list. Other channels with pointers remain in the animation.
pub(super) fn set_aside(animation: &mut Map<String, Value>) {
    let Some(channels) = animation.get_mut("channels").and_then(Value::as_array_mut) else { return };
    let mut kept = Vec::new();
    channels.retain(|channel| {
        let pointer = channel.pointer("/target/extensions/KHR_animation_pointer/pointer");
        let pointer = pointer.and_then(Value::as_str).filter(|p| target(p).is_some());
        let is_kept = pointer.is_some() && channel.pointer("/target/node").is_none();
        if let Some(pointer) = pointer.filter(|_| is_kept) {
            kept.push(json!({"pointer": pointer, "sampler": channel.get("sampler")}));
        }
        !is_kept
    });
    if kept.is_empty() {
        return;
    }
    let extensions = animation.entry("extensions").or_insert_with(|| json!({}));
    if let Some(extensions) = extensions.as_object_mut() {
        extensions.insert(KEPT.into(), kept.into());
    }
}

/// Returns the property that a pointer animates, or `None` if it is not supported. The indices in the pointer are not checked.
fn target(pointer: &str) -> Option<PoseTarget> {
    let (list, rest) = pointer.strip_prefix('/')?.split_once('/')?;
    let (index, property) = rest.split_once('/')?;
    let index = index.parse().ok()?;
    match (list, property) {
        ("materials", property) => Some(PoseTarget::Material(index, MaterialProperty::find(property)?)),
        ("nodes", "extensions/KHR_node_visibility/visible") => Some(PoseTarget::Visibility(index)),
        _ => None,
    }
}

/// Returns the channels of an animation that were set aside: their pointers, their samplers and their locations for messages.
fn channels(animation: &Animation, index: usize) -> impl Iterator<Item = (&str, usize, String)> {
    let list = animation.extensions.as_ref().and_then(|e| e.others.get(KEPT)?.as_array());
    list.into_iter().flatten().filter_map(move |json| {
        let pointer = json.get("pointer")?.as_str()?;
        // A missing sampler is replaced by an index that does not exist in any file.
        let sampler = self::index(json, "sampler").unwrap_or(usize::MAX);
        Some((pointer, sampler, format!("animations[{index}]: \"{pointer}\"")))
    })
}

impl GltfFile<'_> {
    /// Adds a value to the pose for each property that a clip animates.
    pub(super) fn pointer_values(
        &self,
        materials: &[Material],
        skeleton: &mut Skeleton,
        values: &mut Vec<PoseValue>,
    ) -> Result<(), ObjectError> {
        let mut known = BTreeMap::new();
        for (a, animation) in self.root.animations.iter().enumerate() {
            for (pointer, _, at) in channels(animation, a) {
                if known.contains_key(pointer) {
                    continue;
                }
                let rest = match target(pointer) {
                    Some(PoseTarget::Material(index, property)) => {
                        materials.get(index).and_then(|material| property.get(material))
                    }
                    Some(PoseTarget::Visibility(node)) if node < skeleton.nodes.len() => {
                        let is_shown = !skeleton.hidden.contains(&node);
                        Some((1, [f32::from(u8::from(is_shown)), 0.0, 0.0, 0.0]))
                    }
                    _ => None,
                };
                let found = target(pointer).zip(rest);
                if found.is_none() {
                    self.warn(format!("{at} is not animated, because it does not exist"));
                }
                known.insert(pointer, ());
                let Some((target, (count, rest))) = found else { continue };
                self.buffers.claim(size_of::<PoseValue>() as u64 + 16, &at)?;
                values.push(PoseValue { first: skeleton.rest_weights.len(), count, target });
                // The attenuation distance of a volume that absorbs nothing is infinite.
                let rest = rest.into_iter().take(count).map(|x| if x.is_finite() { x } else { FAR });
                skeleton.rest_weights.extend(rest);
            }
        }
        Ok(())
    }

    /// Reads the tracks of an animation. `timeline` returns the index of a timeline and its number of keys.
    pub(super) fn property_tracks(
        &self,
        animation: &Animation,
        index: usize,
        values: &[PoseValue],
        mut timeline: impl FnMut(usize, &str) -> Result<(usize, usize), ObjectError>,
    ) -> Result<Vec<PropertyTrack>, ObjectError> {
        let mut tracks = Vec::new();
        let mut channels = channels(animation, index).peekable();
        if channels.peek().is_none() {
            return Ok(tracks);
        }
        let values: BTreeMap<&PoseTarget, &PoseValue> = values.iter().map(|v| (&v.target, v)).collect();
        for (pointer, sampler, at) in channels {
            self.progress.check()?;
            let Some(value) = target(pointer).and_then(|target| values.get(&target).copied()) else {
                continue;
            };
            let samplers = &animation.samplers;
            let missing = || ObjectError::missing(&*at, "sampler", sampler, samplers.len());
            let json = samplers.get(sampler).ok_or_else(missing)?;
            let at = format!("animations[{index}].samplers[{sampler}]");
            let (timeline, keys) = timeline(json.input.value(), &format!("{at}.input"))?;
            let (interpolation, numbers) = self.property_keys(json, value, &at)?;
            let per_key = value.count * if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
            if numbers.len() != keys.saturating_mul(per_key) {
                let cause = format!("has {} numbers, but {keys} keys need {per_key} each", numbers.len());
                return Err(ObjectError::new(format!("{at}.output"), cause));
            }
            let (first, count) = (value.first, value.count);
            tracks.push(PropertyTrack { first, count, timeline, interpolation, values: numbers });
        }
        Ok(tracks)
    }

    fn property_keys(
        &self,
        sampler: &Sampler,
        value: &PoseValue,
        at: &str,
    ) -> Result<(Interpolation, Vec<f32>), ObjectError> {
        let interpolation = match sampler.interpolation {
            // A node is either visible or not.
            _ if matches!(value.target, PoseTarget::Visibility(_)) => Interpolation::Step,
            Checked::Valid(JsonInterpolation::Step) => Interpolation::Step,
            Checked::Valid(JsonInterpolation::Linear) => Interpolation::Linear,
            Checked::Valid(JsonInterpolation::CubicSpline) => Interpolation::CubicSpline,
            Checked::Invalid => {
                return Err(ObjectError::new(format!("{at}.interpolation"), "value is unknown"));
            }
        };
        let (output, at) = (sampler.output.value(), format!("{at}.output"));
        let numbers = match value.count {
            1 => self.finite::<1>(output, &at)?.into_flattened(),
            2 => self.finite::<2>(output, &at)?.into_flattened(),
            3 => self.finite::<3>(output, &at)?.into_flattened(),
            _ => self.finite::<4>(output, &at)?.into_flattened(),
        };
        Ok((interpolation, numbers))
    }
}
