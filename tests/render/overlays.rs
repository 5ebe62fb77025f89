//! Lines and triangles on top of the scene.

use glam::{Vec3, Vec4};
use serde_json::json;
use sinew::puppet::Puppet;
use sinew::render::{DecodedImage, Fill, Frame, Line, ShadingMode};

use crate::{assert_near, draw_frame, load, pixel, settings};
use sinew_testkit::Builder;

/// Draws overlays over an empty scene. The image has 64 pixels per side and is not converted to sRGB.
fn overlays(fills: Vec<Fill>, lines: Vec<Line>) -> DecodedImage {
    let empty = Builder::default().file(json!({"nodes": [{}]}));
    let puppet = Puppet::new(load(&empty), 0);
    let add = |frame: &mut Frame<'_>| (frame.fills, frame.lines) = (fills, lines);
    draw_frame(&puppet, &settings(ShadingMode::Mask), (64, 64), add).unwrap()
}

/// A square from −1 to 1 around the origin as a triangle fan.
fn square(color: Vec4) -> Vec<Fill> {
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)];
    let corners = corners.map(|(x, y)| Vec3::new(x, y, 0.0));
    corners.windows(2).map(|pair| Fill { corners: [Vec3::ZERO, pair[0], pair[1]], color }).collect()
}

#[test]
fn a_fan_covers_every_pixel_once() {
    let image = overlays(square(Vec4::new(1.0, 0.5, 0.0, 0.5)), Vec::new());
    for y in 0..64 {
        for x in 0..64 {
            let inside = (16..48).contains(&x) && (16..48).contains(&y);
            let expected = if inside { [128, 64, 0, 255] } else { [0, 0, 0, 255] };
            assert_near(pixel(&image, x, y), expected, 1);
        }
    }
}

#[test]
fn lines_cover_fills_and_nothing_behind_the_camera_is_drawn() {
    let green = Vec4::new(0.0, 1.0, 0.0, 1.0);
    let line = |z: f32| Line {
        start: Vec3::new(-1.0, 0.0, z),
        end: Vec3::new(1.0, 0.0, z),
        widths: [6.0; 2],
        color: green,
    };
    let image = overlays(square(Vec4::ONE), vec![line(0.0)]);
    assert_eq!(pixel(&image, 32, 32), [0, 255, 0, 255]);
    assert_eq!(pixel(&image, 32, 20), [255; 4]);
    let behind =
        square(Vec4::ONE).into_iter().map(|f| Fill { corners: f.corners.map(|c| c.with_z(3.0)), ..f });
    let image = overlays(behind.collect(), vec![line(3.0)]);
    assert!(image.rgba.chunks_exact(4).all(|p| p == [0, 0, 0, 255]));
}
