//! Key poses on the timeline, drawn as diamonds. Dragging moves a key; with Ctrl it copies the key.

use egui::{CursorIcon, Rect, Sense, Ui, Vec2};

use crate::arrange::hiding_strip;
use crate::motion::{Easing, PoseKey};
use crate::panel::{clip_names, theme};
use crate::session::timeline::last_time;
use crate::{Command, Session};

use super::ruler::Lane;
use super::{TimelineState, draw, snapped};

/// Distance in points from a diamond's center to its corners.
const DIAMOND: f32 = 7.0;

/// A drag of a key pose.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyDrag {
    /// The key's time and the time it is dragged to, in seconds.
    from: f32,
    to: f32,
}

pub(super) fn show(
    ui: &Ui,
    session: &Session,
    lane: Lane,
    state: &mut TimelineState,
    commands: &mut Vec<Command>,
) {
    let (keys, timeline) = (&session.puppet.motion.keys, &session.document.settings.timeline);
    state.key = state.key.filter(|time| keys.iter().any(|key| key.time == *time));
    for (index, key) in keys.iter().enumerate() {
        let center = lane.center(key.time);
        let rect = Rect::from_center_size(center, Vec2::splat(2.0 * DIAMOND + 4.0));
        let part = ui.interact(rect, ui.scope_id().with(("key pose", index)), Sense::click_and_drag());
        let mut name = format!("Key pose at {}", timeline.text(key.time));
        let hiding = hiding_strip(&session.puppet.motion, &session.puppet.character().clips, key.time);
        if let Some(strip) = hiding.and_then(|index| session.puppet.motion.strips.get(index)) {
            name = format!("{name}, hidden by {}", clip_names::names(session, &strip.clips));
        }
        part.widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::Button, true, &name));
        if part.clicked() {
            state.select_key(Some(key.time));
            commands.push(Command::Seek(key.time));
        }
        if part.drag_started() {
            state.key_drag = Some(KeyDrag { from: key.time, to: key.time });
        }
        if let Some(drag) = state.key_drag.as_mut().filter(|_| part.dragged()) {
            let at =
                part.interact_pointer_pos().map_or(drag.to, |at| snapped(timeline, lane.ruler.time(at.x)));
            drag.to = at.clamp(0.0, last_time(&session.puppet));
            draw::diamond(ui, lane.center(drag.to), DIAMOND, true, true);
        }
        if part.drag_stopped() {
            commands.extend(state.key_drag.take().and_then(|drag| dropped(ui, drag, state)));
        }
        if hiding.is_some() {
            draw::hollow_diamond(ui, center, DIAMOND);
        } else {
            draw::diamond(ui, center, DIAMOND, state.key == Some(key.time), part.hovered());
        }
        part.on_hover_cursor(CursorIcon::Grab).on_hover_text(name);
    }
}

/// Returns the command for a finished drag.
fn dropped(ui: &Ui, KeyDrag { from, to }: KeyDrag, state: &mut TimelineState) -> Option<Command> {
    if from == to {
        return None;
    }
    state.select_key(Some(to));
    let copies = ui.input(|i| i.modifiers.ctrl);
    Some(if copies { Command::KeyCopy(from, to) } else { Command::KeyMove(from, to) })
}

pub(super) fn selected<'a>(session: &'a Session, state: &TimelineState) -> Option<&'a PoseKey> {
    let time = state.key.filter(|_| state.selected.is_none())?;
    session.puppet.motion.keys.iter().find(|key| key.time == time)
}

/// Shows the properties of a key pose.
pub(super) fn details(ui: &mut Ui, key: &PoseKey, session: &Session, commands: &mut Vec<Command>) {
    ui.label(
        egui::RichText::new(format!("Key at {}", session.document.settings.timeline.text(key.time))).strong(),
    );
    ui.label(egui::RichText::new("Change to the next key").color(theme::quiet(ui)));
    for easing in Easing::ALL {
        if ui.selectable_label(key.easing == easing, easing.name()).clicked() {
            commands.push(Command::KeyEasing(key.time, easing));
        }
    }
    let now = session.puppet.time;
    let copy = ui.add_enabled(now != key.time, egui::Button::new("Copy here"));
    if copy.on_hover_text("Copy this key to the time of the playhead").clicked() {
        commands.push(Command::KeyCopy(key.time, now));
    }
    if ui.button("Remove").on_hover_text("Del").clicked() {
        commands.push(Command::KeyDelete(key.time));
    }
}
