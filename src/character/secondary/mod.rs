//! Motion derived from a pose: node constraints, eyes that look at a point, and spring bones.
//!
//! These are applied in this order, after the pose of the body is known. All of them are plain functions of a pose, except for springs,
//! whose state is in [`Springs`].

mod colliders;
mod constraints;
mod look_at;
mod matrices;
mod plan;
mod springs;

pub use constraints::apply_constraints;
pub use look_at::{Gaze, apply_gaze, look_at};
pub use springs::{STEPS_PER_SECOND, Springs};
