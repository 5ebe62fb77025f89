//! A pad that sets the blend weights of two to four clips.

use egui::{Align2, FontId, Response, Sense, Shape, Stroke, Ui, vec2};
use glam::Vec2;

use crate::panel::blend_square::{corners, point, weights};

use super::theme;

/// Height in points of the pad for two clips, which is a line.
const LINE: f32 = 40.0;
/// Height in points of the pad for three or four clips.
const FIELD: f32 = 122.0;
/// Space around the pad in points.
const MARGIN: f32 = 17.0;

/// Shows a pad with a clip at each corner. The handle's position sets the weights. Returns the pad's response and the
/// new weights, or `None` if the number of clips is not two to four or the sum of the weights is not positive.
pub(super) fn show(ui: &mut Ui, names: &[String], current: &[f32]) -> Option<(Response, Vec<f32>)> {
    let corners = corners(current.len());
    let at = point(current.iter().copied())?;
    let height = if corners.len() == 2 { LINE } else { FIELD };
    let (rect, pad) =
        ui.allocate_exact_size(vec2(ui.available_width() - 8.0, height), Sense::click_and_drag());
    let role = egui::accesskit::Role::Slider;
    pad.widget_info(|| egui::WidgetInfo::labeled(role, true, format!("Blend of {}", names.join(", "))));
    let field = rect.shrink2(vec2(MARGIN, if corners.len() == 2 { 0.0 } else { MARGIN }));
    let screen = |p: Vec2| field.min + vec2(p.x * field.width(), p.y * field.height());
    let (painter, quiet, accent) = (ui.painter(), theme::quiet(ui), theme::accent(ui));
    painter.rect_filled(rect, 6, ui.visuals().extreme_bg_color);
    let outline: &[usize] = match corners.len() {
        2 => &[0, 1],
        3 => &[0, 1, 2, 0],
        _ => &[0, 1, 3, 2, 0],
    };
    let outline = outline.iter().filter_map(|&i| corners.get(i)).map(|c| screen(*c)).collect();
    painter.add(Shape::line(outline, Stroke::new(1.0, quiet.gamma_multiply(0.5))));
    // The larger a clip's weight, the more opaque the line to that clip.
    let sum: f32 = current.iter().sum();
    for ((corner, weight), name) in corners.iter().zip(current).zip(names) {
        let (end, weight) = (screen(*corner), weight / sum);
        painter.line_segment([end, screen(at)], (2.0, accent.gamma_multiply(0.7 * weight)));
        painter.circle_filled(end, 3.0, quiet);
        let (left, low) = (corner.x < 0.5, corner.y > 0.6);
        let align = match (corner.x == 0.5, left, low) {
            (true, ..) => Align2::LEFT_CENTER,
            (_, true, true) => Align2::LEFT_TOP,
            (_, true, false) => Align2::LEFT_BOTTOM,
            (_, false, true) => Align2::RIGHT_TOP,
            (_, false, false) => Align2::RIGHT_BOTTOM,
        };
        let offset = match (corner.x == 0.5, low) {
            (true, _) => vec2(8.0, 0.0),
            (_, true) => vec2(if left { -8.0 } else { 8.0 }, 2.0),
            (_, false) if corners.len() == 2 => vec2(if left { -4.0 } else { 4.0 }, -4.0),
            (_, false) => vec2(if left { -8.0 } else { 8.0 }, -2.0),
        };
        let text = format!("{name} {:.0} %", 100.0 * weight);
        painter.text(end + offset, align, text, FontId::proportional(12.0), theme::ink(ui));
    }
    painter.circle(screen(at), 6.0, accent, Stroke::new(2.0, ui.visuals().extreme_bg_color));
    let mut pad = pad.on_hover_cursor(egui::CursorIcon::Crosshair);
    let pressed = pad.interact_pointer_pos().filter(|_| pad.dragged() || pad.clicked());
    let Some(to) = pressed.map(|p| p - field.min) else { return Some((pad, current.to_vec())) };
    pad.mark_changed();
    let position = Vec2::new(to.x / field.width().max(1.0), to.y / field.height().max(1.0));
    Some((pad, weights(current.len(), position)))
}
