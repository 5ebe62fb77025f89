//! Keys of single joints: key poses that hold only some joints, and operations on them.

use std::collections::BTreeSet;

use crate::asset::{Skeleton, Transform};
use crate::pose::Pose;

use super::contact_times::carries;
use super::pose_key::{checked, is_same_time, pose_key_at};
use super::{Easing, Motion, PoseKey};

impl Motion {
    /// Returns the motion with the key poses of some joints moved from one time to another. Other joints of that key keep their time.
    /// Existing keys of the joints at the new time are replaced. Contacts of the end of a limb move with the keys of the limb. Returns
    /// `None` if there is no key of these joints.
    pub fn with_joint_keys_moved(
        &self,
        joints: &[usize],
        from: f32,
        to: f32,
        skeleton: &Skeleton,
    ) -> Option<Self> {
        let (mut motion, taken) = self.taken(joints, from, skeleton)?;
        let (to, first) = (checked(to)?, taken.time);
        motion.put(PoseKey { time: to, ..taken }, skeleton);
        let follows = |node: usize| carries(joints, skeleton, node);
        motion.carry([first; 2], |time| time + (to - first), follows);
        motion.split_contacts(self, |node, end| is_same_time(first, end) && follows(node));
        Some(motion)
    }

    /// Returns the motion with the key poses of some joints copied from one time to another, or `None` if there is no key of these joints.
    pub fn with_joint_keys_copied(
        &self,
        joints: &[usize],
        from: f32,
        to: f32,
        skeleton: &Skeleton,
    ) -> Option<Self> {
        let (_, taken) = self.taken(joints, from, skeleton)?;
        let mut motion = self.clone();
        motion.put(PoseKey { time: checked(to)?, ..taken }, skeleton);
        motion.split_contacts(self, |_, _| false);
        Some(motion)
    }

    /// Returns the motion with several key poses of joints moved to other times. If `copies` is set, the original keys are kept too. Each
    /// key is given by its joints and its time. All keys are removed before any key is inserted, so that they can pass each other.
    ///
    /// Returns `None` if none of these keys exists, or if a new time is not finite.
    pub fn with_joint_keys_retimed(
        &self,
        keys: &[(Vec<usize>, f32)],
        retimed: impl Fn(f32) -> f32,
        copies: bool,
        skeleton: &Skeleton,
    ) -> Option<Self> {
        let (mut left, mut moved) = (self.clone(), Vec::with_capacity(keys.len()));
        for (joints, time) in keys {
            let Some((rest, taken)) = left.taken(joints, *time, skeleton) else { continue };
            moved.push(PoseKey { time: checked(retimed(taken.time))?, ..taken });
            left = rest;
        }
        let mut motion = if copies { self.clone() } else { left };
        (!moved.is_empty()).then(|| {
            if !copies {
                motion.carry_all(keys, &retimed, skeleton);
            }
            moved.into_iter().for_each(|key| motion.put(key, skeleton));
            motion.split_contacts(self, |node, end| {
                let mut ends = keys.iter().filter(|(_, time)| is_same_time(*time, end));
                !copies && ends.any(|(joints, _)| carries(joints, skeleton, node))
            });
            motion
        })
    }

    /// Moves contacts and goal keys along with the given keys. Each key is given by its joints and its time.
    fn carry_all(&mut self, keys: &[(Vec<usize>, f32)], retimed: impl Fn(f32) -> f32, skeleton: &Skeleton) {
        let nodes: BTreeSet<usize> = self.contacts.iter().map(|contact| contact.node).collect();
        let nodes: BTreeSet<usize> =
            nodes.into_iter().chain(self.goals.iter().map(|goal| goal.node)).collect();
        for node in nodes {
            let own = keys.iter().filter(|(joints, _)| carries(joints, skeleton, node));
            let range = own.map(|(_, time)| *time).fold(None, |range: Option<[f32; 2]>, time| {
                Some(range.map_or([time; 2], |[first, last]| [first.min(time), last.max(time)]))
            });
            if let Some(range) = range {
                self.carry(range, &retimed, |other| other == node);
            }
        }
    }

    /// Returns the motion with some joints removed from the key pose at a time, or `None` if the key holds none of them. These joints are
    /// then interpolated between the previous and the next key.
    pub fn without_joint_keys(&self, joints: &[usize], time: f32, skeleton: &Skeleton) -> Option<Self> {
        self.taken(joints, time, skeleton).map(|(motion, _)| motion)
    }

    /// Takes some joints out of the key pose at a time. Returns the motion without them, and a key of only these joints.
    fn taken(&self, joints: &[usize], time: f32, skeleton: &Skeleton) -> Option<(Self, PoseKey)> {
        let joints: BTreeSet<usize> = joints.iter().copied().collect();
        let index = pose_key_at(&self.keys, time)?;
        let mut motion = self.clone();
        let key = motion.keys.get_mut(index)?;
        key.hold_explicitly(skeleton);
        let (taken, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut key.joints).into_iter().partition(|(node, _)| joints.contains(node));
        key.joints = rest;
        let (easings, left): (Vec<_>, Vec<_>) =
            std::mem::take(&mut key.easings).into_iter().partition(|(node, _)| joints.contains(node));
        key.easings = left;
        let taken = PoseKey {
            time: key.time,
            easing: key.easing,
            easings,
            partial: true,
            joints: taken,
            morphs: Vec::new(),
        };
        if key.is_empty() {
            motion.keys.remove(index);
        }
        (!taken.joints.is_empty()).then_some((motion, taken))
    }

    /// Adds a key of some joints. It is merged into the key at the same time if there is one.
    fn put(&mut self, key: PoseKey, skeleton: &Skeleton) {
        if let Some(known) = pose_key_at(&self.keys, key.time).and_then(|index| self.keys.get_mut(index)) {
            known.replace_joints(&key);
            known.complete(skeleton);
        } else {
            let index = self.keys.partition_point(|known| known.time < key.time);
            self.keys.insert(index, key);
        }
    }
}

impl PoseKey {
    pub(super) fn is_empty(&self) -> bool {
        self.partial && self.joints.is_empty() && self.morphs.is_empty()
    }

    /// Takes over the joints that another partial key holds.
    pub(super) fn replace_joints(&mut self, other: &Self) {
        let replaced: BTreeSet<usize> = other.joints.iter().map(|(node, _)| *node).collect();
        self.joints.retain(|(node, _)| !replaced.contains(node));
        self.joints.extend_from_slice(&other.joints);
        self.joints.sort_by_key(|(node, _)| *node);
        let easings: Vec<(usize, Easing)> =
            replaced.into_iter().map(|node| (node, other.easing_of(node))).collect();
        self.set_easings(&easings);
        if !other.morphs.is_empty() {
            self.morphs.clone_from(&other.morphs);
        }
    }

    /// Lists all joints of a key of the whole character, so that single joints can be removed.
    fn hold_explicitly(&mut self, skeleton: &Skeleton) {
        if self.partial {
            return;
        }
        let mut pose = Pose::default();
        self.write(skeleton, &mut pose);
        (self.partial, self.joints) = (true, pose.locals.into_iter().enumerate().collect());
        self.morphs = pose.weights;
    }

    /// Converts a partial key that holds everything to a key of the whole character.
    fn complete(&mut self, skeleton: &Skeleton) {
        let is_complete =
            self.joints.len() >= skeleton.nodes.len() && self.morphs.len() == skeleton.rest_weights.len();
        if self.partial && is_complete {
            let is_moved = |(node, local): &(usize, Transform)| {
                skeleton.nodes.get(*node).is_some_and(|node| node.rest != *local)
            };
            self.joints.retain(is_moved);
            self.partial = false;
            if self.morphs == skeleton.rest_weights {
                self.morphs.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::asset::mannequin;

    const ARM: usize = 10;
    const HEAD: usize = 5;

    fn skeleton() -> Skeleton {
        mannequin().unwrap().skeleton
    }

    /// Returns a motion with keys of the whole character, in which two joints turn about X.
    fn motion(skeleton: &Skeleton, angles: &[(f32, f32)]) -> Motion {
        let key = |&(time, angle): &(f32, f32)| {
            let mut pose = Pose::rest(skeleton);
            for node in [ARM, HEAD] {
                pose.locals[node].rotation *= Quat::from_rotation_x(angle);
            }
            PoseKey { easing: Easing::Linear, ..PoseKey::new(time, &pose, skeleton) }
        };
        Motion { keys: angles.iter().map(key).collect(), ..Motion::default() }
    }

    /// Returns the angle of a joint relative to the rest pose at a time.
    fn angle(motion: &Motion, skeleton: &Skeleton, node: usize, time: f32) -> f32 {
        let mut pose = Pose::rest(skeleton);
        motion.sample_keys(skeleton, time, &mut pose);
        let turn = skeleton.nodes[node].rest.rotation.conjugate() * pose.locals[node].rotation;
        2.0 * turn.x.atan2(turn.w)
    }

    fn near(a: f32, b: f32) -> bool {
        (a - b).abs() < 1e-3
    }

    #[test]
    fn a_joint_is_interpolated_between_the_keys_that_hold_it() {
        let skeleton = skeleton();
        let full = motion(&skeleton, &[(0.0, 0.0), (1.0, 1.0), (2.0, 0.0)]);
        let without = full.without_joint_keys(&[ARM], 1.0, &skeleton).unwrap();
        assert_eq!(without.validate(), Ok(()));
        assert!(near(angle(&without, &skeleton, ARM, 1.0), 0.0));
        assert!(near(angle(&without, &skeleton, HEAD, 1.0), 1.0));
        // A key that loses all its joints is removed.
        let all: Vec<usize> = (0..skeleton.nodes.len()).collect();
        let gone = full.without_joint_keys(&all, 1.0, &skeleton).unwrap();
        assert!(gone.keys.len() == 2 || !skeleton.rest_weights.is_empty());
        assert_eq!(full.without_joint_keys(&[ARM], 0.5, &skeleton), None);
        assert_eq!(full.without_joint_keys(&[usize::MAX], 1.0, &skeleton), None);
    }

    #[test]
    fn keys_of_a_joint_are_moved_and_copied() {
        let skeleton = skeleton();
        let full = motion(&skeleton, &[(0.0, 0.0), (1.0, 1.0), (2.0, 0.0)]);
        let moved = full.with_joint_keys_moved(&[ARM], 1.0, 1.5, &skeleton).unwrap();
        assert_eq!(moved.keys.len(), 4);
        assert!(
            near(angle(&moved, &skeleton, ARM, 1.5), 1.0) && near(angle(&moved, &skeleton, HEAD, 1.5), 0.5)
        );
        assert!(near(angle(&moved, &skeleton, ARM, 1.0), 2.0 / 3.0));
        // After the joint is moved back, the key is again a key of the whole character.
        assert_eq!(moved.with_joint_keys_moved(&[ARM], 1.5, 1.0, &skeleton).unwrap(), full);
        let copied = full.with_joint_keys_copied(&[ARM, HEAD], 1.0, 2.0, &skeleton).unwrap();
        assert_eq!(copied.keys.len(), 3);
        assert!(near(angle(&copied, &skeleton, ARM, 2.0), 1.0));
        assert!(!copied.keys[2].partial);
        assert_eq!(full.with_joint_keys_moved(&[ARM], 1.0, f32::NAN, &skeleton), None);
        // Keys that are moved together may pass each other, and can be stretched about a time.
        let chosen = [(vec![ARM], 0.0), (vec![ARM], 1.0)];
        let swapped = full.with_joint_keys_retimed(&chosen, |time| 1.0 - time, false, &skeleton).unwrap();
        assert!(
            near(angle(&swapped, &skeleton, ARM, 0.0), 1.0)
                && near(angle(&swapped, &skeleton, ARM, 1.0), 0.0)
        );
        assert!(near(angle(&swapped, &skeleton, HEAD, 1.0), 1.0));
        assert_eq!(
            swapped.with_joint_keys_retimed(&chosen, |time| 1.0 - time, false, &skeleton).unwrap(),
            full
        );
        let stretched = full.with_joint_keys_retimed(&chosen, |time| 1.5 * time, true, &skeleton).unwrap();
        assert!(near(angle(&stretched, &skeleton, ARM, 1.25), 1.0), "the key at 1 s stays");
        assert_eq!(full.with_joint_keys_retimed(&chosen, |_| f32::NAN, false, &skeleton), None);
        assert_eq!(full.with_joint_keys_retimed(&[(vec![ARM], 7.0)], |t| t, false, &skeleton), None);
        // The easing belongs to the joint and moves with the joint's key.
        let stepped = full.with_joint_easing(&[ARM], 0.0, Easing::Stepped).unwrap();
        assert!(
            near(angle(&stepped, &skeleton, ARM, 0.9), 0.0)
                && near(angle(&stepped, &skeleton, HEAD, 0.9), 0.9)
        );
        let later = stepped.with_joint_keys_moved(&[ARM], 0.0, 0.5, &skeleton).unwrap();
        assert!(
            near(angle(&later, &skeleton, ARM, 0.9), 0.0) && near(angle(&later, &skeleton, HEAD, 0.9), 0.9)
        );
        assert_eq!(later.with_joint_keys_moved(&[ARM], 0.5, 0.0, &skeleton).unwrap(), stepped);
        assert_eq!(stepped.with_joint_easing(&[ARM], 0.0, Easing::Linear).unwrap(), full);
        // Moving the whole key of some joints does not replace other joints.
        let merged = moved.with_key_moved(1.5, 2.0, &skeleton).unwrap();
        assert!(
            near(angle(&merged, &skeleton, ARM, 2.0), 1.0) && near(angle(&merged, &skeleton, HEAD, 2.0), 0.0)
        );
    }
}
