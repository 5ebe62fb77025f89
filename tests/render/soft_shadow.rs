//! The softness of shadows in environments.

use glam::Vec3;
use serde_json::json;
use sinew::render::{DecodedImage, Light, LightSource, ShadingMode};
use sinew::view::{Bounds, Projection};

use crate::{draw_sized, pixel, settings};
use sinew_testkit::Builder;

const SIZE: u32 = 256;
/// Half the width of the board. Half the width of the ground and of the image is 1.
const BOARD: f32 = 0.4;

/// Draws white ground and a board above it, as seen from above.
fn board(height: f32, light: &Light) -> DecodedImage {
    let mut b = Builder::default();
    let quad = |half: f32, y: f32| [-half, y, -half, -half, y, half, half, y, half, half, y, -half];
    let indices = b.accessor("SCALAR", 5121, 6, &[0, 1, 2, 0, 2, 3]);
    let mut primitive = |half: f32, y: f32| {
        let attributes = json!({
            "POSITION": b.floats("VEC3", 3, &quad(half, y)),
            "NORMAL": b.floats("VEC3", 3, &[0.0, 1.0, 0.0].repeat(4)),
        });
        json!({"attributes": attributes, "indices": indices, "material": 0})
    };
    let primitives = [primitive(1.0, 0.0), primitive(BOARD, height)];
    let file = b.file(json!({
        "meshes": [{"primitives": primitives}],
        "materials": [{"doubleSided": true, "pbrMetallicRoughness": {"metallicFactor": 0, "roughnessFactor": 1}}],
        "nodes": [{"mesh": 0}],
    }));
    let mut view = settings(ShadingMode::Shaded);
    view.camera.position = Vec3::Y * 5.0;
    view.camera.up = Vec3::NEG_Z;
    view.camera.projection = Projection::Orthographic { height: 2.0 };
    let bounds = Bounds { lo: Vec3::new(-1.0, 0.0, -1.0), hi: Vec3::new(1.0, 0.3, 1.0) };
    draw_sized(&file, &view.with_light(light.clone()).with_shadow(true).with_bounds(bounds), (SIZE, SIZE))
        .unwrap()
}

/// Returns the distance in metres between the points at which the key light is 10 % and 90 % visible, left of the board.
fn width_of_edge(height: f32, light: &Light) -> f32 {
    let image = board(height, light);
    let metres = 2.0 / SIZE as f32;
    // To the left of the board, beginning at its edge.
    let last = ((1.0 - BOARD) / metres) as u32 - 2;
    let row: Vec<f32> = (0..last).map(|x| f32::from(pixel(&image, last - 1 - x, SIZE / 2)[1])).collect();
    let row: Vec<f32> = row.iter().map(|level| (level / 255.0).powf(2.2)).collect();
    let (dark, bright) = (row[0], row[row.len() - 1]);
    assert!(bright > 1.1 * dark, "{bright} and {dark}");
    let crossing = |share: f32| {
        let level = dark + share * (bright - dark);
        let next = row.iter().position(|value| *value >= level).unwrap();
        let (before, after) = (row[next.max(1) - 1], row[next.max(1)]);
        next as f32 - (after - level) / (after - before).max(1e-6)
    };
    (crossing(0.9) - crossing(0.1)) * metres
}

#[test]
fn edges_are_as_soft_as_the_lamp_is_wide_and_the_caster_is_far() {
    let light = Light { exposure: -1.0, ..Light::new(LightSource::Studio) };
    let key = light.environment().unwrap().key;
    // The distance that an edge along Z moves in the plane facing the light when the edge moves by one along X.
    let flattened = |axis: Vec3| axis - key.direction * key.direction.dot(axis);
    let along_edge = flattened(Vec3::Z).normalize();
    let (x, height) = (flattened(Vec3::X), key.direction.y);
    let across = (x - along_edge * along_edge.dot(x)).length();
    let widths = [0.1, 0.2].map(|distance| (distance, width_of_edge(distance, &light)));
    for (distance, found) in widths {
        // A straight edge covers 10 % of a disc at 0.687 of its radius.
        let expected = 2.0 * 0.687 * key.spread * (distance / height) / across;
        // The lamp is sampled at a few points, and the rounding of the processor decides which of them are lit. Edges have been up to 26 %
        // narrower than the geometry predicts.
        assert!((found / expected - 1.0).abs() < 0.35, "{found} is not {expected} at {distance}");
    }
    let ratio = widths[1].1 / widths[0].1;
    assert!((1.6..2.4).contains(&ratio), "at twice the distance, the edge is {ratio} times as wide");
}

#[test]
fn edges_are_sharp_in_classic_light_and_where_the_caster_touches() {
    let classic = Light { exposure: -1.0, ..Light::default() };
    let (near, far) = (width_of_edge(0.1, &classic), width_of_edge(0.2, &classic));
    assert!(near < 0.04 && (near - far).abs() < 0.01, "{near} and {far}");
    let studio = Light { exposure: -1.0, ..Light::new(LightSource::Studio) };
    assert!(width_of_edge(0.04, &studio) < 0.05);
}
