//! Moves contacts and goals along with keys: the ends of contacts and the keys of goals move with the keys at the same time. Contacts that
//! reach around the end of a loop are split if the end moves away from them.

use crate::asset::Skeleton;

use super::pose_key::SAME_TIME;
use super::{Contact, GoalKey, Motion};

/// Number of joints of a limb whose keys carry the contacts and the goal of its end: the end, and the two joints above it.
const LIMB: usize = 3;

impl Motion {
    /// When keys at times from `first` to `last` are moved, moves the ends of contacts and the keys of goals at these times with them.
    /// `carries` returns whether the moved keys carry a node. A contact whose ends would meet or pass each other stays unchanged. An existing
    /// key of the same goal at the new time is replaced.
    pub(super) fn carry(
        &mut self,
        [first, last]: [f32; 2],
        retimed: impl Fn(f32) -> f32,
        carries: impl Fn(usize) -> bool,
    ) {
        let moves = |time: f32| time > first - SAME_TIME && time < last + SAME_TIME;
        let moved = |time: f32| if moves(time) { retimed(time).max(0.0) } else { time };
        for contact in self.contacts.iter_mut().filter(|contact| carries(contact.node)) {
            let new = Contact { from: moved(contact.from), to: moved(contact.to), ..*contact };
            if new.error().is_none() && new.wraps() == contact.wraps() {
                *contact = new;
            }
        }
        let goals = std::mem::take(&mut self.goals);
        let (carried, stay): (Vec<_>, Vec<_>) =
            goals.into_iter().partition(|goal| carries(goal.node) && moves(goal.time));
        self.goals = stay;
        for goal in carried {
            self.put_goal(GoalKey { time: moved(goal.time), ..goal });
        }
    }

    /// Returns the motion with another duration in seconds, or with the duration of its content. If it ends later, contacts that
    /// [wrap](Contact::wraps) become two contacts, the first of which ends where the motion ended.
    #[must_use]
    pub fn with_duration(&self, duration: Option<f32>) -> Self {
        let mut motion = Self { duration, ..self.clone() };
        motion.split_contacts(self, |_, _| false);
        motion
    }

    /// If this motion ends later than the motion `before` from which it was made, splits the contacts that reach around the end, so that they
    /// do not hold their points in keys after the former end. `goes_along` returns whether a node's key at the former end has moved to
    /// the new end. The contacts of such a node still wrap.
    pub(super) fn split_contacts(&mut self, before: &Self, goes_along: impl Fn(usize, f32) -> bool) {
        let end = end_with_keys(before);
        if !self.takes_keys() || end_with_keys(self) <= end {
            return;
        }
        let mut added = Vec::new();
        let reaches = |contact: &&mut Contact| contact.wraps() && contact.from < end;
        for contact in self.contacts.iter_mut().filter(reaches) {
            let mut parts = contact.parts(end).filter(|part| part.error().is_none());
            if !goes_along(contact.node, end)
                && let Some(first) = parts.next()
            {
                *contact = first;
                added.extend(parts);
            }
        }
        self.contacts.append(&mut added);
    }
}

/// Returns the time in seconds by which a motion without strips and all its keys have ended.
fn end_with_keys(motion: &Motion) -> f32 {
    let keys = motion.keys.iter().map(|key| key.time).chain(motion.goals.iter().map(|goal| goal.time));
    keys.fold(motion.seconds(&[]), f32::max)
}

/// Returns whether the keys of `joints` carry the contacts and the goal of a node.
pub(super) fn carries(joints: &[usize], skeleton: &Skeleton, node: usize) -> bool {
    skeleton.ancestors(node).take(LIMB).any(|above| joints.contains(&above))
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::asset::{Node, Transform};
    use crate::motion::{Easing, PoseKey};

    fn motion() -> Motion {
        let key = |time| PoseKey { time, ..PoseKey::default() };
        let contact = |node, from, to| Contact { node, point: Vec3::ZERO, from, to, slides: false, on: None };
        Motion {
            keys: [0.0, 1.0, 2.0].map(key).into(),
            contacts: vec![contact(3, 0.0, 1.0), contact(1, 1.0, 1.5), contact(3, 1.2, 1.8)],
            ..Motion::default()
        }
    }

    /// Returns a chain of four joints.
    fn skeleton() -> Skeleton {
        let nodes: Vec<Node> = (0..4_usize)
            .map(|i| Node { parent: i.checked_sub(1), rest: Transform::IDENTITY, ..Node::new("joint") })
            .collect();
        Skeleton::new(nodes).unwrap()
    }

    fn spans(motion: &Motion) -> Vec<(f32, f32)> {
        assert_eq!(motion.validate(), Ok(()));
        motion.contacts.iter().map(|c| (c.from, c.to)).collect()
    }

    #[test]
    fn a_key_that_moves_carries_the_contacts_that_begin_or_end_there() {
        let skeleton = skeleton();
        let moved = |from, to| motion().with_key_moved(from, to, &skeleton).unwrap();
        assert_eq!(spans(&moved(1.0, 1.25)), [(0.0, 1.25), (1.25, 1.5), (1.2, 1.8)]);
        // The first contact would be empty, and the second one would end before it starts.
        assert_eq!(spans(&moved(0.0, 1.5))[0], (0.0, 1.0));
        assert_eq!(spans(&moved(1.0, 1.5))[1], (1.0, 1.5));
        assert_eq!(spans(&motion().with_key_copied(1.0, 1.25).unwrap()), spans(&motion()));
    }

    #[test]
    fn both_ends_of_a_contact_around_the_end_of_a_loop_are_carried() {
        let skeleton = skeleton();
        let mut motion = motion();
        motion.contacts.truncate(1);
        (motion.contacts[0].from, motion.contacts[0].to) = (2.0, 1.0);
        let moved = |from, to| spans(&motion.with_key_moved(from, to, &skeleton).unwrap());
        assert_eq!(moved(1.0, 0.5), [(2.0, 0.5)]);
        assert_eq!(moved(2.0, 1.5), [(1.5, 1.0)]);
        // The contact would no longer reach around the end.
        assert_eq!(moved(1.0, 2.5), [(2.0, 1.0)]);
        let keys: Vec<(Vec<usize>, f32)> = [0.0, 1.0, 2.0].map(|time| (vec![2, 3], time)).into();
        let stretched = motion.with_joint_keys_retimed(&keys, |time| 2.0 * time, false, &skeleton).unwrap();
        assert_eq!(spans(&stretched), [(4.0, 2.0)]);
    }

    /// Regression test: the contact also held its point in keys after the former end of the loop.
    #[test]
    fn a_contact_around_the_end_is_split_if_the_motion_becomes_longer() {
        let skeleton = skeleton();
        let mut motion = motion();
        motion.contacts.truncate(1);
        (motion.contacts[0].from, motion.contacts[0].to) = (1.5, 0.5);
        let (kept, split) = ([(1.5, 0.5)], [(1.5, 2.0), (0.0, 0.5)]);
        let with_key = |time| spans(&motion.with_key(PoseKey { time, ..PoseKey::default() }));
        assert_eq!(with_key(3.0), split);
        assert_eq!(with_key(1.25), kept);
        let goal = GoalKey {
            node: 0,
            time: 3.0,
            position: Vec3::ZERO,
            orientation: None,
            weight: 1.0,
            easing: Easing::Linear,
            on: None,
        };
        assert_eq!(spans(&motion.with_goal_key(goal)), split);
        let lasting = |seconds| motion.with_duration(Some(seconds));
        assert_eq!(spans(&lasting(3.0)), split);
        assert_eq!(spans(&lasting(1.75)), kept);
        // A longer motion still ends before its last key.
        assert_eq!(spans(&lasting(1.75).with_duration(Some(2.0))), kept);
        assert_eq!(spans(&motion.with_key_copied(1.0, 3.0).unwrap()), split);
        assert_eq!(spans(&motion.with_joint_keys_copied(&[2], 1.0, 3.0, &skeleton).unwrap()), split);
        let moved = |from, to| spans(&motion.with_key_moved(from, to, &skeleton).unwrap());
        let joints = |joint: usize, from, to| {
            spans(&motion.with_joint_keys_moved(&[joint], from, to, &skeleton).unwrap())
        };
        let retimed = |joint: usize, copies| {
            let keys: Vec<(Vec<usize>, f32)> = [0.0, 1.0, 2.0].map(|time| (vec![joint], time)).into();
            spans(&motion.with_joint_keys_retimed(&keys, |time| 1.5 * time, copies, &skeleton).unwrap())
        };
        assert_eq!(moved(1.0, 3.0), split);
        assert_eq!(joints(2, 1.0, 3.0), split);
        assert_eq!(retimed(2, true), split);
        // The last key of the limb moves with the end, but a key of another joint does not.
        assert_eq!(moved(2.0, 3.0), kept);
        assert_eq!(joints(2, 2.0, 3.0), kept);
        assert_eq!(joints(0, 2.0, 3.0), split);
        assert_eq!(retimed(2, false), [(2.25, 0.75)]);
    }

    /// Regression test: contacts moved only with a key of the limb's end itself.
    #[test]
    fn a_key_of_some_joints_of_a_limb_carries_the_contacts_of_its_end_only() {
        let mut motion = motion();
        let key = &mut motion.keys[1];
        (key.partial, key.joints) = (true, vec![(2, Transform::IDENTITY)]);
        let moved = motion.with_key_moved(1.0, 1.25, &skeleton()).unwrap();
        assert_eq!(spans(&moved), [(0.0, 1.25), (1.0, 1.5), (1.2, 1.8)]);
    }

    #[test]
    fn keys_of_a_limb_stretch_the_contacts_of_its_end_only() {
        let skeleton = skeleton();
        let keys: Vec<(Vec<usize>, f32)> = [0.0, 1.0, 2.0].map(|time| (vec![2, 3], time)).into();
        let stretched =
            |copies| motion().with_joint_keys_retimed(&keys, |time| 2.0 * time, copies, &skeleton).unwrap();
        assert_eq!(spans(&stretched(false)), [(0.0, 2.0), (1.0, 1.5), (2.4, 3.6)]);
        assert_eq!(spans(&stretched(true)), spans(&motion()));
        let moved = motion().with_joint_keys_moved(&[2], 1.0, 0.5, &skeleton).unwrap();
        assert_eq!(spans(&moved), [(0.0, 0.5), (1.0, 1.5), (1.2, 1.8)]);
    }
}
