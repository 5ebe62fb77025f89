//! Joints that follow those of the same names.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};

use crate::asset::{Character, Transform, humanoid};
use crate::pose::Pose;

use super::at_rest;
use super::reference::reference;

/// Offsets of one skeleton agree within this share of their length.
const SAME: f32 = 0.03;

/// Pairs of nodes, and the rest of the target.
#[derive(Clone, Debug)]
pub(super) struct Names {
    /// Whether both are the same skeleton but for its size: most joints are in both, with the same offsets.
    pub(super) is_same: bool,
    /// Whether most joints of one are in the other.
    pub(super) is_most: bool,
    rest: Pose,
    pairs: Vec<Pair>,
    /// Lengths of the target's bones by those of the source.
    pub(super) ratio: f32,
    nodes: usize,
}

#[derive(Clone, Copy, Debug)]
struct Pair {
    from: usize,
    to: usize,
    /// The source's rest.
    rest: Transform,
    /// `target_joint_from_source_joint`, at rest.
    turn: Quat,
}

impl Names {
    pub(super) fn new(source: &Character, target: &Character) -> Option<Self> {
        let (from, to) = (&source.skeleton, &target.skeleton);
        let mut named: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, node) in from.nodes.iter().enumerate().rev().filter(|(_, n)| n.mesh.is_none()) {
            named.extend(node.name.as_deref().map(|name| (name, index)));
        }
        let joints = |c: &Character| {
            let nodes = c.skeleton.nodes.iter();
            nodes.filter(|n| n.mesh.is_none() && n.name.is_some() && n.parent.is_some()).count()
        };
        let pairs: Vec<(usize, usize)> = (0..to.nodes.len())
            .filter(|&n| to.nodes[n].mesh.is_none())
            .filter_map(|n| Some((*named.get(to.nodes[n].name.as_deref()?)?, n)))
            .collect();
        let inner = |p: &&(usize, usize)| from.nodes[p.0].parent.is_some() && to.nodes[p.1].parent.is_some();
        let length = |rest: &Transform| rest.translation.length();
        // A root's place is no bone.
        let sum = |side: fn(&(usize, usize)) -> usize, nodes: &[crate::asset::Node]| -> f32 {
            pairs.iter().filter(inner).map(|p| length(&nodes[side(p)].rest)).sum()
        };
        let (sum_from, sum_to) = (sum(|p| p.0, &from.nodes), sum(|p| p.1, &to.nodes));
        let ratio = if sum_from > 0.0 && sum_to > 0.0 { sum_to / sum_from } else { 1.0 };
        let agrees = |p: &&(usize, usize)| {
            let (a, b) = (from.nodes[p.0].rest.translation * ratio, to.nodes[p.1].rest.translation);
            a.distance(b) <= SAME * a.length().max(b.length()).max(1e-3 * sum_to)
        };
        let (count, same) =
            (pairs.iter().filter(inner).count(), pairs.iter().filter(inner).filter(agrees).count());
        let fewer = joints(source).min(joints(target));
        let is_most = count > 0 && 4 * count >= 3 * fewer;
        let is_same = is_most && 10 * same >= 9 * count;
        let stands = |c: &Character| {
            humanoid(c).map_or_else(|| Pose::rest(&c.skeleton), |human| reference(c, &human.bones))
        };
        let (from_rest, rest) = (stands(source), stands(target));
        let pairs: Vec<Pair> = pairs
            .into_iter()
            .map(|(from_node, to_node)| {
                let (mut rest, own) = (from_rest.locals[from_node], rest.locals[to_node]);
                // Where a BVH file's root rests says nothing: its channels tell places.
                if source.units.is_some() && from.nodes[from_node].parent.is_none() {
                    rest.translation = own.translation / ratio;
                }
                // What stands above a skeleton turns a file's axes, each its own way.
                let inner = from.nodes[from_node].parent.is_some() && to.nodes[to_node].parent.is_some();
                let turn = match is_same && inner {
                    true => Quat::IDENTITY,
                    false => own.rotation * rest.rotation.conjugate(),
                };
                Pair { from: from_node, to: to_node, rest, turn }
            })
            .collect();
        (!pairs.is_empty()).then_some(Self { is_same, is_most, rest, pairs, ratio, nodes: from.nodes.len() })
    }

    pub(super) fn pose(&self, source: &Pose, out: &mut Pose) {
        at_rest(&self.rest, out);
        if source.locals.len() != self.nodes {
            return;
        }
        for pair in &self.pairs {
            let (now, local) = (source.locals[pair.from], &mut out.locals[pair.to]);
            local.rotation = pair.turn * now.rotation;
            local.translation += self.ratio * (now.translation - pair.rest.translation);
            local.scale *= quotient(now.scale, pair.rest.scale);
        }
    }
}

/// By components; 1 where there is nothing to divide by.
fn quotient(a: Vec3, b: Vec3) -> Vec3 {
    let of = |a: f32, b: f32| if b == 0.0 { 1.0 } else { a / b };
    Vec3::new(of(a.x, b.x), of(a.y, b.y), of(a.z, b.z))
}
