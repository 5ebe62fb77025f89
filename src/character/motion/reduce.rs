//! Key reduction: drops the keys that interpolation restores within a tolerance.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};

use crate::asset::{Channel, Clip, Interpolation, PropertyTrack, Skeleton, Values};

use super::interpolate::slerp;

/// If the rotation between two successive keys is larger than this, in radians, both keys are kept. A quarter turn is
/// an eighth of a circle on the sphere of unit quaternions. The distance between two arcs of at most this length is
/// therefore at most 1 / cos(π/8) times the distance between their ends.
const MAX_ARC: f32 = std::f32::consts::FRAC_PI_2;
/// The fraction of the tolerance that is used at keys. The remainder is reserved for errors between keys.
const KEY_FRACTION: f32 = 0.9;

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

/// The keys of a linear channel.
struct ChannelKeys<'a> {
    times: &'a [f32],
    values: KeyValues<'a>,
    /// Maximum error of interpolation at a key.
    tolerance: f32,
}

/// The values of the keys, and the value in the rest pose.
enum KeyValues<'a> {
    /// Compared by Euclidean distance.
    Translations(&'a [Vec3], Vec3),
    /// Compared by the largest difference on an axis.
    Scales(&'a [Vec3], Vec3),
    /// Compared by the angle between them.
    Rotations(&'a [Quat], Quat),
    /// Each key has as many weights as the rest pose.
    Weights(&'a [f32], &'a [f32]),
}

impl<'a> ChannelKeys<'a> {
    /// Returns `None` if the channel is not linear or the number of values does not match the number of times.
    fn new(
        channel: &'a Channel,
        times: &'a [f32],
        skeleton: &'a Skeleton,
        tolerance: Tolerance,
    ) -> Option<Self> {
        let node = skeleton.nodes.get(channel.node)?;
        // Under a node that is scaled up, one unit of translation is more than a metre in the world.
        let above = skeleton.ancestors(channel.node).skip(1).filter_map(|above| skeleton.nodes.get(above));
        let scale: f32 = above.map(|node| node.rest.scale.abs().max_element()).product();
        let translation = tolerance.translation / scale.max(1.0);
        let (values, count, tolerance) = match &channel.values {
            Values::Translation(v) => {
                (KeyValues::Translations(v, node.rest.translation), v.len(), translation)
            }
            Values::Scale(v) => (KeyValues::Scales(v, node.rest.scale), v.len(), tolerance.scale),
            Values::Rotation(v) => (KeyValues::Rotations(v, node.rest.rotation), v.len(), tolerance.rotation),
            Values::Weights(v) => {
                let rest = skeleton.rest_weights.get(node.morph_weights.clone())?;
                (KeyValues::Weights(v, rest), v.len() / rest.len().max(1), tolerance.weights)
            }
        };
        let is_supported =
            channel.interpolation == Interpolation::Linear && count == times.len() && count > 0;
        is_supported.then_some(Self { times, values, tolerance: tolerance * KEY_FRACTION })
    }

    fn is_at_rest(&self) -> bool {
        (0..self.times.len()).all(|i| {
            let difference = match &self.values {
                KeyValues::Translations(v, rest) => v[i].distance(*rest),
                KeyValues::Scales(v, rest) => (v[i] - *rest).abs().max_element(),
                KeyValues::Rotations(v, rest) => angle(v[i], *rest),
                KeyValues::Weights(v, rest) => {
                    max_difference(rest.len(), |w| v[i * rest.len() + w] - rest[w])
                }
            };
            difference <= self.tolerance
        })
    }

    /// Returns the indices of the keys to keep, including the first and the last.
    fn required(&self) -> Vec<usize> {
        let last = self.times.len() - 1;
        let mut kept = vec![0];
        let mut forced =
            (0..last).filter(|&i| self.is_fixed_pair(i)).flat_map(|i| [i, i + 1]).chain([last]).peekable();
        let mut from = 0;
        while from < last {
            while forced.next_if(|&i| i <= from).is_some() {}
            let limit = forced.peek().copied().unwrap_or(last);
            let (mut good, mut bad, mut step) = (from + 1, limit + 1, 2);
            while good < limit && bad > limit {
                let next = (from + step).min(limit);
                if self.restores(from, next) {
                    good = next;
                } else {
                    bad = next;
                }
                step *= 2;
            }
            while good < limit && bad - good > 1 {
                let middle = good.midpoint(bad);
                if self.restores(from, middle) {
                    good = middle;
                } else {
                    bad = middle;
                }
            }
            kept.push(good);
            from = good;
        }
        kept
    }

    /// Whether a key and the next one must both be kept: at a jump, and around a rotation larger than [`MAX_ARC`].
    fn is_fixed_pair(&self, key: usize) -> bool {
        self.times[key] == self.times[key + 1]
            || matches!(&self.values, KeyValues::Rotations(v, _) if angle(v[key], v[key + 1]) > MAX_ARC)
    }

    /// Whether interpolation between two keys restores all keys between them.
    fn restores(&self, from: usize, to: usize) -> bool {
        let seconds = self.times[to] - self.times[from];
        (from + 1..to).all(|i| {
            // The same interpolation as `Playhead::sample`.
            let u = (self.times[i] - self.times[from]) / seconds;
            let line = |v: &[Vec3]| v[from] * (1.0 - u) + v[to] * u - v[i];
            let error = match &self.values {
                KeyValues::Translations(v, _) => line(v).length(),
                KeyValues::Scales(v, _) => line(v).abs().max_element(),
                KeyValues::Rotations(v, _) => angle(slerp(v[from], v[to], u), v[i]),
                KeyValues::Weights(v, rest) => {
                    let at = |key: usize, w: usize| v[key * rest.len() + w];
                    max_difference(rest.len(), |w| at(from, w) * (1.0 - u) + at(to, w) * u - at(i, w))
                }
            };
            error <= self.tolerance
        })
    }

    /// Returns the times and values of the keys with the given indices.
    fn select(&self, kept: &[usize]) -> (Vec<f32>, Values) {
        let vectors = |v: &[Vec3]| kept.iter().map(|&i| v[i]).collect();
        let values = match &self.values {
            KeyValues::Translations(v, _) => Values::Translation(vectors(v)),
            KeyValues::Scales(v, _) => Values::Scale(vectors(v)),
            KeyValues::Rotations(v, _) => Values::Rotation(kept.iter().map(|&i| v[i]).collect()),
            KeyValues::Weights(v, rest) => {
                let of = |i: usize| v[i * rest.len()..(i + 1) * rest.len()].iter().copied();
                Values::Weights(kept.iter().flat_map(|&i| of(i)).collect())
            }
        };
        (kept.iter().map(|&i| self.times[i]).collect(), values)
    }
}

/// Returns the angle between two rotations in radians. It is accurate even if they are nearly the same.
fn angle(a: Quat, b: Quat) -> f32 {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    4.0 * (a - b).length().atan2((a + b).length())
}

fn max_difference(count: usize, difference: impl Fn(usize) -> f32) -> f32 {
    (0..count).fold(0.0, |max, w| difference(w).abs().max(max))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::{Node, Transform};
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
