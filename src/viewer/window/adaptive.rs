//! Draws the scene at a quality that adapts to the measured frame durations.

use std::time::Duration;

use glam::{Vec2, Vec3, Vec4};

use crate::Session;
use crate::platform::Instant;
use crate::quality::{Quality, QualityControl};
use crate::render::{Floor, Frame, Grid, Line, RenderError, ShadingMode};
use crate::view::{Camera, Projection};

use super::App;
use super::panel_output::PanelOutput;
use super::surface::{DrawOutcome, SceneView};

/// The quality of the scene in the window.
#[derive(Debug)]
pub(super) struct AdaptiveQuality {
    control: QualityControl,
    /// Start of the control's clock.
    began: Instant,
    /// Reduced qualities that have not been drawn yet (see [`App::prepare_quality`]).
    unprepared: Vec<Quality>,
    /// The model and shading mode for which the reduced qualities are prepared.
    shown: Option<(u64, ShadingMode)>,
}

impl AdaptiveQuality {
    pub(super) fn new(is_software: bool) -> Self {
        Self {
            control: QualityControl::new(is_software),
            began: Instant::now(),
            unprepared: Vec::new(),
            shown: None,
        }
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }
}

/// Linear colour of the line that replaces a floor seen from the side.
const FLOOR_LINE: Vec4 = Vec4::new(0.01, 0.012, 0.02, 0.45);

/// Returns a session's frame with clearer floor lines than in saved images.
fn window_frame(session: &Session, scale: f32) -> Frame<'_> {
    let mut frame = session.frame(scale);
    frame.ground = frame.ground.map(|floor| Floor { grid: Grid::Clear { width: scale }, ..floor });
    if let Some(line) = frame.ground.and_then(|floor| floor_from_side(&frame.camera, &floor, scale)) {
        frame.lines.insert(0, line);
    }
    frame
}

/// Returns a line that replaces a floor seen exactly from the side, because such a floor would be invisible.
fn floor_from_side(camera: &Camera, floor: &Floor, scale: f32) -> Option<Line> {
    let sight = camera.direction();
    let is_flat = matches!(camera.projection, Projection::Orthographic { .. }) && sight.y.abs() < 1e-4;
    let along = Vec3::Y.cross(sight).normalize_or_zero() * floor.radius;
    let (start, end) = (floor.center - along, floor.center + along);
    is_flat.then_some(Line { start, end, widths: [1.5 * scale; 2], color: FLOOR_LINE })
}

impl App {
    /// Draws the scene and the panel. `origin` is the upper left corner of the scene in pixels, and `started` is the time at which the
    /// frame began.
    pub(super) fn draw_scene(
        &mut self,
        origin: Vec2,
        panel: PanelOutput,
        started: Instant,
    ) -> Result<DrawOutcome, RenderError> {
        let is_busy = self.input.is_busy()
            || self.session.is_playing()
            || self.session.is_swinging()
            || self.capture.is_some();
        let Some(open) = &mut self.open else { return Ok(DrawOutcome::Hidden) };
        let (graphics, quality) = (&mut open.graphics, &mut open.quality);
        graphics.update_models(&self.session)?;
        self.preferences.set_full_quality(self.panel.full_quality);
        let mut frame = window_frame(&self.session, panel.scale);
        let chosen = if self.panel.full_quality {
            Quality::FULL
        } else {
            quality.control.choose(quality.now(), frame.fingerprint(), is_busy)
        };
        let percent = chosen.apply(&mut frame);
        let scene = SceneView { frame: &frame, origin, size: self.panel.scene_size(panel.scale), percent };
        let drawn = graphics.draw(Some(&scene), panel)?;
        if let (true, Some(beside)) = (drawn.has_drawn_scene, drawn.beside) {
            quality.control.note(started.elapsed().saturating_sub(drawn.waited).max(beside));
        }
        let shown = Some((graphics.model_id(), frame.mode));
        if drawn.outcome == DrawOutcome::Shown && quality.shown != shown {
            (quality.shown, quality.unprepared) = (shown, Quality::reduced().collect());
        }
        Ok(drawn.outcome)
    }

    /// Returns when the scene must be drawn in full quality.
    pub(super) fn full_quality_due(&self) -> Option<Instant> {
        let quality = &self.open.as_ref()?.quality;
        let due = quality.control.due().filter(|_| !self.panel.full_quality)?;
        quality.began.checked_add(due)
    }

    /// Draws one of the reduced qualities into a small hidden image, because a software driver compiles shaders on
    /// first use. Returns whether more qualities must be prepared.
    pub(super) fn prepare_quality(&mut self) -> Result<bool, RenderError> {
        let Some(open) = &mut self.open else { return Ok(false) };
        let (graphics, quality) = (&mut open.graphics, &mut open.quality);
        let is_wanted = graphics.is_software() && !self.panel.full_quality && !self.input.is_busy();
        let Some(next) = is_wanted.then(|| quality.unprepared.pop()).flatten() else { return Ok(false) };
        let mut frame = window_frame(&self.session, 1.0);
        next.apply(&mut frame);
        graphics.prepare(&frame)?;
        Ok(!quality.unprepared.is_empty())
    }
}
