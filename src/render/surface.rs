//! The pass that draws the character.

use std::collections::HashMap;

use wgpu::{BlendState, Face, FrontFace, PrimitiveState, TextureFormat};

use super::gpu_types::flags;
use super::layout::Layouts;
use super::model::ModelPart;
use super::offscreen::DEPTH;
use super::skinning::{SkinningVariant, vertex_state};
use super::{Draw, Frame, Gpu, ShadingMode, shaders, texture};

/// The properties that select a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct SurfaceVariant {
    skinning: SkinningVariant,
    mode: ShadingMode,
    maps: [bool; 5],
    shadows: bool,
    blended: bool,
    culled: bool,
    mirrored: bool,
    samples: u32,
    format: TextureFormat,
}

/// Pipelines for surfaces. Each is created on first use, because creating one takes as long as drawing many frames.
#[derive(Debug)]
pub(super) struct Surfaces {
    module: wgpu::ShaderModule,
    layout: wgpu::PipelineLayout,
    pipelines: HashMap<SurfaceVariant, wgpu::RenderPipeline>,
}

impl Surfaces {
    pub(super) fn new(gpu: &Gpu, layouts: &Layouts) -> Self {
        let groups = [&layouts.globals, &layouts.part, &layouts.shadow, &layouts.textures].map(Some);
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("surface"),
            bind_group_layouts: &groups,
            immediate_size: 0,
        });
        let module = shaders::module(&gpu.device, "surface", shaders::SURFACE);
        Self { module, layout, pipelines: HashMap::new() }
    }

    /// Returns the pipeline for a part in a frame.
    pub(super) fn pipeline(
        &mut self,
        gpu: &Gpu,
        frame: &Frame<'_>,
        part: &ModelPart,
        draw: &Draw<'_>,
        format: TextureFormat,
    ) -> &wgpu::RenderPipeline {
        let shaded = frame.mode.is_shaded();
        let used = texture::used_textures(frame.mode, part.uniform.flags & flags::ALPHA_MASK != 0);
        let variant = SurfaceVariant {
            skinning: SkinningVariant::of(part, draw),
            mode: if shaded { ShadingMode::Shaded } else { frame.mode },
            maps: std::array::from_fn(|map| part.maps[map] && used[map]),
            shadows: shaded && frame.shadow,
            blended: is_blended(frame.mode, part),
            culled: frame.mode != ShadingMode::Mask && !part.double_sided,
            mirrored: draw.mirrored,
            samples: frame.samples,
            format,
        };
        let (module, layout) = (&self.module, &self.layout);
        self.pipelines.entry(variant).or_insert_with(|| create_pipeline(&gpu.device, module, layout, variant))
    }
}

/// Returns whether a part is drawn with alpha blending.
pub(super) fn is_blended(mode: ShadingMode, part: &ModelPart) -> bool {
    part.blended && !mode.is_data()
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
        ("SHADOWS", flag(v.shadows)),
        ("BASE_COLOR_MAP", flag(v.maps[0])),
        ("METALLIC_ROUGHNESS_MAP", flag(v.maps[1])),
        ("NORMAL_MAP", flag(v.maps[2])),
        ("OCCLUSION_MAP", flag(v.maps[3])),
        ("EMISSIVE_MAP", flag(v.maps[4])),
    ];
    let target = wgpu::ColorTargetState {
        format: v.format,
        blend: v.blended.then_some(BlendState::PREMULTIPLIED_ALPHA_BLENDING),
        write_mask: wgpu::ColorWrites::ALL,
    };
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("surface"),
        layout: Some(layout),
        vertex: vertex_state(module, "transform", &v.skinning.constants()),
        primitive: primitive_state(v.culled, v.mirrored),
        depth_stencil: Some(depth_state(!v.blended)),
        multisample: wgpu::MultisampleState { count: v.samples, ..Default::default() },
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some("surface"),
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
