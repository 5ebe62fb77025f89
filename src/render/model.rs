//! A character's parts on the GPU.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::{bytes_of, cast_slice};
use glam::Vec4;
use half::f16;
use wgpu::BufferUsages;

use crate::asset::{AlphaMode, Character, Material, Part, Primitive};

use super::data_texture::{self, VertexData};
use super::gpu_types::{Vertex, VertexSurface, flags};
use super::layout::Layouts;
use super::material::{
    PART_STRIDE, blend_order, has_outline, has_toon, has_visible_order, part_flags, record, writes_depth,
};
use super::material_textures::MaterialTextures;
use super::texture::{DecodedImages, Textures};
use super::{Draw, Gpu, RenderError, gpu_types, triangle_order};

/// Parts begin at multiples of this number of vertices, so that they begin at multiples of 256 bytes in both streams.
const VERTEX_ALIGNMENT: usize = 64;

/// Number of models created so far.
static MODELS: AtomicU64 = AtomicU64::new(0);

/// The parts of a character on the GPU: vertices, triangles, morph targets and textures. A model is immutable.
#[derive(Debug)]
pub struct Model {
    /// A number that is unique in this process.
    pub(super) id: u64,
    pub(super) vertices: wgpu::Buffer,
    pub(super) surfaces: wgpu::Buffer,
    pub(super) indices: wgpu::Buffer,
    /// Displacements by morph targets, and second sets of influences.
    pub(super) extras: VertexData,
    pub(super) parts: Vec<ModelPart>,
    warnings: Vec<String>,
}

/// One part of a model: the location of its data and its appearance.
#[derive(Debug)]
pub(super) struct ModelPart {
    pub(super) first_vertex: u64,
    pub(super) indices: Range<u32>,
    /// The shader's record of the part.
    pub(super) uniform: gpu_types::PartConstants,
    /// The textures, with the records of all parts and the morph targets of the model.
    pub(super) material: wgpu::BindGroup,
    pub(super) textures: Arc<MaterialTextures>,
    /// The offset of the part's own record.
    pub(super) offset: u32,
    /// The shader features that are needed to create a pipeline, as bits of [`flags`].
    pub(super) flags: u32,
    /// Whether vertices have more than four influences.
    pub(super) second_set: bool,
    pub(super) blended: bool,
    pub(super) double_sided: bool,
    /// Whether the part hides everything behind it, even if it is blended.
    pub(super) writes_depth: bool,
    /// Draw order if the part is blended: parts with higher values are drawn later.
    pub(super) order: i32,
    /// Whether a line is drawn around the part.
    pub(super) has_outline: bool,
}

impl Model {
    pub(super) fn new(
        gpu: &Gpu,
        layouts: &Layouts,
        character: &Character,
        parts: &[Part],
        decoded: &DecodedImages,
    ) -> Result<Self, RenderError> {
        let default_material = Material::default();
        let material_of = |primitive: &Primitive| {
            primitive.material.and_then(|m| character.materials.get(m)).unwrap_or(&default_material)
        };
        let mut geometry = Geometry::default();
        let mut ranges = Vec::with_capacity(parts.len());
        let mut records = vec![0_u8; parts.len() * PART_STRIDE];
        for (part, bytes) in parts.iter().zip(records.chunks_exact_mut(PART_STRIDE)) {
            let primitive = character.primitive(*part);
            let range = geometry.add(gpu, part, primitive, material_of(primitive))?;
            let uniform = gpu_types::PartConstants {
                first_delta: range.first_delta,
                first_influence: range.first_influence,
                morph_targets: to_u32(primitive.morph_targets.len()),
                vertices: to_u32(primitive.vertices()),
                ..record(material_of(primitive))
            };
            let (head, _) = bytes.split_at_mut(size_of::<gpu_types::PartConstants>());
            head.copy_from_slice(bytes_of(&uniform));
            ranges.push((range, uniform));
        }
        gpu.check_buffer("parts", records.len() as u64)?;
        let Geometry { vertices, surfaces, indices, extras, .. } = geometry;
        let records = create_buffer(gpu, "parts", &records, part_usage(gpu))?;
        let extras = if gpu.capabilities.has_vertex_storage {
            VertexData::Buffer(create_buffer(
                gpu,
                "morph targets",
                cast_slice(&extras),
                BufferUsages::STORAGE,
            )?)
        } else {
            VertexData::Texture(data_texture::upload(gpu, "morph targets", &extras))
        };
        let mut textures = Textures::new(gpu, character, decoded);
        let mut bound = HashMap::new();
        let mut model_parts = Vec::with_capacity(parts.len());
        let mut warnings = Vec::new();
        for (index, (part, (range, uniform))) in parts.iter().zip(ranges).enumerate() {
            let primitive = character.primitive(*part);
            let material = material_of(primitive);
            let (group, textures) = bound
                .entry(primitive.material)
                .or_insert_with(|| {
                    let textures = MaterialTextures::new(gpu, &mut textures, material);
                    if textures.left_out > 0 {
                        let name = material.name.as_deref().unwrap_or("without a name");
                        let count = textures.left_out;
                        warnings.push(format!(
                            "material {name}: has too many textures for this adapter, so {count} of them are not drawn"
                        ));
                    }
                    (textures.bind(gpu, layouts, &records, &extras), Arc::new(textures))
                })
                .clone();
            model_parts.push(ModelPart {
                first_vertex: range.first_vertex,
                indices: range.indices,
                uniform,
                material: group,
                textures,
                offset: to_u32(index * PART_STRIDE),
                flags: part_flags(primitive, material),
                second_set: part.skin.is_some() && primitive.influences.len() > 1,
                blended: material.alpha_mode == AlphaMode::Blend,
                double_sided: material.double_sided,
                writes_depth: writes_depth(material),
                order: blend_order(material),
                has_outline: has_outline(primitive, material),
            });
        }
        Ok(Self {
            id: MODELS.fetch_add(1, Ordering::Relaxed),
            vertices: create_buffer(gpu, "vertices", cast_slice(&vertices), vertex_usage(gpu))?,
            surfaces: create_buffer(gpu, "surfaces", cast_slice(&surfaces), vertex_usage(gpu))?,
            indices: create_buffer(gpu, "triangles", cast_slice(&indices), BufferUsages::INDEX)?,
            extras,
            parts: model_parts,
            warnings,
        })
    }

    /// Returns a warning for each material that this adapter cannot draw completely. Other adapters may support all of it.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// A number that is unique in this process.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Returns whether the part of a draw exists and has triangles.
    pub(super) fn is_drawn(&self, draw: &Draw<'_>) -> bool {
        self.parts.get(draw.part).is_some_and(|p| !p.indices.is_empty())
    }
}

impl ModelPart {
    pub(super) fn record_with(&self, material: &Material) -> gpu_types::PartConstants {
        gpu_types::PartConstants {
            first_delta: self.uniform.first_delta,
            first_influence: self.uniform.first_influence,
            morph_targets: self.uniform.morph_targets,
            vertices: self.uniform.vertices,
            ..record(material)
        }
    }

    /// Returns whether other surfaces are visible through the part in the shaded modes.
    pub(super) fn is_transmissive(&self) -> bool {
        self.flags & flags::TRANSMISSION != 0 && self.flags & flags::UNLIT == 0
    }

    /// Returns whether the part casts a shadow. A part with a transmission texture casts one, because it may be opaque in most
    /// places.
    pub(super) fn casts_shadow(&self) -> bool {
        let [.., transmission] = self.uniform.anisotropy;
        let is_clear = self.is_transmissive() && transmission > 0.5 && !self.textures.maps.has_transmission();
        !(self.blended || is_clear)
    }

    /// Returns whether the look of the part depends on the direction of its textures.
    pub(super) fn needs_tangents(&self) -> bool {
        self.textures.maps.has_normals() || self.flags & flags::ANISOTROPY != 0
    }

    /// Returns the vertices of the part in a stream.
    pub(super) fn stream<'b, V>(&self, buffer: &'b wgpu::Buffer) -> wgpu::BufferSlice<'b> {
        buffer.slice(self.first_vertex * size_of::<V>() as u64..)
    }
}

/// Vertices, triangles and morph targets of all parts. Parts with the same primitive share them.
#[derive(Default)]
struct Geometry {
    vertices: Vec<Vertex>,
    surfaces: Vec<VertexSurface>,
    indices: Vec<u32>,
    /// Displacements by morph targets, and second sets of influences.
    extras: Vec<Vec4>,
    /// The locations of the primitives, by mesh, by primitive, and by whether the part is skinned.
    ranges: HashMap<(usize, usize, bool), GeometryRange>,
}

/// The location of a primitive in the buffers.
#[derive(Clone)]
struct GeometryRange {
    first_vertex: u64,
    indices: Range<u32>,
    first_delta: u32,
    first_influence: u32,
}

impl Geometry {
    /// Adds the vertices and triangles of a part. Vertices keep the order of the file, in which they are read back. MToon ignores their
    /// colours.
    fn add(
        &mut self,
        gpu: &Gpu,
        part: &Part,
        primitive: &Primitive,
        material: &Material,
    ) -> Result<GeometryRange, RenderError> {
        let key = (part.mesh, part.primitive, part.skin.is_some());
        if let Some(range) = self.ranges.get(&key) {
            return Ok(range.clone());
        }
        // Storage buffers must be bound at multiples of 256 bytes, in both streams of vertices.
        let first = self.vertices.len().next_multiple_of(VERTEX_ALIGNMENT);
        let (first_index, first_delta) = (to_u32(self.indices.len()), to_u32(self.extras.len()));
        let count = primitive.vertices();
        // Check the sizes before anything is copied.
        gpu.check_buffer("vertices", byte_size::<VertexSurface>(first + count))?;
        let triangles = self.indices.len() + 3 * primitive.triangles.len();
        gpu.check_buffer("triangles", byte_size::<u32>(triangles))?;
        let has_second_set = part.skin.is_some() && primitive.influences.len() > 1;
        let extras = 3 * primitive.morph_targets.len() + if has_second_set { 2 } else { 0 };
        data_texture::check(gpu, "morph targets", byte_size::<Vec4>(self.extras.len() + extras * count))?;
        self.vertices.resize(first, Vertex::default());
        self.surfaces.resize(first, VertexSurface::default());
        self.vertices.extend((0..count).map(|v| vertex(primitive, part.skin.is_some(), v)));
        let has_colors = !has_toon(material);
        self.surfaces.extend((0..count).map(|v| vertex_surface(primitive, has_colors, v)));
        push_deltas(primitive, &mut self.extras);
        let first_influence = to_u32(self.extras.len());
        if has_second_set {
            push_second_set(primitive, &mut self.extras);
        }
        if has_visible_order(material) {
            self.indices.extend_from_slice(primitive.triangles.as_flattened());
        } else {
            let triangles = triangle_order::for_vertex_cache(&primitive.triangles, count);
            self.indices.extend_from_slice(triangles.as_flattened());
        }
        let range = GeometryRange {
            first_vertex: first as u64,
            indices: first_index..to_u32(self.indices.len()),
            first_delta,
            first_influence,
        };
        self.ranges.insert(key, range.clone());
        Ok(range)
    }
}

pub(super) fn part_usage(gpu: &Gpu) -> BufferUsages {
    BufferUsages::UNIFORM | storage_usage(gpu)
}

/// How shaders read vertices. Compute shaders read them as words.
fn vertex_usage(gpu: &Gpu) -> BufferUsages {
    BufferUsages::VERTEX | storage_usage(gpu)
}

fn storage_usage(gpu: &Gpu) -> BufferUsages {
    if gpu.capabilities.has_vertex_storage { BufferUsages::STORAGE } else { BufferUsages::empty() }
}

fn byte_size<T>(count: usize) -> u64 {
    (count as u64).saturating_mul(size_of::<T>() as u64)
}

/// Converts a count or index for the shader. If a value does not fit in 32 bits, the size check of its
/// buffer fails later.
fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Creates a buffer with initial contents. The caller must have checked their size. The buffer is never empty, because empty buffers
/// cannot be bound.
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

fn vertex(primitive: &Primitive, is_skinned: bool, v: usize) -> Vertex {
    // A part without a skin uses only the matrix of its node, even if it has influences.
    let influences = primitive.influences.first().filter(|_| is_skinned);
    let influences = influences.and_then(|set| Some((*set.joints.get(v)?, *set.weights.get(v)?)));
    let (joints, weights) = influences.unwrap_or(([0; 4], Vec4::X));
    let position = primitive.positions.get(v).copied().unwrap_or_default();
    Vertex { position: position.into(), weights: weights.truncate().into(), joints }
}

fn vertex_surface(primitive: &Primitive, has_colors: bool, v: usize) -> VertexSurface {
    let colors = if has_colors { &*primitive.colors } else { &[] };
    let uv =
        |set: usize| primitive.uvs.get(set).and_then(|uvs| uvs.get(v)).copied().unwrap_or_default().into();
    #[expect(clippy::cast_possible_truncation, reason = "clamped to the range of i16")]
    let snorm = |x: f32| (x.clamp(-1.0, 1.0) * 32_767.0).round() as i16;
    VertexSurface {
        normal: primitive.normals.get(v).copied().unwrap_or_default().into(),
        texcoord_0: uv(0),
        texcoord_1: uv(1),
        tangent: primitive.tangents.get(v).copied().unwrap_or_default().to_array().map(snorm),
        color: colors.get(v).copied().unwrap_or(Vec4::ONE).to_array().map(f16::from_f32),
    }
}

/// Appends the displacements of position, normal and tangent for each vertex, target by target.
fn push_deltas(primitive: &Primitive, out: &mut Vec<Vec4>) {
    for target in &primitive.morph_targets {
        for v in 0..primitive.vertices() {
            for list in [&target.positions, &target.normals, &target.tangents] {
                out.push(list.get(v).copied().unwrap_or_default().extend(0.0));
            }
        }
    }
}

/// Appends the weights of the second set of influences of each vertex, followed by the indices of their joints.
fn push_second_set(primitive: &Primitive, out: &mut Vec<Vec4>) {
    let Some(set) = primitive.influences.get(1) else { return };
    for v in 0..primitive.vertices() {
        let joints = set.joints.get(v).copied().unwrap_or_default();
        out.push(set.weights.get(v).copied().unwrap_or_default());
        out.push(joints.map(f32::from).into());
    }
}
