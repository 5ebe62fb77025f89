//! The IK binding, which maps joints of a character to links of a solver's [`Body`].

use std::collections::{BTreeMap, HashSet};

use glam::{Affine3A, DAffine3, DMat3, DQuat, DVec3, Quat, Vec3};

use crate::asset::{Character, Skeleton, Skin, Transform};
use crate::ik::{Body, Limit, Link, Mimic, SolveError};
use crate::mathematics::ReducedTree;
use crate::pose::{Pose, orientation, rest_orientation};

mod joints;
#[cfg(test)]
mod tests;

use joints::Follower;

use super::root::{nodes_above, place_of};
use super::{Rig, RigError, Slide};

/// The nodes from a base to one or more effectors, as links of a [`Body`].
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

/// A link and the node that it represents.
#[derive(Clone, Copy, Debug, PartialEq)]
struct BoundLink {
    /// The node that the link represents, or `None` for the fixed base at the start of an upward path.
    node: Option<usize>,
    parent: Option<usize>,
    reversed: bool,
    turns: bool,
    limit: Limit,
    mimic: Option<Mimic>,
    weight: f64,
    ccd_budget: f64,
    /// The link's offset is the translation of node `plus` minus the translation of node `minus`.
    plus: Option<usize>,
    minus: Option<usize>,
}

impl BoundLink {
    /// Creates the link of a node, without its parent and its offset.
    fn new(node: usize, turns: bool, rig: &Rig) -> Self {
        let joint = rig.joint(node);
        Self {
            node: Some(node),
            parent: None,
            reversed: false,
            turns,
            limit: joint.limit,
            mimic: None,
            weight: 1.0 - joint.stiffness,
            ccd_budget: joint.ccd_budget,
            plus: None,
            minus: None,
        }
    }

    /// Returns the link's rotation for a rotation of its node.
    fn rotation(&self, node: Quat) -> DQuat {
        if self.reversed { node.as_dquat().conjugate() } else { node.as_dquat() }
    }

    /// Returns the link's offset and scale in a pose. The displacements of prismatic joints are not part of the offset.
    fn geometry(&self, locals: &[Transform], slides: &BTreeMap<usize, Slide>) -> (DVec3, DVec3) {
        let translation = |node: Option<usize>| node.map_or(DVec3::ZERO, |n| offset(n, locals, slides));
        let scale = self.node.filter(|_| !self.reversed).map_or(DVec3::ONE, |n| locals[n].scale.as_dvec3());
        (translation(self.plus) - translation(self.minus), scale)
    }
}

/// Returns the translation of a node without its displacement.
fn offset(node: usize, locals: &[Transform], slides: &BTreeMap<usize, Slide>) -> DVec3 {
    let translation = locals[node].translation;
    slides.get(&node).map_or(translation.as_dvec3(), |slide| slide.split(translation).1)
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
                binding.links.push(BoundLink { parent: Some(i), reversed: true, minus, ..link(node) });
            }
        } else {
            binding.links.push(BoundLink { plus: Some(base), ..link(base) });
        }
        // The link that the children of a node are attached to.
        let mut link_of = vec![None; skeleton.nodes.len()];
        binding.upward.iter().enumerate().for_each(|(i, &node)| link_of[node] = Some(i));
        for (node, above) in tree.involved() {
            // Nodes above the topmost node have no link, and nodes of the upward path already have one.
            let Some(parent) = above.and_then(|n| link_of[n]).filter(|_| link_of[node].is_none()) else {
                continue;
            };
            link_of[node] = Some(binding.links.len());
            // A reversed link is at its node, so the offset of a link below it is the difference between two translations.
            let minus = binding.links[parent].node.filter(|_| binding.links[parent].reversed);
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

    /// Returns the position on the way up of the first node whose scale prevents the base from staying in place. The
    /// upward path must have no scale. Above it, a uniform scale keeps the motion of the root rigid.
    fn scaled(&self, scale: impl Fn(usize) -> Vec3) -> Option<usize> {
        let differs = |a: Vec3, b: Vec3| (a - b).abs().max_element() > 1e-5 * b.abs().max_element();
        self.way_up().enumerate().position(|(place, node)| {
            let scale = scale(node);
            differs(scale, if place < self.upward.len() { Vec3::ONE } else { Vec3::splat(scale.x) })
        })
    }

    /// Checks that a solver can rotate all nodes.
    fn check_matrices(&self, skeleton: &Skeleton) -> Result<(), RigError> {
        let mut nodes = self.links.iter().filter_map(|l| l.node).chain(self.way_up());
        if let Some(node) = nodes.find(|&n| is_sheared(skeleton, n)) {
            return Err(RigError::Sheared { node: skeleton.label(node) });
        }
        match self.scaled(|n| skeleton.nodes[n].rest.scale).and_then(|place| self.way_up().nth(place)) {
            Some(node) => Err(RigError::Scaled { node: skeleton.label(node) }),
            None => Ok(()),
        }
    }

    /// Returns the node of each link; `None` for a fixed base that no joint turns.
    pub fn nodes(&self) -> impl Iterator<Item = Option<usize>> + '_ {
        self.links.iter().map(|l| l.node)
    }

    /// Returns the node of a link, or `None` if the link has no node or does not exist.
    pub fn node(&self, link: usize) -> Option<usize> {
        self.links.get(link)?.node
    }

    /// Returns the position in [`Skeleton::parents_first`] of the first node that [`Binding::write_back`] may move.
    pub fn first(&self) -> usize {
        self.first
    }

    /// Returns the link that turns with a node, and the node's position in the frame of that link.
    pub fn link(&self, node: usize, pose: &Pose) -> Option<(usize, DVec3)> {
        if let Some(i) = self.upward.iter().position(|&n| n == node).filter(|_| self.is_upward()) {
            let offset =
                i.checked_sub(1).map_or(DVec3::ZERO, |i| -offset(self.upward[i], &pose.locals, &self.slides));
            return Some((i, offset));
        }
        self.links.iter().position(|l| l.node == Some(node) && !l.reversed).map(|link| (link, DVec3::ZERO))
    }

    /// Returns a new body in a pose. `world_from_node` contains the world matrices of the pose.
    ///
    /// # Errors
    /// [`SolveError`] if a limit or a weight of the rig is invalid, or if [`Binding::refresh`] fails.
    pub fn body(
        &self,
        skeleton: &Skeleton,
        pose: &Pose,
        world_from_node: &[Affine3A],
    ) -> Result<Body, SolveError> {
        self.check_scale(pose)?;
        let link = |l: &BoundLink| {
            let (offset, scale) = l.geometry(&pose.locals, &self.slides);
            Link::base()
                .with_parent(l.parent)
                .with_offset(offset)
                .with_rest(l.node.map_or(DQuat::IDENTITY, |n| l.rotation(skeleton.nodes[n].rest.rotation)))
                .with_scale(scale)
                .with_limit(l.limit)
                .with_mimic(l.mimic)
                .with_weight(if l.turns { l.weight } else { 0.0 })
                .with_ccd_budget(l.ccd_budget)
                .with_reversed(l.reversed)
        };
        let above = self.above(skeleton).map_or(DAffine3::IDENTITY, |node| widen(world_from_node[node]));
        let mut body = Body::new(self.links.iter().map(link).collect(), above)?;
        self.refresh(&mut body, skeleton, pose, world_from_node)?;
        Ok(body)
    }

    /// Sets the direction in which the figure of a body faces ([`Body::set_facing`]). The body must belong to this binding.
    /// `world_from_figure` is the rotation from the space of the figure (+Y up, +Z to its front) to the world, in the rest pose.
    pub fn set_facing(&self, body: &mut Body, skeleton: &Skeleton, world_from_figure: DQuat) {
        let above = self.above(skeleton).map_or(DQuat::IDENTITY, |node| rest_orientation(skeleton, node));
        body.set_facing(above.conjugate() * world_from_figure);
    }

    /// Sets the pose that the figure of a body stays near ([`Body::set_stance`]). Call it after [`Binding::refresh`]. `pose` is the pose
    /// that was copied into the body.
    pub fn set_stance(&self, body: &mut Body, skeleton: &Skeleton, pose: &Pose, stance: &Pose) {
        let local = |node: usize| stance.locals.get(node);
        let rotation = |link: usize| {
            let l = &self.links[link];
            let own = l.node.and_then(local).map(|local| l.rotation(local.rotation));
            own.unwrap_or_else(|| {
                l.node.map_or(DQuat::IDENTITY, |n| l.rotation(skeleton.nodes[n].rest.rotation))
            })
        };
        let at = |pose: &Pose| pose.locals.get(self.base).map(|l| l.translation.as_dvec3());
        let root = at(stance).zip(at(pose)).map_or(DVec3::ZERO, |(stance, now)| stance - now);
        body.set_stance(rotation, root);
    }

    /// Copies a pose into a body of this binding. Allocates nothing. `world_from_node` contains the world matrices of the pose.
    ///
    /// # Errors
    /// [`SolveError`] if a node of an upward path has scale, if a node between that path and the root of the skeleton has non-uniform
    /// scale, if an offset or a scale is not finite, or if the matrix above the base cannot be inverted.
    pub fn refresh(
        &self,
        body: &mut Body,
        skeleton: &Skeleton,
        pose: &Pose,
        world_from_node: &[Affine3A],
    ) -> Result<(), SolveError> {
        self.check_scale(pose)?;
        let none = (DVec3::ZERO, DVec3::ONE);
        body.set_geometry(|index| {
            self.links.get(index).map_or(none, |l| l.geometry(&pose.locals, &self.slides))
        })?;
        let above = self.above(skeleton);
        body.place(
            above.map_or(DAffine3::IDENTITY, |node| widen(world_from_node[node])),
            above.map_or(DQuat::IDENTITY, |node| orientation(skeleton, pose, node)),
        )?;
        body.set_root(DVec3::ZERO);
        for (index, l) in self.links.iter().enumerate() {
            if let Some(node) = l.node {
                body.set_rotation(index, l.rotation(pose.locals[node].rotation));
                if let Some(slide) = self.slides.get(&node) {
                    body.set_displacement(index, slide.split(pose.locals[node].translation).0);
                }
            }
        }
        Ok(())
    }

    /// Returns the node in whose space the body is defined.
    fn above(&self, skeleton: &Skeleton) -> Option<usize> {
        if self.is_upward() { Some(self.base) } else { skeleton.nodes[self.base].parent }
    }

    fn check_scale(&self, pose: &Pose) -> Result<(), SolveError> {
        match self.scaled(|n| pose.locals[n].scale) {
            Some(place) if place < self.upward.len() => {
                Err(SolveError::Link { link: place, what: "scale above the base" })
            }
            // Nodes above the upward path have no link, so the error names the last link of the path.
            Some(_) => Err(SolveError::Link { link: self.upward.len() - 1, what: "scale below the root" }),
            None => Ok(()),
        }
    }

    /// Copies the rotations and displacements of a solved body into the pose that it was refreshed from. If the base has
    /// moved, its translation is copied too. If the path starts by going up to an ancestor of the base, the root of the skeleton is
    /// moved so that the base matches the body. Allocates nothing.
    pub fn write_back(&self, body: &Body, pose: &mut Pose) {
        let before = place_of(self.way_up(), &pose.locals, body.root());
        for (l, rotation) in self.links.iter().zip(body.rotations()) {
            if let Some(node) = l.node.filter(|_| l.turns) {
                let rotation = if l.reversed { rotation.conjugate() } else { *rotation };
                pose.locals[node].rotation = rotation.as_quat().normalize();
            }
        }
        self.write_displacements(body, pose);
        self.followers.iter().for_each(|follower| follower.write(body, pose));
        if self.is_upward() {
            self.restore_base(before, &mut pose.locals);
        } else if body.root() != DVec3::ZERO {
            let moved = pose.locals[self.base].translation.as_dvec3() + body.root();
            pose.locals[self.base].translation = moved.as_vec3();
        }
    }

    /// Moves the root of the skeleton so that the base is at the given place in the space above the root.
    fn restore_base(&self, (position, rotation): (DVec3, DQuat), locals: &mut [Transform]) {
        let moved = place_of(self.way_up(), locals, DVec3::ZERO);
        let Some(root) = self.way_up().last().filter(|_| moved != (position, rotation)) else { return };
        let turn = rotation * moved.1.conjugate();
        locals[root].rotation = (turn * locals[root].rotation.as_dquat()).as_quat().normalize();
        // The rotation is rounded, so the translation is computed after it.
        let (turned, _) = place_of(self.way_up(), locals, DVec3::ZERO);
        let root = &mut locals[root].translation;
        *root = (root.as_dvec3() + position - turned).as_vec3();
    }
}

/// If a matrix in a file differs from the nearest transform by at most this fraction, the difference counts as a rounding error. Larger
/// differences count as shear.
const ROUNDING: f32 = 1e-4;

/// Returns whether the matrix of a node has shear, in which case no transform is close to it.
fn is_sheared(skeleton: &Skeleton, node: usize) -> bool {
    skeleton.sheared.get(&node).is_some_and(|matrix| {
        let size = matrix.matrix3.to_cols_array().iter().fold(0.0_f32, |a, x| a.max(x.abs()));
        let nearest = skeleton.nodes[node].rest.to_affine();
        !nearest.matrix3.abs_diff_eq(matrix.matrix3, size * ROUNDING)
    })
}

/// Converts a matrix to double precision.
fn widen(m: Affine3A) -> DAffine3 {
    let column = |v: glam::Vec3A| DVec3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z));
    let linear =
        DMat3::from_cols(column(m.matrix3.x_axis), column(m.matrix3.y_axis), column(m.matrix3.z_axis));
    DAffine3 { matrix3: linear, translation: column(m.translation) }
}
