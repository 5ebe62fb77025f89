//! The node hierarchy of a character, and its skins.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use glam::{Affine3A, Mat3A, Quat, Vec3, Vec3A};
use serde::{Deserialize, Serialize};

use crate::api::Missing;

/// A local transform, applied in the order scale, rotation, translation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transform {
    /// Translation in metres, in the parent's space.
    pub translation: Vec3,
    /// Unit quaternion.
    pub rotation: Quat,
    /// Scale factor per axis, which may be negative or zero.
    pub scale: Vec3,
}

impl Transform {
    /// The identity transform.
    pub const IDENTITY: Self = Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// Returns a transform that only translates, in metres.
    pub const fn from_translation(translation: Vec3) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// Returns the transform as the matrix `parent_from_local`.
    ///
    /// ```
    /// use sinew_character::asset::Transform;
    /// use sinew_character::glam::{Quat, Vec3};
    ///
    /// let turned = Transform { rotation: Quat::from_rotation_z(1.5), ..Transform::from_translation(Vec3::Y) };
    /// let matrix = Transform { scale: Vec3::splat(2.0), ..turned }.to_affine();
    /// assert!(matrix.transform_point3(Vec3::ZERO).abs_diff_eq(Vec3::Y, 1e-6));
    /// assert!((matrix.transform_vector3(Vec3::X).length() - 2.0).abs() < 1e-6);
    /// ```
    #[inline]
    pub fn to_affine(self) -> Affine3A {
        Affine3A::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }

    /// Returns the transform that is nearest to a matrix. It is exact if the matrix has no shear. If the matrix contains a reflection, the
    /// x scale is negative, as in other glTF tools.
    ///
    /// The result is finite unless a scale exceeds single precision.
    ///
    /// ```
    /// use sinew_character::asset::Transform;
    /// use sinew_character::glam::{Affine3A, Quat, Vec3};
    ///
    /// let (scale, rotation) = (Vec3::new(1.0, 2.0, 3.0), Quat::from_rotation_y(0.4));
    /// let matrix = Affine3A::from_scale_rotation_translation(scale, rotation, Vec3::X);
    /// let transform = Transform::from_affine(matrix);
    /// assert!(transform.scale.abs_diff_eq(scale, 1e-6));
    /// assert!(transform.rotation.angle_between(rotation) < 1e-3);
    /// assert_eq!(transform.translation, Vec3::X);
    /// ```
    pub fn from_affine(parent_from_local: Affine3A) -> Self {
        let matrix = parent_from_local.matrix3;
        let columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
        // Squares and products of very large or very small numbers overflow or underflow. Each column is therefore
        // divided by a power of two, which is exact.
        let units = columns.map(magnitude);
        let [x, y, z] = [0, 1, 2].map(|i| columns[i] / units[i]);
        let mut lengths = Vec3::new(x.length(), y.length(), z.length());
        if Mat3A::from_cols(x, y, z).determinant() < 0.0 {
            lengths.x = -lengths.x;
        }
        let unscale = |s: f32| if s == 0.0 { 1.0 } else { 1.0 / s };
        let rotation = glam::Mat3::from_cols(
            (x * unscale(lengths.x)).into(),
            (y * unscale(lengths.y)).into(),
            (z * unscale(lengths.z)).into(),
        );
        let rotation = Quat::from_mat3(&rotation);
        let rotation = if rotation.is_finite() { rotation.normalize() } else { Quat::IDENTITY };
        let scale = lengths * Vec3::from_array(units);
        Self { translation: parent_from_local.translation.into(), rotation, scale }
    }
}

/// Returns the largest power of two that does not exceed the largest absolute value of a component. It is clamped so
/// that it and its reciprocal are normal numbers.
fn magnitude(vector: Vec3A) -> f32 {
    /// The exponent bits of an `f32`.
    const EXPONENT: u32 = 0x7F80_0000;
    let largest = vector.abs().max_element();
    f32::from_bits(largest.to_bits() & EXPONENT).clamp(f32::MIN_POSITIVE, f32::MIN_POSITIVE.recip())
}

/// A node of the file, such as a joint, a node with a mesh, or a group.
#[derive(Clone, Debug)]
pub struct Node {
    /// Name in the file, if it has one.
    pub name: Option<String>,
    /// Index of the parent node. `None` for a root.
    pub parent: Option<usize>,
    /// Indices of the child nodes, in file order.
    pub children: Vec<usize>,
    /// Local transform in the file.
    pub rest: Transform,
    /// Index of the node's mesh.
    pub mesh: Option<usize>,
    /// Index of the skin that deforms the mesh.
    pub skin: Option<usize>,
    /// Range of the node's morph weights in [`Skeleton::rest_weights`] and in a pose.
    pub morph_weights: Range<usize>,
}

/// The node hierarchy of a file.
#[derive(Clone, Debug, Default)]
pub struct Skeleton {
    /// All nodes, in file order. Instances of a mesh (`EXT_mesh_gpu_instancing`) are separate nodes after them.
    pub nodes: Vec<Node>,
    /// The nodes that are instances of a mesh. The file has no nodes for them, so copies of the file contain them in the rest pose.
    pub instances: Range<usize>,
    /// Every node with its parent, sorted so that parents come before their children.
    pub parents_first: Vec<(usize, Option<usize>)>,
    /// Matrices in the file that a [`Transform`] cannot express, by node. Such a matrix is used while its node is in
    /// the rest pose.
    pub sheared: BTreeMap<usize, Affine3A>,
    /// Nodes that are not drawn, together with their descendants (`KHR_node_visibility`).
    pub hidden: BTreeSet<usize>,
    /// Rest morph weights of all nodes in node order. A node without its own weights has its mesh's weights, or zeros. The values
    /// of [`Character::values`](super::Character::values) follow the morph weights.
    pub rest_weights: Vec<f32>,
}

impl Skeleton {
    /// Returns a node's name for messages, or `#INDEX` if it has none.
    pub fn label(&self, node: usize) -> String {
        match self.nodes.get(node).and_then(|n| n.name.as_deref()) {
            Some(name) => name.to_owned(),
            None => format!("#{node}"),
        }
    }

    /// Returns the node that a morph weight of a pose belongs to, and the index of the weight in that node.
    pub fn morph_of(&self, weight: usize) -> Option<(usize, usize)> {
        let node = self.nodes.iter().position(|n| n.morph_weights.contains(&weight))?;
        Some((node, weight - self.nodes.get(node)?.morph_weights.start))
    }

    /// Returns the first node that has the given name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.nodes.iter().position(|n| n.name.as_deref() == Some(name))
    }

    /// Checks that nodes exist.
    pub(crate) fn check_nodes(&self, mut nodes: impl Iterator<Item = usize>) -> Result<(), Missing> {
        let count = self.nodes.len();
        let missing = nodes.find(|node| *node >= count);
        missing.map_or(Ok(()), |node| Err(Missing::index_in("the skeleton", "node", node, count)))
    }

    /// Returns a node and its ancestors, from the node up to its root.
    ///
    /// ```
    /// let skeleton = sinew_character::asset::mannequin()?.skeleton;
    /// let foot = skeleton.find("leftFoot").ok_or("no foot")?;
    /// let path: Vec<_> = skeleton.ancestors(foot).map(|node| skeleton.label(node)).collect();
    /// assert_eq!(path[..4], ["leftFoot", "leftLowerLeg", "leftUpperLeg", "hips"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ancestors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(node), |&n| self.nodes.get(n).and_then(|n| n.parent))
    }
}

/// The joints that deform a mesh, with their inverse bind matrices.
#[derive(Clone, Debug)]
pub struct Skin {
    /// Name in the file.
    pub name: Option<String>,
    /// Node indices. `JOINTS_n` of a mesh are indices into this list.
    pub joints: Vec<usize>,
    /// Inverse bind matrices `joint_from_mesh`, one per joint.
    pub joint_from_mesh: Vec<Affine3A>,
    /// Whether the file contains inverse bind matrices. If not, they are all identity.
    pub has_inverse_binds: bool,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn matrices_of_any_magnitude_decompose(
            axis in prop::array::uniform3(-1.0..1.0_f32), angle in -3.0..3.0_f32,
            scale in prop::array::uniform3(0.5..2.0_f32), exponents in prop::array::uniform3(-30..38_i32),
        ) {
            let axis = Vec3::from(axis).try_normalize().unwrap_or(Vec3::X);
            let rotation = Quat::from_axis_angle(axis, angle);
            let scale = Vec3::from_array([0, 1, 2].map(|i| scale[i] * 10.0_f32.powi(exponents[i])));
            let matrix = Affine3A::from_scale_rotation_translation(scale, rotation, Vec3::ONE);
            let found = Transform::from_affine(matrix);
            for i in 0..3 {
                prop_assert!((found.scale[i] / scale[i] - 1.0).abs() < 1e-5, "{} {}", found.scale, scale);
            }
            prop_assert!(found.rotation.dot(rotation).abs() > 1.0 - 1e-5);
        }
    }

    #[test]
    fn shear_of_any_magnitude_decomposes_to_finite_numbers() {
        let columns = [Vec3A::new(2.0, 0.0, 1e30), Vec3A::Y, Vec3A::Z];
        let [x, y, z] = columns;
        let found = Transform::from_affine(Affine3A::from_cols(x, y, z, Vec3A::ZERO));
        assert_eq!(found.scale, Vec3::new(1e30, 1.0, 1.0));
        let largest = Affine3A::from_cols(Vec3A::X * f32::MAX, Vec3A::ZERO, -Vec3A::Z * 1e-44, Vec3A::ZERO);
        let found = Transform::from_affine(largest);
        assert_eq!((found.scale.x.abs(), found.scale.y), (f32::MAX, 0.0));
        assert!(found.rotation.is_normalized());
    }
}
