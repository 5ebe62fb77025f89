//! What a renderer shows of a session.

use std::borrow::Cow;

use crate::Orbit;
use crate::asset::Character;
use crate::puppet::Puppet;
use crate::render::{Background, Frame, Model, RenderError, Renderer};
use crate::scene;
use crate::scene::ViewSettings;
use crate::view::Camera;

use super::picking::Picture;
use super::{Session, gizmo, overlay};

impl Session {
    /// Describes the scene for a renderer. `scale` is the number of pixels per point.
    pub fn frame(&self, scale: f32) -> Frame<'_> {
        let settings = &self.document.settings;
        let (mode, is_data) = (settings.shading_mode, settings.shading_mode.is_data());
        let background =
            if mode.is_shaded() { Background::Color([0x6B, 0x70, 0x7A]) } else { Background::BLACK };
        let view = ViewSettings {
            camera: self.camera(),
            mode,
            light: settings.light.clone(),
            background,
            samples: 4,
            bounds: self.view.scene_bounds(&self.puppet),
            floor: settings.display.ground && !is_data,
            shadow: settings.display.shadow,
            scale,
        };
        let mut frame = scene::frame(&self.puppet, &view);
        frame.instances.extend(self.props.instances(&settings.props, &self.puppet));
        frame.lines = overlay::lines(self, scale);
        self.comparison.add_to_frame(&mut frame, &self.puppet, scale);
        if !is_data {
            frame.ghosts.extend(self.onion.instances(&self.puppet));
            let (fills, lines) = gizmo::draw(self, scale);
            frame.fills = fills;
            frame.lines.extend(lines);
        }
        frame
    }

    /// The camera.
    pub fn camera(&self) -> Camera {
        self.view.camera(&self.puppet, &self.document.orbit)
    }

    /// Returns the initial front view of the whole character at its current position.
    pub fn home_view(&self) -> Orbit {
        self.view.initial(&self.puppet, self.document.settings.framing)
    }

    /// Returns a view of the selected joints and their bones from the current direction. If nothing is selected, it shows the whole
    /// character.
    pub fn selection_view(&self) -> Orbit {
        self.view.of_selection(&self.puppet, &self.document)
    }

    /// Returns the picture in which the pointer picks parts of the character and the gizmo.
    pub(crate) fn picture(&self) -> Picture<'_> {
        Picture::new(&self.puppet, &self.document, &self.view)
    }

    /// Returns the character with the displayed materials, for upload to a renderer. If a variant is shown, this is a copy, because the
    /// original is shared with the rest of the program.
    pub fn shown_character(&self) -> Cow<'_, Character> {
        let character = self.puppet.character();
        if self.document.settings.variant.is_none() {
            return Cow::Borrowed(character);
        }
        let mut shown = character.clone();
        // The name was checked when it was set.
        let _ = shown.select_variant(self.document.settings.variant.as_deref());
        Cow::Owned(shown)
    }

    /// Returns the models of the props in their rest poses, in the order of [`Self::prop_models`].
    pub fn prop_puppets(&self) -> impl Iterator<Item = &Puppet> {
        self.props.loaded().map(|(_, puppet)| puppet)
    }

    /// Uploads the models of the props. A renderer needs them after the character's model to draw [`Self::frame`]. Frames that are drawn
    /// without them lack the props.
    ///
    /// # Errors
    /// [`RenderError`] if a model cannot be uploaded.
    pub fn prop_models(&self, renderer: &Renderer) -> Result<Vec<Model>, RenderError> {
        self.props.upload(renderer)
    }
}
