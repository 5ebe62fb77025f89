//! Turns puppets and cameras into frames to draw, picks points in the drawn scene, and compares IK methods side by
//! side.

#[cfg(feature = "render")]
pub mod compare;
#[cfg(feature = "render")]
mod crowd;
#[cfg(feature = "render")]
mod frame;
#[cfg(feature = "render")]
mod lights;
pub mod picking;
#[cfg(feature = "render")]
mod turn;

#[cfg(feature = "render")]
pub use crowd::{CrowdLayout, CrowdScene};
#[cfg(feature = "render")]
pub use frame::{ViewSettings, draws, frame, ghost, instance, shows_skeleton, skeleton};
#[cfg(feature = "render")]
pub use lights::file_lights;
#[cfg(feature = "render")]
pub use turn::{turn_about, turn_frame};
