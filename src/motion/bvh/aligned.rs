//! A pose as BVH sees it: how far each node has turned from rest, in the world's axes.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use crate::asset::{Skeleton, Transform};
use crate::pose::Pose;

/// Steps of the iteration; it doubles its digits with each, but for the first few of a badly scaled matrix.
const STEPS: usize = 40;

/// Where all nodes are, and how they have turned from rest, in double precision.
#[derive(Clone, Debug)]
pub(super) struct Aligned {
    /// `world_from_node`.
    world: Vec<DAffine3>,
    /// `node_from_world` at rest, its linear part.
    rest: Vec<DMat3>,
    /// From rest to now, in the world.
    turns: Vec<DQuat>,
}

impl Aligned {
    /// At rest.
    pub(super) fn new(skeleton: &Skeleton) -> Self {
        let count = skeleton.nodes.len();
        let (world, turns) = (vec![DAffine3::IDENTITY; count], vec![DQuat::IDENTITY; count]);
        let mut aligned = Self { world, rest: Vec::new(), turns };
        aligned.place_all(skeleton, &Pose::rest(skeleton));
        aligned.rest = aligned.world.iter().map(|w| w.matrix3.inverse()).collect();
        aligned
    }

    /// In a pose of the skeleton.
    pub(super) fn pose(&mut self, skeleton: &Skeleton, pose: &Pose) {
        self.place_all(skeleton, pose);
        for ((turn, world), rest) in self.turns.iter_mut().zip(&self.world).zip(&self.rest) {
            *turn = nearest_rotation(world.matrix3 * *rest);
        }
    }

    fn place_all(&mut self, skeleton: &Skeleton, pose: &Pose) {
        for &(node, parent) in &skeleton.parents_first {
            let local = match (skeleton.sheared.get(&node), pose.locals[node]) {
                (Some(matrix), local) if local == skeleton.nodes[node].rest => double(matrix),
                (_, local) => affine(local),
            };
            self.world[node] = match parent {
                Some(parent) => self.world[parent] * local,
                None => local,
            };
        }
    }

    /// How a node has turned from rest, less what its parent has.
    pub(super) fn turn(&self, node: usize, parent: Option<usize>) -> DQuat {
        parent.map_or(self.turns[node], |p| self.turns[p].inverse() * self.turns[node])
    }

    /// Where a node is, in the axes of its parent; metres.
    pub(super) fn place(&self, node: usize, parent: Option<usize>) -> DVec3 {
        let place = self.world[node].translation;
        parent.map_or(place, |p| self.turns[p].inverse() * (place - self.world[p].translation))
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

/// The rotation nearest to a matrix: its orthogonal polar factor, by Newton's iteration (Higham 1986). None where the
/// matrix mirrors, or flattens everything.
fn nearest_rotation(matrix: DMat3) -> DQuat {
    let mut x = matrix;
    for _ in 0..STEPS {
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
        fn a_stretch_does_not_turn(axis in prop::array::uniform3(-1.0_f64..1.0), angle in -3.0_f64..3.0,
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
    fn what_has_no_rotation_has_not_turned() {
        for matrix in [DMat3::ZERO, DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0)), DMat3::NAN] {
            assert_eq!(nearest_rotation(matrix), DQuat::IDENTITY);
        }
    }
}
