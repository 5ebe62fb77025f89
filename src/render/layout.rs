//! Bind group layouts.

use wgpu::{
    BindGroupLayout, BindGroupLayoutEntry, BindingType, BufferBindingType, ShaderStages, TextureViewDimension,
};

use super::Gpu;

/// Number of textures of glTF's core material.
pub(super) const CORE_MAPS: usize = 5;
/// Number of textures that a material may have in addition. With the three of the light, WebGPU's limit of 16 textures leaves one for
/// others.
pub(super) const EXTRA_SLOTS: usize = 7;
/// The first binding of the additional textures.
const FIRST_EXTRA: u32 = 13;

/// The bind group layouts of all passes, by group number.
#[derive(Debug)]
pub(super) struct Layouts {
    /// 0: `Globals`, and the matrices of a frame that has only few of them.
    pub(super) globals: BindGroupLayout,
    /// 1: the instances of a frame, their matrices and their morph weights.
    pub(super) instances: BindGroupLayout,
    /// 2: the shadow map, the environment, what is visible through surfaces that transmit light, and the maps of ambient occlusion.
    pub(super) light: BindGroupLayout,
    /// 3: the textures of a material with their samplers, `Part` (at a dynamic offset), the morph targets of the model, and `Part`
    /// again.
    pub(super) material: BindGroupLayout,
}

impl Layouts {
    pub(super) fn new(device: &wgpu::Device) -> Self {
        let group = |label: &str, entries: &[BindGroupLayoutEntry]| {
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries })
        };
        let both = ShaderStages::VERTEX_FRAGMENT;
        let read = BufferBindingType::Storage { read_only: true };
        let vertex = ShaderStages::VERTEX | ShaderStages::COMPUTE;
        let textures = map_bindings().flat_map(|[image, filter]| [texture(image), sampler(filter)]);
        // The vertex shader of outlines reads their width.
        let in_vertices = |entry: BindGroupLayoutEntry| {
            let is_extra = entry.binding >= FIRST_EXTRA;
            BindGroupLayoutEntry { visibility: if is_extra { both } else { entry.visibility }, ..entry }
        };
        let uniform = BufferBindingType::Uniform;
        let buffers = [
            buffer(10, vertex, read, true),
            buffer(11, vertex, read, false),
            buffer(12, ShaderStages::FRAGMENT, uniform, true),
        ];
        let few_bones = buffer(1, ShaderStages::VERTEX, uniform, false);
        let material: Vec<BindGroupLayoutEntry> = textures.map(in_vertices).chain(buffers).collect();
        Self {
            globals: group("globals", &[buffer(0, both, uniform, false), few_bones]),
            instances: group("instances", &[0, 1, 2].map(|binding| buffer(binding, vertex, read, false))),
            light: group(
                "light",
                &[
                    depth_texture(0, TextureViewDimension::D2),
                    comparison_sampler(1),
                    texture(2),
                    sampler(3),
                    texture(5),
                    depth_texture(8, TextureViewDimension::D2Array),
                ],
            ),
            material: group("material", &material),
        }
    }
}

/// Returns the bindings of all textures and of their samplers.
pub(super) fn map_bindings() -> impl Iterator<Item = [u32; 2]> {
    let core = (0..CORE_MAPS as u32).map(|map| 2 * map);
    let extra = (0..EXTRA_SLOTS as u32).map(|slot| FIRST_EXTRA + 2 * slot);
    core.chain(extra).map(|binding| [binding, binding + 1])
}

pub(super) fn buffer(
    binding: u32,
    stages: ShaderStages,
    ty: BufferBindingType,
    dynamic: bool,
) -> BindGroupLayoutEntry {
    entry(binding, stages, BindingType::Buffer { ty, has_dynamic_offset: dynamic, min_binding_size: None })
}

fn texture(binding: u32) -> BindGroupLayoutEntry {
    let sample_type = wgpu::TextureSampleType::Float { filterable: true };
    let ty = BindingType::Texture {
        sample_type,
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    };
    entry(binding, ShaderStages::FRAGMENT, ty)
}

fn depth_texture(binding: u32, view_dimension: TextureViewDimension) -> BindGroupLayoutEntry {
    let sample_type = wgpu::TextureSampleType::Depth;
    let ty = BindingType::Texture { sample_type, view_dimension, multisampled: false };
    entry(binding, ShaderStages::FRAGMENT, ty)
}

fn sampler(binding: u32) -> BindGroupLayoutEntry {
    entry(binding, ShaderStages::FRAGMENT, BindingType::Sampler(wgpu::SamplerBindingType::Filtering))
}

fn comparison_sampler(binding: u32) -> BindGroupLayoutEntry {
    entry(binding, ShaderStages::FRAGMENT, BindingType::Sampler(wgpu::SamplerBindingType::Comparison))
}

fn entry(binding: u32, visibility: ShaderStages, ty: BindingType) -> BindGroupLayoutEntry {
    BindGroupLayoutEntry { binding, visibility, ty, count: None }
}

/// Binds the records, the matrices and the morph weights of instances.
pub(super) fn bind_instances(
    gpu: &Gpu,
    layouts: &Layouts,
    records: wgpu::BufferBinding<'_>,
    bones: &wgpu::Buffer,
    weights: &wgpu::Buffer,
) -> wgpu::BindGroup {
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("instances"),
        layout: &layouts.instances,
        entries: &[
            wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(records) },
            wgpu::BindGroupEntry { binding: 1, resource: bones.as_entire_binding() },
            wgpu::BindGroupEntry { binding: 2, resource: weights.as_entire_binding() },
        ],
    })
}
