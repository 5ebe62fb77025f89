//! The viewer. User input becomes a [`Command`], a [`Session`] executes it, and the result is drawn as a [`Frame`](sinew_render::Frame).
//! Only the feature `window` adds the window with its panel. Sessions can be recorded and replayed (see `docs/session.md`).

#[cfg(feature = "window")]
mod arrange;
mod clip_export;
#[cfg(all(feature = "window", not(target_arch = "wasm32")))]
mod crowd;
mod document;
mod folder;
mod input;
mod keymap;
mod orbit;
#[cfg(feature = "window")]
mod panel;
mod project;
#[cfg(feature = "window")]
mod quality;
mod replay;
mod session;
#[cfg(feature = "window")]
mod window;

pub use clip_export::{ClipExport, puppet_to_bake};
#[cfg(all(feature = "window", not(target_arch = "wasm32")))]
pub use crowd::{CrowdOpening, open_crowd};
pub use document::prop::Prop;
pub use document::{Snapshot, SolveProblem};
#[cfg(feature = "window")]
pub use egui::ThemePreference;
pub use folder::neighbour;
pub use input::{Button, Event, Input};
pub use keymap::{Action, Key, Keymap, Shortcut};
pub use orbit::{Orbit, OrbitProjection};
pub use project::is_project;
pub use project::library::{PoseLibrary, poses_of};
pub use replay::{Recording, Replay, ReplayError};
pub use session::added_clips::{AddedClips, Transfer};
pub use session::command::{Axis, Command, Display, DragScope, NodePoint, Settings};
pub use session::files::SaveError;
pub use session::gizmo::{RingMode, Tool};
pub use session::pose_commands::{PoseFile, blend_pose_command, pose_text, set_pose_command};
pub use session::recorder::Recorder;
pub use session::style::StyleSource;
pub use session::{EyeTarget, OnionSkin, Refusals, Session, Timeline};
#[cfg(feature = "window")]
pub use window::loader::{CharacterLoader, LoadResult, LoadedFile, SessionImages};
#[cfg(all(feature = "window", target_arch = "wasm32"))]
pub use window::page::{PageHooks, Watch};
#[cfg(all(feature = "window", target_arch = "wasm32"))]
pub use window::page_app::{Page, put_file};
#[cfg(feature = "window")]
pub use window::preferences::Preferences;
#[cfg(all(feature = "window", not(target_arch = "wasm32")))]
pub use window::watch::Watch;
#[cfg(feature = "window")]
pub use window::{Close, Listening, Opened, Opening, ViewerError, open};

/// Compiles and runs the README's example as a doctest.
#[cfg(doctest)]
#[doc = include_str!("README.md")]
struct Readme;

use sinew_base::{api, files, mathematics, platform, text};
use sinew_character::{asset, capture, export, ik, motion, pose, puppet, rig, secondary, shared, skin, view};
use sinew_render::{self as render, scene};
