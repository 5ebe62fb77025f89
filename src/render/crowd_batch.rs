//! Draws of instances whose palettes are on the GPU.

use super::Frame;
use super::gpu_types::{Vertex, VertexSurface};
use super::indirect::{Culling, Listed};
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

/// Encodes a pass that makes lists of all crowds in a frame. `queries` are a set and the index of its first query. This query and the next
/// one receive the times of the pass.
pub(super) fn list_crowds(
    culling: &Culling,
    encoder: &mut wgpu::CommandEncoder,
    frame: &Frame<'_>,
    lists: &[Listed],
    queries: Option<&(wgpu::QuerySet, u32)>,
) {
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
        label: Some("culling"),
        timestamp_writes: queries.map(|(query_set, first)| wgpu::ComputePassTimestampWrites {
            query_set,
            beginning_of_pass_write_index: Some(*first),
            end_of_pass_write_index: Some(first + 1),
        }),
    });
    for crowd in &frame.crowds {
        lists.iter().for_each(|&listed| crowd.instances.encode_list(culling, &mut pass, listed));
    }
}

/// Encodes some batches with the instances of a list.
pub(super) fn draw_crowds<'b>(
    batches: impl Iterator<Item = &'b CrowdBatch>,
    pass: &mut wgpu::RenderPass<'_>,
    models: &[&Model],
    frame: &Frame<'_>,
    listed: Listed,
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
        list.instances.draw(pass, listed, batch.part, &model.indices, coarse, batch.is_blended);
    }
}
