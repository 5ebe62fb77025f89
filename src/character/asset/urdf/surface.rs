//! Surfaces of mesh files with materials: polygons become triangles, and equal corners become one vertex.

use std::collections::HashMap;

use glam::{Vec2, Vec3, Vec4};

use crate::api::Missing;
use crate::asset::Primitive;

/// Maximum total number of polygon corners in a file.
const MAX_CORNERS: usize = 12_000_000;

/// What a mesh file contains.
#[derive(Debug, Default)]
pub(super) struct MeshFile {
    /// The shapes, each with the index of its material.
    pub(super) shapes: Vec<(Primitive, Option<usize>)>,
    pub(super) materials: Vec<Paint>,
    /// Parts that were not read, one line each.
    pub(super) warnings: Vec<String>,
}

/// A material of a mesh file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Paint {
    pub(super) name: String,
    pub(super) color: Vec4,
    /// Path of the colour image, relative to the mesh file.
    pub(super) texture: Option<String>,
}

/// A corner of a polygon: the indices of its position, its normal and its texture coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Corner {
    pub(super) position: usize,
    pub(super) normal: Option<usize>,
    pub(super) uv: Option<usize>,
}

/// The values that corners refer to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Values<'a> {
    pub(super) positions: &'a [Vec3],
    pub(super) normals: &'a [Vec3],
    /// Their origin is at the lower left corner of the image.
    pub(super) uvs: &'a [Vec2],
}

/// Collects polygons.
#[derive(Debug, Default)]
pub(super) struct Surface {
    shape: Primitive,
    known: HashMap<Corner, u32>,
    has_uvs: bool,
}

/// Counts the corners of a file, so that a small file cannot describe a huge mesh.
#[derive(Debug, Default)]
pub(super) struct Corners(usize);

impl Corners {
    /// Adds corners.
    ///
    /// # Errors
    /// A message if there are too many corners.
    pub(super) fn count(&mut self, more: usize) -> Result<(), String> {
        self.0 = self.0.saturating_add(more);
        if self.0 > MAX_CORNERS { Err(format!("more than {MAX_CORNERS} corners")) } else { Ok(()) }
    }
}

impl Surface {
    /// Adds a convex polygon as a fan of triangles. Corners without a normal get the normal of their triangle.
    ///
    /// # Errors
    /// A message if an index is out of range or a value is not finite.
    pub(super) fn add(&mut self, polygon: &[Corner], values: Values<'_>) -> Result<(), String> {
        let Some((first, rest)) = polygon.split_first() else { return Ok(()) };
        for pair in rest.windows(2) {
            let &[second, third] = pair else { continue };
            let corners = [*first, second, third];
            let mut points = [Vec3::ZERO; 3];
            for (point, corner) in points.iter_mut().zip(corners) {
                let count = values.positions.len();
                let missing = || Missing::index_in("the mesh", "vertex", corner.position, count).to_string();
                let position = values.positions.get(corner.position).ok_or_else(missing)?;
                if !position.is_finite() {
                    return Err(format!("vertex {} is not finite", corner.position));
                }
                *point = *position;
            }
            let [a, b, c] = points;
            // Tiny edges are scaled up, because their cross product would otherwise be zero.
            let edges = [b - a, c - a].map(|edge| edge / edge.abs().max_element().max(f32::MIN_POSITIVE));
            let Some(flat) = edges[0].cross(edges[1]).try_normalize() else { continue };
            let mut triangle = [0; 3];
            for ((index, corner), point) in triangle.iter_mut().zip(corners).zip(points) {
                *index = self.vertex(corner, point, flat, values)?;
            }
            self.shape.triangles.push(triangle);
        }
        Ok(())
    }

    /// Returns the index of a corner's vertex.
    fn vertex(
        &mut self,
        corner: Corner,
        position: Vec3,
        flat: Vec3,
        values: Values<'_>,
    ) -> Result<u32, String> {
        let normal = corner.normal.and_then(|index| values.normals.get(index)?.try_normalize());
        if let (Some(known), Some(_)) = (self.known.get(&corner), normal) {
            return Ok(*known);
        }
        let index = u32::try_from(self.shape.positions.len()).map_err(|_| "too many vertices".to_owned())?;
        let uv = corner.uv.and_then(|index| values.uvs.get(index)).filter(|uv| uv.is_finite());
        self.has_uvs |= uv.is_some();
        self.shape.positions.push(position);
        self.shape.normals.push(normal.unwrap_or(flat));
        let [first, _] = &mut self.shape.uvs;
        first.push(uv.map_or(Vec2::ZERO, |uv| Vec2::new(uv.x, 1.0 - uv.y)));
        self.known.insert(corner, index);
        Ok(index)
    }

    /// Returns the shape, or `None` if it has no triangle.
    pub(super) fn finish(mut self) -> Option<Primitive> {
        if !self.has_uvs {
            self.shape.uvs = Default::default();
        }
        (!self.shape.triangles.is_empty()).then_some(self.shape)
    }
}
