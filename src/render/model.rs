//! A character's parts on the GPU.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::{Zeroable, cast_slice};
use glam::Vec4;
use wgpu::BufferUsages;

use crate::asset::{AlphaMode, Character, Material, Part, Primitive, TextureRef};

use super::gpu_types::{UvTransform, flags};
use super::layout::Layouts;
use super::texture::{DecodedImages, Textures, slots};
use super::{Draw, Gpu, RenderError, gpu_types};

/// Number of models that were created.
static MODELS: AtomicU64 = AtomicU64::new(0);

/// The parts of a character on the GPU: vertices, triangles, morph targets and textures. A model is immutable.
#[derive(Debug)]
pub struct Model {
    /// A number that no other model of this process has.
    pub(super) id: u64,
    pub(super) vertices: wgpu::Buffer,
    pub(super) indices: wgpu::Buffer,
    pub(super) deltas: wgpu::Buffer,
    pub(super) parts: Vec<ModelPart>,
}

/// One part of a model: the location of its data and its appearance.
#[derive(Debug)]
pub(super) struct ModelPart {
    pub(super) first_vertex: u64,
    pub(super) indices: std::ops::Range<u32>,
    /// The shader's record of the part. The offsets into the per-frame buffers are not set yet.
    pub(super) uniform: gpu_types::Part,
    pub(super) textures: wgpu::BindGroup,
    /// Which of the five textures exist.
    pub(super) maps: [bool; 5],
    /// Whether vertices have more than four influences.
    pub(super) second_set: bool,
    pub(super) blended: bool,
    pub(super) double_sided: bool,
}

impl Model {
    pub(super) fn new(
        gpu: &Gpu,
        layouts: &Layouts,
        character: &Character,
        parts: &[Part],
        decoded: &DecodedImages,
    ) -> Result<Self, RenderError> {
        let mut textures = Textures::new(gpu, character, decoded);
        let default_material = Material::default();
        let mut geometry = Geometry::default();
        let mut bound = HashMap::new();
        let mut model_parts = Vec::with_capacity(parts.len());
        for part in parts {
            let primitive = character.primitive(*part);
            let material =
                primitive.material.and_then(|m| character.materials.get(m)).unwrap_or(&default_material);
            let (textures, maps) = bound
                .entry(primitive.material)
                .or_insert_with(|| bind_textures(gpu, layouts, &mut textures, material))
                .clone();
            let range = geometry.add(gpu, part, primitive)?;
            let uniform = gpu_types::Part {
                first_delta: range.first_delta,
                morph_targets: to_u32(primitive.morph_targets.len()),
                vertices: to_u32(primitive.vertices()),
                ..surface(primitive, material)
            };
            model_parts.push(ModelPart {
                first_vertex: range.first_vertex,
                indices: range.indices,
                uniform,
                textures,
                maps,
                second_set: part.skin.is_some() && primitive.influences.len() > 1,
                blended: material.alpha_mode == AlphaMode::Blend,
                double_sided: material.double_sided,
            });
        }
        let Geometry { vertices, indices, deltas, .. } = geometry;
        let storage = BufferUsages::STORAGE;
        Ok(Self {
            id: MODELS.fetch_add(1, Ordering::Relaxed),
            vertices: create_buffer(gpu, "vertices", cast_slice(&vertices), BufferUsages::VERTEX | storage)?,
            indices: create_buffer(gpu, "triangles", cast_slice(&indices), BufferUsages::INDEX)?,
            deltas: create_buffer(gpu, "morph targets", cast_slice(&deltas), storage)?,
            parts: model_parts,
        })
    }

    /// Returns a number that no other model of this process has.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Returns whether the part of a draw exists and has triangles.
    pub(super) fn is_drawn(&self, draw: &Draw<'_>) -> bool {
        self.parts.get(draw.part).is_some_and(|p| !p.indices.is_empty())
    }
}

/// Vertices, triangles and morph targets of all parts. Parts with the same primitive share them.
#[derive(Default)]
struct Geometry {
    vertices: Vec<gpu_types::Vertex>,
    indices: Vec<u32>,
    deltas: Vec<f32>,
    /// The locations of the primitives, by mesh, primitive, and whether the part is skinned.
    ranges: HashMap<(usize, usize, bool), GeometryRange>,
}

/// The location of a primitive in the buffers.
#[derive(Clone)]
struct GeometryRange {
    first_vertex: u64,
    indices: Range<u32>,
    first_delta: u32,
}

impl Geometry {
    fn add(&mut self, gpu: &Gpu, part: &Part, primitive: &Primitive) -> Result<GeometryRange, RenderError> {
        let key = (part.mesh, part.primitive, part.skin.is_some());
        if let Some(range) = self.ranges.get(&key) {
            return Ok(range.clone());
        }
        // Storage buffers must be bound at multiples of 256 bytes, which is two vertices.
        if !self.vertices.len().is_multiple_of(2) {
            self.vertices.push(gpu_types::Vertex::zeroed());
        }
        let first_vertex = byte_size::<gpu_types::Vertex>(self.vertices.len());
        let (first_index, first_delta) = (to_u32(self.indices.len()), to_u32(self.deltas.len() / 4));
        // Check the sizes before anything is copied.
        let vertices = byte_size::<gpu_types::Vertex>(primitive.vertices());
        gpu.check_buffer("vertices", first_vertex + vertices)?;
        let triangles = self.indices.len() + 3 * primitive.triangles.len();
        gpu.check_buffer("triangles", byte_size::<u32>(triangles))?;
        let deltas = self.deltas.len() + 12 * primitive.morph_targets.len() * primitive.vertices();
        gpu.check_storage("morph targets", byte_size::<f32>(deltas))?;
        push_vertices(primitive, part.skin.is_some(), &mut self.vertices);
        push_deltas(primitive, &mut self.deltas);
        self.indices.extend_from_slice(primitive.triangles.as_flattened());
        let range =
            GeometryRange { first_vertex, indices: first_index..to_u32(self.indices.len()), first_delta };
        self.ranges.insert(key, range.clone());
        Ok(range)
    }
}

fn byte_size<T>(count: usize) -> u64 {
    (count as u64).saturating_mul(size_of::<T>() as u64)
}

/// Converts a count or index for the shader. If a value does not fit in 32 bits, the size check of its
/// buffer fails later.
fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Creates a buffer with initial contents, whose size must have been checked. The buffer is never empty, because empty
/// buffers cannot be bound.
fn create_buffer(
    gpu: &Gpu,
    what: &'static str,
    bytes: &[u8],
    usage: BufferUsages,
) -> Result<wgpu::Buffer, RenderError> {
    let contents = if bytes.is_empty() { &[0; 256][..] } else { bytes };
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(what),
        size: contents.len() as u64,
        usage,
        mapped_at_creation: true,
    });
    // Mapping fails if memory is exhausted or the device is lost. The driver's own error is then more helpful.
    match buffer.get_mapped_range_mut(..) {
        Ok(mut mapped) => mapped.slice(..).copy_from_slice(contents),
        Err(error) => {
            gpu.check()?;
            return Err(RenderError::Driver(error.to_string()));
        }
    }
    buffer.unmap();
    Ok(buffer)
}

fn push_vertices(primitive: &Primitive, skinned: bool, out: &mut Vec<gpu_types::Vertex>) {
    let uv = |set: usize, v: usize| primitive.uvs[set].get(v).copied().unwrap_or_default();
    for (v, position) in primitive.positions.iter().enumerate() {
        let normal = primitive.normals.get(v).copied().unwrap_or_default();
        let (uv_0, uv_1) = (uv(0, v), uv(1, v));
        // A part without a skin uses only the matrix of its node, even if it has influences.
        let set = |n: usize| {
            let influences = primitive.influences.get(n).filter(|_| skinned)?;
            Some((*influences.joints.get(v)?, influences.weights.get(v)?.to_array()))
        };
        let (bones_0, weights_0) = set(0).unwrap_or(([0; 4], Vec4::X.to_array()));
        let (bones_1, weights_1) = set(1).unwrap_or_default();
        out.push(gpu_types::Vertex {
            position_u: position.extend(uv_0.x).into(),
            normal_v: normal.extend(uv_0.y).into(),
            tangent: primitive.tangents.get(v).copied().unwrap_or_default().into(),
            color: primitive.colors.get(v).copied().unwrap_or(Vec4::ONE).into(),
            weights_0,
            weights_1,
            bones_0,
            bones_1,
            texcoord_1: uv_1.into(),
            padding: [0.0; 2],
        });
    }
}

/// Appends the displacements of position, normal and tangent for each vertex, target by target.
fn push_deltas(primitive: &Primitive, out: &mut Vec<f32>) {
    for target in &primitive.morph_targets {
        for v in 0..primitive.vertices() {
            for list in [&target.positions, &target.normals, &target.tangents] {
                out.extend_from_slice(&list.get(v).copied().unwrap_or_default().extend(0.0).to_array());
            }
        }
    }
}

fn surface(primitive: &Primitive, material: &Material) -> gpu_types::Part {
    let cutoff = if let AlphaMode::Mask(cutoff) = material.alpha_mode { cutoff } else { 0.0 };
    let flag = |set: bool, bit: u32| if set { bit } else { 0 };
    gpu_types::Part {
        base_color: material.base_color.into(),
        emissive_normal_scale: material.emissive.extend(material.normal_scale).into(),
        surface: [material.metallic, material.roughness, material.occlusion_strength, cutoff],
        uv: slots(material).map(|(texture, _)| uv_transform(texture)),
        flags: flag(!primitive.normals.is_empty(), flags::HAS_NORMALS)
            | flag(!primitive.tangents.is_empty(), flags::HAS_TANGENTS)
            | flag(matches!(material.alpha_mode, AlphaMode::Mask(_)), flags::ALPHA_MASK)
            | flag(material.alpha_mode == AlphaMode::Blend, flags::ALPHA_BLEND)
            | flag(material.double_sided, flags::DOUBLE_SIDED)
            | flag(material.unlit, flags::UNLIT),
        ..gpu_types::Part::zeroed()
    }
}

fn uv_transform(texture: Option<TextureRef>) -> UvTransform {
    let Some(texture) = texture else { return UvTransform::zeroed() };
    let m = texture.uv_transform;
    let set = if texture.uv_set == 1 { 1.0 } else { 0.0 };
    UvTransform {
        linear: m.matrix2.to_cols_array(),
        offset_set: [m.translation.x, m.translation.y, set, 0.0],
    }
}

fn bind_textures(
    gpu: &Gpu,
    layouts: &Layouts,
    textures: &mut Textures<'_>,
    material: &Material,
) -> (wgpu::BindGroup, [bool; 5]) {
    let slots = slots(material);
    let maps = slots.map(|(texture, _)| textures.pixels(texture).is_some());
    let bound = slots.map(|(texture, usage)| textures.get(texture, usage));
    let entries: Vec<wgpu::BindGroupEntry<'_>> = (0_u32..)
        .zip(&bound)
        .flat_map(|(i, (view, sampler))| {
            [
                wgpu::BindGroupEntry { binding: 2 * i, resource: wgpu::BindingResource::TextureView(view) },
                wgpu::BindGroupEntry {
                    binding: 2 * i + 1,
                    resource: wgpu::BindingResource::Sampler(sampler),
                },
            ]
        })
        .collect();
    let descriptor =
        wgpu::BindGroupDescriptor { label: Some("textures"), layout: &layouts.textures, entries: &entries };
    (gpu.device.create_bind_group(&descriptor), maps)
}
