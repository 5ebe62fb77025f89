//! Poses bodies in single precision and in a fixed number of steps: limbs of two bones, chains, heads, and feet on uneven ground.
//!
//! GPU crowds implement the same passes in shaders. A [`FootPlacer`](crate::motion::FootPlacer) uses this module for one character in a
//! game. The structs are the Rust twins of `shaders/crowd/body.wgsl` and `shaders/crowd/goal.wgsl`.

mod aim;
mod build;
mod chain;
mod fade;
mod figure;
pub mod frames;
mod goal;
mod ground;
mod hips;
mod limb;
mod limit;
mod plant;
mod pose;
pub mod stance;
pub mod types;

use bytemuck::{Pod, Zeroable};
use glam::{Vec2, Vec3, Vec4};

pub use figure::{Base, Figure, Place};
pub use goal::{
    CHARACTER, FOLLOWS_HIPS, GOALS, HAS_POLE, HAS_ROTATION, HEAD, IS_SET, PackedGoal, TAKES_OVER, WORLD,
};
pub use ground::Ground;
pub use plant::FootGoal;
pub use pose::Inputs;

/// Maximum numbers of limbs, chains, rotating joints per chain, points per sole and joints per neck.
pub const LIMBS: usize = 8;
/// See [`LIMBS`].
pub const CHAINS: usize = 4;
/// See [`LIMBS`].
pub const LINKS: usize = 8;
/// See [`LIMBS`].
pub const SOLES: usize = 6;
/// See [`LIMBS`].
pub const NECK: usize = 4;
/// Maximum number of contacts of a foot in a clip.
pub const INTERVALS: usize = 8;

/// The kinds of [`JointLimit`].
pub const FREE: u32 = 0;
/// See [`FREE`].
pub const HINGE: u32 = 1;
/// See [`FREE`].
pub const CONE: u32 = 2;
/// See [`FREE`].
pub const EULER: u32 = 3;
/// See [`FREE`].
pub const LOCKED: u32 = 4;

/// The flag of a [`CrowdLimb`] whose end is not a descendant of its bones in the file's hierarchy.
pub const DETACHED: u32 = 1;
/// The flag of a [`CrowdLimb`] whose end is a descendant of the hips.
pub const BELOW_HIPS: u32 = 2;
/// The flag of a [`CrowdLimb`] whose middle joint rotates only about its hinge.
pub const HINGED: u32 = 4;

/// `JointLimit`: a [`Limit`](crate::ik::Limit) as the shaders read it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct JointLimit {
    pub axis: Vec3,
    pub side_swing: f32,
    pub side: Vec3,
    pub other_swing: f32,
    pub ranges: [Vec4; 3],
    pub kind: u32,
    pub order: u32,
    pub reserved: [u32; 2],
}

/// `Sole`: a point on a sole.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct Sole {
    pub position: Vec3,
    pub joint: u32,
}

/// `CrowdLimb`: a limb of two bones.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct CrowdLimb {
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

/// `CrowdChain`: a tail or another chain.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct CrowdChain {
    pub links: u32,
    pub reserved: [u32; 3],
    pub joints: [u32; 12],
    pub limits: [JointLimit; LINKS],
}

/// `CrowdBody` without its contacts.
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
    pub limb: [CrowdLimb; LIMBS],
    pub chain: [CrowdChain; CHAINS],
}

/// The body of a model: its parts, and the contacts of its feet in each clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CrowdBody {
    /// The parts.
    pub parts: BodyParts,
    /// Start and end of each contact in seconds: [`INTERVALS`] for each leg of each clip. Unused entries end before they start.
    pub contacts: Vec<Vec2>,
    /// The node at the end of each limb, which identifies the limb of a goal.
    pub ends: Vec<usize>,
    /// The node at the end of each chain.
    pub tips: Vec<usize>,
}

impl CrowdBody {
    /// Returns the contents of the GPU buffer.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = bytemuck::bytes_of(&self.parts).to_vec();
        // The array is never empty.
        let nothing = [Vec2::new(0.0, -1.0)];
        let contacts = if self.contacts.is_empty() { &nothing[..] } else { &self.contacts };
        bytes.extend_from_slice(bytemuck::cast_slice(contacts));
        bytes
    }

    /// Returns the index of the limb or the chain that moves a node, for a goal of a crowd.
    pub fn limb_of(&self, node: usize) -> Option<u32> {
        let all = self.ends.iter().chain(&self.tips);
        (0..).zip(all).find(|(_, end)| **end == node).map(|(index, _)| index)
    }

    /// Returns the limbs in use.
    pub fn limbs(&self) -> &[CrowdLimb] {
        self.parts.limb.get(..self.parts.limbs as usize).unwrap_or_default()
    }

    /// Returns the chains in use.
    pub fn chains(&self) -> &[CrowdChain] {
        self.parts.chain.get(..self.parts.chains as usize).unwrap_or_default()
    }

    /// Returns the limbs that stand on the ground.
    pub fn legs(&self) -> &[CrowdLimb] {
        self.parts.limb.get(..self.parts.legs as usize).unwrap_or_default()
    }
}
