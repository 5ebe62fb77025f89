//! Thousands of characters of one model: clips, blending, inverse kinematics, palettes and culling on the GPU.

mod advance;
pub mod clips;
mod model;
mod palette;
mod sample;
pub mod types;
mod world;

pub use model::CrowdModel;
