//! Small images of the character in its current pose, for lists of poses.

use crate::Orbit;
use crate::puppet::Puppet;
use crate::render::{Background, Light, Model, RenderError, Renderer, ShadingMode};
use crate::scene;
use crate::scene::ViewSettings;

/// Width and height of a thumbnail in pixels.
const SIDE: u32 = 160;
/// Camera distance, relative to the distance at which the bounding sphere of the character fills the image.
const NEARER: f32 = 0.72;

/// Renders a puppet from the direction of a camera, without a floor, as PNG.
///
/// # Errors
/// [`RenderError`] if the image cannot be rendered.
pub(super) fn render(
    puppet: &Puppet,
    orbit: &Orbit,
    renderer: &mut Renderer,
    model: &Model,
) -> Result<Vec<u8>, RenderError> {
    let bounds = puppet.bounds();
    let mut orbit = *orbit;
    orbit.frame(&bounds, 1.0);
    // A standing figure's bounding sphere is much wider than the figure.
    orbit.distance *= NEARER;
    let settings = ViewSettings {
        camera: orbit.camera(&bounds),
        mode: ShadingMode::Shaded,
        light: Light::default(),
        background: Background::Transparent,
        samples: 4,
        bounds,
        floor: false,
        shadow: false,
        scale: 1.0,
    };
    let frame = scene::frame(puppet, &settings);
    Ok(renderer.render(&[model], &frame, (SIDE, SIDE))?.png(Background::Transparent)?)
}
