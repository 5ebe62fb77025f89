//! Time, duration and frame rate above the timeline.

use egui::{Button, DragValue, RichText, Ui};

use crate::panel::theme;
use crate::session::timeline::{MAX_FRAME_RATE, last_time};
use crate::{Command, Session, Timeline};

/// Common frame rates.
const FRAME_RATES: [f32; 4] = [24.0, 25.0, 30.0, 60.0];

/// Shows a field for the time, and the duration of the motion. If the motion has key poses, the duration is also a field.
pub(super) fn time(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let (mut time, last) = (session.puppet.time, last_time(&session.puppet));
    let timeline = &session.document.settings.timeline;
    if timeline.frames && session.is_playing() {
        // Show whole frames while playing, because decimals would flicker.
        time = timeline.time(timeline.frame(time).floor());
    }
    if field(ui, &session.document.settings.timeline, &mut time, [0.0, last], "Time of the playhead") {
        commands.push(Command::Seek(time));
    }
    ui.label(RichText::new("/").color(theme::quiet(ui)));
    if session.puppet.motion.keys.is_empty() {
        let timeline = &session.document.settings.timeline;
        let length = if timeline.frames {
            format!("{:.0}", timeline.frame(session.puppet.seconds()))
        } else {
            format!("{:.2} s", session.puppet.seconds())
        };
        ui.label(RichText::new(length).monospace().color(theme::quiet(ui)));
        return;
    }
    let mut duration = session.puppet.seconds();
    if field(ui, &session.document.settings.timeline, &mut duration, [0.1, 3600.0], "Duration of the motion")
    {
        commands.push(Command::Duration(Some(duration)));
    }
}

/// Shows a time as a field, in frames or in seconds. Returns whether it was changed.
pub(super) fn field(
    ui: &mut Ui,
    timeline: &Timeline,
    time: &mut f32,
    [least, most]: [f32; 2],
    name: &str,
) -> bool {
    let mut number = if timeline.frames { timeline.frame(*time) } else { f64::from(*time) };
    let per_second = if timeline.frames { f64::from(timeline.frame_rate) } else { 1.0 };
    let range = f64::from(least) * per_second..=f64::from(most) * per_second;
    let field = DragValue::new(&mut number).range(range).clamp_existing_to_range(false);
    let field = if timeline.frames {
        field.speed(0.2).max_decimals(if (*time - timeline.nearest(*time)).abs() < 1e-4 { 0 } else { 1 })
    } else {
        field.speed(0.02).fixed_decimals(2).suffix(" s")
    };
    let unit = if timeline.frames { "in frames" } else { "in seconds" };
    let changed =
        ui.add(field.update_while_editing(false)).on_hover_text(format!("{name}, {unit}")).changed();
    if changed {
        let wanted = if timeline.frames && timeline.snap { number.round() } else { number };
        *time = if timeline.frames { timeline.time(wanted) } else { crate::text::toml::single(wanted) };
    }
    changed
}

/// Shows the menu for the frame rate and the timeline display.
pub(super) fn menu(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let before = session.document.settings.timeline;
    let mut timeline = before;
    let menu = ui.menu_button(format!("{} fps", timeline.frame_rate), |ui| {
        for frame_rate in FRAME_RATES {
            let is_on = timeline.frame_rate == frame_rate;
            if ui.add(Button::selectable(is_on, format!("{frame_rate} frames per second"))).clicked() {
                timeline.frame_rate = frame_rate;
            }
        }
        let other = DragValue::new(&mut timeline.frame_rate).range(1.0..=MAX_FRAME_RATE).max_decimals(3);
        ui.horizontal(|ui| {
            let title = ui.label(RichText::new("Other").color(theme::quiet(ui)));
            ui.add(other.suffix(" fps").update_while_editing(false)).labelled_by(title.id);
        });
        ui.separator();
        ui.checkbox(&mut timeline.frames, "Count frames");
        ui.checkbox(&mut timeline.snap, "Snap to frames");
        ui.separator();
        let has_range = timeline.range.is_some();
        if ui.add_enabled(has_range, Button::new("Loop the whole motion")).clicked() {
            timeline.range = None;
            ui.close();
        }
    });
    menu.response.on_hover_text("Frame rate and snapping. Shift and a drag on the ruler select what loops.");
    if timeline != before {
        commands.push(Command::Timeline(timeline));
    }
}
