//! A posture keyed: what it is beyond the motion becomes an edit.

use glam::Vec3;

use crate::pose::Pose;

use super::mix::rotation_vector;
use super::{Edit, Motion};

/// Edits less than this apart, seconds, are of one time: a frame of sixty a second.
const SAME: f32 = 1.0 / 60.0;

/// Postures of a motion at one time, of one skeleton.
#[derive(Clone, Copy, Debug)]
pub struct Keyed<'a> {
    /// What it is without edits, and before a foot is held.
    pub bare: &'a Pose,
    /// What it is.
    pub own: &'a Pose,
    /// What it shall be.
    pub wanted: &'a Pose,
    /// Seconds of one round, where the motion is played as a loop.
    pub round: Option<f32>,
}

impl Motion {
    /// This motion, changed by an [`Edit`] so that it has a posture at a time, and over `reach` seconds before and after
    /// it comes from what it is and goes back to that. An edit that is less than a frame away takes the change in, and
    /// keeps its window. `None`: it has the posture already.
    ///
    /// Only joints that have to turn, or shift, are changed. Rotation vectors of edits add up before they turn a joint, so
    /// that a new one is what others in force at that time leave to be turned.
    pub fn keyed(&self, poses: Keyed<'_>, time: f32, reach: f32) -> Option<Self> {
        let Keyed { bare, own, wanted, round } = poses;
        let change = Edit::between(own, wanted, time, reach, reach);
        if change.turns.is_empty() && change.shifts.is_empty() {
            return None;
        }
        let mut motion = self.clone();
        let place = motion.edits.iter().position(|e| (e.time - time).abs() < SAME);
        let mut edit = match place {
            Some(place) => motion.edits.remove(place),
            None => Edit { turns: Vec::new(), shifts: Vec::new(), ..change.clone() },
        };
        edit.time = time;
        for &(node, _) in &change.turns {
            let (Some(from), Some(to)) = (bare.locals.get(node), wanted.locals.get(node)) else { continue };
            let whole = rotation_vector(from.rotation.conjugate() * to.rotation);
            let others: Vec3 =
                motion.edits.iter().map(|e| e.weight_in(time, round) * of(&e.turns, node)).sum();
            set(&mut edit.turns, node, whole - others);
        }
        for &(node, shift) in &change.shifts {
            let before = of(&edit.shifts, node);
            set(&mut edit.shifts, node, before + shift);
        }
        motion.edits.insert(place.unwrap_or(motion.edits.len()), edit);
        Some(motion)
    }
}

/// What is said of a node.
fn of(vectors: &[(usize, Vec3)], node: usize) -> Vec3 {
    vectors.iter().filter(|(n, _)| *n == node).map(|(_, v)| *v).sum()
}

fn set(vectors: &mut Vec<(usize, Vec3)>, node: usize, vector: Vec3) {
    vectors.retain(|(n, _)| *n != node);
    let place = vectors.partition_point(|(n, _)| *n < node);
    vectors.insert(place, (node, vector));
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use glam::Quat;
    use proptest::prelude::*;

    use super::*;
    use crate::asset::{Character, mannequin};
    use crate::motion::Player;

    static CHARACTER: LazyLock<Character> = LazyLock::new(|| mannequin().unwrap());

    fn pose(motion: &Motion, time: f32, again: bool) -> Pose {
        let mut pose = Pose::rest(&CHARACTER.skeleton);
        let mut player = Player::default();
        player.again = again;
        player.pose(&CHARACTER, motion, &[], time, &mut pose, &mut Vec::new());
        pose
    }

    fn vector() -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-0.9_f32..0.9).prop_map(Vec3::from_array)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Whatever edits there are, a keyed posture is met at its time, and other joints stay as they were.
        #[test]
        fn a_keyed_posture_is_met(
            edits in prop::collection::vec((0.0_f32..1.0, vector(), vector()), 0..3),
            time in 0.0_f32..1.0,
            turn in vector(),
            shift in vector(),
            again in any::<bool>(),
        ) {
            let there = |(time, turn, shift): (f32, Vec3, Vec3)| {
                let (turns, shifts) = (vec![(4, turn), (5, turn)], vec![(1, shift)]);
                Edit { time, before: 0.3, after: 0.5, turns, shifts }
            };
            let edits: Vec<Edit> = edits.into_iter().map(there).collect();
            let walk = CHARACTER.clips.iter().position(|c| c.name.as_deref() == Some("walk")).unwrap();
            let motion = Motion { edits, ..Motion::clip(walk) };
            let (own, bare) = (pose(&motion, time, again), pose(&Motion::clip(walk), time, again));
            let mut wanted = own.clone();
            let moved = &mut wanted.locals;
            moved[4].rotation = (moved[4].rotation * Quat::from_scaled_axis(turn)).normalize();
            moved[1].translation += shift;
            let poses = Keyed { bare: &bare, own: &own, wanted: &wanted, round: again.then_some(CHARACTER.clips[walk].seconds) };
            let keyed = motion.keyed(poses, time, 0.4).unwrap();
            prop_assert_eq!(keyed.fault(), None);
            let now = pose(&keyed, time, again);
            // One that took the change in has come nearer by less than a frame.
            let merged = keyed.edits.len() == motion.edits.len();
            for (node, (a, b)) in now.locals.iter().zip(&wanted.locals).enumerate() {
                let most = if merged && node != 4 && node != 1 { 0.02 } else { 1e-3 };
                // Not `angle_between`: the arc cosine of what is nearly one is a thousandth of a radian wrong.
                let away = rotation_vector(a.rotation.conjugate() * b.rotation).length();
                prop_assert!(away < most, "node {node}: {away}");
                prop_assert!(a.translation.distance(b.translation) < 0.02, "node {node}");
            }
            let same = Keyed { own: &now, wanted: &now, ..poses };
            prop_assert_eq!(keyed.keyed(same, time, 0.4), None);
        }
    }
}
