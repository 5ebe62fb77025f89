//! Levels of depth textures, each computed from a larger one: those of the shadow map (`shadow_levels.rs`) and of the depth buffer
//! (`depth_pyramid.rs`).

use super::compose::{DepthTarget, create_depth_pipeline, depth_attachment};
use super::layout::{TEXEL_SAMPLER, depth_buffer, shadow_map};
use super::offscreen::DEPTH;
use super::{Gpu, shaders};

/// The bind group of the larger level, which other shaders use for the shadow map.
const GROUP: u32 = 2;

/// The depth that a texel keeps of those that it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeptDepth {
    Nearest,
    Farthest,
}

impl KeptDepth {
    /// Returns the depth of a texel that covers nothing.
    fn of_nothing(self) -> f32 {
        match self {
            Self::Nearest => 1.0,
            Self::Farthest => 0.0,
        }
    }
}

/// Creates the passes that compute levels.
#[derive(Debug)]
pub(super) struct DepthLevels {
    kept: KeptDepth,
    layout: wgpu::BindGroupLayout,
    module: wgpu::ShaderModule,
    /// Reads the texels if the shader cannot load them.
    sampler: Option<wgpu::Sampler>,
    /// The pipelines, each with the texels that it reads. See [`Self::pass`].
    pub(super) pipelines: Vec<([u32; 3], wgpu::RenderPipeline)>,
}

/// A pass that computes a level.
#[derive(Debug)]
pub(super) struct LevelPass {
    pipeline: wgpu::RenderPipeline,
    larger: wgpu::BindGroup,
    level: wgpu::TextureView,
    of_nothing: f32,
    /// The width and height of the part of the level that is computed. `None` computes the whole level.
    area: Option<(u32, u32)>,
}

impl DepthLevels {
    /// Creates no passes yet. They will read textures with one sample per texel.
    pub(super) fn new(gpu: &Gpu, kept: KeptDepth) -> Self {
        let sampler = (!gpu.capabilities.loads_compared_depth)
            .then(|| gpu.device.create_sampler(&wgpu::SamplerDescriptor::default()));
        let module = shaders::module_for(gpu, "depth levels", shaders::DEPTH_LEVELS);
        Self::with(gpu, kept, &shadow_map(gpu.capabilities), module, sampler)
    }

    /// Creates no passes yet. They will read multisampled textures and keep the farthest depth.
    pub(super) fn of_samples(gpu: &Gpu) -> Self {
        let module = shaders::module_for(gpu, "depth levels", shaders::MULTISAMPLED_DEPTH_LEVELS);
        Self::with(gpu, KeptDepth::Farthest, &[depth_buffer(0)], module, None)
    }

    fn with(
        gpu: &Gpu,
        kept: KeptDepth,
        entries: &[wgpu::BindGroupLayoutEntry],
        module: wgpu::ShaderModule,
        sampler: Option<wgpu::Sampler>,
    ) -> Self {
        let layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("depth levels"),
            entries,
        });
        Self { kept, layout, module, sampler, pipelines: Vec::new() }
    }

    /// Returns a pass that computes a level from a larger one. Along each axis, `texels` are the width of a texel in texels of the larger
    /// level, the index of the first of these texels that is read, and the number of texels that are read.
    pub(super) fn pass(
        &mut self,
        gpu: &Gpu,
        larger: &wgpu::TextureView,
        level: &wgpu::TextureView,
        texels: [u32; 3],
        area: Option<(u32, u32)>,
    ) -> LevelPass {
        let texture =
            wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(larger) };
        let sampler = self.sampler.as_ref().map(|sampler| wgpu::BindGroupEntry {
            binding: TEXEL_SAMPLER,
            resource: wgpu::BindingResource::Sampler(sampler),
        });
        let entries: Vec<_> = std::iter::once(texture).chain(sampler).collect();
        let larger = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("depth levels"),
            layout: &self.layout,
            entries: &entries,
        });
        let (pipeline, of_nothing) = (self.pipeline(gpu, texels), self.kept.of_nothing());
        LevelPass { pipeline, larger, level: level.clone(), of_nothing, area }
    }

    /// Returns the pipeline for the texels of [`Self::pass`], which is created on first use.
    pub(super) fn pipeline(&mut self, gpu: &Gpu, texels: [u32; 3]) -> wgpu::RenderPipeline {
        if let Some((_, known)) = self.pipelines.iter().find(|(known, _)| *known == texels) {
            return known.clone();
        }
        let [step, first, count] = texels.map(f64::from);
        let is_farthest = f64::from(u8::from(self.kept == KeptDepth::Farthest));
        let constants = [("STEP", step), ("FIRST", first), ("COUNT", count), ("FARTHEST", is_farthest)];
        let target = DepthTarget { format: DEPTH, constants: &constants };
        let groups = [None, None, Some(&self.layout)];
        let pipeline = create_depth_pipeline(&gpu.device, &self.module, "depth_level", &groups, &target);
        self.pipelines.push((texels, pipeline.clone()));
        pipeline
    }
}

impl LevelPass {
    pub(super) fn encode(&self, encoder: &mut wgpu::CommandEncoder) {
        let clear = wgpu::LoadOp::Clear(self.of_nothing);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("depth level"),
            depth_stencil_attachment: Some(depth_attachment(&self.level, clear)),
            ..Default::default()
        });
        if let Some((width, height)) = self.area {
            pass.set_scissor_rect(0, 0, width, height);
        }
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(GROUP, &self.larger, &[]);
        pass.draw(0..3, 0..1);
    }
}

/// Creates a depth texture that can be rendered to and sampled.
pub(super) fn create_depth_texture(
    gpu: &Gpu,
    label: &str,
    (width, height): (u32, u32),
    levels: u32,
) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: levels,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: DEPTH,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    })
}

/// Returns the view of one level of a texture.
pub(super) fn level_view(texture: &wgpu::Texture, level: u32) -> wgpu::TextureView {
    texture.create_view(&wgpu::TextureViewDescriptor {
        base_mip_level: level,
        mip_level_count: Some(1),
        ..Default::default()
    })
}
