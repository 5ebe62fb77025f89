//! Skinning on the CPU.

mod boxes;
mod dual_quaternion;
