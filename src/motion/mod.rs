//! Poses from clips.

mod interpolate;
mod sample;

pub use sample::Playhead;
