//! The ground as a height field: the CPU twin of `shaders/crowd/terrain.wgsl`.

use std::sync::Arc;

use glam::{Vec2, Vec3, Vec3Swizzles};

use crate::body::Ground;

/// Maximum number of heights.
pub(super) const MAX_HEIGHTS: usize = 1 << 24;
/// Slope of the steepest part of [`Terrain::hills`]. This is the tangent of 20°.
const STEEPEST: f32 = 0.364;
/// Wavelengths of the waves of [`Terrain::hills`], as fractions of the longest wavelength.
const WAVES: [f32; 3] = [1.0, 0.53, 0.31];
/// Longest wavelength of [`Terrain::hills`], in metres.
const LONGEST: f32 = 16.0;
/// Horizontal spacing of the height grid of [`Terrain::hills`], in metres.
const CELL: f32 = 0.5;

/// The ground: heights at the points of a grid. Each cell consists of two triangles that share the diagonal from the cell's
/// first to its last corner. Outside the grid, the height of the nearest point on the border is used. Copies share the heights.
#[derive(Clone, Debug, PartialEq)]
pub struct Terrain {
    heights: Arc<[f32]>,
    columns: u32,
    rows: u32,
    cell: f32,
    origin: Vec2,
}

/// The reason why heights do not form a terrain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TerrainError {
    /// The grid has no cell, or too many heights.
    #[error("a terrain needs 2 to 16,777,216 heights in at least 2 columns and 2 rows")]
    Size,
    /// The number of heights differs from columns times rows.
    #[error("the number of heights must be the number of columns times the number of rows")]
    Count,
    /// A height, the origin or the cell is not finite, or the cell is not positive.
    #[error("heights and origin must be finite, and the cell must be positive")]
    Number,
    /// No triangle contains a point of the grid.
    #[error("the triangles contain no point of the terrain's grid; use larger triangles or smaller cells")]
    Empty,
}

impl Terrain {
    /// Returns level ground at height 0 that extends `half_size` metres in each direction.
    pub fn flat(half_size: f32) -> Self {
        let half_size = if half_size.is_finite() { half_size.clamp(1.0, 1e4) } else { 1.0 };
        let (cell, origin) = (2.0 * half_size, Vec2::splat(-half_size));
        Self { heights: [0.0; 4].into(), columns: 2, rows: 2, cell, origin }
    }

    /// Returns smooth hills with slopes of up to 20°, the sum of a few waves of cubic noise. The hills extend `half_size`
    /// metres in each direction, at most 10,000. If `half_size` is more than 500, the grid is coarser.
    pub fn hills(seed: u32, half_size: f32) -> Self {
        let half_size = if half_size.is_finite() { half_size.clamp(1.0, 1e4) } else { 1.0 };
        let cell = CELL.max(half_size / 1000.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "2 to 2001")]
        let side = (2.0 * half_size / cell).ceil() as u32 + 1;
        let origin = Vec2::splat(-half_size);
        let mut heights = Vec::new();
        for z in 0..side {
            for x in 0..side {
                #[expect(clippy::cast_precision_loss, reason = "at most 2001")]
                let at = origin + Vec2::new(x as f32, z as f32) * cell;
                heights.push(
                    WAVES
                        .iter()
                        .zip(0_u32..)
                        .map(|(size, i)| wave(at, size * LONGEST, seed.wrapping_add(i)))
                        .sum(),
                );
            }
        }
        let mut hills = Self { heights: heights.into(), columns: side, rows: side, cell, origin };
        let steepest = hills.steepest();
        if steepest > STEEPEST {
            hills.heights = hills.heights.iter().map(|height| height * (STEEPEST / steepest)).collect();
        }
        hills
    }

    /// Creates a terrain from heights in metres, row by row. Columns follow the x axis and rows the z axis. `cell` is the
    /// horizontal spacing of the grid in metres, and `origin` contains x and z of the first height.
    ///
    /// ```
    /// use sinew_render::crowd::Terrain;
    /// use sinew_character::glam::{Vec2, Vec3};
    ///
    /// // A slope that rises by one metre over two.
    /// let slope = Terrain::from_heights(vec![0.0, 1.0, 0.0, 1.0], 2, 2, 2.0, Vec2::ZERO)?;
    /// assert_eq!(slope.height(Vec2::new(1.0, 0.5)), 0.5);
    /// let normal = slope.normal(Vec2::new(1.0, 0.5), 0.1);
    /// assert!(normal.normalize().abs_diff_eq(Vec3::new(-0.5, 1.0, 0.0).normalize(), 1e-5));
    /// # Ok::<(), sinew_render::crowd::TerrainError>(())
    /// ```
    ///
    /// # Errors
    /// [`TerrainError`] if the arguments do not define a grid of finite heights.
    pub fn from_heights(
        heights: Vec<f32>,
        columns: u32,
        rows: u32,
        cell: f32,
        origin: Vec2,
    ) -> Result<Self, TerrainError> {
        let count = (columns as usize).checked_mul(rows as usize).filter(|c| *c <= MAX_HEIGHTS);
        if columns < 2 || rows < 2 || count.is_none() {
            return Err(TerrainError::Size);
        }
        if count != Some(heights.len()) {
            return Err(TerrainError::Count);
        }
        if !is_valid(cell, origin) || !heights.iter().all(|h| h.is_finite()) {
            return Err(TerrainError::Number);
        }
        Ok(Self { heights: heights.into(), columns, rows, cell, origin })
    }

    /// Returns the terrain with all horizontal distances from the origin of the world multiplied by a factor.
    ///
    /// # Errors
    /// [`TerrainError::Number`] if a number is then not finite or the cell is too small.
    pub(crate) fn stretched(&self, factor: f32) -> Result<Self, TerrainError> {
        let (cell, origin) = (self.cell * factor, self.origin * factor);
        if !is_valid(cell, origin) {
            return Err(TerrainError::Number);
        }
        Ok(Self { cell, origin, ..self.clone() })
    }

    /// Returns the heights in metres, row by row.
    pub fn heights(&self) -> &[f32] {
        &self.heights
    }

    /// Returns the numbers of columns and rows.
    pub fn size(&self) -> (u32, u32) {
        (self.columns, self.rows)
    }

    /// Returns the horizontal spacing of the height grid in metres.
    pub fn cell(&self) -> f32 {
        self.cell
    }

    /// Returns x and z of the first height.
    pub fn origin(&self) -> Vec2 {
        self.origin
    }

    fn height_at(&self, x: u32, z: u32) -> f32 {
        self.heights.get((z * self.columns + x) as usize).copied().unwrap_or_default()
    }

    /// Returns the height of the ground at x and z in world metres.
    pub fn height(&self, at: Vec2) -> f32 {
        #[expect(clippy::cast_precision_loss, reason = "at most 2²³ columns or rows")]
        let last = Vec2::new((self.columns - 1) as f32, (self.rows - 1) as f32);
        let p = ((at - self.origin) / self.cell).max(Vec2::ZERO).min(last);
        let corner = p.floor().min(last - 1.0);
        let f = p - corner;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the grid")]
        let (x, z) = (corner.x as u32, corner.y as u32);
        let (low, high) = (self.height_at(x, z), self.height_at(x + 1, z + 1));
        if f.x > f.y {
            let side = self.height_at(x + 1, z);
            return low + f.x * (side - low) + f.y * (high - side);
        }
        let side = self.height_at(x, z + 1);
        low + f.y * (side - low) + f.x * (high - side)
    }

    /// Returns the upward normal of the ground around a point, computed from the heights at `distance` metres from it. The normal need not
    /// be a unit vector.
    pub fn normal(&self, at: Vec2, distance: f32) -> Vec3 {
        let (dx, dz) = (Vec2::X * distance, Vec2::Y * distance);
        let x = self.height(at - dx) - self.height(at + dx);
        let z = self.height(at - dz) - self.height(at + dz);
        Vec3::new(x, 2.0 * distance, z)
    }

    /// Returns the slope of the steepest triangle.
    fn steepest(&self) -> f32 {
        let mut steepest = 0.0_f32;
        for z in 0..self.rows - 1 {
            for x in 0..self.columns - 1 {
                let [a, b] = [self.height_at(x, z), self.height_at(x + 1, z)];
                let [c, d] = [self.height_at(x, z + 1), self.height_at(x + 1, z + 1)];
                let slopes = [Vec2::new(b - a, d - b), Vec2::new(d - c, c - a)];
                steepest = slopes.iter().map(|s| s.length() / self.cell).fold(steepest, f32::max);
            }
        }
        steepest
    }
}

impl Ground for &Terrain {
    fn height(&mut self, at: Vec3) -> f32 {
        Terrain::height(self, at.xz())
    }

    fn normal(&mut self, at: Vec3, distance: f32) -> Vec3 {
        Terrain::normal(self, at.xz(), distance)
    }
}

fn is_valid(cell: f32, origin: Vec2) -> bool {
    cell.is_finite() && cell >= 1e-6 && origin.is_finite()
}

/// Returns smooth noise between 0 and the amplitude of a wave. The amplitude is proportional to the wavelength.
fn wave(at: Vec2, length: f32, seed: u32) -> f32 {
    let (p, corner) = (at / length, (at / length).floor());
    let f = p - corner;
    let f = f * f * (3.0 - 2.0 * f);
    #[expect(clippy::cast_possible_truncation, reason = "at most 500 m")]
    let (x, z) = (corner.x as i32, corner.y as i32);
    let [a, b] = [noise(x, z, seed), noise(x + 1, z, seed)];
    let [c, d] = [noise(x, z + 1, seed), noise(x + 1, z + 1, seed)];
    let (near, far) = (a + f.x * (b - a), c + f.x * (d - c));
    0.3 * length * (near + f.y * (far - near))
}

/// Returns a pseudo-random number from 0 to 1 that depends only on the given integers.
fn noise(x: i32, z: i32, seed: u32) -> f32 {
    let mut h = x.cast_unsigned().wrapping_mul(0x9E37_79B1)
        ^ z.cast_unsigned().wrapping_mul(0x85EB_CA77)
        ^ seed.wrapping_mul(0xC2B2_AE3D);
    for factor in [0x7FEB_352D, 0x846C_A68B] {
        h = (h ^ (h >> 15)).wrapping_mul(factor);
    }
    #[expect(clippy::cast_precision_loss, reason = "24 bits")]
    let value = (h >> 8) as f32 / 16_777_215.0;
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_lie_on_the_triangles_and_are_clamped_at_the_border() {
        let heights = vec![0.0, 1.0, 2.0, 4.0];
        let terrain = Terrain::from_heights(heights, 2, 2, 2.0, Vec2::new(10.0, 20.0)).unwrap();
        let at = |x: f32, z: f32| terrain.height(Vec2::new(x, z));
        assert_eq!([at(10.0, 20.0), at(12.0, 20.0), at(10.0, 22.0), at(12.0, 22.0)], [0.0, 1.0, 2.0, 4.0]);
        // The centre of the cell is on the diagonal, and the other two points are in the planes of the triangles.
        assert_eq!(at(11.0, 21.0), 2.0);
        assert_eq!(at(11.5, 20.5), 0.75 + 0.75);
        assert_eq!(at(10.5, 21.5), 1.5 + 0.5);
        assert_eq!([at(-1e9, 20.0), at(1e9, 1e9)], [0.0, 4.0]);
    }

    #[test]
    fn hills_are_smooth_and_not_steep() {
        for seed in 0..4 {
            let hills = Terrain::hills(seed, 30.0);
            assert!(hills.steepest() <= 0.3641, "{}", hills.steepest());
            let (low, high) =
                hills.heights().iter().fold((f32::MAX, f32::MIN), |(l, h), y| (l.min(*y), h.max(*y)));
            assert!(high - low > 1.0, "{low} {high}");
        }
        assert_ne!(Terrain::hills(1, 20.0), Terrain::hills(2, 20.0));
    }

    #[test]
    fn invalid_heights_are_refused() {
        let make =
            |heights: Vec<f32>, columns, cell| Terrain::from_heights(heights, columns, 2, cell, Vec2::ZERO);
        assert_eq!(make(vec![0.0; 2], 1, 1.0), Err(TerrainError::Size));
        assert_eq!(make(vec![0.0; 3], 2, 1.0), Err(TerrainError::Count));
        assert_eq!(make(vec![f32::NAN; 4], 2, 1.0), Err(TerrainError::Number));
        assert_eq!(make(vec![0.0; 4], 2, 0.0), Err(TerrainError::Number));
    }
}
