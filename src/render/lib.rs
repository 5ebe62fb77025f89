//! Rendering with wgpu, independent of any window. To draw, open a [`Gpu`], create a [`Model`] on it from the parts of a character, and let
//! a [`Renderer`] draw a [`Frame`] into a [`DecodedImage`].
//!
//! The renderer knows nothing about joints. Its input is matrices, colours and lines, and its output is pixels. [`scene`] turns puppets of
//! `sinew-character` into frames, [`crowd`] poses thousands of characters on the GPU, and [`gpu_ik`] solves batches of inverse kinematics.
//! The types in `gpu_types` must match the shaders, which a test verifies.

mod ambient;
mod backdrop;
mod capabilities;
mod casters;
mod compose;
mod compute;
pub mod crowd;
mod crowd_batch;
mod culling;
mod data_texture;
mod depth_levels;
mod depth_pyramid;
mod device;
mod draw_list;
mod drawn_reader;
mod error;
mod fingerprint;
mod floor;
mod frame;
mod frame_texture;
mod ghost;
mod globals;
pub mod gpu_ik;
mod gpu_timer;
mod gpu_types;
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
mod readback;
mod rect;
mod renderer;
pub mod scene;
#[cfg(test)]
mod shader_module_tests;
#[cfg(test)]
mod shader_tests;
mod shaders;
mod shadow;
mod shadow_levels;
mod simplify;
mod skinner;
mod skinning;
mod software;
mod srgb;
mod staging;
mod surface;
mod surface_variant;
mod texture;
mod triangle_order;
mod upload;
mod varyings;
mod vertices;

pub use crate::asset::DecodedImage;
pub use compose::{Composed, Compositor, Placement};
pub use device::{AdapterChoice, Gpu};
pub use drawn_reader::DrawnReader;
pub use error::RenderError;
pub use frame::{Background, CrowdInstances, Draw, Fill, Floor, Frame, Grid, Instance, Line, ShadingMode};
pub use frame_texture::{FrameTexture, drawable_texture};
pub use gpu_timer::GpuTimer;
pub use indirect::{DrawnLevels, GpuInstances};
pub(crate) use indirect::{GpuInstanceBuffers, GpuPart};
pub use light::{Environment, FileLights, Light, LightSource, MAX_LIGHTS, PunctualLight, ToneMap};
pub use model::Model;
pub use offscreen::{Canvas, Pending};
pub use renderer::Renderer;
pub use texture::DecodedImages;

/// The mathematics library whose vectors, quaternions and matrices the API uses.
pub use glam;

use sinew_base::{api, files, mathematics, platform};
use sinew_character::{asset, body, ik, motion, pose, puppet, rig, shared, skin, view};

/// Compiles and runs the README's example as a doctest.
#[cfg(doctest)]
#[doc = include_str!("README.md")]
struct Readme;
