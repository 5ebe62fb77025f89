//! Skinning: the matrix palette, and the CPU reference implementation of the skinning shader.

mod boxes;
mod dual;
mod hull;
mod influence;
mod linear;
mod palette;

pub use boxes::JointBoxes;
pub use influence::{dominant_node, influencing_nodes, strongest_node, weighted_joints};
pub use linear::{SkinMatrices, Skinned, skin};
pub use palette::{Palette, Skinning};
