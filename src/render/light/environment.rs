//! Light from all directions, in the form that shaders read.

use std::hash::{DefaultHasher, Hasher};

use glam::{Vec2, Vec3};
use half::f16;

use super::harmonics;
use super::octahedron::{self, CONTENT, LEVELS, SIZE};
use super::prefilter::{self, RadianceMap};

/// The minimum height of the direction towards a key light. Shadows of lower lights would be too long to show.
const MIN_KEY_HEIGHT: f32 = 0.35;

/// Light from all directions.
#[derive(Debug)]
pub struct Environment {
    /// Spherical harmonics of the light that a matt surface collects, without the key light. For a constant radiance of one, the result is
    /// one.
    pub irradiance: [Vec3; 9],
    /// The levels of the texture: linear RGBA, row by row. The first one is 128 texels wide, and each of the next four is half as wide as
    /// the previous one. They contain all of the light, including the key light.
    pub levels: Vec<Vec<[f16; 4]>>,
    /// The brightest area.
    pub key: KeyLight,
    /// A hash of all fields above. Equal environments have equal hashes.
    pub id: u64,
}

/// The brightest area of an environment as a light from one direction, for surfaces that are not shiny.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyLight {
    /// The unit direction towards it, which is above the horizon.
    pub direction: Vec3,
    /// The brightness of a white surface that faces it. Zero if there is no key light.
    pub color: Vec3,
    /// The tangent of half the angle of a round lamp with the same spread. It determines how soft shadows are.
    pub spread: f32,
}

impl PartialEq for Environment {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Environment {
    /// Computes an environment from the radiance in each unit direction. `key` is the part of it that the key light replaces on surfaces
    /// that are not shiny.
    ///
    /// ```
    /// use sinew_character::glam::Vec3;
    /// use sinew_render::{Environment, Light, LightSource};
    ///
    /// // A blue sky above a dark floor, without a sun.
    /// let sky = |direction: Vec3| if direction.y > 0.0 { Vec3::new(0.2, 0.4, 1.0) } else { Vec3::ZERO };
    /// let environment = Environment::new(sky, |_| Vec3::ZERO);
    /// let up = environment.reflected(Vec3::Y, 0.0);
    /// assert!(up.abs_diff_eq(Vec3::new(0.2, 0.4, 1.0), 0.01));
    /// assert!(environment.reflected(Vec3::NEG_Y, 0.0).length() < 0.01);
    /// let light = Light::new(LightSource::Image(environment.into()));
    /// assert!(light.environment().is_some());
    /// ```
    pub fn new(radiance: impl Fn(Vec3) -> Vec3 + Sync, key: impl Fn(Vec3) -> Vec3 + Sync) -> Self {
        let map = RadianceMap::new(&radiance);
        let key_map = RadianceMap::new(&key);
        let texels = map.texels().zip(key_map.texels());
        let irradiance = harmonics::project(
            texels.map(|((d, area, all), (_, _, key))| (d, area, (all - key).max(Vec3::ZERO))),
        );
        let key = KeyLight::new(key_map.texels());
        let levels: Vec<_> = (0..LEVELS).map(|level| prefilter::level(&map, level)).collect();
        let id = id(&irradiance, &levels, &key);
        Self { irradiance, levels, key, id }
    }

    /// Returns the light that a surface of the given roughness reflects from a direction, as the shader computes it from its texture.
    pub fn reflected(&self, direction: Vec3, roughness: f32) -> Vec3 {
        #[expect(clippy::cast_precision_loss, reason = "a few levels")]
        let level = roughness.clamp(0.0, 1.0) * (LEVELS - 1) as f32;
        let at = octahedron::point(direction) * (0.5 * CONTENT) + 0.5;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most LEVELS")]
        let sharp = level.floor() as usize;
        self.filtered(sharp, at).lerp(self.filtered((sharp + 1).min(LEVELS - 1), at), level.fract())
    }

    /// Returns the bilinearly interpolated value at a point of a level. The coordinates of the point are from 0 to 1.
    fn filtered(&self, level: usize, at: Vec2) -> Vec3 {
        let width = SIZE >> level;
        let Some(texels) = self.levels.get(level) else { return Vec3::ZERO };
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let p = (at * width as f32 - 0.5).clamp(Vec2::ZERO, Vec2::splat((width - 1) as f32));
        let fetch = |x: f32, y: f32| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped above")]
            let index = (y as usize).min(width - 1) * width + (x as usize).min(width - 1);
            texels.get(index).map_or(Vec3::ZERO, |[r, g, b, _]| Vec3::new(r.to_f32(), g.to_f32(), b.to_f32()))
        };
        let (low, part) = (p.floor(), p.fract());
        let row = |y: f32| fetch(low.x, y).lerp(fetch(low.x + 1.0, y), part.x);
        row(low.y).lerp(row(low.y + 1.0), part.y)
    }
}

impl KeyLight {
    fn new(light: impl Iterator<Item = (Vec3, f32, Vec3)> + Clone) -> Self {
        let (mut towards, mut color) = (Vec3::ZERO, Vec3::ZERO);
        for (direction, solid_angle, radiance) in light.clone() {
            towards += direction * (solid_angle * radiance.element_sum());
            color += radiance * (solid_angle / std::f32::consts::PI);
        }
        let direction = towards.normalize_or(Vec3::Y);
        // The mean of the squared distances from the centre of a disc is half its squared radius.
        let (mut squares, mut weight) = (0.0, 0.0);
        for (towards, solid_angle, radiance) in light {
            let along = towards.dot(direction).max(0.1);
            let share = solid_angle * radiance.element_sum();
            squares += share * (1.0 / (along * along) - 1.0).max(0.0);
            weight += share;
        }
        let spread = if weight > 0.0 { (2.0 * squares / weight).sqrt().min(1.0) } else { 0.0 };
        let level = Vec2::new(direction.x, direction.z);
        let height = direction.y.max(MIN_KEY_HEIGHT);
        let level = level.clamp_length_max((1.0 - height * height).max(0.0).sqrt());
        Self { direction: Vec3::new(level.x, height, level.y).normalize(), color, spread }
    }
}

fn id(irradiance: &[Vec3; 9], levels: &[Vec<[f16; 4]>], key: &KeyLight) -> u64 {
    let mut hash = DefaultHasher::new();
    hash.write(bytemuck::cast_slice(irradiance));
    levels.iter().for_each(|level| hash.write(bytemuck::cast_slice(level)));
    hash.write(bytemuck::cast_slice(&[key.direction, key.color]));
    hash.write(&key.spread.to_le_bytes());
    hash.finish()
}
