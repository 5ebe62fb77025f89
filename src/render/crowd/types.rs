//! The Rust twins of `shaders/crowd/types.wgsl`. `src/render/shader_tests.rs` compares names, sizes and offsets.

use bytemuck::{Pod, Zeroable};
use glam::{Quat, Vec2, Vec3};

use crate::body::Place;
pub(crate) use crate::body::types::{CrowdJoint, Local, NONE, Rows};

/// Maximum number of clips that a character can play at the same time.
pub(crate) const LAYERS: usize = 4;

/// `Step`: the size of a batch and the input of a step.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Step {
    pub(crate) seconds: f32,
    pub(crate) characters: u32,
    pub(crate) joints: u32,
    pub(crate) bones: u32,
    pub(crate) eye: [f32; 3],
    pub(crate) clips: u32,
    pub(crate) columns: u32,
    pub(crate) rows: u32,
    pub(crate) cell: f32,
    pub(crate) weights: u32,
    pub(crate) origin: [f32; 2],
    pub(crate) levels: u32,
    pub(crate) reserved: u32,
}

/// `CrowdLayer`: a clip that a character plays.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub(crate) struct CrowdLayer {
    pub(crate) clip: u32,
    pub(crate) time: f32,
    pub(crate) speed: f32,
    pub(crate) weight: f32,
    pub(crate) rate: f32,
    pub(crate) mask: u32,
    pub(crate) loops: u32,
    pub(crate) stands: u32,
}

/// `Character`: the state of a character.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub(crate) struct Character {
    pub(crate) rotation: Quat,
    pub(crate) position: Vec3,
    pub(crate) scale: f32,
    pub(crate) tint: [f32; 4],
    pub(crate) pace: f32,
    pub(crate) turn: f32,
    pub(crate) is_present: u32,
    pub(crate) looks: f32,
    pub(crate) looked_at: Vec3,
    pub(crate) looks_at_point: u32,
    pub(crate) destination: Vec2,
    pub(crate) radius: f32,
    pub(crate) steering: f32,
    pub(crate) layers: [CrowdLayer; LAYERS],
}

impl CrowdLayer {
    /// A layer without a clip.
    pub(crate) const EMPTY: Self =
        Self { clip: NONE, time: 0.0, speed: 1.0, weight: 0.0, rate: 0.0, mask: NONE, loops: 1, stands: 0 };
}

impl Character {
    pub(crate) fn place(&self) -> Place {
        Place { rotation: self.rotation, position: self.position, scale: self.scale }
    }

    /// Returns the point at which the head may look, in world metres. `eye` is the position of the camera.
    pub(crate) fn looked_at(&self, eye: Vec3) -> Vec3 {
        if self.looks_at_point == 0 { eye } else { self.looked_at }
    }

    /// Returns `world_from_model`.
    pub(crate) fn rows(&self) -> Rows {
        Rows::of(self.rotation, self.position, Vec3::splat(self.scale))
    }
}
