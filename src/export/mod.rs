//! Exports poses and motion to files that other programs read.
//!
//! | format | contents | items |
//! |---|---|---|
//! | JSON | the transforms of all nodes, the reports, and optionally the posed vertices | [`PoseDocument`], [`StoredPose`] |
//! | GLB | a copy of the model in another pose, or with other clips | [`posed_copy`], [`animated_copy`] |
//! | BVH | a clip as motion capture data | [`bvh`] |
//!
//! [`bake`] computes the clips that are exported: it samples the motion and the goals of a puppet, and retargets the
//! clips of other characters. This module returns the contents of the files and does not write them.

pub mod bake;
pub mod bvh;
mod pose;

pub use pose::{FittedPose, PoseDocument, ReadPoseError, StoredPose, animated_copy, posed_copy};
