//! Keys a posture: stores its difference from the motion as an edit.

use glam::Vec3;

use crate::pose::Pose;

use super::blend::rotation_vector;
use super::pose_key::SAME_TIME;
use super::{Edit, Motion};

/// The postures from which a key is computed. All are poses of the same skeleton at the same time of a motion.
#[derive(Clone, Copy, Debug)]
pub struct Keyed<'a> {
    /// The motion without edits and contact constraints.
    pub bare: &'a Pose,
    /// The motion with its edits and contact constraints.
    pub own: &'a Pose,
    /// The posture to reach.
    pub wanted: &'a Pose,
    /// Length of the loop in seconds, or `None` if the motion is not played as a loop.
    pub round: Option<f32>,
}

impl Motion {
    /// Returns this motion with an [`Edit`] that makes it reach a posture at a time, or `None` if it already reaches
    /// that posture.
    ///
    /// The edit fades in and out over `reach` seconds before and after that time. If an existing edit is less than a
    /// frame away, it is changed instead and keeps its window.
    ///
    /// Only joints that differ are changed. The rotation vectors of all edits of a joint are summed before they are
    /// applied, so the new one is the total rotation minus the weighted sum of the others.
    pub fn keyed(&self, poses: Keyed<'_>, time: f32, reach: f32) -> Option<Self> {
        let Keyed { bare, own, wanted, round } = poses;
        let change = Edit::between(own, wanted, time, reach, reach);
        if change.turns.is_empty() && change.shifts.is_empty() {
            return None;
        }
        let mut motion = self.clone();
        let index = motion.edits.iter().position(|e| (e.time - time).abs() < SAME_TIME);
        let mut edit = match index {
            Some(index) => motion.edits.remove(index),
            None => Edit { turns: Vec::new(), shifts: Vec::new(), ..change.clone() },
        };
        edit.time = time;
        for &(node, _) in &change.turns {
            let (Some(from), Some(to)) = (bare.locals.get(node), wanted.locals.get(node)) else { continue };
            let total = rotation_vector(from.rotation.conjugate() * to.rotation);
            let others: Vec3 =
                motion.edits.iter().map(|e| e.weight_in(time, round) * vector_of(&e.turns, node)).sum();
            set_vector(&mut edit.turns, node, total - others);
        }
        for &(node, shift) in &change.shifts {
            let before = vector_of(&edit.shifts, node);
            set_vector(&mut edit.shifts, node, before + shift);
        }
        motion.edits.insert(index.unwrap_or(motion.edits.len()), edit);
        Some(motion)
    }
}

/// Returns the sum of a node's vectors.
fn vector_of(vectors: &[(usize, Vec3)], node: usize) -> Vec3 {
    vectors.iter().filter(|(n, _)| *n == node).map(|(_, v)| *v).sum()
}

fn set_vector(vectors: &mut Vec<(usize, Vec3)>, node: usize, vector: Vec3) {
    vectors.retain(|(n, _)| *n != node);
    let index = vectors.partition_point(|(n, _)| *n < node);
    vectors.insert(index, (node, vector));
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

    fn pose(motion: &Motion, time: f32, looping: bool) -> Pose {
        let mut pose = Pose::rest(&CHARACTER.skeleton);
        let mut player = Player::default();
        player.looping = looping;
        player.pose(&CHARACTER, motion, &[], time, &mut pose, &mut Vec::new());
        pose
    }

    fn vector() -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-0.9_f32..0.9).prop_map(Vec3::from_array)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Whatever edits exist already, a keyed posture is reached at its time and the other joints do not change.
        #[test]
        fn a_keyed_posture_is_reached(
            edits in prop::collection::vec((0.0_f32..1.0, vector(), vector()), 0..3),
            time in 0.0_f32..1.0,
            turn in vector(),
            shift in vector(),
            looping in any::<bool>(),
        ) {
            let edit = |(time, turn, shift): (f32, Vec3, Vec3)| {
                let (turns, shifts) = (vec![(4, turn), (5, turn)], vec![(1, shift)]);
                Edit { time, before: 0.3, after: 0.5, turns, shifts }
            };
            let edits: Vec<Edit> = edits.into_iter().map(edit).collect();
            let walk = CHARACTER.clips.iter().position(|c| c.name.as_deref() == Some("walk")).unwrap();
            let motion = Motion { edits, ..Motion::clip(walk) };
            let (own, bare) = (pose(&motion, time, looping), pose(&Motion::clip(walk), time, looping));
            let mut wanted = own.clone();
            let moved = &mut wanted.locals;
            moved[4].rotation = (moved[4].rotation * Quat::from_scaled_axis(turn)).normalize();
            moved[1].translation += shift;
            let poses = Keyed { bare: &bare, own: &own, wanted: &wanted, round: looping.then_some(CHARACTER.clips[walk].seconds) };
            let keyed = motion.keyed(poses, time, 0.4).unwrap();
            prop_assert_eq!(keyed.validate(), Ok(()));
            let now = pose(&keyed, time, looping);
            // If an existing edit was changed, its time has moved by less than a frame, which affects other joints.
            let merged = keyed.edits.len() == motion.edits.len();
            for (node, (a, b)) in now.locals.iter().zip(&wanted.locals).enumerate() {
                let limit = if merged && node != 4 && node != 1 { 0.02 } else { 1e-3 };
                // `angle_between` is not used, because the arc cosine of a number close to one has an error of about
                // 1e-3 radians.
                let angle = rotation_vector(a.rotation.conjugate() * b.rotation).length();
                prop_assert!(angle < limit, "node {node}: {angle}");
                prop_assert!(a.translation.distance(b.translation) < 0.02, "node {node}");
            }
            let same = Keyed { own: &now, wanted: &now, ..poses };
            prop_assert_eq!(keyed.keyed(same, time, 0.4), None);
        }
    }
}
