//! Reflections of an environment on surfaces of a given roughness: the mean of its light, weighted by the GGX distribution around
//! the direction of reflection (Karis 2013).

use std::f32::consts::{PI, TAU};

use glam::{Vec2, Vec3};
use half::f16;
use rayon::prelude::*;

use super::octahedron::{self, CONTENT, LEVELS, SIZE};

/// Width of the radiance map, in texels.
const WIDTH: usize = 128;
/// Samples along each side of a texel of that map.
const SUBSAMPLES: u8 = 2;
/// Texels are clamped to this value, so that half floats do not overflow.
const MAX_RADIANCE: f32 = 30_000.0;

/// Radiance in all directions. Each level is half as wide as the previous one.
pub(super) struct RadianceMap {
    levels: Vec<Vec<Vec3>>,
}

impl RadianceMap {
    pub(super) fn new(radiance: &(impl Fn(Vec3) -> Vec3 + Sync)) -> Self {
        let texel = |index: usize| {
            let (x, y) = (index % WIDTH, index / WIDTH);
            let mut sum = Vec3::ZERO;
            for j in 0..SUBSAMPLES {
                for i in 0..SUBSAMPLES {
                    let part = |at: usize, i: u8| to_f32(at) + (f32::from(i) + 0.5) / f32::from(SUBSAMPLES);
                    let at = Vec2::new(part(x, i), part(y, j)) * (2.0 / to_f32(WIDTH)) - 1.0;
                    sum += radiance(octahedron::direction(at));
                }
            }
            (sum / f32::from(SUBSAMPLES * SUBSAMPLES)).clamp(Vec3::ZERO, Vec3::splat(MAX_RADIANCE))
        };
        let mut levels = vec![(0..WIDTH * WIDTH).into_par_iter().map(texel).collect::<Vec<_>>()];
        let mut width = WIDTH;
        while let Some(finer) = levels.last().filter(|_| width > 4) {
            let half = width / 2;
            let mean = |index: usize| {
                let first = (index / half) * 2 * width + (index % half) * 2;
                let four = [first, first + 1, first + width, first + width + 1];
                four.iter().filter_map(|&i| finer.get(i)).sum::<Vec3>() * 0.25
            };
            levels.push((0..half * half).map(mean).collect());
            width = half;
        }
        Self { levels }
    }

    /// Returns the directions, solid angles and radiances of cells that fill the sphere.
    pub(super) fn texels(&self) -> impl Iterator<Item = (Vec3, f32, Vec3)> + Clone {
        let side = 2.0 / to_f32(WIDTH);
        self.levels.first().into_iter().flatten().enumerate().map(move |(index, radiance)| {
            let at = (Vec2::new(to_f32(index % WIDTH), to_f32(index / WIDTH)) + 0.5) * side - 1.0;
            (octahedron::direction(at), octahedron::solid_angle(at, side * side), *radiance)
        })
    }

    /// Returns the mean radiance around a direction. Each level of detail doubles the width of the averaged area.
    fn sample(&self, direction: Vec3, detail: f32) -> Vec3 {
        let last = self.levels.len() - 1;
        let detail = detail.clamp(0.0, to_f32(last));
        let level = to_usize(detail);
        let at = octahedron::point(direction) * 0.5 + 0.5;
        let fine = self.filtered(level, at);
        if detail.fract() == 0.0 {
            return fine;
        }
        fine.lerp(self.filtered((level + 1).min(last), at), detail.fract())
    }

    fn filtered(&self, level: usize, at: Vec2) -> Vec3 {
        let width = WIDTH >> level;
        let p = at * to_f32(width) + 0.5;
        let (x, y, part) = (to_usize(p.x), to_usize(p.y), p.fract());
        let row = |y: usize| self.fetch(level, x, y).lerp(self.fetch(level, x + 1, y), part.x);
        row(y).lerp(row(y + 1), part.y)
    }

    /// Returns a texel by its indices plus one. A texel beyond an edge is the one at the mirrored position on the same edge.
    fn fetch(&self, level: usize, x: usize, y: usize) -> Vec3 {
        let width = WIDTH >> level;
        let wrapped = |along: usize, across: usize| match along {
            0 => (0, width - 1 - across.min(width - 1)),
            along if along > width => (width - 1, width - 1 - across.min(width - 1)),
            along => (along - 1, across),
        };
        let (x, across) = wrapped(x, y.saturating_sub(1));
        let (y, x) = wrapped(if y == 0 || y > width { y } else { across + 1 }, x);
        self.levels.get(level).and_then(|texels| texels.get(y * width + x)).copied().unwrap_or_default()
    }
}

/// Computes a level of an environment's texture.
pub(super) fn level(map: &RadianceMap, level: usize) -> Vec<[f16; 4]> {
    let width = SIZE >> level;
    let lobe = Lobe::new(to_f32(level) / to_f32(LEVELS - 1));
    let texel = |index: usize| {
        let at = (Vec2::new(to_f32(index % width), to_f32(index / width)) + 0.5) / to_f32(width) * 2.0 - 1.0;
        let light = lobe.mean(map, octahedron::direction(at / CONTENT)).min(Vec3::splat(MAX_RADIANCE));
        [light.x, light.y, light.z, 1.0].map(f16::from_f32)
    };
    (0..width * width).into_par_iter().map(texel).collect()
}

/// Directions around +Z from which light is reflected towards +Z.
struct Lobe {
    /// Direction, weight and level of detail of each sample.
    samples: Vec<(Vec3, f32, f32)>,
}

impl Lobe {
    fn new(roughness: f32) -> Self {
        if roughness <= 0.0 {
            return Self { samples: vec![(Vec3::Z, 1.0, 0.0)] };
        }
        let alpha2 = roughness.powi(4);
        let count = 96_u16;
        // The solid angle of a texel of the finest level.
        let texel = 4.0 * PI / to_f32(WIDTH * WIDTH);
        let sample = |i: u16| {
            // Evenly spread half vectors (Vogel 1979), importance sampled.
            let u = (f32::from(i) + 0.5) / f32::from(count);
            let angle = TAU * (f32::from(i) * 0.618_034).fract();
            let cos2 = (1.0 - u) / (1.0 + (alpha2 - 1.0) * u);
            let (cos, sin) = (cos2.sqrt(), (1.0 - cos2).max(0.0).sqrt());
            let half = Vec3::new(sin * angle.cos(), sin * angle.sin(), cos);
            let light = 2.0 * cos * half - Vec3::Z;
            // Each sample stands for the mean over its share of the lobe (Křivánek & Colbert 2008).
            let density = alpha2 / (PI * (cos2 * (alpha2 - 1.0) + 1.0).powi(2)) / 4.0;
            let share = 1.0 / (f32::from(count) * density.max(1e-6));
            (light.z > 0.0)
                .then(|| (light.normalize(), light.z, (0.5 * (share / texel).log2() + 0.5).max(0.0)))
        };
        Self { samples: (0..count).filter_map(sample).collect() }
    }

    /// Returns the mean of the light around a direction.
    fn mean(&self, map: &RadianceMap, direction: Vec3) -> Vec3 {
        let (x, y) = direction.any_orthonormal_pair();
        let (mut sum, mut weights) = (Vec3::ZERO, 0.0);
        for (light, weight, detail) in &self.samples {
            let towards = x * light.x + y * light.y + direction * light.z;
            sum += map.sample(towards, *detail) * *weight;
            weights += weight;
        }
        sum / weights
    }
}

#[expect(clippy::cast_precision_loss, reason = "sizes of small maps")]
fn to_f32(value: usize) -> f32 {
    value as f32
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "coordinates in small maps are not negative"
)]
fn to_usize(value: f32) -> usize {
    value as usize
}
