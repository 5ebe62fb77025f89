//! The textures of light on the GPU: the shadow of the key light, and the environment.

use wgpu::TextureFormat;

use super::super::ambient::{OcclusionMaps, no_map};
use super::super::layout::{Layouts, TEXEL_SAMPLER};
use super::super::{Gpu, shadow_levels};
use super::environment::Environment;
use super::octahedron::{LEVELS, SIZE};

/// The most recent environment, and the bind group of all textures. Each is replaced only if it has changed.
#[derive(Debug)]
pub(crate) struct LightMaps {
    no_shadow: wgpu::TextureView,
    no_occlusion: wgpu::TextureView,
    sampler: wgpu::Sampler,
    /// The id of the environment in the texture. `None` if there is none.
    id: Option<u64>,
    environment: wgpu::TextureView,
    /// Bound instead of a backdrop if there is none.
    empty: wgpu::TextureView,
    /// The bind groups without and with a backdrop, and their views.
    groups: [Option<([wgpu::TextureView; 3], wgpu::BindGroup)>; 2],
}

impl LightMaps {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("environment"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            mipmap_filter: wgpu::MipmapFilterMode::Linear,
            ..Default::default()
        });
        let environment = create(gpu, 1, 1).create_view(&Default::default());
        let (no_shadow, empty) =
            (shadow_levels::create_map(gpu, 1, 1).create_view(&Default::default()), environment.clone());
        let no_occlusion = no_map(gpu);
        Self { no_shadow, no_occlusion, sampler, id: None, environment, empty, groups: [None, None] }
    }

    /// Uploads an environment unless it was the last one.
    pub(crate) fn upload(&mut self, gpu: &Gpu, environment: Option<&Environment>) {
        let Some(environment) = environment.filter(|environment| self.id != Some(environment.id)) else {
            return;
        };
        let texture = create(gpu, SIZE as u32, LEVELS as u32);
        for (level, texels) in (0_u32..).zip(&environment.levels) {
            let width = (SIZE as u32) >> level;
            let destination = wgpu::TexelCopyTextureInfo { mip_level: level, ..texture.as_image_copy() };
            let rows = wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(width * 8),
                rows_per_image: None,
            };
            let size = wgpu::Extent3d { width, height: width, depth_or_array_layers: 1 };
            gpu.queue.write_texture(destination, bytemuck::cast_slice(texels), rows, size);
        }
        self.environment = texture.create_view(&Default::default());
        self.id = Some(environment.id);
        self.groups = [None, None];
    }

    /// Binds the environment and, if they exist, the shadow map, the maps of ambient occlusion and the backdrop.
    pub(crate) fn bind(
        &mut self,
        gpu: &Gpu,
        layouts: &Layouts,
        shadow: Option<&wgpu::TextureView>,
        occlusion: Option<&OcclusionMaps>,
        backdrop: Option<&wgpu::TextureView>,
    ) -> wgpu::BindGroup {
        let [without, with] = &mut self.groups;
        let bound = if backdrop.is_some() { with } else { without };
        let occlusion = occlusion.map_or(&self.no_occlusion, |maps| &maps.view);
        let views = [shadow.unwrap_or(&self.no_shadow), occlusion, backdrop.unwrap_or(&self.empty)];
        if let Some((views_before, group)) = bound
            && views_before.each_ref() == views
        {
            return group.clone();
        }
        let [map, occlusion, backdrop] = views;
        let compare = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("shadow"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            compare: Some(wgpu::CompareFunction::LessEqual),
            ..Default::default()
        });
        let texels = gpu.device.create_sampler(&wgpu::SamplerDescriptor::default());
        let mut entries = vec![
            (0, wgpu::BindingResource::TextureView(map)),
            (1, wgpu::BindingResource::Sampler(&compare)),
            (2, wgpu::BindingResource::TextureView(&self.environment)),
            (3, wgpu::BindingResource::Sampler(&self.sampler)),
            (5, wgpu::BindingResource::TextureView(backdrop)),
            (8, wgpu::BindingResource::TextureView(occlusion)),
        ];
        if !gpu.capabilities.loads_compared_depth {
            entries.push((TEXEL_SAMPLER, wgpu::BindingResource::Sampler(&texels)));
        }
        let entries: Vec<_> = entries
            .into_iter()
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource })
            .collect();
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("light"),
            layout: &layouts.light,
            entries: &entries,
        });
        *bound = Some((views.map(Clone::clone), group.clone()));
        group
    }
}

fn create(gpu: &Gpu, width: u32, levels: u32) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("environment"),
        size: wgpu::Extent3d { width, height: width, depth_or_array_layers: 1 },
        mip_level_count: levels,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: TextureFormat::Rgba16Float,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    })
}
