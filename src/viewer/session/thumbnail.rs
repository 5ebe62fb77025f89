//! Small images of the character in its current pose, for lists of poses.

use crate::Orbit;
use crate::render::{Background, Light, Model, RenderError, Renderer, ShadingMode};
use crate::scene;
use crate::scene::ViewSettings;

use super::Session;

/// Width and height of a thumbnail in pixels.
const SIDE: u32 = 160;
/// Camera distance, relative to the distance at which the bounding sphere of the character fills the image.
const NEARER: f32 = 0.72;

impl Session {
    /// Renders the character in its current pose from the camera's direction, without a floor, as PNG.
    ///
    /// # Errors
    /// [`RenderError`] if the image cannot be rendered.
    pub fn thumbnail(&self, renderer: &mut Renderer, model: &Model) -> Result<Vec<u8>, RenderError> {
        let bounds = self.puppet.bounds();
        let mut orbit = Orbit { ..self.document.orbit };
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
        let frame = scene::frame(&self.puppet, &settings);
        Ok(renderer.render(&[model], &frame, (SIDE, SIDE))?.png(Background::Transparent)?)
    }
}
