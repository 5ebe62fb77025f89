//! Compares the parts of environments with integrals, and drawn spheres with the formulas on the CPU.

use std::f32::consts::{PI, TAU};

use glam::{Quat, Vec2, Vec3};
use serde_json::json;
use sinew::render::{Background, DecodedImage, Environment, Light, LightSource, ShadingMode, ToneMap};
use sinew::scene::ViewSettings;

use crate::{draw_sized, image_light, linear, pixel, settings, sphere_grid};
use sinew_testkit::Builder;

/// Directions that are spread evenly (Vogel 1979).
fn directions(count: u16) -> impl Iterator<Item = Vec3> {
    (0..count).map(move |i| {
        let y = 1.0 - 2.0 * (f32::from(i) + 0.5) / f32::from(count);
        let angle = TAU * (f32::from(i) * 0.618_034).fract();
        Vec3::new(angle.cos(), 0.0, angle.sin()) * (1.0 - y * y).sqrt() + Vec3::Y * y
    })
}

/// Smooth coloured light from everywhere.
fn smooth(d: Vec3) -> Vec3 {
    Vec3::new(0.5 + 0.4 * d.x, 0.4 + 0.3 * d.y * d.z, 0.6 + 0.2 * d.z - 0.1 * d.x * d.y)
}

/// A sphere around the origin with a radius of one, whose base colour, metalness and roughness are given.
fn sphere(color: [f32; 3], metallic: f32, roughness: f32) -> Vec<u8> {
    sphere_of(json!({"pbrMetallicRoughness": {
        "baseColorFactor": [color[0], color[1], color[2], 1.0],
        "metallicFactor": metallic,
        "roughnessFactor": roughness,
    }}))
}

/// The same sphere with the given material. Its tangents point to the right where it faces the camera.
pub(crate) fn sphere_of(material: serde_json::Value) -> Vec<u8> {
    sphere_in(Builder::default(), material, json!({}))
}

/// The same sphere in a file with textures.
pub(crate) fn sphere_in(mut b: Builder, material: serde_json::Value, mut rest: serde_json::Value) -> Vec<u8> {
    let (angles, indices) = sphere_grid(64, 128);
    let (mut positions, mut tangents, mut texcoords) = (Vec::new(), Vec::new(), Vec::new());
    for [up, around] in angles {
        positions.extend([up.sin() * around.sin(), up.cos(), up.sin() * around.cos()]);
        tangents.extend([around.cos(), 0.0, -around.sin(), 1.0]);
        texcoords.extend([around / TAU, up / PI]);
    }
    let bytes: Vec<u8> = indices.iter().flat_map(|i| i.to_le_bytes()).collect();
    let attributes = json!({
        "POSITION": b.floats("VEC3", 3, &positions),
        "NORMAL": b.floats("VEC3", 3, &positions),
        "TANGENT": b.floats("VEC4", 4, &tangents),
        "TEXCOORD_0": b.floats("VEC2", 2, &texcoords),
    });
    let indices = b.accessor("SCALAR", 5123, indices.len(), &bytes);
    rest["meshes"] = json!([{"primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}]);
    rest["materials"] = json!([material]);
    rest["nodes"] = json!([{"mesh": 0}]);
    b.file(rest)
}

pub(crate) const SIZE: u32 = 128;

/// A camera far away on +Z, so that all lines of sight are nearly parallel. The sphere fills the image.
fn view(light: Light) -> ViewSettings {
    let mut view = settings(ShadingMode::Shaded);
    view.camera.position = Vec3::Z * 50.0;
    view.camera.projection = sinew::view::Projection::Orthographic { height: 2.2 };
    view.camera.far = 100.0;
    view.with_light(light)
}

pub(crate) fn draw(file: &[u8], light: Light) -> DecodedImage {
    draw_sized(file, &view(light), (SIZE, SIZE)).unwrap()
}

/// Returns the pixels on the sphere with their normals, up to a distance from its centre.
pub(crate) fn normals(reach: f32) -> impl Iterator<Item = (u32, u32, Vec3)> {
    let at = |i: u32| ((i as f32 + 0.5) / SIZE as f32 * 2.0 - 1.0) * 1.1;
    let all = (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y)));
    all.filter_map(move |(x, y)| {
        let p = Vec2::new(at(x), -at(y));
        (p.length() < reach).then(|| (x, y, p.extend((1.0 - p.length_squared()).sqrt())))
    })
    .step_by(7)
}

/// The formula of Khronos PBR Neutral.
pub(crate) fn neutral(color: Vec3) -> Vec3 {
    let least = color.min_element();
    let offset = if least < 0.08 { least - 6.25 * least * least } else { 0.04 };
    let color = color - offset;
    let peak = color.max_element();
    if peak < 0.76 {
        return color;
    }
    let new_peak = 1.0 - 0.24 * 0.24 / (peak + 0.24 - 0.76);
    let g = 1.0 - 1.0 / (0.15 * (peak - new_peak) + 1.0);
    (color * (new_peak / peak)).lerp(Vec3::splat(new_peak), g)
}

/// Karis's fit of the environment term of a split sum: the factor of the reflectance, and the number that is added to it.
pub(crate) fn environment_term(roughness: f32, nv: f32) -> Vec2 {
    let r =
        [1.0 - roughness, 0.0425 - 0.0275 * roughness, 1.04 - 0.572 * roughness, 0.022 * roughness - 0.04];
    let a = (r[0] * r[0]).min((-9.28 * nv).exp2()) * r[0] + r[1];
    Vec2::new(-1.04 * a + r[2], 1.04 * a + r[3])
}

/// The harmonics of the shader.
fn irradiance(e: &Environment, n: Vec3) -> Vec3 {
    let c = &e.irradiance;
    let linear = c[0] + c[1] * n.x + c[2] * n.y + c[3] * n.z;
    let mixed = c[4] * (n.x * n.y) + c[5] * (n.y * n.z) + c[6] * (n.x * n.z);
    (linear + mixed + c[7] * (3.0 * n.y * n.y - 1.0) + c[8] * (n.x * n.x - n.z * n.z)).max(Vec3::ZERO)
}

/// Roughness, increased by the variation of the sphere's normal within a pixel.
pub(crate) fn widened(roughness: f32, n: Vec3) -> f32 {
    let radius = SIZE as f32 / 2.2;
    let variance = 0.25 * (2.0 + (n.x * n.x + n.y * n.y) / (n.z * n.z)) / (radius * radius);
    (roughness.powi(4) + (2.0 * variance).min(0.18)).min(1.0).powf(0.25)
}

/// The shader's result for a normal that is seen from +Z, before the tone map.
fn shaded(light: &Light, albedo: Vec3, metallic: f32, roughness: f32, n: Vec3) -> Vec3 {
    let e = light.environment().unwrap();
    let back = Quat::from_rotation_y(-light.rotation);
    let nv = n.z.max(1e-4);
    let f0 = Vec3::splat(0.04).lerp(albedo, metallic);
    let roughness = widened(roughness, n);
    let term = environment_term(roughness, nv);
    let share = (f0 * term.x + term.y) * (1.0 + f0 * (1.0 / (term.x + term.y) - 1.0));
    let matt = albedo * (1.0 - metallic) * (1.0 - share);
    let key = e.key.color * n.dot(light.key_direction()).max(0.0);
    let mirrored = n * (2.0 * n.z) - Vec3::Z;
    let lit = matt * (key + irradiance(e, back * n)) + share * e.reflected(back * mirrored, roughness);
    lit * light.exposure.exp2()
}

/// Compares a drawn sphere with the formulas.
fn assert_sphere(light: &Light, albedo: [f32; 3], metallic: f32, roughness: f32) {
    let image = draw(&sphere(albedo, metallic, roughness), light.clone());
    let (mut sum, mut count) = (0.0, 0.0);
    for (x, y, n) in normals(0.9) {
        let expected =
            neutral(shaded(light, albedo.into(), metallic, roughness, n)).clamp(Vec3::ZERO, Vec3::ONE);
        let seen = pixel(&image, x, y);
        for (seen, expected) in seen.iter().zip(expected.to_array()) {
            // Sharp edges of reflected lamps move by a fraction of a pixel, so single pixels may differ more.
            sum += (linear(*seen) - expected).abs();
            count += 1.0;
        }
    }
    let mean = sum / count;
    assert!(mean < 0.008, "mean difference {mean} at roughness {roughness}, metalness {metallic}");
}

#[test]
fn drawn_spheres_match_the_formulas() {
    let studio = Light::new(LightSource::Studio);
    assert_sphere(&studio, [0.8, 0.3, 0.2], 0.0, 1.0);
    assert_sphere(&studio, [0.8, 0.3, 0.2], 0.0, 0.3);
    assert_sphere(&studio, [0.9, 0.7, 0.4], 1.0, 0.5);
    assert_sphere(&studio, [0.9, 0.7, 0.4], 1.0, 0.2);
    let turned = Light { rotation: 1.1, exposure: -1.0, ..Light::new(LightSource::Outdoor) };
    assert_sphere(&turned, [0.5, 0.5, 0.5], 0.0, 0.7);
    assert_sphere(&turned, [0.9, 0.9, 0.9], 1.0, 0.6);
}

#[test]
fn harmonics_match_the_integral_of_light() {
    let environment = Environment::new(smooth, |_| Vec3::ZERO);
    for n in directions(20) {
        let sum: Vec3 = directions(20_000).map(|d| smooth(d) * d.dot(n).max(0.0)).sum();
        let expected = sum * (4.0 / 20_000.0);
        let found = irradiance(&environment, n);
        assert!(found.distance(expected) < 0.004, "{n}: {found} is not {expected}");
    }
}

#[test]
fn constant_light_stays_constant() {
    let light = Vec3::new(0.25, 0.5, 1.0);
    let environment = Environment::new(|_| light, |_| Vec3::ZERO);
    for d in directions(100) {
        assert!(irradiance(&environment, d).distance(light) < 1e-3, "{d}");
        for roughness in [0.0, 0.1, 0.5, 0.8, 1.0] {
            assert!(environment.reflected(d, roughness).distance(light) < 2e-3, "{d} at {roughness}");
        }
    }
}

#[test]
fn rough_reflections_match_the_integral_of_light() {
    let environment = Environment::new(smooth, |_| Vec3::ZERO);
    for roughness in [0.25_f32, 0.5, 1.0] {
        let a2 = roughness.powi(4);
        for n in directions(12) {
            let (mut sum, mut weights) = (Vec3::ZERO, 0.0);
            for l in directions(40_000) {
                let cos = n.dot((n + l).normalize_or_zero());
                // The density of light directions for GGX, and the cosine of Karis (2013).
                let weight = a2 / (cos * cos * (a2 - 1.0) + 1.0).powi(2) * n.dot(l).max(0.0);
                sum += smooth(l) * weight;
                weights += weight;
            }
            let (found, expected) = (environment.reflected(n, roughness), sum / weights);
            assert!(found.distance(expected) < 0.045, "{n} at {roughness}: {found} is not {expected}");
        }
    }
}

#[test]
fn white_surfaces_return_all_constant_light() {
    let light = image_light(Environment::new(|_| Vec3::splat(0.5), |_| Vec3::ZERO));
    for (metallic, roughness) in [(1.0, 0.1), (1.0, 0.5), (1.0, 1.0), (0.0, 0.2), (0.0, 1.0)] {
        let image = draw(&sphere([1.0; 3], metallic, roughness), light.clone());
        for (x, y, n) in normals(0.95) {
            // Neutral subtracts 0.04.
            let seen = linear(pixel(&image, x, y)[0]) + 0.04;
            assert!(
                (seen / 0.5 - 1.0).abs() < 0.03,
                "{seen} at {n}, metalness {metallic}, roughness {roughness}"
            );
        }
    }
}

/// The index of refraction and the specular extension change the reflections of surfaces that are not metals, from the front and at grazing
/// angles. A black sphere shows nothing but these reflections.
#[test]
fn reflections_of_dielectrics_follow_their_extensions() {
    let half = image_light(Environment::new(|_| Vec3::splat(0.5), |_| Vec3::ZERO));
    let black = |metallic: f32, extensions: serde_json::Value| {
        let pbr =
            json!({"baseColorFactor": [0, 0, 0, 1], "metallicFactor": metallic, "roughnessFactor": 0.3});
        draw(&sphere_of(json!({"pbrMetallicRoughness": pbr, "extensions": extensions})), half.clone())
    };
    let specular = |factor: f32, color: [f32; 3]| json!({"KHR_materials_specular": {"specularFactor": factor, "specularColorFactor": color}});
    let cases = [
        (json!({"KHR_materials_ior": {"ior": 3}}), Vec3::splat(0.25), 1.0),
        (json!({"KHR_materials_ior": {"ior": 0}}), Vec3::ONE, 1.0),
        (specular(0.5, [20.0, 10.0, 0.0]), Vec3::new(0.4, 0.2, 0.0), 0.5),
        (specular(0.0, [1.0; 3]), Vec3::ZERO, 0.0),
    ];
    for (extensions, f0, f90) in cases {
        let image = black(0.0, extensions.clone());
        for (x, y, n) in normals(0.95) {
            let [scale, bias] = environment_term(0.3, n.z).to_array();
            let reflected = (f0 * scale + f90 * bias) * (1.0 + f0 * (1.0 / (scale + bias) - 1.0)) * 0.5;
            let expected = neutral(reflected);
            let seen = pixel(&image, x, y);
            for (channel, expected) in expected.to_array().into_iter().enumerate() {
                let error = (linear(seen[channel]) - expected.max(0.0)).abs();
                assert!(
                    error < 0.012,
                    "{extensions}: {} instead of {expected} at {n}",
                    linear(seen[channel])
                );
            }
        }
    }
    // Extensions with default values change nothing, and no extension changes a metal.
    let core = json!({"KHR_materials_ior": {"ior": 1.5}, "KHR_materials_specular": {}});
    assert_eq!(black(0.0, core).rgba, black(0.0, json!({})).rgba);
    assert_eq!(black(1.0, specular(0.0, [1.0; 3])).rgba, black(1.0, json!({})).rgba);
}

#[test]
fn rotation_equals_a_turned_environment() {
    let turn = Quat::from_rotation_y(PI / 2.0);
    let still = Light { rotation: PI / 2.0, ..image_light(Environment::new(smooth, |_| Vec3::ZERO)) };
    let turned = image_light(Environment::new(|d| smooth(turn.inverse() * d), |_| Vec3::ZERO));
    let file = sphere([0.9; 3], 1.0, 0.3);
    let (a, b) = (draw(&file, still), draw(&file, turned.clone()));
    let plain = draw(&file, image_light(Environment::new(smooth, |_| Vec3::ZERO)));
    let difference = |a: &DecodedImage, b: &DecodedImage| {
        let all = a.rgba.iter().zip(&b.rgba).map(|(a, b)| u64::from(a.abs_diff(*b)));
        all.sum::<u64>() as f32 / a.rgba.len() as f32
    };
    assert!(difference(&a, &b) < 0.5, "{}", difference(&a, &b));
    assert!(difference(&plain, &b) > 5.0, "{}", difference(&plain, &b));
    // The key light turns too.
    let key = Light::new(LightSource::Studio).key_direction();
    let light = Light { rotation: PI / 2.0, ..Light::new(LightSource::Studio) };
    assert!(light.key_direction().distance(turn * key) < 1e-6);
}

#[test]
fn rotation_turns_classic_light() {
    let file = sphere([0.7; 3], 0.0, 0.5);
    let classic = |rotation: f32| draw(&file, Light { rotation, ..Light::default() });
    let (still, once) = (classic(0.0), classic(1.0));
    assert_ne!(still.rgba, once.rgba);
    let all = still.rgba.iter().zip(&classic(TAU).rgba).map(|(a, b)| a.abs_diff(*b)).max();
    assert!(all.unwrap() <= 1);
}

/// Returns the colour of a surface whose light before the tone map is known: a metal in constant light.
fn mapped(light: f32, tone: ToneMap, exposure: f32) -> f32 {
    let environment = Environment::new(|_| Vec3::splat(light), |_| Vec3::ZERO);
    let light = Light { tone, exposure, ..image_light(environment) };
    linear(pixel(&draw(&sphere([1.0; 3], 1.0, 1.0), light), SIZE / 2, SIZE / 2)[1])
}

#[test]
fn tone_maps_have_known_values() {
    // Middle grey: 0.18 less 0.04 with Neutral, Hill's fit of 0.18 / 0.6 with ACES, and Wrensch's polynomial of 0.606 with AgX.
    for (tone, expected) in [(ToneMap::Neutral, 0.14), (ToneMap::Aces, 0.2132), (ToneMap::Agx, 0.2145)] {
        let seen = mapped(0.18, tone, 0.0);
        assert!((seen - expected).abs() < 0.012, "{}: {seen} is not {expected}", tone.name());
        // Two stops change light by a factor of four.
        let exposed = mapped(0.045, tone, 2.0);
        assert!((exposed - seen).abs() < 0.004, "{}: {exposed} is not {seen}", tone.name());
        // Brighter light maps to brighter colours, and very bright light maps to white.
        let steps: Vec<f32> = [0.01, 0.1, 0.5, 2.0].map(|light| mapped(light, tone, 0.0)).into();
        assert!(steps.is_sorted_by(|a, b| a < b), "{}: {steps:?}", tone.name());
        assert!(mapped(100.0, tone, 0.0) > 0.95, "{}", tone.name());
    }
}

#[test]
fn white_and_black_figures_stand_out_from_the_background() {
    let Background::Color(grey) = Background::of_light(&LightSource::Studio) else { panic!() };
    let lightness = |linear: f32| 116.0 * linear.cbrt() - 16.0;
    let behind = lightness(linear(grey[1]));
    for source in [LightSource::Studio, LightSource::Outdoor, LightSource::Flat] {
        for (albedo, sign) in [(0.9, 1.0), (0.02, -1.0)] {
            let image = draw(&sphere([albedo; 3], 0.0, 0.6), Light::new(source.clone()));
            let all: Vec<f32> = normals(0.95).map(|(x, y, _)| linear(pixel(&image, x, y)[1])).collect();
            let mean = lightness(all.iter().sum::<f32>() / all.len() as f32);
            assert!((mean - behind) * sign > 15.0, "{}: {mean} on {behind}", source.name());
        }
    }
}

#[test]
fn key_lights_are_above_the_horizon() {
    let low =
        |d: Vec3| Vec3::splat(if d.dot(Vec3::new(1.0, -0.4, 0.0).normalize()) > 0.95 { 9.0 } else { 0.0 });
    let environment = Environment::new(low, low);
    assert!(environment.key.direction.y > 0.3 && environment.key.direction.x > 0.9);
    assert!(!Light::new(LightSource::Flat).has_key());
    assert!(Light::new(LightSource::Studio).has_key());
}

#[test]
fn panoramas_light_the_side_that_faces_them() {
    // The left half of the image, which is at −X as seen from the centre, is bright.
    let mut bytes = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 4 +X 8\n".to_vec();
    for _ in 0..4 {
        bytes.extend([2, 2, 0, 8, 132, 128, 132, 16, 132, 128, 132, 16, 132, 128, 132, 16, 136, 128]);
    }
    let image = draw(&sphere([0.8; 3], 0.0, 1.0), image_light(Environment::from_hdr(&bytes).unwrap()));
    let (left, right) = (pixel(&image, SIZE / 5, SIZE / 2)[0], pixel(&image, SIZE * 4 / 5, SIZE / 2)[0]);
    assert!(left > right + 60, "{left} and {right}");
}
