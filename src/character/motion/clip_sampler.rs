//! Samples a clip, unchanged or mirrored.

use std::sync::Arc;

use crate::asset::{Clip, Skeleton, Transform, Values};
use crate::pose::{Mirror, Pose};

use super::sample::Playhead;

/// Samples one clip of a strip.
#[derive(Clone, Debug, Default)]
pub(super) struct ClipSampler {
    playhead: Playhead,
    mirrored: Option<MirroredClip>,
}

/// The data needed to mirror a clip.
#[derive(Clone, Debug)]
struct MirroredClip {
    mirror: Arc<Mirror>,
    /// The nodes that the clip animates, in ascending order.
    nodes: Vec<AnimatedNode>,
    scratch: Pose,
}

/// A node of a clip, and the parts of its transform that the clip animates.
#[derive(Clone, Copy, Debug)]
struct AnimatedNode {
    node: usize,
    translation: bool,
    rotation: bool,
    scale: bool,
}

impl AnimatedNode {
    fn of(clip: &Clip, node: usize) -> Self {
        let has = |is_kind: fn(&Values) -> bool| {
            clip.channels.iter().any(|channel| channel.node == node && is_kind(&channel.values))
        };
        Self {
            node,
            translation: has(|values| matches!(values, Values::Translation(_))),
            rotation: has(|values| matches!(values, Values::Rotation(_))),
            scale: has(|values| matches!(values, Values::Scale(_))),
        }
    }

    /// Restores the parts of a transform that the clip does not animate.
    fn keep(self, before: &Transform, local: &mut Transform) {
        if !self.translation {
            local.translation = before.translation;
        }
        if !self.rotation {
            local.rotation = before.rotation;
        }
        if !self.scale {
            local.scale = before.scale;
        }
    }
}

impl ClipSampler {
    /// Prepares to sample a clip, mirrored if `mirror` is given.
    pub(super) fn new(clip: &Clip, mirror: Option<&Arc<Mirror>>) -> Self {
        let mirrored = mirror.map(|mirror| {
            let mut nodes: Vec<usize> = clip.channels.iter().map(|channel| channel.node).collect();
            nodes.sort_unstable();
            nodes.dedup();
            let nodes = nodes.into_iter().map(|node| AnimatedNode::of(clip, node)).collect();
            MirroredClip { mirror: Arc::clone(mirror), nodes, scratch: Pose::default() }
        });
        Self { playhead: Playhead::default(), mirrored }
    }

    /// Samples like [`Playhead::sample`]. The values of a mirrored clip are written to the counterparts of its nodes. Parts without a
    /// channel, such as the rotation of a node that the clip only translates, are not changed.
    pub(super) fn sample(&mut self, clip: &Clip, time: f32, skeleton: &Skeleton, pose: &mut Pose) {
        let Self { playhead, mirrored } = self;
        let Some(MirroredClip { mirror, nodes, scratch }) = mirrored else {
            return playhead.sample(clip, time, skeleton, pose);
        };
        scratch.clone_from(pose);
        playhead.sample(clip, time, skeleton, scratch);
        pose.weights.clone_from(&scratch.weights);
        for &animated in &*nodes {
            // A node without a counterpart moves as it does in the clip.
            let partner = mirror.partner(animated.node);
            let written = partner.unwrap_or(animated.node);
            let Some(before) = pose.locals.get(written).copied() else { continue };
            match partner {
                Some(_) => mirror.copy(skeleton, scratch, [animated.node], pose),
                None => pose.locals[written] = scratch.locals[written],
            }
            animated.keep(&before, &mut pose.locals[written]);
        }
    }
}
