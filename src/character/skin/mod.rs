//! Skinning: the matrix palette, and the CPU reference implementation of the skinning shader.

mod boxes;
mod dual;
mod hull;
mod influence;
mod linear;
mod palette;

pub use boxes::JointBoxes;
#[doc(hidden)]
pub use influence::dominant_node;
pub use influence::weighted_joints;
#[doc(hidden)]
pub use influence::{influencing_nodes, strongest_node};
pub use linear::{SkinMatrices, Skinned, skin};
pub use palette::{Palette, Skinning};
