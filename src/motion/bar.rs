//! A bar of a motion, made ready to be played.

use crate::asset::{Character, Clip};
use crate::pose::Pose;

use super::contact::{Contact, Track, contacts};
use super::ground::Ground;
use super::line::{Bar, Travel};
use super::mix::blend;
use super::sample::Playhead;
use super::stand::{self, Stand};
use super::warp::{Steps, Warp, warps};

/// Steps a second in which feet are looked for.
pub(super) const RATE: f32 = 60.0;
/// More steps of one clip or line are not looked at: ten minutes.
pub(super) const MOST_STEPS: usize = 36_000;
/// A clip that ends within this mean turn of its joints, radians, of where it begins is a cycle.
const CYCLE: f32 = 0.1;

/// A clip of a bar.
#[derive(Clone, Debug)]
struct Voice {
    clip: usize,
    share: f32,
    warp: Warp,
    /// Puts the clip where the bar's first one is.
    aligned: Ground,
    /// From the clip's start to its end.
    travel: Ground,
    contacts: Vec<Contact>,
    /// When a foot comes down, clip seconds, and which, of a clip that ends as it begins.
    strikes: Vec<(f32, usize)>,
    head: Playhead,
}

/// A bar with its clips in step and in place.
#[derive(Clone, Debug)]
pub(super) struct Ready {
    pub(super) start: f32,
    pub(super) length: f32,
    /// Puts the bar where the one before it leads to.
    pub(super) placement: Ground,
    from: f64,
    speed: f64,
    again: bool,
    travel: Travel,
    /// Once through all clips in step, clip seconds.
    cycle: f64,
    /// Whether a clip goes on from its end to its start.
    wraps: bool,
    voices: Vec<Voice>,
    room: Pose,
}

impl Ready {
    /// `None`: it has no clip.
    pub(super) fn new(bar: &Bar, character: &Character, stand: &Stand, feet: &[usize]) -> Option<Self> {
        let clips = &character.clips;
        let cycle = f64::from(bar.cycle(clips));
        let speed = f64::from(bar.speed);
        let backwards = speed < 0.0 && bar.from == 0.0;
        let mut ready = Self {
            start: bar.start,
            length: bar.length(clips),
            placement: Ground::default(),
            from: if backwards { cycle } else { f64::from(bar.from) },
            speed,
            again: bar.again,
            travel: bar.travel,
            cycle,
            wraps: bar.again,
            voices: Vec::new(),
            room: Pose::default(),
        };
        let shares: Vec<(usize, f32)> = bar.shares(clips).collect();
        let mut steps = Vec::with_capacity(shares.len());
        for &(clip, share) in &shares {
            let found = Gait::of(&clips[clip], character, stand, feet);
            let strikes = found.contacts.iter().map(|c| (c.from, c.node));
            let mut strikes: Vec<(f32, usize)> = strikes.collect();
            strikes.sort_by(|a, b| a.0.total_cmp(&b.0));
            // A foot that is down where a cyclic clip begins came down before its end.
            if found.cyclic {
                let first = strikes.iter().filter(|s| s.0 <= 0.0).map(|s| s.1).collect::<Vec<_>>();
                let end = clips[clip].seconds - 1.0 / RATE;
                let wraps =
                    |n: usize| found.contacts.iter().any(|c| c.node == n && c.to >= end && c.from > 0.0);
                strikes.retain(|s| s.0 > 0.0 || !(first.contains(&s.1) && wraps(s.1)));
            }
            let seconds = clips[clip].seconds;
            let cycle = found.cyclic && seconds > 0.0;
            let own = if cycle { strikes.clone() } else { Vec::new() };
            steps.push(Steps { share, seconds, cyclic: found.cyclic, strikes });
            ready.voices.push(Voice {
                clip,
                share,
                warp: Warp::default(),
                aligned: Ground::default(),
                travel: found.travel,
                contacts: found.contacts,
                strikes: own,
                head: Playhead::default(),
            });
        }
        // In step, cycles may begin anywhere.
        ready.wraps |= steps.len() > 1 && steps.iter().all(|s| s.cyclic);
        for (voice, warp) in ready.voices.iter_mut().zip(warps(&steps)) {
            voice.warp = warp;
        }
        ready.align(character, stand);
        (!ready.voices.is_empty()).then_some(ready)
    }

    /// Puts every clip where the first one is when the bar begins.
    fn align(&mut self, character: &Character, stand: &Stand) {
        if self.voices.len() < 2 {
            return;
        }
        let (phase, _) = self.phase(0.0);
        let skeleton = &character.skeleton;
        let mut places = Vec::with_capacity(self.voices.len());
        for voice in &mut self.voices {
            let clip = &character.clips[voice.clip];
            let mut pose = Pose::rest(skeleton);
            let (time, _) = time_of(voice.warp.phase(phase), clip, self.wraps);
            voice.head.sample(clip, time, skeleton, &mut pose);
            places.push(stand.ground(skeleton, &pose));
        }
        for (voice, place) in self.voices.iter_mut().zip(&places) {
            voice.aligned = places[0].after(place.inverse());
        }
    }

    /// Where it ends on the line, seconds.
    pub(super) fn end(&self) -> f32 {
        self.start + self.length
    }

    /// Phase within a cycle and whole cycles, so many seconds after the bar's start.
    fn phase(&self, since: f32) -> (f64, f64) {
        let at = self.from + f64::from(since.clamp(0.0, self.length)) * self.speed;
        if self.cycle <= 0.0 {
            return (0.0, 0.0);
        }
        let phase = at / self.cycle;
        let cycles = if self.again { phase.floor() } else { 0.0 };
        (phase - cycles, cycles)
    }

    /// Each clip's time and its whole cycles.
    fn times<'a>(&'a self, since: f32, clips: &'a [Clip]) -> impl Iterator<Item = (f32, f64)> + 'a {
        let (phase, cycles) = self.phase(since);
        let alone = self.voices.len() == 1;
        self.voices.iter().map(move |voice| {
            let clip = &clips[voice.clip];
            if alone {
                // The very time, without a way through phases.
                #[expect(clippy::cast_possible_truncation, reason = "clips are single precision")]
                let time = (self.from + f64::from(since.clamp(0.0, self.length)) * self.speed
                    - cycles * self.cycle) as f32;
                return (time.clamp(0.0, clip.seconds), cycles);
            }
            let (time, more) = time_of(voice.warp.phase(phase), clip, self.wraps);
            (time, cycles + more)
        })
    }

    /// The pose on top of `base`, seconds after the bar's start.
    pub(super) fn pose(
        &mut self,
        since: f32,
        character: &Character,
        tops: &[usize],
        base: &Pose,
        out: &mut Pose,
    ) {
        let (phase, _) = self.phase(since);
        let times: [(f32, f64); 1];
        let many: Vec<(f32, f64)>;
        let times: &[(f32, f64)] = if self.voices.len() == 1 {
            times = [self.times(since, &character.clips).next().unwrap_or_default()];
            &times
        } else {
            many = self.times(since, &character.clips).collect();
            &many
        };
        let mut weighed = 0.0;
        let Self { voices, room, placement, travel, .. } = self;
        for (voice, &(time, cycles)) in voices.iter_mut().zip(times) {
            let into = if weighed == 0.0 { &mut *out } else { &mut *room };
            into.clone_from(base);
            voice.head.sample(&character.clips[voice.clip], time, &character.skeleton, into);
            let gone = match travel {
                Travel::Kept => voice.travel.times(cycles),
                Travel::Stripped => voice.travel.times(-phase),
            };
            placement.after(voice.aligned).after(gone).carry(tops, into);
            weighed += voice.share;
            if weighed > voice.share {
                blend(out, room, voice.share / weighed);
            }
        }
    }

    /// How far, in cycles, it is beyond where a foot comes down, seconds after its start. `None`: it does not step with it,
    /// time and again. Of several clips in step, the first.
    pub(super) fn stride(&self, foot: usize, since: f32, clips: &[Clip]) -> Option<f64> {
        let voice = self.voices.first()?;
        let strike = voice.strikes.iter().find(|(_, f)| *f == foot)?.0;
        let (time, _) = self.times(since, clips).next()?;
        Some(f64::from(time - strike) / f64::from(clips.get(voice.clip)?.seconds))
    }

    /// How much of it, by weight, has a foot on the ground, seconds after its start.
    pub(super) fn stands(&self, foot: usize, since: f32, clips: &[Clip]) -> f32 {
        let still = |c: &Contact, time: f32| c.node == foot && c.still && (c.from..=c.to).contains(&time);
        let times = self.times(since, clips);
        let standing =
            self.voices.iter().zip(times).filter(|(v, (t, _))| v.contacts.iter().any(|c| still(c, *t)));
        standing.map(|(v, _)| v.share).sum()
    }
}

/// A clip's time at a phase of its own, and the whole cycles in it.
fn time_of(phase: f64, clip: &Clip, wraps: bool) -> (f32, f64) {
    let cycles = if wraps { phase.floor() } else { 0.0 };
    #[expect(clippy::cast_possible_truncation, reason = "clips are single precision")]
    let time = ((phase - cycles) * f64::from(clip.seconds)) as f32;
    (time.clamp(0.0, clip.seconds), cycles)
}

/// How a clip goes.
struct Gait {
    travel: Ground,
    cyclic: bool,
    contacts: Vec<Contact>,
}

impl Gait {
    fn of(clip: &Clip, character: &Character, stand: &Stand, feet: &[usize]) -> Self {
        let skeleton = &character.skeleton;
        let rest = Pose::rest(skeleton);
        let mut head = Playhead::default();
        let mut sample = |time: f32, pose: &mut Pose| {
            pose.clone_from(&rest);
            head.sample(clip, time, skeleton, pose);
        };
        let (mut first, mut last, mut pose) = (rest.clone(), rest.clone(), rest.clone());
        sample(0.0, &mut first);
        sample(clip.seconds, &mut last);
        let (from, to) = (stand.ground(skeleton, &first), stand.ground(skeleton, &last));
        let mut tracks: Vec<Track> = feet.iter().map(|&node| Track { node, places: Vec::new() }).collect();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to a small range"
        )]
        let steps = (clip.seconds * RATE).ceil().clamp(0.0, MOST_STEPS as f32) as usize;
        for i in 0..=steps {
            sample(i as f32 / RATE, &mut pose);
            for track in &mut tracks {
                track.places.push(stand::place(skeleton, &pose, track.node));
            }
        }
        let turned = || first.locals.iter().zip(&last.locals).enumerate();
        let moved = clip.channels.iter().map(|c| c.node).collect::<std::collections::BTreeSet<_>>();
        let angles =
            turned().filter(|(n, _)| moved.contains(n) && *n != stand.root && !stand.tops.contains(n));
        let angles: Vec<f32> = angles.map(|(_, (a, b))| a.rotation.angle_between(b.rotation)).collect();
        let mean = angles.iter().sum::<f32>() / (angles.len().max(1) as f32);
        Self {
            travel: to.after(from.inverse()),
            cyclic: mean < CYCLE,
            contacts: if stand.height > 0.0 {
                contacts(&tracks, 1.0 / RATE, stand.height)
            } else {
                Vec::new()
            },
        }
    }
}
