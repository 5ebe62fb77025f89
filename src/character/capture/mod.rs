//! Motion capture: turns joint positions and segment orientations, live or from files, into poses and clips.
//!
//! ```text
//! markers ──────▶ joint centres, orientations of segments
//! positions ────▶ filter ─▶ Tracker | fill_gaps, Fit ─┐
//! orientations ─▶ filter ─▶ Segments ─────────────────┼─▶ Pose ─▶ Recorder ─▶ Clip
//! VMC packets ──▶ vmc::LiveCharacter ─────────────────┘
//! ```

mod bones;
mod c3d;
mod calibration_pose;
mod clip;
mod csv;
mod error;
mod estimate;
mod files;
pub(crate) mod filter;
mod frames;
mod gaps;
mod joint_rotation;
mod joints;
mod markers;
mod orientations;
mod pose_filter;
mod positions;
mod take;
mod tracked;
mod tracker;
mod trc;
mod units;
#[cfg(feature = "vmc")]
pub mod vmc;
mod zero_phase;

pub use bones::{BONES, Bone};
pub use c3d::parse_c3d;
pub use calibration_pose::{calibration_pose, facing};
pub use clip::{Captured, TakeOptions};
pub use csv::{load_csv, load_csv_with, parse_csv, write_csv};
pub use error::CaptureError;
pub use estimate::{EstimatedBone, EstimatedSkeleton, LoadOptions, SkeletonOptions, load_character};
pub use files::{TAKE_EXTENSIONS, defines_up, is_take, load_take, load_take_with};
pub use filter::{OrientationFilter, PointFilter, Smoothing, smooth_orientations, smooth_positions};
pub use frames::Frames;
pub use gaps::fill_gaps;
pub use joint_rotation::RotationFit;
pub use markers::{MarkerFit, MarkerTake};
pub use orientations::Segments;
pub use pose_filter::PoseFilter;
pub use positions::Fit;
pub use take::{Take, Tracks};
pub use tracker::{Presence, Tracker};
pub use trc::parse_trc;

#[cfg(test)]
pub(crate) mod tests;
