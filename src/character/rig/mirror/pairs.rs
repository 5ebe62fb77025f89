//! Finds the counterpart of each node on the other side of a body.

use std::collections::HashMap;

use glam::DVec3;

use crate::asset::Skeleton;
use crate::pose::MirrorPlane;
use crate::rig::body_plan::BodyPlan;

use super::{limb_pairs, names};

/// Height of a person of size 1, in metres.
const PERSON: f64 = 1.75;
/// Distance from the plane, as a fraction of the body's height, within which a joint counts as being in the middle.
const MIDDLE: f64 = 0.01;
/// Maximum number of children of a node that are compared by position.
const MAX_CHILDREN: usize = 32;

/// Returns the counterpart of each node.
pub(super) fn partners(
    skeleton: &Skeleton,
    body: &BodyPlan,
    plane: &MirrorPlane,
    positions: &[DVec3],
) -> Vec<Option<usize>> {
    let height = PERSON * f64::from(body.size);
    let mut pairs = Pairs { skeleton, plane, positions, height, partners: vec![None; skeleton.nodes.len()] };
    pairs.add_trunk(body);
    for (left, right) in limb_pairs(body) {
        let path = |collar: &[usize], joints: &[usize]| [collar, joints].concat();
        let (left_path, right_path) = (path(&left.collar, &left.joints), path(&right.collar, &right.joints));
        pairs.add_limb(&left_path, &right_path);
    }
    pairs.add_by_name();
    pairs.add_by_position();
    pairs.partners
}

struct Pairs<'a> {
    skeleton: &'a Skeleton,
    plane: &'a MirrorPlane,
    positions: &'a [DVec3],
    height: f64,
    partners: Vec<Option<usize>>,
}

impl Pairs<'_> {
    fn is_free(&self, node: usize) -> bool {
        self.partners.get(node).is_some_and(Option::is_none)
    }

    /// Makes two nodes counterparts, unless one of them has a counterpart already. Both may be the same node.
    fn pair(&mut self, a: usize, b: usize) {
        if self.is_free(a) && self.is_free(b) {
            (self.partners[a], self.partners[b]) = (Some(b), Some(a));
        }
    }

    fn is_in_middle(&self, node: usize) -> bool {
        self.positions.get(node).is_some_and(|&p| self.plane.distance(p).abs() < MIDDLE * self.height)
    }

    /// Adds the joints in the middle: the trunk, the tails, and everything above the hips.
    fn add_trunk(&mut self, body: &BodyPlan) {
        for node in self.skeleton.ancestors(body.hips).take(self.partners.len()) {
            self.pair(node, node);
        }
        for &node in body.spine.iter().chain(&body.neck) {
            self.pair(node, node);
        }
        for tail in &body.tails {
            if tail.iter().all(|&node| self.is_in_middle(node)) {
                tail.iter().for_each(|&node| self.pair(node, node));
            }
        }
    }

    /// Adds the joints of a limb and of the opposite limb, and the nodes between them.
    fn add_limb(&mut self, left: &[usize], right: &[usize]) {
        // Joints are paired from the ends up. If one path is longer, it has more joints before the shoulder.
        for (&l, &r) in left.iter().rev().zip(right.iter().rev()) {
            self.pair(l, r);
        }
        for (&l, &r) in left.iter().zip(right) {
            let above = |node: usize| self.skeleton.nodes.get(node).and_then(|n| n.parent);
            let (mut l, mut r) = (above(l), above(r));
            while let (Some(a), Some(b)) = (l, r)
                && a != b
                && self.is_free(a)
                && self.is_free(b)
            {
                self.pair(a, b);
                let above = |node: usize| self.skeleton.nodes.get(node).and_then(|n| n.parent);
                (l, r) = (above(a), above(b));
            }
        }
    }

    /// Adds nodes whose names differ only by their side.
    fn add_by_name(&mut self) {
        let mut by_name: HashMap<&str, Option<usize>> = HashMap::new();
        for (index, node) in self.skeleton.nodes.iter().enumerate() {
            if let Some(name) = &node.name {
                // A name shared by several nodes identifies none of them.
                by_name.entry(name).and_modify(|known| *known = None).or_insert(Some(index));
            }
        }
        for index in 0..self.partners.len() {
            let name = self.skeleton.nodes.get(index).and_then(|n| n.name.as_deref());
            let Some(name) = name.filter(|_| self.is_free(index)) else { continue };
            if by_name.get(name).copied().flatten() != Some(index) {
                continue;
            }
            let exchanged = names::exchanged(name);
            let other = exchanged.iter().find_map(|n| by_name.get(n.as_str()).copied().flatten());
            if let Some(other) = other.filter(|&other| other != index) {
                self.pair(index, other);
            }
        }
    }

    /// Adds the nodes at mirrored positions below counterparts.
    fn add_by_position(&mut self) {
        let nodes = self.skeleton.nodes.iter().enumerate();
        let roots: Vec<usize> =
            nodes.filter(|(_, node)| node.parent.is_none()).map(|(index, _)| index).collect();
        self.add_children_of_middle(&roots, self.plane.normal * self.plane.offset);
        for &(node, _) in &self.skeleton.parents_first {
            let Some(partner) = self.partners.get(node).copied().flatten() else { continue };
            let [own, other] =
                [node, partner].map(|n| self.skeleton.nodes.get(n).map_or(&[][..], |n| &n.children));
            let [at, other_at] = [node, partner].map(|n| self.positions.get(n).copied().unwrap_or_default());
            if partner == node {
                self.add_children_of_middle(own, at);
            } else {
                let (own, other) = (self.free(own), self.free(other));
                self.add_nearest(&own, &other, [at, other_at]);
            }
        }
    }

    /// Returns the nodes of a list that have no counterpart yet. The result is empty if there are too many to be
    /// compared.
    fn free(&self, nodes: &[usize]) -> Vec<usize> {
        let free: Vec<usize> =
            nodes.iter().copied().filter(|&n| self.is_free(n)).take(MAX_CHILDREN + 1).collect();
        if free.len() > MAX_CHILDREN { Vec::new() } else { free }
    }

    /// Pairs the children of a node that lies on the mirror plane. `at` is the node's position.
    fn add_children_of_middle(&mut self, children: &[usize], at: DVec3) {
        let (middle, beside): (Vec<usize>, Vec<usize>) =
            self.free(children).into_iter().partition(|&c| self.is_in_middle(c));
        let is_left = |&c: &usize| self.positions.get(c).is_some_and(|&p| self.plane.distance(p) > 0.0);
        let (left, right): (Vec<usize>, Vec<usize>) = beside.into_iter().partition(is_left);
        middle.into_iter().for_each(|c| self.pair(c, c));
        self.add_nearest(&left, &right, [at, at]);
    }

    /// Pairs nodes whose positions relative to `origins` are nearly mirrored, starting with the best matches.
    fn add_nearest(&mut self, own: &[usize], other: &[usize], origins: [DVec3; 2]) {
        let at = |node: usize| self.positions.get(node).copied().unwrap_or_default();
        let mut matches = Vec::new();
        for &a in own {
            let wanted = self.plane.direction(at(a) - origins[0]);
            for &b in other {
                let found = at(b) - origins[1];
                let tolerance = 0.2 * wanted.length().max(found.length()) + 0.01 * self.height;
                let distance = wanted.distance(found);
                if distance < tolerance {
                    matches.push((distance, a, b));
                }
            }
        }
        matches.sort_by(|a, b| a.0.total_cmp(&b.0));
        matches.into_iter().for_each(|(_, a, b)| self.pair(a, b));
    }
}
