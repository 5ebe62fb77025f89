//! The timeline below the scene, for editing the motion.

use egui::{Key, Rect, Sense, Ui, vec2};

use crate::arrange::{Grip, Item, Snap, drag, extent, without};
use crate::motion::Motion;
use crate::session::timeline::last_time;
use crate::{Command, Session, Timeline};

use super::PanelState;

use ruler::{Lane, Ruler};

mod change;
mod clip_menu;
mod contact_rows;
mod counter;
mod draw;
mod edits;
mod key_poses;
mod range;
mod rows;
pub(crate) mod ruler;
mod sheet;
mod sheet_contacts;
mod sheet_edit;
mod sheet_goals;
mod sheet_rows;
mod sheet_selection;
mod strips;

pub(super) use change::{push_change, push_edit};

/// Heights in points of the ruler and of the lanes for strips and edits.
const RULER: f32 = 20.0;
const STRIPS: f32 = 38.0;
const EDITS: f32 = 24.0;
/// Height in points of the bottom row with the selected item's properties.
const DETAILS: f32 = 28.0;
/// Space on both sides in points, so that grips at the start and end are reachable.
const MARGIN: f32 = 8.0;
/// Distance in points within which a dragged part snaps to a mark.
const SNAP_DISTANCE: f32 = 8.0;
/// Minimum time range in seconds when the whole motion is shown.
const MIN_SECONDS: f32 = 2.1;

/// State of the timeline that is not part of the session.
#[derive(Debug, Default)]
pub(crate) struct TimelineState {
    pub(crate) selected: Option<Item>,
    drag: Option<ActiveDrag>,
    /// Number of goal keys that the motion had in the last frame.
    goals: usize,
    /// The time of the selected key pose in seconds.
    key: Option<f32>,
    key_drag: Option<key_poses::KeyDrag>,
    sheet: sheet_selection::SheetState,
    /// Start and length of the visible time range in seconds. `None` shows everything.
    range: Option<(f32, f32)>,
    /// Where the selection of the looping part began, in seconds.
    looped_from: Option<f32>,
}

/// A drag in progress.
#[derive(Debug)]
struct ActiveDrag {
    grip: Grip,
    /// The motion before the drag.
    motion: Motion,
    /// The position on the timeline, in seconds, at which the drag started.
    at: f32,
    /// The ruler at the start of the drag. It is kept until the end, so that the timeline does not move under the
    /// pointer.
    ruler: Ruler,
    has_moved: bool,
}

impl TimelineState {
    /// Ends a drag in progress and keeps its result.
    pub(super) fn end_drag(&mut self) {
        (self.drag, self.key_drag) = (None, None);
        self.sheet.end_drag();
    }

    /// Selects a key pose, or nothing.
    fn select_key(&mut self, time: Option<f32>) {
        (self.key, self.selected) = (time, None);
        self.sheet.selected.clear();
    }

    /// Selects a key in a dope sheet row, or toggles it in the selection.
    fn click_row_key(&mut self, key: sheet_selection::RowKey, adds: bool) {
        (self.key, self.selected) = (None, None);
        self.sheet.click(key, adds);
    }

    /// Returns the number of selected keys in the dope sheet.
    #[cfg(test)]
    pub(crate) fn sheet_selection(&self) -> usize {
        self.sheet.selected.len()
    }

    /// Returns whether the dope sheet is shown.
    fn shows_sheet(&self, session: &Session) -> bool {
        self.sheet.is_open && has_sheet(&session.puppet.motion)
    }

    /// Returns the index of the strip that the panel shows: the selected one, or else the first.
    pub(super) fn strip(&self, motion: &Motion) -> usize {
        match self.selected {
            Some(Item::Strip(index)) if index < motion.strips.len() => index,
            _ => 0,
        }
    }
}

/// Returns whether a motion's dope sheet has rows: key poses, contacts or goals.
fn has_sheet(motion: &Motion) -> bool {
    !(motion.keys.is_empty() && motion.contacts.is_empty() && motion.goals.is_empty())
}

pub(super) fn show(ui: &mut Ui, session: &Session, panel: &mut PanelState, commands: &mut Vec<Command>) {
    rows::header(ui, session, panel, commands);
    let state = &mut panel.timeline;
    let goals = session.puppet.motion.goals.len();
    // If a goal key was added or removed, the indices of the other goal keys have changed.
    let has_other_goals = std::mem::replace(&mut state.goals, goals) != goals;
    let is_stale = |item: &Item| has_other_goals && matches!(item, Item::Goal(_));
    state.selected = state.selected.filter(|item| item.is_in(&session.puppet.motion) && !is_stale(item));
    let shows_sheet = state.shows_sheet(session);
    state.sheet.keep_selected(shows_sheet.then_some(&session.document.scene.motion.keys[..]));
    let ruler = lanes(ui, session, state, commands);
    if state.shows_sheet(session) {
        let height = (ui.available_height() - DETAILS).max(0.0);
        sheet::show(ui, session, &ruler, height, state, commands);
    }
    rows::details(ui, session, state, commands);
    delete(ui, session, state, commands);
}

/// Shows the ruler, the strips, the edits and the playhead over them.
fn lanes(ui: &mut Ui, session: &Session, state: &mut TimelineState, commands: &mut Vec<Command>) -> Ruler {
    // An empty lane is hidden to make room for the dope sheet.
    let is_empty = state.shows_sheet(session) && session.puppet.motion.strips.is_empty();
    let strips = if is_empty { 0.0 } else { STRIPS };
    let size = vec2(ui.available_width(), RULER + strips + EDITS);
    let (all, area) = ui.allocate_exact_size(size, Sense::click_and_drag());
    area.widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::Group, true, "Timeline"));
    let ruler = ruler(session, state, all);
    let [top, middle, bottom] = [RULER, strips, EDITS].map({
        let mut y = all.top();
        move |height| {
            let lane = Rect::from_min_size(egui::pos2(all.left(), y), vec2(all.width(), height));
            y += height;
            lane
        }
    });
    let timeline = &session.document.settings.timeline;
    draw::background(
        ui,
        &ruler,
        timeline,
        top,
        middle.union(bottom),
        timeline.looped(session.puppet.seconds()),
    );
    if area.clicked() {
        state.select_key(None);
    }
    zoom_and_pan(ui, &area, &ruler, state);
    let [top_lane, middle_lane, bottom_lane] = [top, middle, bottom].map(|rect| Lane { ruler, rect });
    range::show(ui, session, top_lane, state, commands);
    seek(ui, session, top_lane, state, commands);
    let clip_rect = ui.clip_rect();
    ui.set_clip_rect(clip_rect.intersect(all.expand2(vec2(0.0, 2.0))));
    strips::show(ui, session, middle_lane, state);
    edits::show(ui, session, bottom_lane, state);
    key_poses::show(ui, session, bottom_lane, state, commands);
    draw::playhead(ui, ruler.x(session.puppet.time), top, all.bottom());
    ui.set_clip_rect(clip_rect);
    update_drag(ui, session, state, commands);
    ruler
}

/// Returns the ruler for the visible time range.
fn ruler(session: &Session, state: &TimelineState, all: Rect) -> Ruler {
    let (motion, clips) = (&session.puppet.motion, &session.puppet.character().clips);
    let everything = || (0.0, (1.06 * extent(motion, clips).max(session.puppet.time)).max(MIN_SECONDS));
    let (from, seconds) = match &state.drag {
        Some(drag) => (drag.ruler.from, drag.ruler.seconds),
        None => state.range.unwrap_or_else(everything),
    };
    // The row names of the dope sheet are on the left.
    let names = if state.shows_sheet(session) { sheet::NAMES } else { 0.0 };
    let left = all.left() + MARGIN + names;
    Ruler { from, seconds, left, width: (all.width() - 2.0 * MARGIN - names).max(1.0) }
}

/// Zooms around the pointer with the wheel, and pans by dragging the background.
fn zoom_and_pan(ui: &Ui, area: &egui::Response, ruler: &Ruler, state: &mut TimelineState) {
    let at = ui.input(|i| i.pointer.latest_pos()).filter(|at| area.rect.contains(*at));
    let mut new = *ruler;
    if let Some(at) = at.filter(|_| state.drag.is_none()) {
        let (by, pinch) = ui.input(|i| (i.smooth_scroll_delta(), i.zoom_delta()));
        if by.y != 0.0 || pinch != 1.0 {
            new = new.zoomed((by.y * 0.005).exp() * pinch, at.x);
        }
        if by.x != 0.0 {
            new = new.moved(by.x);
        }
    }
    if area.dragged() {
        new = new.moved(area.drag_delta().x);
    }
    if new != *ruler {
        state.range = Some((new.from, new.seconds));
    }
}

/// Moves the playhead to the pressed position on the ruler. With Shift, the pointer selects the looping part.
fn seek(ui: &Ui, session: &Session, lane: Lane, state: &mut TimelineState, commands: &mut Vec<Command>) {
    let ruler = &lane.ruler;
    let head = ui.interact(lane.rect, ui.scope_id().with("playhead"), Sense::click_and_drag());
    let role = egui::accesskit::Role::Slider;
    head.widget_info(|| {
        let mut info = egui::WidgetInfo::labeled(role, true, "Playhead");
        info.value = Some(f64::from(session.puppet.time));
        info
    });
    let head = head.on_hover_cursor(egui::CursorIcon::ResizeHorizontal);
    let is_pressed = head.is_pointer_button_down_on() || head.clicked();
    let Some(at) = head.interact_pointer_pos().filter(|_| is_pressed) else { return };
    let (motion, clips) = (&session.puppet.motion, &session.puppet.character().clips);
    let timeline = &session.document.settings.timeline;
    if range::select(ui, &head, ruler, at.x, timeline, state, commands) {
        return;
    }
    let time = match ui.input(|i| i.modifiers.ctrl) {
        true => snap(ruler, timeline, Snap::new(motion, clips, None, None)).snapped(ruler.time(at.x)),
        false => snapped(timeline, ruler.time(at.x)),
    };
    let time = time.clamp(0.0, last_time(&session.puppet));
    if time != session.puppet.time {
        commands.push(Command::Seek(time));
    }
}

/// Sets the snapping distance to suit the ruler's scale, and the snapping step to a frame or to a tenth of the label distance.
fn snap(ruler: &Ruler, timeline: &Timeline, snap: Snap) -> Snap {
    let step = if timeline.snap { timeline.time(1.0) } else { ruler.step() / 10.0 };
    Snap { distance: ruler.span(SNAP_DISTANCE), step, ..snap }
}

/// Returns the time of the nearest frame if the timeline snaps to frames, or `time` unchanged otherwise.
fn snapped(timeline: &Timeline, time: f32) -> f32 {
    if timeline.snap { timeline.nearest(time) } else { time }
}

/// Handles the pointer on a grip: a click selects the grip's item, and a drag starts from the motion that `motion` returns. Returns whether
/// the grip is highlighted.
fn part(
    ui: &Ui,
    grip: Grip,
    rect: Rect,
    ruler: &Ruler,
    motion: impl FnOnce() -> Motion,
    state: &mut TimelineState,
    name: &str,
) -> bool {
    let part = ui.interact(rect, ui.scope_id().with(("part", grip_key(grip))), Sense::click_and_drag());
    part.widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::Button, true, name));
    let is_whole = matches!(grip, Grip::Whole(_));
    let cursor = if is_whole { egui::CursorIcon::Grab } else { egui::CursorIcon::ResizeHorizontal };
    let is_highlighted = part.hovered() || part.dragged();
    let has_tooltip = is_whole && state.drag.is_none();
    let part = if has_tooltip { part.on_hover_text(name) } else { part }.on_hover_cursor(cursor);
    if part.clicked() {
        state.select_key(None);
        state.selected = Some(grip.item());
    }
    let start = ui
        .input(|i| i.pointer.press_origin())
        .filter(|_| state.drag.is_none() && part.drag_started_by(egui::PointerButton::Primary));
    if let Some(start) = start {
        let at = ruler.time(start.x);
        state.drag = Some(ActiveDrag { grip, motion: motion(), at, ruler: *ruler, has_moved: false });
    }
    is_highlighted
}

/// Returns an identifier of a grip that is stable across frames.
fn grip_key(grip: Grip) -> (u8, u8, usize) {
    let part = match grip {
        Grip::Whole(_) => 0,
        Grip::First(_) => 1,
        Grip::Last(_) => 2,
    };
    match grip.item() {
        Item::Strip(index) => (part, 0, index),
        Item::Edit(index) => (part, 1, index),
        Item::Contact(index) => (part, 2, index),
        Item::Goal(index) => (part, 3, index),
    }
}

/// Moves the dragged part with the pointer. The whole drag is one undo step.
fn update_drag(ui: &Ui, session: &Session, state: &mut TimelineState, commands: &mut Vec<Command>) {
    let (motion, clips) = (&session.puppet.motion, &session.puppet.character().clips);
    let timeline = &session.document.settings.timeline;
    let Some(active) = &mut state.drag else { return };
    if ui.input(|i| i.key_pressed(Key::Escape)) {
        // All changes made by the drag form one undo step, so one undo reverts them.
        commands.extend(active.has_moved.then_some(Command::Undo));
        state.drag = None;
        return;
    }
    let (down, at, control) =
        ui.input(|i| (i.pointer.primary_down(), i.pointer.latest_pos(), i.modifiers.ctrl));
    if let Some(at) = at {
        let marks = || Snap::new(&active.motion, clips, Some(active.grip), Some(session.puppet.time));
        let to_marks = control.then(|| snap(&active.ruler, timeline, marks()));
        let to_frames = || Snap { marks: Vec::new(), distance: 0.0, step: timeline.time(1.0) };
        let snap = to_marks.or_else(|| timeline.snap.then(to_frames));
        let by = active.ruler.time(at.x) - active.at;
        let looping = session.document.settings.looping;
        let loops = looping && timeline.loops_whole(session.puppet.seconds());
        let (dragged, item) = drag(&active.motion, clips, active.grip, by, snap.as_ref(), loops);
        state.selected = Some(item);
        if dragged != *motion {
            if !active.has_moved {
                commands.push(Command::Release);
            }
            active.has_moved = true;
            commands.push(Command::Motion(Box::new(dragged)));
        }
    }
    if !down {
        commands.extend(active.has_moved.then_some(Command::Release));
        state.drag = None;
    }
}

/// Removes the selected item when Delete or Backspace is pressed.
fn delete(ui: &Ui, session: &Session, state: &mut TimelineState, commands: &mut Vec<Command>) {
    // Without Num Lock, the keypad's decimal key also sends Delete, but in the viewer it frames the selected joint.
    let is_delete = |event: &egui::Event| match event {
        egui::Event::Key { key, physical_key, pressed, .. } => {
            *pressed && matches!(key, Key::Delete | Key::Backspace) && *physical_key != Some(Key::Period)
        }
        _ => false,
    };
    let pressed = ui.input(|i| i.events.iter().any(is_delete));
    if !pressed || ui.ctx().text_edit_focused() || state.drag.is_some() {
        return;
    }
    if !state.sheet.selected.is_empty() {
        commands.extend(sheet_edit::remove(session, &mut state.sheet));
    } else if let Some(key) = key_poses::selected(session, state) {
        commands.push(Command::KeyDelete(key.time));
    } else if let Some(item) = state.selected.take() {
        push_change(commands, without(&session.puppet.motion, item));
    }
}
