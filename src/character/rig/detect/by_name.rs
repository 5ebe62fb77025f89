//! The chains of a character, by the names of its joints.

use crate::asset::{Family, is_collar, is_foot, is_hand};
use crate::rig::model::{ChainKind, path};

use super::{ChainFinder, FoundChain};

/// The last bone of a limb counts as its hand or foot if it is shorter than this fraction of the mean length of the other bones.
const MAX_STUB_LENGTH: f32 = 0.4;

impl ChainFinder<'_> {
    pub(super) fn chains_by_name(&self) -> Vec<FoundChain> {
        let mut found = Vec::new();
        for (family, kind) in [(Family::Arm, ChainKind::Arm), (Family::Leg, ChainKind::Leg)] {
            let longest = self.longest_paths(&|n| self.families[n] == Some(family));
            for top in self.tops(family) {
                if let Some(joints) = self.limb(longest.from(top), family) {
                    let kind = if self.stands(&joints) { ChainKind::Leg } else { kind };
                    found.push(FoundChain::new(kind, joints));
                }
            }
        }
        found.extend(self.neck());
        found.extend(self.spine(&found));
        for (family, kind) in [(Family::Tail, ChainKind::Tail), (Family::Finger, ChainKind::Finger)] {
            let longest =
                self.longest_paths(&|n| self.families[n] == Some(family) || self.families[n].is_none());
            // A chain may continue below unnamed joints with joints of its family. These joints do not start a chain of their own.
            let mut taken = vec![false; self.skeleton.nodes.len()];
            for top in self.tops(family) {
                if taken[top] {
                    continue;
                }
                let joints = longest.from(top);
                joints.iter().for_each(|&n| taken[n] = true);
                if joints.len() >= 2 {
                    found.push(FoundChain::new(kind, joints));
                }
            }
        }
        found
    }

    /// Returns the chain of an arm or a leg, given the joints of its family. The chain excludes the collar and ends at the hand or foot.
    fn limb(&self, mut joints: Vec<usize>, family: Family) -> Option<Vec<usize>> {
        let sided = (self.positions[*joints.last()?].x - self.middle).abs() > 0.02 * self.width;
        let end = match family {
            Family::Arm => joints.iter().position(|&n| is_hand(&self.names[n])),
            _ => joints.iter().rposition(|&n| is_foot(&self.names[n]) && !self.is_leaf_of_joint(n)),
        };
        if let Some(end) = end {
            joints.truncate(end + 1);
        }
        // The collar and the upper arm can both be called shoulder. Keep three joints for the limb.
        let collars = joints.iter().take_while(|&&n| is_collar(&self.names[n])).count();
        joints.drain(..if sided { collars.min(joints.len().saturating_sub(3)) } else { 0 });
        if end.is_none() {
            if let Some(mark) =
                joints.last().and_then(|&last| self.children(last).find(|&c| self.families[c].is_none()))
            {
                joints.push(mark);
            }
            let bones: Vec<f32> =
                joints.windows(2).map(|w| self.positions[w[0]].distance(self.positions[w[1]])).collect();
            let (last, others) = bones.split_last()?;
            #[expect(clippy::cast_precision_loss, reason = "limbs have few bones")]
            let mean = others.iter().sum::<f32>() / others.len().max(1) as f32;
            if others.len() >= 2 && *last < MAX_STUB_LENGTH * mean {
                joints.pop();
            }
        }
        (joints.len() >= 3).then_some(joints)
    }

    /// Returns whether a node only marks the end of a joint's bone.
    fn is_leaf_of_joint(&self, node: usize) -> bool {
        self.skeleton.nodes[node].children.is_empty() && self.names[node].to_lowercase().ends_with("_end")
    }

    fn neck(&self) -> Option<FoundChain> {
        let top = self.tops(Family::Neck).into_iter().next()?;
        let mut joints = self.longest_paths(&|n| self.families[n] == Some(Family::Neck)).from(top);
        let last = *joints.last()?;
        joints.extend(self.children(last).find(|&c| self.families[c] == Some(Family::Head)));
        (joints.len() >= 2).then_some(FoundChain::new(ChainKind::Neck, joints))
    }

    /// Finds the chain from above the legs to the arms and the neck. Without legs, joint names determine where it
    /// starts.
    fn spine(&self, limbs: &[FoundChain]) -> Option<FoundChain> {
        let of = |kind: ChainKind| limbs.iter().filter(move |f| f.kind == kind).map(|f| f.joints[0]);
        let legs: Vec<usize> = of(ChainKind::Leg).collect();
        let top = of(ChainKind::Neck).next().or_else(|| self.tops(Family::Head).into_iter().next());
        let top = top.and_then(|n| self.skeleton.nodes[n].parent);
        let named = |n: usize| matches!(self.families[n], Some(Family::Spine | Family::Hips));
        let bottom = if legs.is_empty() {
            let top = top?;
            self.skeleton.ancestors(top).take_while(|&n| named(n)).last()
        } else {
            self.pelvis(&legs, top?)
        };
        let joints = path(self.skeleton, bottom?, top?)?;
        let joints = if legs.is_empty() { joints } else { joints[1..].to_vec() };
        (joints.len() >= 2).then_some(FoundChain::new(ChainKind::Spine, joints))
    }

    /// Returns the lowest joint that the legs share, at or above `top`. For a quadruped, only the hind legs are used.
    fn pelvis(&self, legs: &[usize], top: usize) -> Option<usize> {
        let count = self.skeleton.nodes.len();
        let mut is_below = vec![false; count];
        for &(node, parent) in &self.skeleton.parents_first {
            is_below[node] = node == top || parent.is_some_and(|p| is_below[p]);
        }
        let hind_legs: Vec<usize> = legs.iter().copied().filter(|&n| !is_below[n]).collect();
        let mut legs_starting_at = vec![0_usize; count];
        hind_legs.iter().for_each(|&n| legs_starting_at[n] += 1);
        // Number of legs that start below each node.
        let mut legs_below = vec![0_usize; count];
        for &(node, parent) in self.skeleton.parents_first.iter().rev() {
            parent.iter().for_each(|&p| legs_below[p] += legs_below[node] + legs_starting_at[node]);
        }
        let mut is_above_top = vec![false; count];
        self.skeleton.ancestors(top).for_each(|n| is_above_top[n] = true);
        let first = *hind_legs.first()?;
        let mut above = self.skeleton.ancestors(first).skip(1);
        above.find(|&n| is_above_top[n] && 2 * legs_below[n] >= hind_legs.len().max(2))
    }
}
