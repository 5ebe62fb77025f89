//! Samples poses from all clips of a character.

use glam::Affine3A;

use crate::asset::Character;
use crate::motion::Playhead;
use crate::pose::{Pose, world_matrices};

/// Total number of samples over all clips.
const SAMPLES: usize = 256;

/// Samples all clips and calls `visit` for each sample with the clip's index, the pose, and the world matrices of the
/// nodes.
pub(super) fn each_pose(character: &Character, mut visit: impl FnMut(usize, &Pose, &[Affine3A])) {
    let skeleton = &character.skeleton;
    let (mut pose, mut world) = (Pose::rest(skeleton), Vec::new());
    let each = SAMPLES / character.clips.len().clamp(1, SAMPLES);
    for (index, clip) in character.clips.iter().enumerate().take(SAMPLES) {
        let mut playhead = Playhead::default();
        for i in 0..each {
            #[expect(clippy::cast_precision_loss, reason = "few samples")]
            let time = clip.seconds * i as f32 / each as f32;
            pose.reset(skeleton);
            playhead.sample(clip, time, skeleton, &mut pose);
            world_matrices(skeleton, &pose, &mut world);
            visit(index, &pose, &world);
        }
    }
}
