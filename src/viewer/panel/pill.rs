//! What is said over the scene, also where the panel is hidden: what came of what was asked, and until somebody has
//! pulled something how to begin.

use std::time::Duration;

use egui::text::LayoutJob;
use egui::{Align2, Color32, FontId, Pos2, Rect, Ui, vec2};

use super::super::Session;
use super::{Look, RECORDING};

const HINT: &str = "drag any part of the character   ·   ?  keys";
/// Seconds in which it goes.
const FADE: f32 = 0.6;
/// Points above the lower edge.
const ABOVE: f32 = 28.0;
/// Points that a line is wide at most, and how many there are.
const WIDEST: f32 = 640.0;
const LINES: usize = 4;
/// Seconds that news stay, and that errors do.
const STAYS: [f64; 2] = [4.0, 12.0];
/// On the dark behind it, whatever the theme.
const BAD: Color32 = Color32::from_rgb(255, 172, 150);

/// What the window has said last.
#[derive(Debug)]
pub(super) struct Said {
    line: String,
    bad: bool,
    /// When it was seen first, by egui's clock.
    since: Option<f64>,
}

impl Said {
    pub(super) fn new(came: &Result<String, String>) -> Self {
        let (Ok(line) | Err(line)) = came;
        Self { line: line.clone(), bad: came.is_err(), since: None }
    }

    /// Seconds for which it is still seen.
    fn rest(&mut self, now: f64) -> f64 {
        // A context that is made anew begins to count anew.
        let since = self.since.filter(|&since| since <= now).unwrap_or(now);
        self.since = Some(since);
        since + STAYS[usize::from(self.bad)] - now
    }
}

/// The newest news, else the hint; and that a recording runs.
pub(super) fn show(ui: &Ui, session: &Session, look: &mut Look) {
    if session.recorded().is_some() {
        recording(ui, session);
    }
    // A quick pull may be over before anything is drawn.
    look.pulled |= session.is_dragging() || session.history.can_undo() || session.history.can_redo();
    let hint = ui.ctx().animate_bool_with_time(egui::Id::unique("hint"), !look.pulled, FADE);
    let now = ui.input(|i| i.time);
    let said = look.said.as_mut().map(|said| (said.rest(now), said)).filter(|(rest, _)| *rest > 0.0);
    let Some((rest, said)) = said else {
        look.said = None;
        if hint > 0.0 {
            pill(ui, session, HINT, Color32::WHITE.gamma_multiply(0.85), hint);
        }
        return;
    };
    // Drawn again when it begins to go, and while it goes.
    let whole = (rest - f64::from(FADE)).max(0.0);
    ui.ctx().request_repaint_after(Duration::from_secs_f64(whole));
    #[expect(clippy::cast_possible_truncation, reason = "seconds")]
    let shown = (rest as f32 / FADE).min(1.0);
    pill(ui, session, &said.line, if said.bad { BAD } else { Color32::WHITE }, shown);
}

/// A text at the bottom of the scene; `shown`: from 0, not at all, to 1.
fn pill(ui: &Ui, session: &Session, text: &str, color: Color32, shown: f32) {
    let size = session.size() / ui.ctx().pixels_per_point();
    if size.x <= 2.0 * ABOVE {
        return;
    }
    let wide = (size.x - 48.0).min(WIDEST);
    let color = color.gamma_multiply(shown);
    let mut job = LayoutJob::simple(text.to_owned(), FontId::proportional(14.0), color, wide);
    job.wrap.max_rows = LINES;
    let text = ui.painter().layout_job(job);
    let middle = egui::pos2(size.x * 0.5, size.y - ABOVE);
    let place = Align2::CENTER_BOTTOM.anchor_size(middle, text.size());
    behind(ui, place, shown);
    ui.painter().galley(place.min, text, color);
}

/// A red dot in the upper left corner.
fn recording(ui: &Ui, session: &Session) {
    let size = session.size() / ui.ctx().pixels_per_point();
    let color = Color32::WHITE;
    let text = ui.painter().layout_no_wrap("recording".to_owned(), FontId::proportional(13.0), color);
    let place = Rect::from_min_size(Pos2::new(40.0, 18.0), text.size());
    if place.right() > size.x {
        return;
    }
    behind(ui, place.with_min_x(place.left() - 16.0), 1.0);
    ui.painter().circle_filled(place.left_center() - vec2(11.0, 0.0), 5.0, RECORDING);
    ui.painter().galley(place.min, text, color);
}

fn behind(ui: &Ui, place: Rect, shown: f32) {
    let dark = Color32::from_black_alpha(170).gamma_multiply(shown);
    ui.painter().rect_filled(place.expand2(vec2(12.0, 6.0)), 12.0, dark);
}
