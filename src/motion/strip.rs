//! Prepares a clip strip for playback: synchronizes and aligns its clips.

use crate::asset::{Character, Clip};
use crate::pose::Pose;

use super::blend::blend;
use super::contact::{Contact, FootPath, contacts};
use super::locomotion;
use super::locomotion::LocomotionRoot;
use super::planar::PlanarTransform;
use super::sample::Playhead;
use super::timeline::{RootMotion, Strip};
use super::warp::{FootStrikes, Warp, warps};

/// Samples per second when foot contacts are detected.
pub(super) const RATE: f32 = 60.0;
/// Maximum number of samples of one clip or timeline: ten minutes at [`RATE`].
pub(super) const MAX_SAMPLES: usize = 36_000;
/// A clip is cyclic if the mean angle of its joints between the pose at the start and the pose at the end is less
/// than this, in radians.
const MAX_CYCLE_ANGLE: f32 = 0.1;

/// A clip in the blend of a strip.
#[derive(Clone, Debug)]
struct BlendedClip {
    clip: usize,
    /// Normalized: the weights of a strip sum to one.
    weight: f32,
    warp: Warp,
    /// Transform that moves the start of the clip to the start of the strip's first clip.
    alignment: PlanarTransform,
    /// Root motion from the clip's start to its end.
    root_motion: PlanarTransform,
    contacts: Vec<Contact>,
    /// Times of foot strikes in clip seconds, with the foot's node. Empty for a clip that is not cyclic.
    strikes: Vec<(f32, usize)>,
    playhead: Playhead,
}

/// A strip with synchronized and aligned clips.
#[derive(Clone, Debug)]
pub(super) struct PreparedStrip {
    pub(super) start: f32,
    pub(super) length: f32,
    /// Transform that moves the strip so that it starts where the previous strip has left the character.
    pub(super) placement: PlanarTransform,
    from: f64,
    speed: f64,
    looping: bool,
    root_motion: RootMotion,
    /// Length of one cycle of the blend, in clip seconds.
    cycle: f64,
    /// Whether the clips continue at their start after their end.
    wraps: bool,
    blended: Vec<BlendedClip>,
    scratch: Pose,
}

impl PreparedStrip {
    /// Prepares a strip. Returns `None` if the strip has no clip.
    pub(super) fn new(
        strip: &Strip,
        character: &Character,
        locomotion: &LocomotionRoot,
        feet: &[usize],
    ) -> Option<Self> {
        let clips = &character.clips;
        let cycle = f64::from(strip.cycle_seconds(clips));
        let speed = f64::from(strip.speed);
        let backwards = speed < 0.0 && strip.from == 0.0;
        let mut prepared = Self {
            start: strip.start,
            length: strip.length(clips),
            placement: PlanarTransform::default(),
            from: if backwards { cycle } else { f64::from(strip.from) },
            speed,
            looping: strip.looping,
            root_motion: strip.root_motion,
            cycle,
            wraps: strip.looping,
            blended: Vec::new(),
            scratch: Pose::default(),
        };
        let weights: Vec<(usize, f32)> = strip.normalized_weights(clips).collect();
        let mut steps = Vec::with_capacity(weights.len());
        for &(clip, weight) in &weights {
            let gait = Gait::measure(&clips[clip], character, locomotion, feet);
            let strikes = gait.contacts.iter().map(|c| (c.from, c.node));
            let mut strikes: Vec<(f32, usize)> = strikes.collect();
            strikes.sort_by(|a, b| a.0.total_cmp(&b.0));
            // If a foot is on the ground both at the end and at the start of a cyclic clip, this is one contact that
            // continues across the end, so its strike is not at the start.
            if gait.cyclic {
                let first = strikes.iter().filter(|s| s.0 <= 0.0).map(|s| s.1).collect::<Vec<_>>();
                let end = clips[clip].seconds - 1.0 / RATE;
                let wraps =
                    |n: usize| gait.contacts.iter().any(|c| c.node == n && c.to >= end && c.from > 0.0);
                strikes.retain(|s| s.0 > 0.0 || !(first.contains(&s.1) && wraps(s.1)));
            }
            let seconds = clips[clip].seconds;
            let cycle = gait.cyclic && seconds > 0.0;
            let cyclic_strikes = if cycle { strikes.clone() } else { Vec::new() };
            steps.push(FootStrikes { weight, seconds, cyclic: gait.cyclic, strikes });
            prepared.blended.push(BlendedClip {
                clip,
                weight,
                warp: Warp::default(),
                alignment: PlanarTransform::default(),
                root_motion: gait.root_motion,
                contacts: gait.contacts,
                strikes: cyclic_strikes,
                playhead: Playhead::default(),
            });
        }
        // Synchronized cycles may start at any phase.
        prepared.wraps |= steps.len() > 1 && steps.iter().all(|s| s.cyclic);
        for (blended, warp) in prepared.blended.iter_mut().zip(warps(&steps)) {
            blended.warp = warp;
        }
        prepared.align(character, locomotion);
        (!prepared.blended.is_empty()).then_some(prepared)
    }

    /// Aligns every clip with the first one at the start of the strip.
    fn align(&mut self, character: &Character, locomotion: &LocomotionRoot) {
        if self.blended.len() < 2 {
            return;
        }
        let (phase, _) = self.phase(0.0);
        let skeleton = &character.skeleton;
        let mut transforms = Vec::with_capacity(self.blended.len());
        for blended in &mut self.blended {
            let clip = &character.clips[blended.clip];
            let mut pose = Pose::rest(skeleton);
            let (time, _) = time_of(blended.warp.phase(phase), clip, self.wraps);
            blended.playhead.sample(clip, time, skeleton, &mut pose);
            transforms.push(locomotion.planar_transform(skeleton, &pose));
        }
        for (blended, transform) in self.blended.iter_mut().zip(&transforms) {
            blended.alignment = transforms[0].after(transform.inverse());
        }
    }

    /// Returns the end of the strip on the timeline, in seconds.
    pub(super) fn end(&self) -> f32 {
        self.start + self.length
    }

    /// Returns the phase within a cycle and the number of completed cycles, `since` seconds after the strip's start.
    fn phase(&self, since: f32) -> (f64, f64) {
        let at = self.from + f64::from(since.clamp(0.0, self.length)) * self.speed;
        if self.cycle <= 0.0 {
            return (0.0, 0.0);
        }
        let phase = at / self.cycle;
        let cycles = if self.looping { phase.floor() } else { 0.0 };
        (phase - cycles, cycles)
    }

    /// Returns the time within the strip, `since` seconds after its start.
    fn time(&self, since: f32) -> StripTime {
        let (phase, cycles) = self.phase(since);
        // The time is computed directly, because a conversion to a phase and back would round it.
        #[expect(clippy::cast_possible_truncation, reason = "clips are single precision")]
        let time =
            (self.from + f64::from(since.clamp(0.0, self.length)) * self.speed - cycles * self.cycle) as f32;
        StripTime { phase, cycles, single: (self.blended.len() == 1).then_some(time), wraps: self.wraps }
    }

    /// Returns the local time of each clip and the number of its completed cycles, `since` seconds after the strip's
    /// start.
    fn times<'a>(&'a self, since: f32, clips: &'a [Clip]) -> impl Iterator<Item = (f32, f64)> + 'a {
        let strip_time = self.time(since);
        self.blended.iter().map(move |blended| strip_time.of_clip(blended, &clips[blended.clip]))
    }

    /// Writes the pose `since` seconds after the strip's start. Properties that the clips do not animate come from
    /// `base`.
    pub(super) fn pose(
        &mut self,
        since: f32,
        character: &Character,
        tops: &[usize],
        base: &Pose,
        out: &mut Pose,
    ) {
        let strip_time = self.time(since);
        let mut weight_sum = 0.0;
        let Self { blended, scratch, placement, root_motion, .. } = self;
        for blended in blended {
            let clip = &character.clips[blended.clip];
            let (time, cycles) = strip_time.of_clip(blended, clip);
            let into = if weight_sum == 0.0 { &mut *out } else { &mut *scratch };
            into.clone_from(base);
            blended.playhead.sample(clip, time, &character.skeleton, into);
            let root_motion = match root_motion {
                RootMotion::Accumulate => blended.root_motion.times(cycles),
                RootMotion::InPlace => blended.root_motion.times(-strip_time.phase),
            };
            placement.after(blended.alignment).after(root_motion).apply(tops, into);
            weight_sum += blended.weight;
            if weight_sum > blended.weight {
                blend(out, scratch, blended.weight / weight_sum);
            }
        }
    }

    /// Returns by how many cycles of the clip the time `since` seconds after the strip's start is later than the
    /// foot's first strike in the same cycle. The result is negative if the time is earlier. Returns `None` if the
    /// clip is not cyclic or the foot does not strike in it. In a blend, the first clip is used.
    pub(super) fn cycles_since_strike(&self, foot: usize, since: f32, clips: &[Clip]) -> Option<f64> {
        let first = self.blended.first()?;
        let strike = first.strikes.iter().find(|(_, f)| *f == foot)?.0;
        let (time, _) = self.times(since, clips).next()?;
        Some(f64::from(time - strike) / f64::from(clips.get(first.clip)?.seconds))
    }

    /// Returns the sum of the weights of the clips in which a foot is planted, `since` seconds after the strip's start.
    pub(super) fn planted_weight(&self, foot: usize, since: f32, clips: &[Clip]) -> f32 {
        let is_planted =
            |c: &Contact, time: f32| c.node == foot && !c.slides && (c.from..=c.to).contains(&time);
        let times = self.times(since, clips);
        let planted =
            self.blended.iter().zip(times).filter(|(b, (t, _))| b.contacts.iter().any(|c| is_planted(c, *t)));
        planted.map(|(b, _)| b.weight).sum()
    }
}

/// A time within a strip.
#[derive(Clone, Copy)]
struct StripTime {
    /// Phase within a cycle, and the number of completed cycles.
    phase: f64,
    cycles: f64,
    /// The time of the clip in seconds, if the strip has a single clip.
    single: Option<f32>,
    wraps: bool,
}

impl StripTime {
    /// Returns the local time of a clip in seconds, and the number of its completed cycles.
    fn of_clip(&self, blended: &BlendedClip, clip: &Clip) -> (f32, f64) {
        if let Some(time) = self.single {
            return (time.clamp(0.0, clip.seconds), self.cycles);
        }
        let (time, wrapped_cycles) = time_of(blended.warp.phase(self.phase), clip, self.wraps);
        (time, self.cycles + wrapped_cycles)
    }
}

/// Returns the time within a clip at a phase of that clip, and the number of completed cycles.
fn time_of(phase: f64, clip: &Clip, wraps: bool) -> (f32, f64) {
    let cycles = if wraps { phase.floor() } else { 0.0 };
    #[expect(clippy::cast_possible_truncation, reason = "clips are single precision")]
    let time = ((phase - cycles) * f64::from(clip.seconds)) as f32;
    (time.clamp(0.0, clip.seconds), cycles)
}

/// The root motion and the foot contacts of a clip, and whether it is cyclic.
struct Gait {
    root_motion: PlanarTransform,
    cyclic: bool,
    contacts: Vec<Contact>,
}

impl Gait {
    fn measure(clip: &Clip, character: &Character, locomotion: &LocomotionRoot, feet: &[usize]) -> Self {
        let skeleton = &character.skeleton;
        let rest = Pose::rest(skeleton);
        let mut playhead = Playhead::default();
        let mut sample = |time: f32, pose: &mut Pose| {
            pose.clone_from(&rest);
            playhead.sample(clip, time, skeleton, pose);
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
