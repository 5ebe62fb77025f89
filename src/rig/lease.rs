//! Binds the joints of a pose to a solver's body.

use glam::{Affine3A, DAffine3, DMat3, DQuat, DVec3, Vec3};

use crate::asset::{Character, Skeleton, Skin};
use crate::ik::{Body, Limit, Link, SolveError};
use crate::pose::Pose;

use super::{Rig, RigError};

/// Binds nodes to the links of a [`Body`]: the tree of nodes from one base to one or more effectors.
///
/// The base may be any joint. If an effector is not below it, the path first goes up from the base, against the
/// hierarchy. On this part, a link has the inverse rotation of its joint, and the topmost joint is moved so that the base
/// stays fixed.
#[derive(Clone, Debug, PartialEq)]
pub struct Lease {
    base: usize,
    links: Vec<Leased>,
    /// The nodes from the base up to the topmost one, both included. Only the base if all effectors are below it.
    up: Vec<usize>,
}

/// A link and its node.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Leased {
    /// The node that gives the link its rotation. `None` for the fixed base at the start of a path that goes up.
    node: Option<usize>,
    parent: Option<usize>,
    reversed: bool,
    turns: bool,
    limit: Limit,
    weight: f64,
    /// The link's offset is the local translation of node `plus` minus that of node `less`.
    less: Option<usize>,
    plus: Option<usize>,
}

/// Returns the default base of an effector, which is the topmost joint above it in its skin. If no skin contains it or an
/// ancestor, as in a file of rigid parts, this is its root.
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

impl Lease {
    /// Binds the nodes on the paths from `base` to each effector, with the limits and weights of a rig.
    ///
    /// A node without a skin moves along but does not rotate. If no node on the paths has a skin, as in a file of rigid
    /// parts, all of them rotate. If the rig has logical parents, `skeleton` must be that of
    /// [`Carried`](super::Carried).
    ///
    /// # Errors
    /// [`RigError`] if base and effectors have no common ancestor, if a matrix on the paths has shear, or if a joint on the
    /// path up from the base has scale.
    pub fn new(
        skeleton: &Skeleton,
        skins: &[Skin],
        rig: &Rig,
        base: usize,
        effectors: &[usize],
    ) -> Result<Self, RigError> {
        let top = top(skeleton, base, effectors)?;
        let up: Vec<usize> = skeleton.ancestors(base).take_while(|&n| n != top).chain([top]).collect();
        let mut lease = Self { base, links: Vec::new(), up };
        let mut taken = vec![false; skeleton.nodes.len()];
        for &effector in effectors {
            let way = skeleton.ancestors(effector).take_while(|n| !lease.up.contains(n));
            way.for_each(|n| taken[n] = true);
        }
        let is_joint = |node: usize| skins.iter().any(|s| s.joints.contains(&node));
        let leased = |node: usize| {
            let joint = rig.joint(node);
            Leased {
                node: Some(node),
                parent: None,
                reversed: false,
                turns: is_joint(node),
                limit: joint.limit,
                weight: 1.0 - joint.stiffness,
                less: None,
                plus: None,
            }
        };
        // The link to which the children of each node attach.
        let mut link_of = vec![None; skeleton.nodes.len()];
        if lease.up.len() > 1 {
            lease.links.push(Leased { node: None, turns: false, limit: Limit::Free, ..leased(base) });
            link_of[base] = Some(0);
            for (i, pair) in lease.up.windows(2).enumerate() {
                let (node, above) = (pair[0], pair[1]);
                let less = i.checked_sub(1).map(|i| lease.up[i]);
                lease.links.push(Leased { parent: Some(i), reversed: true, less, ..leased(node) });
                link_of[above] = Some(i + 1);
            }
        } else {
            lease.links.push(Leased { plus: Some(base), ..leased(base) });
            link_of[base] = Some(0);
        }
        for &(node, parent) in skeleton.parents_first.iter().filter(|(n, _)| taken[*n]) {
            let parent = parent.filter(|p| link_of[*p].is_some());
            let less = parent.and_then(|p| lease.up.iter().position(|&n| n == p)).filter(|&i| i > 0);
            let less = less.map(|i| lease.up[i - 1]);
            link_of[node] = Some(lease.links.len());
            lease.links.push(Leased {
                parent: parent.and_then(|p| link_of[p]),
                less,
                plus: Some(node),
                ..leased(node)
            });
        }
        lease.check(skeleton)?;
        if !lease.links.iter().any(|l| l.turns) {
            lease.links.iter_mut().for_each(|l| l.turns = l.node.is_some());
        }
        Ok(lease)
    }

    /// Checks that the solver can rotate the nodes: no matrix has shear, and no node on the path up has scale.
    fn check(&self, skeleton: &Skeleton) -> Result<(), RigError> {
        let nodes = self.links.iter().filter_map(|l| l.node).chain(self.up.iter().copied());
        if let Some(node) = nodes.clone().find(|&n| is_sheared(skeleton, n)) {
            return Err(RigError::Sheared { node: skeleton.label(node) });
        }
        let scaled = |n: &usize| (skeleton.nodes[*n].rest.scale - Vec3::ONE).abs().max_element() > 1e-5;
        let mut up = self.up.iter().copied().filter(|_| self.up.len() > 1);
        up.find(scaled).map_or(Ok(()), |node| Err(RigError::Scaled { node: skeleton.label(node) }))
    }

    /// Returns the node of each link. `None` for a fixed base without a rotating joint.
    pub fn nodes(&self) -> impl Iterator<Item = Option<usize>> + '_ {
        self.links.iter().map(|l| l.node)
    }

    /// Returns the link that rotates with a node, and the position of the node in the link's frame.
    pub fn link(&self, node: usize, pose: &Pose) -> Option<(usize, DVec3)> {
        if let Some(i) = self.up.iter().position(|&n| n == node).filter(|_| self.up.len() > 1) {
            let offset =
                i.checked_sub(1).map_or(DVec3::ZERO, |i| -pose.locals[self.up[i]].translation.as_dvec3());
            return Some((i, offset));
        }
        self.links.iter().position(|l| l.node == Some(node) && !l.reversed).map(|link| (link, DVec3::ZERO))
    }

    /// Creates a body in the shape of a pose. `world_from_node` are the world matrices of the same pose.
    ///
    /// # Errors
    /// [`SolveError`] if the pose contains numbers that a body does not allow.
    pub fn body(
        &self,
        skeleton: &Skeleton,
        pose: &Pose,
        world_from_node: &[Affine3A],
    ) -> Result<Body, SolveError> {
        let nodes = &skeleton.nodes;
        let place = |node: Option<usize>| node.map_or(DVec3::ZERO, |n| pose.locals[n].translation.as_dvec3());
        let own =
            |l: &Leased, q: glam::Quat| if l.reversed { q.as_dquat().conjugate() } else { q.as_dquat() };
        let link = |l: &Leased| Link {
            parent: l.parent,
            offset: place(l.plus) - place(l.less),
            rest: l.node.map_or(DQuat::IDENTITY, |n| own(l, nodes[n].rest.rotation)),
            scale: l.node.filter(|_| !l.reversed).map_or(DVec3::ONE, |n| pose.locals[n].scale.as_dvec3()),
            limit: l.limit,
            weight: if l.turns { l.weight } else { 0.0 },
            reversed: l.reversed,
        };
        let held = if self.up.len() > 1 { Some(self.base) } else { nodes[self.base].parent };
        let above = held.map_or(DAffine3::IDENTITY, |node| widen(world_from_node[node]));
        let scaled = |n: &usize| (pose.locals[*n].scale - Vec3::ONE).abs().max_element() > 1e-5;
        if let Some(place) = self.up.iter().position(scaled).filter(|_| self.up.len() > 1) {
            return Err(SolveError::Link { link: place, what: "scale" });
        }
        let mut body = Body::new(self.links.iter().map(link).collect(), above)?;
        body.place(above, held.map_or(DQuat::IDENTITY, |n| orientation(skeleton, pose, n)))?;
        for (index, l) in self.links.iter().enumerate() {
            if let Some(node) = l.node {
                body.set_rotation(index, own(l, pose.locals[node].rotation));
            }
        }
        Ok(body)
    }

    /// Writes the rotations of a solved body to the pose that it was created from. If the base or the topmost joint has
    /// moved, its translation is written too.
    pub fn write_back(
        &self,
        skeleton: &Skeleton,
        body: &Body,
        world_from_node: &[Affine3A],
        pose: &mut Pose,
    ) {
        let nodes = &skeleton.nodes;
        if let Some((&top, &below)) = self.up.last().zip(self.up.iter().rev().nth(1)) {
            let link = self.up.len() - 1;
            let offset = -pose.locals[below].translation.as_dvec3();
            if let Some((world, spin)) = body.world_from_link(link).zip(body.orientation(link)) {
                let parent = nodes[top].parent;
                let above = parent.map_or(DAffine3::IDENTITY, |p| widen(world_from_node[p]));
                let unspin = parent.map_or(DQuat::IDENTITY, |p| orientation(skeleton, pose, p)).conjugate();
                let local = &mut pose.locals[top];
                local.translation =
                    above.inverse().transform_point3(world.transform_point3(offset)).as_vec3();
                local.rotation = (unspin * spin).as_quat().normalize();
            }
        } else if body.root() != DVec3::ZERO {
            let moved = pose.locals[self.base].translation.as_dvec3() + body.root();
            pose.locals[self.base].translation = moved.as_vec3();
        }
        for (l, rotation) in self.links.iter().zip(body.rotations()) {
            if let Some(node) = l.node.filter(|_| l.turns) {
                let rotation = if l.reversed { rotation.conjugate() } else { *rotation };
                pose.locals[node].rotation = rotation.as_quat().normalize();
            }
        }
    }
}

/// Returns the lowest node that is at or above the base and all effectors.
fn top(skeleton: &Skeleton, base: usize, effectors: &[usize]) -> Result<usize, RigError> {
    let mut top = base;
    for &effector in effectors {
        let above: Vec<usize> = skeleton.ancestors(effector).collect();
        let common = skeleton.ancestors(top).find(|n| above.contains(n));
        let apart = || RigError::Apart { base: skeleton.label(base), effector: skeleton.label(effector) };
        top = common.ok_or_else(apart)?;
    }
    Ok(top)
}

/// Returns the product of the rotations from a node's root down to it.
pub fn orientation(skeleton: &Skeleton, pose: &Pose, node: usize) -> DQuat {
    let rotations = skeleton.ancestors(node).map(|n| pose.locals[n].rotation.as_dquat());
    rotations.fold(DQuat::IDENTITY, |below, above| above * below)
}

/// Maximum shear as a fraction of the matrix's size. Less is a rounding error of the exporter and is ignored.
const ROUNDING: f32 = 1e-4;

/// Returns whether a node's matrix differs noticeably from every transform.
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
