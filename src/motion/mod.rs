//! Poses from clips and from sensors.

pub mod capture;
mod interpolate;
mod sample;

pub use sample::Playhead;
