//! The keys of a channel that interpolation cannot restore.

use glam::{Quat, Vec3};

use super::Tolerance;
use crate::asset::{Channel, Interpolation, Skeleton, Values};
use crate::motion::interpolate::slerp;

/// If the rotation between two successive keys is larger than this, in radians, both keys are kept. A quarter turn is
/// an eighth of a circle on the sphere of unit quaternions. The distance between two arcs of at most this length is
/// therefore at most 1 / cos(π/8) times the distance between their ends.
const MAX_ARC: f32 = std::f32::consts::FRAC_PI_2;
/// The fraction of the tolerance that is used at keys. The remainder is reserved for errors between keys.
const KEY_FRACTION: f32 = 0.9;

/// The keys of a linear channel.
pub(super) struct ChannelKeys<'a> {
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
    pub(super) fn new(
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

    pub(super) fn is_at_rest(&self) -> bool {
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
    pub(super) fn required(&self) -> Vec<usize> {
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
    pub(super) fn select(&self, kept: &[usize]) -> (Vec<f32>, Values) {
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
pub(super) fn angle(a: Quat, b: Quat) -> f32 {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    4.0 * (a - b).length().atan2((a + b).length())
}

fn max_difference(count: usize, difference: impl Fn(usize) -> f32) -> f32 {
    (0..count).fold(0.0, |max, w| difference(w).abs().max(max))
}
