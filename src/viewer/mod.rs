//! The window: what a person does becomes a [`Command`], a [`Session`] carries it out, and what it then looks like is
//! a [`Frame`](crate::render::Frame). Only `window` and `panel` know that there is a window.

mod command;
mod folder;
mod gizmo;
mod hand;
mod history;
mod input;
mod orbit;
mod overlay;
mod panel;
mod save;
mod session;
mod surface;
mod window;

pub use command::{Axis, Command};
pub use folder::neighbour;
pub use gizmo::Turning;
pub use input::{Button, Event, Input, Key};
pub use orbit::Orbit;
pub use save::{PoseFile, SaveError};
pub use session::{Display, Session};
pub use window::{ViewerError, open};
