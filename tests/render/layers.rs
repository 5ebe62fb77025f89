//! Layers of materials: compares spheres drawn in known light with formulas in double precision.

use std::f64::consts::{PI, TAU};

use glam::{DVec2, DVec3, Vec3};
use serde_json::{Value, json};
use sinew::render::{DecodedImage, Environment, Light};

use crate::light::{draw, environment_term, neutral, normals, sphere_in, sphere_of, widened};
use crate::{add_square, image_light, linear, pixel};
use sinew_testkit::{Builder, image};

/// Returns a sphere with a base colour, metalness 0, a roughness and the extensions of a material.
pub(crate) fn layered(color: [f32; 3], roughness: f32, extensions: Value) -> Vec<u8> {
    sphere_of(json!({
        "pbrMetallicRoughness": {
            "baseColorFactor": [color[0], color[1], color[2], 1.0],
            "metallicFactor": 0,
            "roughnessFactor": roughness,
        },
        "extensions": extensions,
    }))
}

/// Returns light of 0.5 from everywhere.
pub(crate) fn half() -> Light {
    image_light(Environment::new(|_| Vec3::splat(0.5), |_| Vec3::ZERO))
}

/// Returns light from a single direction, and the brightness of a white surface that faces it.
fn lamp(towards: Vec3) -> (Light, f32, Vec3) {
    let spot = move |d: Vec3| Vec3::splat(if d.dot(towards.normalize()) > 0.99 { 40.0 } else { 0.0 });
    let light = image_light(Environment::new(|_| Vec3::ZERO, spot));
    let key = light.environment().unwrap().key;
    (light, key.color.x, key.direction)
}

/// Returns the direction from a point of the sphere to the camera.
pub(crate) fn to_camera(n: Vec3) -> Vec3 {
    (Vec3::Z * 50.0 - n).normalize()
}

/// Returns the cosine of the angle to the camera.
pub(crate) fn facing(n: Vec3) -> f32 {
    n.dot(to_camera(n))
}

/// Compares the pixels of a sphere with the colours expected for their normals before the tone map.
pub(crate) fn assert_shows(
    image: &DecodedImage,
    reach: f32,
    tolerance: f32,
    what: &str,
    expected: impl Fn(Vec3) -> Vec3,
) {
    for (x, y, n) in normals(reach) {
        let expected = neutral(expected(n)).clamp(Vec3::ZERO, Vec3::ONE);
        let seen = Vec3::from(pixel(image, x, y).first_chunk::<3>().unwrap().map(linear));
        assert!((seen - expected).abs().max_element() < tolerance, "{what}: {seen} is not {expected} at {n}");
    }
}

/// The fraction of light that a smooth dielectric reflects at a point of the sphere, corrected for several reflections.
fn varnish(roughness: f32, n: Vec3) -> f32 {
    let [scale, bias] = environment_term(widened(roughness, n), facing(n)).to_array();
    (0.04 * scale + bias) * (1.0 + 0.04 * (1.0 / (scale + bias) - 1.0))
}

fn clearcoat(factor: f32, roughness: f32) -> Value {
    json!({"KHR_materials_clearcoat": {"clearcoatFactor": factor, "clearcoatRoughnessFactor": roughness}})
}

#[test]
fn varnish_reflects_over_a_black_surface_and_dims_a_bright_one() {
    for (factor, roughness) in [(1.0, 0.05), (1.0, 0.5), (0.4, 0.2)] {
        let coat = |n: Vec3| factor * varnish(roughness, n);
        // The base is so rough that it reflects like varnish of that roughness.
        let black = draw(&layered([0.0; 3], 1.0, clearcoat(factor, roughness)), half());
        assert_shows(&black, 0.95, 0.01, "over black", |n| {
            Vec3::splat(0.5 * (coat(n) + (1.0 - coat(n)) * varnish(1.0, n)))
        });
        // The base receives only the light that the varnish does not reflect, so a white surface in constant light stays as bright as the
        // light.
        let white = draw(&layered([1.0; 3], 1.0, clearcoat(factor, roughness)), half());
        assert_shows(&white, 0.95, 0.015, "over white", |_| Vec3::splat(0.5));
    }
}

#[test]
fn varnish_dims_the_emission_below_it() {
    let glowing = |extensions: Value| {
        let file = sphere_of(json!({
            "pbrMetallicRoughness": {"baseColorFactor": [0, 0, 0, 1], "roughnessFactor": 1},
            "emissiveFactor": [0.5, 0.5, 0.5], "extensions": extensions,
        }));
        draw(&file, image_light(Environment::new(|_| Vec3::ZERO, |_| Vec3::ZERO)))
    };
    let image = glowing(clearcoat(1.0, 0.05));
    assert_shows(&image, 0.95, 0.01, "emission", |n| Vec3::splat(0.5 * (1.0 - varnish(0.05, n))));
}

/// Returns the brightness in the middle of a black square with textures that is lit only from the right.
fn square(normal_map: Option<[u8; 3]>, material: Value) -> f32 {
    let mut b = Builder::default();
    let (attributes, indices) = add_square(&mut b);
    let texel = normal_map.unwrap_or([128, 128, 255]);
    let view = b.view(&image::png(1, 1, image::ColorType::Rgb, &texel));
    let file = b.file(json!({
        "meshes": [{"primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}],
        "materials": [material],
        "textures": [{"source": 0}],
        "images": [{"bufferView": view, "mimeType": "image/png"}],
        "nodes": [{"mesh": 0}],
    }));
    let right = Environment::new(|d| Vec3::splat(if d.x > 0.3 { 20.0 } else { 0.0 }), |_| Vec3::ZERO);
    linear(pixel(&draw(&file, image_light(right)), 64, 64)[0])
}

/// The varnish over an uneven surface is smooth, unless it has its own normal map.
#[test]
fn varnish_has_its_own_normals() {
    let coat = |coat_map: bool, base_map: bool| {
        let mut layer = json!({"clearcoatFactor": 1});
        if coat_map {
            layer["clearcoatNormalTexture"] = json!({"index": 0});
        }
        let mut material = json!({
            "pbrMetallicRoughness": {"baseColorFactor": [0, 0, 0, 1], "metallicFactor": 0},
            "extensions": {"KHR_materials_clearcoat": layer, "KHR_materials_specular": {"specularFactor": 0}},
        });
        if base_map {
            material["normalTexture"] = json!({"index": 0});
        }
        material
    };
    // Normals that lean to the right or to the left by 37 degrees.
    let (right, left) = ([204, 128, 230], [51, 128, 230]);
    assert!(square(Some(right), coat(true, false)) > 0.3);
    assert!(square(Some(left), coat(true, false)) < 0.02);
    // A normal map of the base alone changes nothing, because the base reflects nothing.
    assert!(square(Some(right), coat(false, true)) < 0.02);
}

/// The shadowing of Estevez & Kulla 2017, with the fit of the paper.
fn fibre_shadow(cosine: f64, a: f64) -> f64 {
    let t = (1.0 - a).powi(2);
    let mix = |smooth: f64, rough: f64| t * smooth + (1.0 - t) * rough;
    let fit = |x: f64| {
        mix(25.3245, 21.5473) / (1.0 + mix(3.32435, 3.82987) * x.powf(mix(0.16801, 0.19823)))
            + mix(-1.27393, -1.97760) * x
            + mix(-4.85967, -4.32054)
    };
    if cosine < 0.5 { fit(cosine).exp() } else { (2.0 * fit(0.5) - fit(1.0 - cosine)).exp() }
}

/// The light that fibres reflect, times the cosine of the light's angle.
fn fibres(roughness: f64, n: DVec3, v: DVec3, l: DVec3) -> f64 {
    let (nl, nv, nh) = (n.dot(l), n.dot(v), n.dot((v + l).normalize()));
    let a = roughness * roughness;
    if nl <= 0.0 {
        return 0.0;
    }
    let d = (2.0 + 1.0 / a) * (1.0 - nh * nh).powf(0.5 / a) / TAU;
    let visibility = 1.0 / ((1.0 + fibre_shadow(nv, a) + fibre_shadow(nl, a)) * 4.0 * nl * nv);
    nl * d * visibility.min(1.0)
}

/// The integral of `fibres` over all directions of light.
fn fibre_integral(roughness: f64, nv: f64) -> f64 {
    let v = DVec3::new((1.0 - nv * nv).sqrt(), 0.0, nv);
    let steps = 80_u16;
    let at = |i: u16| (f64::from(i) + 0.5) / f64::from(steps);
    let mut sum = 0.0;
    for i in 0..steps {
        // Take more samples where the light grazes the surface.
        let nl = at(i) * at(i);
        for j in 0..steps {
            let around = DVec2::from_angle(at(j) * TAU) * (1.0 - nl * nl).sqrt();
            sum += fibres(roughness, DVec3::Z, v, around.extend(nl)) * 2.0 * at(i);
        }
    }
    sum * TAU / f64::from(steps).powi(2)
}

fn sheen(color: [f32; 3], roughness: f32) -> Value {
    json!({"KHR_materials_sheen": {"sheenColorFactor": color, "sheenRoughnessFactor": roughness}})
}

/// In constant light, fibres reflect the integral of their formula, and the surface below them receives the rest.
#[test]
fn fibres_reflect_the_integral_of_their_formula() {
    for roughness in [0.15_f32, 0.3, 0.5, 0.8, 1.0] {
        let image = draw(&layered([0.0; 3], 1.0, sheen([1.0, 0.5, 0.0], roughness)), half());
        let white = draw(&layered([1.0; 3], 1.0, sheen([1.0; 3], roughness)), half());
        for (x, y, n) in normals(0.98).step_by(9) {
            let share = fibre_integral(roughness.into(), facing(n).into()).min(1.0) as f32;
            let below = 0.5 * varnish(1.0, n) * (1.0 - share);
            let expected = neutral(Vec3::new(1.0, 0.5, 0.0) * (0.5 * share) + below).max(Vec3::ZERO);
            let seen = Vec3::from(pixel(&image, x, y).first_chunk::<3>().unwrap().map(linear));
            let error = (seen - expected).abs().max_element();
            assert!(error < 0.025, "roughness {roughness}: {seen} is not {expected} at {n}");
            let brightness = linear(pixel(&white, x, y)[0]) + 0.04;
            assert!((brightness / 0.5 - 1.0).abs() < 0.03, "a white surface shows {brightness} at {n}");
        }
    }
}

#[test]
fn fibres_shine_in_the_key_light() {
    let (light, brightness, towards) = lamp(Vec3::new(1.0, 0.8, 0.4));
    for roughness in [0.3_f32, 0.6] {
        let image = draw(&layered([0.0; 3], 1.0, sheen([0.8; 3], roughness)), light.clone());
        assert_shows(&image, 0.95, 0.012, "key light", |n| {
            let share = fibres(roughness.into(), n.as_dvec3(), to_camera(n).as_dvec3(), towards.as_dvec3());
            Vec3::splat(0.8 * brightness * (PI * share) as f32)
        });
    }
}

/// The colour of a texture is the reflectance, and its alpha is a factor of the glossiness.
#[test]
fn glossiness_is_one_minus_roughness() {
    let mut b = Builder::default();
    let view = b.view(&image::png(1, 1, image::ColorType::Rgba, &[188, 188, 188, 102]));
    let rest = json!({
        "textures": [{"source": 0}],
        "images": [{"bufferView": view, "mimeType": "image/png"}],
    });
    let layer = json!({
        "diffuseFactor": [0, 0, 0, 1], "specularFactor": [1, 0.6, 0.2], "glossinessFactor": 0.75,
        "specularGlossinessTexture": {"index": 0},
    });
    let material = json!({
        "pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 1]},
        "extensions": {"KHR_materials_pbrSpecularGlossiness": layer},
    });
    let drawn = draw(&sphere_in(b, material, rest), half());
    let f0 = Vec3::new(1.0, 0.6, 0.2) * linear(188);
    assert_shows(&drawn, 0.95, 0.012, "gloss", |n| {
        let [scale, bias] = environment_term(1.0 - 0.75 * 0.4, facing(n)).to_array();
        (f0 * scale + bias) * (1.0 + f0 * (1.0 / (scale + bias) - 1.0)) * 0.5
    });
}
