//! From joints to vertices: the matrix palette, and skinning on the CPU, the reference that the shader is held against.

mod dual;
mod linear;
mod palette;

pub use linear::{Movers, Skinned, skin};
pub use palette::{Palette, Skinning};
