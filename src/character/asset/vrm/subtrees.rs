//! Checks in constant time whether a node is a descendant of another node.

use crate::asset::Skeleton;

/// For each node, its position in a depth-first order and the number of nodes in its subtree. A node's descendants directly follow it in
/// this order. Checking two nodes therefore takes constant time, no matter how deep the hierarchy is.
pub(super) struct Subtrees {
    spans: Vec<(usize, usize)>,
}

impl Subtrees {
    pub(super) fn new(skeleton: &Skeleton) -> Self {
        let mut spans = vec![(0, 1); skeleton.nodes.len()];
        for &(node, parent) in skeleton.parents_first.iter().rev() {
            if let Some(parent) = parent {
                spans[parent].1 += spans[node].1;
            }
        }
        // The position at which the next child of each node begins.
        let mut next = vec![0; spans.len()];
        let mut next_root = 0;
        for &(node, parent) in &skeleton.parents_first {
            let start = parent.map_or(&mut next_root, |parent| &mut next[parent]);
            spans[node].0 = *start;
            *start += spans[node].1;
            next[node] = spans[node].0 + 1;
        }
        Self { spans }
    }

    /// Returns whether a node is a descendant of another node.
    pub(super) fn is_below(&self, node: usize, above: usize) -> bool {
        let (Some(&(at, _)), Some(&(from, count))) = (self.spans.get(node), self.spans.get(above)) else {
            return false;
        };
        at > from && at < from + count
    }
}
