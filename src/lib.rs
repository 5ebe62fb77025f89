//! `sinew`: skinning and inverse kinematics for glTF characters.

pub mod asset;
pub mod atomic;
pub mod camera;
#[cfg(feature = "cli")]
pub mod cli;
pub mod ik;
pub mod motion;
pub mod pose;
pub mod puppet;
#[cfg(feature = "render")]
pub mod render;
pub mod rig;
pub mod skin;
#[cfg(feature = "render")]
pub mod stage;
