//! Bakes animation stacks into clips.

use std::collections::HashMap;

use crate::asset::{Channel, Character, Clip, Interpolation, Values};
use crate::files::Progress;

use super::mesh::channels;
use super::{Budget, ObjectError, node_index, rotation, vector, weight};

/// Maximum memory for the keys that the parser bakes for one clip, in bytes.
const MAX_BAKED_BYTES: usize = 256 << 20;
/// Maximum number of keys that the parser adds between two keys of a curve.
const MAX_SEGMENTS: usize = 32;
/// Maximum length of a clip, in seconds.
const MAX_SECONDS: f64 = 1e6;

/// Adds the animation stacks of a scene as clips. Curves that bend between keys are also sampled between them.
pub(super) fn add(
    scene: &ufbx::Scene,
    character: &mut Character,
    progress: &Progress,
    budget: &mut Budget,
) -> Result<(), ObjectError> {
    for stack in &scene.anim_stacks {
        let at = format!("animation \"{}\"", &*stack.element.name);
        progress.check().map_err(|e| ObjectError::new(&*at, e.to_string()))?;
        if !(stack.time_end - stack.time_begin).abs().le(&MAX_SECONDS) {
            return Err(ObjectError::new(at, format!("it is longer than {MAX_SECONDS} s")));
        }
        let limited = || ufbx::AllocatorOpts {
            memory_limit: MAX_BAKED_BYTES.min(budget.0.max(1)),
            ..ufbx::AllocatorOpts::default()
        };
        let options = ufbx::BakeOpts {
            temp_allocator: limited(),
            result_allocator: limited(),
            trim_start_time: true,
            max_keyframe_segments: MAX_SEGMENTS,
            ..ufbx::BakeOpts::default()
        };
        let baked = ufbx::bake_anim(scene, &stack.anim, options)
            .map_err(|error| ObjectError::new(&*at, error.description.to_string()))?;
        let mut clip = Builder { clip: Clip::default(), known: HashMap::new(), budget, at: &at };
        clip.clip.name = (!stack.element.name.is_empty()).then(|| stack.element.name.to_string());
        clip.add_nodes(&baked)?;
        clip.add_weights(&baked, scene, character)?;
        let Builder { mut clip, .. } = clip;
        clip.seconds = clip.timelines.iter().filter_map(|times| times.last().copied()).fold(0.0, f32::max);
        if !clip.channels.is_empty() {
            character.clips.push(clip);
        }
    }
    Ok(())
}

struct Builder<'a> {
    clip: Clip,
    /// Maps the bits of key times to the index of their timeline. Most channels share a timeline.
    known: HashMap<Vec<u32>, usize>,
    budget: &'a mut Budget,
    at: &'a str,
}

impl Builder<'_> {
    fn add_nodes(&mut self, baked: &ufbx::BakedAnim) -> Result<(), ObjectError> {
        for node in &baked.nodes {
            // The first node is the root that the parser adds.
            let Some(index) = (node.typed_id as usize).checked_sub(1) else { continue };
            let vectors = |keys: &[ufbx::BakedVec3]| keys.iter().map(|key| vector(key.value)).collect();
            let times = node.translation_keys.iter().map(|key| key.time);
            self.add(index, times, Values::Translation(vectors(&node.translation_keys)))?;
            let times = node.rotation_keys.iter().map(|key| key.time);
            let rotations = node.rotation_keys.iter().map(|key| rotation(key.value)).collect();
            self.add(index, times, Values::Rotation(rotations))?;
            let times = node.scale_keys.iter().map(|key| key.time);
            self.add(index, times, Values::Scale(vectors(&node.scale_keys)))?;
        }
        Ok(())
    }

    /// Adds the weights of blend shapes. A glTF channel contains the weights of all shapes of a node, so each curve is sampled at the key
    /// times of all shapes.
    fn add_weights(
        &mut self,
        baked: &ufbx::BakedAnim,
        scene: &ufbx::Scene,
        character: &Character,
    ) -> Result<(), ObjectError> {
        let mut curves: HashMap<u32, &[ufbx::BakedVec3]> = HashMap::new();
        for element in &baked.elements {
            let percent = element.props.iter().find(|prop| &*prop.name == "DeformPercent");
            curves.extend(percent.map(|prop| (element.element_id, &*prop.keys)));
        }
        for node in &scene.nodes {
            let (Some(mesh), Some(index)) = (&node.mesh, node_index(node)) else { continue };
            let is_drawn = character.skeleton.nodes.get(index).is_some_and(|node| node.mesh.is_some());
            let channels: Vec<_> = channels(mesh).collect();
            let own: Vec<_> = channels.iter().map(|c| curves.get(&c.element.element_id).copied()).collect();
            let mut times: Vec<f64> =
                own.iter().flatten().flat_map(|keys| keys.iter().map(|k| k.time)).collect();
            times.sort_by(f64::total_cmp);
            times.dedup();
            if !is_drawn || times.is_empty() {
                continue;
            }
            // Each weight counts twice, because looking it up also takes time.
            self.budget.take(times.len() * channels.len() * 2 * size_of::<f64>(), self.at)?;
            let mut weights = Vec::with_capacity(times.len() * channels.len());
            for &time in &times {
                for (channel, keys) in channels.iter().zip(&own) {
                    weights.push(match keys {
                        Some(keys) => weight(sample(keys, time) / 100.0),
                        None => weight(channel.weight),
                    });
                }
            }
            self.add(index, times.iter().copied(), Values::Weights(weights))?;
        }
        Ok(())
    }

    /// Adds a channel if it has any keys.
    fn add(
        &mut self,
        node: usize,
        times: impl Iterator<Item = f64>,
        values: Values,
    ) -> Result<(), ObjectError> {
        let is_finite = match &values {
            Values::Translation(values) | Values::Scale(values) => values.iter().all(|v| v.is_finite()),
            Values::Rotation(values) => values.iter().all(|q| q.is_finite()),
            Values::Weights(values) => values.iter().all(|w| w.is_finite()),
        };
        #[expect(clippy::cast_possible_truncation, reason = "times are single precision")]
        let times: Vec<f32> = times.map(|time| time.max(0.0) as f32).collect();
        if times.is_empty() {
            return Ok(());
        }
        if !is_finite || !times.iter().all(|t| t.is_finite()) || !times.is_sorted() {
            let cause = format!("a key of node {node} is not finite, or the keys are not in order");
            return Err(ObjectError::new(self.at, cause));
        }
        // A key is at most a rotation and a time. The bits of the time are stored twice.
        self.budget.take(times.len() * size_of::<[f32; 6]>(), self.at)?;
        let timelines = &mut self.clip.timelines;
        let timeline = *self.known.entry(times.iter().map(|t| t.to_bits()).collect()).or_insert_with(|| {
            timelines.push(times);
            timelines.len() - 1
        });
        self.clip.channels.push(Channel { node, timeline, interpolation: Interpolation::Linear, values });
        Ok(())
    }
}

/// Returns the value of a curve at a time, linearly interpolated between its keys.
fn sample(keys: &[ufbx::BakedVec3], time: f64) -> f64 {
    let next = keys.partition_point(|key| key.time <= time);
    let before = next.checked_sub(1).and_then(|before| keys.get(before));
    match (before, keys.get(next)) {
        (Some(a), Some(b)) => {
            let share = (time - a.time) / (b.time - a.time);
            a.value.x + (b.value.x - a.value.x) * share
        }
        (Some(key), None) | (None, Some(key)) => key.value.x,
        (None, None) => 0.0,
    }
}
