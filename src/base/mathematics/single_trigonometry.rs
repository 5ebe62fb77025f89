//! Trigonometric functions of bounded arguments in single precision: the CPU twin of `shaders/trigonometry.wgsl`.

use std::f32::consts::FRAC_PI_2;

use glam::{Quat, Vec2, Vec3, Vec4};

/// Returns atan(y / x) for y and x that are not negative.
fn atan2_first_quadrant(y: f32, x: f32) -> f32 {
    const FACTORS: [f32; 8] = [
        0.002_866_225_7,
        -0.016_165_737,
        0.042_909_615,
        -0.075_289_64,
        0.106_562_64,
        -0.142_089,
        0.199_935_51,
        -0.333_331_45,
    ];
    let most = x.max(y);
    if most <= 0.0 {
        return 0.0;
    }
    let t = x.min(y) / most;
    let s = t * t;
    let angle = t + t * s * FACTORS.iter().fold(0.0, |sum, factor| factor + s * sum);
    if y > x { FRAC_PI_2 - angle } else { angle }
}

/// Returns the cosine and the sine of an angle within ±π/2.
fn cos_sin(angle: f32) -> Vec2 {
    const COSINE: [f32; 6] =
        [1.0 / 479_001_600.0, -1.0 / 3_628_800.0, 1.0 / 40_320.0, -1.0 / 720.0, 1.0 / 24.0, -0.5];
    const SINE: [f32; 5] = [-1.0 / 39_916_800.0, 1.0 / 362_880.0, -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0];
    let s = angle * angle;
    let sum = |factors: &[f32]| factors.iter().fold(0.0, |sum, factor| factor + s * sum);
    Vec2::new(1.0 + s * sum(&COSINE), angle + angle * s * sum(&SINE))
}

/// Returns the rotation vector of a rotation, with an angle within ±π.
pub fn rotation_vector(rotation: Quat) -> Vec3 {
    let q = if rotation.w < 0.0 { -rotation } else { rotation };
    let sine = q.xyz().length();
    if sine < 1e-6 {
        return 2.0 * q.xyz();
    }
    q.xyz() * (2.0 * atan2_first_quadrant(sine, q.w) / sine)
}

/// Returns the rotation for a rotation vector whose length is at most π.
pub fn from_rotation_vector(v: Vec3) -> Quat {
    let angle = v.length();
    if angle < 1e-6 {
        return Quat::from_vec4((0.5 * v).extend(1.0));
    }
    let half = cos_sin(0.5 * angle);
    Quat::from_vec4((v * (half.y / angle)).extend(half.x))
}

/// Returns the rotation of a step: exact to first order, and never more than half a turn (the Cayley map).
pub fn retract(v: Vec3) -> Quat {
    let q: Vec4 = (0.5 * v).extend(1.0);
    Quat::from_vec4(q / q.length())
}

/// Returns the step that [`retract`] maps to a rotation. Half a turn, which no step reaches, becomes a long step.
pub fn step_of(rotation: Quat) -> Vec3 {
    let q = if rotation.w < 0.0 { -rotation } else { rotation };
    q.xyz() * (2.0 / q.w.max(1e-3))
}
