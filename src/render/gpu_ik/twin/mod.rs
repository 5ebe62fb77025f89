//! The CPU twins of the shaders: the same functions in single precision, which tests compare with the GPU.

mod limb;
mod limit_tests;
mod measure;
mod measure_tests;
mod tests;
mod tree;
