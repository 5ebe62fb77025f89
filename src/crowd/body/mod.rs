//! Inverse kinematics of crowds: goals, heads, chains and gaits. Limbs and feet come from `body`.

mod aim;
mod bodies;
mod chain;
pub(super) mod gait;
#[cfg(test)]
mod tests;

use bytemuck::{Pod, Zeroable};
use glam::{Quat, Vec3};

use crate::crowd::CrowdError;

pub(super) use bodies::Inputs;

/// The number of goals of a character.
pub const GOALS: usize = 4;
/// The flags of a [`Goal`].
pub const HAS_ROTATION: u32 = 1;
/// See [`HAS_ROTATION`].
pub const HAS_POLE: u32 = 2;
/// The limb of a goal that the head looks at.
pub const HEAD: u32 = 0xffff_fffe;

/// `Goal`: the target of a limb, a chain or the head of a character.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct Goal {
    pub rotation: Quat,
    pub position: Vec3,
    pub limb: u32,
    pub pole: Vec3,
    pub flags: u32,
    pub weight: f32,
    pub reserved: [u32; 3],
}

impl Goal {
    /// No goal.
    pub const NONE: Self = Self {
        rotation: Quat::IDENTITY,
        position: Vec3::ZERO,
        limb: super::types::NONE,
        pole: Vec3::ZERO,
        flags: 0,
        weight: 0.0,
        reserved: [0; 3],
    };

    /// Checks that all numbers are finite.
    ///
    /// # Errors
    /// [`CrowdError::NotFinite`] with the first number that is not.
    pub fn validate(&self) -> Result<(), CrowdError> {
        let all = [
            self.rotation.to_array().to_vec(),
            self.position.to_array().to_vec(),
            self.pole.to_array().to_vec(),
        ];
        let value = all.concat().into_iter().chain([self.weight]).find(|value| !value.is_finite());
        value.map_or(Ok(()), |value| Err(CrowdError::NotFinite { what: "goal", value }))
    }
}
