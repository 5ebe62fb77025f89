//! A motion at a time.

use glam::Vec3;

use crate::asset::Character;
use crate::pose::Pose;

use super::bar::{MOST_STEPS, RATE, Ready};
use super::contact::runs;
use super::deform::deform;
use super::ground::Ground;
use super::line::Motion;
use super::mix::{add, blend, blend_some, ease};
use super::sample::Playhead;
use super::stand::{self, Stand};
use super::{Hold, Layer};

/// Seconds in which a foot comes to where it will stand, and leaves it.
const FADE: f32 = 0.15;
/// Times of an overlap at which both bars are looked at, but the first.
const LOOKS: u8 = 8;

/// Plays motions of one character; give each its own. Poses depend on what is asked, not on what was asked before.
#[derive(Clone, Debug, Default)]
pub struct Player {
    /// Whether the motion is a loop: times beyond its ends are in another round, and edits reach round the ends.
    pub again: bool,
    plan: Option<Plan>,
    room: Room,
}

/// Room to work in.
#[derive(Clone, Debug, Default)]
struct Room {
    base: Pose,
    other: Pose,
    turns: Vec<(usize, Vec3)>,
}

/// A motion, made ready.
#[derive(Clone, Debug)]
struct Plan {
    motion: Motion,
    feet: Vec<usize>,
    again: bool,
    /// Seconds of one round, of a loop.
    round: Option<f32>,
    stand: Stand,
    bars: Vec<Ready>,
    layers: Vec<Lying>,
    spans: Vec<Span>,
}

/// A layer with its first pose.
#[derive(Clone, Debug)]
struct Lying {
    layer: Layer,
    first: Pose,
    head: Playhead,
}

/// A foot that stands.
#[derive(Clone, Copy, Debug)]
struct Span {
    foot: usize,
    from: f32,
    to: f32,
    place: Vec3,
    /// How far the place is from where the motion has the foot when it comes down, and when it leaves.
    lead: Vec3,
    trail: Vec3,
}

impl Player {
    /// The pose of a motion at a time in seconds on its line (of a loop: in any round), and the feet that shall stay
    /// where they are. `pose` comes as what lies below: rest, or what an earlier edit left. `feet`: nodes that stand on
    /// the ground.
    ///
    /// Nothing is allocated once a motion of one clip has been asked for; another motion is made ready first, which
    /// looks at every clip in it.
    pub fn pose(
        &mut self,
        character: &Character,
        motion: &Motion,
        feet: &[usize],
        time: f32,
        pose: &mut Pose,
        holds: &mut Vec<Hold>,
    ) {
        holds.clear();
        if motion.is_rest() {
            return;
        }
        let known = |p: &Plan| p.motion == *motion && p.feet == feet && p.again == self.again;
        if !self.plan.as_ref().is_some_and(known) {
            self.plan = Some(Plan::new(character, motion, feet, self.again, &mut self.room));
        }
        let Some(plan) = &mut self.plan else { return };
        let time = plan.within(time);
        plan.pose(character, time, pose, &mut self.room);
        plan.hold(character, time, pose, holds);
    }
}

impl Plan {
    fn new(character: &Character, motion: &Motion, feet: &[usize], again: bool, room: &mut Room) -> Self {
        let stand = Stand::new(character, feet);
        let skeleton = &character.skeleton;
        let rest = Pose::rest(skeleton);
        let sound = motion.fault().is_none();
        // What a lone clip does needs no look at its feet.
        let looks = motion.plant || motion.bars.iter().any(|b| b.clips.len() > 1);
        let looked: &[usize] = if looks { feet } else { &[] };
        let bars = motion.bars.iter().filter(|_| sound);
        let mut bars: Vec<Ready> = bars.filter_map(|b| Ready::new(b, character, &stand, looked)).collect();
        bars.sort_by(|a, b| a.start.total_cmp(&b.start));
        for i in 1..bars.len() {
            let (before, after) = bars.split_at_mut(i);
            let (Some(before), Some(after)) = (before.last_mut(), after.first_mut()) else { continue };
            let after_start = after.start;
            let overlap = (before.end() - after.start).clamp(0.0, after.length);
            // Hips sway and twist with each step: where both stand is what they do on average.
            let mut there = |bar: &mut Ready| {
                let looks = (0..=LOOKS).map(|i| {
                    let at = after_start + overlap * f32::from(i) / f32::from(LOOKS);
                    bar.pose(at - bar.start, character, &stand.tops, &rest, &mut room.other);
                    stand.ground(skeleton, &room.other)
                });
                Ground::mean(looks)
            };
            let (led, own) = (there(before), there(after));
            after.placement = led.after(own.inverse());
        }
        let lying = |layer: &Layer| {
            let clip = character.clips.get(layer.clip)?;
            let (mut first, mut head) = (rest.clone(), Playhead::default());
            head.sample(clip, 0.0, skeleton, &mut first);
            Some(Lying { layer: layer.clone(), first, head })
        };
        let layers = motion.layers.iter().filter(|_| sound).filter_map(lying).collect();
        let round = again.then(|| motion.seconds(&character.clips)).filter(|r| *r > 0.0);
        let (motion, feet) = (motion.clone(), feet.to_vec());
        let mut plan = Self { motion, feet, again, round, stand, bars, layers, spans: Vec::new() };
        if plan.motion.plant {
            plan.plant(character, &rest, room);
        }
        plan
    }

    /// A time in the first round. The end stays the end: what is no cycle is seen to its last moment.
    fn within(&self, time: f32) -> f32 {
        match self.round {
            #[expect(clippy::cast_possible_truncation, reason = "times are single precision")]
            Some(round) if !(0.0..=round).contains(&time) => {
                f64::from(time).rem_euclid(f64::from(round)) as f32
            }
            _ => time,
        }
    }

    /// How much of a bar is seen, seconds on the line: it fades in over what it shares with the one before.
    fn weight(&self, bar: usize, time: f32) -> f32 {
        let (Some(this), Some(before)) =
            (self.bars.get(bar), bar.checked_sub(1).and_then(|b| self.bars.get(b)))
        else {
            return 1.0;
        };
        let overlap = (before.end() - this.start).clamp(0.0, this.length);
        match time - this.start {
            since if since < 0.0 => 0.0,
            since if since >= overlap => 1.0,
            since => ease(since / overlap),
        }
    }

    fn pose(&mut self, character: &Character, time: f32, pose: &mut Pose, room: &mut Room) {
        let Room { base, other, turns } = room;
        // Nothing before the last bar that is whole is seen.
        let first = (0..self.bars.len()).rev().find(|&i| self.weight(i, time) >= 1.0).unwrap_or(0);
        base.clone_from(pose);
        for i in first..self.bars.len() {
            let weight = if i == first { 1.0 } else { self.weight(i, time) };
            let Some(bar) = self.bars.get_mut(i) else { break };
            if weight >= 1.0 {
                bar.pose(time - bar.start, character, &self.stand.tops, base, pose);
            } else if weight > 0.0 {
                bar.pose(time - bar.start, character, &self.stand.tops, base, other);
                blend(pose, other, weight);
            }
        }
        for Lying { layer, first, head } in &mut self.layers {
            let Some(clip) = character.clips.get(layer.clip) else { continue };
            let at = f64::from(time) * f64::from(layer.speed);
            let at = if clip.seconds > 0.0 { at.rem_euclid(f64::from(clip.seconds)) } else { 0.0 };
            let nodes = (!layer.mask.is_empty()).then_some(layer.mask.as_slice());
            other.clone_from(if layer.additive { first } else { pose });
            #[expect(clippy::cast_possible_truncation, reason = "clips are single precision")]
            head.sample(clip, at as f32, &character.skeleton, other);
            match (layer.additive, nodes) {
                (true, _) => add(pose, first, other, layer.weight, nodes),
                (false, Some(nodes)) => blend_some(pose, other, layer.weight, nodes),
                (false, None) => blend(pose, other, layer.weight),
            }
        }
        deform(&self.motion.edits, time, self.round, pose, turns);
    }

    /// Finds when feet stand on the line, and where.
    fn plant(&mut self, character: &Character, rest: &Pose, room: &mut Room) {
        let seconds = self.motion.seconds(&character.clips);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to a small range"
        )]
        let steps = (seconds * RATE).ceil().clamp(0.0, MOST_STEPS as f32) as usize;
        for foot in self.feet.clone() {
            let stands = |i: usize| {
                let time = i as f32 / RATE;
                let seen = |b: usize| {
                    let later: f32 = (b + 1..self.bars.len()).map(|l| 1.0 - self.weight(l, time)).product();
                    self.weight(b, time) * later
                };
                let of = |b: usize| {
                    seen(b) * self.bars[b].stands(foot, time - self.bars[b].start, &character.clips)
                };
                (0..self.bars.len()).map(of).sum::<f32>() >= 0.5
            };
            for (from, to) in runs(steps + 1, 1.0 / RATE, stands) {
                let [first, place, last] = [from, 0.5 * (from + to), to].map(|time| {
                    let mut pose = rest.clone();
                    self.pose(character, time, &mut pose, room);
                    stand::place(&character.skeleton, &pose, foot)
                });
                self.spans.push(Span { foot, from, to, place, lead: place - first, trail: place - last });
            }
        }
    }

    /// In its place while it stands; before and after, the way that it has been moved there wanes.
    fn hold(&self, character: &Character, time: f32, pose: &Pose, holds: &mut Vec<Hold>) {
        for span in &self.spans {
            let (early, late) = (span.from - time, time - span.to);
            let weight = ease(1.0 - early.max(late).max(0.0) / FADE);
            if weight <= 0.0 {
                continue;
            }
            let now = || stand::place(&character.skeleton, pose, span.foot);
            let position = match () {
                () if early > 0.0 => now() + span.lead,
                () if late > 0.0 => now() + span.trail,
                () => span.place,
            };
            holds.push(Hold { node: span.foot, position, orientation: None, weight });
        }
    }
}
