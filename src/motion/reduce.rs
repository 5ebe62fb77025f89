//! Fewer keys: those that interpolation restores anyway are dropped.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};

use crate::asset::{Channel, Clip, Interpolation, Skeleton, Values};

use super::interpolate::slerp;

/// Between two arcs of up to a quarter turn whose ends are near each other, the distance grows by no more than
/// 1 / cos(π/8): among unit quaternions a quarter turn is an eighth of a circle.
const LARGEST_STEP: f32 = std::f32::consts::FRAC_PI_2;
/// What of a tolerance is used at keys, so that the rest of it holds between them.
const SHARE: f32 = 0.9;

/// How far a reduced clip may be from the clip that it was made of, at any time. Rounding to single precision comes on
/// top of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Radians.
    pub rotation: f32,
    /// Metres, in the parent's space.
    pub translation: f32,
    /// Factors, on each axis.
    pub scale: f32,
    /// Morph weights, each.
    pub weights: f32,
}

impl Default for Tolerance {
    /// A tenth of a milliradian, a tenth of a millimetre; a ten-thousandth of scales and weights.
    fn default() -> Self {
        Self { rotation: 1e-4, translation: 1e-4, scale: 1e-4, weights: 1e-4 }
    }
}

/// The clip with those keys alone that its linear channels need; what is constant has two. Steps and splines stay as
/// they are. A channel that nowhere leaves rest is dropped, unless another one moves the same.
///
/// Greedy: from each key that is kept on to the farthest one found between which interpolation restores all, by doubling
/// and then halving the distance. It takes n log n steps for n keys, and keeps few keys, not the fewest. Each channel
/// gets the times of its own keys; channels with the same times share them.
///
/// The clip belongs to the skeleton.
pub fn reduce(clip: &Clip, skeleton: &Skeleton, tolerance: Tolerance) -> Clip {
    let mut reduced = Clip { name: clip.name.clone(), seconds: clip.seconds, ..Clip::default() };
    let mut known: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
    let mut movers: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    clip.channels.iter().for_each(|c| *movers.entry(property(c)).or_default() += 1);
    for channel in &clip.channels {
        let Some(times) = clip.timelines.get(channel.timeline) else { continue };
        let (times, values) = match Keys::of(channel, times, skeleton, tolerance) {
            Some(keys) if keys.rest() && movers.get(&property(channel)) == Some(&1) => continue,
            Some(keys) => keys.pick(&keys.needed()),
            None => (times.clone(), channel.values.clone()),
        };
        let timeline = *known.entry(times.iter().map(|t| t.to_bits()).collect()).or_insert_with(|| {
            reduced.timelines.push(times);
            reduced.timelines.len() - 1
        });
        let Channel { node, interpolation, .. } = *channel;
        reduced.channels.push(Channel { node, timeline, interpolation, values });
    }
    reduced
}

/// What a channel moves.
fn property(channel: &Channel) -> (usize, usize) {
    let which = match channel.values {
        Values::Translation(_) => 0,
        Values::Rotation(_) => 1,
        Values::Scale(_) => 2,
        Values::Weights(_) => 3,
    };
    (channel.node, which)
}

/// The keys of a linear channel.
struct Keys<'a> {
    times: &'a [f32],
    values: List<'a>,
    /// How far what is restored may be off at a key.
    tolerance: f32,
}

/// Values, and what they are at rest.
enum List<'a> {
    /// Distances are Euclid's.
    Places(&'a [Vec3], Vec3),
    /// The largest difference on an axis.
    Factors(&'a [Vec3], Vec3),
    Turns(&'a [Quat], Quat),
    /// As many a key as there are at rest.
    Weights(&'a [f32], &'a [f32]),
}

impl<'a> Keys<'a> {
    /// `None`: not linear, or its lists do not belong together.
    fn of(
        channel: &'a Channel,
        times: &'a [f32],
        skeleton: &'a Skeleton,
        tolerance: Tolerance,
    ) -> Option<Self> {
        let node = skeleton.nodes.get(channel.node)?;
        let (values, count, tolerance) = match &channel.values {
            Values::Translation(v) => {
                (List::Places(v, node.rest.translation), v.len(), tolerance.translation)
            }
            Values::Scale(v) => (List::Factors(v, node.rest.scale), v.len(), tolerance.scale),
            Values::Rotation(v) => (List::Turns(v, node.rest.rotation), v.len(), tolerance.rotation),
            Values::Weights(v) => {
                let rest = skeleton.rest_weights.get(node.morph_weights.clone())?;
                (List::Weights(v, rest), v.len() / rest.len().max(1), tolerance.weights)
            }
        };
        let sound = channel.interpolation == Interpolation::Linear && count == times.len() && count > 0;
        sound.then_some(Self { times, values, tolerance: tolerance * SHARE })
    }

    /// Whether all keys are at rest.
    fn rest(&self) -> bool {
        (0..self.times.len()).all(|i| {
            let off = match &self.values {
                List::Places(v, rest) => v[i].distance(*rest),
                List::Factors(v, rest) => (v[i] - *rest).abs().max_element(),
                List::Turns(v, rest) => angle(v[i], *rest),
                List::Weights(v, rest) => farthest(rest.len(), |w| v[i * rest.len() + w] - rest[w]),
            };
            off <= self.tolerance
        })
    }

    /// Which keys to keep, the first and the last among them.
    fn needed(&self) -> Vec<usize> {
        let last = self.times.len() - 1;
        let mut kept = vec![0];
        let mut forced =
            (0..last).filter(|&i| self.stands(i)).flat_map(|i| [i, i + 1]).chain([last]).peekable();
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

    /// Whether a key and the next both stay: a jump, or a turn so large that its arc must stay the same.
    fn stands(&self, key: usize) -> bool {
        self.times[key] == self.times[key + 1]
            || matches!(&self.values, List::Turns(v, _) if angle(v[key], v[key + 1]) > LARGEST_STEP)
    }

    /// Whether two keys restore all keys between them.
    fn restores(&self, from: usize, to: usize) -> bool {
        let seconds = self.times[to] - self.times[from];
        (from + 1..to).all(|i| {
            // As a playhead does it.
            let u = (self.times[i] - self.times[from]) / seconds;
            let line = |v: &[Vec3]| v[from] * (1.0 - u) + v[to] * u - v[i];
            let off = match &self.values {
                List::Places(v, _) => line(v).length(),
                List::Factors(v, _) => line(v).abs().max_element(),
                List::Turns(v, _) => angle(slerp(v[from], v[to], u), v[i]),
                List::Weights(v, rest) => {
                    let of = |key: usize, w: usize| v[key * rest.len() + w];
                    farthest(rest.len(), |w| of(from, w) * (1.0 - u) + of(to, w) * u - of(i, w))
                }
            };
            off <= self.tolerance
        })
    }

    /// Times and values of some keys.
    fn pick(&self, kept: &[usize]) -> (Vec<f32>, Values) {
        let places = |v: &[Vec3]| kept.iter().map(|&i| v[i]).collect();
        let values = match &self.values {
            List::Places(v, _) => Values::Translation(places(v)),
            List::Factors(v, _) => Values::Scale(places(v)),
            List::Turns(v, _) => Values::Rotation(kept.iter().map(|&i| v[i]).collect()),
            List::Weights(v, rest) => {
                let of = |i: usize| v[i * rest.len()..(i + 1) * rest.len()].iter().copied();
                Values::Weights(kept.iter().flat_map(|&i| of(i)).collect())
            }
        };
        (kept.iter().map(|&i| self.times[i]).collect(), values)
    }
}

/// Radians between two rotations; exact also where they are nearly the same.
fn angle(a: Quat, b: Quat) -> f32 {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    4.0 * (a - b).length().atan2((a + b).length())
}

fn farthest(count: usize, difference: impl Fn(usize) -> f32) -> f32 {
    (0..count).fold(0.0, |most, w| difference(w).abs().max(most))
}

#[cfg(test)]
mod tests {
    use super::super::Playhead;
    use super::*;
    use crate::asset::{Node, Transform};
    use crate::pose::Pose;
    use proptest::prelude::*;

    fn skeleton() -> Skeleton {
        let node = Node {
            name: None,
            parent: None,
            children: Vec::new(),
            rest: Transform::IDENTITY,
            mesh: None,
            skin: None,
            morph_weights: 0..2,
        };
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
        }
    }

    fn at(clip: &Clip, time: f32) -> Pose {
        let mut pose = Pose::rest(&skeleton());
        Playhead::default().sample(clip, time, &skeleton(), &mut pose);
        pose
    }

    /// Fails where two clips are farther apart than a tolerance, at keys or between them.
    fn stays_within(a: &Clip, b: &Clip, tolerance: Tolerance) -> Result<(), TestCaseError> {
        let ends =
            a.timelines[0].windows(2).flat_map(|t| (0..=8).map(|i| t[0] + (t[1] - t[0]) * i as f32 / 8.0));
        for time in ends.chain([-1.0, a.seconds, a.seconds + 1.0]) {
            let (p, q) = (at(a, time), at(b, time));
            let ([x], [y]) = (&p.locals[..], &q.locals[..]) else { panic!("one node") };
            let turned = angle(x.rotation, y.rotation);
            prop_assert!(turned <= tolerance.rotation + 1e-6, "{turned} radians at {time}");
            let far = x.translation.distance(y.translation);
            prop_assert!(far <= tolerance.translation + 1e-6, "{far} m at {time}");
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

    /// A walk of small and large steps: what it gains a key is a share of the size.
    fn walk(steps: &[[f32; 4]], size: f32) -> Vec<[f32; 4]> {
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
        fn what_is_left_stays_within_the_tolerance(
            steps in prop::collection::vec(prop::array::uniform4(-1.0_f32..1.0), 1..60),
            gaps in prop::collection::vec(prop_oneof![Just(0.0_f32), 0.001_f32..0.2], 60), size in 0.01_f32..2.0,
            rotation in 1e-4_f32..0.05, translation in 1e-4_f32..0.05
        ) {
            let places = walk(&steps, size);
            let mut time = 0.0;
            let times = gaps.iter().take(places.len()).map(|gap| { time += gap; time }).collect();
            let vector = |p: &[f32; 4]| Vec3::new(p[0], p[1], p[2]);
            let turn = |p: &[f32; 4]| Quat::from_scaled_axis(vector(p) * 1.5) * if p[3] > 0.0 { 1.0 } else { -1.0 };
            let values = vec![
                Values::Translation(places.iter().map(vector).collect()),
                Values::Rotation(places.iter().map(turn).collect()),
                Values::Scale(places.iter().map(|p| vector(p) + Vec3::ONE).collect()),
                Values::Weights(places.iter().flat_map(|p| [p[0], p[3]]).collect()),
            ];
            let clip = clip(times, values);
            let tolerance = Tolerance { rotation, translation, scale: rotation, weights: translation };
            let reduced = reduce(&clip, &skeleton(), tolerance);
            stays_within(&clip, &reduced, tolerance)?;
            prop_assert_eq!(reduced.seconds, clip.seconds);
            for times in &reduced.timelines {
                prop_assert!(times.len() <= clip.timelines[0].len());
            }
        }
    }

    #[test]
    fn a_line_needs_its_ends_and_a_bend_its_corner() {
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
    fn what_rests_is_dropped_unless_it_hides_another() {
        let rest = || Values::Translation(vec![Vec3::ZERO, Vec3::splat(1e-6)]);
        let moved = Values::Translation(vec![Vec3::ZERO, Vec3::X]);
        let alone = clip(vec![0.0, 1.0], vec![rest(), Values::Rotation(vec![Quat::IDENTITY; 2])]);
        let reduced = reduce(&alone, &skeleton(), Tolerance::default());
        assert!(reduced.channels.is_empty());
        assert_eq!(reduced.seconds, 1.0);
        let hiding = clip(vec![0.0, 1.0], vec![moved, rest()]);
        assert_eq!(reduce(&hiding, &skeleton(), Tolerance::default()).channels.len(), 2);
    }

    #[test]
    fn steps_and_splines_stay() {
        let mut stepped = clip(vec![0.0, 1.0, 2.0], vec![Values::Translation(vec![Vec3::ZERO; 3])]);
        stepped.channels[0].interpolation = Interpolation::Step;
        let reduced = reduce(&stepped, &skeleton(), Tolerance::default());
        assert_eq!(reduced.timelines, stepped.timelines);
    }

    /// A line that no key can be dropped from, and one that a single key ends late: both in time.
    #[test]
    fn long_channels_take_no_square_of_their_length() {
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
