//! Poses and motion as files for other programs: pose JSON, posed copies of a model, baked clips, BVH.

pub mod bake;
pub mod bvh;
mod pose;

pub use pose::*;
