//! Changes of a motion that keep its detail: displacements, spread over a while.

use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::pose::Pose;

use super::mix::{ease, rotation_vector};

/// Smaller turns, radians, and shifts, metres, are no change.
const NOTHING: f32 = 1e-6;
/// The largest turn about an axis, radians: of a larger one single precision knows no angle, and its square overflows.
const MOST_TURN: f32 = 1e5;

/// A changed posture at a time, as what it is beyond the motion's own: it grows before, wanes after, and lies on top of
/// whatever the motion does there (displacement mapping: Bruderlin & Williams 1995; motion warping: Witkin & Popović
/// 1995). Several add up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// When it is whole, seconds on the line.
    pub time: f32,
    /// How long it grows, seconds.
    pub before: f32,
    /// How long it wanes, seconds.
    pub after: f32,
    /// Rotation vectors by node, radians, in the joint's own frame.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<(usize, Vec3)>,
    /// Shifts by node, in the parent's space: those of the root, most of all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shifts: Vec<(usize, Vec3)>,
}

impl Edit {
    /// What takes one posture to another, at a time, over a window before and after it. Where other edits are in force
    /// at that time, both postures hold them already.
    pub fn between(from: &Pose, to: &Pose, time: f32, before: f32, after: f32) -> Self {
        let pairs = || from.locals.iter().zip(&to.locals).enumerate();
        let turn = |(node, (a, b)): (usize, (&crate::asset::Transform, &crate::asset::Transform))| {
            let turn = rotation_vector(a.rotation.conjugate() * b.rotation);
            (turn.length() > NOTHING).then_some((node, turn))
        };
        let shift = |(node, (a, b)): (usize, (&crate::asset::Transform, &crate::asset::Transform))| {
            let shift = b.translation - a.translation;
            (shift.length() > NOTHING).then_some((node, shift))
        };
        Self {
            time,
            before,
            after,
            turns: pairs().filter_map(turn).collect(),
            shifts: pairs().filter_map(shift).collect(),
        }
    }

    /// Whether every number in it is finite and means something.
    pub(super) fn is_sound(&self) -> bool {
        let windows = [self.before, self.after];
        self.time.is_finite()
            && windows.iter().all(|w| w.is_finite() && *w >= 0.0)
            && self.turns.iter().all(|(_, turn)| turn.abs().max_element() <= MOST_TURN)
            && self.shifts.iter().all(|(_, shift)| shift.is_finite())
    }

    /// From 0, outside its window, to 1, at its time.
    pub fn weight(&self, time: f32) -> f32 {
        self.away(time - self.time)
    }

    /// The same in what is played as a loop of `round` seconds; `None`: in what is not. Its window reaches round the
    /// ends, so that the last moment has the weight of the first. Where a window is longer than the loop, the nearest
    /// round counts, not the sum: at its time the edit is whole and no more. One whose time is not in the loop is in no
    /// round.
    pub fn weight_in(&self, time: f32, round: Option<f32>) -> f32 {
        let Some(round) = round.filter(|r| *r > 0.0) else { return self.weight(time) };
        if !(0.0..=round).contains(&self.time) {
            return 0.0;
        }
        let since = (time - self.time).rem_euclid(round);
        self.away(since).max(self.away(since - round))
    }

    /// So many seconds after its time.
    fn away(&self, away: f32) -> f32 {
        let reach = if away < 0.0 { self.before } else { self.after };
        match () {
            () if away == 0.0 => 1.0,
            () if away.abs() < reach => ease(1.0 - away.abs() / reach),
            () => 0.0,
        }
    }
}

/// Puts edits on top of a pose. Rotation vectors of one joint are summed before they turn it, so that no order counts.
/// `round`: as for [`Edit::weight_in`]; `turns` is room to work in.
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
        player.again = true;
        player.pose(&CHARACTER, motion, &[], time, &mut pose, &mut Vec::new());
        pose
    }

    /// The largest turn of a joint, radians, or way, metres, from one pose to another.
    fn apart(a: &Pose, b: &Pose) -> f32 {
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
        /// A walk is a cycle: with whatever edits it ends in the pose that it begins with, and nowhere jumps.
        #[test]
        fn a_loop_has_no_seam(edits in edits(), time in 0.0_f32..1.0) {
            let walk = CHARACTER.clips.iter().position(|c| c.name.as_deref() == Some("walk")).unwrap();
            let round = CHARACTER.clips[walk].seconds;
            let plain = Motion::clip(walk);
            let motion = Motion { edits, ..plain.clone() };
            prop_assert_eq!(motion.seconds(&CHARACTER.clips), round);
            let seam = apart(&pose(&motion, round), &pose(&motion, 0.0));
            prop_assert!(seam < apart(&pose(&plain, round), &pose(&plain, 0.0)) + 1e-4, "{seam}");
            let step = 1e-4;
            let over = apart(&pose(&motion, round - step), &pose(&motion, round + step));
            prop_assert!(over < 0.05, "{over}");
            prop_assert!(apart(&pose(&motion, time), &pose(&motion, time + 3.0 * round)) < 1e-3);
            for edit in motion.edits.iter().filter(|e| e.time <= round) {
                prop_assert_eq!(edit.weight_in(edit.time, Some(round)), 1.0);
            }
        }
    }

    #[test]
    fn without_a_loop_an_edit_is_cut() {
        let edit = Edit { time: 0.9, before: 0.4, after: 0.4, ..Edit::default() };
        assert!(edit.weight_in(0.1, None) == 0.0 && edit.weight_in(0.1, Some(1.0)) > 0.4);
        assert!((edit.weight_in(0.1, Some(1.0)) - edit.weight(1.1)).abs() < 1e-6);
        assert_eq!(edit.weight_in(0.9, Some(0.0)), 1.0);
        // What lies beyond the end is in no round.
        assert_eq!(edit.weight_in(0.79, Some(0.8)), 0.0);
    }
}
