//! The tree of nodes that a pose moves, and the skins that hang on it.

use std::collections::BTreeMap;
use std::ops::Range;

use glam::{Affine3A, Quat, Vec3};
use serde::{Deserialize, Serialize};

/// A local transform: scale, then rotate, then translate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transform {
    /// Metres, in the parent's space.
    pub translation: Vec3,
    /// Unit quaternion.
    pub rotation: Quat,
    /// A factor an axis; may be negative or zero.
    pub scale: Vec3,
}

impl Transform {
    /// Leaves everything where it is.
    pub const IDENTITY: Self = Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// `parent_from_local` as a matrix.
    #[inline]
    pub fn to_affine(self) -> Affine3A {
        Affine3A::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }

    /// The transform that comes nearest to a matrix: exact where the matrix holds no shear.
    /// A mirrored matrix gets a negative x scale, as glTF tools do.
    pub fn from_affine(parent_from_local: Affine3A) -> Self {
        let m = parent_from_local.matrix3;
        let mut scale = Vec3::new(m.x_axis.length(), m.y_axis.length(), m.z_axis.length());
        if m.determinant() < 0.0 {
            scale.x = -scale.x;
        }
        let unscale = |s: f32| if s == 0.0 { 1.0 } else { 1.0 / s };
        let rotation = glam::Mat3::from_cols(
            (m.x_axis * unscale(scale.x)).into(),
            (m.y_axis * unscale(scale.y)).into(),
            (m.z_axis * unscale(scale.z)).into(),
        );
        let rotation = Quat::from_mat3(&rotation);
        let rotation = if rotation.is_finite() { rotation.normalize() } else { Quat::IDENTITY };
        Self { translation: parent_from_local.translation.into(), rotation, scale }
    }
}

/// One node of the file: a joint, the carrier of a mesh, or only a step between others.
#[derive(Clone, Debug)]
pub struct Node {
    /// The file's name for it, if it has one.
    pub name: Option<String>,
    /// Index of the parent node; `None` for a root.
    pub parent: Option<usize>,
    /// Indices of the child nodes, in file order.
    pub children: Vec<usize>,
    /// Local transform as the file gives it.
    pub rest: Transform,
    /// Index of the mesh that it carries.
    pub mesh: Option<usize>,
    /// Index of the skin that deforms that mesh.
    pub skin: Option<usize>,
    /// Where this node's morph weights stand in [`Skeleton::rest_weights`] and in a pose.
    pub morph_weights: Range<usize>,
}

/// All nodes of a file, with an order in which every parent comes before its children.
#[derive(Clone, Debug, Default)]
pub struct Skeleton {
    /// In file order.
    pub nodes: Vec<Node>,
    /// Every node with its parent, parents before their children.
    pub parents_first: Vec<(usize, Option<usize>)>,
    /// The file's matrices that a [`Transform`] cannot express, by node. They hold while the node is at rest.
    pub sheared: BTreeMap<usize, Affine3A>,
    /// Morph weights of all nodes at rest, one node after another: the node's own, else its mesh's, else zero.
    pub rest_weights: Vec<f32>,
}

impl Skeleton {
    /// A node's name, or `#INDEX` where it has none: how errors and people speak of it.
    pub fn label(&self, node: usize) -> String {
        match self.nodes.get(node).and_then(|n| n.name.as_deref()) {
            Some(name) => name.to_owned(),
            None => format!("#{node}"),
        }
    }

    /// The node that a morph weight of a pose belongs to, and its place among that node's.
    pub fn morph_of(&self, weight: usize) -> Option<(usize, usize)> {
        let node = self.nodes.iter().position(|n| n.morph_weights.contains(&weight))?;
        Some((node, weight - self.nodes.get(node)?.morph_weights.start))
    }

    /// The first node of a name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.nodes.iter().position(|n| n.name.as_deref() == Some(name))
    }

    /// The node and its ancestors, from the node up to its root.
    pub fn ancestors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(node), |&n| self.nodes.get(n).and_then(|n| n.parent))
    }
}

/// The joints that deform a mesh, and where each of them was when the mesh was bound.
#[derive(Clone, Debug)]
pub struct Skin {
    /// The file's name for it.
    pub name: Option<String>,
    /// Node indices. `JOINTS_n` of a mesh count in this list.
    pub joints: Vec<usize>,
    /// `joint_from_mesh`, the inverse bind matrices, one a joint.
    pub joint_from_mesh: Vec<Affine3A>,
    /// Whether the file gave them; if not, they are all identity.
    pub has_inverse_binds: bool,
}
