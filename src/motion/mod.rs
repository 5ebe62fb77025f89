//! Clips, the timeline that plays them, and the operations that turn them into poses.
//!
//! A [`Motion`] describes what is played, and a [`Player`] computes its pose at a time. Nothing in this module solves:
//! where a foot must stay in place, the player returns a contact constraint ([`Hold`]).

mod bar;
pub mod bvh;
pub mod capture;
mod contact;
mod deform;
mod euler;
mod ground;
mod hold;
mod interpolate;
mod key;
mod line;
mod mix;
mod passage;
mod player;
mod recorder;
mod reduce;
mod renumber;
mod retarget;
mod sample;
mod stand;
mod warp;

pub use contact::Contact;
pub use deform::Edit;
pub use hold::Hold;
pub use key::Keyed;
pub use line::{Bar, Layer, Motion, Share, Travel};
pub use mix::{blend, ease};
pub use passage::Passage;
pub use player::Player;
pub use recorder::Recorder;
pub use reduce::{Tolerance, reduce};
pub use retarget::{Retarget, RetargetError};
pub use sample::Playhead;

#[cfg(test)]
mod tests;
