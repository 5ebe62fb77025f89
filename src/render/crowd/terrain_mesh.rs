//! Terrains from triangles.

use std::ops::Range;

use glam::{DVec2, DVec3, Vec2, Vec3};

use super::terrain::{MAX_HEIGHTS, Terrain, TerrainError};

/// Points are inside a triangle if they are at most this far outside, as a fraction of a cell.
const MARGIN: f64 = 1e-6;

/// Slope above which triangles count as vertical. The heights of steeper triangles would mainly be rounding errors.
const STEEPEST: f64 = 1e3;

/// The heights of a grid while triangles are added. The cells have the length 1.
struct Grid {
    /// Length of a cell in metres.
    cell: f64,
    columns: usize,
    rows: usize,
    /// The height at each point, or negative infinity where there is no triangle.
    heights: Vec<f32>,
}

impl Terrain {
    /// Returns the highest surface of triangles at the points of a grid, for example of the floor, the stairs and the ramps of a level.
    /// Corners are in world metres, and `cell` is the horizontal spacing of the grid in metres. Vertical triangles have no effect. A point
    /// without a triangle has the height of the nearest point of its row, and a row without triangles that of the nearest row.
    ///
    /// Each point has only one height, so characters walk on roofs and bridges, not below them. Leave out triangles that hide a floor.
    ///
    /// ```
    /// use sinew_render::crowd::Terrain;
    /// use sinew_character::glam::{Vec2, Vec3};
    ///
    /// // A floor, and a ramp above one half of it.
    /// let floor = [Vec3::ZERO, Vec3::Z * 4.0, Vec3::new(4.0, 0.0, 4.0)];
    /// let other = [Vec3::ZERO, Vec3::new(4.0, 0.0, 4.0), Vec3::X * 4.0];
    /// let ramp = [Vec3::ZERO, Vec3::new(4.0, 2.0, 4.0), Vec3::new(4.0, 2.0, 0.0)];
    /// let terrain = Terrain::from_triangles(&[floor, other, ramp], 0.5)?;
    /// assert_eq!(terrain.height(Vec2::new(1.0, 3.0)), 0.0);
    /// assert_eq!(terrain.height(Vec2::new(3.0, 1.0)), 1.5);
    /// # Ok::<(), sinew_render::crowd::TerrainError>(())
    /// ```
    ///
    /// # Errors
    /// [`TerrainError`] if no triangle contains a point of the grid, if a number is not finite, or if the grid has too many heights.
    pub fn from_triangles(triangles: &[[Vec3; 3]], cell: f32) -> Result<Self, TerrainError> {
        let corners = triangles.as_flattened();
        if !cell.is_finite() || cell < 1e-6 || !corners.iter().all(|corner| corner.is_finite()) {
            return Err(TerrainError::Number);
        }
        if triangles.is_empty() {
            return Err(TerrainError::Empty);
        }
        let no_box = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let (low, high) = corners.iter().fold(no_box, |(low, high), &c| (low.min(c), high.max(c)));
        let (columns, rows) = (points(low.x, high.x, cell), points(low.z, high.z, cell));
        let (Some(columns), Some(rows)) = (columns, rows) else { return Err(TerrainError::Size) };
        let (width, depth) = (columns as usize, rows as usize);
        let count = width.checked_mul(depth).filter(|count| *count <= MAX_HEIGHTS);
        let heights = vec![f32::NEG_INFINITY; count.ok_or(TerrainError::Size)?];
        let mut grid = Grid { cell: cell.into(), columns: width, rows: depth, heights };
        for corners in triangles {
            grid.add(corners.map(|corner| {
                let at = (corner.as_dvec3() - low.as_dvec3()) / f64::from(cell);
                DVec3::new(at.x, f64::from(corner.y), at.z)
            }));
        }
        if !grid.fill() {
            return Err(TerrainError::Empty);
        }
        Self::from_heights(grid.heights, columns, rows, cell, Vec2::new(low.x, low.z))
    }
}

/// Returns the number of grid points from one coordinate to another, or `None` if there are too many or if there is no range.
fn points(low: f32, high: f32, cell: f32) -> Option<u32> {
    let cells = ((f64::from(high) - f64::from(low)) / f64::from(cell) - MARGIN).ceil().max(1.0);
    (low <= high && cells < MAX_HEIGHTS as f64).then(|| cells as u32 + 1)
}

impl Grid {
    /// Raises the points below a triangle to its surface. x and z of the corners are in cells, and y is in metres.
    fn add(&mut self, [a, b, c]: [DVec3; 3]) {
        let normal = (b - a).cross(c - a);
        if normal.y.abs() * STEEPEST * self.cell <= DVec2::new(normal.x, normal.z).length() {
            return;
        }
        let (lowest, highest) = (a.y.min(b.y).min(c.y), a.y.max(b.y).max(c.y));
        let rows = between(a.z.min(b.z).min(c.z), a.z.max(b.z).max(c.z), self.rows);
        for row in rows {
            let z = row as f64;
            let (mut first, mut last) = (f64::INFINITY, f64::NEG_INFINITY);
            for (from, to) in [(a, b), (b, c), (c, a)] {
                if z < from.z.min(to.z) - MARGIN || z > from.z.max(to.z) + MARGIN {
                    continue;
                }
                // An edge along the row contributes both of its ends.
                let is_along = (to.z - from.z).abs() <= MARGIN;
                let x = from.x + (to.x - from.x) * ((z - from.z) / (to.z - from.z)).clamp(0.0, 1.0);
                for x in if is_along { [from.x, to.x] } else { [x, x] } {
                    (first, last) = (first.min(x), last.max(x));
                }
            }
            let columns = between(first, last, self.columns);
            let of_row = self.heights.get_mut(row * self.columns..).unwrap_or_default();
            for (column, height) in of_row.iter_mut().enumerate().take(columns.end).skip(columns.start) {
                let offset = DVec2::new(column as f64 - a.x, z - a.z);
                let y = a.y - (normal.x * offset.x + normal.z * offset.y) / normal.y;
                *height = (*height).max(y.max(lowest).min(highest) as f32);
            }
        }
    }

    /// Copies heights to points without a triangle. Returns whether any point has one.
    fn fill(&mut self) -> bool {
        let mut known_rows = Vec::new();
        for (index, row) in self.heights.chunks_exact_mut(self.columns).enumerate() {
            let known: Vec<usize> = (0..row.len()).filter(|&column| row[column].is_finite()).collect();
            for (column, from) in nearest_known(&known, row.len()).into_iter().enumerate() {
                row[column] = row[from];
            }
            if !known.is_empty() {
                known_rows.push(index);
            }
        }
        for (row, from) in nearest_known(&known_rows, self.rows).into_iter().enumerate() {
            let first = from * self.columns;
            self.heights.copy_within(first..first + self.columns, row * self.columns);
        }
        !known_rows.is_empty()
    }
}

/// Returns the grid points from one coordinate to another, of those below `count`.
fn between(low: f64, high: f64, count: usize) -> Range<usize> {
    let first = (low - MARGIN).ceil().max(0.0) as usize;
    let end = ((high + MARGIN).floor() + 1.0).max(0.0) as usize;
    first..end.min(count)
}

/// Returns the nearest known index of each index below `count`. The known indices are sorted. Without known indices, the list is empty.
fn nearest_known(known: &[usize], count: usize) -> Vec<usize> {
    let distance =
        |next: usize, index: usize| known.get(next).map_or(usize::MAX, |known| known.abs_diff(index));
    let mut next = 0;
    let nearest = |index: usize| {
        while distance(next + 1, index) < distance(next, index) {
            next += 1;
        }
        known.get(next).copied()
    };
    (0..count).filter_map(nearest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crowd::ground;

    /// Returns a level rectangle.
    fn floor(low: Vec2, high: Vec2, height: f32) -> [[Vec3; 3]; 2] {
        let at = |x: f32, z: f32| Vec3::new(x, height, z);
        let [a, b] = [at(low.x, low.y), at(high.x, low.y)];
        let [c, d] = [at(high.x, high.y), at(low.x, high.y)];
        [[a, b, c], [a, d, c]]
    }

    #[test]
    fn the_triangles_of_a_terrain_give_the_same_heights() {
        let hills = Terrain::hills(4, 12.0);
        let ground = ground(&hills);
        let mesh = &ground.meshes[0].primitives[0];
        let corners = |triangle: &[u32; 3]| triangle.map(|corner| mesh.positions[corner as usize]);
        let triangles: Vec<[Vec3; 3]> = mesh.triangles.iter().map(corners).collect();
        let same = Terrain::from_triangles(&triangles, hills.cell()).unwrap();
        assert_eq!((same.size(), same.origin(), same.cell()), (hills.size(), hills.origin(), hills.cell()));
        for (a, b) in same.heights().iter().zip(hills.heights()) {
            assert!((a - b).abs() < 1e-5, "{a} {b}");
        }
        // A finer grid lies on the same triangles.
        let fine = Terrain::from_triangles(&triangles, 0.5 * hills.cell()).unwrap();
        for at in [Vec2::new(0.25, 3.25), Vec2::new(-4.75, 8.5), Vec2::new(11.75, -11.25)] {
            assert!((fine.height(at) - hills.height(at)).abs() < 1e-4, "{at}");
        }
    }

    #[test]
    fn the_highest_surface_counts_and_gaps_have_the_nearest_height() {
        let [low, high] = [Vec2::ZERO, Vec2::splat(4.0)];
        let mut triangles = floor(low, high, 1.0).to_vec();
        triangles.extend(floor(Vec2::splat(1.0), Vec2::splat(2.0), 3.0));
        triangles.extend(floor(Vec2::splat(1.0), Vec2::splat(2.0), -3.0));
        // A vertical wall, and a roof at a distance.
        triangles.push([Vec3::ZERO, Vec3::Y * 9.0, Vec3::X * 4.0]);
        triangles.extend(floor(Vec2::new(0.0, 7.0), Vec2::new(2.0, 9.0), 2.0));
        let terrain = Terrain::from_triangles(&triangles, 1.0).unwrap();
        assert_eq!((terrain.size(), terrain.origin()), ((5, 10), Vec2::ZERO));
        let rows: Vec<&[f32]> = terrain.heights().chunks_exact(5).collect();
        assert_eq!(rows[0], [1.0; 5]);
        assert_eq!(rows[1], [1.0, 3.0, 3.0, 1.0, 1.0]);
        // Rows 5 and 6 have no triangles, and the roof is not as wide as the floor.
        assert_eq!([rows[5], rows[6], rows[7]], [[1.0; 5], [2.0; 5], [2.0; 5]]);
    }

    #[test]
    fn walls_with_rounding_errors_are_vertical() {
        let [low, high] = [Vec2::new(900.0, 900.0), Vec2::new(904.0, 904.0)];
        let mut triangles = floor(low, high, 1.0).to_vec();
        // A wall along the diagonal, whose upper edge is a rounding error beside the lower one.
        let [a, b] = [Vec3::new(900.0, 1.0, 900.0), Vec3::new(904.0, 1.0, 904.0)];
        let beside = Vec3::new(1e-4, 3.0, -1e-4);
        triangles.extend([[a, b, b + beside], [a, b + beside, a + beside]]);
        let terrain = Terrain::from_triangles(&triangles, 0.5).unwrap();
        assert!(terrain.heights().iter().all(|height| *height == 1.0), "{:?}", terrain.heights());
        // A steep ramp is not a wall, whatever the size of the cells.
        let ramp = [Vec3::ZERO, Vec3::new(0.0, 0.0, 1.0), Vec3::new(1.0, 50.0, 0.0)];
        for cell in [0.01, 1.0] {
            let terrain = Terrain::from_triangles(&[ramp], cell).unwrap();
            assert!((terrain.height(Vec2::new(1.0, 0.0)) - 50.0).abs() < 1e-2, "{cell}");
        }
    }

    #[test]
    fn invalid_triangles_are_refused() {
        let [a, b] = floor(Vec2::ZERO, Vec2::splat(4.0), 0.0);
        let make = |triangles: &[[Vec3; 3]], cell| Terrain::from_triangles(triangles, cell);
        assert_eq!(make(&[], 1.0), Err(TerrainError::Empty));
        assert_eq!(make(&[a, b], 0.0), Err(TerrainError::Number));
        assert_eq!(make(&[a, b], 1e-5), Err(TerrainError::Size));
        assert_eq!(make(&[[Vec3::NAN; 3]], 1.0), Err(TerrainError::Number));
        assert_eq!(make(&[[Vec3::ZERO, Vec3::Y, Vec3::X]], 1.0), Err(TerrainError::Empty));
        let huge = [Vec3::splat(-3e38), Vec3::splat(3e38), Vec3::new(3e38, 0.0, -3e38)];
        assert!(make(&[huge], 1e38).is_ok() && make(&[huge], 1.0).is_err());
    }
}
