//! Checks that a solver can turn the nodes of a binding.

use glam::Vec3;

use super::Binding;
use crate::asset::Skeleton;
use crate::ik::{LinkIndex, SolveError};
use crate::pose::Pose;
use crate::rig::RigError;

/// If a matrix in a file differs from the nearest transform by at most this fraction, the difference counts as a rounding error. Larger
/// differences count as shear.
const ROUNDING: f32 = 1e-4;

impl Binding {
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
    pub(super) fn check_matrices(&self, skeleton: &Skeleton) -> Result<(), RigError> {
        let mut nodes = self.links.iter().filter_map(|l| l.node).chain(self.way_up());
        if let Some(node) = nodes.find(|&n| is_sheared(skeleton, n)) {
            return Err(RigError::Sheared { node: skeleton.label(node) });
        }
        match self.scaled(|n| skeleton.nodes[n].rest.scale).and_then(|place| self.way_up().nth(place)) {
            Some(node) => Err(RigError::Scaled { node: skeleton.label(node) }),
            None => Ok(()),
        }
    }

    pub(super) fn check_scale(&self, pose: &Pose) -> Result<(), SolveError> {
        match self.scaled(|n| pose.locals[n].scale) {
            Some(place) if place < self.upward.len() => {
                Err(SolveError::Link { link: LinkIndex(place), what: "scale above the base" })
            }
            // Nodes above the upward path have no link, so the error names the last link of the path.
            Some(_) => {
                let link = LinkIndex(self.upward.len() - 1);
                Err(SolveError::Link { link, what: "scale below the root" })
            }
            None => Ok(()),
        }
    }
}

/// Returns whether the matrix of a node has shear, in which case no transform is close to it.
fn is_sheared(skeleton: &Skeleton, node: usize) -> bool {
    skeleton.sheared.get(&node).is_some_and(|matrix| {
        let size = matrix.matrix3.to_cols_array().iter().fold(0.0_f32, |a, x| a.max(x.abs()));
        let nearest = skeleton.nodes[node].rest.to_affine();
        !nearest.matrix3.abs_diff_eq(matrix.matrix3, size * ROUNDING)
    })
}
