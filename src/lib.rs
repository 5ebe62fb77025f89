//! `sinew`: skinning and inverse kinematics for glTF characters.

pub mod asset;
pub mod camera;
pub mod motion;
pub mod pose;
pub mod skin;
