//! Clips, the timeline that plays them, and the operations that turn them into poses.
//!
//! A [`Motion`] describes what is played, and a [`Player`] computes its pose at a time. This module does not solve
//! inverse kinematics: if a foot must stay in place, the player returns a contact constraint ([`ContactConstraint`]).

mod blend;
mod clip_sampler;
pub(crate) mod contact;
mod contact_constraint;
mod contact_times;
mod crossfade;
mod cycle;
mod edit;
pub(crate) mod euler;
mod foot_placer;
pub(crate) mod footfall;
mod gait;
mod goal_key;
mod goal_keys;
mod inertia;
pub(crate) mod interpolate;
mod joint_keys;
mod key;
mod key_contacts;
mod keys;
mod locomotion;
mod parametric;
mod planar;
pub(crate) mod planted_keys;
mod player;
mod pose_key;
mod recorder;
mod reduce;
mod remap;
mod retarget;
mod root_node;
mod sample;
mod sample_keys;
mod strip;
mod timeline;
mod transition;
mod warp;

pub use blend::{blend, ease};
pub use contact::Contact;
pub use contact_constraint::ContactConstraint;
pub use crossfade::Crossfade;
pub use cycle::Cycle;
pub use edit::Edit;
pub use foot_placer::FootPlacer;
pub use goal_key::GoalKey;
pub use key::Keyed;
pub use locomotion::locomotion_root;
pub use parametric::{ParametricBlend, ParametricError, ParametricMotion, ParametricOptions};
pub use player::Player;
pub use pose_key::{Easing, PoseKey, is_same_time, pose_key_at};
pub use recorder::Recorder;
pub use reduce::{Tolerance, reduce};
pub use retarget::{Retarget, RetargetError, RetargetedFrame};
pub use root_node::can_carry_root_motion;
pub use sample::Playhead;
pub use timeline::{Layer, Motion, MotionError, RootMotion, Strip, WeightedClip};
pub use transition::Transition;

#[cfg(test)]
mod tests;
