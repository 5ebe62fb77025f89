//! Where the vertices of a part are in the image: enough to say how far a change of the mesh or of its skin moves what can be seen, at less
//! than a byte per vertex.

use glam::{Mat4, Vec2, Vec3};
use serde::{Deserialize, Serialize};

use crate::asset::Primitive;

use super::vertices::{digit, value};

/// Smallest and largest side of a cell in pixels, and the number of cells on each axis after which their digits repeat. They repeat after
/// another distance for each vertex, so that vertices that move together are not all taken for unmoved.
const CELL: [f32; 2] = [0.1, 0.14];
const CELLS: u8 = 8;
/// Maximum number of vertices of a scene whose places are recorded.
pub(super) const MAX_SEEN: usize = 20_000;

/// The places of the vertices of a part in the image.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SeenRecord {
    /// Digest of the positions in their order, because another order has other digits.
    pub order: String,
    /// A digit for each vertex: its cell among eight by eight. Other characters stand for vertices behind the camera.
    pub cells: String,
}

impl SeenRecord {
    /// The largest difference between the recorded distance of a vertex and the true one, in pixels.
    pub(in crate::regress) const ERROR: f32 = CELL[1] * std::f32::consts::SQRT_2;

    /// Records the posed positions of a part.
    pub(super) fn of(primitive: &Primitive, posed: &[Vec3], clip_from_world: &Mat4, size: Vec2) -> Self {
        let cell = |(vertex, position): (u32, &Vec3)| match project(clip_from_world, size, *position) {
            Some(pixel) => {
                let [x, y] = (pixel / side(vertex)).to_array().map(|at| at.rem_euclid(CELLS.into()).floor());
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 7")]
                let [x, y] = [x, y].map(|at| (at as u32).min(u32::from(CELLS) - 1));
                digit(u32::from(CELLS) * y + x)
            }
            None => ' ',
        };
        Self { order: order(primitive), cells: (0..).zip(posed).map(cell).collect() }
    }

    /// Returns whether the vertices of a part have the recorded positions, in the same order.
    pub(in crate::regress) fn has_order_of(&self, primitive: &Primitive) -> bool {
        self.order == order(primitive)
    }

    /// Returns the smallest distance between a pixel and the recorded place of a vertex, in pixels. The true distance is larger by at most
    /// [`Self::ERROR`], or by a multiple of eight cells. `None` if the place is not known.
    pub(in crate::regress) fn distance(&self, vertex: u32, pixel: Vec2) -> Option<f32> {
        let cell = value(self.cells.as_bytes().get(vertex as usize)?)?;
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

/// Returns the side of the cells of a vertex. Multiples of the golden ratio are spread evenly.
fn side(vertex: u32) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "a fraction")]
    let fraction = (f64::from(vertex) * 0.618_033_988_749_895).fract() as f32;
    let [least, most] = CELL;
    least + fraction * (most - least)
}

/// Returns the pixel of a point. `None` if it is behind the camera.
pub(in crate::regress) fn project(clip_from_world: &Mat4, size: Vec2, point: Vec3) -> Option<Vec2> {
    let clip = *clip_from_world * point.extend(1.0);
    let ndc = Vec2::new(clip.x, clip.y) / clip.w;
    (clip.w > 0.0 && ndc.is_finite()).then(|| (ndc * Vec2::new(0.5, -0.5) + 0.5) * size)
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

    /// A distance is right to the size of a cell, until the cells repeat.
    #[test]
    fn a_vertex_that_moves_is_at_a_known_distance() {
        let size = Vec2::splat(200.0);
        let point = |pixel: Vec2| ((pixel / size - 0.5) * Vec2::new(2.0, -2.0)).extend(0.0);
        let mut largest = 0_f32;
        for step in 0..400_u16 {
            let from = Vec2::new(20.0 + f32::from(step) * 0.017, 70.0 - f32::from(step) * 0.031);
            let record = SeenRecord::of(&Primitive::default(), &[point(from)], &Mat4::IDENTITY, size);
            let moved = 0.45 * f32::from(step) / 400.0;
            let found = record.distance(0, from + moved * Vec2::from_angle(f32::from(step))).unwrap();
            assert!(found <= moved + 1e-4 && found + SeenRecord::ERROR + 1e-4 >= moved, "{found} {moved}");
            largest = largest.max(found);
        }
        assert!(largest > 0.3);
        let behind = SeenRecord::of(&Primitive::default(), &[Vec3::X], &Mat4::ZERO, size);
        assert_eq!((behind.distance(0, Vec2::ZERO), behind.distance(1, Vec2::ZERO)), (None, None));
    }
}
