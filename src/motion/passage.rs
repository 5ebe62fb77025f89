//! How long one bar takes to pass into the next.

use crate::asset::Character;
use crate::pose::Pose;

use super::bar::Ready;
use super::line::{Bar, Motion};
use super::mix::rotation_vector;
use super::player::Player;
use super::stand::Stand;

/// No joint shall turn more than this much faster in a transition than in the clips around it.
const FASTER: f32 = 1.5;
/// Seconds of the clips on each side that a transition is measured by.
const AROUND: f32 = 0.5;
/// Overlaps that are tried, seconds: from the shortest to the longest, in steps.
const SHORTEST: f32 = 0.2;
const LONGEST: f32 = 1.5;
const STEP: f32 = 0.05;
/// Times a second at which joints are looked at.
const LOOKS: f32 = 60.0;
/// Steps that are less of a cycle apart than this are in phase.
const IN_STEP: f64 = 0.125;

/// How fast joints turn where a bar passes into another: the fastest joint in any sixtieth of a second, radians a second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Passage {
    /// How long both are played, seconds.
    pub seconds: f32,
    /// While both are played.
    pub inside: f32,
    /// In the half seconds before and after.
    pub around: f32,
}

impl Passage {
    /// Measures it; the second bar begins so many seconds before the first ends.
    pub fn new(character: &Character, before: &Bar, after: &Bar, seconds: f32) -> Self {
        Self::looked(character, before, after, seconds, LOOKS)
    }

    /// The same, so many times a second.
    fn looked(character: &Character, before: &Bar, after: &Bar, seconds: f32, rate: f32) -> Self {
        let clips = &character.clips;
        let (length, whole) = (before.length(clips), after.length(clips));
        let after = Bar { start: length - seconds, ..after.clone() };
        let (from, to, end) = (after.start, length, after.start + whole);
        let bars = vec![Bar { start: 0.0, ..before.clone() }, after];
        let motion = Motion { bars, ..Motion::default() };
        let (mut player, mut pose, mut last) = (Player::default(), Pose::default(), Pose::default());
        let mut fastest = |from: f32, to: f32| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "clamped to a small count"
            )]
            let steps = ((to - from) * rate).round().clamp(0.0, rate * LONGEST) as u16;
            let mut most = 0.0_f32;
            for i in 0..=steps {
                let time = from + (to - from) * f32::from(i) / f32::from(steps.max(1));
                pose.reset(&character.skeleton);
                player.pose(character, &motion, &[], time, &mut pose, &mut Vec::new());
                if i > 0 {
                    let pairs = pose.locals.iter().zip(&last.locals);
                    let turns =
                        pairs.map(|(a, b)| rotation_vector(a.rotation.conjugate() * b.rotation).length());
                    most = most.max(turns.fold(0.0, f32::max) * f32::from(steps) / (to - from));
                }
                std::mem::swap(&mut pose, &mut last);
            }
            most
        };
        let inside = fastest(from, to);
        let around = fastest((from - AROUND).max(0.0), from).max(fastest(to, (to + AROUND).min(end)));
        Self { seconds, inside, around }
    }

    /// Whether the fastest joint inside turns no more than 1.5 times as fast as the fastest around it.
    pub fn holds(&self) -> bool {
        self.excess() <= 0.0
    }

    /// How much faster than that, radians a second.
    fn excess(&self) -> f32 {
        self.inside - FASTER * self.around
    }
}

impl Motion {
    /// How long a bar that shall follow the one at `place` should overlap it: the shortest time, from 0.2 s to 1.5 s, in
    /// which [`Passage::holds`] and, where both step, their feet come down together to an eighth of a cycle; else the
    /// shortest that holds; else the one that is least beyond it. It leaves what the one at `place` shares with the bars
    /// before it, and is never longer than either. A posture that differs by an angle has to turn by it in the time
    /// that there is, 1.5 times as fast at the middle as on average: no curve makes up for a window that is too short.
    ///
    /// `feet`: nodes that stand on the ground.
    pub fn overlap(&self, place: usize, bar: &Bar, character: &Character, feet: &[usize]) -> f32 {
        let clips = &character.clips;
        let Some(before) = self.bars.get(place) else { return 0.0 };
        let both = Self { bars: vec![before.clone(), bar.clone()], ..Self::default() };
        if both.fault().is_some() {
            return 0.0;
        }
        let length = before.length(clips);
        let earlier = self.bars.iter().enumerate().filter(|(i, b)| *i != place && b.start <= before.start);
        let taken = earlier.map(|(_, b)| b.start + b.length(clips) - before.start).fold(0.0, f32::max);
        let most = (length - taken).min(bar.length(clips)).clamp(0.0, LONGEST);
        let stand = Stand::new(character, feet);
        let ready = |bar: &Bar| Ready::new(&Bar { start: 0.0, ..bar.clone() }, character, &stand, feet);
        let (Some(first), Some(second)) = (ready(before), ready(bar)) else { return 0.0 };
        let in_step = |seconds: f32| {
            let phase = |bar: &Ready, since: f32, foot: usize| bar.stride(foot, since, clips);
            let (a, b) = (length - 0.5 * seconds, 0.5 * seconds);
            let apart = |&foot: &usize| Some(phase(&first, a, foot)? - phase(&second, b, foot)?);
            // Whoever does not step is in step with all.
            feet.iter().filter_map(apart).all(|apart| (apart - apart.round()).abs() <= IN_STEP)
        };
        let tries = (0_u8..).map(|i| SHORTEST + STEP * f32::from(i)).take_while(|t| *t < most);
        let tries: Vec<f32> = tries.chain([most]).collect();
        let (mut out_of_step, mut least) = (None, None::<Passage>);
        for seconds in tries {
            let passage = Passage::new(character, before, bar, seconds);
            match (passage.holds(), in_step(seconds)) {
                (true, true) => return seconds,
                (true, false) => out_of_step = out_of_step.or(Some(seconds)),
                (false, _) if least.is_none_or(|l| passage.excess() < l.excess()) => least = Some(passage),
                _ => {}
            }
        }
        out_of_step.or(least.map(|l| l.seconds)).unwrap_or(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::mannequin;

    /// All pairs of the mannequin's clips, once through, with the overlap that is found: as `docs/motion.md` tells it.
    #[test]
    fn between_all_clips_no_joint_turns_much_faster_than_around() {
        let character = mannequin().unwrap();
        let feet = ["leftFoot", "rightFoot"].map(|name| character.skeleton.find(name).unwrap());
        let clips = &character.clips;
        let mut pairs = 0;
        for (a, from) in clips.iter().enumerate() {
            for (b, to) in clips.iter().enumerate().filter(|(b, _)| *b != a) {
                let (before, after) = (Motion::clip(a), Bar::new(b));
                let seconds = before.overlap(0, &after, &character, &feet);
                assert!((SHORTEST..=LONGEST).contains(&seconds), "{seconds}");
                // Oftener than the search looked, so that nothing fast is between its looks.
                let found = Passage::looked(&character, &before.bars[0], &after, seconds, 240.0);
                println!(
                    "| {} → {} | {seconds:.2} | {:.1} | {:.1} | {:.2} |",
                    from.name.as_deref().unwrap_or_default(),
                    to.name.as_deref().unwrap_or_default(),
                    found.inside,
                    found.around,
                    found.inside / found.around
                );
                assert!(found.holds(), "{:?} to {:?}: {found:?}", from.name, to.name);
                pairs += 1;
            }
        }
        assert_eq!(pairs, 20);
    }

    #[test]
    fn a_walk_passes_into_a_run_in_step_and_leaves_what_is_taken() {
        let character = mannequin().unwrap();
        let feet = ["leftFoot", "rightFoot"].map(|name| character.skeleton.find(name).unwrap());
        let clip = |name: &str| character.clips.iter().position(|c| c.name.as_deref() == Some(name)).unwrap();
        let (walk, run) = (Bar::new(clip("walk")), Bar::new(clip("run")));
        let one = Motion { bars: vec![walk.clone()], ..Motion::default() };
        let seconds = one.overlap(0, &run, &character, &feet);
        let stand = Stand::new(&character, &feet);
        let stride = |bar: &Bar, since: f32| {
            let ready = Ready::new(bar, &character, &stand, &feet).unwrap();
            ready.stride(feet[0], since, &character.clips).unwrap()
        };
        let length = character.clips[clip("walk")].seconds;
        let apart = |s: f32| {
            let apart = stride(&walk, length - 0.5 * s) - stride(&run, 0.5 * s);
            (apart - apart.round()).abs()
        };
        assert!(apart(seconds) <= IN_STEP, "{seconds}: {}", apart(seconds));
        // Not every window is.
        assert!((4..14).any(|i| apart(0.05 * i as f32) > IN_STEP));
        // Half of the walk is another transition's.
        let idle = Bar { seconds: Some(0.5 * length), ..Bar::new(clip("idle")) };
        let two = Motion { bars: vec![idle, walk], ..Motion::default() };
        assert!(two.overlap(1, &run, &character, &feet) <= 0.5 * length + 1e-5);
        // What is no number is not looked at, nor what is not there.
        let none = Bar { speed: f32::NAN, ..run.clone() };
        assert_eq!(one.overlap(0, &none, &character, &feet), 0.0);
        assert_eq!(one.overlap(9, &run, &character, &feet), 0.0);
        let endless = Bar { seconds: Some(f32::MAX), again: true, speed: 1e30, ..run };
        assert!(one.overlap(0, &endless, &character, &feet).is_finite());
    }
}
