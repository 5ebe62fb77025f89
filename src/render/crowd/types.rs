//! The Rust twins of `shaders/crowd/types.wgsl`. `tests/render/layout.rs` compares names, sizes and offsets.

use bytemuck::{Pod, Zeroable};
use glam::{Quat, Vec3};

use crate::body::Place;
pub use crate::body::types::{Joint, Local, NONE, Rows};

/// Maximum number of clips that a character can play at the same time.
pub const LAYERS: usize = 4;

/// `Step`: the size of a batch and the input of a step.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct Step {
    pub seconds: f32,
    pub characters: u32,
    pub joints: u32,
    pub bones: u32,
    pub eye: [f32; 3],
    pub clips: u32,
    pub columns: u32,
    pub rows: u32,
    pub cell: f32,
    pub weights: u32,
    pub origin: [f32; 2],
    pub levels: u32,
    pub reserved: u32,
}

/// `Layer`: a clip that a character plays.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct Layer {
    pub clip: u32,
    pub time: f32,
    pub speed: f32,
    pub weight: f32,
    pub rate: f32,
    pub mask: u32,
    pub loops: u32,
    pub reserved: u32,
}

/// `Character`: the state of a character.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are documented in the shader")]
pub struct Character {
    pub rotation: Quat,
    pub position: Vec3,
    pub scale: f32,
    pub tint: [f32; 4],
    pub pace: f32,
    pub turn: f32,
    pub is_present: u32,
    pub looks: f32,
    pub layers: [Layer; LAYERS],
}

impl Layer {
    /// A layer without a clip.
    pub const EMPTY: Self =
        Self { clip: NONE, time: 0.0, speed: 1.0, weight: 0.0, rate: 0.0, mask: NONE, loops: 1, reserved: 0 };
}

impl Character {
    pub(crate) fn place(&self) -> Place {
        Place { rotation: self.rotation, position: self.position, scale: self.scale }
    }

    /// Returns `world_from_model`.
    pub fn rows(&self) -> Rows {
        Rows::of(self.rotation, self.position, Vec3::splat(self.scale))
    }
}
