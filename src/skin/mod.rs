//! Skinning: the matrix palette, and the CPU reference implementation of the skinning shader.

mod boxes;
mod dual;
mod hull;
#[cfg(feature = "render")]
mod influence;
mod linear;
mod palette;

pub use boxes::JointBoxes;
#[cfg(feature = "render")]
pub(crate) use influence::dominant_node;
pub use linear::{SkinMatrices, Skinned, skin};
pub use palette::{Palette, Skinning};
