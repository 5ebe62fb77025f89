//! The CPU twins of the shaders: the same functions in single precision, which tests compare with the GPU.

mod limb;
mod limits;
mod tests;
mod tree;
mod trigonometry;
