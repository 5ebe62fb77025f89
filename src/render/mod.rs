//! Rendering with wgpu, independent of any window. A [`Gpu`] is opened, the parts of a character become a [`Model`] on
//! it, and a [`Renderer`] draws a [`Frame`] into a [`DecodedImage`].
//!
//! This module knows nothing about joints. Its input is matrices, colours and lines, and its output is pixels. The
//! types in `gpu_types` must match `shaders/`, which a test verifies.

mod ambient;
mod backdrop;
mod capabilities;
mod casters;
mod compose;
pub(crate) mod compute;
mod crowd_batch;
mod culling;
mod data_texture;
mod device;
mod draw_list;
mod error;
mod fingerprint;
mod floor;
mod frame;
mod frame_texture;
mod ghost;
mod globals;
// Public only for the test that compares these types with the shaders.
#[doc(hidden)]
pub mod gpu_types;
mod indirect;
mod instance_texture;
mod layer;
mod layout;
pub mod light;
mod lines;
mod material;
mod material_textures;
mod mips;
mod model;
mod offscreen;
mod output;
mod overrides;
mod passes;
mod place;
mod rect;
mod renderer;
pub(crate) mod shaders;
mod shadow;
mod shadow_levels;
mod skinner;
mod skinning;
mod software;
pub(crate) mod srgb;
pub(crate) mod staging;
mod surface;
mod texture;
mod upload;
mod vertices;

pub use crate::asset::DecodedImage;
pub use compose::{Composed, Compositor, Placement};
pub use device::{AdapterChoice, Gpu};
pub use error::RenderError;
pub use frame::{Background, CrowdInstances, Draw, Fill, Floor, Frame, Grid, Instance, Line, ShadingMode};
pub use frame_texture::FrameTexture;
#[cfg(feature = "window")]
pub(crate) use frame_texture::drawable_texture;
pub use indirect::GpuInstances;
pub(crate) use indirect::{GpuInstanceBuffers, GpuPart};
pub use light::{Environment, FileLights, Light, LightSource, MAX_LIGHTS, PunctualLight, ToneMap};
pub use model::Model;
#[cfg(all(test, feature = "window"))]
pub(crate) use offscreen::RenderTarget;
pub use offscreen::{Canvas, Pending};
pub use renderer::Renderer;
// Public only for the tests of the shaders.
#[doc(hidden)]
pub use shaders::{SOURCES, webgl2_sources};
pub use texture::DecodedImages;
