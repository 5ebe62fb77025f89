//! Checks rendered images against values that are computed independently. Uses the software adapter, unless
//! `SINEW_ADAPTER` names another one in the format of `--adapter`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]
#![allow(clippy::needless_pass_by_value, reason = "json!(…) is easier to read without a reference")]

mod ambient;
mod composed;
mod crowd;
mod crowd_draw;
mod crowd_occlusion;
mod crowd_occlusion_frames;
mod embedded;
mod film;
mod floor;
mod ghosts;
mod glass;
mod goldens;
mod gpu_ik;
mod gpu_ik_batch;
mod grain;
mod layers;
mod light;
mod lost;
mod overlays;
mod overrides;
mod patch;
mod pixels;
mod posed_materials;
mod punctual;
mod soft_shadow;
mod surfaces;
mod toon;
mod twin;
mod webgl2;
mod window;

use std::f32::consts::{PI, TAU};
use std::path::Path;
use std::sync::{Arc, Mutex};

use glam::Vec3;
use serde_json::{Value, json};
use sinew::asset::{Character, gltf};
use sinew::puppet::Puppet;
use sinew::render::{
    Background, DecodedImage, DecodedImages, Environment, Frame, Gpu, Light, LightSource, RenderError,
    Renderer, ShadingMode,
};
use sinew::scene;
use sinew::scene::ViewSettings;
use sinew::view::{AUTO_FOV_Y, Bounds, Camera, Projection};
use sinew_testkit::Builder;

fn gpu() -> Gpu {
    let adapter = std::env::var("SINEW_ADAPTER").unwrap_or_else(|_| "cpu".to_owned());
    Gpu::new(&adapter.parse().unwrap()).unwrap()
}

fn renderer() -> Renderer {
    Renderer::new(gpu())
}

fn load(bytes: &[u8]) -> Character {
    gltf::load_bytes(Path::new("test.gltf"), bytes, None).unwrap()
}

/// A typical view of a box: shaded, on the ground, with shadows and antialiasing.
fn typical_view(bounds: Bounds, aspect: f32) -> ViewSettings {
    ViewSettings::new(Camera::framing(&bounds, AUTO_FOV_Y, aspect), bounds)
        .with_light(Light::default())
        .with_background(Background::STUDIO)
}

/// A camera that looks at the origin from +Z, two metres away, with a field of view of 90 degrees. An image of 64
/// pixels shows the range from −2 to 2 at the origin.
fn settings(mode: ShadingMode) -> ViewSettings {
    ViewSettings::new(
        Camera {
            position: Vec3::new(0.0, 0.0, 2.0),
            target: Vec3::ZERO,
            up: Vec3::Y,
            projection: Projection::Perspective { fov_y: std::f32::consts::FRAC_PI_2 },
            near: 0.1,
            far: 10.0,
        },
        Bounds { lo: Vec3::NEG_ONE, hi: Vec3::ONE },
    )
    .with_mode(mode)
    .with_light(Light::default())
    .with_background(Background::BLACK)
    .with_samples(1)
    .with_floor(false)
    .with_shadow(false)
}

/// Calls `draw` with a renderer that other tests also use, because opening an adapter and compiling shaders take longer than most tests.
fn with_renderer<T>(draw: impl FnOnce(&mut Renderer) -> T) -> T {
    static IDLE: Mutex<Vec<Renderer>> = Mutex::new(Vec::new());
    let idle = IDLE.lock().unwrap().pop();
    let mut renderer = idle.unwrap_or_else(renderer);
    let drawn = draw(&mut renderer);
    IDLE.lock().unwrap().push(renderer);
    drawn
}

/// Draws a puppet. `change` changes the frame.
fn draw_frame<'a>(
    puppet: &'a Puppet,
    settings: &ViewSettings,
    size: (u32, u32),
    change: impl FnOnce(&mut Frame<'a>),
) -> Result<DecodedImage, RenderError> {
    with_renderer(|renderer| {
        let images = DecodedImages::decode(puppet.character(), puppet.parts(), settings.mode);
        let model = renderer.model(puppet.character(), puppet.parts(), &images)?;
        let mut frame = scene::frame(puppet, settings);
        change(&mut frame);
        renderer.render(&[&model], &frame, size)
    })
}

fn draw_puppet(puppet: &Puppet, settings: &ViewSettings, size: (u32, u32)) -> DecodedImage {
    draw_frame(puppet, settings, size, |_| ()).unwrap()
}

fn draw_sized(bytes: &[u8], settings: &ViewSettings, size: (u32, u32)) -> Result<DecodedImage, RenderError> {
    draw_frame(&Puppet::new(load(bytes), 0), settings, size, |_| ())
}

fn draw(bytes: &[u8], settings: &ViewSettings) -> DecodedImage {
    draw_sized(bytes, settings, (64, 64)).unwrap()
}

fn pixel(image: &DecodedImage, x: u32, y: u32) -> [u8; 4] {
    let at = (y * image.width + x) as usize * 4;
    image.rgba[at..at + 4].try_into().unwrap()
}

/// Converts a stored level to linear light.
fn linear(stored: u8) -> f32 {
    let v = f32::from(stored) / 255.0;
    if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
}

/// Converts linear light from 0 to 1 to a stored level.
fn srgb(linear: f32) -> u8 {
    let linear = linear.clamp(0.0, 1.0);
    let v = if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
    (v * 255.0).round() as u8
}

fn image_light(environment: Environment) -> Light {
    Light::new(LightSource::Image(Arc::new(environment)))
}

/// Adds a square from −1 to 1 that faces +Z, and returns its attributes and its indices. `v` of the texture coordinates grows downwards.
fn add_square(b: &mut Builder) -> (Value, usize) {
    let attributes = json!({
        "POSITION": b.floats("VEC3", 3, &[-1.0, -1.0, 0.0, 1.0, -1.0, 0.0, 1.0, 1.0, 0.0, -1.0, 1.0, 0.0]),
        "NORMAL": b.floats("VEC3", 3, &[0.0, 0.0, 1.0].repeat(4)),
        "TEXCOORD_0": b.floats("VEC2", 2, &[0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]),
    });
    (attributes, b.accessor("SCALAR", 5121, 6, &[0, 1, 2, 0, 2, 3]))
}

/// Returns the angles in radians from +Y and about +Y of the vertices of a sphere, and the indices of its triangles.
fn sphere_grid(rows: u16, columns: u16) -> (Vec<[f32; 2]>, Vec<u16>) {
    let (mut angles, mut indices) = (Vec::new(), Vec::new());
    for row in 0..=rows {
        for column in 0..=columns {
            angles
                .push([f32::from(row) / f32::from(rows) * PI, f32::from(column) / f32::from(columns) * TAU]);
            if row < rows && column < columns {
                let first = row * (columns + 1) + column;
                let below = first + columns + 1;
                indices.extend([first, below, first + 1, first + 1, below, below + 1]);
            }
        }
    }
    (angles, indices)
}

fn assert_near(a: [u8; 4], b: [u8; 4], levels: u8) {
    assert!(a.iter().zip(&b).all(|(a, b)| a.abs_diff(*b) <= levels), "{a:?} is not {b:?}");
}
