//! Poses from clips.

pub mod bvh;
mod euler;
mod interpolate;
mod reduce;
mod sample;

pub use reduce::{Tolerance, reduce};
pub use sample::Playhead;
