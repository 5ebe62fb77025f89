//! The viewer. User input becomes a [`Command`], a [`Session`] executes it, and the result is drawn as a
//! [`Frame`](crate::render::Frame). Only `window` and `panel` depend on a window.
//! Sessions can be recorded and replayed, see `docs/session.md`.

#![cfg_attr(not(feature = "viewer"), allow(dead_code, reason = "items that only the panel uses"))]

mod addition;
#[cfg(feature = "viewer")]
mod blend;
mod command;
mod fingerprint;
mod folder;
mod gizmo;
mod hand;
mod history;
mod input;
mod orbit;
mod overlay;
#[cfg(feature = "viewer")]
mod panel;
#[cfg(feature = "viewer")]
mod reading;
mod recording;
mod replay;
mod save;
mod session;
#[cfg(feature = "viewer")]
mod settings;
mod sparse;
#[cfg(feature = "viewer")]
mod surface;
#[cfg(feature = "viewer")]
mod timeline;
#[cfg(feature = "viewer")]
mod watch;
#[cfg(feature = "viewer")]
mod window;

pub use addition::Addition;
pub use command::{Axis, Command};
pub use folder::neighbour;
pub use gizmo::Turning;
pub use input::{Button, Event, Input, Key};
pub use orbit::Orbit;
#[cfg(feature = "viewer")]
pub use reading::{Found, Read, Reader};
pub use recording::Recorder;
pub use replay::{Recording, Replay, ReplayError};
pub use save::{PoseFile, SaveError};
pub use session::{Display, Refusals, Session, Stance};
#[cfg(feature = "viewer")]
pub use settings::Settings;
#[cfg(feature = "viewer")]
pub use watch::Watch;
#[cfg(feature = "viewer")]
pub use window::{Close, ViewerError, open};
