//! The commands of the viewer, with the types of their values.

use std::path::{Path, PathBuf};

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::EyeTarget;
use crate::document::prop::{MAX_PROPS, Prop};

mod table;

pub use table::{Command, Settings};

/// A world axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// Sideways.
    X,
    /// Up.
    Y,
    /// Forward.
    Z,
}

impl Axis {
    /// All axes.
    pub(crate) const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];
}

/// What a drag moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DragScope {
    /// The whole body follows if a body is recognised. Otherwise the same as [`DragScope::Limb`].
    #[default]
    Body,
    /// Only the chain of the grabbed joint follows, and its base stays in place.
    Limb,
    /// Only the nearest joint above the grabbed point rotates. Its descendants move rigidly with it.
    Joint,
}

impl DragScope {
    /// Returns the next scope in the cycle of scopes. Without a recognised body, [`DragScope::Limb`] is skipped, because it is the same as
    /// [`DragScope::Body`].
    pub(super) fn next(self, has_body: bool) -> Self {
        match self {
            Self::Body if has_body => Self::Limb,
            Self::Body | Self::Limb => Self::Joint,
            Self::Joint => Self::Body,
        }
    }

    /// Returns the scope that replaces this one while Alt is down.
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Body => Self::Limb,
            Self::Limb | Self::Joint => Self::Body,
        }
    }
}

/// Display options for everything in the scene besides the character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Display {
    /// Bones and joints, drawn over the surface.
    pub skeleton: bool,
    /// Names of the chain ends.
    pub names: bool,
    /// A ground plane.
    pub ground: bool,
    /// Shadows.
    pub shadow: bool,
    /// Whether the camera moves with the character while time passes. This view setting draws nothing.
    #[serde(default)]
    pub follow: bool,
}

impl Default for Display {
    fn default() -> Self {
        Self { skeleton: false, names: false, ground: true, shadow: true, follow: false }
    }
}

/// A point that moves with a node.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodePoint {
    /// The node.
    pub node: usize,
    /// Position of the point in the frame of the node, in the node's units.
    #[serde(default)]
    pub offset: DVec3,
}

impl Command {
    /// Returns the command with its file paths replaced.
    #[must_use]
    pub(crate) fn with_files(self, path: impl Fn(&Path) -> PathBuf) -> Self {
        match self {
            Self::Style(source) => Self::Style(source.with_file(path)),
            Self::Props(props) => {
                Self::Props(props.into_iter().map(|prop| Prop { file: path(&prop.file), ..prop }).collect())
            }
            other => other,
        }
    }

    /// Rejects values that are invalid in every session.
    ///
    /// # Errors
    /// Returns the reason why the command is invalid.
    pub(crate) fn validate(&self) -> Result<(), String> {
        match self {
            Self::Motion(motion) => motion.validate().map_err(|e| e.to_string()),
            Self::Restore(snapshot) => snapshot.motion.validate().map_err(|e| e.to_string()),
            Self::Light(light) => light.validate(),
            Self::Props(props) if props.len() > MAX_PROPS => {
                Err(format!("at most {MAX_PROPS} props are allowed"))
            }
            Self::Props(props) => props.iter().try_for_each(Prop::validate),
            Self::GrabNode(point) => check_position("offset", point.offset),
            Self::Turn(_, rotation) if !rotation.is_finite() => Err("rotation is not finite".into()),
            Self::TurnJoints(turns) if turns.iter().any(|(_, rotation)| !rotation.is_finite()) => {
                Err("rotation is not finite".into())
            }
            Self::LookAt(EyeTarget::Point(point)) => check_position("point", *point),
            Self::DragTo(position) => check_position("position", *position),
            _ => Ok(()),
        }
    }
}

/// Checks that a position is finite in single precision, which poses use.
fn check_position(name: &str, position: DVec3) -> Result<(), String> {
    if position.as_vec3().is_finite() { Ok(()) } else { Err(format!("{name} is not finite")) }
}
