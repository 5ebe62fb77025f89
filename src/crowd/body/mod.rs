//! What inverse kinematics knows about the body of a model: the Rust twins of `shaders/crowd/body.wgsl`.

mod aim;
mod bodies;
mod build;
mod chain;
mod figure;
pub(super) mod gait;
mod hips;
mod limb;
mod limit;
mod plant;
pub mod stance;
#[cfg(test)]
mod tests;

use bytemuck::{Pod, Zeroable};
use glam::{Quat, Vec2, Vec3};

use crate::crowd::CrowdError;

pub(super) use figure::Figure;

/// The largest numbers of limbs, chains, joints of a chain that turn, points of a sole and joints of a neck.
pub const LIMBS: usize = 8;
/// See [`LIMBS`].
pub const CHAINS: usize = 4;
/// See [`LIMBS`].
pub const LINKS: usize = 8;
/// See [`LIMBS`].
pub const SOLES: usize = 6;
/// See [`LIMBS`].
pub const NECK: usize = 4;
/// The number of goals of a character.
pub const GOALS: usize = 4;
/// The largest number of contacts of a foot in a clip.
pub const INTERVALS: usize = 8;

/// The kinds of [`JointLimit`].
pub const FREE: u32 = 0;
/// See [`FREE`].
pub const LOCKED: u32 = 1;
/// See [`FREE`].
pub const HINGE: u32 = 2;
/// See [`FREE`].
pub const CONE: u32 = 3;

/// The flags of a [`Goal`].
pub const HAS_ROTATION: u32 = 1;
/// See [`HAS_ROTATION`].
pub const HAS_POLE: u32 = 2;
/// The flag of a [`Limb`] whose end is not below its bones in the file.
pub const DETACHED: u32 = 1;
/// The flag of a [`Limb`] whose end is below the hips.
pub const BELOW_HIPS: u32 = 2;
/// The flag of a [`Limb`] whose middle turns only about its hinge.
pub const HINGED: u32 = 4;
/// The limb of a goal that the head looks at.
pub const HEAD: u32 = 0xffff_fffe;

/// `JointLimit`: the allowed rotations of a joint from rest, in its rest frame.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct JointLimit {
    pub axis: Vec3,
    pub kind: u32,
    pub side: Vec3,
    pub reserved: u32,
    pub swing: Vec2,
    pub twist: Vec2,
}

/// `Sole`: a point of a sole.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct Sole {
    pub position: Vec3,
    pub joint: u32,
}

/// `Limb`: a limb of two bones.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct Limb {
    pub first: u32,
    pub middle: u32,
    pub end: u32,
    pub soles: u32,
    pub hinge: Vec3,
    pub least_cos: f32,
    pub most_cos: f32,
    pub heel: u32,
    pub toe: u32,
    pub flags: u32,
    pub limit: JointLimit,
    pub sole: [Sole; SOLES],
}

/// `Chain`: a tail or another chain.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct Chain {
    pub links: u32,
    pub reserved: [u32; 3],
    pub joints: [u32; 12],
    pub limits: [JointLimit; LINKS],
}

/// `Body` without its contacts.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct BodyParts {
    pub limbs: u32,
    pub legs: u32,
    pub chains: u32,
    pub necks: u32,
    pub hips: u32,
    pub size: f32,
    pub floor: f32,
    pub foot: f32,
    pub facing: Vec3,
    pub field_cos: f32,
    pub forward: Vec3,
    pub chest: u32,
    pub neck: [u32; NECK],
    pub neck_limits: [JointLimit; NECK],
    pub limb: [Limb; LIMBS],
    pub chain: [Chain; CHAINS],
}

/// `Goal`: where a limb, a chain or the head of a character must go.
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
    /// [`CrowdError::NotFinite`] with the first one that is not.
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

/// The body of a model: its parts, and the contacts of its feet in each clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// The parts.
    pub parts: BodyParts,
    /// Start and end of each contact in seconds: [`INTERVALS`] for each leg of each clip. Unused ones end before they start.
    pub contacts: Vec<Vec2>,
    /// The node at the end of each limb, to find the limb of a goal.
    pub ends: Vec<usize>,
    /// The node at the end of each chain.
    pub tips: Vec<usize>,
}

impl Body {
    /// Returns the contents of the GPU buffer.
    pub(in crate::crowd) fn bytes(&self) -> Vec<u8> {
        let mut bytes = bytemuck::bytes_of(&self.parts).to_vec();
        // The array is never empty.
        let nothing = [Vec2::new(0.0, -1.0)];
        let contacts = if self.contacts.is_empty() { &nothing[..] } else { &self.contacts };
        bytes.extend_from_slice(bytemuck::cast_slice(contacts));
        bytes
    }

    /// Returns the limb or the chain that moves a node, as in [`Goal::limb`].
    pub fn limb_of(&self, node: usize) -> Option<u32> {
        let all = self.ends.iter().chain(&self.tips);
        (0..).zip(all).find(|(_, end)| **end == node).map(|(index, _)| index)
    }

    /// Returns the limbs in use.
    pub(in crate::crowd) fn limbs(&self) -> &[Limb] {
        self.parts.limb.get(..self.parts.limbs as usize).unwrap_or_default()
    }

    /// Returns the chains in use.
    pub(in crate::crowd) fn chains(&self) -> &[Chain] {
        self.parts.chain.get(..self.parts.chains as usize).unwrap_or_default()
    }

    /// Returns the limbs that stand on the ground.
    pub(in crate::crowd) fn legs(&self) -> &[Limb] {
        self.parts.limb.get(..self.parts.legs as usize).unwrap_or_default()
    }
}
