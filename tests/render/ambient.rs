//! Ambient occlusion, against closed forms.

use glam::Vec3;
use serde_json::json;
use sinew::puppet::Puppet;
use sinew::render::{Background, DecodedImage, Environment, Frame, Light, LightSource, ShadingMode};
use sinew::view::{Bounds, Projection};

use crate::{draw_frame, image_light, linear, load, pixel, settings, sphere_grid};
use sinew_testkit::Builder;

const SIZE: u32 = 128;
/// Half the width of the visible area, in metres.
const HALF: f32 = 1.6;
const ALBEDO: f32 = 0.5;

/// Builds a file with matt surfaces from lists of positions, normals and indices.
fn file(meshes: &[(Vec<Vec3>, Vec<Vec3>, Vec<u16>)]) -> Vec<u8> {
    let mut b = Builder::default();
    let primitives: Vec<_> = meshes
        .iter()
        .map(|(positions, normals, indices)| {
            let flat = |v: &[Vec3]| v.iter().flat_map(Vec3::to_array).collect::<Vec<_>>();
            let bytes: Vec<u8> = indices.iter().flat_map(|i| i.to_le_bytes()).collect();
            let attributes = json!({
                "POSITION": b.floats("VEC3", 3, &flat(positions)),
                "NORMAL": b.floats("VEC3", 3, &flat(normals)),
            });
            json!({"attributes": attributes, "indices": b.accessor("SCALAR", 5123, indices.len(), &bytes), "material": 0})
        })
        .collect();
    b.file(json!({
        "meshes": [{"primitives": primitives}],
        "materials": [{
            "doubleSided": true,
            "pbrMetallicRoughness":
                {"baseColorFactor": [ALBEDO, ALBEDO, ALBEDO, 1], "metallicFactor": 0, "roughnessFactor": 1},
            "extensions": {"KHR_materials_specular": {"specularFactor": 0}},
        }],
        "nodes": [{"mesh": 0}],
    }))
}

/// A square around a point, spanned by two half axes. Its normal is their cross product.
fn square(center: Vec3, x: Vec3, y: Vec3) -> (Vec<Vec3>, Vec<Vec3>, Vec<u16>) {
    let corners = vec![center - x - y, center + x - y, center + x + y, center - x + y];
    (corners, vec![x.cross(y).normalize(); 4], vec![0, 1, 2, 0, 2, 3])
}

fn ground() -> (Vec<Vec3>, Vec<Vec3>, Vec<u16>) {
    square(Vec3::ZERO, Vec3::Z * 2.0, Vec3::X * 2.0)
}

fn sphere(center: Vec3, radius: f32) -> (Vec<Vec3>, Vec<Vec3>, Vec<u16>) {
    let (angles, indices) = sphere_grid(48, 96);
    let normal =
        |[up, around]: [f32; 2]| Vec3::new(up.sin() * around.sin(), up.cos(), up.sin() * around.cos());
    let normals: Vec<Vec3> = angles.into_iter().map(normal).collect();
    (normals.iter().map(|n| center + *n * radius).collect(), normals, indices)
}

fn constant_light() -> Light {
    image_light(Environment::new(|_| Vec3::ONE, |_| Vec3::ZERO))
}

/// Draws from straight above.
fn draw(file: &[u8], light: Light, change: impl Fn(&mut Frame<'_>)) -> DecodedImage {
    let puppet = Puppet::new(load(file), 0);
    let mut view = settings(ShadingMode::Shaded).with_light(light);
    (view.camera.position, view.camera.up) = (Vec3::Y * 5.0, Vec3::NEG_Z);
    view.camera.projection = Projection::Orthographic { height: 2.0 * HALF };
    view.bounds = puppet.bounds();
    draw_frame(&puppet, &view, (SIZE, SIZE), |frame| {
        frame.ambient_occlusion = true;
        change(frame);
    })
    .unwrap()
}

/// Returns the light that a pixel reflects, as a fraction of the light that an open surface reflects. The Neutral tone map subtracts 0.04.
fn seen(image: &DecodedImage, x: u32, y: u32) -> f32 {
    (linear(pixel(image, x, y)[1]) + 0.04) / ALBEDO
}

/// The visibility with light that is reflected several times (Jimenez et al. 2016).
fn with_bounces(v: f32) -> f32 {
    let (a, b, c) = (2.0404 * ALBEDO - 0.3324, -4.7951 * ALBEDO + 0.6417, 2.7552 * ALBEDO + 0.6903);
    (((v * a + b) * v + c) * v).clamp(v, 1.0)
}

/// Returns the coordinate of a pixel's centre in metres.
fn metres(pixel: u32) -> f32 {
    ((pixel as f32 + 0.5) / SIZE as f32 * 2.0 - 1.0) * HALF
}

/// Compares all pixels for which `visibility` returns a value with that value. Returns the mean difference.
fn assert_visibility(image: &DecodedImage, largest: f32, visibility: impl Fn(f32, f32) -> Option<f32>) {
    let (mut sum, mut count) = (0.0, 0.0);
    for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
        let Some(expected) = visibility(metres(x), metres(y)) else { continue };
        let error = (seen(image, x, y) - with_bounces(expected)).abs();
        assert!(
            error < largest,
            "{} instead of {expected} at {}, {}",
            seen(image, x, y),
            metres(x),
            metres(y)
        );
        sum += error;
        count += 1.0;
    }
    assert!(count > 1000.0 && sum / count < largest / 3.0, "mean difference {} of {count}", sum / count);
}

#[test]
fn a_sphere_hides_its_solid_angle_from_the_plane_below() {
    for height in [0.45_f32, 0.8] {
        let radius = 0.45;
        let image = draw(&file(&[ground(), sphere(Vec3::Y * height, radius)]), constant_light(), |_| {});
        assert_visibility(&image, 0.05, |x, z| {
            let around = x.hypot(z);
            let distance = around.hypot(height);
            // The form factor of a sphere above the horizon: cos θ r² / d².
            (around > radius + 0.06).then(|| 1.0 - height * radius * radius / distance.powi(3))
        });
    }
}

#[test]
fn a_wall_hides_half_of_the_surroundings_from_its_foot() {
    let wall = square(Vec3::new(0.0, 0.75, 0.0), Vec3::Y * 0.75, Vec3::Z * 2.0);
    let image = draw(&file(&[ground(), wall]), constant_light(), |_| {});
    assert_visibility(&image, 0.06, |x, z| {
        // The expected visibility is computed for an infinitely long wall. Its top is 1.5 m above the plane.
        let x = x.abs();
        (x > 0.06 && x < 0.8 && z.abs() < 0.5).then(|| 0.5 + 0.5 * x / x.hypot(1.5))
    });
}

#[test]
fn nothing_changes_where_nothing_is_hidden() {
    for open in [file(&[ground()]), file(&[sphere(Vec3::ZERO, 1.0)])] {
        for source in [LightSource::Studio, LightSource::Outdoor] {
            let light = Light::new(source);
            let with = draw(&open, light.clone(), |_| {});
            assert!(with.rgba == draw(&open, light, |frame| frame.ambient_occlusion = false).rgba);
        }
    }
    // Classic light has no surroundings.
    let both = file(&[ground(), sphere(Vec3::Y * 0.5, 0.5)]);
    let with = draw(&both, Light::default(), |_| {});
    assert!(with.rgba == draw(&both, Light::default(), |frame| frame.ambient_occlusion = false).rgba);
}

#[test]
fn images_are_the_same_each_time() {
    let both = file(&[ground(), sphere(Vec3::Y * 0.5, 0.5)]);
    let light = Light::new(LightSource::Studio);
    let (first, second) = (draw(&both, light.clone(), |_| {}), draw(&both, light.clone(), |_| {}));
    assert!(first.rgba == second.rgba);
    assert!(first.rgba != draw(&both, light, |frame| frame.ambient_occlusion = false).rgba);
}

/// The closer a point on the floor is to the sphere above it, the darker it is, even in light without a shadow.
#[test]
fn the_floor_is_darker_close_to_a_figure() {
    let ball = file(&[sphere(Vec3::Y * 0.4, 0.4)]);
    let show = |frame: &mut Frame<'_>, is_on: bool| {
        let (center, radius) = (Vec3::ZERO, 6.0);
        frame.ground = Some(sinew::render::Floor { center, radius, grid: sinew::render::Grid::Faint });
        frame.background = Background::GREY;
        (frame.ambient_occlusion, frame.samples) = (is_on, 4);
        frame.sphere =
            (Bounds { lo: Vec3::splat(-0.4).with_y(0.0), hi: Vec3::splat(0.4).with_y(0.8) }).sphere();
    };
    for source in [LightSource::Flat, LightSource::Studio] {
        let image = |is_on| draw(&ball, Light::new(source.clone()), |frame| show(frame, is_on));
        let (with, without) = (image(true), image(false));
        // Pixels on the side from which the light comes, away from the lines of the grid.
        let loss = |x: u32| linear(pixel(&without, x, 70)[1]) - linear(pixel(&with, x, 70)[1]);
        let (near, far, edge) = (loss(64 + 19), loss(64 + 27), loss(127));
        assert!(near > far + 0.01 && far > edge + 0.004, "{}: {near} {far} {edge}", source.name());
        assert!(edge.abs() < 0.004, "{edge}");
    }
}
