//! Goals of a character's limbs, chains and head.

use bytemuck::{Pod, Zeroable};
use glam::{Quat, Vec3};

use super::types::NONE;

/// The number of goals of a character.
pub const GOALS: usize = 4;
/// The flags of a [`PackedGoal`].
pub const HAS_ROTATION: u32 = 1;
/// See [`HAS_ROTATION`].
pub const HAS_POLE: u32 = 2;
/// The flag of every goal that was set, whose weight can change over time.
pub const IS_SET: u32 = 4;
/// The flag of a goal in the frame of a joint that moves along with the hips.
pub const FOLLOWS_HIPS: u32 = 8;
/// The flag of a goal that fades in, and takes over from the goal that it replaces. It does not depend on later changes of the rate.
pub const TAKES_OVER: u32 = 16;
/// The limb index that marks a goal for the head to look at.
pub const HEAD: u32 = 0xffff_fffe;
/// The frame of a goal in world space. Other values are [`CHARACTER`] or the index of a joint.
pub const WORLD: u32 = NONE;
/// The frame of a goal in the model space of the character.
pub const CHARACTER: u32 = 0xffff_fffe;

/// `PackedGoal`: the target of a limb, a chain or the head of a character.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct PackedGoal {
    pub rotation: Quat,
    pub position: Vec3,
    pub limb: u32,
    pub pole: Vec3,
    pub flags: u32,
    pub weight: f32,
    pub rate: f32,
    pub frame: u32,
    pub change: u32,
}

impl PackedGoal {
    /// No goal.
    pub const NONE: Self = Self {
        rotation: Quat::IDENTITY,
        position: Vec3::ZERO,
        limb: NONE,
        pole: Vec3::ZERO,
        flags: 0,
        weight: 0.0,
        rate: 0.0,
        frame: WORLD,
        change: 0,
    };

    /// Returns the first number of the goal that is not finite.
    pub fn not_finite(&self) -> Option<f32> {
        let all = [
            self.rotation.to_array().to_vec(),
            self.position.to_array().to_vec(),
            self.pole.to_array().to_vec(),
        ];
        all.concat().into_iter().chain([self.weight, self.rate]).find(|value| !value.is_finite())
    }
}
