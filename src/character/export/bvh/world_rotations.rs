//! Computes how each node of a pose is rotated in world space relative to the rest pose. BVH's joint rotations follow
//! from these rotations.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use crate::asset::{Skeleton, Transform};
use crate::mathematics::accumulate;
use crate::pose::Pose;

/// Maximum number of iterations. Each iteration doubles the number of correct digits, except for the first few if the
/// matrix is badly scaled.
const MAX_ITERATIONS: usize = 40;

/// World matrices of all nodes, and their world-space rotations from the rest pose. Both are in double precision.
#[derive(Clone, Debug)]
pub(super) struct WorldRotations {
    /// `world_from_node`.
    world: Vec<DAffine3>,
    /// Linear part of `node_from_world` in the rest pose.
    rest: Vec<DMat3>,
    /// World-space rotations from the rest pose.
    rotations: Vec<DQuat>,
}

impl WorldRotations {
    /// Computes the matrices of the rest pose.
    pub(super) fn new(skeleton: &Skeleton) -> Self {
        let count = skeleton.nodes.len();
        let (world, rotations) = (vec![DAffine3::IDENTITY; count], vec![DQuat::IDENTITY; count]);
        let mut rotations = Self { world, rest: Vec::new(), rotations };
        rotations.update_world(skeleton, &Pose::rest(skeleton));
        rotations.rest = rotations.world.iter().map(|w| w.matrix3.inverse()).collect();
        rotations
    }

    /// Computes the matrices and rotations of a pose.
    pub(super) fn pose(&mut self, skeleton: &Skeleton, pose: &Pose) {
        self.update_world(skeleton, pose);
        for ((rotation, world), rest) in self.rotations.iter_mut().zip(&self.world).zip(&self.rest) {
            *rotation = nearest_rotation(world.matrix3 * *rest);
        }
    }

    fn update_world(&mut self, skeleton: &Skeleton, pose: &Pose) {
        accumulate(skeleton.parents_first.iter().copied(), &mut self.world, |node| {
            match (skeleton.sheared.get(&node), pose.locals[node]) {
                (Some(matrix), local) if local == skeleton.nodes[node].rest => double(matrix),
                (_, local) => affine(local),
            }
        });
    }

    /// Returns a node's rotation from the rest pose, relative to its parent's rotation.
    pub(super) fn rotation(&self, node: usize, parent: Option<usize>) -> DQuat {
        parent.map_or(self.rotations[node], |p| self.rotations[p].inverse() * self.rotations[node])
    }

    /// Returns a node's position relative to its parent, in metres. Without a parent, this is the world position.
    pub(super) fn position(&self, node: usize, parent: Option<usize>) -> DVec3 {
        let position = self.world[node].translation;
        parent.map_or(position, |p| self.rotations[p].inverse() * (position - self.world[p].translation))
    }
}

fn affine(local: Transform) -> DAffine3 {
    DAffine3::from_scale_rotation_translation(
        local.scale.as_dvec3(),
        local.rotation.as_dquat().normalize(),
        local.translation.as_dvec3(),
    )
}

fn double(matrix: &glam::Affine3A) -> DAffine3 {
    let columns = matrix.to_cols_array().map(f64::from);
    DAffine3::from_cols_array(&columns)
}

/// Returns the rotation nearest to a matrix: its orthogonal polar factor, by Newton's iteration (Higham 1986). Returns
/// the identity if the matrix contains a reflection or the iteration fails.
fn nearest_rotation(matrix: DMat3) -> DQuat {
    let mut x = matrix;
    for _ in 0..MAX_ITERATIONS {
        let next = (x + x.inverse().transpose()) * 0.5;
        let change = (next - x).to_cols_array().iter().fold(0.0, |m: f64, c| m.max(c.abs()));
        x = next;
        if change.is_nan() || change < 1e-14 {
            break;
        }
    }
    if x.is_finite() && x.determinant() > 0.0 { DQuat::from_mat3(&x).normalize() } else { DQuat::IDENTITY }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_stretch_does_not_change_the_rotation(axis in prop::array::uniform3(-1.0_f64..1.0), angle in -3.0_f64..3.0,
            along in prop::array::uniform3(0.01_f64..100.0), skew in -3.0_f64..3.0) {
            let axis = DVec3::from(axis).try_normalize().unwrap_or(DVec3::X);
            let rotation = DQuat::from_axis_angle(axis, angle);
            let frame = DMat3::from_rotation_y(skew);
            let stretch = frame * DMat3::from_diagonal(along.into()) * frame.transpose();
            let found = nearest_rotation(DMat3::from_quat(rotation) * stretch);
            prop_assert!(found.dot(rotation).abs() > 1.0 - 1e-9);
        }
    }

    #[test]
    fn a_matrix_without_a_rotation_gives_the_identity() {
        for matrix in [DMat3::ZERO, DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0)), DMat3::NAN] {
            assert_eq!(nearest_rotation(matrix), DQuat::IDENTITY);
        }
    }
}
