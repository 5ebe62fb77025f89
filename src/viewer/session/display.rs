//! What a renderer shows of a session.

use std::borrow::Cow;

use crate::asset::Character;
use crate::render::{Background, Frame, Model, Pending, RenderError, Renderer};
use crate::scene;
use crate::scene::ViewSettings;

use super::{Session, gizmo, overlay};

/// Describes the scene of a session for a renderer. `scale` is the number of pixels per point.
pub(super) fn frame(session: &Session, scale: f32) -> Frame<'_> {
    let settings = &session.document.settings;
    let (mode, is_data) = (settings.shading_mode, settings.shading_mode.is_data());
    let background = if mode.is_shaded() { Background::Color([0x6B, 0x70, 0x7A]) } else { Background::BLACK };
    let view = ViewSettings {
        camera: session.camera(),
        mode,
        light: settings.light.clone(),
        background,
        samples: 4,
        bounds: session.view.scene_bounds(&session.puppet),
        floor: settings.display.ground && !is_data,
        shadow: settings.display.shadow,
        scale,
    };
    let mut frame = scene::frame(&session.puppet, &view);
    frame.instances.extend(session.props.instances(&settings.props, &session.puppet));
    frame.lines = overlay::lines(session, scale);
    session.comparison.add_to_frame(&mut frame, &session.puppet, scale);
    if !is_data {
        frame.ghosts.extend(session.onion.instances(&session.puppet));
        let (fills, lines) = gizmo::draw(session, scale);
        frame.fills = fills;
        frame.lines.extend(lines);
    }
    frame
}

/// Starts to draw the image that [`Session::save_image`] saves. Also returns its background.
///
/// # Errors
/// [`RenderError`] if the image cannot be drawn.
pub(crate) fn submit(
    session: &Session,
    renderer: &mut Renderer,
    model: &Model,
    scale: f32,
) -> Result<(Pending, Background), RenderError> {
    let frame = Frame { ambient_occlusion: true, ..frame(session, scale) };
    let props = session.prop_models(renderer)?;
    let models: Vec<&Model> = std::iter::once(model).chain(&props).collect();
    Ok((renderer.submit(&models, &frame, session.pixels())?, frame.background))
}

/// Returns a character with the materials of a variant. This is a copy unless the variant is `None`.
pub(super) fn with_variant<'a>(character: &'a Character, variant: Option<&str>) -> Cow<'a, Character> {
    if variant.is_none() {
        return Cow::Borrowed(character);
    }
    let mut shown = character.clone();
    // The name was checked when it was set.
    let _ = shown.select_variant(variant);
    Cow::Owned(shown)
}
