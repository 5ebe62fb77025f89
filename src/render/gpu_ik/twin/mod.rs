//! The CPU twins of the shaders: the same functions in single precision, which tests compare with the GPU.

mod limb;
mod tests;
mod tree;
