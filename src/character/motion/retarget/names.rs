//! Retargets between joints with the same names.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};

use crate::asset::{Character, Transform};
use crate::pose::Pose;
use crate::rig::Bones;

use super::copy_rest;
use super::reference::reference;

/// Two offsets count as equal if their difference is at most this fraction of their length.
const SAME_OFFSET: f32 = 0.03;

/// Pairs of nodes with the same name, and the rest pose of the target.
#[derive(Clone, Debug)]
pub(super) struct NameMapping {
    /// Whether both skeletons are the same except for their size: [`Self::has_most_joints`] is true, and at least
    /// nine tenths of the common joints have the same offset in proportion to the size.
    pub(super) is_same_skeleton: bool,
    /// Whether at least three quarters of the joints of the smaller skeleton occur in the other one.
    pub(super) has_most_joints: bool,
    rest: Pose,
    pairs: Vec<NodePair>,
    /// Ratio of the target's bone lengths to the source's.
    pub(super) ratio: f32,
    nodes: usize,
}

#[derive(Clone, Copy, Debug)]
struct NodePair {
    from: usize,
    to: usize,
    /// The transform of the source's node in the rest pose.
    rest: Transform,
    /// `target_joint_from_source_joint` in the rest pose.
    turn: Quat,
}

impl NameMapping {
    /// `bones` contains the bones of the source and of the target. Either may be empty.
    pub(super) fn new(source: &Character, target: &Character, bones: [&Bones; 2]) -> Option<Self> {
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
        // The translation of a root is not a bone length.
        let sum = |side: fn(&(usize, usize)) -> usize, nodes: &[crate::asset::Node]| -> f32 {
            pairs.iter().filter(inner).map(|p| length(&nodes[side(p)].rest)).sum()
        };
        let (sum_from, sum_to) = (sum(|p| p.0, &from.nodes), sum(|p| p.1, &to.nodes));
        let ratio = if sum_from > 0.0 && sum_to > 0.0 { sum_to / sum_from } else { 1.0 };
        let agrees = |p: &&(usize, usize)| {
            let (a, b) = (from.nodes[p.0].rest.translation * ratio, to.nodes[p.1].rest.translation);
            a.distance(b) <= SAME_OFFSET * a.length().max(b.length()).max(1e-3 * sum_to)
        };
        let (count, same) =
            (pairs.iter().filter(inner).count(), pairs.iter().filter(inner).filter(agrees).count());
        let fewer = joints(source).min(joints(target));
        let has_most_joints = count > 0 && 4 * count >= 3 * fewer;
        let is_same_skeleton = has_most_joints && 10 * same >= 9 * count;
        let (from_rest, rest) = (reference(source, bones[0]), reference(target, bones[1]));
        let pairs: Vec<NodePair> = pairs
            .into_iter()
            .map(|(from_node, to_node)| {
                let (mut rest, own) = (from_rest.locals[from_node], rest.locals[to_node]);
                // The rest position of a BVH root is meaningless, because its channels contain absolute positions.
                if source.units.is_some() && from.nodes[from_node].parent.is_none() {
                    rest.translation = own.translation / ratio;
                }
                // Nodes above the skeleton convert the file's axes, so their rotations differ between files.
                let inner = from.nodes[from_node].parent.is_some() && to.nodes[to_node].parent.is_some();
                let turn = match is_same_skeleton && inner {
                    true => Quat::IDENTITY,
                    false => own.rotation * rest.rotation.conjugate(),
                };
                NodePair { from: from_node, to: to_node, rest, turn }
            })
            .collect();
        let nodes = from.nodes.len();
        (!pairs.is_empty()).then_some(Self { is_same_skeleton, has_most_joints, rest, pairs, ratio, nodes })
    }

    pub(super) fn pose(&self, source: &Pose, out: &mut Pose) {
        copy_rest(&self.rest, out);
        if source.locals.len() != self.nodes {
            return;
        }
        for pair in &self.pairs {
            let (current, local) = (source.locals[pair.from], &mut out.locals[pair.to]);
            local.rotation = pair.turn * current.rotation;
            local.translation += self.ratio * (current.translation - pair.rest.translation);
            local.scale *= quotient(current.scale, pair.rest.scale);
        }
    }
}

/// Divides component by component. The result is 1 where the divisor is 0.
fn quotient(a: Vec3, b: Vec3) -> Vec3 {
    let divide = |a: f32, b: f32| if b == 0.0 { 1.0 } else { a / b };
    Vec3::new(divide(a.x, b.x), divide(a.y, b.y), divide(a.z, b.z))
}
