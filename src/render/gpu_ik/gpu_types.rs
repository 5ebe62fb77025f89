//! The Rust counterparts of the structs in `shaders/`. `src/render/shader_tests.rs` compares names, sizes and offsets.

use bytemuck::{Pod, Zeroable};

use crate::body::JointLimit;

/// `PackedJoint` in `shaders/ik_joint.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct PackedJoint {
    pub(crate) before: [f32; 4],
    pub(crate) offset: [f32; 4],
    pub(crate) limit: JointLimit,
    pub(crate) parent: u32,
    pub(crate) depth: u32,
    pub(crate) limit_error: f32,
    pub(crate) reserved: u32,
}

/// `ChainConstants` in `shaders/ik_chain.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct ChainConstants {
    pub(crate) end: [f32; 4],
    pub(crate) tolerances: [f32; 4],
    pub(crate) problems: u32,
    pub(crate) restarts: u32,
    pub(crate) iterations: u32,
    pub(crate) poses: u32,
    pub(crate) joints: u32,
    pub(crate) reserved_0: u32,
    pub(crate) reserved_1: u32,
    pub(crate) reserved_2: u32,
}

/// `ChainTarget` in `shaders/ik_goal.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct ChainTarget {
    pub(crate) position: [f32; 4],
    pub(crate) orientation: [f32; 4],
}

/// `TreeConstants` in `shaders/ik_body.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct TreeConstants {
    pub(crate) joints: u32,
    pub(crate) goals: u32,
    pub(crate) problems: u32,
    pub(crate) iterations: u32,
    pub(crate) depth: u32,
    pub(crate) root_weight: f32,
    pub(crate) damping: f32,
    pub(crate) rows: u32,
}

/// `TreeGoal` in `shaders/ik_goal.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct TreeGoal {
    pub(crate) end: [f32; 4],
    pub(crate) tolerances: [f32; 4],
    pub(crate) above: [u32; 3],
    pub(crate) joint: u32,
}

/// `LimbProblem` in `shaders/ik_limb.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct LimbProblem {
    pub(crate) upper: [f32; 4],
    pub(crate) lower: [f32; 4],
    pub(crate) bend: [f32; 4],
    pub(crate) goal: [f32; 4],
    pub(crate) pole: [f32; 4],
}

/// `MeasureConstants` in `shaders/ik_measure.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct MeasureConstants {
    pub(crate) joints: u32,
    pub(crate) goals: u32,
    pub(crate) problems: u32,
    pub(crate) stride: u32,
    pub(crate) has_root: u32,
    pub(crate) reserved_0: u32,
    pub(crate) reserved_1: u32,
    pub(crate) reserved_2: u32,
}

/// `GoalError` in `shaders/ik_measure.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct GoalError {
    pub(crate) offset: [f32; 3],
    pub(crate) offset_bound: f32,
    pub(crate) turn: [f32; 4],
    pub(crate) turn_bound: f32,
    pub(crate) iterations: f32,
    pub(crate) reserved_0: f32,
    pub(crate) reserved_1: f32,
}

/// Value of `PackedJoint::parent` for a joint without a parent.
pub(crate) const NO_PARENT: u32 = u32::MAX;
