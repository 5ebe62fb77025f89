//! Ghosts: translucent copies of the model, each in its own colour.

use std::collections::HashMap;

use super::culling::Frustum;
use super::draw_list::{Batch, DrawList, DrawnModels, Item, draw_all};
use super::gpu_types::flags;
use super::layout::{self, Layouts};
use super::model::{Model, ModelPart};
use super::output::Output;
use super::skinning::{SkinningVariant, vertex_state};
use super::surface::depth_state;
use super::{Frame, Gpu, Instance, shaders};

/// Depth offset between consecutive ghosts, in grid cells.
const DEPTH_STEP: f32 = 0.03;

/// Depth bias with which a ghost's colour is tested against its own depth, in units in the last place. It is several times the rounding
/// error of an interpolated depth, and far less than `DEPTH_STEP`.
const COLOR_DEPTH_BIAS: i32 = -16;

/// The properties that select a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct GhostVariant {
    skinning: SkinningVariant,
    /// Whether colour is drawn, or only depth.
    color: bool,
    /// Whether holes come from a base colour map. `None` if there are no holes.
    holes: Option<bool>,
    flags: u32,
    culled: bool,
    mirrored: bool,
    output: Output,
}

/// Pipelines for ghosts, created on first use.
#[derive(Debug)]
pub(super) struct GhostPass {
    module: wgpu::ShaderModule,
    layout: wgpu::PipelineLayout,
    pipelines: HashMap<GhostVariant, wgpu::RenderPipeline>,
    /// The ghosts of the frame, each as batches of its depth and its colour.
    batches: Vec<Batch>,
}

impl GhostPass {
    pub(super) fn new(gpu: &Gpu, layouts: &Layouts) -> Self {
        let layout = layouts.pipeline(gpu, &layout::GHOSTS);
        let module = shaders::module_for(gpu, "ghosts", shaders::GHOST);
        Self { module, layout, pipelines: HashMap::new(), batches: Vec::new() }
    }

    /// Prepares the ghosts of a frame. The depth of each ghost is drawn before its colour, so that its inner surfaces remain hidden.
    pub(super) fn prepare(
        &mut self,
        gpu: &Gpu,
        models: &[&Model],
        frame: &Frame<'_>,
        list: &mut DrawList,
        camera: &Frustum,
        output: Output,
    ) {
        self.batches.clear();
        let mut depth = 0.0;
        for ghost in &frame.ghosts {
            depth += DEPTH_STEP;
            let mut ghost = Instance { tint: ghost.tint.truncate().extend(depth), ..ghost.clone() };
            ghost.draws.iter_mut().for_each(|draw| draw.material = None);
            // The items of the scene have already been batched.
            list.items.clear();
            list.add(models, &ghost, camera, None);
            let DrawList { items, input } = list;
            let first_color = self.batches.len() + items.len();
            for item in &*items {
                let Some(part) = item.part(models) else { continue };
                let pipeline = self.pipeline(gpu, output, false, part, item);
                self.batches.push(Batch::new(item, input.push(item), pipeline));
            }
            for (index, item) in items.iter().enumerate() {
                let Some(part) = item.part(models) else { continue };
                let pipeline = self.pipeline(gpu, output, true, part, item);
                let Some(depth) = self.batches.get(first_color - items.len() + index) else { continue };
                self.batches.push(Batch { pipeline, ..depth.clone() });
            }
        }
    }

    fn pipeline(
        &mut self,
        gpu: &Gpu,
        output: Output,
        color: bool,
        part: &ModelPart,
        item: &Item,
    ) -> wgpu::RenderPipeline {
        let holes = part.flags & (flags::ALPHA_MASK | flags::ALPHA_BLEND) != 0;
        let variant = GhostVariant {
            skinning: SkinningVariant::of(part, item.dual, item.few_bones),
            color,
            holes: holes.then_some(part.textures.maps.core[0]),
            flags: part.flags & (flags::HAS_NORMALS | flags::ALPHA_MASK | flags::ALPHA_BLEND),
            culled: !part.double_sided,
            mirrored: item.mirrored,
            output,
        };
        let (module, layout) = (&self.module, &self.layout);
        self.pipelines.entry(variant).or_insert_with(|| create_pipeline(gpu, module, layout, variant)).clone()
    }

    /// Draws all ghosts. The instances must already be bound.
    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>, drawn: DrawnModels<'_>) {
        draw_all(&self.batches, pass, drawn);
    }
}

fn create_pipeline(
    gpu: &Gpu,
    module: &wgpu::ShaderModule,
    layout: &wgpu::PipelineLayout,
    v: GhostVariant,
) -> wgpu::RenderPipeline {
    let constants = [
        ("BASE_COLOR_MAP", f64::from(u8::from(v.holes == Some(true)))),
        ("FLAGS", f64::from(v.flags)),
        v.output.encode_constant(),
    ];
    let entry_point = match (v.color, v.holes) {
        (true, _) => "ghost",
        (false, Some(_)) => "ghost_cut_out",
        (false, None) => "ghost_depth",
    };
    let target = wgpu::ColorTargetState {
        format: v.output.format,
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
        multisample: wgpu::MultisampleState { count: v.output.samples, ..Default::default() },
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
