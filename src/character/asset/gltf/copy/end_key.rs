//! Keys at the ends of clips. glTF stores the length of a clip only as the time of its last key.

use std::borrow::Cow;

use glam::{Quat, Vec3};

use crate::asset::{Channel, Clip, Interpolation, Skeleton, Values};

/// Returns a clip that has a channel with a key at its end. If no channel lasts until the end, one of them repeats its last value there. A
/// clip without channels, which glTF does not allow, gets the rest rotation of the node `held`.
///
/// Only channels of the first `nodes` nodes are considered, because no others are written.
pub(super) fn with_end_key<'a>(
    clip: &'a Clip,
    skeleton: &Skeleton,
    nodes: usize,
    held: usize,
) -> Cow<'a, Clip> {
    let keys = |channel: &Channel| clip.timelines.get(channel.timeline).filter(|_| channel.node < nodes);
    let lasts = |times: &Vec<f32>| times.last().is_some_and(|last| *last >= clip.seconds);
    if clip.channels.iter().filter_map(keys).any(lasts) {
        return Cow::Borrowed(clip);
    }
    let mut long = clip.clone();
    let timeline = long.timelines.len();
    let fewest = long.channels.iter_mut().filter_map(|channel| Some((keys(channel)?, channel)));
    match fewest.filter(|(times, _)| !times.is_empty()).min_by_key(|(times, _)| times.len()) {
        Some((times, channel)) => {
            hold(channel, times.len());
            channel.timeline = timeline;
            long.timelines.push(times.iter().copied().chain([clip.seconds]).collect());
        }
        None => {
            let Some(node) = skeleton.nodes.get(held).filter(|_| held < nodes) else {
                return Cow::Borrowed(clip);
            };
            let times = if clip.seconds > 0.0 { vec![0.0, clip.seconds] } else { vec![0.0] };
            let values = Values::Rotation(vec![node.rest.rotation; times.len()]);
            long.timelines.push(times);
            let interpolation = Interpolation::Linear;
            long.channels.push(Channel { node: held, timeline, interpolation, values });
        }
    }
    Cow::Owned(long)
}

/// Appends a key that repeats the last of `keys` keys.
fn hold(channel: &mut Channel, keys: usize) {
    let cubic = channel.interpolation == Interpolation::CubicSpline;
    match &mut channel.values {
        Values::Translation(values) | Values::Scale(values) => repeat_last(values, keys, cubic, Vec3::ZERO),
        Values::Rotation(values) => repeat_last(values, keys, cubic, Quat::from_array([0.0; 4])),
        Values::Weights(values) => repeat_last(values, keys, cubic, 0.0),
    }
}

/// Repeats the values of the last key. The tangents of a cubic spline are zero between the two keys.
fn repeat_last<V: Copy>(values: &mut Vec<V>, keys: usize, cubic: bool, zero: V) {
    let width = values.len() / keys;
    let tangent = if cubic { width / 3 } else { 0 };
    let end = values.len();
    values.extend_from_within(end - width..);
    values[end - tangent..end + tangent].fill(zero);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::mannequin;

    fn channel(node: usize, interpolation: Interpolation, values: Values) -> Channel {
        Channel { node, timeline: 0, interpolation, values }
    }

    /// Regression: a clip in which nothing moves was written without channels, and lost its length.
    #[test]
    fn a_still_clip_keeps_its_length() {
        let skeleton = mannequin().unwrap().skeleton;
        let still = Clip { seconds: 1.5, ..Clip::default() };
        let held = with_end_key(&still, &skeleton, skeleton.nodes.len(), 0);
        assert_eq!((held.channels.len(), &held.timelines[0][..]), (1, &[0.0, 1.5][..]));
        let pose = |seconds| with_end_key(&Clip { seconds, ..Clip::default() }, &skeleton, 9, 3).into_owned();
        assert_eq!((pose(0.0).timelines, pose(0.0).channels[0].node), (vec![vec![0.0]], 3));
    }

    #[test]
    fn a_channel_holds_its_last_value_to_the_end() {
        let skeleton = mannequin().unwrap().skeleton;
        let turns = [0.0, 0.4].map(Quat::from_rotation_y);
        let zero = Quat::from_array([0.0; 4]);
        let linear = channel(2, Interpolation::Linear, Values::Rotation(turns.to_vec()));
        let splines = vec![zero, turns[0], zero, zero, turns[1], Quat::from_rotation_x(2.0)];
        let cubic = channel(2, Interpolation::CubicSpline, Values::Rotation(splines));
        for (is_cubic, moving) in [(false, linear), (true, cubic)] {
            let clip = Clip {
                seconds: 3.0,
                timelines: vec![vec![0.0, 1.0]],
                channels: vec![moving],
                ..Clip::default()
            };
            let long = with_end_key(&clip, &skeleton, 9, 0);
            assert_eq!(long.timelines[long.channels[0].timeline], [0.0, 1.0, 3.0]);
            let Values::Rotation(values) = &long.channels[0].values else { panic!("rotations") };
            let expected = [zero, turns[1], zero, zero, turns[1]];
            let expected = if is_cubic { &expected[..] } else { &[turns[0], turns[1], turns[1]] };
            assert_eq!(&values[if is_cubic { 3..8 } else { 0..3 }], expected);
            // A clip that ends at its last key is written unchanged.
            let clip = Clip { seconds: 1.0, ..clip };
            assert!(matches!(with_end_key(&clip, &skeleton, 9, 0), Cow::Borrowed(_)));
        }
    }
}
