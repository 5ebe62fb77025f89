//! Thousands of characters of one model: clips, blending, inverse kinematics, palettes and culling on the GPU.

mod advance;
mod arrivals;
mod batch;
mod clips;
mod control;
mod cpu;
mod cpu_control;
#[expect(clippy::module_inception, reason = "named after its type, as the other files")]
mod crowd;
mod error;
mod gait;
mod goal;
mod ground;
mod kernels;
mod levels;
mod looks;
mod model;
mod palette;
mod pick;
mod read;
mod sample;
mod skinned;
mod slots;
mod spawn;
mod targets;
mod terrain;
mod terrain_mesh;
#[cfg(test)]
mod tests;
mod types;
mod walk;
mod world;

pub use arrivals::ArrivalReader;
#[cfg(test)]
pub(crate) use clips::ClipInfo;
pub use cpu::CpuCrowd;
pub use crowd::Crowd;
pub use error::CrowdError;
pub use goal::{CrowdGoal, CrowdGoalTarget, GoalFrame};
pub use ground::ground;
#[cfg(test)]
pub(crate) use kernels::SOURCES;
pub use model::CrowdModel;
#[cfg(test)]
pub(crate) use pick::PickRay;
pub use spawn::{CharacterId, PlayedClip, Spawn};
pub use targets::{Destination, Look};
pub use terrain::{Terrain, TerrainError};
#[cfg(test)]
pub(crate) use types::{Character, CrowdLayer, Step};
