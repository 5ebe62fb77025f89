//! The places of a body and its links in the world.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use crate::{LinkIndex, SolveError};

use super::{Body, unit};

/// A matrix A still counts as a rotation with uniform scale s if the entries of AᵀA differ from the entries of s²I by at
/// most this fraction of the squared scale. The matrices of characters are products of single-precision rotations. A
/// product of a hundred such rotations is accurate to about 2e-5.
const UNEVENNESS: f64 = 1e-4;

impl Body {
    /// Sets the map from base space to the world. `rotation` is the product of the rotations above the base, from which
    /// world orientations are computed. This rotation cannot be computed from a matrix with non-uniform scale.
    ///
    /// # Errors
    /// [`SolveError::Singular`] if the map cannot be inverted. The body is then unchanged.
    pub fn place(&mut self, world_from_base: DAffine3, rotation: DQuat) -> Result<(), SolveError> {
        let base_from_world = world_from_base.inverse();
        if !(world_from_base.is_finite() && base_from_world.is_finite() && rotation.is_finite()) {
            return Err(SolveError::Singular);
        }
        (self.world_from_base, self.base_from_world) = (world_from_base, base_from_world);
        self.world_from_base_rotation = unit(rotation);
        self.uniform_scale = uniform_scale(world_from_base.matrix3);
        Ok(())
    }

    /// Returns the scale of `world_from_base` if it is uniform up to single-precision rounding errors. Mapping a vector from base space to
    /// the world multiplies its length by at most this scale.
    pub(crate) fn uniform_scale(&self) -> Option<f64> {
        self.uniform_scale
    }

    /// Returns whether the bases of two bodies have the same world transform.
    pub(crate) fn is_placed_as(&self, other: &Self) -> bool {
        self.root == other.root
            && self.world_from_base == other.world_from_base
            && self.world_from_base_rotation == other.world_from_base_rotation
    }

    pub(super) fn parent_from_link(&self, index: usize) -> DAffine3 {
        let (link, rotation) = (&self.links[index], self.rotations[index]);
        let root = if link.parent.is_none() { self.root } else { DVec3::ZERO };
        let linear = DMat3::from_quat(rotation) * DMat3::from_diagonal(link.scale);
        DAffine3 { matrix3: linear, translation: self.local_position(index) + root }
    }

    /// Returns `world_from_link`, computed by forward kinematics, or `None` if the link does not exist.
    pub fn world_from_link(&self, link: LinkIndex) -> Option<DAffine3> {
        let mut parent = self.links.get(link.0)?.parent_index();
        let mut affine = self.parent_from_link(link.0);
        while let Some(above) = parent {
            affine = self.parent_from_link(above) * affine;
            parent = self.links[above].parent_index();
        }
        Some(self.world_from_base * affine)
    }

    /// Returns the world orientation of a link as a product of rotations, or `None` if the link does not exist.
    pub fn orientation(&self, link: LinkIndex) -> Option<DQuat> {
        let mut rotation = *self.rotations.get(link.0)?;
        let mut parent = self.links[link.0].parent_index();
        while let Some(above) = parent {
            rotation = self.rotations[above] * rotation;
            parent = self.links[above].parent_index();
        }
        Some(self.world_from_base_rotation * rotation)
    }
}

/// Returns the scale of a matrix A if it is uniform up to rounding errors, or `None` otherwise. The result is an upper
/// bound: by Gershgorin's circle theorem, no eigenvalue of AᵀA exceeds the square of the result.
fn uniform_scale(matrix: DMat3) -> Option<f64> {
    let DMat3 { x_axis: x, y_axis: y, z_axis: z } = matrix;
    let squares = DVec3::new(x.length_squared(), y.length_squared(), z.length_squared());
    let products = DVec3::new(y.dot(z), z.dot(x), x.dot(y)).abs();
    let uneven = (squares.max_element() - squares.min_element()).max(products.max_element());
    let others = DVec3::splat(products.element_sum()) - products;
    (uneven <= UNEVENNESS * squares.min_element()).then(|| (squares + others).max_element().sqrt())
}
