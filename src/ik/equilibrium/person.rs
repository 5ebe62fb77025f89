//! Capsule radii for the parts of a person of 1.75 m, in metres.

/// Chest.
pub const CHEST: f64 = 0.115;
/// Pelvis.
pub const PELVIS: f64 = 0.13;
/// Belly.
pub const BELLY: f64 = 0.115;
/// Head.
pub const HEAD: f64 = 0.10;
/// Upper arm, forearm and hand.
pub const ARM: [f64; 3] = [0.05, 0.04, 0.035];
/// Thigh and shin.
pub const LEG: [f64; 2] = [0.075, 0.055];
