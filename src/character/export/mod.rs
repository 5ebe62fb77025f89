//! Exports poses and motion to files that other programs read.
//!
//! | format | contents | items |
//! |---|---|---|
//! | JSON | the transforms of all nodes, the reports, and optionally the posed vertices | [`PoseDocument`], [`StoredPose`] |
//! | GLB | a copy of the model in another pose, or with other clips | [`posed_copy`], [`animated_copy`] |
//! | BVH | a clip as motion capture data | [`bvh`] |
//!
//! [`bake`] computes the clips that are exported: it samples the motion and the goals of a puppet, and retargets the clips of
//! other characters. [`StoredPose`] reads the JSON back. This module returns the contents of the files and does not write them.

pub mod bake;
pub mod bvh;
mod losses;
mod pose;
mod posed_copy;

pub use losses::{animated_copy_loss, posed_copy_loss};
pub use pose::{
    FittedPose, MAX_POSE_BYTES, PoseDocument, ReadPoseError, StoredPose, animated_copy, posed_copy,
};
pub use posed_copy::is_posed_copy;
