//! The choice between the gizmos of a joint, and the options of its rings.

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

/// Options of the rings: what they rotate, and about which axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RingMode {
    /// Rotates the joint alone, even if it is the end of a chain that could follow.
    pub alone: bool,
    /// Rotates about the world axes instead of the joint's axes.
    pub world: bool,
}
