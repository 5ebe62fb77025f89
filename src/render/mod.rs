//! Drawing with wgpu, without a window: a [`Gpu`] is found, a character's parts become a [`Model`] on it, and a
//! [`Renderer`] draws a [`Frame`] of them into a [`Picture`].
//!
//! It knows no joint's meaning: matrices, colours and lines come in, pixels go out. Its GPU types stand in
//! [`gpu_types`], side by side with `shaders/`; a test holds both together.

mod device;
mod error;
mod frame;
mod ghost;
pub mod gpu_types;
mod ground;
mod layout;
mod lines;
mod model;
mod offscreen;
mod png;
mod renderer;
mod shaders;
mod shadow;
mod skinning;
pub(crate) mod srgb;
mod surface;
mod texture;
mod upload;
mod vertices;

pub use crate::asset::Picture;
pub use device::{AdapterChoice, Gpu};
pub use error::RenderError;
pub use frame::{Background, Draw, Fill, Frame, Ghost, Ground, Line, Mode};
pub use model::Model;
#[cfg(all(test, feature = "viewer"))]
pub(crate) use offscreen::Target;
pub use offscreen::{Canvas, Pending};
pub use renderer::Renderer;
pub use shaders::SOURCES;
pub use texture::Pictures;
