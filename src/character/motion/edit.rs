//! Edits, which add displacements to a motion over a time window and thus preserve the detail of the motion.

use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::pose::Pose;

use super::blend::{ease, rotation_vector};

/// Rotations smaller than this (radians) and translations smaller than this (metres) are ignored.
const NEGLIGIBLE: f32 = 1e-6;
/// Maximum rotation about an axis, in radians. Single precision cannot resolve much larger angles, and the squared
/// length of the vector may overflow.
const MAX_TURN: f32 = 1e5;

/// A change of posture at a point in time, stored as the difference from the motion.
///
/// The edit fades in before its time and fades out after it. It is added to the pose of the motion (displacement
/// mapping: Bruderlin & Williams 1995; motion warping: Witkin & Popović 1995). Several edits add up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// Time of full effect, in seconds of the timeline.
    pub time: f32,
    /// Duration of the fade-in, in seconds.
    pub before: f32,
    /// Duration of the fade-out, in seconds.
    pub after: f32,
    /// Rotation vectors by node, in radians, in the joint's local frame.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<(usize, Vec3)>,
    /// Translations by node, in metres, in the parent's space. Typically only the root has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shifts: Vec<(usize, Vec3)>,
}

impl Edit {
    /// Returns the edit that changes posture `from` into posture `to` at a time. `before` and `after` are the durations
    /// of its fade-in and fade-out in seconds. Both postures must include the other edits that are active at that time.
    ///
    /// ```
    /// use sinew_character::asset;
    /// use sinew_character::glam::Quat;
    /// use sinew_character::motion::{Edit, Motion};
    /// use sinew_character::pose::Pose;
    /// use sinew_character::puppet::Puppet;
    ///
    /// // In the middle of the clip, the head is turned by 0.4 radians. The edit fades within half a second.
    /// let mut puppet = Puppet::new(asset::mannequin()?, 0);
    /// let head = puppet.character().skeleton.find("head").ok_or("no head")?;
    /// puppet.play(0, 1.0);
    /// puppet.update()?;
    /// let mut turned = puppet.pose().clone();
    /// turned.locals[head].rotation *= Quat::from_rotation_y(0.4);
    /// let edit = Edit::between(puppet.pose(), &turned, 1.0, 0.5, 0.5);
    /// assert_eq!((edit.turns.len(), edit.weight(1.0), edit.weight(1.5)), (1, 1.0, 0.0));
    ///
    /// puppet.motion = Motion { edits: vec![edit], ..puppet.motion.clone() };
    /// puppet.update()?;
    /// let edited = puppet.pose().locals[head].rotation;
    /// assert!(edited.angle_between(turned.locals[head].rotation) < 1e-2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn between(from: &Pose, to: &Pose, time: f32, before: f32, after: f32) -> Self {
        let pairs = || from.locals.iter().zip(&to.locals).enumerate();
        let turn = |(node, (a, b)): (usize, (&crate::asset::Transform, &crate::asset::Transform))| {
            let turn = rotation_vector(a.rotation.conjugate() * b.rotation);
            (turn.length() > NEGLIGIBLE).then_some((node, turn))
        };
        let shift = |(node, (a, b)): (usize, (&crate::asset::Transform, &crate::asset::Transform))| {
            let shift = b.translation - a.translation;
            (shift.length() > NEGLIGIBLE).then_some((node, shift))
        };
        Self {
            time,
            before,
            after,
            turns: pairs().filter_map(turn).collect(),
            shifts: pairs().filter_map(shift).collect(),
        }
    }

    /// Returns whether all numbers are finite and in range.
    pub(super) fn is_valid(&self) -> bool {
        let windows = [self.before, self.after];
        self.time.is_finite()
            && windows.iter().all(|w| w.is_finite() && *w >= 0.0)
            && self.turns.iter().all(|(_, turn)| turn.abs().max_element() <= MAX_TURN)
            && self.shifts.iter().all(|(_, shift)| shift.is_finite())
    }

    /// Returns the edit's weight at a time: 0 outside its window, 1 at its own time.
    pub fn weight(&self, time: f32) -> f32 {
        self.weight_at_offset(time - self.time)
    }

    /// Returns the edit's weight in a motion that is played as a loop of `round` seconds, or only once if `round` is
    /// `None`.
    ///
    /// In a loop the window wraps around the ends, so that the weights at the start and at the end are equal. If the window is longer than
    /// the loop, the windows of successive rounds overlap. The largest of their weights is used rather than the sum, so that the weight
    /// never exceeds 1. An edit with a time outside the loop has no effect.
    pub fn weight_in(&self, time: f32, round: Option<f32>) -> f32 {
        let Some(round) = round.filter(|r| *r > 0.0) else { return self.weight(time) };
        if !(0.0..=round).contains(&self.time) {
            return 0.0;
        }
        let since = (time - self.time).rem_euclid(round);
        self.weight_at_offset(since).max(self.weight_at_offset(since - round))
    }

    /// Returns the weight `offset` seconds after the edit's time.
    fn weight_at_offset(&self, offset: f32) -> f32 {
        let window = if offset < 0.0 { self.before } else { self.after };
        match () {
            () if offset == 0.0 => 1.0,
            () if offset.abs() < window => ease(1.0 - offset.abs() / window),
            () => 0.0,
        }
    }
}

/// Adds edits to a pose. The rotation vectors of a joint are summed before they are applied, so that the order of the
/// edits does not matter. `round` is the same as for [`Edit::weight_in`], and `turns` is a scratch buffer.
pub(super) fn deform(
    edits: &[Edit],
    time: f32,
    round: Option<f32>,
    pose: &mut Pose,
    turns: &mut Vec<(usize, Vec3)>,
) {
    turns.clear();
    for edit in edits {
        let weight = edit.weight_in(time, round);
        if weight <= 0.0 {
            continue;
        }
        for &(node, turn) in &edit.turns {
            match turns.iter_mut().find(|(n, _)| *n == node) {
                Some((_, sum)) => *sum += turn * weight,
                None => turns.push((node, turn * weight)),
            }
        }
        for &(node, shift) in &edit.shifts {
            if let Some(local) = pose.locals.get_mut(node) {
                local.translation += shift * weight;
            }
        }
    }
    for &(node, turn) in turns.iter() {
        if let Some(local) = pose.locals.get_mut(node) {
            local.rotation = (local.rotation * Quat::from_scaled_axis(turn)).normalize();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;
    use crate::asset::{Character, mannequin};
    use crate::motion::{Motion, Player};

    static CHARACTER: LazyLock<Character> = LazyLock::new(|| mannequin().unwrap());

    fn pose(motion: &Motion, time: f32) -> Pose {
        let mut pose = Pose::rest(&CHARACTER.skeleton);
        let mut player = Player::default();
        player.looping = true;
        player.pose(&CHARACTER, motion, &[], time, &mut pose, &mut Vec::new());
        pose
    }

    /// Returns the largest difference between two poses at any joint, in rotation (radians) or in translation (metres).
    fn difference(a: &Pose, b: &Pose) -> f32 {
        let one = |(a, b): (&crate::asset::Transform, &crate::asset::Transform)| {
            let turn = rotation_vector(a.rotation.conjugate() * b.rotation).length();
            turn.max(a.translation.distance(b.translation))
        };
        a.locals.iter().zip(&b.locals).map(one).fold(0.0, f32::max)
    }

    fn vector() -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-0.9_f32..0.9).prop_map(Vec3::from_array)
    }

    fn edits() -> impl Strategy<Value = Vec<Edit>> {
        let windows = (0.0_f32..1.3, 0.05_f32..1.5, 0.05_f32..1.5);
        let one = (windows, vector(), vector()).prop_map(|((time, before, after), turn, shift)| {
            let (turns, shifts) = (vec![(4, turn), (5, turn)], vec![(1, shift)]);
            Edit { time, before, after, turns, shifts }
        });
        prop::collection::vec(one, 1..4)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// A walk is a cycle. After any edits, the walk must still end in its start pose and must never jump.
        #[test]
        fn a_loop_has_no_seam(edits in edits(), time in 0.0_f32..1.0) {
            let walk = CHARACTER.clips.iter().position(|c| c.name.as_deref() == Some("walk")).unwrap();
            let round = CHARACTER.clips[walk].seconds;
            let plain = Motion::clip(walk);
            let motion = Motion { edits, ..plain.clone() };
            prop_assert_eq!(motion.seconds(&CHARACTER.clips), round);
            let seam = difference(&pose(&motion, round), &pose(&motion, 0.0));
            prop_assert!(seam < difference(&pose(&plain, round), &pose(&plain, 0.0)) + 1e-4, "{seam}");
            let step = 1e-4;
            let across = difference(&pose(&motion, round - step), &pose(&motion, round + step));
            prop_assert!(across < 0.05, "{across}");
            prop_assert!(difference(&pose(&motion, time), &pose(&motion, time + 3.0 * round)) < 1e-3);
            for edit in motion.edits.iter().filter(|e| e.time <= round) {
                prop_assert_eq!(edit.weight_in(edit.time, Some(round)), 1.0);
            }
        }
    }

    #[test]
    fn an_edit_does_not_wrap_without_a_loop() {
        let edit = Edit { time: 0.9, before: 0.4, after: 0.4, ..Edit::default() };
        assert!(edit.weight_in(0.1, None) == 0.0 && edit.weight_in(0.1, Some(1.0)) > 0.4);
        assert!((edit.weight_in(0.1, Some(1.0)) - edit.weight(1.1)).abs() < 1e-6);
        assert_eq!(edit.weight_in(0.9, Some(0.0)), 1.0);
        // An edit beyond the end of the loop has no effect.
        assert_eq!(edit.weight_in(0.79, Some(0.8)), 0.0);
    }
}
