//! The built-in environments, which consist of a few shapes.

use std::sync::LazyLock;

use glam::Vec3;

use super::environment::Environment;

/// A rectangular lamp at an infinite distance.
struct SoftBox {
    /// The unit direction towards the lamp's centre.
    towards: Vec3,
    /// Tangents of the half angles of the lamp's width and height.
    half_size: (f32, f32),
    /// Width of its soft edge, as a fraction of its size.
    edge: f32,
    color: Vec3,
}

impl SoftBox {
    fn radiance(&self, direction: Vec3) -> Vec3 {
        let along = direction.dot(self.towards);
        if along <= 0.0 {
            return Vec3::ZERO;
        }
        let right = Vec3::Y.cross(self.towards).normalize_or(Vec3::X);
        let up = self.towards.cross(right);
        let cover = |axis: Vec3, half: f32| {
            let at = (direction.dot(axis) / along / half).abs();
            1.0 - smoothstep(1.0 - self.edge, 1.0 + self.edge, at)
        };
        self.color * (cover(right, self.half_size.0) * cover(up, self.half_size.1))
    }
}

/// Returns the studio: a large soft key light from the upper right with a bright lamp in it, a cool fill light from the left, a narrow
/// lamp in front, two strips behind the figure, and a grey room.
///
/// White surfaces that face the default camera receive light with a brightness of about one, so that base colours look as their authors
/// chose them. The bright lamp is small, so it adds highlights to smooth surfaces and little light to others. The floor is lighter than the
/// walls, so that metals show a horizon.
pub(super) fn studio() -> &'static Environment {
    static STUDIO: LazyLock<Environment> = LazyLock::new(|| {
        let soft_box = |towards: Vec3, half_size, edge, color| SoftBox {
            towards: towards.normalize(),
            half_size,
            edge,
            color,
        };
        let towards_key = Vec3::new(0.46, 0.70, 0.58);
        let key = [
            soft_box(towards_key, (0.40, 0.36), 0.12, Vec3::new(3.6, 3.47, 3.28)),
            soft_box(towards_key, (0.13, 0.12), 0.25, Vec3::new(9.0, 8.7, 8.4)),
        ];
        let others = [
            soft_box(Vec3::new(-0.80, 0.24, 0.62), (0.45, 0.62), 0.25, Vec3::new(0.85, 0.89, 0.97)),
            soft_box(Vec3::new(-0.22, 0.42, 1.0), (0.12, 0.30), 0.25, Vec3::splat(2.4)),
            soft_box(Vec3::new(-0.66, 0.42, -0.7), (0.14, 0.75), 0.2, Vec3::new(3.2, 3.3, 3.6)),
            soft_box(Vec3::new(0.86, 0.3, -0.6), (0.11, 0.7), 0.2, Vec3::new(2.4, 2.3, 2.1)),
        ];
        let room = |d: Vec3| {
            let floor = Vec3::new(0.30, 0.291, 0.282);
            let wall = Vec3::new(0.15, 0.155, 0.165);
            let ceiling = Vec3::new(0.52, 0.54, 0.58);
            let below = floor.lerp(wall, smoothstep(-0.10, 0.02, d.y));
            let behind_figure = (-d.z).max(0.0);
            below.lerp(ceiling, smoothstep(0.2, 0.9, d.y)) * (1.0 - 0.3 * behind_figure)
        };
        let sum = |lamps: &[SoftBox], d: Vec3| lamps.iter().map(|lamp| lamp.radiance(d)).sum::<Vec3>();
        Environment::new(|d| room(d) + sum(&others, d) + sum(&key, d), |d| sum(&key, d))
    });
    &STUDIO
}

/// Returns a clear day: a blue sky that is brighter at the horizon and around the sun, and ground.
pub(super) fn outdoor() -> &'static Environment {
    static OUTDOOR: LazyLock<Environment> = LazyLock::new(|| {
        let towards_sun = Vec3::new(0.42, 0.72, 0.5).normalize();
        // The sun is wider and less bright than the real one, because the texture is coarse.
        let sun = move |d: Vec3| {
            let cover = smoothstep(0.9925, 0.9965, d.dot(towards_sun));
            Vec3::new(1.0, 0.93, 0.80) * (84.0 * cover)
        };
        let sky = move |d: Vec3| {
            let height = d.y.max(0.0);
            let blue =
                Vec3::new(0.46, 0.54, 0.66).lerp(Vec3::new(0.13, 0.26, 0.58), smoothstep(0.0, 0.75, height));
            let glow = Vec3::new(0.9, 0.8, 0.62) * d.dot(towards_sun).max(0.0).powi(24) * 0.8;
            let ground = Vec3::new(0.13, 0.12, 0.10);
            ground.lerp(blue + glow, smoothstep(-0.03, 0.03, d.y))
        };
        Environment::new(|d| sky(d) + sun(d), sun)
    });
    &OUTDOOR
}

/// Returns an environment with the same light from all directions.
pub(super) fn flat() -> &'static Environment {
    static FLAT: LazyLock<Environment> =
        LazyLock::new(|| Environment::new(|_| Vec3::splat(0.8), |_| Vec3::ZERO));
    &FLAT
}

fn smoothstep(from: f32, to: f32, value: f32) -> f32 {
    let t = ((value - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
