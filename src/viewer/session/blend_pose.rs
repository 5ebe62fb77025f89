//! Blends the current pose with a stored one.

use std::sync::Arc;

use crate::asset::Transform;
use crate::document::EditRun;
use crate::export::{ReadPoseError, StoredPose};
use crate::pose::Pose;
use crate::{Command, Session};

use crate::document::is_valid;

impl Session {
    /// Returns the command that blends the current pose with a stored one. `weight` is from 0 to 1.
    ///
    /// # Errors
    /// [`ReadPoseError`] if the pose belongs to a character with different joints.
    pub fn blend_command(&self, pose: &StoredPose, weight: f32) -> Result<Command, ReadPoseError> {
        let (character, hips) =
            (self.puppet.character(), self.puppet.rig.body.as_ref().map(|body| body.hips));
        let (nodes, mut morphs) = pose.fit(&character.skeleton, hips)?;
        if morphs.is_empty() {
            // A stored pose without morph weights gets the weights of the rest pose.
            morphs.clone_from(&character.skeleton.rest_weights);
        }
        Ok(Command::BlendPose(nodes, morphs, weight))
    }

    /// Returns whether the next blend continues the last undo step.
    #[cfg(feature = "window")]
    pub(crate) fn is_blending(&self) -> bool {
        self.history.is_in_run(EditRun::Blend)
    }

    /// Blends the pose with local transforms of some nodes, and with all morph weights unless `morphs` is empty. Removes all goals. If a
    /// motion determines the pose, the result becomes a key at the current time. Until the next release, consecutive blends start from the
    /// same pose and form one undo step. Invalid transforms and unknown nodes are ignored.
    pub(super) fn blend_pose(&mut self, nodes: &[(usize, Transform)], morphs: &[f32], weight: f32) {
        if !weight.is_finite() {
            return;
        }
        let weight = weight.clamp(0.0, 1.0);
        self.begin_edit(Some(EditRun::Blend));
        if let Some(before) = self.history.last() {
            self.document.scene = before.clone();
        }
        let blend = |from: &Pose| blended(from, nodes, morphs, weight);
        if self.puppet.is_posed_by_hand() {
            self.document.scene.held = blend(&self.document.scene.held);
            if self.document.settings.auto_key {
                self.document.scene.motion = Arc::new(self.with_key_pose(&self.document.scene.held));
            }
        } else if let Some(motion) = self.keyed_motion(blend) {
            self.document.scene.motion = Arc::new(motion);
        }
        self.document.scene.goals.clear();
        (self.error, self.problem) = (None, None);
        self.trail.clear();
        self.apply_motion();
        self.puppet.reset_solver();
        self.refresh_pins();
        self.show();
    }
}

/// Returns a pose with some nodes blended. At weight 0, these nodes keep their exact transforms. At weight 1, they have exactly the given
/// transforms.
fn blended(from: &Pose, nodes: &[(usize, Transform)], morphs: &[f32], weight: f32) -> Pose {
    let mut pose = from.clone();
    for (node, wanted) in nodes.iter().filter(|(_, t)| is_valid(t)) {
        if let Some(local) = pose.locals.get_mut(*node) {
            *local = between(local, wanted, weight);
        }
    }
    if morphs.len() == pose.weights.len() && morphs.iter().all(|w| w.is_finite()) {
        for (now, wanted) in pose.weights.iter_mut().zip(morphs) {
            *now = if weight < 1.0 { *now + (wanted - *now) * weight } else { *wanted };
        }
    }
    pose
}

fn between(a: &Transform, b: &Transform, weight: f32) -> Transform {
    if weight <= 0.0 || weight >= 1.0 {
        return if weight <= 0.0 { *a } else { *b };
    }
    let is_same = a.rotation == b.rotation;
    Transform {
        translation: a.translation.lerp(b.translation, weight),
        rotation: if is_same { a.rotation } else { a.rotation.slerp(b.rotation, weight).normalize() },
        scale: a.scale.lerp(b.scale, weight),
    }
}
