//! The viewer. User input becomes a [`Command`], a [`Session`] executes it, and the result is drawn as a
//! [`Frame`](crate::render::Frame). Only `window` and `panel` depend on a window.
//! Sessions can be recorded and replayed, see `docs/session.md`.

#![cfg_attr(not(feature = "viewer"), allow(dead_code, reason = "items that only the panel uses"))]

mod clip_export;
#[cfg(feature = "viewer")]
mod crowd;
mod document;
mod folder;
mod input;
mod keymap;
mod orbit;
#[cfg(feature = "viewer")]
mod panel;
mod project;
#[cfg(feature = "viewer")]
mod quality;
mod replay;
mod session;
#[cfg(feature = "viewer")]
mod window;

pub use clip_export::ClipExport;
#[cfg(feature = "viewer")]
pub use crowd::{CrowdOpening, open_crowd};
pub use document::{Snapshot, SolveProblem};
pub use folder::neighbour;
pub use input::{Button, Event, Input};
pub use keymap::{Action, Key, Keymap, Shortcut};
pub use orbit::{Orbit, OrbitProjection};
pub use project::is_project;
pub use project::library::{PoseLibrary, poses_of};
pub use replay::{Recording, Replay, ReplayError};
pub use session::added_clips::{AddedClips, Transfer};
pub use session::command::{Axis, Command, Display, DragScope, NodePoint, Settings};
pub use session::gizmo::{RingMode, Tool};
pub use session::recorder::Recorder;
pub use session::save::{PoseFile, SaveError};
pub use session::style::StyleSource;
pub use session::{EyeTarget, OnionSkin, Refusals, Session, Timeline};
#[cfg(feature = "viewer")]
pub use window::loader::{CharacterLoader, LoadResult, LoadedFile};
#[cfg(feature = "viewer")]
pub use window::preferences::Preferences;
#[cfg(feature = "viewer")]
pub use window::watch::Watch;
#[cfg(feature = "viewer")]
pub use window::{Close, Listening, Opened, Opening, ViewerError, open};
