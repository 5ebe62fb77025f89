//! Bind group layouts.

use wgpu::{
    BindGroupLayout, BindGroupLayoutEntry, BindingType, BufferBindingType, ShaderStages, TextureViewDimension,
};

use super::Gpu;
use super::capabilities::Capabilities;

/// Number of textures of glTF's core material.
pub(super) const CORE_MAPS: usize = 5;
/// Number of additional textures that a material may have. With the core textures and three textures of the light, WebGPU's limit of 16
/// textures leaves one texture for other uses.
pub(super) const EXTRA_SLOTS: usize = 7;
/// [`EXTRA_SLOTS`] for adapters on which the vertex data needs two more textures. OpenGL counts the textures of all stages together.
const FEWER_EXTRA_SLOTS: usize = 5;
/// The first binding of the additional textures.
const FIRST_EXTRA: u32 = 13;

/// A bind group of the passes that draw a frame. Its number is its index in [`Group::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    Globals,
    Instances,
    Light,
    Material,
}

#[cfg(test)]
impl Group {
    const ALL: [Self; 4] = [Self::Globals, Self::Instances, Self::Light, Self::Material];
}

/// The groups of a kind of pipeline, by group number, and the passes that use such pipelines.
///
/// Vulkan keeps a group bound only while the layouts of all preceding groups remain the same, and wgpu 30 does not rebind it. If a pipeline
/// has no layout for a group (`None`) that another pipeline of its pass has, the groups after the gap are lost, and strict drivers read
/// zeros from them.
#[derive(Debug)]
pub(super) struct PipelineGroups {
    label: &'static str,
    groups: &'static [Option<Group>],
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests compare the pipelines of each pass"))]
    passes: &'static [Pass],
}

/// The render passes that draw a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    /// The shadow map, or a map of ambient occlusion. The light cannot be bound, because it contains these maps.
    Casters,
    Backdrop,
    Scene,
    Surroundings,
}

const GLOBALS: Option<Group> = Some(Group::Globals);
const INSTANCES: Option<Group> = Some(Group::Instances);
const LIGHT: Option<Group> = Some(Group::Light);
const MATERIAL: Option<Group> = Some(Group::Material);

pub(super) const CASTERS: PipelineGroups = PipelineGroups {
    label: "shadow",
    groups: &[GLOBALS, INSTANCES, None, MATERIAL],
    passes: &[Pass::Casters],
};
pub(super) const SURFACES: PipelineGroups = PipelineGroups {
    label: "surface",
    groups: &[GLOBALS, INSTANCES, LIGHT, MATERIAL],
    passes: &[Pass::Backdrop, Pass::Scene],
};
pub(super) const FLOOR: PipelineGroups = PipelineGroups {
    label: "floor",
    groups: &[GLOBALS, INSTANCES, LIGHT],
    passes: &[Pass::Backdrop, Pass::Scene, Pass::Surroundings],
};
pub(super) const GHOSTS: PipelineGroups = PipelineGroups {
    label: "ghosts",
    groups: &[GLOBALS, INSTANCES, LIGHT, MATERIAL],
    passes: &[Pass::Scene],
};
pub(super) const LINES: PipelineGroups =
    PipelineGroups { label: "lines", groups: &[GLOBALS], passes: &[Pass::Scene] };

/// The bind group layouts of all passes, by group number.
#[derive(Debug)]
pub(super) struct Layouts {
    /// 0: `Globals`, and the matrices of a frame with few of them.
    pub(super) globals: BindGroupLayout,
    /// 1: the instances of a frame, their matrices and their morph weights, or a texture with all of them.
    pub(super) instances: BindGroupLayout,
    /// 2: the shadow map, the environment, the backdrop, and the maps of ambient occlusion.
    pub(super) light: BindGroupLayout,
    /// 3: the textures of a material with their samplers, `PartConstants` (at a dynamic offset), the morph targets of the model, and
    /// `PartConstants` again.
    pub(super) material: BindGroupLayout,
}

impl Layouts {
    pub(super) fn new(gpu: &Gpu) -> Self {
        let group = |label: &str, entries: &[BindGroupLayoutEntry]| {
            gpu.device
                .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries })
        };
        let both = ShaderStages::VERTEX_FRAGMENT;
        let read = BufferBindingType::Storage { read_only: true };
        let vertex = ShaderStages::VERTEX | ShaderStages::COMPUTE;
        let textures =
            map_bindings(gpu.capabilities).flat_map(|[image, filter]| [texture(image), sampler(filter)]);
        // The vertex shader of outlines reads their width.
        let in_vertices = |entry: BindGroupLayoutEntry| {
            let is_extra = entry.binding >= FIRST_EXTRA;
            BindGroupLayoutEntry { visibility: if is_extra { both } else { entry.visibility }, ..entry }
        };
        let uniform = BufferBindingType::Uniform;
        let has_storage = gpu.capabilities.has_vertex_storage;
        let [part, extras] = if has_storage {
            [buffer(10, vertex, read, true), buffer(11, vertex, read, false)]
        } else {
            [buffer(10, ShaderStages::VERTEX, uniform, true), data_texture(11)]
        };
        let buffers = [part, extras, buffer(12, ShaderStages::FRAGMENT, uniform, true)];
        let instances = if has_storage {
            [0, 1, 2].map(|at| buffer(at, vertex, read, false)).to_vec()
        } else {
            vec![data_texture(0)]
        };
        let few_bones = buffer(1, ShaderStages::VERTEX, uniform, false);
        // The vertex shaders of coarse levels of detail read the shadow map. Only lists whose draws can begin with any instance have levels.
        let stages = if gpu.capabilities.has_first_instance { both } else { ShaderStages::FRAGMENT };
        let shadow = shadow_map(gpu.capabilities).into_iter().chain([comparison_sampler(1)]);
        let mut light: Vec<_> =
            shadow.map(|entry| BindGroupLayoutEntry { visibility: stages, ..entry }).collect();
        light.extend([texture(2), sampler(3), texture(5), depth_texture(8, TextureViewDimension::D2Array)]);
        let material: Vec<BindGroupLayoutEntry> = textures.map(in_vertices).chain(buffers).collect();
        Self {
            globals: group("globals", &[buffer(0, both, uniform, false), few_bones]),
            instances: group("instances", &instances),
            light: group("light", &light),
            material: group("material", &material),
        }
    }

    pub(super) fn pipeline(&self, gpu: &Gpu, kind: &PipelineGroups) -> wgpu::PipelineLayout {
        let group = |group: &Option<Group>| {
            group.map(|group| match group {
                Group::Globals => &self.globals,
                Group::Instances => &self.instances,
                Group::Light => &self.light,
                Group::Material => &self.material,
            })
        };
        let groups: Vec<Option<&BindGroupLayout>> = kind.groups.iter().map(group).collect();
        gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(kind.label),
            bind_group_layouts: &groups,
            immediate_size: 0,
        })
    }
}

/// Returns how many textures a material may have beyond glTF's core.
pub(super) fn extra_slots(capabilities: Capabilities) -> usize {
    if capabilities.has_vertex_storage { EXTRA_SLOTS } else { FEWER_EXTRA_SLOTS }
}

/// Returns the bindings of all textures and their samplers.
pub(super) fn map_bindings(capabilities: Capabilities) -> impl Iterator<Item = [u32; 2]> {
    let core = (0..CORE_MAPS as u32).map(|map| 2 * map);
    let extra = (0..extra_slots(capabilities) as u32).map(|slot| FIRST_EXTRA + 2 * slot);
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

/// Returns the bindings of the shadow map as `shaders/compared_depth.wgsl` or `shaders/sampled_depth.wgsl` declares them, without the
/// comparison sampler.
pub(super) fn shadow_map(capabilities: Capabilities) -> Vec<BindGroupLayoutEntry> {
    if capabilities.loads_compared_depth {
        return vec![depth_texture(0, TextureViewDimension::D2)];
    }
    let ty = BindingType::Sampler(wgpu::SamplerBindingType::NonFiltering);
    vec![number_texture(0, ShaderStages::FRAGMENT), entry(TEXEL_SAMPLER, ShaderStages::FRAGMENT, ty)]
}

/// The binding, in the group of light, of the sampler that reads numbers from the shadow map.
pub(super) const TEXEL_SAMPLER: u32 = 4;

fn data_texture(binding: u32) -> BindGroupLayoutEntry {
    number_texture(binding, ShaderStages::VERTEX)
}

/// Returns the binding of a texture that is not filtered.
fn number_texture(binding: u32, stages: ShaderStages) -> BindGroupLayoutEntry {
    let sample_type = wgpu::TextureSampleType::Float { filterable: false };
    let ty =
        BindingType::Texture { sample_type, view_dimension: TextureViewDimension::D2, multisampled: false };
    entry(binding, stages, ty)
}

fn depth_texture(binding: u32, view_dimension: TextureViewDimension) -> BindGroupLayoutEntry {
    let sample_type = wgpu::TextureSampleType::Depth;
    let ty = BindingType::Texture { sample_type, view_dimension, multisampled: false };
    entry(binding, ShaderStages::FRAGMENT, ty)
}

/// Returns the binding of a multisampled depth buffer.
pub(super) fn depth_buffer(binding: u32) -> BindGroupLayoutEntry {
    let (sample_type, view_dimension) = (wgpu::TextureSampleType::Depth, TextureViewDimension::D2);
    let ty = BindingType::Texture { sample_type, view_dimension, multisampled: true };
    entry(binding, ShaderStages::FRAGMENT, ty)
}

/// Returns the binding of a depth texture that compute shaders read.
pub(super) fn depth_pyramid(binding: u32) -> BindGroupLayoutEntry {
    let visibility = ShaderStages::COMPUTE;
    BindGroupLayoutEntry { visibility, ..depth_texture(binding, TextureViewDimension::D2) }
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

/// Binds the texture with the records, the matrices and the morph weights of instances.
pub(super) fn bind_instance_texture(
    gpu: &Gpu,
    layouts: &Layouts,
    view: &wgpu::TextureView,
) -> wgpu::BindGroup {
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("instances"),
        layout: &layouts.instances,
        entries: &[wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(view) }],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [&PipelineGroups; 5] = [&CASTERS, &SURFACES, &FLOOR, &GHOSTS, &LINES];

    /// Returns the first group that both kinds use although a preceding group differs.
    fn lost_group(a: &PipelineGroups, b: &PipelineGroups) -> Option<usize> {
        let used = |kind: &PipelineGroups, group: usize| kind.groups.get(group).is_some_and(Option::is_some);
        let differs = a.groups.iter().zip(b.groups).position(|(a, b)| a != b)?;
        (differs + 1..Group::ALL.len()).find(|&group| used(a, group) && used(b, group))
    }

    /// On an NVIDIA card the floor was dark, because its layout had no instances, unlike the layouts of the surfaces before it.
    #[test]
    fn no_pipeline_loses_a_group_to_another_one_of_its_pass() {
        let old_floor = PipelineGroups { groups: &[GLOBALS, None, LIGHT], ..FLOOR };
        assert_eq!(lost_group(&SURFACES, &old_floor), Some(2));
        for pass in [Pass::Casters, Pass::Backdrop, Pass::Scene, Pass::Surroundings] {
            let kinds: Vec<_> = KINDS.into_iter().filter(|kind| kind.passes.contains(&pass)).collect();
            assert!(!kinds.is_empty(), "{pass:?} draws nothing");
            for (index, a) in kinds.iter().enumerate() {
                for b in kinds.iter().skip(index + 1) {
                    let lost = lost_group(a, b);
                    assert_eq!(lost, None, "{} and {} in {pass:?}: group {lost:?}", a.label, b.label);
                }
            }
        }
    }

    #[test]
    fn groups_have_the_same_number_in_all_layouts() {
        for kind in KINDS {
            let at = |(index, group): (usize, &Option<Group>)| {
                group.is_none_or(|g| Group::ALL.get(index) == Some(&g))
            };
            assert!(kind.groups.iter().enumerate().all(at), "{}", kind.label);
        }
    }

    /// The table above must contain all pipelines that share a pass with others.
    #[test]
    fn other_files_create_layouts_only_for_pipelines_with_a_pass_of_their_own() {
        fn list(folder: &std::path::Path, found: &mut Vec<String>) {
            for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if entry.is_dir() {
                    list(&entry, found);
                } else if std::fs::read_to_string(&entry).unwrap().contains("create_pipeline_layout(") {
                    found.push(entry.file_name().unwrap().to_string_lossy().into_owned());
                }
            }
        }
        let mut found = Vec::new();
        list(std::path::Path::new(env!("CARGO_MANIFEST_DIR")), &mut found);
        found.sort();
        // Each pipeline in the other files has only one group, or is the only pipeline of its pass.
        assert_eq!(found, ["compose.rs", "compute.rs", "layout.rs", "skinner.rs"]);
    }
}
