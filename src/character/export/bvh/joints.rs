//! Chooses the nodes that become joints of a BVH file, and their order.

use std::fmt::Write;

use glam::DVec3;

use crate::asset::bvh::end_site_name;
use crate::asset::{Character, Clip, Values};

use super::world_rotations::WorldRotations;

/// Maximum indentation. Without a limit, the size of the text would be quadratic in the depth of the hierarchy.
const MAX_INDENT: usize = 40;

/// The joints of a BVH file in depth-first order.
pub(super) struct BvhJoints {
    pub(super) list: Vec<BvhJoint>,
}

pub(super) struct BvhJoint {
    pub(super) node: usize,
    pub(super) parent: Option<usize>,
    name: String,
    depth: usize,
    /// Whether the joint has no children.
    is_leaf: bool,
    /// Whether the joint only marks the end of its parent's bone.
    marks_end: bool,
    /// Whether the joint is translated and needs position channels.
    pub(super) moves: bool,
}

impl BvhJoints {
    /// Collects the joints of a character's skins, the nodes that a clip moves, and all their ancestors.
    pub(super) fn collect(character: &Character, clip: &Clip) -> Self {
        let nodes = &character.skeleton.nodes;
        let in_skin = in_skins(character);
        let mut moved = vec![false; nodes.len()];
        for channel in clip.channels.iter().filter(|c| !matches!(c.values, Values::Weights(_))) {
            if let Some(moved) = moved.get_mut(channel.node) {
                *moved = true;
            }
        }
        let name = |node: usize| nodes.get(node).and_then(|n| n.name.as_deref());
        let marks_end = |node: usize| {
            let Some(parent) = nodes[node].parent else { return false };
            let named = match (name(node), name(parent)) {
                (Some(name), Some(parent)) => name.starts_with(&end_site_name(parent, 0)),
                (name, parent) => name.is_none() && parent.is_none(),
            };
            let mark = named || !in_skin[node] && in_skin[parent] && !character.skins.is_empty();
            nodes[node].children.is_empty() && nodes[node].mesh.is_none() && !moved[node] && mark
        };
        let mut kept: Vec<bool> = (0..nodes.len())
            .map(|n| in_skin[n] || moved[n] || marks_end(n) && nodes[n].parent.is_some_and(|p| in_skin[p]))
            .collect();
        // In reverse order, children come before their parents, so each node marks all its ancestors.
        for &(node, parent) in character.skeleton.parents_first.iter().rev() {
            if let Some(parent) = parent.filter(|_| kept[node]) {
                kept[parent] = true;
            }
        }
        let roots =
            character.skeleton.parents_first.iter().filter(|(n, parent)| parent.is_none() && kept[*n]);
        let mut open: Vec<(usize, usize)> = roots.map(|(n, _)| (*n, 0)).collect();
        open.reverse();
        let mut list = Vec::new();
        while let Some((node, depth)) = open.pop() {
            let children = || nodes[node].children.iter().copied().filter(|&c| kept[c]);
            list.push(BvhJoint {
                node,
                parent: nodes[node].parent,
                name: bvh_name(name(node), node),
                depth,
                is_leaf: children().next().is_none(),
                marks_end: marks_end(node),
                moves: false,
            });
            open.extend(children().rev().map(|child| (child, depth + 1)));
        }
        Self { list }
    }

    /// Returns the text of the HIERARCHY section. `units` is the length of one unit in metres, and `decimals` is the number of decimal
    /// places of lengths. Unless `keep_root` is set, the offsets of roots are zero, because some programs add them to the root's position.
    pub(super) fn hierarchy(
        &self,
        rest: &WorldRotations,
        units: f64,
        decimals: usize,
        keep_root: bool,
    ) -> String {
        let mut text = String::from("HIERARCHY\n");
        let mut open: Vec<usize> = Vec::new();
        let indent = |depth: usize| "\t".repeat(depth.min(MAX_INDENT));
        // Writing to a string cannot fail.
        let begin = |text: &mut String, depth: usize, head: &str, offset: DVec3| {
            let [x, y, z] = (offset / units).to_array().map(|v| v + 0.0);
            let (outer, inner) = (indent(depth), indent(depth + 1));
            let _ = writeln!(text, "{outer}{head}\n{outer}{{");
            let _ = writeln!(text, "{inner}OFFSET {x:.decimals$} {y:.decimals$} {z:.decimals$}");
        };
        let close = |text: &mut String, depth: usize| {
            let _ = writeln!(text, "{}}}", indent(depth));
        };
        for joint in &self.list {
            while open.last().is_some_and(|depth| *depth >= joint.depth) {
                open.pop().into_iter().for_each(|depth| close(&mut text, depth));
            }
            open.push(joint.depth);
            let offset = joint.offset(rest);
            if joint.is_end() {
                begin(&mut text, joint.depth, "End Site", offset);
                continue;
            }
            let (head, offset) = match joint.parent {
                None => ("ROOT", if keep_root { offset } else { DVec3::ZERO }),
                Some(_) => ("JOINT", offset),
            };
            begin(&mut text, joint.depth, &format!("{head} {}", joint.name), offset);
            let channels = if joint.moves { "6 Xposition Yposition Zposition" } else { "3" };
            let inner = indent(joint.depth + 1);
            let _ = writeln!(text, "{inner}CHANNELS {channels} Zrotation Xrotation Yrotation");
            if joint.is_leaf {
                // Programs expect an End Site even if its offset is unknown.
                begin(&mut text, joint.depth + 1, "End Site", DVec3::ZERO);
                close(&mut text, joint.depth + 1);
            }
        }
        open.into_iter().rev().for_each(|depth| close(&mut text, depth));
        text
    }
}

impl BvhJoint {
    /// Returns whether the joint is written as an End Site, which has no channels.
    pub(super) fn is_end(&self) -> bool {
        self.marks_end && !self.moves
    }

    /// Returns the rest offset from the parent, along the world axes, in metres.
    pub(super) fn offset(&self, rest: &WorldRotations) -> DVec3 {
        rest.position(self.node, self.parent)
    }
}

/// Returns, for each node, whether it is a joint of a skin. Without skins, all nodes count as joints.
fn in_skins(character: &Character) -> Vec<bool> {
    let mut joints = vec![character.skins.is_empty(); character.skeleton.nodes.len()];
    character.skins.iter().flat_map(|s| &s.joints).for_each(|&j| joints[j] = true);
    joints
}

/// Converts a name to one that BVH can store: a single line without braces. A missing name becomes `joint{node}`.
fn bvh_name(name: Option<&str>, node: usize) -> String {
    let plain =
        |c: char| if c.is_control() || matches!(c, '{' | '}' | '\u{2028}' | '\u{2029}') { '_' } else { c };
    let name: String = name.unwrap_or_default().trim().chars().map(plain).collect();
    if name.is_empty() { format!("joint{node}") } else { name }
}
