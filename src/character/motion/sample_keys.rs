//! Samples key poses at a given time.

use crate::asset::Skeleton;
use crate::pose::Pose;

use super::PoseKey;
use super::blend::{blend, blend_local};

/// Writes the pose defined by the keys at a time in seconds. The first key also applies before its time, and the last key after its time.
/// `other` is a scratch buffer. Without keys, the pose is unchanged.
pub(super) fn sample(keys: &[PoseKey], skeleton: &Skeleton, time: f32, pose: &mut Pose, other: &mut Pose) {
    if keys.iter().any(|key| key.partial || !key.easings.is_empty()) {
        return sample_partial(keys, skeleton, time, pose, other);
    }
    let after = keys.partition_point(|key| key.time <= time);
    let (before, next) = (after.checked_sub(1).and_then(|i| keys.get(i)), keys.get(after));
    match (before, next) {
        (Some(a), Some(b)) => {
            a.write(skeleton, pose);
            let weight = a.easing.weight((time - a.time) / (b.time - a.time));
            if weight > 0.0 {
                b.write(skeleton, other);
                blend(pose, other, weight);
            }
        }
        (Some(only), None) | (None, Some(only)) => only.write(skeleton, pose),
        (None, None) => {}
    }
}

/// For a slot of a pose, the indices of the nearest keys that contain it: the last one before a time and the first one after it.
#[derive(Clone, Copy, Debug, Default)]
struct Around {
    before: Option<usize>,
    after: Option<usize>,
}

/// Writes the pose defined by the keys at a time. The keys may contain only some of the joints. Each joint is interpolated between the
/// nearest keys that contain it. A joint that no key contains gets its rest pose.
fn sample_partial(keys: &[PoseKey], skeleton: &Skeleton, time: f32, pose: &mut Pose, other: &mut Pose) {
    let middle = keys.partition_point(|key| key.time <= time);
    pose.reset(skeleton);
    other.reset(skeleton);
    // The last slot is used for the morph weights.
    let mut slots = vec![Around::default(); pose.locals.len() + 1];
    let (before, after) = keys.split_at(middle);
    let before = before.iter().enumerate().rev();
    gather(before, pose, &mut slots, |slot| &mut slot.before);
    let after = after.iter().enumerate().map(|(index, key)| (middle + index, key));
    gather(after, other, &mut slots, |slot| &mut slot.after);
    let weight = |a: usize, b: usize, joint: Option<usize>| {
        let (a, b) = (keys.get(a)?, keys.get(b)?);
        let easing = joint.map_or(a.easing, |joint| a.easing_of(joint));
        Some(easing.weight((time - a.time) / (b.time - a.time)))
    };
    let nodes = pose.locals.iter_mut().zip(&other.locals).enumerate();
    for ((node, (now, next)), slot) in nodes.zip(&slots) {
        match (slot.before, slot.after) {
            (Some(a), Some(b)) => blend_local(now, next, weight(a, b, Some(node)).unwrap_or_default()),
            (None, Some(_)) => *now = *next,
            _ => {}
        }
    }
    match slots.last().map(|slot| (slot.before, slot.after)) {
        Some((Some(a), Some(b))) => {
            let weight = weight(a, b, None).unwrap_or_default();
            for (now, next) in pose.weights.iter_mut().zip(&other.weights) {
                *now += (next - *now) * weight;
            }
        }
        Some((None, Some(_))) => pose.weights.clone_from(&other.weights),
        _ => {}
    }
}

/// For each slot, finds the first of the given keys that contains it, and stores that key's value in the pose.
fn gather<'a>(
    keys: impl Iterator<Item = (usize, &'a PoseKey)>,
    pose: &mut Pose,
    slots: &mut [Around],
    of: impl Fn(&mut Around) -> &mut Option<usize>,
) {
    let Some((morphs, nodes)) = slots.split_last_mut() else { return };
    for (index, key) in keys {
        for (node, local) in &key.joints {
            let Some(slot) = nodes.get_mut(*node).map(&of) else { continue };
            if slot.is_none_or(|known| known == index) {
                *slot = Some(index);
                if let Some(value) = pose.locals.get_mut(*node) {
                    *value = *local;
                }
            }
        }
        let morphs = of(morphs);
        if morphs.is_none() && (!key.partial || !key.morphs.is_empty()) {
            *morphs = Some(index);
            if key.morphs.len() == pose.weights.len() {
                pose.weights.copy_from_slice(&key.morphs);
            }
        }
        if !key.partial {
            // All joints for which no key has been found yet have their rest pose in this key.
            nodes.iter_mut().map(&of).for_each(|slot| *slot = slot.or(Some(index)));
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::asset::mannequin;

    /// Both ways to sample keys of the whole character give bit-identical poses.
    #[test]
    fn keys_of_all_joints_are_sampled_alike() {
        let skeleton = mannequin().unwrap().skeleton;
        let key = |(time, angle): (f32, f32)| {
            let mut pose = Pose::rest(&skeleton);
            pose.locals[10].rotation *= Quat::from_rotation_x(angle);
            PoseKey::new(time, &pose, &skeleton)
        };
        let keys = [(0.0, 0.2), (1.0, 1.0), (2.5, -0.4)].map(key);
        for time in [-1.0, 0.0, 0.3, 1.0, 1.7, 2.5, 9.0] {
            let [mut quick, mut other, mut sparse] = [(); 3].map(|()| Pose::rest(&skeleton));
            sample(&keys, &skeleton, time, &mut quick, &mut other);
            sample_partial(&keys, &skeleton, time, &mut sparse, &mut other);
            assert_eq!(quick, sparse, "at {time}");
        }
    }
}
