//! Measures the gait of a clip: its root motion, its foot contacts, and whether it is cyclic.

use crate::asset::{Character, Clip};
use crate::pose::Pose;

use super::clip_sampler::ClipSampler;
use super::contact::{Contact, FootPath, contacts};
use super::locomotion;
use super::locomotion::LocomotionRoot;
use super::planar::PlanarTransform;

/// Sample rate for the detection of foot contacts, in samples per second.
pub(super) const RATE: f32 = 60.0;
/// Maximum number of samples of one clip or timeline: ten minutes at [`RATE`].
pub(super) const MAX_SAMPLES: usize = 36_000;
/// A clip is cyclic if its joints rotate by less than this on average between its first and its last pose, in radians.
const MAX_CYCLE_ANGLE: f32 = 0.1;
/// The search for contacts of a cyclic clip extends this far beyond its start and its end, in seconds, because a contact may
/// continue across the seam.
const MARGIN: f32 = 0.25;

/// The root motion and the foot contacts of a clip, and whether it is cyclic.
#[derive(Clone, Debug, Default)]
pub(super) struct Gait {
    /// Root motion from the clip's start to its end.
    pub(super) root_motion: PlanarTransform,
    pub(super) cyclic: bool,
    /// Contacts within the clip. A contact across the seam of a cycle is split into two.
    pub(super) contacts: Vec<Contact>,
    /// Foot strikes in ascending order: the time in the clip, in seconds, and the foot's node.
    pub(super) strikes: Vec<(f32, usize)>,
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
        let root_motion = to.after(from.inverse());
        let cyclic = mean_angle(clip, locomotion, &first, &last) < MAX_CYCLE_ANGLE;
        let (seconds, margin) = (clip.seconds, if cyclic { MARGIN.min(clip.seconds) } else { 0.0 });
        let mut paths: Vec<FootPath> =
            feet.iter().map(|&node| FootPath { node, positions: Vec::new() }).collect();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to a small range"
        )]
        let samples = ((seconds + 2.0 * margin) * RATE).ceil().clamp(0.0, MAX_SAMPLES as f32) as usize;
        for i in 0..=samples {
            let time = i as f32 / RATE - margin;
            let cycles = if margin > 0.0 { (time / seconds).floor() } else { 0.0 };
            sample(time - cycles * seconds, &mut pose);
            let earlier = root_motion.times(f64::from(cycles));
            for path in &mut paths {
                let position = locomotion::position(skeleton, &pose, path.node);
                path.positions.push(earlier.transform_point(position));
            }
        }
        let found = if locomotion.height > 0.0 {
            contacts(&paths, 1.0 / RATE, locomotion.height)
        } else {
            Vec::new()
        };
        let found = || found.iter().map(|c| Contact { from: c.from - margin, to: c.to - margin, ..*c });
        // In a cyclic clip, a foot that already stands at the first sample struck the ground earlier.
        let strikes =
            found().filter(|c| margin <= 0.0 || c.from > -margin && (0.0..seconds).contains(&c.from));
        let mut strikes: Vec<(f32, usize)> = strikes.map(|c| (c.from, c.node)).collect();
        strikes.sort_by(|a, b| a.0.total_cmp(&b.0));
        let contacts = found().map(|c| Contact { from: c.from.max(0.0), to: c.to.min(seconds), ..c });
        let contacts = contacts.filter(|c| c.from <= c.to).collect();
        Self { root_motion, cyclic, contacts, strikes }
    }
}

/// Returns the mean angle between two poses of the animated joints below the root, in radians.
fn mean_angle(clip: &Clip, locomotion: &LocomotionRoot, first: &Pose, last: &Pose) -> f32 {
    let animated = clip.channels.iter().map(|c| c.node).collect::<std::collections::BTreeSet<_>>();
    let is_below = |n: &usize| animated.contains(n) && *n != locomotion.root && !locomotion.tops.contains(n);
    let pairs = first.locals.iter().zip(&last.locals).enumerate().filter(|(n, _)| is_below(n));
    let angles: Vec<f32> = pairs.map(|(_, (a, b))| a.rotation.angle_between(b.rotation)).collect();
    angles.iter().sum::<f32>() / (angles.len().max(1) as f32)
}
