//! Lines, dots and filled triangles on top of the scene.

use std::collections::HashMap;

use super::floor::{OverlayPipeline, overlay_pipeline};
use super::layout::{self, Layouts};
use super::offscreen::DEPTH;
use super::output::Output;
use super::{Fill, Gpu, Line, gpu_types, shaders};

/// Pipelines for lines, created on first use.
#[derive(Debug)]
pub(super) struct LinePass {
    module: wgpu::ShaderModule,
    layout: wgpu::PipelineLayout,
    pipelines: HashMap<Output, wgpu::RenderPipeline>,
}

impl LinePass {
    pub(super) fn new(gpu: &Gpu, layouts: &Layouts) -> Self {
        let layout = layouts.pipeline(gpu, &layout::LINES);
        let module = shaders::module(&gpu.device, "lines", shaders::LINES);
        Self { module, layout, pipelines: HashMap::new() }
    }

    pub(super) fn pipeline(&mut self, gpu: &Gpu, output: Output) -> &wgpu::RenderPipeline {
        const BUFFERS: &[Option<wgpu::VertexBufferLayout<'static>>] = &[Some(wgpu::VertexBufferLayout {
            array_stride: size_of::<gpu_types::Line>() as u64,
            step_mode: wgpu::VertexStepMode::Instance,
            attributes: &wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4, 2 => Float32x4, 3 => Float32x4],
        })];
        let (module, layout) = (&self.module, &self.layout);
        self.pipelines.entry(output).or_insert_with(|| {
            overlay_pipeline(
                gpu,
                "lines",
                module,
                layout,
                &OverlayPipeline {
                    vertex: "line_vertex",
                    fragment: "line",
                    buffers: BUFFERS,
                    constants: &[output.encode_constant()],
                    depth: Some(wgpu::DepthStencilState {
                        format: DEPTH,
                        depth_write_enabled: Some(false),
                        depth_compare: Some(wgpu::CompareFunction::Always),
                        stencil: Default::default(),
                        bias: Default::default(),
                    }),
                    output,
                },
            )
        })
    }
}

impl From<&Line> for gpu_types::Line {
    fn from(line: &Line) -> Self {
        Self {
            start: line.start.extend(line.widths[0]).into(),
            end: line.end.extend(line.widths[1]).into(),
            corner: [0.0; 4],
            color: line.color.into(),
        }
    }
}

impl From<&Fill> for gpu_types::Line {
    fn from(fill: &Fill) -> Self {
        let [a, b, c] = fill.corners;
        Self {
            start: a.extend(0.0).into(),
            end: b.extend(0.0).into(),
            corner: c.extend(1.0).into(),
            color: fill.color.into(),
        }
    }
}
