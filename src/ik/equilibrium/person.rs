//! Radii of the parts of a person of 1.75 m, metres, for capsules.

pub(crate) const CHEST: f64 = 0.115;
pub(crate) const PELVIS: f64 = 0.13;
pub(crate) const BELLY: f64 = 0.115;
pub(crate) const HEAD: f64 = 0.10;
/// Upper arm, forearm and hand.
pub(crate) const ARM: [f64; 3] = [0.05, 0.04, 0.035];
/// Thigh and shin.
pub(crate) const LEG: [f64; 2] = [0.075, 0.055];
