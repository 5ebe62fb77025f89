//! Anisotropic reflections: their shape, and the formula of direct light.

use std::f32::consts::{FRAC_PI_2, PI};

use glam::{Vec2, Vec3};
use serde_json::json;
use sinew::render::{DecodedImage, Environment, Light};

use crate::layers::{assert_shows, facing, to_camera};
use crate::light::{draw, environment_term, normals, sphere_of};
use crate::{image_light, linear, pixel};

const ROUGHNESS: f32 = 0.3;

/// A metal sphere whose reflections are stretched along its tangents, which point to the right, or at an angle to them.
fn brushed(strength: f32, rotation: f32) -> Vec<u8> {
    sphere_of(json!({
        "pbrMetallicRoughness": {"baseColorFactor": [0.6, 0.6, 0.6, 1], "roughnessFactor": ROUGHNESS},
        "extensions": {"KHR_materials_anisotropy": {"anisotropyStrength": strength, "anisotropyRotation": rotation}},
    }))
}

/// Returns the spread of a highlight's light to the right and upwards, as standard deviations.
fn spread(image: &DecodedImage) -> Vec2 {
    let (mut sum, mut at, mut squares) = (0.0, Vec2::ZERO, Vec2::ZERO);
    for (x, y, n) in normals(0.8) {
        let light = (linear(pixel(image, x, y)[1]) - 0.1).max(0.0);
        sum += light;
        at += light * n.truncate();
        squares += light * n.truncate() * n.truncate();
    }
    let mean = at / sum;
    (squares / sum - mean * mean).max(Vec2::ZERO).powf(0.5)
}

/// In every light, brushed metal shows a highlight that is stretched along the rotated tangent.
#[test]
fn highlights_are_stretched_along_the_direction() {
    let lamp = Environment::new(|d| Vec3::splat(if d.z > 0.98 { 6.0 } else { 0.02 }), |_| Vec3::ZERO);
    for light in [image_light(lamp), Light { exposure: -1.5, ..Light::default() }] {
        let [round, right, up] = [(0.0, 0.0), (0.9, 0.0), (0.9, FRAC_PI_2)]
            .map(|(s, r)| spread(&draw(&brushed(s, r), light.clone())));
        assert!(right.x > 1.3 * right.y && right.x > 1.15 * round.x, "{round} {right}");
        assert!(up.y > 1.3 * up.x && up.y > 1.15 * round.y, "{round} {up}");
    }
}

/// The GGX distribution with two roughnesses, in the form of Walter et al. 2007, and the shadowing of Heitz 2014.
fn ggx(n: Vec3, t: Vec3, v: Vec3, l: Vec3, strength: f32) -> f32 {
    let (b, h) = (n.cross(t), (v + l).normalize());
    let across = ROUGHNESS * ROUGHNESS;
    let along = across + (1.0 - across) * strength * strength;
    let squares = (t.dot(h) / along).powi(2) + (b.dot(h) / across).powi(2) + n.dot(h).powi(2);
    let d = 1.0 / (PI * along * across * squares * squares);
    let lambda = |w: Vec3| {
        let slope = ((along * t.dot(w)).powi(2) + (across * b.dot(w)).powi(2)) / n.dot(w).powi(2);
        ((1.0 + slope).sqrt() - 1.0) / 2.0
    };
    d / ((1.0 + lambda(v) + lambda(l)) * 4.0 * n.dot(v) * n.dot(l))
}

/// Compares a sphere in classic light with the formula. Only the key light and the fill light depend on the distribution.
#[test]
fn direct_light_follows_the_distribution() {
    for strength in [0.4_f32, 0.9] {
        let classic = Light { exposure: -2.0, ..Light::default() };
        let image = draw(&brushed(strength, 0.0), classic.clone());
        let key = classic.key_direction();
        let fill = Vec3::new(-0.75, 0.25, 0.6).normalize();
        assert_shows(&image, 0.9, 0.012, "brushed metal", |n| {
            let (v, nv) = (to_camera(n), facing(n));
            let t = Vec3::Y.cross(n).normalize();
            let direct = |l: Vec3| {
                let nl = n.dot(l).max(0.0);
                let fresnel = 0.6 + 0.4 * (1.0 - v.dot((v + l).normalize())).powi(5);
                if nl > 0.0 { fresnel * ggx(n, t, v, l, strength) * nl } else { 0.0 }
            };
            // The environment is reflected by a normal that is bent towards the camera around the bitangent.
            let b = n.cross(t);
            let bend = (1.0 - strength * (1.0 - ROUGHNESS)).powi(4);
            let bent = (v - b * b.dot(v)).normalize().lerp(n, bend).normalize();
            let mirrored = bent * (2.0 * bent.dot(v)) - v;
            let [scale, bias] = environment_term(ROUGHNESS, nv).to_array();
            let lit = direct(key) * Vec3::new(1.0, 0.97, 0.92) * 2.6
                + direct(fill) * Vec3::new(0.8, 0.88, 1.0) * 0.55;
            (lit + (0.6 * scale + bias) * room(mirrored, key) * 0.62) * 0.25
        });
    }
}

/// The ambient part of classic light, as smooth metal reflects it.
fn room(d: Vec3, key: Vec3) -> Vec3 {
    let up = d.y * 0.5 + 0.5;
    let step = up * up * (3.0 - 2.0 * up);
    let gradient = Vec3::new(0.34, 0.32, 0.30).lerp(Vec3::new(0.84, 0.88, 0.95), step);
    let sharp = 24.0 + (2.0 - 24.0) * ROUGHNESS;
    let mix = |a: f32, b: f32| a + (b - a) * ROUGHNESS;
    let rim = Vec3::new(-0.7, 0.35, -0.6).normalize();
    gradient
        + d.dot(key).max(0.0).powf(sharp) * mix(2.2, 0.25)
        + d.dot(rim).max(0.0).powf(sharp) * mix(1.4, 0.15)
}
