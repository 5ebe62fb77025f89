//! Smaller levels of the shadow map, in which the shader of soft shadows searches for blockers and samples wide edges
//! (`shaders/soft_shadow.wgsl`).
//!
//! They are levels of the map's own texture, because the fragment shaders of surfaces use all 16 textures that WebGPU guarantees. If a pass
//! cannot read from the texture into which it draws, the levels are computed in separate textures and then copied.

use super::compose::{DepthTarget, cleared_depth, create_depth_pipeline};
use super::layout::{TEXEL_SAMPLER, shadow_map};
use super::{Gpu, shaders};

/// Number of levels that are read. The map is the first.
const COUNT: u32 = 6;

/// Returns the number of levels of the map's texture. If levels are separate images, OpenGL draws into them only if all levels down to a
/// single texel exist.
pub(super) fn count(gpu: &Gpu, size: u32) -> u32 {
    if gpu.capabilities.fills_levels_in_place { COUNT } else { size.ilog2() + 1 }
}

/// The bind group of the larger level, which other shaders use for the map.
const GROUP: u32 = 2;

/// How a level is computed from a larger one. The levels in between are never read.
struct Step {
    larger: u32,
    level: u32,
    /// The width of a texel in texels of the larger level, the index of the first of these texels that is read, and the number of
    /// texels that are read.
    texels: [u32; 3],
}

const STEPS: [Step; 3] = [
    // Half of the texels are enough for casters that are three texels wide. Reading all of them would take four times as long.
    Step { larger: 0, level: 2, texels: [4, 1, 2] },
    Step { larger: 2, level: 4, texels: [4, 0, 4] },
    Step { larger: 4, level: 5, texels: [2, 0, 2] },
];

/// The texels for a level that is a copy of the larger level.
const COPY: [u32; 3] = [1, 0, 1];

/// The levels of one map.
#[derive(Debug)]
pub(super) struct ShadowLevels {
    /// The level into which the casters are drawn.
    pub(super) target: wgpu::TextureView,
    /// Passes that draw into a level, each with its pipeline and the level that it reads.
    passes: Vec<(wgpu::RenderPipeline, wgpu::BindGroup, wgpu::TextureView)>,
}

impl ShadowLevels {
    pub(super) fn new(gpu: &Gpu, map: &wgpu::Texture) -> Self {
        let layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("shadow levels"),
            entries: &shadow_map(gpu.capabilities),
        });
        let module = shaders::module_for(gpu, "shadow levels", shaders::SHADOW_LEVELS);
        let texels = gpu.device.create_sampler(&wgpu::SamplerDescriptor::default());
        let pass = |larger: &wgpu::TextureView, level: &wgpu::TextureView, texels_read: [u32; 3]| {
            let constants: Vec<(&str, f64)> =
                ["STEP", "FIRST", "COUNT"].into_iter().zip(texels_read.map(f64::from)).collect();
            let target = DepthTarget { format: map.format(), constants: &constants };
            let pipeline =
                create_depth_pipeline(&gpu.device, &module, "nearest", &[None, None, Some(&layout)], &target);
            let texture =
                wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(larger) };
            let sampler = wgpu::BindGroupEntry {
                binding: TEXEL_SAMPLER,
                resource: wgpu::BindingResource::Sampler(&texels),
            };
            let both = [texture, sampler];
            let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("shadow levels"),
                layout: &layout,
                entries: if gpu.capabilities.loads_compared_depth { &both[..1] } else { &both },
            });
            (pipeline, group, level.clone())
        };
        let in_place = gpu.capabilities.fills_levels_in_place;
        let place = |level: u32| {
            if in_place {
                view(map, level)
            } else {
                create_map(gpu, map.width() >> level, 1).create_view(&Default::default())
            }
        };
        let target = place(0);
        let mut passes = Vec::new();
        let mut made = vec![(0, target.clone())];
        for Step { larger, level, texels } in STEPS {
            let Some((_, source)) = made.iter().find(|(made, _)| *made == larger) else { continue };
            let next = place(level);
            passes.push(pass(source, &next, texels));
            made.push((level, next));
        }
        if !in_place {
            passes.extend(made.iter().map(|(level, source)| pass(source, &view(map, *level), COPY)));
        }
        Self { target, passes }
    }

    /// Computes the levels from the map.
    pub(super) fn fill(&self, encoder: &mut wgpu::CommandEncoder) {
        for (pipeline, larger, level) in &self.passes {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("shadow levels"),
                depth_stencil_attachment: Some(cleared_depth(level)),
                ..Default::default()
            });
            pass.set_pipeline(pipeline);
            pass.set_bind_group(GROUP, larger, &[]);
            pass.draw(0..3, 0..1);
        }
    }
}

/// Creates a depth texture that can be rendered to and sampled.
pub(super) fn create_map(gpu: &Gpu, size: u32, levels: u32) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("shadow map"),
        size: wgpu::Extent3d { width: size, height: size, depth_or_array_layers: 1 },
        mip_level_count: levels,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: super::offscreen::DEPTH,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    })
}

/// Returns the view of one level of a map.
pub(super) fn view(map: &wgpu::Texture, level: u32) -> wgpu::TextureView {
    map.create_view(&wgpu::TextureViewDescriptor {
        base_mip_level: level,
        mip_level_count: Some(1),
        ..Default::default()
    })
}
