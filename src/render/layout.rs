//! Bind group layouts.

use wgpu::{BindGroupLayout, BindGroupLayoutEntry, BindingType, BufferBindingType, ShaderStages};

use super::Gpu;

/// The bind group layouts of all passes, by group number.
#[derive(Debug)]
pub(super) struct Layouts {
    /// 0: `Globals`, and the matrices of a frame that has only few of them.
    pub(super) globals: BindGroupLayout,
    /// 1: the instances of a frame, their matrices and their morph weights.
    pub(super) instances: BindGroupLayout,
    /// 2: the shadow map and the environment.
    pub(super) light: BindGroupLayout,
    /// 3: five textures with their samplers, `Part` (at a dynamic offset), the morph targets of the model, and `Part` again.
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
        let textures = (0..5).flat_map(|i| [texture(2 * i), sampler(2 * i + 1)]);
        let uniform = BufferBindingType::Uniform;
        let buffers = [
            buffer(10, vertex, read, true),
            buffer(11, vertex, read, false),
            buffer(12, ShaderStages::FRAGMENT, uniform, true),
        ];
        let few_bones = buffer(1, ShaderStages::VERTEX, uniform, false);
        let material: Vec<BindGroupLayoutEntry> = textures.chain(buffers).collect();
        Self {
            globals: group("globals", &[buffer(0, both, uniform, false), few_bones]),
            instances: group("instances", &[0, 1, 2].map(|binding| buffer(binding, vertex, read, false))),
            light: group("light", &[depth_texture(0), comparison_sampler(1), texture(2), sampler(3)]),
            material: group("material", &material),
        }
    }
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

fn depth_texture(binding: u32) -> BindGroupLayoutEntry {
    let sample_type = wgpu::TextureSampleType::Depth;
    let ty = BindingType::Texture {
        sample_type,
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    };
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
