//! Variants of the vertex shader.

use super::gpu_types::{Vertex, VertexSurface};
use super::model::ModelPart;

/// Features of `shaders/skinning.wgsl` that a part uses beyond the blend of four matrices. Unused features are compiled out, because a
/// software driver executes both sides of every branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SkinningVariant {
    morphed: bool,
    second_set: bool,
    dual: bool,
    few_bones: bool,
}

impl SkinningVariant {
    /// Returns the features for a part in a frame.
    pub(super) fn of(part: &ModelPart, dual: bool, few_bones: bool) -> Self {
        Self { morphed: part.uniform.morph_targets > 0, second_set: part.second_set, dual, few_bones }
    }

    /// Returns the values of the shader's override constants.
    pub(super) fn constants(self) -> [(&'static str, f64); 4] {
        [
            ("MORPHED", f64::from(u8::from(self.morphed))),
            ("SECOND_SET", f64::from(u8::from(self.second_set))),
            ("DUAL_QUATERNIONS", f64::from(u8::from(self.dual))),
            ("FEW_BONES", f64::from(u8::from(self.few_bones))),
        ]
    }
}

const SURFACES: Option<wgpu::VertexBufferLayout<'static>> = Some(wgpu::VertexBufferLayout {
    array_stride: size_of::<VertexSurface>() as u64,
    step_mode: wgpu::VertexStepMode::Vertex,
    attributes: &VertexSurface::ATTRIBUTES,
});

/// The two streams of vertices of a model.
const STREAMS: [Option<wgpu::VertexBufferLayout<'static>>; 2] = [
    Some(wgpu::VertexBufferLayout {
        array_stride: size_of::<Vertex>() as u64,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &Vertex::ATTRIBUTES,
    }),
    SURFACES,
];

/// Size in bytes of a vertex skinned by `skinner.rs`: its position and its normal in the world, as two vectors of four numbers.
pub(super) const SKINNED: u64 = 32;

/// The layout with skinned vertices in place of the first stream.
const POSED: [Option<wgpu::VertexBufferLayout<'static>>; 2] = [
    Some(wgpu::VertexBufferLayout {
        array_stride: SKINNED,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &[wgpu::VertexAttribute {
            format: wgpu::VertexFormat::Float32x3,
            offset: 0,
            shader_location: 0,
        }],
    }),
    SURFACES,
];

/// Returns the vertex state for vertices that have been skinned already.
pub(super) fn posed_vertex_state<'a>(
    module: &'a wgpu::ShaderModule,
    entry_point: &'a str,
) -> wgpu::VertexState<'a> {
    wgpu::VertexState { buffers: &POSED, ..vertex_state(module, entry_point, &[]) }
}

/// Returns the vertex state for the streams of a model. `constants` come from [`SkinningVariant::constants`].
pub(super) fn vertex_state<'a>(
    module: &'a wgpu::ShaderModule,
    entry_point: &'a str,
    constants: &'a [(&'a str, f64)],
) -> wgpu::VertexState<'a> {
    wgpu::VertexState {
        module,
        entry_point: Some(entry_point),
        compilation_options: wgpu::PipelineCompilationOptions { constants, ..Default::default() },
        buffers: &STREAMS,
    }
}
