//! The state of a session as data.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::asset::Transform;
use crate::ik::{Limit, OptionOverrides};
use crate::motion::Motion;
use crate::puppet::{Pin, Target};

/// Maximum deviation of a rotation quaternion's length from one.
const MAX_LENGTH_ERROR: f32 = 1e-3;

/// The pose of a character with its goals, pins and motion. Nodes are indices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Snapshot {
    /// Local transforms of the nodes that are not at rest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<(usize, Transform)>,
    /// All morph weights. If this is empty, those of the rest pose apply.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub morphs: Vec<f32>,
    /// Goals that stayed after a drag.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<Target>,
    /// Pinned nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<Pin>,
    /// The node that does not move while others are dragged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<usize>,
    /// Bones of the body that differ from the rig's file, by name. `None` is a bone that the file gives and this state does not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bones: Vec<(String, Option<usize>)>,
    /// Joint limits that differ from the rig's file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<(usize, Limit)>,
    /// Poles that differ from the rig's file, as the effector of the chain and the position of the pole in world
    /// metres.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub poles: Vec<(usize, Option<Vec3>)>,
    /// Pulls of limbs that differ from the rig's file, by the effector of the chain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pulls: Vec<(usize, f64)>,
    /// The solver options of the rig, if they differ from the rig's file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<OptionOverrides>,
    /// The motion that is loaded.
    #[serde(skip_serializing_if = "is_default")]
    pub motion: Motion,
    /// The time on the timeline of the motion, in seconds.
    #[serde(skip_serializing_if = "is_zero")]
    pub time: f32,
    /// The active one of the selected joints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selected: Option<usize>,
    /// The other selected joints.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also_selected: Vec<usize>,
    /// The node that was dragged last. Keys act on it if no node is under the pointer and none is selected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<usize>,
    /// The problem of the last solve, whose steps can be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<SolveProblem>,
}

/// Returns whether a motion is that of a missing key.
fn is_default(motion: &Motion) -> bool {
    *motion == Motion::default()
}

/// Returns whether a time is that of a missing key.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference to the field")]
fn is_zero(time: &f32) -> bool {
    *time == 0.0
}

/// The problem of a solve whose steps can be shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SolveProblem {
    /// Local transforms, before the solve, of the nodes that were not at rest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<(usize, Transform)>,
    /// The goals.
    pub targets: Vec<Target>,
    /// Pinned nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<Pin>,
    /// Whether the root moves, because no joint above the dragged one can move.
    pub whole_body: bool,
}

/// Returns whether all values of a transform are finite and its rotation has length one.
pub(super) fn is_valid(transform: &Transform) -> bool {
    let Transform { translation, rotation, scale } = transform;
    translation.is_finite() && scale.is_finite() && (rotation.length() - 1.0).abs() < MAX_LENGTH_ERROR
}
