//! `sinew`: skinning and inverse kinematics for glTF characters.
