//! Samples a clip, as it is or mirrored.

use std::sync::Arc;

use crate::asset::{Clip, Skeleton};
use crate::pose::{Mirror, Pose};

use super::sample::Playhead;

/// Samples one clip of a strip.
#[derive(Clone, Debug, Default)]
pub(super) struct ClipSampler {
    playhead: Playhead,
    mirrored: Option<MirroredClip>,
}

/// What is needed to mirror a clip.
#[derive(Clone, Debug)]
struct MirroredClip {
    mirror: Arc<Mirror>,
    /// The nodes that the clip animates, in ascending order.
    nodes: Vec<usize>,
    scratch: Pose,
}

impl ClipSampler {
    /// Prepares to sample a clip, mirrored if there is a `mirror`.
    pub(super) fn new(clip: &Clip, mirror: Option<&Arc<Mirror>>) -> Self {
        let mirrored = mirror.map(|mirror| {
            let mut nodes: Vec<usize> = clip.channels.iter().map(|channel| channel.node).collect();
            nodes.sort_unstable();
            nodes.dedup();
            MirroredClip { mirror: Arc::clone(mirror), nodes, scratch: Pose::default() }
        });
        Self { playhead: Playhead::default(), mirrored }
    }

    /// Does the same as [`Playhead::sample`]. The values of a mirrored clip are written to the counterparts of its nodes.
    pub(super) fn sample(&mut self, clip: &Clip, time: f32, skeleton: &Skeleton, pose: &mut Pose) {
        let Self { playhead, mirrored } = self;
        let Some(MirroredClip { mirror, nodes, scratch }) = mirrored else {
            return playhead.sample(clip, time, skeleton, pose);
        };
        scratch.clone_from(pose);
        playhead.sample(clip, time, skeleton, scratch);
        pose.weights.clone_from(&scratch.weights);
        // A node without a counterpart moves as in the clip.
        for &node in nodes.iter().filter(|&&node| mirror.partner(node).is_none()) {
            if let Some((local, sampled)) = pose.locals.get_mut(node).zip(scratch.locals.get(node)) {
                *local = *sampled;
            }
        }
        mirror.copy(skeleton, scratch, nodes.iter().copied(), pose);
    }
}
