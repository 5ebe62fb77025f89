//! Samples the goals of a motion, and adds and moves their keys.

use super::pose_key::{checked, is_same_time};
use super::{GoalKey, Motion};

impl Motion {
    /// Returns the goal of a node at a time in seconds, or `None` if it has no key.
    ///
    /// ```
    /// use sinew_character::glam::Vec3;
    /// use sinew_character::motion::{Easing, GoalKey, Motion};
    ///
    /// // A hand moves to a target within two seconds, and the weight of inverse kinematics rises on the way.
    /// let key = |time, weight| GoalKey {
    ///     node: 7,
    ///     time,
    ///     position: Vec3::X * time,
    ///     orientation: None,
    ///     weight,
    ///     easing: Easing::Linear,
    ///     on: None,
    /// };
    /// let motion = Motion::default().with_goal_key(key(0.0, 0.0)).with_goal_key(key(2.0, 1.0));
    /// let goal = motion.goal_at(7, 1.0).ok_or("no goal")?;
    /// assert_eq!((goal.position, goal.weight), (Vec3::X, 0.5));
    /// # Ok::<(), &str>(())
    /// ```
    pub fn goal_at(&self, node: usize, time: f32) -> Option<GoalKey> {
        let own = || self.goals.iter().filter(|key| key.node == node);
        let before = own().rfind(|key| key.time <= time);
        let after = own().find(|key| key.time > time);
        match (before, after) {
            (Some(a), Some(b)) => Some(a.towards(b, (time - a.time) / (b.time - a.time))),
            (one, other) => one.or(other).copied(),
        }
    }

    /// Returns the motion with a key of a goal. If the node already has a key at that time, the new key takes over that key's time and
    /// easing.
    #[must_use]
    pub fn with_goal_key(&self, key: GoalKey) -> Self {
        let mut motion = self.clone();
        match motion.goals.iter_mut().find(|k| k.node == key.node && is_same_time(k.time, key.time)) {
            Some(known) => *known = GoalKey { time: known.time, easing: known.easing, ..key },
            None => {
                let index = motion.goals.partition_point(|k| k.time < key.time);
                motion.goals.insert(index, key);
            }
        }
        motion.split_contacts(self, |_, _| false);
        motion
    }

    /// Returns the motion with the goal key at `index` moved to another time, and the key's new index. A key of the same node at that time
    /// is replaced. A negative time becomes 0. Returns `None` if there is no such key, or if the time is not finite.
    pub fn with_goal_key_moved(&self, index: usize, to: f32) -> Option<(Self, usize)> {
        let (mut motion, to) = (self.clone(), checked(to)?);
        let key = *motion.goals.get(index)?;
        motion.goals.remove(index);
        let index = motion.put_goal(GoalKey { time: to, ..key });
        motion.split_contacts(self, |_, _| false);
        Some((motion, index))
    }

    /// Inserts a goal key and removes any other key of the same node at the same time. Returns the index.
    pub(super) fn put_goal(&mut self, key: GoalKey) -> usize {
        self.goals.retain(|k| k.node != key.node || !is_same_time(k.time, key.time));
        let index = self.goals.partition_point(|k| k.time <= key.time);
        self.goals.insert(index, key);
        index
    }

    /// Returns the nodes that have goal keys, without duplicates.
    pub fn goal_nodes(&self) -> Vec<usize> {
        let mut nodes: Vec<usize> = self.goals.iter().map(|key| key.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::motion::Easing;

    fn key(time: f32, x: f32) -> GoalKey {
        let position = Vec3::new(x, 0.0, 0.0);
        GoalKey { node: 3, time, position, orientation: None, weight: 1.0, easing: Easing::Linear, on: None }
    }

    #[test]
    fn a_goal_stays_before_its_first_and_after_its_last_key() {
        let motion = Motion::default().with_goal_key(key(2.0, 4.0)).with_goal_key(key(1.0, 2.0));
        assert!(motion.validate().is_ok());
        let x = |time| motion.goal_at(3, time).unwrap().position.x;
        assert_eq!([0.0, 1.0, 1.5, 2.0, 9.0].map(x), [2.0, 2.0, 3.0, 4.0, 4.0]);
        assert_eq!(motion.goal_at(4, 1.0), None);
    }

    #[test]
    fn keys_are_replaced_and_moved() {
        let motion = Motion::default().with_goal_key(key(1.0, 1.0)).with_goal_key(key(2.0, 2.0));
        let replaced = motion.with_goal_key(key(1.0, 5.0));
        assert_eq!(replaced.goals.len(), 2);
        assert_eq!(replaced.goals[0].position.x, 5.0);
        let (moved, index) = motion.with_goal_key_moved(0, 3.0).unwrap();
        assert_eq!((index, moved.goals[0].time, moved.goals[1].time), (1, 2.0, 3.0));
        // A key that is moved onto another one replaces it.
        let (moved, _) = motion.with_goal_key_moved(0, 2.0).unwrap();
        assert_eq!((moved.goals.len(), moved.goals[0].position.x), (1, 1.0));
        assert!(
            motion.with_goal_key_moved(0, f32::NAN).is_none() && motion.with_goal_key_moved(2, 1.0).is_none()
        );
    }

    #[test]
    fn a_goal_that_changes_its_parent_does_not_blend_places() {
        let on_head = GoalKey { on: Some(9), ..key(1.0, 8.0) };
        let motion = Motion::default().with_goal_key(key(0.0, 0.0)).with_goal_key(on_head);
        let at = |time| motion.goal_at(3, time).map(|goal| (goal.on, goal.position.x));
        assert_eq!((at(0.25), at(0.75)), (Some((None, 0.0)), Some((Some(9), 8.0))));
    }

    #[test]
    fn wrong_numbers_are_refused() {
        let wrong = [
            GoalKey { weight: 1.5, ..key(0.0, 0.0) },
            GoalKey { time: -1.0, ..key(0.0, 0.0) },
            GoalKey { position: Vec3::NAN, ..key(0.0, 0.0) },
            GoalKey { orientation: Some(Quat::from_xyzw(0.0, 0.0, 0.0, 2.0)), ..key(0.0, 0.0) },
            GoalKey { on: Some(3), ..key(0.0, 0.0) },
        ];
        for key in wrong {
            let motion = Motion { goals: vec![key], ..Motion::default() };
            assert!(motion.validate().unwrap_err().to_string().starts_with("goals[0]: "));
        }
    }
}
