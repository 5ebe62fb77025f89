//! The IK binding, which maps joints of a character to links of a solver's [`Body`](crate::ik::Body).

use std::collections::{BTreeMap, HashSet};

use glam::DVec3;

use crate::asset::{Character, Skeleton, Skin};
use crate::ik::{Limit, LinkIndex};
use crate::mathematics::ReducedTree;
use crate::pose::Pose;

mod bound_link;
mod check;
mod joints;
#[cfg(test)]
mod tests;
mod transfer;

use bound_link::{BoundLink, offset};
use joints::Follower;

use super::root::nodes_above;
use super::{Rig, RigError, Slide};

/// The nodes from a base to one or more effectors, as links of a [`Body`](crate::ik::Body).
///
/// A binding depends on the skeleton, the skins, the rig, the base and the effectors, but not on the pose. It makes a
/// body once ([`Binding::body`]), copies each new pose into it ([`Binding::refresh`]), and copies the solved rotations
/// back ([`Binding::write_back`]).
///
/// The base may be any joint. If an effector is not a descendant of the base, the path first leads up from the base, against the hierarchy.
/// The link of a joint on that path has the inverse of the joint's rotation. The solved rotations alone would move the base. So the root of
/// the skeleton ([`skeleton_root`](super::skeleton_root)) is moved by the transform that brings the base back, M = M_base · M'_base⁻¹.
/// Every bone keeps its length, and everything below the root moves with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    base: usize,
    links: Vec<BoundLink>,
    /// The nodes from the base up to the topmost node of the path, both included. The list contains only the base if all effectors are
    /// its descendants.
    upward: Vec<usize>,
    /// The nodes above the topmost node, up to the root of the skeleton. Empty if the path does not lead up, or if the topmost node is the
    /// root.
    carried: Vec<usize>,
    /// Position in [`Skeleton::parents_first`] of the first node that a solve changes.
    first: usize,
    /// The prismatic joints among the nodes of the links.
    slides: BTreeMap<usize, Slide>,
    /// Mimic joints without a link whose leaders have a link.
    followers: Vec<Follower>,
}

/// Returns the default base of an effector: the topmost joint above it in its skin. If no skin contains the effector, as in a file of rigid
/// parts, the default base is the root of its tree.
pub fn default_base(character: &Character, effector: usize) -> usize {
    let skeleton = &character.skeleton;
    let skin =
        skeleton.ancestors(effector).find_map(|n| character.skins.iter().find(|s| s.joints.contains(&n)));
    let top = match skin {
        Some(skin) => skeleton.ancestors(effector).filter(|n| skin.joints.contains(n)).last(),
        None => skeleton.ancestors(effector).last(),
    };
    top.unwrap_or(effector)
}

impl Binding {
    /// Binds the nodes on the paths from `base` to each effector, with the limits and weights of a rig.
    ///
    /// A node that is in no skin never rotates. The exception is a binding without any node in a skin, as in a file of rigid parts. If the
    /// rig gives joints logical parents, `skeleton` must be the [`Reparented`](super::Reparented) skeleton.
    ///
    /// ```
    /// use sinew_character::glam::DVec3;
    /// use sinew_character::ik::{Goal, Options, Solver};
    /// use sinew_character::pose::{Pose, world_matrices, world_matrix};
    /// use sinew_character::{asset, rig};
    ///
    /// let character = asset::mannequin()?;
    /// let (skeleton, rig) = (&character.skeleton, rig::detect(&character));
    /// let find = |name| skeleton.find(name).ok_or("the joint does not exist");
    /// let (shoulder, hand) = (find("leftUpperArm")?, find("leftHand")?);
    /// let mut pose = Pose::rest(skeleton);
    /// let mut world = Vec::new();
    /// world_matrices(skeleton, &pose, &mut world);
    ///
    /// let binding = rig::Binding::new(skeleton, &character.skins, &rig, shoulder, &[hand])?;
    /// let mut body = binding.body(skeleton, &pose, &world)?;
    /// let (link, offset) = binding.link(hand, &pose).ok_or("the hand is not bound")?;
    /// let target = DVec3::new(0.4, 1.3, 0.3);
    /// let goal = Goal::position(link, target).with_offset(offset);
    /// assert!(Solver::default().solve(&mut body, &[goal], &Options::default())?.reached());
    /// binding.write_back(&body, &mut pose);
    /// let reached = world_matrix(skeleton, &pose, hand).translation.as_dvec3();
    /// assert!(reached.distance(target) < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`RigError`] if a node does not exist, the base and the effectors have no common ancestor, a node's matrix has shear, a node of an
    /// upward path has scale, or a node between that path and the root of the skeleton has non-uniform scale.
    pub fn new(
        skeleton: &Skeleton,
        skins: &[Skin],
        rig: &Rig,
        base: usize,
        effectors: &[usize],
    ) -> Result<Self, RigError> {
        skeleton.check_nodes(effectors.iter().chain([&base]).copied())?;
        let ends = std::iter::once(base).chain(effectors.iter().copied());
        let tree = ReducedTree::new(skeleton.parents_first.iter().copied(), ends);
        let top = tree.common_ancestor().map_err(|effector| RigError::NoCommonAncestor {
            base: skeleton.label(base),
            effector: skeleton.label(effector),
        })?;
        let top = top.unwrap_or(base);
        let upward: Vec<usize> = skeleton.ancestors(base).take_while(|&n| n != top).chain([top]).collect();
        let carried = if upward.len() > 1 { nodes_above(skeleton, skins, base, top) } else { Vec::new() };
        let changed = carried.last().copied().unwrap_or(top);
        let first = skeleton.parents_first.iter().position(|(n, _)| *n == changed).unwrap_or(0);
        let (slides, followers) = (BTreeMap::new(), Vec::new());
        let mut binding = Self { base, links: Vec::new(), upward, carried, first, slides, followers };
        let skinned: HashSet<usize> = skins.iter().flat_map(|s| &s.joints).copied().collect();
        let link = |node: usize| BoundLink::new(node, skinned.contains(&node), rig);
        if binding.is_upward() {
            binding.links.push(BoundLink { node: None, turns: false, limit: Limit::Free, ..link(base) });
            for (i, &node) in binding.upward.iter().take_while(|&&n| n != top).enumerate() {
                let minus = binding.links[i].node;
                binding.links.push(BoundLink {
                    parent: Some(LinkIndex(i)),
                    reversed: true,
                    minus,
                    ..link(node)
                });
            }
        } else {
            binding.links.push(BoundLink { plus: Some(base), ..link(base) });
        }
        // The link that the children of a node are attached to.
        let mut link_of: Vec<Option<LinkIndex>> = vec![None; skeleton.nodes.len()];
        binding.upward.iter().enumerate().for_each(|(i, &node)| link_of[node] = Some(LinkIndex(i)));
        for (node, above) in tree.involved() {
            // Nodes above the topmost node have no link, and nodes of the upward path already have one.
            let Some(parent) = above.and_then(|n| link_of[n]).filter(|_| link_of[node].is_none()) else {
                continue;
            };
            link_of[node] = Some(LinkIndex(binding.links.len()));
            // A reversed link is at its node, so the offset of a link below it is the difference between two translations.
            let minus = binding.links[parent.0].node.filter(|_| binding.links[parent.0].reversed);
            binding.links.push(BoundLink { parent: Some(parent), minus, plus: Some(node), ..link(node) });
        }
        binding.check_matrices(skeleton)?;
        if !binding.links.iter().any(|l| l.turns) {
            binding.links.iter_mut().for_each(|l| l.turns = l.node.is_some());
        }
        binding.set_slides(skeleton);
        binding.couple(skeleton, rig);
        Ok(binding)
    }

    /// Returns whether the path from the base starts upwards.
    fn is_upward(&self) -> bool {
        self.upward.len() > 1
    }

    /// Returns the nodes from the base up to the root of the skeleton, if the path from the base leads up.
    fn way_up(&self) -> impl Iterator<Item = usize> + '_ {
        self.upward.iter().chain(&self.carried).copied().filter(|_| self.is_upward())
    }

    /// Returns the node of each link; `None` for a fixed base that no joint turns.
    pub fn nodes(&self) -> impl Iterator<Item = Option<usize>> + '_ {
        self.links.iter().map(|l| l.node)
    }

    /// Returns the node of a link, or `None` if the link has no node or does not exist.
    pub fn node(&self, link: LinkIndex) -> Option<usize> {
        self.links.get(link.0)?.node
    }

    /// Returns the position in [`Skeleton::parents_first`] of the first node that [`Binding::write_back`] may move.
    pub fn first(&self) -> usize {
        self.first
    }

    /// Returns the link that turns with a node, and the node's position in the frame of that link.
    pub fn link(&self, node: usize, pose: &Pose) -> Option<(LinkIndex, DVec3)> {
        if let Some(i) = self.upward.iter().position(|&n| n == node).filter(|_| self.is_upward()) {
            let offset =
                i.checked_sub(1).map_or(DVec3::ZERO, |i| -offset(self.upward[i], &pose.locals, &self.slides));
            return Some((LinkIndex(i), offset));
        }
        let link = self.links.iter().position(|l| l.node == Some(node) && !l.reversed)?;
        Some((LinkIndex(link), DVec3::ZERO))
    }
}
