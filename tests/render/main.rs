//! Checks rendered images against values that are computed independently. Uses the software adapter, unless
//! `SINEW_ADAPTER` names another one in the format of `--adapter`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]
#![allow(clippy::needless_pass_by_value, reason = "json!(…) is easier to read without a reference")]

mod ambient;
mod composed;
mod crowd;
mod crowd_draw;
mod embedded;
mod film;
mod floor;
mod ghosts;
mod glass;
mod goldens;
mod gpu_ik;
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

use std::path::Path;

use glam::Vec3;
use sinew::asset::{Character, gltf};
use sinew::puppet::Puppet;
use sinew::render::{
    Background, DecodedImage, DecodedImages, Gpu, Light, RenderError, Renderer, ShadingMode,
};
use sinew::scene;
use sinew::scene::ViewSettings;
use sinew::view::{AUTO_FOV_Y, Bounds, Camera, Projection};

fn renderer() -> Renderer {
    let adapter = std::env::var("SINEW_ADAPTER").unwrap_or_else(|_| "cpu".to_owned());
    Renderer::new(Gpu::new(&adapter.parse().unwrap()).unwrap())
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

fn draw_sized(bytes: &[u8], settings: &ViewSettings, size: (u32, u32)) -> Result<DecodedImage, RenderError> {
    let puppet = Puppet::new(load(bytes), 0);
    let mut renderer = renderer();
    let images = DecodedImages::decode(puppet.character(), puppet.parts(), settings.mode);
    let model = renderer.model(puppet.character(), puppet.parts(), &images)?;
    renderer.render(&[&model], &scene::frame(&puppet, settings), size)
}

fn draw(bytes: &[u8], settings: &ViewSettings) -> DecodedImage {
    draw_sized(bytes, settings, (64, 64)).unwrap()
}

fn pixel(image: &DecodedImage, x: u32, y: u32) -> [u8; 4] {
    let at = (y * image.width + x) as usize * 4;
    image.rgba[at..at + 4].try_into().unwrap()
}

fn assert_near(a: [u8; 4], b: [u8; 4], levels: u8) {
    assert!(a.iter().zip(&b).all(|(a, b)| a.abs_diff(*b) <= levels), "{a:?} is not {b:?}");
}
