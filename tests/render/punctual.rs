//! Lights of files, against the formulas of `KHR_lights_punctual`.

use std::f32::consts::PI;

use glam::Vec3;
use serde_json::{Value, json};
use sinew::puppet::Puppet;
use sinew::render::{DecodedImage, Environment, FileLights, Light, MAX_LIGHTS, PunctualLight, ShadingMode};
use sinew::scene;
use sinew::view::Projection;

use crate::{add_square, draw_puppet, image_light, linear, load, pixel, settings};
use sinew_testkit::Builder;

const SIZE: u32 = 64;
const ALBEDO: f32 = 0.5;

/// A matt square in the plane z = 0 that faces +Z, with lights. Node 0 is the square, and the following nodes are the lights.
fn lit_square(lights: &Value, nodes: &[Value]) -> Vec<u8> {
    let mut b = Builder::default();
    let (attributes, indices) = add_square(&mut b);
    let mut all = vec![json!({"mesh": 0})];
    for (index, node) in nodes.iter().enumerate() {
        let mut node = node.clone();
        node["extensions"] = json!({"KHR_lights_punctual": {"light": index}});
        all.push(node);
    }
    b.file(json!({
        "extensionsUsed": ["KHR_lights_punctual"],
        "extensions": {"KHR_lights_punctual": {"lights": lights}},
        "meshes": [{"primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}],
        "materials": [{
            "pbrMetallicRoughness":
                {"baseColorFactor": [ALBEDO, ALBEDO, ALBEDO, 1], "metallicFactor": 0, "roughnessFactor": 1},
            "extensions": {"KHR_materials_specular": {"specularFactor": 0}},
        }],
        "nodes": all,
    }))
}

/// An environment that is bright enough for the tone map to be linear.
fn dim(file_lights: FileLights) -> Light {
    Light { file_lights, ..image_light(Environment::new(|_| Vec3::splat(0.2), |_| Vec3::ZERO)) }
}

fn puppet(file: &[u8]) -> Puppet {
    Puppet::new(load(file), 0)
}

fn draw(puppet: &Puppet, light: Light) -> DecodedImage {
    let mut view = settings(ShadingMode::Shaded).with_light(light);
    view.camera.projection = Projection::Orthographic { height: 2.0 };
    draw_puppet(puppet, &view, (SIZE, SIZE))
}

/// Compares the square with the formula, without the light of the environment. Returns the largest light.
fn assert_light(file: &[u8], scale: f32, illuminance: impl Fn(Vec3) -> Vec3) -> f32 {
    let puppet = puppet(file);
    let image = draw(&puppet, dim(FileLights::Scale(scale)));
    let mut largest = 0.0_f32;
    for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
        let at = |i: u32| (i as f32 + 0.5) / SIZE as f32 * 2.0 - 1.0;
        let world = Vec3::new(at(x), -at(y), 0.0);
        let expected = illuminance(world) * (ALBEDO / PI);
        let seen = pixel(&image, x, y).map(linear);
        for (channel, expected) in expected.to_array().into_iter().enumerate() {
            // Neutral subtracts 0.04, and the environment adds a fifth of the albedo.
            let seen = seen[channel] + 0.04 - 0.2 * ALBEDO;
            assert!((seen - expected).abs() < 0.006, "{seen} instead of {expected} at {world}");
            largest = largest.max(expected);
        }
    }
    largest
}

#[test]
fn a_point_light_fades_with_the_square_of_the_distance_and_with_its_range() {
    let at = Vec3::new(0.3, -0.2, 0.8);
    for range in [None, Some(1.2_f32)] {
        let mut light = json!({"type": "point", "color": [1.0, 0.9, 0.8], "intensity": 2.0});
        if let Some(range) = range {
            light["range"] = range.into();
        }
        let file = lit_square(&json!([light]), &[json!({"translation": at.to_array()})]);
        let largest = assert_light(&file, 0.5, |p| {
            let d = p.distance(at);
            let fade = range.map_or(1.0, |r| (1.0 - (d / r).powi(4)).clamp(0.0, 1.0));
            Vec3::new(1.0, 0.9, 0.8) * (2.0 * 0.5 * fade / (d * d) * (0.8 / d))
        });
        assert!(largest > 0.1, "{largest}");
    }
}

#[test]
fn a_spot_fades_between_its_angles() {
    let spot =
        json!({"type": "spot", "intensity": 3.0, "spot": {"innerConeAngle": 0.2, "outerConeAngle": 0.6}});
    let file = lit_square(&json!([spot]), &[json!({"translation": [0.1, 0.2, 1.0]})]);
    let at = Vec3::new(0.1, 0.2, 1.0);
    assert_light(&file, 1.0, |p| {
        let d = p.distance(at);
        let cos = 1.0 / d;
        let part = ((cos - 0.6_f32.cos()) / (0.2_f32.cos() - 0.6_f32.cos())).clamp(0.0, 1.0);
        Vec3::splat(3.0 * part * part / (d * d) * cos)
    });
}

#[test]
fn a_directional_light_follows_its_node() {
    let angle = 0.7_f32;
    let node = json!({"rotation": [0.0, (angle / 2.0).sin(), 0.0, (angle / 2.0).cos()]});
    let file = lit_square(&json!([{"type": "directional", "intensity": 0.8}]), &[node]);
    assert_light(&file, 1.0, |_| Vec3::splat(0.8 * angle.cos()));
}

/// The shader and its twin on the CPU agree.
#[test]
fn lights_of_frames_match_their_twin() {
    let spot = json!({"type": "spot", "intensity": 2.0, "range": 2.0, "spot": {"outerConeAngle": 0.7}});
    let file = lit_square(&json!([spot]), &[json!({"translation": [-0.2, 0.1, 0.9]})]);
    let lights = scene::file_lights(&puppet(&file), FileLights::Scale(1.0), Vec3::ZERO);
    let [light] = lights.as_slice() else { panic!("{lights:?}") };
    let PunctualLight { position: Some(position), .. } = *light else { panic!("{light:?}") };
    assert_light(&file, 1.0, |p| light.illuminance(p) * (position - p).normalize().z);
}

/// With `on`, a lamp of Blender's size is as bright as a small one, and ratios between lights do not change.
#[test]
fn automatic_strength_does_not_depend_on_units() {
    let file = |intensity: f32| {
        let lights = json!([
            {"type": "point", "intensity": intensity},
            {"type": "point", "intensity": intensity / 4.0},
        ]);
        let node = |x: f32| json!({"translation": [x, 0.0, 1.0]});
        lit_square(&lights, &[node(0.0), node(0.0)])
    };
    let (weak, strong) = (puppet(&file(1.0)), puppet(&file(54_351.0)));
    assert!(draw(&weak, dim(FileLights::On)).rgba == draw(&strong, dim(FileLights::On)).rgba);
    let lights = scene::file_lights(&strong, FileLights::On, Vec3::ZERO);
    let at: Vec<f32> = lights.iter().map(|light| light.illuminance(Vec3::ZERO).x / PI).collect();
    assert!((at[0] - 1.0).abs() < 1e-4 && (at[1] - 0.25).abs() < 1e-4, "{at:?}");
}

#[test]
fn the_strongest_lights_are_drawn() {
    let lights: Vec<Value> = (1..=12).map(|i| json!({"type": "directional", "intensity": i})).collect();
    let file = lit_square(&json!(lights), &vec![json!({}); 12]);
    let drawn = scene::file_lights(&puppet(&file), FileLights::Scale(1.0), Vec3::ZERO);
    let found: Vec<f32> = drawn.iter().map(|light| light.color.x).collect();
    assert_eq!(found.len(), MAX_LIGHTS);
    assert_eq!((found[0], found[MAX_LIGHTS - 1]), (12.0, 5.0));
}

#[test]
fn files_are_drawn_without_their_lights_by_default() {
    let with = puppet(&lit_square(&json!([{"type": "directional"}]), &[json!({})]));
    let without = puppet(&lit_square(&json!([]), &[]));
    let (off, on) = (FileLights::Off, FileLights::On);
    let plain = draw(&without, dim(off));
    assert!(draw(&with, dim(off)).rgba == plain.rgba);
    assert!(draw(&without, dim(on)).rgba == plain.rgba);
    assert!(draw(&with, dim(on)).rgba != plain.rgba);
    // Classic light does not change.
    let classic = |file_lights| draw(&with, Light { file_lights, ..Light::default() });
    assert!(classic(on).rgba == classic(off).rgba);
}
