//! Poses from clips, and from poses of other characters.

mod hold;
mod interpolate;
mod retarget;
mod sample;

pub use hold::Hold;
pub use retarget::{Retarget, RetargetError};
pub use sample::Playhead;
