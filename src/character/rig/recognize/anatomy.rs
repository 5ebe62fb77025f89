//! Properties of each node that are known before any part of the body is named: its position, the amount of skin that it moves, and the
//! reach of its descendants.

use glam::{Affine3A, Vec3};

use crate::asset::{Character, Skeleton};
use crate::pose::world_matrices;

use super::skin_mass::SkinMass;
use super::stance::Stance;

/// A node counts as moving the skin only if it moves more than this fraction of the skin.
const MIN_MASS: f32 = 5e-4;

/// A joint coincides with its parent if the distance between them is less than this fraction of the extent of all nodes.
const SAME_PLACE: f32 = 1e-4;

/// Nodes are in one line if their distance from the line is less than this fraction of the size of the body.
const MAX_LINE: f32 = 0.05;

/// A hierarchy of the nodes that belong to the body. Control nodes are left out. They neither move the skin nor carry a node that does.
/// Detached parts are children of the node that they continue.
pub(super) struct Anatomy<'a> {
    pub(super) skeleton: &'a Skeleton,
    /// World positions in the stance.
    pub(super) at: Vec<Vec3>,
    /// Whether a node belongs to the body.
    pub(super) relevant: Vec<bool>,
    pub(super) parent: Vec<Option<usize>>,
    /// The relevant children of each node.
    pub(super) children: Vec<Vec<usize>>,
    /// The relevant nodes, parents before their children.
    pub(super) order: Vec<usize>,
    pub(super) mass: SkinMass,
    /// The matrices in the stance.
    pub(super) world: Vec<Affine3A>,
    /// The mass of each node and of all its descendants.
    pub(super) mass_below: Vec<f32>,
    /// The length of the longest path down from each node, in metres.
    pub(super) reach: Vec<f32>,
    /// Height in metres of the lowest point of each node, its descendants and their skin.
    pub(super) lowest: Vec<f32>,
    /// Height in metres of the highest position of each node and its descendants.
    pub(super) highest: Vec<f32>,
    /// Whether a node only marks where a bone ends.
    pub(super) is_marker: Vec<bool>,
    /// The lowest point of the body.
    pub(super) floor: f32,
    /// The diagonal of the box around the relevant nodes.
    pub(super) size: f32,
}

impl<'a> Anatomy<'a> {
    /// Returns `None` if the character has fewer than three relevant nodes, or nodes without finite positions.
    pub(super) fn new(character: &'a Character, stance: &Stance) -> Option<Self> {
        let skeleton = &character.skeleton;
        let mut world = Vec::new();
        world_matrices(skeleton, &stance.pose(character), &mut world);
        let upright = Affine3A::from_quat(stance.upright());
        if stance.lies() {
            world.iter_mut().for_each(|m| *m = upright * *m);
        }
        let at: Vec<Vec3> = world.iter().map(|m| m.translation.into()).collect();
        let mut mass = SkinMass::new(character, &world);
        let followers = gather_skin(skeleton, &at, &mut mass);
        let count = at.len();
        let mut is_joint = vec![character.skins.is_empty(); count];
        character.skins.iter().flat_map(|s| &s.joints).filter(|j| **j < at.len()).for_each(|&j| {
            is_joint[j] = true;
        });
        let (mut relevant, mut is_marker) = relevance(skeleton, &is_joint, &mass);
        for node in followers {
            (relevant[node], is_marker[node]) = (false, false);
        }
        // The file states that these nodes are bones, even if its meshes do not show a body.
        let mapped = character.humanoid.iter().flat_map(|humanoid| humanoid.bones.values());
        mapped.filter(|node| **node < count).for_each(|&node| relevant[node] = true);
        let parent = skeleton.nodes.iter().map(|n| n.parent).collect();
        let mut anatomy = Self {
            skeleton,
            relevant,
            parent,
            children: Vec::new(),
            order: Vec::new(),
            mass_below: Vec::new(),
            reach: Vec::new(),
            lowest: Vec::new(),
            highest: Vec::new(),
            is_marker,
            floor: 0.0,
            size: 0.0,
            at,
            mass,
            world,
        };
        let mut positions = (0..anatomy.at.len()).filter(|&n| anatomy.relevant[n]).map(|n| anatomy.at[n]);
        let first = positions.next()?;
        let (low, high) = positions.fold((first, first), |(lo, hi), p| (lo.min(p), hi.max(p)));
        anatomy.size = (high - low).length();
        anatomy.floor = anatomy.mass.floor.unwrap_or(low.y);
        anatomy.update();
        let sound = anatomy.size.is_finite() && anatomy.size > 0.0 && anatomy.order.len() > 2;
        (sound && anatomy.order.iter().all(|&n| anatomy.at[n].is_finite())).then_some(anatomy)
    }

    /// Computes everything that depends on the hierarchy.
    pub(super) fn update(&mut self) {
        let count = self.at.len();
        self.children = vec![Vec::new(); count];
        let mut next = Vec::new();
        for node in 0..count {
            match self.parent[node] {
                Some(parent) if self.relevant[node] => self.children[parent].push(node),
                None => next.push(node),
                _ => {}
            }
        }
        next.reverse();
        self.order.clear();
        // Nodes without a relevant parent are roots too: a control node may carry the whole body.
        while let Some(node) = next.pop() {
            if self.relevant[node] {
                self.order.push(node);
            }
            next.extend(self.children[node].iter().rev());
        }
        self.mass_below = self.mass.of_node.clone();
        self.reach = vec![0.0; count];
        self.lowest = (0..count).map(|n| self.at[n].y.min(self.mass.lowest[n])).collect();
        self.highest = self.at.iter().zip(&self.mass.center).map(|(at, skin)| at.y.max(skin.y)).collect();
        for i in (0..self.order.len()).rev() {
            let node = self.order[i];
            let Some(parent) = self.parent[node] else { continue };
            self.mass_below[parent] += self.mass_below[node];
            let reach = self.reach[node] + self.length(parent, node);
            self.reach[parent] = self.reach[parent].max(reach);
            self.lowest[parent] = self.lowest[parent].min(self.lowest[node]);
            self.highest[parent] = self.highest[parent].max(self.highest[node]);
        }
    }

    /// Returns whether all nodes are nearly in one line, in which case the pose shows no body.
    pub(super) fn is_line(&self) -> bool {
        let positions = || self.order.iter().map(|&n| self.at[n]);
        let Some(first) = positions().next() else { return true };
        let farthest = positions().max_by(|a, b| a.distance(first).total_cmp(&b.distance(first)));
        let Some(along) = farthest.and_then(|far| (far - first).try_normalize()) else { return true };
        positions().all(|p| (p - first).reject_from_normalized(along).length() < MAX_LINE * self.size)
    }

    /// Returns the distance between two nodes.
    pub(super) fn length(&self, a: usize, b: usize) -> f32 {
        self.at[a].distance(self.at[b])
    }

    /// Returns a node and the nodes above it in the hierarchy of the body.
    pub(super) fn ancestors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(node), |&n| self.parent[n])
    }

    /// Returns the nodes from one node down to another, both included, or `None` if the second is not a descendant of the first.
    pub(super) fn path(&self, top: usize, bottom: usize) -> Option<Vec<usize>> {
        let mut nodes: Vec<usize> = self.ancestors(bottom).take_while(|&n| n != top).collect();
        let last = nodes.last().copied().unwrap_or(bottom);
        if last != top && bottom != top && self.parent[last] != Some(top) {
            return None;
        }
        nodes.push(top);
        nodes.reverse();
        Some(nodes)
    }

    /// Returns up to `count` children of a node that reach farthest, in order of decreasing reach.
    pub(super) fn main_children(&self, node: usize, count: usize) -> Vec<usize> {
        let reach = |c: usize| self.reach[c] + self.length(node, c);
        let mut children = self.children[node].clone();
        if children.len() > count {
            children.select_nth_unstable_by(count, |a, b| reach(*b).total_cmp(&reach(*a)));
            children.truncate(count);
        }
        children.sort_by(|a, b| reach(*b).total_cmp(&reach(*a)));
        children
    }

    /// Returns the longest path down from a node.
    pub(super) fn longest_path(&self, top: usize) -> Vec<usize> {
        let next = |&n: &usize| {
            let reach = |c: &usize| self.reach[*c] + self.length(n, *c);
            self.children[n].iter().copied().max_by(|a, b| reach(a).total_cmp(&reach(b)))
        };
        std::iter::successors(Some(top), next).collect()
    }

    pub(super) fn has_skin(&self) -> bool {
        self.mass.total > 0.0
    }

    /// Returns whether a node moves a noticeable part of the skin. Without a skin, every node counts.
    pub(super) fn moves_skin(&self, node: usize) -> bool {
        !self.has_skin() || self.mass.of_node[node] > MIN_MASS * self.mass.total
    }

    /// Returns the mass of the skin of a node and of its descendants, and the centre of that skin. Visits a limited number of nodes.
    pub(super) fn skin_below(&self, node: usize) -> (f32, Vec3) {
        let (mut mass, mut middle) = (0.0, Vec3::ZERO);
        let mut next = vec![node];
        for _ in 0..64 {
            let Some(node) = next.pop() else { break };
            mass += self.mass.of_node[node];
            middle += self.mass.of_node[node] * self.mass.center[node];
            next.extend(self.children[node].iter().take(16));
        }
        if mass > 0.0 { (mass, middle / mass) } else { (0.0, self.at[node]) }
    }
}

/// Moves the skin of joints that only deform it to the joints that they follow. Such a joint has no children, and is at the position of
/// its parent, which moves no skin itself. Returns these joints.
fn gather_skin(skeleton: &Skeleton, at: &[Vec3], mass: &mut SkinMass) -> Vec<usize> {
    let (low, high) = at.iter().fold((Vec3::MAX, Vec3::MIN), |(low, high), p| (low.min(*p), high.max(*p)));
    let near = SAME_PLACE * (high - low).length();
    let has_own: Vec<bool> = mass.of_node.iter().map(|mass| *mass > 0.0).collect();
    let follows = |&(index, parent): &(usize, usize)| {
        let node = &skeleton.nodes[index];
        let is_leaf = node.mesh.is_none() && node.children.is_empty();
        is_leaf && has_own[index] && !has_own[parent] && at[parent].distance(at[index]) <= near
    };
    let nodes = skeleton.nodes.iter().enumerate();
    let followers: Vec<_> =
        nodes.filter_map(|(index, node)| Some((index, node.parent?))).filter(follows).collect();
    followers.iter().for_each(|&(node, parent)| mass.give(node, parent));
    followers.into_iter().map(|(node, _)| node).collect()
}

/// Returns which nodes belong to the body, and which of them only mark the end of a bone.
fn relevance(skeleton: &Skeleton, is_joint: &[bool], mass: &SkinMass) -> (Vec<bool>, Vec<bool>) {
    let count = skeleton.nodes.len();
    let mut carries = vec![false; count];
    let has_skin = mass.total > 0.0;
    for &(node, parent) in skeleton.parents_first.iter().rev() {
        carries[node] |= if has_skin { mass.of_node[node] > 0.0 } else { is_joint[node] };
        if let Some(parent) = parent {
            carries[parent] |= carries[node];
        }
    }
    let name = |n: usize| skeleton.nodes[n].name.as_deref().unwrap_or_default().to_lowercase();
    let marks = |n: usize| {
        let node = &skeleton.nodes[n];
        let named =
            || ["end", "nub", "site", "tip"].iter().any(|e| name(n).trim_end_matches('2').ends_with(e));
        node.children.is_empty()
            && node.mesh.is_none()
            && mass.of_node[n] == 0.0
            && node.parent.is_some_and(|p| if has_skin { mass.of_node[p] > 0.0 } else { is_joint[p] })
            && (has_skin || !is_joint[n] || named())
    };
    let is_marker: Vec<bool> = (0..count).map(marks).collect();
    ((0..count).map(|n| carries[n] || is_marker[n]).collect(), is_marker)
}
