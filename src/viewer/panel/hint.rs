//! How to begin, until somebody has.

use egui::{Align2, Color32, FontId, Ui};

use super::super::Session;
use super::Look;

const HINT: &str = "drag any part of the character   ·   ?  keys";
/// Seconds in which it goes.
const FADE: f32 = 0.6;
/// Points above the lower edge.
const ABOVE: f32 = 28.0;

/// A line at the bottom of the scene, which fades once something is pulled.
pub(super) fn show(ui: &Ui, session: &Session, look: &mut Look) {
    // A quick pull may be over before anything is drawn.
    look.pulled |= session.is_dragging() || session.history.can_undo() || session.history.can_redo();
    let shown = ui.ctx().animate_bool_with_time(egui::Id::unique("hint"), !look.pulled, FADE);
    if shown == 0.0 {
        return;
    }
    let scale = ui.ctx().pixels_per_point();
    let size = session.size() / scale;
    let color = Color32::WHITE.gamma_multiply(0.85 * shown);
    let text = ui.painter().layout(HINT.to_owned(), FontId::proportional(14.0), color, size.x - 24.0);
    let middle = egui::pos2(size.x * 0.5, size.y - ABOVE);
    let place = Align2::CENTER_BOTTOM.anchor_size(middle, text.size());
    let behind = place.expand2(egui::vec2(12.0, 6.0));
    if size.x > 2.0 * ABOVE {
        ui.painter().rect_filled(behind, 12.0, Color32::from_black_alpha(110).gamma_multiply(shown));
        ui.painter().galley(place.min, text, color);
    }
}
