//! The state that a character keeps from step to step: the Rust twins of `shaders/crowd/body.wgsl`.

use bytemuck::{Pod, Zeroable};
use glam::{Quat, Vec2, Vec3};

use super::{GOALS, LIMBS};

/// `Foot`: the state of a foot after the last step.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct Foot {
    pub heel: Vec2,
    pub toe: Vec2,
    pub offset: Vec2,
    pub heading: Vec2,
    pub weight: f32,
    pub yaw: f32,
}

/// `GoalFade`: how a goal takes over from the goal that it replaces. Its rotations are set before they are used, so they may start as the
/// identity or as zeros.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct GoalFade {
    pub offset: Vec3,
    pub left: f32,
    pub turn: Quat,
    pub last: Vec3,
    pub limb: u32,
    pub last_turn: Quat,
}

/// `Stance`: the state that a character keeps. The default is the state before the first step.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct Stance {
    pub aim: Vec3,
    pub aim_weight: f32,
    pub hips: f32,
    pub is_known: u32,
    pub held: u32,
    pub spent: u32,
    pub tilt: Vec2,
    pub on_toes: u32,
    pub reserved: u32,
    pub feet: [Foot; LIMBS],
    pub changes: [u32; GOALS],
    pub fades: [GoalFade; GOALS],
}
