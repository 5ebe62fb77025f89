//! Turns puppets and cameras into frames to draw, picks points in the drawn scene, and compares IK methods side by
//! side.

pub mod compare;
mod crowd;
mod crowd_ground;
mod crowd_meter;
mod crowd_stats;
mod frame;
mod legend;
mod lights;
pub mod picking;

pub use crowd::{CrowdLayout, CrowdScene};
pub use crowd_ground::CrowdGround;
pub use crowd_meter::CrowdMeter;
pub use crowd_stats::{CrowdStats, CrowdTimes, TimeSource};
pub use frame::{ViewSettings, draws, frame, ghost, instance, shows_skeleton, skeleton};
pub use legend::{LegendLine, draw_legend, legend};
pub use lights::file_lights;
