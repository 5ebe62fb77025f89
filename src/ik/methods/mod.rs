//! The solving methods, one per file or folder.

pub(super) mod ccd;
mod ccd_joints;
pub(super) mod damped;
pub(super) mod example;
pub(super) mod fabrik;
pub(super) mod full_body;
pub(super) mod fused;
pub(super) mod jacobian;
pub(super) mod limb;
pub(super) mod optimize;
pub(super) mod particle;
pub(super) mod segments;
pub(super) mod style;
pub(super) mod textbook;
pub(super) mod two_bone;
