//! Poses as text and in files, and the commands that apply stored poses.

use std::path::{Path, PathBuf};

use crate::Command;
use crate::export::{PoseDocument, ReadPoseError, StoredPose, posed_copy};
use crate::puppet::{GoalReport, Puppet};
use crate::text::json;
use crate::text::json::JsonError;

use super::files::{SaveError, base_name, file_of, write_numbered};

/// File formats for a pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoseFile {
    /// The transforms of all nodes, and how well the goals were met.
    Json,
    /// A copy of the model in this pose, readable by other programs.
    Glb,
}

/// Saves a puppet's pose as [`Session::save_pose`](super::Session::save_pose) does.
pub(super) fn save(
    puppet: &Puppet,
    reports: &[GoalReport],
    kind: PoseFile,
    folder: &Path,
) -> Result<PathBuf, SaveError> {
    let character = puppet.character();
    let (extension, bytes) = match kind {
        PoseFile::Json => {
            let failed = |e: JsonError| SaveError::Write { path: folder.into(), source: e.into() };
            ("json", pose_json(puppet, reports).map_err(failed)?)
        }
        PoseFile::Glb => ("glb", posed_copy(puppet, file_of(character))?),
    };
    write_numbered(folder, &base_name(character), extension, &bytes)
}

/// Returns the contents of a file with a puppet's pose, and with reports of how well the goals were met.
///
/// # Errors
/// [`JsonError`] if the pose is not finite.
pub(crate) fn pose_json(puppet: &Puppet, reports: &[GoalReport]) -> Result<Vec<u8>, JsonError> {
    let mut text = json::to_vec(&PoseDocument::new(puppet, reports, None))?;
    text.push(b'\n');
    Ok(text)
}

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
