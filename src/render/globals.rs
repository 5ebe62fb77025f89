//! The data that all passes of a frame share.

use glam::{Vec3, Vec4};

use super::srgb::to_linear;
use super::{Background, Environment, Frame, Grid, ambient, gpu_types, light, shadow};

pub(super) fn globals(frame: &Frame<'_>, area: (u32, u32)) -> gpu_types::Globals {
    let (width, height) = pixels(area);
    let (center, radius) = frame.sphere;
    let (shadow_from_world, texel, texel_metres) =
        shadow::light_space(&frame.light, (center, radius), shadow::size(area));
    let floor = frame.ground.map_or(Vec4::ZERO, |f| f.center.extend(f.radius));
    let line_width = match frame.ground.map(|f| f.grid) {
        Some(Grid::Clear { width }) => width,
        Some(Grid::Faint) | None => 0.0,
    };
    let environment = frame.light.environment();
    let lights = u8::try_from(frame.drawn_lights().len()).unwrap_or(0);
    let (sin, cos) = frame.light.rotation.sin_cos();
    gpu_types::Globals {
        clip_from_world: frame.camera.clip_from_world(width / height).to_cols_array_2d(),
        shadow_from_world: shadow_from_world.to_cols_array_2d(),
        eye: frame.camera.position.extend(1.0).into(),
        light: frame.light.key_direction().extend(grid_cell(radius)).into(),
        floor: floor.into(),
        viewport: [width, height, texel, 2.0 * texel_metres],
        grid: [thin_cell(radius), line_width, f32::from(lights), 0.0],
        key: environment.map_or(Vec4::ZERO, |e| e.key.color.extend(e.key.spread)).into(),
        environment: [cos, sin, frame.light.exposure_factor(), environment.map_or(1.0, toon_scale)],
        background: background(frame.background),
        occlusion: ambient::place(frame.sphere),
        lights: light::records(frame.drawn_lights()),
        irradiance: environment.map_or([[0.0; 4]; 9], |e| e.irradiance.map(|c| c.extend(0.0).into())),
    }
}

/// Returns the linear colour of a background, and 1 if it is known and opaque.
fn background(background: Background) -> [f32; 4] {
    let Background::Color(rgb) = background else { return [0.0; 4] };
    #[expect(clippy::cast_possible_truncation, reason = "colours are single precision")]
    let [r, g, b] = rgb.map(|v| to_linear(f64::from(v) / 255.0) as f32);
    [r, g, b, 1.0]
}

/// Returns the factor by which toon shading multiplies an environment's light, so that a lit white surface is white and colours
/// appear as the artist chose them.
fn toon_scale(environment: &Environment) -> f32 {
    let luminance = |color: Vec3| color.dot(Vec3::new(0.2126, 0.7152, 0.0722));
    // The mean of the irradiance from above and from below. See `irradiance` in `shaders/environment.wgsl`.
    let [mean, .., vertical, _] = environment.irradiance;
    let white = luminance(environment.key.color) + luminance((mean + 2.0 * vertical).max(Vec3::ZERO));
    1.0 / white.max(1e-3)
}

/// Returns the size of a grid cell: the largest of 1, 2 or 5 times a power of ten that is at most a quarter of the
/// radius.
fn grid_cell(radius: f32) -> f32 {
    let wanted = (radius * 0.25).max(1e-6);
    let power = 10.0_f32.powf(wanted.log10().floor());
    let steps = [5.0, 2.0, 1.0].map(|s| s * power);
    steps.into_iter().find(|&s| s <= wanted).unwrap_or(power)
}

/// Returns the distance between the thin lines of a clear grid: 10 cm for figures from half a metre to five metres, times a power
/// of ten for others.
fn thin_cell(radius: f32) -> f32 {
    // The radius of the scene is a little more than the height of a figure.
    0.1 * 10.0_f32.powf((radius.max(1e-6) * 1.9).log10().floor())
}

#[expect(clippy::cast_precision_loss, reason = "image sizes are far below 2^24")]
pub(super) fn pixels((width, height): (u32, u32)) -> (f32, f32) {
    (width as f32, height as f32)
}
