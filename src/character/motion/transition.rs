//! Chooses the duration of a transition from one clip strip to the next.

use crate::asset::Character;
use crate::pose::Pose;

use super::blend::rotation_vector;
use super::locomotion::LocomotionRoot;
use super::player::Player;
use super::strip::PreparedStrip;
use super::timeline::{Motion, Strip};

/// Maximum ratio of the joint speed in a transition to the joint speed in the clips around it.
const MAX_RATIO: f32 = 1.5;
/// Duration before and after a transition in which joint speeds are measured for comparison, in seconds.
const AROUND: f32 = 0.5;
/// The shortest and the longest overlap to try, and the step between two of them, in seconds.
const SHORTEST: f32 = 0.2;
const LONGEST: f32 = 1.5;
const STEP: f32 = 0.05;
/// Samples per second at which joint speeds are measured.
const RATE: f32 = 60.0;
/// The steps of two clips count as synchronized if their phases differ by at most this, in cycles.
const MAX_PHASE_DIFFERENCE: f64 = 0.125;

/// Joint speeds in and around a transition. Each speed is the largest angular speed of any joint between two
/// successive samples, in radians per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Transition {
    /// Duration of the transition, in seconds.
    pub seconds: f32,
    /// Speed during the transition.
    pub inside: f32,
    /// Speed in the half second before and after the transition.
    pub around: f32,
}

impl Transition {
    /// Measures a transition of `seconds` at the end of the first strip.
    ///
    /// ```
    /// use sinew_character::asset;
    /// use sinew_character::motion::{Strip, Transition};
    ///
    /// let character = asset::mannequin()?;
    /// let clip = |name: &str| character.clips.iter().position(|clip| clip.name.as_deref() == Some(name));
    /// let idle = Strip::new(clip("idle").ok_or("the clip idle does not exist")?);
    /// let crouch = Strip::new(clip("crouch").ok_or("the clip crouch does not exist")?);
    /// // A short transition turns the joints faster than a long one.
    /// let [short, long] = [0.2, 0.8].map(|seconds| Transition::new(&character, &idle, &crouch, seconds));
    /// assert!(short.inside > long.inside);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(character: &Character, before: &Strip, after: &Strip, seconds: f32) -> Self {
        Self::measure(character, before, after, seconds, RATE)
    }

    /// Measures a transition with `rate` samples per second.
    fn measure(character: &Character, before: &Strip, after: &Strip, seconds: f32, rate: f32) -> Self {
        let clips = &character.clips;
        let (length, after_length) = (before.length(clips), after.length(clips));
        let after = Strip { start: length - seconds, ..after.clone() };
        let (from, to, end) = (after.start, length, after.start + after_length);
        let strips = vec![Strip { start: 0.0, ..before.clone() }, after];
        let motion = Motion { strips, ..Motion::default() };
        let (mut player, mut pose, mut last) = (Player::default(), Pose::default(), Pose::default());
        let mut fastest = |from: f32, to: f32| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "clamped to a small count"
            )]
            let steps = ((to - from) * rate).round().clamp(0.0, rate * LONGEST) as u16;
            let mut fastest = 0.0_f32;
            for i in 0..=steps {
                let time = from + (to - from) * f32::from(i) / f32::from(steps.max(1));
                pose.reset(&character.skeleton);
                player.pose(character, &motion, &[], time, &mut pose, &mut Vec::new());
                if i > 0 {
                    let pairs = pose.locals.iter().zip(&last.locals);
                    let turns =
                        pairs.map(|(a, b)| rotation_vector(a.rotation.conjugate() * b.rotation).length());
                    fastest = fastest.max(turns.fold(0.0, f32::max) * f32::from(steps) / (to - from));
                }
                std::mem::swap(&mut pose, &mut last);
            }
            fastest
        };
        let inside = fastest(from, to);
        let around = fastest((from - AROUND).max(0.0), from).max(fastest(to, (to + AROUND).min(end)));
        Self { seconds, inside, around }
    }

    /// Returns whether the fastest joint in the transition turns at most 1.5 times as fast as the fastest joint around
    /// it.
    pub fn is_smooth(&self) -> bool {
        self.excess_speed() <= 0.0
    }

    /// Returns the amount by which the speed exceeds the limit of [`Self::is_smooth`], in radians per second.
    fn excess_speed(&self) -> f32 {
        self.inside - MAX_RATIO * self.around
    }
}

impl Motion {
    /// Returns the duration of the overlap between a new strip and the existing strip at `index`, in seconds.
    ///
    /// Overlaps from 0.2 s to 1.5 s are tried. The result is the shortest overlap that
    /// [is smooth](Transition::is_smooth) and in which the feet of both clips strike the ground within an eighth of a
    /// cycle of each other. If no overlap meets both conditions, the result is the shortest smooth overlap. If no
    /// overlap is smooth, it is the overlap that exceeds the speed limit by the least amount. The overlap is never
    /// longer than one of the strips, and never covers a transition between the strip at `index` and an earlier one.
    ///
    /// If the angle of a joint differs between the two clips, the joint turns by this difference within the overlap.
    /// In the middle of the overlap it turns 1.5 times as fast as on average. Another blend curve cannot make up for
    /// too short an overlap.
    ///
    /// `feet` are the nodes that stand on the ground. Mirrored strips are measured without mirroring.
    pub fn overlap(&self, index: usize, strip: &Strip, character: &Character, feet: &[usize]) -> f32 {
        let clips = &character.clips;
        let Some(before) = self.strips.get(index) else { return 0.0 };
        let both = Self { strips: vec![before.clone(), strip.clone()], ..Self::default() };
        if both.validate().is_err() {
            return 0.0;
        }
        let length = before.length(clips);
        let earlier = self.strips.iter().enumerate().filter(|(i, s)| *i != index && s.start <= before.start);
        let taken = earlier.map(|(_, s)| s.start + s.length(clips) - before.start).fold(0.0, f32::max);
        let longest = (length - taken).min(strip.length(clips)).clamp(0.0, LONGEST);
        let locomotion = LocomotionRoot::new(character, feet, None);
        let prepared = |strip: &Strip| {
            PreparedStrip::new(&Strip { start: 0.0, ..strip.clone() }, character, &locomotion, None, feet)
        };
        let (Some(first), Some(second)) = (prepared(before), prepared(strip)) else { return 0.0 };
        let is_in_phase = |seconds: f32| {
            let phase = |strip: &PreparedStrip, since: f32, foot: usize| {
                strip.cycles_since_strike(foot, since, clips)
            };
            let (a, b) = (length - 0.5 * seconds, 0.5 * seconds);
            let difference = |&foot: &usize| Some(phase(&first, a, foot)? - phase(&second, b, foot)?);
            // A clip without steps is in phase with every other clip.
            feet.iter().filter_map(difference).all(|d| (d - d.round()).abs() <= MAX_PHASE_DIFFERENCE)
        };
        let candidates = (0_u8..).map(|i| SHORTEST + STEP * f32::from(i)).take_while(|t| *t < longest);
        let candidates: Vec<f32> = candidates.chain([longest]).collect();
        let (mut smooth, mut least) = (None, None::<Transition>);
        for seconds in candidates {
            let transition = Transition::new(character, before, strip, seconds);
            match (transition.is_smooth(), is_in_phase(seconds)) {
                (true, true) => return seconds,
                (true, false) => smooth = smooth.or(Some(seconds)),
                (false, _) if least.is_none_or(|l| transition.excess_speed() < l.excess_speed()) => {
                    least = Some(transition);
                }
                _ => {}
            }
        }
        smooth.or(least.map(|l| l.seconds)).unwrap_or(longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::mannequin;

    /// Measures the chosen overlap for all pairs of the mannequin's clips. `docs/decisions/motion.md` has the table.
    #[test]
    fn the_chosen_overlap_is_smooth_between_all_clips() {
        let character = mannequin().unwrap();
        let feet = ["leftFoot", "rightFoot"].map(|name| character.skeleton.find(name).unwrap());
        let clips = &character.clips;
        let mut pairs = 0;
        for (a, from) in clips.iter().enumerate() {
            for (b, to) in clips.iter().enumerate().filter(|(b, _)| *b != a) {
                let (before, after) = (Motion::clip(a), Strip::new(b));
                let seconds = before.overlap(0, &after, &character, &feet);
                assert!((SHORTEST..=LONGEST).contains(&seconds), "{seconds}");
                // The sampling rate is higher than in the search, so that fast rotations between the samples of the
                // search are found too.
                let found = Transition::measure(&character, &before.strips[0], &after, seconds, 240.0);
                println!(
                    "| {} → {} | {seconds:.2} | {:.1} | {:.1} | {:.2} |",
                    from.name.as_deref().unwrap_or_default(),
                    to.name.as_deref().unwrap_or_default(),
                    found.inside,
                    found.around,
                    found.inside / found.around
                );
                assert!(found.is_smooth(), "{:?} to {:?}: {found:?}", from.name, to.name);
                pairs += 1;
            }
        }
        assert_eq!(pairs, 20);
    }

    #[test]
    fn a_walk_and_a_run_overlap_in_phase_and_not_with_earlier_transitions() {
        let character = mannequin().unwrap();
        let feet = ["leftFoot", "rightFoot"].map(|name| character.skeleton.find(name).unwrap());
        let clip = |name: &str| character.clips.iter().position(|c| c.name.as_deref() == Some(name)).unwrap();
        let length = 2.0;
        let [walk, run] = ["walk", "run"].map(|name| Strip {
            looping: true,
            seconds: Some(length),
            ..Strip::new(clip(name))
        });
        let one = Motion { strips: vec![walk.clone()], ..Motion::default() };
        let seconds = one.overlap(0, &run, &character, &feet);
        let locomotion = LocomotionRoot::new(&character, &feet, None);
        let phase = |strip: &Strip, since: f32| {
            let prepared = PreparedStrip::new(strip, &character, &locomotion, None, &feet).unwrap();
            prepared.cycles_since_strike(feet[0], since, &character.clips).unwrap()
        };
        let difference = |s: f32| {
            let difference = phase(&walk, length - 0.5 * s) - phase(&run, 0.5 * s);
            (difference - difference.round()).abs()
        };
        assert!(difference(seconds) <= MAX_PHASE_DIFFERENCE, "{seconds}: {}", difference(seconds));
        // At least one other overlap is out of phase.
        assert!((4..14).any(|i| difference(0.05 * i as f32) > MAX_PHASE_DIFFERENCE));
        // The first half of the walk already overlaps the idle clip.
        let idle = Strip { seconds: Some(0.5 * length), ..Strip::new(clip("idle")) };
        let two = Motion { strips: vec![idle, walk], ..Motion::default() };
        assert!(two.overlap(1, &run, &character, &feet) <= 0.5 * length + 1e-5);
        // An invalid strip and an index that does not exist give an overlap of 0.
        let invalid = Strip { speed: f32::NAN, ..run.clone() };
        assert_eq!(one.overlap(0, &invalid, &character, &feet), 0.0);
        assert_eq!(one.overlap(9, &run, &character, &feet), 0.0);
        let endless = Strip { seconds: Some(f32::MAX), looping: true, speed: 1e30, ..run };
        assert!(one.overlap(0, &endless, &character, &feet).is_finite());
    }
}
