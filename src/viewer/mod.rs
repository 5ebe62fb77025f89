//! The window: what a person does becomes a [`Command`], a [`Session`] carries it out, and what it then looks like is
//! a [`Frame`](crate::render::Frame). Only `window` and `panel` know that there is a window.

mod command;
mod folder;
mod hand;
mod history;
mod input;
mod orbit;
mod overlay;
mod panel;
mod reading;
mod recent;
mod save;
mod session;
mod surface;
mod watch;
mod window;

pub use command::{Axis, Command};
pub use folder::neighbour;
pub use input::{Button, Event, Input, Key};
pub use orbit::Orbit;
pub use reading::{Read, Reader};
pub use recent::Recent;
pub use save::{PoseFile, SaveError};
pub use session::{Display, Session};
pub use watch::Watch;
pub use window::{ViewerError, open};
