//! Computes `model_from_joint` of all joints: the CPU twin of `shaders/crowd/world.wgsl`.

use super::types::{CrowdJoint, Local, Rows};

/// Writes the matrices of all joints of a character. In `joints`, each joint comes after its parent.
pub(super) fn world(joints: &[CrowdJoint], locals: &[Local], models: &mut [Rows]) {
    for (index, (joint, local)) in joints.iter().zip(locals).enumerate() {
        let parent = models.get(joint.parent as usize).copied();
        if let Some(model) = models.get_mut(index) {
            *model = match parent {
                Some(parent) => parent.after(&local.rows()),
                None => local.rows(),
            };
        }
    }
}
