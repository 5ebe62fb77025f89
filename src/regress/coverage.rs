//! Finds the joints that the cases of a suite move. A fault in the weights of a joint that never moves would remain unnoticed.

use std::collections::BTreeSet;
use std::fmt::Write;

use glam::{Affine3A, Quat, Vec3};

use crate::asset::Character;
use crate::pose::{Pose, world_matrices};
use crate::puppet::Puppet;
use crate::rig::Rig;
use crate::skin::weighted_joints;
use crate::view::Bounds;

/// Smallest turn in radians that counts as a movement, and the smallest shift relative to the size of the skeleton.
const MIN_TURN: f32 = 0.01;
const MIN_SHIFT: f32 = 1e-3;
/// Maximum number of joints that a warning names.
const MAX_NAMES: usize = 6;

/// The joints of a character that move vertices of its skins, and which of these joints move relative to their parents in some pose.
#[derive(Clone, Debug)]
pub struct Coverage {
    weighted: BTreeSet<usize>,
    moved: BTreeSet<usize>,
    rest: Vec<Affine3A>,
    /// Smallest shift that counts, in metres.
    shift: f32,
}

impl Coverage {
    /// Creates the coverage of a character, in which no joint has moved yet.
    pub fn new(character: &Character) -> Self {
        let mut rest = Vec::new();
        world_matrices(&character.skeleton, &Pose::rest(&character.skeleton), &mut rest);
        let size = Bounds::around(rest.iter().map(|matrix| matrix.translation.into())).sphere().1;
        let weighted = weighted_joints(character);
        Self { weighted, moved: BTreeSet::new(), rest, shift: size * MIN_SHIFT }
    }

    /// Adds the joints that a pose moves.
    pub fn add(&mut self, puppet: &Puppet) {
        let world = puppet.world_from_node();
        let moved = |joint: &&usize| self.moves(puppet.character(), &puppet.rig, world, **joint);
        let moved: Vec<usize> = self.weighted.difference(&self.moved).filter(moved).copied().collect();
        self.moved.extend(moved);
    }

    fn moves(&self, character: &Character, rig: &Rig, world: &[Affine3A], joint: usize) -> bool {
        let above = rig.above(&character.skeleton, joint);
        let local = |world: &[Affine3A]| {
            let own = world.get(joint).copied()?;
            let parent = above.and_then(|node| world.get(node));
            Some(parent.map_or(own, |parent| parent.inverse() * own))
        };
        let Some((was, is)) = local(&self.rest).zip(local(world)) else { return false };
        let rotation = |local: Affine3A| -> Quat { local.to_scale_rotation_translation().1 };
        let shift = Vec3::from(was.translation).distance(is.translation.into());
        rotation(was).angle_between(rotation(is)) > MIN_TURN || shift > self.shift
    }

    /// Returns the number of joints with weights, and how many of them move.
    pub fn counts(&self) -> (usize, usize) {
        (self.weighted.len(), self.moved.len())
    }

    /// Returns a line with the joints that do not move in any pose, or `None` if every joint moves.
    pub fn warning(&self, character: &Character) -> Option<String> {
        let unmoved: Vec<usize> = self.weighted.difference(&self.moved).copied().collect();
        if unmoved.is_empty() {
            return None;
        }
        let count = self.weighted.len();
        let mut line = format!("no case moves {} of the {count} joints with skin weights: ", unmoved.len());
        let names = unmoved.iter().take(MAX_NAMES).map(|&node| character.skeleton.label(node));
        line += &names.collect::<Vec<_>>().join(", ");
        if unmoved.len() > MAX_NAMES {
            let _ = write!(line, " and {} more", unmoved.len() - MAX_NAMES);
        }
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_joint_counts_once_it_turns_and_not_when_its_parent_does() {
        let mannequin = crate::asset::mannequin().unwrap();
        let mut coverage = Coverage::new(&mannequin);
        let mut puppet = Puppet::new(mannequin.clone(), 0);
        puppet.update().unwrap();
        coverage.add(&puppet);
        assert_eq!(coverage.counts().1, 0);
        let arm = mannequin.skeleton.find("leftUpperArm").unwrap();
        puppet.turns.push((arm, Quat::from_rotation_y(0.5)));
        puppet.update().unwrap();
        coverage.add(&puppet);
        assert_eq!(coverage.counts().1, 1);
        let warning = coverage.warning(&mannequin).unwrap();
        assert!(warning.ends_with(" more") && !warning.contains("leftUpperArm"), "{warning}");
    }
}
