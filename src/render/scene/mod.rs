//! Turns puppets and cameras into frames to draw, picks points in the drawn scene, and compares IK methods side by
//! side.

pub mod compare;
mod crowd;
mod frame;
mod legend;
mod lights;
pub mod picking;
#[doc(hidden)]
pub mod surface;
mod turn;

pub use crowd::{CrowdLayout, CrowdScene};
#[doc(hidden)]
pub use frame::shows_skeleton;
pub use frame::{ViewSettings, draws, frame, ghost, instance, skeleton};
pub use legend::{LegendLine, draw_legend, legend};
pub use lights::file_lights;
#[doc(hidden)]
pub use turn::{turn_about, turn_frame};
