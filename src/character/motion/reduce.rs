//! Key reduction: drops the keys that interpolation restores within a tolerance.

use std::collections::BTreeMap;

use crate::asset::{Channel, Clip, PropertyTrack, Skeleton, Values};

mod keys;

use keys::ChannelKeys;

/// Maximum difference between a reduced clip and the original clip at any time, apart from rounding to single
/// precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Angle in radians.
    pub rotation: f32,
    /// Distance in metres, measured in the rest pose. It applies in the parent's space and in world space.
    pub translation: f32,
    /// Difference of the scale factor on each axis.
    pub scale: f32,
    /// Difference of each morph weight.
    pub weights: f32,
}

impl Default for Tolerance {
    /// Returns 0.1 milliradians, 0.1 millimetres, and 0.0001 for scales and weights.
    fn default() -> Self {
        Self { rotation: 1e-4, translation: 1e-4, scale: 1e-4, weights: 1e-4 }
    }
}

/// Removes keys of linear channels if interpolation can restore them. A constant channel keeps two keys. Step and cubic spline channels are
/// not changed. A channel that never leaves the rest pose is dropped, unless another channel animates the same property.
///
/// The algorithm is greedy. From each kept key, it finds the farthest key that still lets interpolation restore all keys in between. It
/// doubles the search distance first and then bisects. This takes O(n log n) steps for n keys. The result has few keys, but not always the
/// smallest possible number. Each channel has its own key times, and channels with equal times share a timeline.
///
/// The clip must belong to the skeleton.
///
/// ```
/// use sinew_character::asset;
/// use sinew_character::motion::{Tolerance, reduce};
///
/// let character = asset::mannequin()?;
/// let walk = &character.clips[2];
/// let tolerance = Tolerance { rotation: 0.01, translation: 0.001, ..Tolerance::default() };
/// let reduced = reduce(walk, &character.skeleton, tolerance);
/// let keys = |clip: &asset::Clip| {
///     clip.channels.iter().map(|channel| clip.timelines[channel.timeline].len()).sum::<usize>()
/// };
/// assert!(keys(&reduced) < keys(walk) / 2);
/// assert_eq!(reduced.seconds, walk.seconds);
/// # Ok::<(), asset::LoadError>(())
/// ```
pub fn reduce(clip: &Clip, skeleton: &Skeleton, tolerance: Tolerance) -> Clip {
    let mut reduced = Clip { name: clip.name.clone(), seconds: clip.seconds, ..Clip::default() };
    let mut timelines: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
    let mut channel_counts: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    clip.channels.iter().for_each(|c| *channel_counts.entry(property(c)).or_default() += 1);
    for channel in &clip.channels {
        let Some(times) = clip.timelines.get(channel.timeline) else { continue };
        let (times, values) = match ChannelKeys::new(channel, times, skeleton, tolerance) {
            Some(keys) if keys.is_at_rest() && channel_counts.get(&property(channel)) == Some(&1) => continue,
            Some(keys) => keys.select(&keys.required()),
            None => (times.clone(), channel.values.clone()),
        };
        let timeline = *timelines.entry(times.iter().map(|t| t.to_bits()).collect()).or_insert_with(|| {
            reduced.timelines.push(times);
            reduced.timelines.len() - 1
        });
        let Channel { node, interpolation, .. } = *channel;
        reduced.channels.push(Channel { node, timeline, interpolation, values });
    }
    for track in &clip.properties {
        let Some(times) = clip.timelines.get(track.timeline) else { continue };
        let timeline = *timelines.entry(times.iter().map(|t| t.to_bits()).collect()).or_insert_with(|| {
            reduced.timelines.push(times.clone());
            reduced.timelines.len() - 1
        });
        reduced.properties.push(PropertyTrack { timeline, ..track.clone() });
    }
    reduced
}

/// Returns the property that a channel animates, as its node and a number for the kind of value.
fn property(channel: &Channel) -> (usize, usize) {
    let kind = match channel.values {
        Values::Translation(_) => 0,
        Values::Rotation(_) => 1,
        Values::Scale(_) => 2,
        Values::Weights(_) => 3,
    };
    (channel.node, kind)
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::keys::angle;
    use super::*;
    use crate::asset::{Interpolation, Node, Transform};
    use crate::motion::Playhead;
    use crate::pose::Pose;
    use proptest::prelude::*;

    fn skeleton() -> Skeleton {
        let node = Node { morph_weights: 0..2, ..Node::unnamed(None, Transform::IDENTITY) };
        Skeleton {
            nodes: vec![node],
            parents_first: vec![(0, None)],
            rest_weights: vec![0.0; 2],
            ..Skeleton::default()
        }
    }

    fn clip(times: Vec<f32>, values: Vec<Values>) -> Clip {
        let channel = |values| Channel { node: 0, timeline: 0, interpolation: Interpolation::Linear, values };
        let seconds = times.last().copied().unwrap_or(0.0);
        Clip {
            name: None,
            seconds,
            timelines: vec![times],
            channels: values.into_iter().map(channel).collect(),
            ..Clip::default()
        }
    }

    fn at(clip: &Clip, time: f32) -> Pose {
        let mut pose = Pose::rest(&skeleton());
        Playhead::default().sample(clip, time, &skeleton(), &mut pose);
        pose
    }

    /// Fails if two clips differ by more than a tolerance, at keys or between them.
    fn check_within(a: &Clip, b: &Clip, tolerance: Tolerance) -> Result<(), TestCaseError> {
        let ends =
            a.timelines[0].windows(2).flat_map(|t| (0..=8).map(|i| t[0] + (t[1] - t[0]) * i as f32 / 8.0));
        for time in ends.chain([-1.0, a.seconds, a.seconds + 1.0]) {
            let (p, q) = (at(a, time), at(b, time));
            let ([x], [y]) = (&p.locals[..], &q.locals[..]) else { panic!("one node") };
            let angle = angle(x.rotation, y.rotation);
            prop_assert!(angle <= tolerance.rotation + 1e-6, "{angle} radians at {time}");
            let distance = x.translation.distance(y.translation);
            prop_assert!(distance <= tolerance.translation + 1e-6, "{distance} m at {time}");
            prop_assert!(
                (x.scale - y.scale).abs().max_element() <= tolerance.scale + 1e-6,
                "scale at {time}"
            );
            for (x, y) in p.weights.iter().zip(&q.weights) {
                prop_assert!((x - y).abs() <= tolerance.weights + 1e-6, "weights at {time}");
            }
        }
        Ok(())
    }

    /// A random walk of small and large steps. `size` is the largest step.
    fn random_walk(steps: &[[f32; 4]], size: f32) -> Vec<[f32; 4]> {
        let mut sum = [0.0; 4];
        let add = |step: &[f32; 4]| {
            sum.iter_mut().zip(step).for_each(|(s, x)| *s += x.powi(5) * size);
            sum
        };
        steps.iter().map(add).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn a_reduced_clip_stays_within_the_tolerance(
            steps in prop::collection::vec(prop::array::uniform4(-1.0_f32..1.0), 1..60),
            gaps in prop::collection::vec(prop_oneof![Just(0.0_f32), 0.001_f32..0.2], 60), size in 0.01_f32..2.0,
            rotation in 1e-4_f32..0.05, translation in 1e-4_f32..0.05
        ) {
            let values = random_walk(&steps, size);
            let mut time = 0.0;
            let times = gaps.iter().take(values.len()).map(|gap| { time += gap; time }).collect();
            let vector = |p: &[f32; 4]| Vec3::new(p[0], p[1], p[2]);
            let turn = |p: &[f32; 4]| Quat::from_scaled_axis(vector(p) * 1.5) * if p[3] > 0.0 { 1.0 } else { -1.0 };
            let values = vec![
                Values::Translation(values.iter().map(vector).collect()),
                Values::Rotation(values.iter().map(turn).collect()),
                Values::Scale(values.iter().map(|p| vector(p) + Vec3::ONE).collect()),
                Values::Weights(values.iter().flat_map(|p| [p[0], p[3]]).collect()),
            ];
            let clip = clip(times, values);
            let tolerance = Tolerance { rotation, translation, scale: rotation, weights: translation };
            let reduced = reduce(&clip, &skeleton(), tolerance);
            check_within(&clip, &reduced, tolerance)?;
            prop_assert_eq!(reduced.seconds, clip.seconds);
            for times in &reduced.timelines {
                prop_assert!(times.len() <= clip.timelines[0].len());
            }
        }
    }

    #[test]
    fn a_line_keeps_its_ends_and_a_bend_its_corner() {
        let times: Vec<f32> = (0..101).map(|i| i as f32 / 100.0).collect();
        let bend = |i: usize| Vec3::X * if i < 30 { i as f32 } else { 60.0 - i as f32 };
        let turn =
            |i: usize| Quat::from_rotation_y(i as f32 * 0.01) * if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        let values = vec![
            Values::Translation((0..101).map(bend).collect()),
            Values::Rotation((0..101).map(turn).collect()),
            Values::Scale(vec![Vec3::splat(2.0); 101]),
        ];
        let clip = clip(times, values);
        let reduced = reduce(&clip, &skeleton(), Tolerance::default());
        let keys: Vec<_> = reduced.channels.iter().map(|c| reduced.timelines[c.timeline].len()).collect();
        assert_eq!(keys, [3, 2, 2]);
        assert_eq!(reduced.timelines, [vec![0.0, 0.3, 1.0], vec![0.0, 1.0]]);
    }

    #[test]
    fn a_channel_at_rest_is_dropped_unless_it_overrides_another() {
        let rest = || Values::Translation(vec![Vec3::ZERO, Vec3::splat(1e-6)]);
        let moved = Values::Translation(vec![Vec3::ZERO, Vec3::X]);
        let alone = clip(vec![0.0, 1.0], vec![rest(), Values::Rotation(vec![Quat::IDENTITY; 2])]);
        let reduced = reduce(&alone, &skeleton(), Tolerance::default());
        assert!(reduced.channels.is_empty());
        assert_eq!(reduced.seconds, 1.0);
        let overriding = clip(vec![0.0, 1.0], vec![moved, rest()]);
        assert_eq!(reduce(&overriding, &skeleton(), Tolerance::default()).channels.len(), 2);
    }

    #[test]
    fn a_step_channel_is_not_reduced() {
        let mut stepped = clip(vec![0.0, 1.0, 2.0], vec![Values::Translation(vec![Vec3::ZERO; 3])]);
        stepped.channels[0].interpolation = Interpolation::Step;
        let reduced = reduce(&stepped, &skeleton(), Tolerance::default());
        assert_eq!(reduced.timelines, stepped.timelines);
    }

    /// Both extreme cases must be fast: a channel in which every key is needed, and a channel that is constant up to
    /// a late key.
    #[test]
    fn reduction_time_is_not_quadratic() {
        let count = 400_000;
        let times: Vec<f32> = (0..count).map(|i| i as f32).collect();
        let jagged = (0..count).map(|i| Vec3::X * (i % 2) as f32).collect();
        let mut straight = vec![Vec3::ONE; count];
        straight[count - 2] = Vec3::ZERO;
        let clip = clip(times, vec![Values::Translation(jagged), Values::Scale(straight)]);
        let start = std::time::Instant::now();
        let reduced = reduce(&clip, &skeleton(), Tolerance::default());
        assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
        let keys: Vec<_> = reduced.channels.iter().map(|c| reduced.timelines[c.timeline].len()).collect();
        assert_eq!(keys, [count, 4]);
    }
}
