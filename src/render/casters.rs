//! The parts of a frame that cast shadows, drawn as depth.

use std::collections::HashMap;

use super::crowd_batch::{CrowdBatch, crowd_parts, draw_crowds};
use super::draw_list::{Batch, Batcher, DrawList, DrawnModels, Item, draw_all};
use super::gpu_types::flags;
use super::indirect::Listed;
use super::layout::{self, Layouts};
use super::model::{Model, ModelPart};
use super::skinning::{SkinningVariant, posed_vertex_state, vertex_state};
use super::surface::primitive_state;
use super::{Frame, Gpu, shaders};

/// The properties that select a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct CasterVariant {
    /// `None` if the vertices have already been skinned.
    skinning: Option<SkinningVariant>,
    /// A single-sided surface casts a shadow only if its front faces the light.
    culled: bool,
    mirrored: bool,
    /// Whether holes come from a base colour map. `None` if there are no holes.
    holes: Option<bool>,
}

/// Pipelines that draw depth, and the parts of a frame that they draw.
#[derive(Debug)]
pub(super) struct Casters {
    module: wgpu::ShaderModule,
    layout: wgpu::PipelineLayout,
    depth: wgpu::DepthStencilState,
    /// Created on first use.
    pipelines: HashMap<CasterVariant, wgpu::RenderPipeline>,
    batcher: Batcher<CasterVariant>,
    crowds: Vec<CrowdBatch>,
}

impl Casters {
    /// Creates no pipelines yet. `depth` describes the target texture.
    pub(super) fn new(gpu: &Gpu, layouts: &Layouts, depth: wgpu::DepthStencilState) -> Self {
        let module = shaders::module_for(gpu, "shadow", shaders::SHADOW);
        let layout = layouts.pipeline(gpu, &layout::CASTERS);
        let (pipelines, batcher) = (HashMap::new(), Batcher::default());
        Self { module, layout, depth, pipelines, batcher, crowds: Vec::new() }
    }

    /// Prepares the parts of a frame that cast shadows. `is_posed` says whether their vertices are skinned before drawing, which is never
    /// the case for crowds.
    pub(super) fn prepare(
        &mut self,
        gpu: &Gpu,
        models: &[&Model],
        frame: &Frame<'_>,
        list: &mut DrawList,
        is_posed: bool,
    ) {
        let Self { module, layout, depth, pipelines, .. } = self;
        let mut pipeline = |variant| {
            let create = || create_pipeline(gpu, layout, module, variant, depth);
            pipelines.entry(variant).or_insert_with(create).clone()
        };
        let variant = |item: &Item| {
            let part = item.part(models).filter(|part| item.is_lit && part.casts_shadow())?;
            let skinning = (!is_posed).then(|| SkinningVariant::of(part, item.dual, item.few_bones));
            Some(CasterVariant::new(part, skinning, item.mirrored))
        };
        self.batcher.group(list, variant, &mut pipeline);
        self.crowds.clear();
        let casters = crowd_parts(models, frame).filter(|(_, _, part, _)| part.casts_shadow());
        self.crowds.extend(casters.map(|(crowd, index, part, mirrored)| {
            let skinning = Some(SkinningVariant::of(part, false, false));
            let pipeline = pipeline(CasterVariant::new(part, skinning, mirrored));
            CrowdBatch { crowd, part: index, pipeline, coarse: None, is_blended: false }
        }));
    }

    /// Draws the parts. The instances must already be bound.
    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>, drawn: DrawnModels<'_>, frame: &Frame<'_>) {
        draw_all(self.batches(), pass, drawn);
        self.draw_crowds(pass, drawn.models, frame);
    }

    /// Returns the parts outside crowds.
    pub(super) fn batches(&self) -> &[Batch] {
        &self.batcher.batches
    }

    pub(super) fn draw_crowds(&self, pass: &mut wgpu::RenderPass<'_>, models: &[&Model], frame: &Frame<'_>) {
        draw_crowds(self.crowds.iter(), pass, models, frame, Listed::Light);
    }
}

impl CasterVariant {
    fn new(part: &ModelPart, skinning: Option<SkinningVariant>, mirrored: bool) -> Self {
        Self {
            skinning,
            culled: !part.double_sided,
            mirrored,
            holes: (part.flags & flags::ALPHA_MASK != 0).then_some(part.textures.maps.core[0]),
        }
    }
}

fn create_pipeline(
    gpu: &Gpu,
    layout: &wgpu::PipelineLayout,
    module: &wgpu::ShaderModule,
    v: CasterVariant,
    depth: &wgpu::DepthStencilState,
) -> wgpu::RenderPipeline {
    let constants = [
        ("BASE_COLOR_MAP", f64::from(u8::from(v.holes == Some(true)))),
        ("FLAGS", f64::from(flags::ALPHA_MASK)),
    ];
    let skinning = v.skinning.map(SkinningVariant::constants);
    let vertex = match (&skinning, v.holes) {
        (Some(skinning), None) => vertex_state(module, "shadow_vertex", skinning),
        (Some(skinning), Some(_)) => vertex_state(module, "cut_out_vertex", skinning),
        (None, None) => posed_vertex_state(module, "posed_shadow_vertex"),
        (None, Some(_)) => posed_vertex_state(module, "posed_cut_out_vertex"),
    };
    gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("shadow"),
        layout: Some(layout),
        vertex,
        primitive: primitive_state(v.culled, v.mirrored),
        depth_stencil: Some(depth.clone()),
        multisample: Default::default(),
        fragment: v.holes.map(|_| wgpu::FragmentState {
            module,
            entry_point: Some("shadow_cut_out"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &constants,
                ..Default::default()
            },
            targets: &[],
        }),
        multiview_mask: None,
        cache: None,
    })
}
