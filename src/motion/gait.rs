//! Measures how a clip walks: its root motion, its foot contacts, and whether it is cyclic.

use crate::asset::{Character, Clip};
use crate::pose::Pose;

use super::clip_sampler::ClipSampler;
use super::contact::{Contact, FootPath, contacts};
use super::locomotion;
use super::locomotion::LocomotionRoot;
use super::planar::PlanarTransform;

/// Samples per second when foot contacts are detected.
pub(super) const RATE: f32 = 60.0;
/// Maximum number of samples of one clip or timeline: ten minutes at [`RATE`].
pub(super) const MAX_SAMPLES: usize = 36_000;
/// A clip is cyclic if the mean angle of its joints between the pose at the start and the pose at the end is less
/// than this, in radians.
const MAX_CYCLE_ANGLE: f32 = 0.1;

/// The root motion and the foot contacts of a clip, and whether it is cyclic.
pub(super) struct Gait {
    /// Root motion from the clip's start to its end.
    pub(super) root_motion: PlanarTransform,
    pub(super) cyclic: bool,
    pub(super) contacts: Vec<Contact>,
}

impl Gait {
    pub(super) fn measure(
        clip: &Clip,
        sampler: &mut ClipSampler,
        character: &Character,
        locomotion: &LocomotionRoot,
        feet: &[usize],
    ) -> Self {
        let skeleton = &character.skeleton;
        let rest = Pose::rest(skeleton);
        let mut sample = |time: f32, pose: &mut Pose| {
            pose.clone_from(&rest);
            sampler.sample(clip, time, skeleton, pose);
        };
        let (mut first, mut last, mut pose) = (rest.clone(), rest.clone(), rest.clone());
        sample(0.0, &mut first);
        sample(clip.seconds, &mut last);
        let (from, to) =
            (locomotion.planar_transform(skeleton, &first), locomotion.planar_transform(skeleton, &last));
        let mut paths: Vec<FootPath> =
            feet.iter().map(|&node| FootPath { node, positions: Vec::new() }).collect();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to a small range"
        )]
        let samples = (clip.seconds * RATE).ceil().clamp(0.0, MAX_SAMPLES as f32) as usize;
        for i in 0..=samples {
            sample(i as f32 / RATE, &mut pose);
            for path in &mut paths {
                path.positions.push(locomotion::position(skeleton, &pose, path.node));
            }
        }
        let pairs = || first.locals.iter().zip(&last.locals).enumerate();
        let animated = clip.channels.iter().map(|c| c.node).collect::<std::collections::BTreeSet<_>>();
        let angles = pairs()
            .filter(|(n, _)| animated.contains(n) && *n != locomotion.root && !locomotion.tops.contains(n));
        let angles: Vec<f32> = angles.map(|(_, (a, b))| a.rotation.angle_between(b.rotation)).collect();
        let mean = angles.iter().sum::<f32>() / (angles.len().max(1) as f32);
        Self {
            root_motion: to.after(from.inverse()),
            cyclic: mean < MAX_CYCLE_ANGLE,
            contacts: if locomotion.height > 0.0 {
                contacts(&paths, 1.0 / RATE, locomotion.height)
            } else {
                Vec::new()
            },
        }
    }
}
