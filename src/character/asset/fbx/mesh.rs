//! Turns the polygons of a mesh into triangles with one set of attributes per vertex.

use std::collections::HashMap;

use glam::{Vec2, Vec3, Vec4};

use crate::asset::{Character, Mesh, MorphTarget, Primitive};

use super::{Budget, ObjectError, label, skin, vector, weight};

/// The meshes of a character. A key consists of the mesh in the file, the materials of its node, and whether joints deform it.
#[derive(Default)]
pub(super) struct Meshes {
    known: HashMap<(u32, Vec<u32>, bool), Option<usize>>,
}

impl Meshes {
    /// Adds the mesh of a node, unless an identical mesh exists. Returns the index of the mesh, or `None` if it has no triangles.
    pub(super) fn add(
        &mut self,
        mesh: &ufbx::Mesh,
        node: &ufbx::Node,
        skin: Option<usize>,
        character: &mut Character,
        budget: &mut Budget,
    ) -> Result<Option<usize>, ObjectError> {
        let materials: Vec<u32> = node.materials.into_iter().map(|m| m.element.typed_id).collect();
        let key = (mesh.element.typed_id, materials, skin.is_some());
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let shapes = shapes(mesh, character, node, budget)?;
        let mut primitives = Vec::new();
        for part in &mesh.material_parts {
            let material = key.1.get(part.index as usize).map(|&material| material as usize);
            let mut corners = Corners { mesh, vertices: HashMap::new(), sources: Vec::new() };
            let at = label(node);
            let mut primitive = corners.primitive(part, budget, &at)?;
            if primitive.triangles.is_empty() {
                continue;
            }
            primitive.index = primitives.len();
            primitive.material = material.filter(|&m| m < character.materials.len());
            if skin.is_some() {
                primitive.influences = skin::influences(mesh, &corners.sources, budget, &at)?;
            }
            for shape in &shapes {
                primitive.morph_targets.push(shape.target(&corners.sources, budget, &at)?);
            }
            primitives.push(primitive);
        }
        let mesh = (!primitives.is_empty()).then(|| {
            character.meshes.push(Mesh {
                name: (!mesh.element.name.is_empty()).then(|| mesh.element.name.to_string()),
                primitives,
                weights: shapes.iter().map(|s| s.weight).collect(),
                target_names: shapes.iter().map(|s| s.name.clone()).collect(),
            });
            character.meshes.len() - 1
        });
        self.known.insert(key, mesh);
        Ok(mesh)
    }
}

/// Identifies a vertex by the bits of its attributes. Corners with equal attributes share a vertex.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    source: u32,
    normal: [u32; 3],
    uvs: [[u32; 2]; 2],
    color: [u32; 4],
}

/// The corners of a mesh that became vertices of a primitive.
struct Corners<'a> {
    mesh: &'a ufbx::Mesh,
    vertices: HashMap<Key, u32>,
    /// For each vertex of the primitive, the vertex in the file.
    sources: Vec<u32>,
}

impl Corners<'_> {
    fn primitive(
        &mut self,
        part: &ufbx::MeshPart,
        budget: &mut Budget,
        at: &str,
    ) -> Result<Primitive, ObjectError> {
        let mesh = self.mesh;
        let mut primitive = Primitive::default();
        // Faces without area cost time too, and many nodes can have the same mesh.
        budget.take(part.face_indices.len() * size_of::<[u32; 3]>(), at)?;
        let mut corners = vec![0; mesh.max_face_triangles.saturating_mul(3)];
        for &face in &part.face_indices {
            let Some(&face) = mesh.faces.get(face as usize).filter(|f| f.num_indices >= 3) else { continue };
            let triangles = ufbx::triangulate_face(&mut corners, mesh, face) as usize;
            budget.take(triangles * size_of::<[u32; 3]>(), at)?;
            for triangle in corners.chunks_exact(3).take(triangles) {
                let mut vertices = [0; 3];
                for (vertex, &corner) in vertices.iter_mut().zip(triangle) {
                    *vertex = self.vertex(corner as usize, &mut primitive, budget, at)?;
                }
                primitive.triangles.push(vertices);
            }
        }
        Ok(primitive)
    }

    /// Returns the index of the vertex for a corner, and adds the vertex to the primitive if it is new.
    fn vertex(
        &mut self,
        corner: usize,
        primitive: &mut Primitive,
        budget: &mut Budget,
        at: &str,
    ) -> Result<u32, ObjectError> {
        let mesh = self.mesh;
        let missing = || ObjectError::new(at, format!("corner {corner} has no vertex"));
        let source = *mesh.vertex_indices.get(corner).ok_or_else(missing)?;
        let position = vector(*mesh.vertices.get(source as usize).ok_or_else(missing)?);
        if !position.is_finite() {
            return Err(ObjectError::new(at, format!("vertex {source} is not finite")));
        }
        let normal = value(&mesh.vertex_normal.values, &mesh.vertex_normal.indices, corner).map(vector);
        let uvs = [0, 1].map(|set| {
            let uv = mesh.uv_sets.get(set).map(|set| &set.vertex_uv);
            uv.and_then(|uv| value(&uv.values, &uv.indices, corner)).map(coordinates)
        });
        let color = mesh.color_sets.first().map(|set| &set.vertex_color);
        let color = color.and_then(|c| value(&c.values, &c.indices, corner)).map(linear);
        let key = Key {
            source,
            normal: normal.unwrap_or_default().to_array().map(f32::to_bits),
            uvs: uvs.map(|uv| uv.unwrap_or_default().to_array().map(f32::to_bits)),
            color: color.unwrap_or_default().to_array().map(f32::to_bits),
        };
        if let Some(&known) = self.vertices.get(&key) {
            return Ok(known);
        }
        // This covers the attributes of the vertex and its entry in the map.
        budget.take(2 * size_of::<Key>() + size_of::<[f32; 14]>(), at)?;
        let vertex =
            u32::try_from(self.sources.len()).map_err(|_| ObjectError::new(at, "too many vertices"))?;
        self.vertices.insert(key, vertex);
        self.sources.push(source);
        primitive.positions.push(position);
        if !mesh.vertex_normal.values.is_empty() {
            primitive.normals.push(normal.and_then(Vec3::try_normalize).unwrap_or(Vec3::Y));
        }
        for ((list, uv), set) in primitive.uvs.iter_mut().zip(uvs).zip(0..) {
            if mesh.uv_sets.len() > set {
                list.push(uv.filter(|uv| uv.is_finite()).unwrap_or_default());
            }
        }
        if !mesh.color_sets.is_empty() {
            primitive.colors.push(color.filter(|c| c.is_finite()).unwrap_or(Vec4::ONE));
        }
        Ok(vertex)
    }
}

fn value<T: Copy>(values: &[T], indices: &[u32], corner: usize) -> Option<T> {
    values.get(*indices.get(corner)? as usize).copied()
}

/// Converts FBX texture coordinates, whose origin is at the bottom.
#[expect(clippy::cast_possible_truncation, reason = "attributes are single precision")]
fn coordinates(uv: ufbx::Vec2) -> Vec2 {
    Vec2::new(uv.x as f32, (1.0 - uv.y) as f32)
}

/// Converts an sRGB-encoded vertex colour.
#[expect(clippy::cast_possible_truncation, reason = "attributes are single precision")]
fn linear(color: ufbx::Vec4) -> Vec4 {
    let decode = |c: f64| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
    Vec4::new(decode(color.x) as f32, decode(color.y) as f32, decode(color.z) as f32, color.w as f32)
}

/// A blend shape of a mesh.
struct Shape {
    name: String,
    weight: f32,
    offsets: HashMap<u32, (Vec3, Vec3)>,
    has_normals: bool,
}

/// Returns the channels of a mesh, each of which moves one shape.
pub(super) fn channels(mesh: &ufbx::Mesh) -> impl Iterator<Item = &ufbx::BlendChannel> {
    mesh.blend_deformers.into_iter().flat_map(|deformer| &deformer.channels)
}

fn shapes(
    mesh: &ufbx::Mesh,
    character: &mut Character,
    node: &ufbx::Node,
    budget: &mut Budget,
) -> Result<Vec<Shape>, ObjectError> {
    let mut shapes = Vec::new();
    for channel in channels(mesh) {
        let name = channel.element.name.to_string();
        if channel.keyframes.len() > 1 {
            character.warnings.push(format!(
                "{}: blend shape \"{name}\" has shapes in between, which are ignored",
                label(node)
            ));
        }
        let mut offsets = HashMap::new();
        if let Some(shape) = &channel.target_shape {
            budget.take(shape.offset_vertices.len() * size_of::<(u32, Vec3, Vec3)>(), &label(node))?;
            for (index, &vertex) in shape.offset_vertices.iter().enumerate() {
                let offset = shape.position_offsets.get(index).map_or(Vec3::ZERO, |v| vector(*v));
                let normal = shape.normal_offsets.get(index).map_or(Vec3::ZERO, |v| vector(*v));
                if offset.is_finite() && normal.is_finite() {
                    offsets.insert(vertex, (offset, normal));
                }
            }
        }
        let has_normals = offsets.values().any(|(_, normal)| *normal != Vec3::ZERO);
        shapes.push(Shape { name, weight: weight(channel.weight), offsets, has_normals });
    }
    Ok(shapes)
}

impl Shape {
    /// Returns the displacements of vertices. A target that moves none of them is empty.
    fn target(&self, sources: &[u32], budget: &mut Budget, at: &str) -> Result<MorphTarget, ObjectError> {
        let mut target = MorphTarget::default();
        // Looking for the vertices of a shape costs time, even if the shape moves none of them.
        budget.take(sources.len() * size_of::<u64>(), at)?;
        if !sources.iter().any(|source| self.offsets.contains_key(source)) {
            return Ok(target);
        }
        budget.take(sources.len() * size_of::<[Vec3; 2]>(), at)?;
        let offsets = || sources.iter().map(|source| self.offsets.get(source).copied().unwrap_or_default());
        target.positions = offsets().map(|(position, _)| position).collect();
        if self.has_normals {
            target.normals = offsets().map(|(_, normal)| normal).collect();
        }
        Ok(target)
    }
}
