//! The textures of a material, bound for the shaders.

use crate::asset::Material;

use super::data_texture::VertexData;
use super::layout::{CORE_MAPS, Layouts, extra_slots, map_bindings};
use super::material::{Maps, TextureUse, core_maps, extra_maps};
use super::texture::Textures;
use super::{Gpu, gpu_types};

/// The textures of a material on the GPU. They can be bound together with records from different
/// buffers.
#[derive(Clone, Debug)]
pub(super) struct MaterialTextures {
    /// The textures of glTF's core, followed by the textures in the slots.
    bound: Vec<(wgpu::TextureView, wgpu::Sampler)>,
    pub(super) maps: Maps,
    /// Number of textures that are left out because this adapter has too few slots. Other adapters
    /// may draw them.
    pub(super) left_out: usize,
}

impl MaterialTextures {
    pub(super) fn new(gpu: &Gpu, textures: &mut Textures<'_>, material: &Material) -> Self {
        let mut maps = Maps::default();
        let slots = extra_slots(gpu.capabilities);
        let mut bound = Vec::with_capacity(CORE_MAPS + slots);
        for ((texture, usage), exists) in core_maps(material).into_iter().zip(&mut maps.core) {
            *exists = textures.pixels(texture).is_some();
            bound.push(textures.get(texture, usage));
        }
        for ((map, texture, usage), slot) in extra_maps(material).take(slots).zip(1_u8..) {
            if let Some(extra) = maps.extra.get_mut(map).filter(|_| textures.pixels(Some(texture)).is_some())
            {
                *extra = slot;
            }
            bound.push(textures.get(Some(texture), usage));
        }
        bound.resize_with(CORE_MAPS + slots, || textures.get(None, TextureUse::Data));
        Self { bound, maps, left_out: extra_maps(material).skip(slots).count() }
    }

    /// Binds the textures with the records of parts and the morph targets of the model.
    pub(super) fn bind(
        &self,
        gpu: &Gpu,
        layouts: &Layouts,
        records: &wgpu::Buffer,
        extras: &VertexData,
    ) -> wgpu::BindGroup {
        let record = wgpu::BufferBinding {
            buffer: records,
            offset: 0,
            size: wgpu::BufferSize::new(size_of::<gpu_types::PartConstants>() as u64),
        };
        let buffers = [
            wgpu::BindGroupEntry { binding: 10, resource: wgpu::BindingResource::Buffer(record.clone()) },
            wgpu::BindGroupEntry { binding: 11, resource: extras.as_binding() },
            wgpu::BindGroupEntry { binding: 12, resource: wgpu::BindingResource::Buffer(record) },
        ];
        let entries: Vec<wgpu::BindGroupEntry<'_>> = map_bindings(gpu.capabilities)
            .zip(&self.bound)
            .flat_map(|([texture, sampler], (view, filter))| {
                [
                    wgpu::BindGroupEntry {
                        binding: texture,
                        resource: wgpu::BindingResource::TextureView(view),
                    },
                    wgpu::BindGroupEntry {
                        binding: sampler,
                        resource: wgpu::BindingResource::Sampler(filter),
                    },
                ]
            })
            .chain(buffers)
            .collect();
        gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("material"),
            layout: &layouts.material,
            entries: &entries,
        })
    }
}
