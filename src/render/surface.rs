//! The pass that draws the character.

use std::collections::HashMap;

use wgpu::{BlendState, Face, FrontFace, PrimitiveState};

use super::crowd_batch::{CrowdBatch, crowd_parts};
use super::draw_list::{Batch, Batcher, DrawList, Item};
use super::layout::{self, Layouts};
use super::model::{Model, ModelPart};
use super::offscreen::DEPTH;
use super::output::Output;
use super::skinning::{SkinningVariant, vertex_state};
use super::surface_variant::{SurfaceVariant, is_transmissive};
use super::varyings::Varyings;
use super::{Frame, Gpu, ShadingMode, backdrop, shaders};

/// Pipelines for surfaces. Each is created on first use, because creating one takes as long as drawing many frames.
#[derive(Debug)]
pub(super) struct Surfaces {
    /// The shader modules by the name of their files and the values that they pass on. Created on first use.
    modules: HashMap<(&'static str, Varyings), wgpu::ShaderModule>,
    layout: wgpu::PipelineLayout,
    pipelines: HashMap<SurfaceVariant, wgpu::RenderPipeline>,
    pub(super) opaque: Batcher<SurfaceVariant>,
    /// The lines around opaque parts.
    pub(super) outlines: Batcher<SurfaceVariant>,
    /// From far to near: blended parts, and parts that transmit light.
    pub(super) blended: Vec<Batch>,
    /// The parts behind transmissive ones.
    pub(super) behind: Behind,
    /// The parts of crowds, opaque ones first.
    pub(super) crowds: Vec<CrowdBatch>,
    /// The blended items with their orders and squared distances from the camera.
    far_to_near: Vec<(i32, f32, usize)>,
}

/// The parts that are visible through transmissive ones, in the order in which they are drawn into the backdrop. Empty if there are
/// no such parts.
#[derive(Debug, Default)]
pub(super) struct Behind {
    /// Whether any transmissive part is visible.
    pub(super) is_seen: bool,
    pub(super) opaque: Batcher<SurfaceVariant>,
    pub(super) crowds: Vec<CrowdBatch>,
    /// The blended parts that are farther away than all parts that transmit light.
    pub(super) blended: Vec<Batch>,
}

impl Surfaces {
    pub(super) fn new(gpu: &Gpu, layouts: &Layouts) -> Self {
        let layout = layouts.pipeline(gpu, &layout::SURFACES);
        Self {
            modules: HashMap::new(),
            layout,
            pipelines: HashMap::new(),
            opaque: Batcher::default(),
            outlines: Batcher::default(),
            blended: Vec::new(),
            behind: Behind::default(),
            crowds: Vec::new(),
            far_to_near: Vec::new(),
        }
    }

    /// Prepares the visible parts of a frame: opaque ones in batches, then blended ones from far to near.
    pub(super) fn prepare(
        &mut self,
        gpu: &Gpu,
        models: &[&Model],
        frame: &Frame<'_>,
        list: &mut DrawList,
        output: Output,
    ) {
        let (layout, modules, pipelines) = (&self.layout, &mut self.modules, &mut self.pipelines);
        let mut pipeline = |variant: SurfaceVariant| {
            let create = || {
                let (label, files) = variant.files();
                let load = || shaders::surface_module(gpu, label, files, &variant.varyings.source());
                let module = modules.entry((label, variant.varyings)).or_insert_with(load);
                create_pipeline(&gpu.device, module, layout, variant)
            };
            pipelines.entry(variant).or_insert_with(create).clone()
        };
        let variant_for = |item: &Item, output: Output| {
            let part = item.part(models).filter(|_| item.is_seen)?;
            let skinning = SkinningVariant::of(part, item.dual, item.few_bones);
            Some(SurfaceVariant::new(gpu, frame, part, item.second_sets, skinning, item.mirrored, output))
        };
        let variant = |item: &Item| variant_for(item, output);
        let opaque = |item: &Item| variant(item).filter(|variant| !variant.blended);
        self.opaque.group(list, opaque, &mut pipeline);
        let outline = |item: &Item| {
            let part = item.part(models).filter(|part| part.has_outline)?;
            opaque(item).and_then(|variant| variant.outline_of(part, frame))
        };
        self.outlines.group(list, outline, &mut pipeline);
        self.blended.clear();
        self.far_to_near.clear();
        for (index, item) in list.items.iter().enumerate() {
            if variant(item).is_some_and(|variant| variant.blended) {
                let distance = frame.camera.position.distance_squared(item.bounds.sphere().0);
                let order = item.part(models).map_or(0, |part| part.order);
                self.far_to_near.push((order, distance, index));
            }
        }
        self.far_to_near.sort_by(|(a, near, _), (b, far, _)| a.cmp(b).then(far.total_cmp(near)));
        for &(.., index) in &self.far_to_near {
            let Some((item, variant)) = list.items.get(index).and_then(|i| Some((i, variant(i)?))) else {
                continue;
            };
            let record = list.input.push(item);
            // A surface that does not write depth is drawn after its line, so that it covers the line.
            let outline = item.part(models).and_then(|part| variant.outline_of(part, frame));
            let own = [Some(variant), outline];
            let in_order = if variant.writes_depth { own } else { [own[1], own[0]] };
            for variant in in_order.into_iter().flatten() {
                self.blended.push(Batch::new(item, record, pipeline(variant)));
            }
        }
        self.crowds.clear();
        let of_crowd = |part: &ModelPart, mirrored, output| {
            let (skinning, second_sets) =
                (SkinningVariant::of(part, false, false), part.uniform.second_sets());
            SurfaceVariant::new(gpu, frame, part, second_sets, skinning, mirrored, output)
        };
        for (crowd, index, part, mirrored) in crowd_parts(models, frame) {
            let variant = of_crowd(part, mirrored, output);
            let variants = [Some(variant), variant.outline_of(part, frame)];
            let has_levels = frame.crowds.get(crowd).is_some_and(|list| list.instances.has_levels());
            self.crowds.extend(variants.into_iter().flatten().map(|variant| CrowdBatch {
                crowd,
                part: index,
                pipeline: pipeline(variant),
                coarse: variant.of_coarse_levels().filter(|_| has_levels).map(&mut pipeline),
                is_blended: variant.blended,
            }));
        }
        self.crowds.sort_by_key(|batch| batch.is_blended);
        let Behind { is_seen, opaque, crowds, blended } = &mut self.behind;
        crowds.clear();
        blended.clear();
        opaque.batches.clear();
        let in_crowds = crowd_parts(models, frame).any(|(_, _, part, _)| is_transmissive(frame, part));
        let is_first = |&(.., index): &(i32, f32, usize)| {
            list.items.get(index).and_then(variant).is_some_and(|variant| variant.transmissive)
        };
        let first = self.far_to_near.iter().position(is_first);
        *is_seen = in_crowds || first.is_some();
        if !*is_seen {
            return;
        }
        let output = backdrop::output(output);
        let behind = |item: &Item| variant_for(item, output).filter(|variant| !variant.blended);
        opaque.group(list, behind, &mut pipeline);
        let farther = first.filter(|_| !in_crowds).unwrap_or(0);
        for &(.., index) in self.far_to_near.iter().take(farther) {
            let Some(item) = list.items.get(index) else { continue };
            let Some(variant) = variant_for(item, output) else { continue };
            let record = list.input.push(item);
            blended.push(Batch::new(item, record, pipeline(variant)));
        }
        let parts = crowd_parts(models, frame).filter_map(|(crowd, index, part, mirrored)| {
            let variant = of_crowd(part, mirrored, output);
            let create = || {
                let pipeline = pipeline(variant);
                CrowdBatch { crowd, part: index, pipeline, coarse: None, is_blended: false }
            };
            (!variant.blended).then(create)
        });
        crowds.extend(parts);
    }
}

fn create_pipeline(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    layout: &wgpu::PipelineLayout,
    v: SurfaceVariant,
) -> wgpu::RenderPipeline {
    let flag = |set: bool| f64::from(u8::from(set));
    let mode = match v.mode {
        ShadingMode::Shaded | ShadingMode::Skeleton => 0.0,
        ShadingMode::Lambert => 1.0,
        ShadingMode::Normal => 2.0,
        ShadingMode::Mask => 3.0,
    };
    let constants = [
        ("MODE", mode),
        ("FLAGS", f64::from(v.flags)),
        ("SMOOTH_HOLES", flag(v.smooth_holes)),
        ("SHADOWS", flag(v.shadows)),
        ("VERTEX_SHADOWS", flag(v.varyings.has_light())),
        ("TONE_MAP", flag(v.output.is_tone_mapped)),
        ("TONE", f64::from(v.light.tone as u8)),
        ("ENVIRONMENT", flag(v.light.has_environment)),
        ("TURNED", flag(v.light.is_turned)),
        ("AMBIENT_OCCLUSION", flag(v.light.has_occlusion)),
        ("PUNCTUAL_LIGHTS", flag(v.light.has_lights)),
        v.output.encode_constant(),
    ];
    let constants: Vec<_> = constants.into_iter().chain(v.maps.constants()).collect();
    let target = wgpu::ColorTargetState {
        format: v.output.format,
        blend: (v.blended && !v.replaces).then_some(BlendState::PREMULTIPLIED_ALPHA_BLENDING),
        write_mask: wgpu::ColorWrites::ALL,
    };
    let mut vertex_constants = v.skinning.constants().to_vec();
    if v.varyings.has_light() {
        vertex_constants.push(("ENVIRONMENT", flag(v.light.has_environment)));
    }
    let mut primitive = primitive_state(v.culled, v.mirrored);
    let [mut vertex_entry, mut fragment_entry] =
        ["transform", if v.smooth_holes { "smooth_holes" } else { "surface" }];
    if v.outline {
        [vertex_entry, fragment_entry] = ["transform_outline", "outline"];
        vertex_constants.push(("FLAGS", f64::from(v.flags)));
        vertex_constants.extend(v.maps.constants());
        primitive.cull_mode = Some(Face::Front);
    }
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("surface"),
        layout: Some(layout),
        vertex: vertex_state(module, vertex_entry, &vertex_constants),
        primitive,
        depth_stencil: Some(depth_state(v.writes_depth)),
        multisample: wgpu::MultisampleState { count: v.output.samples, ..Default::default() },
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some(fragment_entry),
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

/// Returns the primitive state for triangles, with or without back-face culling.
pub(super) fn primitive_state(culled: bool, mirrored: bool) -> PrimitiveState {
    PrimitiveState {
        front_face: if mirrored { FrontFace::Cw } else { FrontFace::Ccw },
        cull_mode: culled.then_some(Face::Back),
        ..Default::default()
    }
}

/// Returns the depth test, in which the nearest surface wins.
pub(super) fn depth_state(write: bool) -> wgpu::DepthStencilState {
    wgpu::DepthStencilState {
        format: DEPTH,
        depth_write_enabled: Some(write),
        depth_compare: Some(wgpu::CompareFunction::Less),
        stencil: Default::default(),
        bias: Default::default(),
    }
}
