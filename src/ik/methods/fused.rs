//! The fused method: Li & Peng 2013, "The research based on the 3D inverse dynamics of IK algorithm". The closed form
//! comes first (eqs. 3 and 4), then differential refinement (eqs. 8 to 16).

use glam::{DQuat, DVec3};

use crate::ik::rotation::rotation_vector;
use crate::ik::tree::Tree;

use super::two_bone::{bend, orient, swing};

/// α of eq. 16, which places the midpoint between the previous and the current angles, and the α_i of eq. 15.
const ALPHA: f64 = 0.5;

/// State of a solve, which includes the rotations before the last iteration.
#[derive(Clone, Debug, Default)]
pub(in crate::ik) struct Fused {
    previous: Vec<DQuat>,
    /// Rotation of each joint that the additional task requests, as a rotation vector in base space.
    additional: Vec<DVec3>,
    started: bool,
}

impl Fused {
    pub(in crate::ik) fn set(&mut self, tree: &Tree) {
        // The closed form needs a single target position.
        self.started = tree.tasks.len() != 1 || tree.tasks.iter().any(|t| t.target.is_none());
        self.previous.clear();
        self.previous.extend(tree.joints.iter().map(|j| j.rotation));
    }

    /// Returns whether the closed form still has to run.
    pub(in crate::ik) fn is_due(&self) -> bool {
        !self.started
    }

    /// Applies the closed form: the two halves of the chain are the bones of a limb that reaches for the target.
    ///
    /// Limits may keep it from the target. The iterations that follow correct the remaining error.
    pub(in crate::ik) fn start(&mut self, tree: &mut Tree) {
        self.started = true;
        let Some(target) = tree.tasks.first().and_then(|t| t.target) else { return };
        let before = tree.measure().sum;
        let middle = middle(tree);
        if middle > 0 {
            bend(tree, 0, middle, 0.0);
        }
        if !tree.joints.is_empty() {
            swing(tree, 0, target);
        }
        orient(tree);
        let after = tree.measure().sum;
        if after.is_nan() || after > before {
            for (joint, &rotation) in tree.joints.iter_mut().zip(&self.previous) {
                joint.rotation = rotation;
            }
            tree.forward();
        }
    }

    /// Returns ΔH = Σ αᵢ(θᵢ − θᵢᵐ) with the midpoint θᵢᵐ = (1 − α)θᵢ₋₁ + αθᵢ. For each joint, this is a fraction of
    /// its rotation in the last iteration, as a rotation vector in base space. It replaces the secondary task of the
    /// next iteration.
    pub(in crate::ik) fn additional(&mut self, tree: &Tree) -> &[DVec3] {
        self.additional.clear();
        for (joint, previous) in tree.joints.iter().zip(&mut self.previous) {
            let turned = rotation_vector(joint.rotation * previous.conjugate());
            self.additional.push(tree.base_from_axes(joint) * (turned * (ALPHA * (1.0 - ALPHA))));
            *previous = joint.rotation;
        }
        &self.additional
    }
}

/// Returns the index of the joint that is nearest to half of the chain's length, measured along the chain.
fn middle(tree: &Tree) -> usize {
    let length = tree.lengths(0).sum;
    let mut passed = 0.0;
    let mut best = (f64::INFINITY, 0);
    for index in 1..tree.joints.len() {
        passed += tree.joints[index].position.distance(tree.joints[index - 1].position);
        let off = (passed - 0.5 * length).abs();
        if off < best.0 {
            best = (off, index);
        }
    }
    best.1
}
