//! A pose's joints, lent to a solver for a while.

use glam::{Affine3A, DAffine3, DMat3, DVec3};

use crate::asset::{Character, Skeleton};
use crate::ik::{Body, Link};
use crate::pose::Pose;

use super::RigError;

/// The tree of nodes from one base to one or more effectors: which node is which link of the [`Body`] made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Node index of each link, base first, parents before their children.
    nodes: Vec<usize>,
    /// Link index of each link's parent.
    parents: Vec<Option<usize>>,
    /// Whether each link may turn.
    turns: Vec<bool>,
}

/// The joint that is held still where nothing says otherwise: the topmost joint of the effector's skin above it.
/// An effector that no skin reaches, as in a file of rigid parts, hangs from its root.
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
    /// The nodes on the ways from `base` to each effector.
    ///
    /// A node between joints that no skin names is carried along and never turns, unless no skin names any node on
    /// its way, as in a file of rigid parts.
    ///
    /// # Errors
    /// [`RigError`]: the base is not above an effector, there is nothing to turn, or a matrix on the way has shear.
    pub fn new(character: &Character, base: usize, effectors: &[usize]) -> Result<Self, RigError> {
        let skeleton = &character.skeleton;
        let mut taken = vec![false; skeleton.nodes.len()];
        for &effector in effectors {
            let (effector_name, base_name) = (|| skeleton.label(effector), || skeleton.label(base));
            if effector == base {
                return Err(RigError::NoJoints { effector: effector_name() });
            }
            if !skeleton.ancestors(effector).any(|n| n == base) {
                return Err(RigError::NotAnAncestor { base: base_name(), effector: effector_name() });
            }
            skeleton.ancestors(effector).take_while(|&n| n != base).for_each(|n| taken[n] = true);
        }
        taken[base] = true;
        let is_joint = |node: usize| character.skins.iter().any(|s| s.joints.contains(&node));
        let mut lease = Self { nodes: Vec::new(), parents: Vec::new(), turns: Vec::new() };
        let mut link_of = vec![None; skeleton.nodes.len()];
        for &(node, parent) in skeleton.parents_first.iter().filter(|(n, _)| taken[*n]) {
            if is_sheared(skeleton, node) {
                return Err(RigError::Sheared { node: skeleton.label(node) });
            }
            link_of[node] = Some(lease.nodes.len());
            lease.parents.push(parent.filter(|_| node != base).and_then(|p| link_of[p]));
            lease.turns.push(is_joint(node));
            lease.nodes.push(node);
        }
        if !lease.turns.contains(&true) {
            lease.turns.fill(true);
        }
        Ok(lease)
    }

    /// The link that a node became.
    pub fn link(&self, node: usize) -> Option<usize> {
        self.nodes.iter().position(|&n| n == node)
    }

    /// A body in the pose's shape. `world_from_node`: the world matrices of the same pose.
    pub fn body(
        &self,
        character: &Character,
        pose: &Pose,
        world_from_node: &[Affine3A],
    ) -> Result<Body, crate::ik::SolveError> {
        let nodes = &character.skeleton.nodes;
        let above = self.nodes.first().and_then(|&base| nodes[base].parent);
        let world_from_base = above.map_or(DAffine3::IDENTITY, |parent| widen(world_from_node[parent]));
        let links = self.nodes.iter().zip(&self.parents).zip(&self.turns);
        let link = |((&node, &parent), &turns): ((&usize, &Option<usize>), &bool)| {
            let local = pose.locals[node];
            Link {
                parent,
                offset: local.translation.as_dvec3(),
                rest: nodes[node].rest.rotation.as_dquat(),
                scale: local.scale.as_dvec3(),
                weight: if turns { 1.0 } else { 0.0 },
                ..Link::base()
            }
        };
        let mut body = Body::new(links.map(link).collect(), world_from_base)?;
        for (link, &node) in self.nodes.iter().enumerate() {
            body.set_rotation(link, pose.locals[node].rotation.as_dquat());
        }
        let rotations =
            std::iter::successors(above, |&n| nodes[n].parent).map(|n| pose.locals[n].rotation.as_dquat());
        body.place(world_from_base, rotations.fold(glam::DQuat::IDENTITY, |below, above| above * below))?;
        Ok(body)
    }

    /// Writes a solved body's rotations into the pose that it was made from.
    pub fn write_back(&self, body: &Body, pose: &mut Pose) {
        for ((&node, rotation), &turns) in self.nodes.iter().zip(body.rotations()).zip(&self.turns) {
            if turns {
                pose.locals[node].rotation = rotation.as_quat().normalize();
            }
        }
    }
}

/// Shear below this share of a matrix's size is the rounding of whoever wrote it: the nearest transform will do.
const ROUNDING: f32 = 1e-4;

/// Whether a node's matrix is far from any transform.
fn is_sheared(skeleton: &Skeleton, node: usize) -> bool {
    skeleton.sheared.get(&node).is_some_and(|matrix| {
        let size = matrix.matrix3.to_cols_array().iter().fold(0.0_f32, |a, x| a.max(x.abs()));
        let nearest = skeleton.nodes[node].rest.to_affine();
        !nearest.matrix3.abs_diff_eq(matrix.matrix3, size * ROUNDING)
    })
}

/// To double precision.
fn widen(m: Affine3A) -> DAffine3 {
    let column = |v: glam::Vec3A| DVec3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z));
    let linear =
        DMat3::from_cols(column(m.matrix3.x_axis), column(m.matrix3.y_axis), column(m.matrix3.z_axis));
    DAffine3 { matrix3: linear, translation: column(m.translation) }
}
