//! The state that a character keeps from step to step: the Rust twins of `shaders/crowd/body.wgsl`.

use bytemuck::{Pod, Zeroable};
use glam::{Vec2, Vec3};

use super::LIMBS;

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
}
