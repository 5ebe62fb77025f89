//! The Rust counterparts of the structs in `shaders/`. `tests/render/layout.rs` compares names, sizes and offsets.

use bytemuck::{Pod, Zeroable};

/// `Joint` in `shaders/joint_limits.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct Joint {
    pub before: [f32; 4],
    pub offset: [f32; 4],
    pub axis: [f32; 4],
    pub side: [f32; 4],
    pub ranges: [[f32; 4]; 3],
    pub kind: u32,
    pub parent: u32,
    pub order: u32,
    pub depth: u32,
}

/// `Chain` in `shaders/ik_chain.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct Chain {
    pub end: [f32; 4],
    pub tolerances: [f32; 4],
    pub problems: u32,
    pub restarts: u32,
    pub iterations: u32,
    pub poses: u32,
    pub joints: u32,
    pub reserved_0: u32,
    pub reserved_1: u32,
    pub reserved_2: u32,
}

/// `ChainTarget` in `shaders/ik_chain.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct ChainTarget {
    pub position: [f32; 4],
    pub spin: [f32; 4],
}

/// `Tree` in `shaders/ik_body.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct Tree {
    pub joints: u32,
    pub goals: u32,
    pub problems: u32,
    pub iterations: u32,
    pub depth: u32,
    pub root_weight: f32,
    pub damping: f32,
    pub rows: u32,
}

/// `TreeGoal` in `shaders/ik_body.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct TreeGoal {
    pub end: [f32; 4],
    pub tolerances: [f32; 4],
    pub above: [u32; 3],
    pub joint: u32,
}

/// `LimbProblem` in `shaders/ik_limb.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct LimbProblem {
    pub upper: [f32; 4],
    pub lower: [f32; 4],
    pub bend: [f32; 4],
    pub goal: [f32; 4],
    pub pole: [f32; 4],
}

/// Values of `Joint::kind`.
pub mod kinds {
    #![expect(missing_docs, reason = "the names are those of the limits")]
    pub const FREE: u32 = 0;
    pub const HINGE: u32 = 1;
    pub const CONE: u32 = 2;
    pub const EULER: u32 = 3;
    pub const NO_PARENT: u32 = u32::MAX;
}
