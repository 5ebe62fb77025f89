//! Skinning on the CPU.

mod dual_quaternion;
