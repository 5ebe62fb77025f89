//! Thousands of characters of one model: clips, blending, inverse kinematics, palettes and culling on the GPU.

mod advance;
mod aim;
mod batch;
mod bodies;
pub mod body;
mod build;
mod chain;
pub mod clips;
mod cpu;
#[expect(clippy::module_inception, reason = "named after its type, as the other files")]
mod crowd;
mod error;
mod figure;
mod gait;
mod goal;
mod ground;
mod hips;
#[cfg(test)]
mod ik_tests;
mod kernels;
mod limb;
mod limit;
mod model;
mod palette;
mod plant;
mod sample;
mod soles;
mod spawn;
pub mod stance;
mod terrain;
pub mod types;
mod world;

pub use cpu::CpuCrowd;
pub use crowd::Crowd;
pub use error::CrowdError;
pub use goal::{CrowdGoal, CrowdGoalTarget};
pub use ground::ground;
pub use kernels::SOURCES;
pub use model::CrowdModel;
pub use spawn::{CharacterId, PlayedClip, Spawn};
pub use terrain::{Terrain, TerrainError};
