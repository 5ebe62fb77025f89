//! The floor: shadow and grid.

use std::collections::HashMap;

use wgpu::TextureFormat;

use super::layout::Layouts;
use super::surface::depth_state;
use super::{Gpu, shaders};

/// Pipelines for the floor, made when first needed.
#[derive(Debug)]
pub(super) struct GroundPass {
    module: wgpu::ShaderModule,
    layout: wgpu::PipelineLayout,
    pipelines: HashMap<(bool, u32, TextureFormat), wgpu::RenderPipeline>,
}

impl GroundPass {
    pub(super) fn new(gpu: &Gpu, layouts: &Layouts) -> Self {
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("ground"),
            bind_group_layouts: &[Some(&layouts.globals), None, Some(&layouts.shadow)],
            immediate_size: 0,
        });
        let module = shaders::module(&gpu.device, "ground", shaders::GROUND);
        Self { module, layout, pipelines: HashMap::new() }
    }

    pub(super) fn pipeline(
        &mut self,
        gpu: &Gpu,
        shadows: bool,
        samples: u32,
        format: TextureFormat,
    ) -> &wgpu::RenderPipeline {
        let (module, layout) = (&self.module, &self.layout);
        self.pipelines.entry((shadows, samples, format)).or_insert_with(|| {
            overlay(
                gpu,
                "ground",
                module,
                layout,
                &Overlay {
                    vertex: "ground_vertex",
                    fragment: "ground",
                    buffers: &[],
                    constants: &[("SHADOWS", f64::from(u8::from(shadows)))],
                    depth_compare: depth_state(false),
                    samples,
                    format,
                },
            )
        })
    }
}

/// What a pass over the picture needs.
pub(super) struct Overlay<'a> {
    pub(super) vertex: &'a str,
    pub(super) fragment: &'a str,
    pub(super) buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    pub(super) constants: &'a [(&'a str, f64)],
    pub(super) depth_compare: wgpu::DepthStencilState,
    pub(super) samples: u32,
    pub(super) format: TextureFormat,
}

/// A pipeline that lays premultiplied colours over the picture.
pub(super) fn overlay(
    gpu: &Gpu,
    label: &str,
    module: &wgpu::ShaderModule,
    layout: &wgpu::PipelineLayout,
    o: &Overlay<'_>,
) -> wgpu::RenderPipeline {
    let target = wgpu::ColorTargetState {
        format: o.format,
        blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
        write_mask: wgpu::ColorWrites::ALL,
    };
    gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(label),
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some(o.vertex),
            compilation_options: Default::default(),
            buffers: o.buffers,
        },
        primitive: Default::default(),
        depth_stencil: Some(o.depth_compare.clone()),
        multisample: wgpu::MultisampleState { count: o.samples, ..Default::default() },
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some(o.fragment),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: o.constants,
                ..Default::default()
            },
            targets: &[Some(target)],
        }),
        multiview_mask: None,
        cache: None,
    })
}
