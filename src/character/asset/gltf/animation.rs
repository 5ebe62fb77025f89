//! Reads animation clips.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};
use gltf::json::animation::{Animation, Interpolation as JsonInterpolation, Property, Sampler};
use gltf::json::validation::Checked;

use crate::asset::{Channel, Clip, CorrectedKeys, Interpolation, PoseValue, Skeleton, Values};

use super::node::unit_quaternion;
use super::{GltfFile, ObjectError, label};

impl GltfFile<'_> {
    pub(super) fn clips(&self, skeleton: &Skeleton, values: &[PoseValue]) -> Result<Vec<Clip>, ObjectError> {
        let all = self.root.animations.iter().enumerate();
        all.map(|(i, json)| self.clip(json, i, skeleton, values)).collect()
    }

    fn clip(
        &self,
        json: &Animation,
        index: usize,
        skeleton: &Skeleton,
        values: &[PoseValue],
    ) -> Result<Clip, ObjectError> {
        let mut clip = Clip { name: json.name.clone(), ..Clip::default() };
        // Maps each input accessor to its timeline. Most files share one accessor among all channels.
        let mut timelines = BTreeMap::new();
        for (c, channel) in json.channels.iter().enumerate() {
            self.progress.check()?;
            let at = format!("animations[{index}].channels[{c}]");
            let Checked::Valid(property) = channel.target.path else {
                self.warn(format!("{at}.target.path: value is unknown, so the channel is ignored"));
                continue;
            };
            let node = channel.target.node.value();
            let nodes = self.root.nodes.len();
            if node >= nodes {
                return Err(ObjectError::missing(format!("{at}.target.node"), "node", node, nodes));
            }
            let sampler = json.samplers.get(channel.sampler.value()).ok_or_else(|| {
                let (sampler, count) = (channel.sampler.value(), json.samplers.len());
                ObjectError::missing(format!("{at}.sampler"), "sampler", sampler, count)
            })?;
            let targets = skeleton.nodes[node].morph_weights.len();
            if property == Property::MorphTargetWeights && targets == 0 {
                self.warn(format!("{at}: node {node} has no morph targets, so the channel is ignored"));
                continue;
            }
            let at = format!("animations[{index}].samplers[{}]", channel.sampler.value());
            let input = sampler.input.value();
            let (timeline, keys) =
                self.timeline(&mut timelines, &mut clip.timelines, input, &format!("{at}.input"))?;
            let (interpolation, values) = self.values(sampler, property, keys, targets, &at)?;
            if property == Property::Rotation && interpolation != Interpolation::CubicSpline {
                let times = clip.timelines.get(timeline).map_or(&[][..], Vec::as_slice);
                self.note_corrected_keys(sampler.output.value(), index, node, times, &at)?;
            }
            clip.channels.push(Channel { node, timeline, interpolation, values });
        }
        clip.properties = self.property_tracks(json, index, values, |input, at| {
            self.timeline(&mut timelines, &mut clip.timelines, input, at)
        })?;
        clip.seconds = clip.timelines.iter().filter_map(|t| t.last()).fold(0.0, |a, &b| b.max(a));
        if clip.channels.is_empty() && clip.properties.is_empty() {
            self.warn(format!(
                "animation {} has no channels that can be played",
                label(json.name.as_ref(), index)
            ));
        }
        Ok(clip)
    }

    /// Returns the index of the timeline for an accessor's key times, and the number of keys. `known` maps accessors to timelines.
    fn timeline(
        &self,
        known: &mut BTreeMap<usize, usize>,
        timelines: &mut Vec<Vec<f32>>,
        accessor: usize,
        at: &str,
    ) -> Result<(usize, usize), ObjectError> {
        if let std::collections::btree_map::Entry::Vacant(entry) = known.entry(accessor) {
            entry.insert(timelines.len());
            timelines.push(self.times(accessor, at)?);
        }
        let timeline = known[&accessor];
        Ok((timeline, timelines[timeline].len()))
    }

    fn times(&self, accessor: usize, at: &str) -> Result<Vec<f32>, ObjectError> {
        let times: Vec<f32> = self.finite::<1>(accessor, at)?.into_iter().map(|[t]| t).collect();
        if times.is_empty() {
            return Err(ObjectError::new(at, "has no keys"));
        }
        if let Some(i) = times.windows(2).position(|w| w[1] < w[0]) {
            let (a, b) = (times[i], times[i + 1]);
            return Err(ObjectError::new(
                format!("{at}[{}]", i + 1),
                format!("time {b} is before the previous time {a}"),
            ));
        }
        Ok(times)
    }

    fn values(
        &self,
        sampler: &Sampler,
        property: Property,
        keys: usize,
        targets: usize,
        at: &str,
    ) -> Result<(Interpolation, Values), ObjectError> {
        let interpolation = match sampler.interpolation {
            Checked::Valid(JsonInterpolation::Step) => Interpolation::Step,
            Checked::Valid(JsonInterpolation::Linear) => Interpolation::Linear,
            Checked::Valid(JsonInterpolation::CubicSpline) => Interpolation::CubicSpline,
            Checked::Invalid => {
                return Err(ObjectError::new(format!("{at}.interpolation"), "value is unknown"));
            }
        };
        let at = format!("{at}.output");
        let output = sampler.output.value();
        let per_key = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        let elements = if property == Property::MorphTargetWeights { targets } else { 1 };
        let needed = keys.saturating_mul(per_key).saturating_mul(elements);
        let count = self.count(output, &at)?;
        if count != needed {
            return Err(ObjectError::new(at, format!("has {count} elements, but {keys} keys need {needed}")));
        }
        let vectors = || -> Result<Vec<Vec3>, ObjectError> {
            Ok(self.finite::<3>(output, &at)?.into_iter().map(Vec3::from).collect())
        };
        let values = match property {
            Property::Translation => Values::Translation(vectors()?),
            Property::Scale => Values::Scale(vectors()?),
            Property::Rotation => Values::Rotation(self.rotations(output, interpolation, &at)?),
            Property::MorphTargetWeights => {
                Values::Weights(self.finite::<1>(output, &at)?.into_iter().map(|[w]| w).collect())
            }
        };
        Ok((interpolation, values))
    }

    /// Records the rotation keys of a channel whose quaternions do not have unit length.
    fn note_corrected_keys(
        &self,
        output: usize,
        clip: usize,
        node: usize,
        times: &[f32],
        at: &str,
    ) -> Result<(), ObjectError> {
        let raw = self.finite::<4>(output, &format!("{at}.output"))?;
        let far = raw.iter().zip(times).filter(|(xyzw, _)| unit_quaternion(**xyzw).1);
        let error = |xyzw: &[f32; 4]| {
            let squares: f64 = xyzw.iter().map(|v| f64::from(*v) * f64::from(*v)).sum();
            #[expect(clippy::cast_possible_truncation, reason = "a measure for a message")]
            let error = (squares.sqrt() - 1.0).abs() as f32;
            error
        };
        let mut keys: Option<CorrectedKeys> = None;
        for (xyzw, &time) in far {
            let known =
                keys.get_or_insert(CorrectedKeys { clip, node, count: 0, span: [time; 2], error: 0.0 });
            known.count += 1;
            known.span[1] = time;
            known.error = known.error.max(error(xyzw));
        }
        self.corrected_keys.borrow_mut().extend(keys);
        Ok(())
    }

    /// Reads rotations. The values and tangents of splines remain unchanged, because sampling normalises the interpolated rotation.
    fn rotations(
        &self,
        output: usize,
        interpolation: Interpolation,
        at: &str,
    ) -> Result<Vec<Quat>, ObjectError> {
        let raw = self.finite::<4>(output, at)?;
        if interpolation == Interpolation::CubicSpline {
            return Ok(raw.into_iter().map(Quat::from_array).collect());
        }
        let mut far_count = 0_usize;
        let normalized = raw.into_iter().map(|xyzw| {
            let (q, is_far) = unit_quaternion(xyzw);
            far_count += usize::from(is_far);
            q
        });
        let rotations = normalized.collect();
        if far_count > 0 {
            self.warn(format!("{at}: {far_count} rotations did not have unit length and were normalised"));
        }
        Ok(rotations)
    }
}
