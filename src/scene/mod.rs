//! Turns puppets and cameras into frames to draw, picks points in the drawn scene, and compares IK methods side by
//! side.

#[cfg(feature = "render")]
pub mod compare;
#[cfg(feature = "render")]
mod crowd;
#[cfg(feature = "render")]
mod frame;
#[cfg(feature = "render")]
mod legend;
#[cfg(feature = "render")]
mod lights;
pub mod picking;
#[cfg(feature = "render")]
pub(crate) mod surface;
#[cfg(feature = "cli")]
mod turn;

#[cfg(feature = "render")]
pub use crowd::{CrowdLayout, CrowdScene};
#[cfg(feature = "render")]
pub(crate) use frame::shows_skeleton;
#[cfg(feature = "render")]
pub use frame::{ViewSettings, draws, frame, ghost, instance, skeleton};
#[cfg(feature = "render")]
pub use legend::{LegendLine, draw_legend, legend};
#[cfg(feature = "render")]
pub use lights::file_lights;
#[cfg(feature = "cli")]
pub(crate) use turn::{turn_about, turn_frame};
