//! The backdrop behind surfaces that transmit light: an image of the rest of the scene, with mip levels for rough surfaces.

use wgpu::{TextureFormat, TextureUsages};

use super::compose::create_pipeline;
use super::offscreen::{DEPTH, SceneViews};
use super::output::Output;
use super::{Gpu, shaders};

/// Half floats store light that is brighter than white.
const FORMAT: TextureFormat = TextureFormat::Rgba16Float;
/// Minimum side of a level. Smaller levels would show the mean of the whole image.
const MIN_SIDE: u32 = 4;

/// The image and its levels. It exists only while frames have surfaces that transmit light.
#[derive(Debug)]
pub(super) struct Backdrop {
    target: Target,
    halve: wgpu::RenderPipeline,
    layout: wgpu::BindGroupLayout,
    sampler: wgpu::Sampler,
}

#[derive(Debug)]
struct Target {
    size: (u32, u32),
    samples: u32,
    all: wgpu::TextureView,
    /// Each level, with the bind group of the next larger one.
    levels: Vec<(wgpu::TextureView, Option<wgpu::BindGroup>)>,
    multisampled: Option<wgpu::TextureView>,
    depth: wgpu::TextureView,
}

/// Returns the output format of surfaces that are drawn into the backdrop of an image.
pub(super) fn output(image: Output) -> Output {
    Output { format: FORMAT, samples: image.samples, is_tone_mapped: false, is_encoded: false }
}

impl Backdrop {
    pub(super) fn new(gpu: &Gpu, size: (u32, u32), samples: u32) -> Self {
        let entry = |binding: u32, ty: wgpu::BindingType| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::FRAGMENT,
            ty,
            count: None,
        };
        let texture = wgpu::BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable: true },
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: false,
        };
        let filter = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
        let layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("halve"),
            entries: &[entry(0, texture), entry(1, filter)],
        });
        let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("halve"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..Default::default()
        });
        let module = shaders::module(&gpu.device, "halve", shaders::COMPOSE);
        let state =
            wgpu::ColorTargetState { format: FORMAT, blend: None, write_mask: wgpu::ColorWrites::ALL };
        let halve = create_pipeline(&gpu.device, &module, "halve", Some(&layout), state);
        let target = Target::new(gpu, &layout, &sampler, size, samples);
        Self { target, halve, layout, sampler }
    }

    /// Recreates the image if its size or its number of samples has changed.
    pub(super) fn resize(&mut self, gpu: &Gpu, size: (u32, u32), samples: u32) {
        if (self.target.size, self.target.samples) != (size, samples) {
            self.target = Target::new(gpu, &self.layout, &self.sampler, size, samples);
        }
    }

    /// Returns the views of the pass that draws the largest level.
    pub(super) fn views(&self) -> Option<SceneViews<'_>> {
        let Target { levels, multisampled, depth, .. } = &self.target;
        let (first, _) = levels.first()?;
        Some(match multisampled {
            Some(samples) => SceneViews { color: samples, resolved: Some(first), depth },
            None => SceneViews { color: first, resolved: None, depth },
        })
    }

    pub(super) fn view(&self) -> &wgpu::TextureView {
        &self.target.all
    }

    /// Computes the smaller levels from the largest one.
    pub(super) fn fill_levels(&self, encoder: &mut wgpu::CommandEncoder) {
        for (level, larger) in &self.target.levels {
            let Some(larger) = larger else { continue };
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("halve"),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: level,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                        store: wgpu::StoreOp::Store,
                    },
                })],
                ..Default::default()
            });
            pass.set_pipeline(&self.halve);
            pass.set_bind_group(0, larger, &[]);
            pass.draw(0..3, 0..1);
        }
    }
}

impl Target {
    fn new(
        gpu: &Gpu,
        layout: &wgpu::BindGroupLayout,
        sampler: &wgpu::Sampler,
        size: (u32, u32),
        samples: u32,
    ) -> Self {
        let texture =
            |label: &str, levels: u32, samples: u32, format: TextureFormat, usage: TextureUsages| {
                gpu.device.create_texture(&wgpu::TextureDescriptor {
                    label: Some(label),
                    size: wgpu::Extent3d { width: size.0, height: size.1, depth_or_array_layers: 1 },
                    mip_level_count: levels,
                    sample_count: samples,
                    dimension: wgpu::TextureDimension::D2,
                    format,
                    usage: TextureUsages::RENDER_ATTACHMENT | usage,
                    view_formats: &[],
                })
            };
        let count = (size.0.max(size.1) / MIN_SIDE).max(1).ilog2() + 1;
        let image = texture("backdrop", count, 1, FORMAT, TextureUsages::TEXTURE_BINDING);
        let mut levels: Vec<(wgpu::TextureView, Option<wgpu::BindGroup>)> = Vec::new();
        for base_mip_level in 0..count {
            let view = image.create_view(&wgpu::TextureViewDescriptor {
                base_mip_level,
                mip_level_count: Some(1),
                ..Default::default()
            });
            let larger = levels.last().map(|(larger, _)| {
                gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                    label: Some("halve"),
                    layout,
                    entries: &[
                        wgpu::BindGroupEntry {
                            binding: 0,
                            resource: wgpu::BindingResource::TextureView(larger),
                        },
                        wgpu::BindGroupEntry {
                            binding: 1,
                            resource: wgpu::BindingResource::Sampler(sampler),
                        },
                    ],
                })
            });
            levels.push((view, larger));
        }
        let view = |texture: wgpu::Texture| texture.create_view(&Default::default());
        let none = TextureUsages::empty();
        Self {
            size,
            samples,
            all: view(image),
            levels,
            multisampled: (samples > 1).then(|| view(texture("backdrop samples", 1, samples, FORMAT, none))),
            depth: view(texture("backdrop depth", 1, samples, DEPTH, none)),
        }
    }
}
