//! Adds key poses to a motion, and copies, moves and removes key poses and edits by their times.

use crate::asset::Skeleton;
use crate::pose::Pose;

use super::contact_times::carries;
use super::pose_key::{SAME_TIME, checked, is_same_time};
use super::{Easing, GoalKey, Motion, PoseKey, sample_keys};

/// A key of a motion, by its index.
#[derive(Clone, Copy, Debug)]
enum Key {
    Pose(usize),
    Edit(usize),
}

impl Motion {
    /// Returns whether the motion consists of key poses only.
    pub fn has_only_keys(&self) -> bool {
        !self.keys.is_empty() && self.strips.is_empty() && self.layers.is_empty() && self.edits.is_empty()
    }

    /// Returns whether key poses can be added, which is possible only if nothing else determines the pose.
    pub fn takes_keys(&self) -> bool {
        self.strips.is_empty() && self.layers.is_empty() && self.edits.is_empty()
    }

    /// Writes the pose that results from the key poses at a time in seconds. Without keys, the pose is unchanged.
    pub fn sample_keys(&self, skeleton: &Skeleton, time: f32, pose: &mut Pose) {
        sample_keys::sample(&self.keys, skeleton, time, pose, &mut Pose::default());
    }

    /// Returns the motion with a key pose. If there is already a key at that time, the new key takes over that key's time and easings. If the
    /// motion becomes longer, contacts that [wrap](super::Contact::wraps) are split as in [`Motion::with_duration`].
    ///
    /// ```
    /// use sinew_character::asset::{Node, Skeleton};
    /// use sinew_character::glam::Quat;
    /// use sinew_character::motion::{Easing, Motion, PoseKey};
    /// use sinew_character::pose::Pose;
    ///
    /// let skeleton = Skeleton::new(vec![Node::new("door")])?;
    /// let closed = Pose::rest(&skeleton);
    /// let mut open = closed.clone();
    /// open.locals[0].rotation = Quat::from_rotation_y(1.0);
    /// let key = |seconds, pose| PoseKey { easing: Easing::Linear, ..PoseKey::new(seconds, pose, &skeleton) };
    /// let motion = Motion::default().with_key(key(0.0, &closed)).with_key(key(2.0, &open));
    ///
    /// let mut pose = closed.clone();
    /// motion.sample_keys(&skeleton, 0.5, &mut pose);
    /// assert!(pose.locals[0].rotation.abs_diff_eq(Quat::from_rotation_y(0.25), 1e-6));
    /// # Ok::<(), sinew_character::asset::SkeletonError>(())
    /// ```
    #[must_use]
    pub fn with_key(&self, key: PoseKey) -> Self {
        let mut motion = self.clone();
        match motion.keys.iter_mut().find(|k| is_same_time(k.time, key.time)) {
            Some(known) => {
                let easings = std::mem::take(&mut known.easings);
                *known = PoseKey { time: known.time, easing: known.easing, easings, ..key };
            }
            None => {
                let index = motion.keys.partition_point(|k| k.time < key.time);
                motion.keys.insert(index, key);
            }
        }
        motion.split_contacts(self, |_, _| false);
        motion
    }

    /// Returns the times of all keys (of poses, edits and goals) in seconds, sorted and without duplicates.
    pub fn key_times(&self) -> Vec<f32> {
        let mut times: Vec<f32> =
            self.keys.iter().map(|k| k.time).chain(self.edits.iter().map(|e| e.time)).collect();
        times.extend(self.goals.iter().map(|g| g.time));
        times.sort_by(f32::total_cmp);
        times.dedup();
        times
    }

    /// Returns the motion with the key at `from` moved to `to`, or `None` if there is no key. An existing key at the new time is replaced.
    /// Contacts that begin or end at a key pose move with it, and so do goal keys at its time. Contacts and goals of a limb's end move with
    /// keys of the limb.
    pub fn with_key_moved(&self, from: f32, to: f32, skeleton: &Skeleton) -> Option<Self> {
        let (mut motion, to) = (self.moved(from, to)?, checked(to)?);
        if let Key::Pose(index) = self.key_at(from)? {
            let key = self.keys.get(index)?;
            let joints: Vec<usize> = key.joints.iter().map(|(joint, _)| *joint).collect();
            let follows = |node: usize| !key.partial || carries(&joints, skeleton, node);
            motion.carry([key.time; 2], |time| time + (to - key.time), follows);
            motion.split_contacts(self, |node, end| is_same_time(key.time, end) && follows(node));
        }
        Some(motion)
    }

    /// Like [`Self::with_key_moved`], but contacts stay in place.
    fn moved(&self, from: f32, to: f32) -> Option<Self> {
        let to = checked(to)?;
        let mut motion = self.clone();
        match self.key_at(from)? {
            Key::Pose(index) => {
                let mut key = motion.keys.remove(index);
                key.time = to;
                // A key of some joints replaces only these joints.
                if let Some(known) = motion.keys.iter_mut().find(|k| key.partial && is_same_time(k.time, to))
                {
                    known.replace_joints(&key);
                    return Some(motion);
                }
                motion.keys.retain(|k| !is_same_time(k.time, to));
                let index = motion.keys.partition_point(|k| k.time < to);
                motion.keys.insert(index, key);
            }
            Key::Edit(index) => {
                let mut edit = motion.edits.remove(index);
                edit.time = to;
                motion.edits.retain(|e| !is_same_time(e.time, to));
                motion.edits.push(edit);
            }
        }
        Some(motion)
    }

    /// Returns the motion with the key at `from` copied to `to`, or `None` if there is no key. An existing key at the new time is replaced.
    /// If the key holds the whole pose, the goal keys at its time are copied too.
    pub fn with_key_copied(&self, from: f32, to: f32) -> Option<Self> {
        let to = checked(to)?;
        if is_same_time(from, to) {
            return None;
        }
        let mut motion = self.clone();
        match self.key_at(from)? {
            Key::Pose(index) => motion.keys.insert(index, self.keys.get(index)?.clone()),
            Key::Edit(index) => motion.edits.insert(index, self.edits.get(index)?.clone()),
        }
        // The original key keeps its contacts.
        let mut motion = motion.moved(from, to)?;
        let is_whole = |key: &&PoseKey| !key.partial && is_same_time(key.time, from);
        if let Some(key) = self.keys.iter().find(is_whole) {
            for goal in self.goals.iter().filter(|goal| is_same_time(goal.time, key.time)) {
                motion.put_goal(GoalKey { time: to, ..*goal });
            }
        }
        motion.split_contacts(self, |_, _| false);
        Some(motion)
    }

    /// Returns the motion without the key at a time, or `None` if there is no key.
    pub fn without_key(&self, time: f32) -> Option<Self> {
        let mut motion = self.clone();
        match self.key_at(time)? {
            Key::Pose(index) => drop(motion.keys.remove(index)),
            Key::Edit(index) => drop(motion.edits.remove(index)),
        }
        Some(motion)
    }

    /// Returns the motion with a new easing from the key pose at a time to the next one, or `None` if there is no key pose.
    pub fn with_easing(&self, time: f32, easing: Easing) -> Option<Self> {
        let Key::Pose(index) = self.key_at(time)? else { return None };
        let mut motion = self.clone();
        motion.keys.get_mut(index)?.easing = easing;
        Some(motion)
    }

    /// Returns the motion with a new easing of some joints from the key pose at a time to the next one, or `None` if there is no key
    /// pose.
    pub fn with_joint_easing(&self, joints: &[usize], time: f32, easing: Easing) -> Option<Self> {
        let Key::Pose(index) = self.key_at(time)? else { return None };
        let mut motion = self.clone();
        let easings: Vec<(usize, Easing)> = joints.iter().map(|&node| (node, easing)).collect();
        motion.keys.get_mut(index)?.set_easings(&easings);
        Some(motion)
    }

    /// Returns the key nearest to a time, at most a frame away.
    fn key_at(&self, time: f32) -> Option<Key> {
        let poses = self.keys.iter().enumerate().map(|(i, key)| (key.time, Key::Pose(i)));
        let edits = self.edits.iter().enumerate().map(|(i, edit)| (edit.time, Key::Edit(i)));
        let near = poses.chain(edits).map(|(at, key)| ((at - time).abs(), key));
        let near = near.filter(|(distance, _)| *distance < SAME_TIME);
        near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, key)| key)
    }
}

#[cfg(test)]
mod tests {
    use crate::motion::Edit;

    use super::*;

    fn motion(times: &[f32]) -> Motion {
        let key = |&time: &f32| PoseKey { time, ..PoseKey::default() };
        Motion { keys: times.iter().map(key).collect(), ..Motion::default() }
    }

    fn times(motion: Option<Motion>) -> Vec<f32> {
        let motion = motion.unwrap();
        assert_eq!(motion.validate(), Ok(()));
        motion.key_times()
    }

    #[test]
    fn keys_are_moved_copied_and_removed_by_their_times() {
        let (keys, skeleton) = (motion(&[0.0, 0.5, 1.0]), Skeleton::default());
        assert_eq!(times(keys.with_key_moved(0.0, 0.75, &skeleton)), [0.5, 0.75, 1.0]);
        assert_eq!(times(keys.with_key_moved(0.01, 1.005, &skeleton)), [0.5, 1.005]);
        assert_eq!(times(keys.with_key_copied(0.5, 2.0)), [0.0, 0.5, 1.0, 2.0]);
        assert_eq!(times(keys.with_key_copied(0.0, 1.0)), [0.0, 0.5, 1.0]);
        assert_eq!(times(keys.without_key(0.5)), [0.0, 1.0]);
        assert_eq!(times(keys.with_key_moved(1.0, -3.0, &skeleton)), [0.0, 0.5]);
        assert_eq!(keys.with_easing(0.5, Easing::Stepped).unwrap().keys[1].easing, Easing::Stepped);
        for changed in [
            keys.with_key_moved(0.3, 1.0, &skeleton),
            keys.with_key_moved(0.5, f32::NAN, &skeleton),
            keys.with_key_copied(0.5, 0.505),
            keys.without_key(f32::NAN),
            keys.with_easing(0.4, Easing::Linear),
        ] {
            assert_eq!(changed, None);
        }
    }

    /// If goals did not follow the pose, a hand held in place would drift when the pose is moved or copied.
    #[test]
    fn goals_go_with_the_key_of_the_whole_pose() {
        let goal = |node, time, x| GoalKey {
            node,
            time,
            position: glam::Vec3::X * x,
            orientation: None,
            weight: 1.0,
            easing: Easing::Linear,
            on: None,
        };
        let mut keys = motion(&[0.0, 0.5, 1.0]);
        keys.goals = vec![goal(0, 0.0, 1.0), goal(0, 0.5, 2.0), goal(1, 0.5, 3.0), goal(0, 1.0, 4.0)];
        let skeleton = Skeleton::default();
        let goals = |motion: Option<Motion>| -> Vec<(usize, f32, f32)> {
            let motion = motion.unwrap();
            assert_eq!(motion.validate(), Ok(()));
            motion.goals.iter().map(|goal| (goal.node, goal.time, goal.position.x)).collect()
        };
        let moved = goals(keys.with_key_moved(0.5, 0.75, &skeleton));
        assert_eq!(moved, [(0, 0.0, 1.0), (0, 0.75, 2.0), (1, 0.75, 3.0), (0, 1.0, 4.0)]);
        let replaced = goals(keys.with_key_moved(0.5, 1.0, &skeleton));
        assert_eq!(replaced, [(0, 0.0, 1.0), (0, 1.0, 2.0), (1, 1.0, 3.0)]);
        let copied = goals(keys.with_key_copied(0.5, 2.0));
        assert_eq!(copied[3..], [(0, 1.0, 4.0), (0, 2.0, 2.0), (1, 2.0, 3.0)]);
    }

    #[test]
    fn edits_are_keys_too() {
        let edit = |time| Edit { time, before: 0.1, after: 0.1, ..Edit::default() };
        let keys = Motion { edits: vec![edit(0.5), edit(1.0)], ..Motion::default() };
        assert_eq!(times(keys.with_key_moved(0.5, 0.7, &Skeleton::default())), [0.7, 1.0]);
        assert_eq!(times(keys.with_key_copied(1.0, 2.0)), [0.5, 1.0, 2.0]);
        assert_eq!(times(keys.without_key(1.0)), [0.5]);
        assert_eq!(keys.with_easing(0.5, Easing::Linear), None);
    }
}
