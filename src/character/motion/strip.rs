//! Prepares a clip strip for playback: synchronizes and aligns its clips.

use std::sync::Arc;

use crate::asset::{Character, Clip};
use crate::pose::{Mirror, Pose};

use super::blend::blend;
use super::clip_sampler::ClipSampler;
use super::contact::Contact;
use super::gait::Gait;
use super::locomotion::LocomotionRoot;
use super::planar::PlanarTransform;
use super::timeline::{RootMotion, Strip};
use super::warp::{FootStrikes, Warp, warps, warps_with_marks};

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
    sampler: ClipSampler,
}

/// A strip with synchronized and aligned clips.
#[derive(Clone, Debug)]
pub(super) struct PreparedStrip {
    pub(super) start: f32,
    pub(super) length: f32,
    fade_in: Option<f32>,
    /// Transform that moves the strip so that it starts where the previous strip leaves the character.
    pub(super) placement: PlanarTransform,
    from: f64,
    speed: f64,
    looping: bool,
    root_motion: RootMotion,
    /// Length of one cycle of the blend, in clip seconds.
    cycle: f64,
    /// Whether the clips start over after their end.
    wraps: bool,
    blended: Vec<BlendedClip>,
    /// The part that the strip plays, if it is an in-place strip of one clip and does not loop.
    played: Option<PlayedPart>,
    scratch: Pose,
}

/// The part of a clip that a strip plays.
#[derive(Clone, Copy, Debug)]
struct PlayedPart {
    /// The phases of the part's ends within the clip, from 0 to 1, in ascending order.
    phases: [f64; 2],
    /// Root motion from the first end to the second one.
    root_motion: PlanarTransform,
}

impl PreparedStrip {
    /// Returns the duration in seconds over which the strip fades in. `before` is the time at which the preceding strip or the key poses
    /// end.
    pub(super) fn fade(&self, before: f32) -> f32 {
        self.fade_in.unwrap_or(before - self.start).clamp(0.0, self.length)
    }

    /// Returns whether a clip of the strip animates a node or one of its ancestors.
    pub(super) fn moves(&self, character: &Character, node: usize) -> bool {
        let clips = self.blended.iter().filter_map(|blended| character.clips.get(blended.clip));
        let mut channels = clips.flat_map(|clip| &clip.channels);
        channels.any(|channel| character.skeleton.ancestors(node).any(|above| above == channel.node))
    }

    /// Prepares a strip. Returns `None` if the strip has no clip. A mirrored strip needs a `mirror`.
    pub(super) fn new(
        strip: &Strip,
        character: &Character,
        locomotion: &LocomotionRoot,
        mirror: Option<&Arc<Mirror>>,
        feet: &[usize],
    ) -> Option<Self> {
        Self::with_gaits(strip, character, locomotion, mirror, |clip, sampler| {
            Gait::measure(clip.1, sampler, character, locomotion, feet)
        })
    }

    /// Like [`Self::new`]. `gait` returns the gait of a clip, given by index.
    pub(super) fn with_gaits(
        strip: &Strip,
        character: &Character,
        locomotion: &LocomotionRoot,
        mirror: Option<&Arc<Mirror>>,
        gait: impl Fn((usize, &Clip), &mut ClipSampler) -> Gait,
    ) -> Option<Self> {
        let clips = &character.clips;
        let cycle = f64::from(strip.cycle_seconds(clips));
        let speed = f64::from(strip.speed);
        let mut prepared = Self {
            start: strip.start,
            length: strip.length(clips),
            fade_in: strip.fade_in,
            placement: PlanarTransform::default(),
            from: f64::from(strip.clip_start(clips)),
            speed,
            looping: strip.looping,
            root_motion: strip.root_motion,
            cycle,
            wraps: strip.looping,
            blended: Vec::new(),
            played: None,
            scratch: Pose::default(),
        };
        let weights: Vec<(usize, f32)> = strip.normalized_weights(clips).collect();
        let mut steps = Vec::with_capacity(weights.len());
        for &(clip, weight) in &weights {
            let mut sampler = ClipSampler::new(&clips[clip], mirror.filter(|_| strip.mirror));
            let gait = gait((clip, &clips[clip]), &mut sampler);
            let seconds = clips[clip].seconds;
            let cycle = gait.cyclic && seconds > 0.0;
            let cyclic_strikes = if cycle { gait.strikes.clone() } else { Vec::new() };
            steps.push(FootStrikes { weight, seconds, cyclic: gait.cyclic, strikes: gait.strikes });
            prepared.blended.push(BlendedClip {
                clip,
                weight,
                warp: Warp::default(),
                alignment: PlanarTransform::default(),
                root_motion: gait.root_motion,
                contacts: gait.contacts,
                strikes: cyclic_strikes,
                sampler,
            });
        }
        // Synchronized cycles may start at any phase.
        prepared.wraps |= steps.len() > 1 && steps.iter().all(|s| s.cyclic);
        let mark =
            |(clip, _): &(usize, f32)| strip.marks.iter().find(|(of, _)| of == clip).map(|mark| mark.1);
        let warps = match weights.iter().map(mark).collect::<Option<Vec<f32>>>() {
            Some(marks) => warps_with_marks(steps, &marks),
            None => warps(&steps),
        };
        for (blended, warp) in prepared.blended.iter_mut().zip(warps) {
            blended.warp = warp;
        }
        prepared.align(character, locomotion);
        prepared.measure_played_part(character, locomotion);
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
            blended.sampler.sample(clip, time, skeleton, &mut pose);
            transforms.push(locomotion.planar_transform(skeleton, &pose));
        }
        for (blended, transform) in self.blended.iter_mut().zip(&transforms) {
            blended.alignment = transforms[0].after(transform.inverse());
        }
    }

    /// Measures the root motion of the part that an in-place strip plays, so that a part of a clip stays in place too.
    fn measure_played_part(&mut self, character: &Character, locomotion: &LocomotionRoot) {
        if self.looping || self.root_motion != RootMotion::InPlace {
            return;
        }
        let mut phases = [0.0, self.length].map(|since| self.phase(since).0.clamp(0.0, 1.0));
        phases.sort_by(f64::total_cmp);
        let [blended] = self.blended.as_mut_slice() else { return };
        let clip = &character.clips[blended.clip];
        let mut pose = Pose::default();
        let [from, to] = phases.map(|phase| {
            pose.reset(&character.skeleton);
            blended.sampler.sample(clip, time_of(phase, clip, false).0, &character.skeleton, &mut pose);
            locomotion.planar_transform(&character.skeleton, &pose)
        });
        self.played = Some(PlayedPart { phases, root_motion: to.after(from.inverse()) });
    }

    /// Returns the end of the strip on the timeline, in seconds.
    pub(super) fn end(&self) -> f32 {
        self.start + self.length
    }

    /// Returns the time since the start of the first cycle, in clip seconds, at `since` seconds after the strip's start. A strip that does
    /// not loop stops at the ends of its clips.
    fn elapsed(&self, since: f32) -> f64 {
        let elapsed = self.from + f64::from(since.clamp(0.0, self.length)) * self.speed;
        if self.looping { elapsed } else { elapsed.clamp(0.0, self.cycle.max(0.0)) }
    }

    /// Returns the phase within a cycle and the number of completed cycles at `since` seconds after the strip's start.
    fn phase(&self, since: f32) -> (f64, f64) {
        if self.cycle <= 0.0 {
            return (0.0, 0.0);
        }
        let phase = self.elapsed(since) / self.cycle;
        let cycles = if self.looping { phase.floor() } else { 0.0 };
        (phase - cycles, cycles)
    }

    /// Returns the time within the strip at `since` seconds after its start.
    fn time(&self, since: f32) -> StripTime {
        let (phase, cycles) = self.phase(since);
        // The time is computed directly, because a conversion to a phase and back would round it.
        #[expect(clippy::cast_possible_truncation, reason = "clips are single precision")]
        let time = (self.elapsed(since) - cycles * self.cycle) as f32;
        StripTime { phase, cycles, single: (self.blended.len() == 1).then_some(time), wraps: self.wraps }
    }

    /// Returns the local time of each clip and the number of its completed cycles at `since` seconds after the strip's start.
    fn times<'a>(&'a self, since: f32, clips: &'a [Clip]) -> impl Iterator<Item = (f32, f64)> + 'a {
        let strip_time = self.time(since);
        self.blended.iter().map(move |blended| strip_time.of_clip(blended, &clips[blended.clip]))
    }

    /// Writes the pose at `since` seconds after the strip's start. Properties that the clips do not animate come from `base`.
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
        let Self { blended, scratch, placement, root_motion, played, .. } = self;
        for blended in blended {
            let clip = &character.clips[blended.clip];
            let (time, cycles) = strip_time.of_clip(blended, clip);
            let into = if weight_sum == 0.0 { &mut *out } else { &mut *scratch };
            into.clone_from(base);
            blended.sampler.sample(clip, time, &character.skeleton, into);
            let root_motion = match (&root_motion, &played) {
                (RootMotion::Accumulate, _) => blended.root_motion.times(cycles),
                (RootMotion::InPlace, None) => blended.root_motion.times(-strip_time.phase),
                (RootMotion::InPlace, Some(played)) => played.removed(strip_time.phase),
            };
            placement.after(blended.alignment).after(root_motion).apply(tops, into);
            weight_sum += blended.weight;
            if weight_sum > blended.weight {
                blend(out, scratch, blended.weight / weight_sum);
            }
        }
    }

    /// Returns how many seconds after the strip's start its first clip reaches `time` (in clip seconds). The strip must play its clips
    /// once, from their start.
    pub(super) fn since(&self, time: f32, clips: &[Clip]) -> Option<f32> {
        let blended = self.blended.first()?;
        let phase = blended.warp.inverse(f64::from(time) / f64::from(clips.get(blended.clip)?.seconds));
        let phase = if self.wraps { phase - phase.floor() } else { phase };
        #[expect(clippy::cast_possible_truncation, reason = "clips are single precision")]
        let since = (phase * self.cycle) as f32;
        since.is_finite().then_some(since)
    }

    /// Returns the time between the foot's first strike and the time `since` seconds after the strip's start. The unit is one cycle of the
    /// clip, and both times are taken within the same cycle. The result is negative before the strike. Returns `None` if the clip is not
    /// cyclic or the foot does not strike in it. In a blend, the first clip is used.
    pub(super) fn cycles_since_strike(&self, foot: usize, since: f32, clips: &[Clip]) -> Option<f64> {
        let first = self.blended.first()?;
        let strike = first.strikes.iter().find(|(_, f)| *f == foot)?.0;
        let (time, _) = self.times(since, clips).next()?;
        Some(f64::from(time - strike) / f64::from(clips.get(first.clip)?.seconds))
    }

    /// Returns the sum of the weights of the clips in which a foot is planted at `since` seconds after the strip's start.
    pub(super) fn planted_weight(&self, foot: usize, since: f32, clips: &[Clip]) -> f32 {
        let is_planted =
            |c: &Contact, time: f32| c.node == foot && !c.slides && (c.from..=c.to).contains(&time);
        let times = self.times(since, clips);
        let planted =
            self.blended.iter().zip(times).filter(|(b, (t, _))| b.contacts.iter().any(|c| is_planted(c, *t)));
        planted.map(|(b, _)| b.weight).sum()
    }
}

impl PlayedPart {
    /// Returns the transform that undoes the root motion up to a phase.
    fn removed(&self, phase: f64) -> PlanarTransform {
        let [from, to] = self.phases;
        let done = (phase.clamp(from, to) - from) / (to - from);
        if done.is_finite() { self.root_motion.times(-done) } else { PlanarTransform::default() }
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
