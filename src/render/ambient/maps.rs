//! The maps on the GPU.

use bytemuck::bytes_of;
use wgpu::{BufferUsages, TextureFormat};

use super::super::casters::Casters;
use super::super::compose::cleared_depth;
use super::super::draw_list::{DrawList, DrawnModels};
use super::super::layout::Layouts;
use super::super::model::Model;
use super::super::staging::Staging;
use super::super::surface::depth_state;
use super::super::{Frame, Gpu, RenderError, gpu_types};
use super::directions::{DIRECTIONS, WIDTH, views};
use super::posed::PosedVertices;

/// Uses half the memory of the shadow map's format. The depth steps are still much smaller than the offset along the normal.
const FORMAT: TextureFormat = TextureFormat::Depth16Unorm;
/// Distance in bytes between the globals of consecutive maps in their buffer, a multiple of every adapter's alignment.
const STRIDE: usize = size_of::<gpu_types::Globals>().next_multiple_of(256);

/// A map for each direction, and the pipelines and buffers that draw the maps.
#[derive(Debug)]
pub(crate) struct OcclusionMaps {
    /// All maps, as the shader reads them.
    pub(crate) view: wgpu::TextureView,
    layers: Vec<wgpu::TextureView>,
    casters: Casters,
    posed: Option<PosedVertices>,
    is_posed: bool,
    globals: Option<wgpu::Buffer>,
}

impl OcclusionMaps {
    pub(crate) fn new(gpu: &Gpu, layouts: &Layouts) -> Self {
        let depth = wgpu::DepthStencilState { format: FORMAT, ..depth_state(true) };
        let texture = create(gpu, WIDTH, DIRECTIONS as u32);
        let layer = |base_array_layer| {
            texture.create_view(&wgpu::TextureViewDescriptor {
                dimension: Some(wgpu::TextureViewDimension::D2),
                base_array_layer,
                array_layer_count: Some(1),
                ..Default::default()
            })
        };
        Self {
            view: all_layers(&texture),
            layers: (0..DIRECTIONS as u32).map(layer).collect(),
            casters: Casters::new(gpu, layouts, depth),
            posed: gpu.capabilities.has_compute.then(|| PosedVertices::new(gpu, layouts)),
            is_posed: false,
            globals: None,
        }
    }

    /// Prepares the parts of a frame, and schedules the upload of the maps' positions.
    pub(crate) fn prepare(
        &mut self,
        gpu: &Gpu,
        models: &[&Model],
        frame: &Frame<'_>,
        list: &mut DrawList,
        staging: &mut Staging,
        globals: &gpu_types::Globals,
    ) -> Result<(), RenderError> {
        self.is_posed = self.posed.is_some() && PosedVertices::fits(gpu, models, list);
        list.input.is_posed = self.is_posed;
        self.casters.prepare(gpu, models, frame, list, self.is_posed);
        if let Some(posed) = self.posed.as_mut().filter(|_| self.is_posed) {
            posed.prepare(gpu, models, self.casters.batches(), staging)?;
        }
        let matrices = views(frame.sphere);
        let mut bytes = vec![0; STRIDE * DIRECTIONS];
        for (bytes, matrix) in bytes.chunks_exact_mut(STRIDE).zip(matrices) {
            // The maps are drawn with the vertex shader of the key light's shadow.
            let globals = gpu_types::Globals { shadow_from_world: matrix.to_cols_array_2d(), ..*globals };
            bytes.iter_mut().zip(bytes_of(&globals)).for_each(|(to, from)| *to = *from);
        }
        staging.write(gpu, &mut self.globals, "occlusion globals", &bytes, BufferUsages::UNIFORM).map(drop)
    }

    /// Skins the vertices of a frame once for all maps, if the adapter supports compute shaders.
    pub(crate) fn pose(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        instances: &wgpu::BindGroup,
        models: &[&Model],
    ) -> Result<(), RenderError> {
        let Self { casters, posed, is_posed, .. } = self;
        let Some(posed) = posed.as_mut().filter(|_| *is_posed) else { return Ok(()) };
        posed.encode(gpu, encoder, instances, models, casters.batches())
    }

    pub(crate) fn draw(
        &self,
        gpu: &Gpu,
        layouts: &Layouts,
        encoder: &mut wgpu::CommandEncoder,
        instances: &wgpu::BindGroup,
        few_bones: &wgpu::Buffer,
        drawn: DrawnModels<'_>,
        frame: &Frame<'_>,
    ) {
        let Some(globals) = &self.globals else { return };
        for (index, layer) in (0_u64..).zip(&self.layers) {
            let size = std::num::NonZeroU64::new(size_of::<gpu_types::Globals>() as u64);
            let binding = wgpu::BufferBinding { buffer: globals, offset: index * STRIDE as u64, size };
            let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("occlusion globals"),
                layout: &layouts.globals,
                entries: &[
                    wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(binding) },
                    wgpu::BindGroupEntry { binding: 1, resource: few_bones.as_entire_binding() },
                ],
            });
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("occlusion"),
                depth_stencil_attachment: Some(cleared_depth(layer)),
                ..Default::default()
            });
            pass.set_bind_group(0, &group, &[]);
            pass.set_bind_group(1, instances, &[]);
            match self.posed.as_ref().filter(|_| self.is_posed) {
                Some(posed) => {
                    posed.draw(&mut pass, drawn, self.casters.batches());
                    self.casters.draw_crowds(&mut pass, drawn.models, frame);
                }
                None => self.casters.draw(&mut pass, drawn, frame),
            }
        }
    }
}

/// Returns a map without occluders, for frames that read none.
pub(crate) fn no_map(gpu: &Gpu) -> wgpu::TextureView {
    all_layers(&create(gpu, 1, 1))
}

fn all_layers(texture: &wgpu::Texture) -> wgpu::TextureView {
    let dimension = Some(wgpu::TextureViewDimension::D2Array);
    texture.create_view(&wgpu::TextureViewDescriptor { dimension, ..Default::default() })
}

fn create(gpu: &Gpu, width: u32, layers: u32) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("occlusion"),
        size: wgpu::Extent3d { width, height: width, depth_or_array_layers: layers },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: FORMAT,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    })
}
