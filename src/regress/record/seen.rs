//! Records the positions of a part's vertices in the image, in less than a byte per vertex. This is enough to measure how far a change of
//! the mesh or its skin moves visible vertices.

use std::collections::HashMap;

use glam::{Mat4, Vec2, Vec3};
use serde::{Deserialize, Serialize};

use crate::asset::Primitive;

use super::vertices::{digit, value};

/// Minimum and maximum side of a cell in pixels, and the number of cells on each axis after which the cells' digits repeat. The distance
/// between repeats differs by vertex, so that vertices that move together do not all seem unmoved.
const CELL: [f32; 2] = [0.1, 0.14];
const CELLS: u8 = 8;
/// Maximum number of vertices of a scene whose positions are recorded.
pub(super) const MAX_SEEN: usize = 20_000;

/// The positions of the vertices of a part in the image.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SeenRecord {
    /// Digest of the positions in the order of the vertices. The digits depend on this order.
    pub order: String,
    /// A digit for each vertex: its cell in a block of eight by eight. A space stands for a vertex that is at the same place as the first
    /// vertex with the same position. Other characters stand for vertices behind the camera.
    pub cells: String,
}

/// The recorded positions of the vertices of a part.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenVertices {
    cells: Vec<u8>,
    /// For each vertex, the index of the first vertex with the same position.
    first: Vec<usize>,
}

impl SeenRecord {
    /// The largest difference between the recorded distance of a vertex and the true one, in pixels.
    pub(crate) const ERROR: f32 = CELL[1] * std::f32::consts::SQRT_2;

    /// Records the posed positions of a part.
    pub(super) fn of(primitive: &Primitive, posed: &[Vec3], clip_from_world: &Mat4, size: Vec2) -> Self {
        let first = first_at(primitive);
        let cell = |(vertex, position): (usize, &Vec3)| match project(clip_from_world, size, *position) {
            _ if first
                .get(vertex)
                .is_some_and(|first| *first < vertex && posed.get(*first) == Some(position)) =>
            {
                ' '
            }
            Some(pixel) => {
                let [x, y] = (pixel / side(vertex)).to_array().map(|at| at.rem_euclid(CELLS.into()).floor());
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 7")]
                let [x, y] = [x, y].map(|at| (at as u32).min(u32::from(CELLS) - 1));
                digit(u32::from(CELLS) * y + x)
            }
            None => '!',
        };
        Self { order: order(primitive), cells: posed.iter().enumerate().map(cell).collect() }
    }

    /// Returns whether the vertices of a part have the recorded positions, in the same order.
    pub(crate) fn has_order_of(&self, primitive: &Primitive) -> bool {
        self.order == order(primitive)
    }

    /// Returns the positions of the vertices of a part whose vertices are in the recorded order.
    pub(crate) fn vertices(&self, primitive: &Primitive) -> SeenVertices {
        SeenVertices { cells: self.cells.clone().into(), first: first_at(primitive) }
    }
}

impl SeenVertices {
    /// Returns the smallest distance between a pixel and the recorded position of a vertex, in pixels. The true distance is larger by at
    /// most [`SeenRecord::ERROR`], or by a multiple of eight cells. `None` if the position is unknown.
    pub(crate) fn distance(&self, vertex: u32, pixel: Vec2) -> Option<f32> {
        let vertex = vertex as usize;
        let vertex = match self.cells.get(vertex)? {
            b' ' => *self.first.get(vertex)?,
            _ => vertex,
        };
        let cell = value(self.cells.get(vertex)?)?;
        let count = f32::from(CELLS);
        #[expect(clippy::cast_precision_loss, reason = "0 to 7")]
        let cell = Vec2::new((cell % u32::from(CELLS)) as f32, (cell / u32::from(CELLS)) as f32);
        let outside = (pixel / side(vertex) - cell).to_array().map(|from| {
            let from = from.rem_euclid(count);
            if from <= 1.0 { 0.0 } else { (from - 1.0).min(count - from) }
        });
        Some(Vec2::from_array(outside).length() * side(vertex))
    }
}

/// Returns the side length of a vertex's cells. The fractional parts of multiples of the golden ratio are spread evenly.
fn side(vertex: usize) -> f32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a fraction")]
    let fraction = (vertex as f64 * 0.618_033_988_749_895).fract() as f32;
    let [least, most] = CELL;
    least + fraction * (most - least)
}

/// Returns the pixel of a point. `None` if it is behind the camera.
pub(crate) fn project(clip_from_world: &Mat4, size: Vec2, point: Vec3) -> Option<Vec2> {
    let clip = *clip_from_world * point.extend(1.0);
    let ndc = Vec2::new(clip.x, clip.y) / clip.w;
    (clip.w > 0.0 && ndc.is_finite()).then(|| (ndc * Vec2::new(0.5, -0.5) + 0.5) * size)
}

/// Returns, for each vertex, the index of the first vertex with the same position. A file splits vertices where normals or textures have a
/// seam.
fn first_at(primitive: &Primitive) -> Vec<usize> {
    let mut known = HashMap::new();
    let first = |(vertex, position): (usize, &Vec3)| {
        *known.entry(position.to_array().map(f32::to_bits)).or_insert(vertex)
    };
    primitive.positions.iter().enumerate().map(first).collect()
}

fn order(primitive: &Primitive) -> String {
    let mut digest = crc32fast::Hasher::new();
    let numbers = primitive.positions.iter().flat_map(Vec3::to_array);
    // Both zeros are equal.
    numbers.for_each(|number| digest.update(&(number + 0.0).to_le_bytes()));
    format!("{:08x}", digest.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A distance is accurate to the size of a cell, as long as it is shorter than the distance after which the cells repeat.
    #[test]
    fn a_vertex_that_moves_is_at_a_known_distance() {
        let size = Vec2::splat(200.0);
        let point = |pixel: Vec2| ((pixel / size - 0.5) * Vec2::new(2.0, -2.0)).extend(0.0);
        let mut largest = 0_f32;
        for step in 0..400_u16 {
            let from = Vec2::new(20.0 + f32::from(step) * 0.017, 70.0 - f32::from(step) * 0.031);
            let record = SeenRecord::of(&Primitive::default(), &[point(from)], &Mat4::IDENTITY, size);
            let record = record.vertices(&Primitive::default());
            let moved = 0.45 * f32::from(step) / 400.0;
            let found = record.distance(0, from + moved * Vec2::from_angle(f32::from(step))).unwrap();
            assert!(found <= moved + 1e-4 && found + SeenRecord::ERROR + 1e-4 >= moved, "{found} {moved}");
            largest = largest.max(found);
        }
        assert!(largest > 0.3);
        let behind = SeenRecord::of(&Primitive::default(), &[Vec3::X], &Mat4::ZERO, size);
        let behind = behind.vertices(&Primitive::default());
        assert_eq!((behind.distance(0, Vec2::ZERO), behind.distance(1, Vec2::ZERO)), (None, None));
    }

    /// One of two vertices at a seam moves alone.
    #[test]
    fn vertices_at_the_same_place_are_recorded_once() {
        let size = Vec2::splat(200.0);
        let seam = Primitive { positions: vec![Vec3::ZERO, Vec3::X, Vec3::ZERO], ..Primitive::default() };
        let posed = [Vec3::ZERO, Vec3::splat(0.5), Vec3::ZERO];
        let record = SeenRecord::of(&seam, &posed, &Mat4::IDENTITY, size);
        assert_eq!(record.cells.find(' '), Some(2));
        let seen = record.vertices(&seam);
        let center = Vec2::splat(100.0);
        assert_eq!([0, 2].map(|vertex| seen.distance(vertex, center)), [Some(0.0); 2]);
        assert!(seen.distance(2, center + Vec2::X * 0.4).is_some_and(|distance| distance > 0.2));
        let apart = SeenRecord::of(&seam, &[Vec3::ZERO, Vec3::X, Vec3::ONE * 0.3], &Mat4::IDENTITY, size);
        assert_eq!(apart.cells.find(' '), None);
    }
}
