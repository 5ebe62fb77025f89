//! The trunk of a body: hips, spine, neck, head and tails.

use std::collections::BTreeMap;

use glam::Vec3;

use super::anatomy::Anatomy;

/// Maximum number of children of a node that may be the neck or a tail. Only the children that reach farthest are considered.
const MAX_CHILDREN: usize = 24;

/// Finds the trunk among the nodes that belong to no pair.
pub(super) struct Trunk<'a, 'b> {
    pub(super) anatomy: &'a Anatomy<'b>,
    pub(super) is_trunk: &'a [bool],
    /// Nodes whose parent must change so that everything descends from the hips.
    pub(super) logical_parents: BTreeMap<usize, usize>,
}

impl Trunk<'_, '_> {
    /// Returns the nodes from the one that carries the hind limbs to the one that carries the front limbs.
    pub(super) fn between(&mut self, hind: usize, front: usize) -> Option<Vec<usize>> {
        let anatomy = self.anatomy;
        if let Some(path) = anatomy.path(hind, front) {
            return Some(path);
        }
        let count = anatomy.at.len();
        let mut above_hind = vec![false; count];
        anatomy.ancestors(hind).for_each(|n| above_hind[n] = true);
        let common = anatomy.ancestors(front).find(|&n| above_hind[n])?;
        if common != front {
            // The hips and the spine are siblings.
            let path = anatomy.path(common, front)?;
            self.logical_parents.insert(*path.get(1)?, hind);
            return Some(std::iter::once(hind).chain(path[1..].iter().copied()).collect());
        }
        // The chest carries the hips. The order of the bones between them is reversed, which needs a node above the chest.
        let mut path = anatomy.path(front, hind)?;
        let above = anatomy.parent[front]?;
        path.reverse();
        path.windows(2).for_each(|w| {
            self.logical_parents.insert(w[1], w[0]);
        });
        self.logical_parents.insert(hind, above);
        Some(path)
    }

    /// Returns whether `next`, the joint after `node` on the way to the head, is the better choice for the hips. This is true if `node` is
    /// only a control, or if `next` is lower and nearer to the legs.
    pub(super) fn is_better_as_hips(&self, node: usize, next: usize, legs: Vec3) -> bool {
        let anatomy = self.anatomy;
        let gap = |n: usize| anatomy.at[n].distance(legs);
        let is_below = anatomy.at[next].y < anatomy.at[node].y;
        !anatomy.moves_skin(node) && anatomy.mass_below[next] > 0.0 && gap(next) < 1.3 * gap(node)
            || is_below && gap(next) < 0.6 * gap(node) && anatomy.length(node, next) > 0.01 * anatomy.size
    }

    /// Returns the path from a trunk child of `from` down to the head. `toward` is the direction of the head.
    pub(super) fn head_path(&self, from: usize, except: &[usize], toward: Vec3) -> Vec<usize> {
        let anatomy = self.anatomy;
        let total = anatomy.mass.total.max(f32::MIN_POSITIVE);
        let is_candidate = |c: &usize| self.is_trunk[*c] && !except.contains(c) && !anatomy.is_marker[*c];
        let candidates = anatomy.main_children(from, MAX_CHILDREN).into_iter().filter(is_candidate);
        let score = |c: usize| {
            let farthest = self.farthest(c, toward) - anatomy.at[from].dot(toward);
            farthest / anatomy.size + 0.5 * anatomy.mass_below[c] / total
        };
        // A tail or an abdomen is on the other side.
        let is_ahead =
            |c: &usize| toward == Vec3::Y || (anatomy.skin_below(*c).1 - anatomy.at[from]).dot(toward) > 0.0;
        let scored = candidates.filter(is_ahead).map(|c| (score(c), c)).filter(|(s, _)| *s > 0.0);
        let Some((_, top)) = scored.max_by(|a, b| a.0.total_cmp(&b.0)) else { return Vec::new() };
        let next = |&n: &usize| {
            let weight = |c: &usize| anatomy.mass_below[*c] / total + 0.01 * anatomy.reach[*c] / anatomy.size;
            let children = anatomy.children[n].iter().copied().filter(|c| self.is_trunk[*c]);
            children.max_by(|a, b| weight(a).total_cmp(&weight(b)))
        };
        let path: Vec<usize> = std::iter::successors(Some(top), next).collect();
        self.up_to_head(path)
    }

    /// Cuts a path at the head.
    fn up_to_head(&self, mut path: Vec<usize>) -> Vec<usize> {
        let anatomy = self.anatomy;
        let mass = |n: usize| anatomy.mass.of_node[n];
        // The head may be lighter than a long neck, but a jaw is much lighter than the head.
        let most = path.iter().map(|&n| mass(n)).fold(0.0, f32::max);
        let heaviest = (0..path.len()).rfind(|&i| mass(path[i]) >= 0.4 * most);
        if let Some(heaviest) = heaviest.filter(|_| anatomy.has_skin()) {
            path.truncate(heaviest + 1);
        } else if path.len() > 1 && path.last().is_some_and(|n| anatomy.is_marker[*n]) {
            path.pop();
        }
        path
    }

    /// Returns the extent of a node, its descendants and their skin in a direction. Visits only the longest path for directions other than
    /// up.
    fn farthest(&self, node: usize, toward: Vec3) -> f32 {
        let anatomy = self.anatomy;
        if toward == Vec3::Y {
            return anatomy.highest[node];
        }
        let along = |n: usize| anatomy.at[n].dot(toward).max(anatomy.mass.center[n].dot(toward));
        anatomy.longest_path(node).into_iter().map(along).fold(f32::NEG_INFINITY, f32::max)
    }

    /// Returns the tails: chains of the trunk that start at one of the given nodes and lead backwards.
    pub(super) fn tails(&self, from: &[usize], taken: &[usize], facing: Vec3) -> Vec<Vec<usize>> {
        let anatomy = self.anatomy;
        let mut from = from.to_vec();
        from.dedup();
        let children = from.iter().flat_map(|&n| anatomy.main_children(n, MAX_CHILDREN));
        let tops = children.filter(|c| self.is_trunk[*c] && !taken.contains(c) && !anatomy.is_marker[*c]);
        let paths = tops.map(|top| anatomy.longest_path(top)).filter(|path| {
            let [first, .., last] = path[..] else { return false };
            let along = anatomy.at[last] - anatomy.at[first];
            let joints = path.iter().filter(|n| !anatomy.is_marker[**n]).count();
            joints >= 2 && -along.dot(facing) > 0.4 * along.length()
        });
        paths.take(8).collect()
    }
}
