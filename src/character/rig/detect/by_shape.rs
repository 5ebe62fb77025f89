//! The chains of a character, by its shape.

use glam::Vec3;

use crate::rig::model::ChainKind;

use super::{ChainFinder, FoundChain};

impl ChainFinder<'_> {
    /// Finds chains by shape only: paths from a fork to a leaf that do not touch a known chain. If the body is known, these chains are
    /// neither arms nor legs.
    pub(super) fn add_chains_by_shape(&self, found: &mut Vec<FoundChain>, is_body_known: bool) {
        let mut claimed = vec![false; self.skeleton.nodes.len()];
        found.iter().flat_map(|f| &f.joints).for_each(|&n| claimed[n] = true);
        let free = |n: usize| self.counts[n] && self.families[n].is_none() && !claimed[n];
        let first = found.len();
        let nodes = 0..self.skeleton.nodes.len();
        let leaves: Vec<usize> = nodes.clone().filter(|&n| free(n) && self.branches[n] == 0).collect();
        self.add_paths_up(&leaves, &free, found);
        // A fork without a chain below it, such as a gripper with its jaws, is also an end.
        let mut is_above_end = vec![false; self.skeleton.nodes.len()];
        let ends = found.iter().flat_map(|f| f.joints.last());
        for &end in ends {
            // Stop at a marked node, because its ancestors are marked already.
            let mut up = self.skeleton.ancestors(end);
            while let Some(node) = up.next().filter(|&n| !is_above_end[n]) {
                is_above_end[node] = true;
            }
        }
        let forks: Vec<usize> =
            nodes.filter(|&n| free(n) && !is_above_end[n] && self.branches[n] > 1).collect();
        self.add_paths_up(&forks, &free, found);
        for chain in found.iter_mut().skip(first).filter(|_| is_body_known) {
            if matches!(chain.kind, ChainKind::Arm | ChainKind::Leg) {
                chain.kind = ChainKind::Limb;
            }
        }
    }

    /// Adds each path from an end up to the next fork, if it has at least three joints.
    fn add_paths_up(&self, ends: &[usize], free: &dyn Fn(usize) -> bool, found: &mut Vec<FoundChain>) {
        for &end in ends {
            let mut joints = vec![end];
            while let Some(parent) = joints.last().and_then(|&n| self.skeleton.nodes[n].parent) {
                if !free(parent) || self.branches[parent] > 1 {
                    break;
                }
                joints.push(parent);
            }
            joints.reverse();
            if joints.len() >= 3 {
                let kind = self.shape(&joints);
                found.push(FoundChain::new(kind, joints));
            }
        }
    }

    fn shape(&self, joints: &[usize]) -> ChainKind {
        let [first, .., last] = joints else { return ChainKind::Limb };
        let (start, end) = (self.positions[*first], self.positions[*last]);
        let aside = (end.x - self.middle).abs() > 0.05 * self.width;
        let along = (end - start).normalize_or_zero();
        if self.stands(joints) && aside {
            ChainKind::Leg
        } else if aside && along.x.abs() > 0.3 && self.has_mirror(end) {
            ChainKind::Arm
        } else if !aside && along.z < -0.5 && self.height > 0.0 {
            ChainKind::Tail
        } else {
            ChainKind::Limb
        }
    }

    /// Returns whether a joint is near the mirror image of a position.
    fn has_mirror(&self, position: Vec3) -> bool {
        let mirrored = position.with_x(2.0 * self.middle - position.x);
        let near = 0.05 * self.width.max(self.height);
        let first = self.across.partition_point(|p| p.x < mirrored.x - near);
        let from = self.across.get(first..).unwrap_or_default();
        from.iter().take_while(|p| p.x <= mirrored.x + near).any(|p| p.distance(mirrored) < near)
    }
}
