//! Thousands of characters of one model: clips, blending, inverse kinematics, palettes and culling on the GPU.

pub mod types;
