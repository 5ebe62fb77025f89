//! Draws of instances whose palettes are on the GPU.

use super::Frame;
use super::gpu_types::{Vertex, VertexSurface};
use super::model::{Model, ModelPart};

/// One part of the instances of a crowd.
#[derive(Clone, Debug)]
pub(super) struct CrowdBatch {
    /// Index of the crowd in the frame.
    pub(super) crowd: usize,
    /// Index of the part in its model.
    pub(super) part: usize,
    pub(super) pipeline: wgpu::RenderPipeline,
    /// The pipeline for levels of detail below the full one, if it differs.
    pub(super) coarse: Option<wgpu::RenderPipeline>,
    pub(super) is_blended: bool,
}

/// Returns the parts with triangles in all crowds of a frame, each as the index of its crowd, its own index, the part, and whether it is
/// mirrored.
pub(super) fn crowd_parts<'m>(
    models: &[&'m Model],
    frame: &Frame<'_>,
) -> impl Iterator<Item = (usize, usize, &'m ModelPart, bool)> {
    frame.crowds.iter().enumerate().flat_map(|(crowd, list)| {
        let parts = models.get(list.model).map_or(&[][..], |model| &model.parts);
        let drawn = parts.iter().zip(&list.instances.parts).enumerate();
        drawn
            .filter(|(_, (part, _))| !part.indices.is_empty())
            .map(move |(index, (part, draw))| (crowd, index, part, draw.mirrored))
    })
}

/// Encodes some batches. The camera is view 0, and the key light is view 1.
pub(super) fn draw_crowds<'b>(
    batches: impl Iterator<Item = &'b CrowdBatch>,
    pass: &mut wgpu::RenderPass<'_>,
    models: &[&Model],
    frame: &Frame<'_>,
    view: usize,
) {
    for batch in batches {
        let Some(list) = frame.crowds.get(batch.crowd) else { continue };
        let Some(model) = models.get(list.model) else { continue };
        let Some(part) = model.parts.get(batch.part) else { continue };
        pass.set_pipeline(&batch.pipeline);
        pass.set_bind_group(3, &part.material, &[part.offset; 2]);
        pass.set_vertex_buffer(0, part.stream::<Vertex>(&model.vertices));
        pass.set_vertex_buffer(1, part.stream::<VertexSurface>(&model.surfaces));
        let coarse = batch.coarse.as_ref();
        list.instances.draw(pass, view, batch.part, &model.indices, coarse, batch.is_blended);
    }
}
