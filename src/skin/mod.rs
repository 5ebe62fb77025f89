//! Skinning: the matrix palette, and the CPU reference implementation of the skinning shader.

mod boxes;
mod dual;
mod hull;
mod influence;
mod linear;
mod palette;

pub use boxes::JointBoxes;
pub(crate) use influence::dominant_node;
pub use influence::weighted_joints;
#[cfg(feature = "render")]
pub(crate) use influence::{influencing_nodes, strongest_node};
pub use linear::{SkinMatrices, Skinned, skin};
pub use palette::{Palette, Skinning};
