//! Messages over the scene, which also appear when the panel is hidden. The first available message in this order is shown: the newest
//! toast, the error of the last solve, the file that is being read, or a hint. A hint shows new users what to do next, and disappears once
//! they have done it.

use std::time::Duration;

use egui::text::LayoutJob;
use egui::{Align2, Area, Color32, FontId, Frame, Order, Rect, Ui, vec2};

use crate::session::timeline::can_key;
use crate::text::printable;
use crate::{Action, Session};

use super::open::{Reading, progress_text};
use super::{AppRequest, PanelState, RECORDING};

/// The first hint. The dots mark joints that are easy to grab.
const HINT: &str = "Drag any part of the character, for example a dot   ·   ?  shortcuts";
/// Display time of each hint after the first one, in seconds. Each of these hints is shown once.
const HINT_DURATION: f64 = 12.0;
/// Interval at which a read's progress is redrawn.
const READING_INTERVAL: Duration = Duration::from_millis(250);
/// Duration of the fade-out in seconds.
const FADE: f32 = 0.6;
/// Distance from the bottom of the scene in points.
const BOTTOM_MARGIN: f32 = 28.0;
/// Maximum width of a line in points.
const MAX_WIDTH: f32 = 640.0;
/// Maximum number of lines.
const MAX_LINES: usize = 4;
/// Display time of messages and of errors, in seconds.
const DURATIONS: [f64; 2] = [4.0, 12.0];
/// Text color of errors. It is readable on the dark background in both themes.
const ERROR: Color32 = Color32::from_rgb(255, 172, 150);

/// The latest message to the user.
#[derive(Debug)]
pub(super) struct Toast {
    text: String,
    is_error: bool,
    /// A button, and the request that it issues.
    action: Option<(&'static str, AppRequest)>,
    /// When it was first drawn, in egui's time.
    since: Option<f64>,
}

impl Toast {
    pub(super) fn new(message: &Result<String, String>) -> Self {
        let (Ok(text) | Err(text)) = message;
        Self { text: text.clone(), is_error: message.is_err(), action: None, since: None }
    }

    pub(super) fn with_action(self, label: &'static str, request: AppRequest) -> Self {
        Self { action: Some((label, request)), ..self }
    }

    /// Returns the remaining display time in seconds.
    fn remaining(&mut self, now: f64) -> f64 {
        // A new egui context starts at time zero. The toast then restarts its full duration.
        let since = self.since.filter(|&since| since <= now).unwrap_or(now);
        self.since = Some(since);
        // A button needs more time than a line of text.
        since + DURATIONS[usize::from(self.is_error || self.action.is_some())] - now
    }
}

/// Shows the recording indicator and the current toast. If there is no toast, shows the hint.
pub(super) fn show(ui: &Ui, session: &Session, panel: &mut PanelState) {
    if session.recorded().is_some() {
        recording(ui, panel.layout.scene);
    }
    // A quick drag may begin and end between two frames, but leaves an undo step.
    panel.has_dragged |= session.is_dragging() || session.history.can_undo() || session.history.can_redo();
    let hint = ui.ctx().animate_bool_with_time(egui::Id::unique("hint"), !panel.has_dragged, FADE);
    let (scene, now) = (panel.layout.scene, ui.input(|i| i.time));
    let toast = panel.toast.as_mut().map(|toast| (toast.remaining(now), toast));
    let Some((remaining, toast)) = toast.filter(|(remaining, _)| *remaining > 0.0) else {
        panel.toast = None;
        if let Some(error) = session.error.as_ref().or(session.limit_note.as_ref()) {
            draw(ui, scene, &printable::line(error), ERROR, 1.0);
        } else if let Some(reading) = &panel.open.reading {
            draw(ui, scene, &reading_text(reading), Color32::WHITE, 1.0);
            ui.ctx().request_repaint_after(READING_INTERVAL);
        } else if hint > 0.0 {
            draw(ui, scene, HINT, Color32::WHITE.gamma_multiply(0.85), hint);
        } else if let Some(hint) = next_step(session, panel, now) {
            draw(ui, scene, &hint, Color32::WHITE.gamma_multiply(0.85), 1.0);
            ui.ctx().request_repaint_after(Duration::from_secs_f64(HINT_DURATION));
        }
        return;
    };
    // Repaint when the fade-out begins, and during it.
    let until_fade = (remaining - f64::from(FADE)).max(0.0);
    ui.ctx().request_repaint_after(Duration::from_secs_f64(until_fade));
    #[expect(clippy::cast_possible_truncation, reason = "seconds")]
    let opacity = (remaining as f32 / FADE).min(1.0);
    let color = if toast.is_error { ERROR } else { Color32::WHITE };
    let Some((label, request)) = &toast.action else {
        return draw(ui, scene, &toast.text, color, opacity);
    };
    if draw_with_button(ui, scene, &toast.text, color.gamma_multiply(opacity), label) {
        panel.request = Some(request.clone());
        panel.toast = None;
    }
}

/// Returns the hint after the first drag. It suggests setting a key and, once there is a key, exporting the motion.
fn next_step(session: &Session, panel: &mut PanelState, now: f64) -> Option<String> {
    // Users who record already know the window, and recorded images should not contain hints.
    if session.is_dragging() || session.is_playing() || session.recorded().is_some() {
        return None;
    }
    let (step, action, what) = match (session.document.scene.motion.is_rest(), can_key(&session.puppet)) {
        (true, true) => (0, Action::Key, "keeps this pose as a key"),
        (false, true) => (1, Action::ExportClip, "exports the motion"),
        (_, false) => return None,
    };
    // A new egui context starts at time zero.
    let since = panel.hinted.get_mut(step)?.get_or_insert(now);
    *since = since.min(now);
    let keys = panel.keymap.text(action);
    (now - *since < HINT_DURATION && !keys.is_empty()).then(|| format!("{keys}  {what}"))
}

/// Returns the name of the file being read, and its progress.
fn reading_text(reading: &Reading) -> String {
    let file = reading.path.file_name().unwrap_or_default().to_string_lossy();
    let file = printable::line(&file);
    match progress_text(&reading.progress, reading.began.elapsed()) {
        Some(progress) => format!("Reading {file}…   ·   {progress}   ·   Esc cancels"),
        None => format!("Reading {file}…   ·   Esc cancels"),
    }
}

/// Draws text with a button at the bottom of the scene. Returns whether the button was clicked.
fn draw_with_button(ui: &Ui, scene: Rect, text: &str, color: Color32, label: &str) -> bool {
    let width = (scene.width() - 48.0).clamp(1.0, MAX_WIDTH);
    let frame = Frame::new().fill(Color32::from_black_alpha(200)).corner_radius(12).inner_margin(12);
    let area = Area::new(egui::Id::unique("toast")).pivot(Align2::CENTER_BOTTOM).order(Order::Foreground);
    let anchor = scene.center_bottom() - vec2(0.0, BOTTOM_MARGIN);
    let shown = area.fixed_pos(anchor).show(ui.ctx(), |ui| {
        frame
            .show(ui, |ui| {
                let galley = ui.painter().layout(text.to_owned(), FontId::proportional(14.0), color, width);
                ui.set_width(galley.size().x.max(120.0));
                ui.vertical_centered(|ui| {
                    ui.label(galley);
                    ui.add_space(4.0);
                    ui.button(label).clicked()
                })
                .inner
            })
            .inner
    });
    shown.inner
}

/// Draws text at the bottom of the scene. `opacity` ranges from 0 to 1.
fn draw(ui: &Ui, scene: Rect, text: &str, color: Color32, opacity: f32) {
    let size = scene.size();
    if size.x <= 2.0 * BOTTOM_MARGIN {
        return;
    }
    let width = (size.x - 48.0).min(MAX_WIDTH);
    let color = color.gamma_multiply(opacity);
    let mut job = LayoutJob::simple(text.to_owned(), FontId::proportional(14.0), color, width);
    job.wrap.max_rows = MAX_LINES;
    let text = ui.painter().layout_job(job);
    let anchor = scene.center_bottom() - vec2(0.0, BOTTOM_MARGIN);
    let rect = Align2::CENTER_BOTTOM.anchor_size(anchor, text.size());
    background(ui, rect, opacity);
    ui.painter().galley(rect.min, text, color);
}

/// Draws the recording indicator, a red dot in the upper left corner.
fn recording(ui: &Ui, scene: Rect) {
    let color = Color32::WHITE;
    let text = ui.painter().layout_no_wrap("Recording".to_owned(), FontId::proportional(13.0), color);
    let rect = Rect::from_min_size(scene.min + vec2(40.0, 18.0), text.size());
    if rect.right() > scene.right() {
        return;
    }
    background(ui, rect.with_min_x(rect.left() - 16.0), 1.0);
    ui.painter().circle_filled(rect.left_center() - vec2(11.0, 0.0), 5.0, RECORDING);
    ui.painter().galley(rect.min, text, color);
}

/// Draws a dark rounded rectangle behind text.
fn background(ui: &Ui, text: Rect, opacity: f32) {
    let dark = Color32::from_black_alpha(190).gamma_multiply(opacity);
    ui.painter().rect_filled(text.expand2(vec2(12.0, 6.0)), 12.0, dark);
}
