//! The looping part of the motion, as a band on the ruler with two ends.

use egui::{CursorIcon, Rect, Response, Sense, Ui, pos2, vec2};

use crate::panel::theme;
use crate::{Command, Session, Timeline};

use super::ruler::{Lane, Ruler};
use super::{TimelineState, snapped};

/// Width in points of the draggable area of a band end.
const END: f32 = 8.0;
/// Height of the band in points.
const BAND: f32 = 5.0;
/// Minimum length of the looping part, in seconds.
const MIN_SECONDS: f32 = 0.02;

/// Shows the band. Each end can be dragged.
pub(super) fn show(
    ui: &Ui,
    session: &Session,
    lane: Lane,
    state: &TimelineState,
    commands: &mut Vec<Command>,
) {
    let (ruler, top, timeline) = (&lane.ruler, lane.rect.top(), &session.document.settings.timeline);
    let Some([from, to]) = timeline.range else { return };
    let accent = theme::accent(ui);
    let band = Rect::from_min_max(pos2(ruler.x(from), top), pos2(ruler.x(to), top + BAND));
    ui.painter().rect_filled(band, 2.0, accent.gamma_multiply(0.35));
    let ends = [("Start of the loop", band.left()), ("End of the loop", band.right())];
    for (index, (name, x)) in ends.into_iter().enumerate() {
        let rect = Rect::from_center_size(pos2(x, top + BAND), vec2(END, 2.0 * BAND));
        let end = ui.interact(rect, ui.scope_id().with(name), Sense::drag());
        end.widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::Slider, true, name));
        ui.painter().rect_filled(rect.shrink2(vec2(2.5, 0.0)), 1.0, accent);
        let pointer = end.interact_pointer_pos().filter(|_| end.dragged() && state.looped_from.is_none());
        if let Some(at) = pointer {
            let time = snapped(timeline, ruler.time(at.x)).max(0.0);
            let range = if index == 0 {
                [time.min(to - MIN_SECONDS), to]
            } else {
                [from, time.max(from + MIN_SECONDS)]
            };
            push(commands, timeline, range);
        }
        end.on_hover_cursor(CursorIcon::ResizeHorizontal).on_hover_text(name);
    }
}

/// Selects the looping part while Shift is down. Returns whether the pointer is selecting.
pub(super) fn select(
    ui: &Ui,
    ruler_area: &Response,
    ruler: &Ruler,
    x: f32,
    timeline: &Timeline,
    state: &mut TimelineState,
    commands: &mut Vec<Command>,
) -> bool {
    let time = snapped(timeline, ruler.time(x)).max(0.0);
    if ruler_area.drag_started() && ui.input(|i| i.modifiers.shift) {
        let origin = ui.input(|i| i.pointer.press_origin()).map_or(time, |at| ruler.time(at.x));
        state.looped_from = Some(snapped(timeline, origin).max(0.0));
    }
    let Some(from) = state.looped_from else { return ui.input(|i| i.modifiers.shift) };
    if (time - from).abs() >= MIN_SECONDS {
        push(commands, timeline, [from.min(time), from.max(time)]);
    }
    if ruler_area.drag_stopped() {
        state.looped_from = None;
    }
    true
}

fn push(commands: &mut Vec<Command>, timeline: &Timeline, range: [f32; 2]) {
    if timeline.range != Some(range) {
        commands.push(Command::Timeline(Timeline { range: Some(range), ..*timeline }));
    }
}
