//! Puppets and cameras as frames to draw, picking in what was drawn, and solvers compared side by side.

#[cfg(feature = "render")]
pub mod compare;
pub mod picking;
#[cfg(feature = "render")]
mod stage;

#[cfg(feature = "render")]
pub use stage::*;
