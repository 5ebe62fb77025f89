//! Finds the parts of the panel that have changed since the last frame, and those that are empty.

use egui::epaint::{ClippedPrimitive, Mesh, Primitive, Vertex};
use egui::{Rect, TextureId};

use crate::render::Placement;

/// Width and height of a tile in pixels.
const TILE: u32 = 64;

/// Hashes of the contents of a window's tiles, row by row. The hash of an empty tile is zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tiles {
    size: (u32, u32),
    hashes: Vec<u64>,
    has_callbacks: bool,
}

impl Tiles {
    /// Hashes the tiles of a window of `size` pixels. `scale` is in pixels per point.
    pub(super) fn new(shapes: &[ClippedPrimitive], scale: f32, size: (u32, u32)) -> Self {
        let mut tiles = Self { size, ..Self::default() };
        tiles.hashes = vec![0; (tiles.columns() * size.1.div_ceil(TILE)) as usize];
        for shape in shapes {
            match &shape.primitive {
                Primitive::Mesh(mesh) => tiles.add(mesh, shape.clip_rect, scale),
                // What a callback draws is unknown, so it may have changed.
                Primitive::Callback(_) => tiles.has_callbacks = true,
            }
        }
        tiles
    }

    /// Window size in pixels.
    pub(super) fn size(&self) -> (u32, u32) {
        self.size
    }

    fn columns(&self) -> u32 {
        self.size.0.div_ceil(TILE)
    }

    fn add(&mut self, mesh: &Mesh, clip: Rect, scale: f32) {
        let texture = match mesh.texture_id {
            TextureId::Managed(id) => mix(1, id),
            TextureId::User(id) => mix(2, id),
        };
        let edges = [clip.min.x, clip.min.y, clip.max.x, clip.max.y];
        let seed = edges.iter().fold(texture, |hash, edge| mix(hash, edge.to_bits().into()));
        let (triangles, _) = mesh.indices.as_chunks::<3>();
        for triangle in triangles {
            let corners = triangle.map(|index| mesh.vertices.get(index as usize));
            let [Some(a), Some(b), Some(c)] = corners else { continue };
            let bounds = Rect::from_points(&[a.pos, b.pos, c.pos]);
            let hash = [a, b, c].iter().fold(seed, |hash, vertex| mix_vertex(hash, vertex));
            self.mark(bounds, clip, scale, hash);
        }
    }

    /// Adds a hash to all tiles that a rectangle touches.
    fn mark(&mut self, bounds: Rect, clip: Rect, scale: f32, hash: u64) {
        let inside = bounds.intersect(clip);
        // Edges may be rounded or blurred by up to a pixel.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "window coordinates")]
        let tile = |at: f32| (at * scale).max(0.0) as u32 / TILE;
        if !(inside.is_finite() && inside.is_positive()) {
            return;
        }
        let margin = 1.0 / scale;
        let (columns, rows) = (self.columns(), self.size.1.div_ceil(TILE));
        for row in tile(inside.min.y - margin)..=tile(inside.max.y + margin).min(rows.saturating_sub(1)) {
            let last = tile(inside.max.x + margin).min(columns.saturating_sub(1));
            for column in tile(inside.min.x - margin)..=last {
                if let Some(tile) = self.hashes.get_mut((row * columns + column) as usize) {
                    *tile = mix(*tile, hash);
                }
            }
        }
    }

    /// Returns the smallest rectangle that contains all tiles in which two frames differ, or `None` if they are equal.
    /// Frames of different sizes differ everywhere.
    pub(super) fn changed(&self, before: &Self) -> Option<Placement> {
        if before.size != self.size || self.has_callbacks {
            return Some(Placement { origin: (0, 0), size: self.size });
        }
        let pairs = self.hashes.iter().zip(&before.hashes);
        let changed = (0_u32..).zip(pairs).filter(|(_, (now, then))| now != then);
        let (mut lo, mut hi) = ((u32::MAX, u32::MAX), (0, 0));
        for (index, _) in changed {
            let (column, row) = (index % self.columns(), index / self.columns());
            lo = (lo.0.min(column), lo.1.min(row));
            hi = (hi.0.max(column + 1), hi.1.max(row + 1));
        }
        (hi > (0, 0)).then(|| self.pixels(lo, hi))
    }

    /// Returns rectangles that cover all occupied tiles.
    pub(super) fn occupied(&self) -> Vec<Placement> {
        let mut runs: Vec<((u32, u32), (u32, u32))> = Vec::new();
        for (row, tiles) in (0_u32..).zip(self.hashes.chunks(self.columns().max(1) as usize)) {
            let mut run = None;
            // An empty tile after the last one ends the last run.
            for (column, hash) in (0_u32..).zip(tiles.iter().chain([&0])) {
                match (run, *hash != 0) {
                    (None, true) => run = Some(column),
                    (Some(first), false) => {
                        run = None;
                        // If the run lies below another one with the same columns, the other one is extended.
                        match runs.iter_mut().find(|r| r.0.0 == first && r.1 == (column, row)) {
                            Some(above) => above.1.1 = row + 1,
                            None => runs.push(((first, row), (column, row + 1))),
                        }
                    }
                    _ => {}
                }
            }
        }
        runs.into_iter().map(|(lo, hi)| self.pixels(lo, hi)).collect()
    }

    /// Converts a tile rectangle to pixels.
    fn pixels(&self, lo: (u32, u32), hi: (u32, u32)) -> Placement {
        let origin = (lo.0 * TILE, lo.1 * TILE);
        let end = ((hi.0 * TILE).min(self.size.0), (hi.1 * TILE).min(self.size.1));
        Placement { origin, size: (end.0.saturating_sub(origin.0), end.1.saturating_sub(origin.1)) }
    }
}

fn mix_vertex(hash: u64, vertex: &Vertex) -> u64 {
    let Vertex { pos, uv, color } = vertex;
    let numbers = [pos.x, pos.y, uv.x, uv.y].map(f32::to_bits);
    let hash = numbers.iter().fold(hash, |hash, &bits| mix(hash, bits.into()));
    mix(hash, u32::from_le_bytes(color.to_array()).into())
}

/// Adds a value to a hash. The result is never zero in practice.
fn mix(hash: u64, value: u64) -> u64 {
    (hash.rotate_left(5) ^ value ^ 0x517C_C1B7_2722_0A95).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use egui::{Color32, pos2};

    use super::*;

    fn square(x: f32, y: f32, side: f32, color: Color32) -> ClippedPrimitive {
        let mut mesh = Mesh::default();
        mesh.add_colored_rect(Rect::from_min_size(pos2(x, y), egui::vec2(side, side)), color);
        ClippedPrimitive { clip_rect: Rect::EVERYTHING, primitive: Primitive::Mesh(mesh) }
    }

    const SIZE: (u32, u32) = (300, 200);

    #[test]
    fn only_the_tiles_of_a_change_have_changed() {
        let tiles = |shapes: &[ClippedPrimitive]| Tiles::new(shapes, 1.0, SIZE);
        let panel = || square(130.0, 0.0, 500.0, Color32::GRAY);
        let before = tiles(&[panel(), square(140.0, 70.0, 10.0, Color32::RED)]);
        assert_eq!(before.changed(&before), None);
        let after = tiles(&[panel(), square(140.0, 70.0, 10.0, Color32::BLUE)]);
        assert_eq!(after.changed(&before), Some(Placement { origin: (128, 64), size: (64, 64) }));
        let gone = tiles(&[panel()]);
        assert_eq!(gone.changed(&before), Some(Placement { origin: (128, 64), size: (64, 64) }));
        let moved = tiles(&[panel(), square(250.0, 140.0, 10.0, Color32::RED)]);
        assert_eq!(moved.changed(&before), Some(Placement { origin: (128, 64), size: (172, 128) }));
        let whole = Placement { origin: (0, 0), size: SIZE };
        assert_eq!(tiles(&[panel()]).changed(&Tiles::default()), Some(whole));
    }

    #[test]
    fn empty_tiles_are_left_out() {
        let shapes = [square(130.0, 0.0, 500.0, Color32::GRAY), square(2.0, 70.0, 10.0, Color32::RED)];
        let occupied = Tiles::new(&shapes, 1.0, SIZE).occupied();
        let right = Placement { origin: (128, 0), size: (172, 200) };
        let left = Placement { origin: (0, 64), size: (64, 64) };
        assert_eq!(occupied, [right, left]);
        // With two pixels per point, the same shapes cover more tiles.
        assert_eq!(Tiles::new(&shapes, 2.0, SIZE).occupied().len(), 2);
        assert_eq!(Tiles::new(&[], 1.0, SIZE).occupied(), []);
    }
}
