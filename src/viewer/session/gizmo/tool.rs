//! The choice between the gizmos of a joint.

use serde::{Deserialize, Serialize};

/// The function of the selected joint's gizmo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tool {
    /// Rotates the joint with rings, and shows its limit.
    #[default]
    Turn,
    /// Pulls the joint with arrows.
    Pull,
}
