//! Ghosts: translucent copies of the model, each in its own colour.

use std::collections::HashMap;

use glam::Mat4;
use wgpu::TextureFormat;

use super::gpu_types::flags;
use super::layout::Layouts;
use super::model::{Model, ModelPart};
use super::skinning::{SkinningVariant, vertex_state};
use super::surface::depth_state;
use super::upload::{FrameBuffers, Tint, dynamic_offset};
use super::{Draw, Frame, Gpu, RenderError, shaders};

/// Depth offset between consecutive ghosts, in grid cells.
const DEPTH_STEP: f32 = 0.03;

/// Depth bias of a ghost's colour against its own depth, in units in the last place of the depth. Several times the
/// rounding of an interpolated depth, and far less than `DEPTH_STEP`.
const COLOR_DEPTH_BIAS: i32 = -16;

/// The properties that select a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct GhostVariant {
    skinning: SkinningVariant,
    /// Whether colour is drawn, or only depth.
    color: bool,
    /// Whether holes come from a base colour map. `None` if there are no holes.
    holes: Option<bool>,
    culled: bool,
    mirrored: bool,
    samples: u32,
    format: TextureFormat,
}

/// Pipelines and buffers for ghosts, created on first use.
#[derive(Debug)]
pub(super) struct GhostPass {
    module: wgpu::ShaderModule,
    layout: wgpu::PipelineLayout,
    pipelines: HashMap<GhostVariant, wgpu::RenderPipeline>,
    buffers: FrameBuffers,
}

/// A part of a ghost with its pipelines.
struct GhostPart {
    part: usize,
    pipelines: [wgpu::RenderPipeline; 2],
    offset: u32,
}

/// The ghosts of a frame.
pub(super) struct Ghosts {
    /// The parts of each ghost, in drawing order.
    ghosts: Vec<Vec<GhostPart>>,
    parts: wgpu::BindGroup,
}

impl GhostPass {
    pub(super) fn new(gpu: &Gpu, layouts: &Layouts) -> Self {
        let groups = [Some(&layouts.globals), Some(&layouts.part), None, Some(&layouts.textures)];
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("ghosts"),
            bind_group_layouts: &groups,
            immediate_size: 0,
        });
        let module = shaders::module(&gpu.device, "ghosts", shaders::GHOST);
        Self { module, layout, pipelines: HashMap::new(), buffers: FrameBuffers::default() }
    }

    /// Uploads the ghosts of a frame and creates the pipelines that they need.
    pub(super) fn prepare(
        &mut self,
        gpu: &Gpu,
        layouts: &Layouts,
        model: &Model,
        frame: &Frame<'_>,
        format: TextureFormat,
    ) -> Result<Ghosts, RenderError> {
        let mut palette: Vec<Mat4> = Vec::new();
        let mut draws: Vec<(Draw<'_>, Option<Tint>)> = Vec::new();
        let mut ghosts = Vec::with_capacity(frame.ghosts.len());
        let mut depth = 0.0;
        for ghost in &frame.ghosts {
            depth += DEPTH_STEP;
            let first = palette.len();
            palette.extend_from_slice(ghost.palette);
            let mut ghost_parts = Vec::with_capacity(ghost.draws.len());
            for draw in ghost.draws.iter().filter(|d| model.is_drawn(d)) {
                let offset = dynamic_offset(draws.len());
                draws.push((
                    Draw { first_matrix: first + draw.first_matrix, ..*draw },
                    Some(ghost.color.extend(depth).into()),
                ));
                let part = &model.parts[draw.part];
                let pipelines =
                    [false, true].map(|color| self.pipeline(gpu, (frame.samples, format), color, part, draw));
                ghost_parts.push(GhostPart { part: draw.part, pipelines, offset });
            }
            ghosts.push(ghost_parts);
        }
        let parts = self.buffers.upload_parts(gpu, layouts, model, &palette, &draws)?;
        Ok(Ghosts { ghosts, parts })
    }

    fn pipeline(
        &mut self,
        gpu: &Gpu,
        (samples, format): (u32, TextureFormat),
        color: bool,
        part: &ModelPart,
        draw: &Draw<'_>,
    ) -> wgpu::RenderPipeline {
        let holes = part.uniform.flags & (flags::ALPHA_MASK | flags::ALPHA_BLEND) != 0;
        let variant = GhostVariant {
            skinning: SkinningVariant::of(part, draw),
            color,
            holes: holes.then_some(part.maps[0]),
            culled: !part.double_sided,
            mirrored: draw.mirrored,
            samples,
            format,
        };
        let (module, layout) = (&self.module, &self.layout);
        self.pipelines.entry(variant).or_insert_with(|| create_pipeline(gpu, module, layout, variant)).clone()
    }
}

impl Ghosts {
    /// Draws all ghosts. The depth of each ghost is drawn before its colour, so that its inner surfaces stay hidden.
    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>, model: &Model) {
        pass.set_index_buffer(model.indices.slice(..), wgpu::IndexFormat::Uint32);
        for (parts, step) in self.ghosts.iter().flat_map(|parts| [(parts, 0), (parts, 1)]) {
            for ghost_part in parts {
                let part = &model.parts[ghost_part.part];
                pass.set_pipeline(&ghost_part.pipelines[step]);
                pass.set_bind_group(1, &self.parts, &[ghost_part.offset]);
                pass.set_bind_group(3, &part.textures, &[]);
                pass.set_vertex_buffer(0, model.vertices.slice(part.first_vertex..));
                pass.draw_indexed(part.indices.clone(), 0, 0..1);
            }
        }
    }
}

fn create_pipeline(
    gpu: &Gpu,
    module: &wgpu::ShaderModule,
    layout: &wgpu::PipelineLayout,
    v: GhostVariant,
) -> wgpu::RenderPipeline {
    let constants = [("BASE_COLOR_MAP", f64::from(u8::from(v.holes == Some(true))))];
    let entry_point = match (v.color, v.holes) {
        (true, _) => "ghost",
        (false, Some(_)) => "ghost_cut_out",
        (false, None) => "ghost_depth",
    };
    let target = wgpu::ColorTargetState {
        format: v.format,
        blend: v.color.then_some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
        write_mask: if v.color { wgpu::ColorWrites::ALL } else { wgpu::ColorWrites::empty() },
    };
    // The two pipelines may round the depth of a surface differently. The colour is therefore also drawn where it is
    // slightly behind the depth, and twice where two layers are that close.
    let depth = if v.color {
        wgpu::DepthStencilState {
            depth_compare: Some(wgpu::CompareFunction::LessEqual),
            bias: wgpu::DepthBiasState { constant: COLOR_DEPTH_BIAS, ..Default::default() },
            ..depth_state(false)
        }
    } else {
        depth_state(true)
    };
    gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("ghost"),
        layout: Some(layout),
        vertex: vertex_state(module, "ghost_vertex", &v.skinning.constants()),
        primitive: wgpu::PrimitiveState {
            front_face: if v.mirrored { wgpu::FrontFace::Cw } else { wgpu::FrontFace::Ccw },
            cull_mode: v.culled.then_some(wgpu::Face::Back),
            ..Default::default()
        },
        depth_stencil: Some(depth),
        multisample: wgpu::MultisampleState { count: v.samples, ..Default::default() },
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some(entry_point),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &constants,
                ..Default::default()
            },
            targets: &[Some(target)],
        }),
        multiview_mask: None,
        cache: None,
    })
}
