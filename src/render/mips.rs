//! Mip levels of textures, computed on the GPU.

use std::collections::HashMap;

use wgpu::{Texture, TextureFormat, TextureViewDescriptor};

use super::compose::create_pipeline;
use super::{Gpu, shaders};

/// Computes the smaller levels of textures from their largest one. A texel is the mean of the four that it covers, in linear light for
/// sRGB textures. The result differs from `halve` on the CPU (`texture.rs`) by at most one level of 255.
#[derive(Debug)]
pub(super) struct MipLevels {
    layout: wgpu::BindGroupLayout,
    module: wgpu::ShaderModule,
    pipelines: HashMap<TextureFormat, wgpu::RenderPipeline>,
}

impl MipLevels {
    pub(super) fn new(gpu: &Gpu) -> Self {
        let layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("mip levels"),
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::FRAGMENT,
                ty: wgpu::BindingType::Texture {
                    sample_type: wgpu::TextureSampleType::Float { filterable: true },
                    view_dimension: wgpu::TextureViewDimension::D2,
                    multisampled: false,
                },
                count: None,
            }],
        });
        let module = shaders::module(&gpu.device, "mip levels", shaders::COMPOSE);
        Self { layout, module, pipelines: HashMap::new() }
    }

    /// Submits the computation of all levels except the first, which must already have been written. The texture must be a render
    /// attachment.
    pub(super) fn fill(&mut self, gpu: &Gpu, texture: &Texture) {
        let Self { layout, module, pipelines } = self;
        let format = texture.format();
        let pipeline = pipelines.entry(format).or_insert_with(|| {
            let state = wgpu::ColorTargetState { format, blend: None, write_mask: wgpu::ColorWrites::ALL };
            create_pipeline(&gpu.device, module, "mean_of_four", Some(layout), state)
        });
        let view = |base_mip_level| {
            texture.create_view(&TextureViewDescriptor {
                base_mip_level,
                mip_level_count: Some(1),
                ..Default::default()
            })
        };
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        for level in 1..texture.mip_level_count() {
            let (larger, smaller) = (view(level - 1), view(level));
            let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("mip levels"),
                layout,
                entries: &[wgpu::BindGroupEntry {
                    binding: 0,
                    resource: wgpu::BindingResource::TextureView(&larger),
                }],
            });
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("mip levels"),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &smaller,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                        store: wgpu::StoreOp::Store,
                    },
                })],
                ..Default::default()
            });
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.draw(0..3, 0..1);
        }
        gpu.queue.submit([encoder.finish()]);
    }
}
