//! Poses as text, and the commands that apply stored poses.

use crate::Command;
use crate::export::{PoseDocument, ReadPoseError, StoredPose};
use crate::puppet::Puppet;
use crate::text::json;

/// Returns a puppet's pose as the text that *Save pose* writes, for example for the clipboard.
///
/// # Errors
/// [`ReadPoseError`] if the pose is not finite.
pub fn pose_text(puppet: &Puppet) -> Result<String, ReadPoseError> {
    let document = PoseDocument::new(puppet, &[], None);
    json::to_string(&document).map_err(|e| ReadPoseError::Json(e.to_string()))
}

/// Returns the command that gives a puppet a pose written by [`pose_text`], *Save pose* or `sinew pose`, even if it was written for another
/// character with the same joint names. The command is one undo step.
///
/// # Errors
/// [`ReadPoseError`] if the text is not a pose, or is the pose of a character with different joints.
pub fn set_pose_command(puppet: &Puppet, text: &str) -> Result<Command, ReadPoseError> {
    let (mut nodes, mut morphs) = StoredPose::read(text)?.fit(&puppet.character().skeleton, hips(puppet))?;
    let pose = puppet.primary_pose();
    nodes.retain(|(node, local)| pose.locals.get(*node) != Some(local));
    if morphs.is_empty() && pose.weights != puppet.character().skeleton.rest_weights {
        morphs.clone_from(&puppet.character().skeleton.rest_weights);
    }
    Ok(Command::SetPose(nodes, morphs))
}

/// Returns the command that blends a puppet's pose with a stored one. `weight` is from 0 to 1.
///
/// # Errors
/// [`ReadPoseError`] if the pose belongs to a character with different joints.
pub fn blend_pose_command(puppet: &Puppet, pose: &StoredPose, weight: f32) -> Result<Command, ReadPoseError> {
    let skeleton = &puppet.character().skeleton;
    let (nodes, mut morphs) = pose.fit(skeleton, hips(puppet))?;
    if morphs.is_empty() {
        // A stored pose without morph weights gets the weights of the rest pose.
        morphs.clone_from(&skeleton.rest_weights);
    }
    Ok(Command::BlendPose(nodes, morphs, weight))
}

fn hips(puppet: &Puppet) -> Option<usize> {
    puppet.rig.body.as_ref().map(|body| body.hips)
}
