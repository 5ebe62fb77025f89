//! The dope sheet below the key poses: a row of keys for each body part and each changing joint.

use std::collections::BTreeSet;

use egui::text::{LayoutJob, TextWrapping};
use egui::{CursorIcon, FontId, Rect, ScrollArea, Sense, Shape, StrokeKind, Ui, Vec2, pos2, vec2};

use crate::panel::{node_name, theme};
use crate::session::timeline::last_time;
use crate::{Command, Session};

use super::ruler::{Lane, Ruler};
use super::sheet_edit::dropped;
use super::sheet_rows::{Mark, Sheet, SheetJoint};
use super::sheet_selection::{RowKey, SheetState};
use super::{TimelineState, draw, sheet_contacts, sheet_goals, snapped};

/// Height of a row in points.
const ROW: f32 = 20.0;
/// Width of the names in points.
pub(super) const NAMES: f32 = 118.0;
/// Distance in points from a diamond's center to its corners.
const DIAMOND: f32 = 5.0;
/// Minimum distance in points between the diamonds of a row. Closer ones are not drawn.
const MIN_DISTANCE: f32 = 2.0;

/// The content of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowKind {
    /// The contacts of a foot or hand, by index in the sheet.
    Contacts(usize),
    /// The goal of a node, by index in the sheet.
    Goal(usize),
    /// A part of the body, by index in the sheet.
    Part(usize),
    /// A joint, by index in the sheet.
    Joint(usize),
}

/// Shows the rows in an area of the given height in points, with the playhead over them.
pub(super) fn show(
    ui: &mut Ui,
    session: &Session,
    ruler: &Ruler,
    height: f32,
    state: &mut TimelineState,
    commands: &mut Vec<Command>,
) {
    if !state.sheet.sheet.as_ref().is_some_and(|sheet| sheet.is_current(session)) {
        state.sheet.sheet = Some(Sheet::new(session));
    }
    let Some(sheet) = state.sheet.sheet.take() else { return };
    let rows = rows(&sheet, session, &state.sheet);
    if rows.is_empty() {
        let text = if state.sheet.only_selected {
            "No selected joint has keys that change it."
        } else {
            "No joint changes between the key poses."
        };
        ui.label(egui::RichText::new(text).small().color(theme::quiet(ui)));
    }
    let background = Rect::from_min_size(ui.cursor().min, vec2(ui.available_width(), height));
    let chosen = select_box(ui, background, state);
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        let area = ScrollArea::vertical().id_salt("sheet").max_height(height).auto_shrink([false, true]);
        area.show_rows(ui, ROW, rows.len(), |ui, visible| {
            for kind in rows.get(visible).unwrap_or_default() {
                row(ui, session, &sheet, *kind, ruler, chosen, state, commands);
            }
        });
    });
    if let Some(chosen) = chosen {
        ui.painter().rect(
            chosen,
            2.0,
            theme::accent(ui).gamma_multiply(0.12),
            (1.0, theme::accent(ui)),
            StrokeKind::Inside,
        );
    }
    state.sheet.sheet = Some(sheet);
}

/// Selects keys by dragging a box over the background. Shift extends the selection. Returns the box.
fn select_box(ui: &Ui, background: Rect, state: &mut TimelineState) -> Option<Rect> {
    let area = ui.interact(background, ui.scope_id().with("sheet background"), Sense::click_and_drag());
    let adds = ui.input(|i| i.modifiers.shift);
    if area.clicked() && !adds {
        state.select_key(None);
    }
    if area.drag_started_by(egui::PointerButton::Primary)
        && let Some(origin) = ui.input(|i| i.pointer.press_origin())
    {
        let before = if adds { state.sheet.selected.clone() } else { Vec::new() };
        state.select_key(None);
        state.sheet.selecting = Some((origin, before));
    }
    let (origin, before) = state.sheet.selecting.as_ref()?;
    let at = ui.input(|i| i.pointer.latest_pos())?;
    // Start from the earlier selection. The rows then add the keys that are now inside the box.
    state.sheet.selected.clone_from(before);
    let chosen = Rect::from_two_pos(*origin, at).intersect(background);
    if !area.dragged() && area.drag_stopped() || !ui.input(|i| i.pointer.primary_down()) {
        state.sheet.selecting = None;
    }
    Some(chosen)
}

/// Returns the visible rows, without the rows of folded parts.
fn rows(sheet: &Sheet, session: &Session, state: &SheetState) -> Vec<RowKind> {
    if state.only_selected {
        let selection: BTreeSet<usize> = session.selection().into_iter().collect();
        let contacts = sheet.contacts.iter().enumerate().filter(|(_, row)| selection.contains(&row.node));
        let contacts = contacts.map(|(index, _)| RowKind::Contacts(index));
        let goals = sheet.goals.iter().enumerate().filter(|(_, row)| selection.contains(&row.node));
        let contacts = contacts.chain(goals.map(|(index, _)| RowKind::Goal(index)));
        let joints = sheet.joints.iter().enumerate();
        let selected = joints.filter(|(_, joint)| selection.contains(&joint.node));
        return contacts.chain(selected.map(|(index, _)| RowKind::Joint(index))).collect();
    }
    let mut rows: Vec<RowKind> = (0..sheet.contacts.len()).map(RowKind::Contacts).collect();
    rows.extend((0..sheet.goals.len()).map(RowKind::Goal));
    for (index, part) in sheet.parts.iter().enumerate() {
        rows.push(RowKind::Part(index));
        if state.unfolded.contains(&part.name) {
            rows.extend(part.joints.clone().map(RowKind::Joint));
        }
    }
    rows
}

/// Shows a row. The keys inside `chosen`, a box being dragged, are added to the selection.
fn row(
    ui: &mut Ui,
    session: &Session,
    sheet: &Sheet,
    kind: RowKind,
    ruler: &Ruler,
    chosen: Option<Rect>,
    state: &mut TimelineState,
    commands: &mut Vec<Command>,
) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    let names = Rect::from_min_size(rect.min, vec2(NAMES, ROW));
    let lane = Lane { ruler: *ruler, rect: Rect::from_min_max(pos2(names.right(), rect.top()), rect.max) };
    let (name, joints, marks) = match kind {
        RowKind::Contacts(index) => {
            let Some(contacts) = sheet.contacts.get(index) else { return };
            text(ui, names, &contacts.name, 16.0, theme::ink(ui));
            return in_lane(ui, session, lane, |ui| {
                sheet_contacts::bars(ui, session, contacts, lane, state);
            });
        }
        RowKind::Goal(index) => {
            let Some(goal) = sheet.goals.get(index) else { return };
            text(ui, names, &goal.name, 16.0, theme::ink(ui));
            return in_lane(ui, session, lane, |ui| {
                sheet_goals::keys(ui, session, goal, lane, state);
            });
        }
        RowKind::Part(index) => {
            let Some(part) = sheet.parts.get(index) else { return };
            let own = sheet.joints.get(part.joints.clone()).unwrap_or_default();
            let joints: Vec<usize> = own.iter().map(|joint| joint.node).collect();
            part_name(ui, names, &part.name, &mut state.sheet.unfolded);
            (part.name.clone(), joints, sheet.part_marks(part))
        }
        RowKind::Joint(index) => {
            let Some(joint) = sheet.joints.get(index) else { return };
            let name = node_name(session, joint.node);
            highlight(ui, rect, session, joint);
            joint_name(ui, names, &name, session, joint, commands);
            (name, vec![joint.node], sheet.marks(joint))
        }
    };
    let row = RowKey { name, joints, time: 0.0 };
    if let Some(chosen) = chosen.filter(|chosen| chosen.y_range().contains(lane.rect.center().y)) {
        let inside = marks.iter().filter(|mark| chosen.x_range().contains(ruler.x(mark.time)));
        let inside = inside.map(|mark| RowKey { time: mark.time, ..row.clone() });
        let known = state.sheet.selected.clone();
        state.sheet.selected.extend(inside.filter(|key| !known.contains(key)));
    }
    in_lane(ui, session, lane, |ui| {
        keys(ui, session, &row, &marks, kind, lane, state, commands);
    });
}

/// Shows a row's content beside its name, with the playhead over it.
fn in_lane(ui: &mut Ui, session: &Session, lane: Lane, content: impl FnOnce(&mut Ui)) {
    let Lane { ruler, rect } = lane;
    ui.painter().hline(rect.x_range(), rect.bottom(), (1.0, theme::quiet(ui).gamma_multiply(0.12)));
    let before = ui.clip_rect();
    ui.set_clip_rect(before.intersect(rect));
    content(ui);
    ui.painter().vline(ruler.x(session.puppet.time), rect.y_range(), (1.5, theme::accent(ui)));
    ui.set_clip_rect(before);
}

/// Shows a part's name. A click unfolds or folds its joints.
fn part_name(ui: &Ui, rect: Rect, name: &str, unfolded: &mut BTreeSet<String>) {
    let part = ui.interact(rect, ui.scope_id().with(("part row", name)), Sense::click());
    let is_open = unfolded.contains(name);
    let label = format!("Joints of {name}");
    part.widget_info(|| egui::WidgetInfo::selected(egui::accesskit::Role::Button, true, is_open, &label));
    let (ink, center) = (theme::ink(ui), rect.left_center() + vec2(8.0, 0.0));
    let tips = if is_open {
        [vec2(-4.0, -2.5), vec2(4.0, -2.5), vec2(0.0, 3.5)]
    } else {
        [vec2(-2.5, -4.0), vec2(3.5, 0.0), vec2(-2.5, 4.0)]
    };
    let tips = tips.map(|tip| center + tip).to_vec();
    ui.painter().add(Shape::convex_polygon(tips, ink.gamma_multiply(0.7), egui::Stroke::NONE));
    text(ui, rect, name, 16.0, ink);
    if part.on_hover_cursor(CursorIcon::PointingHand).clicked() && !unfolded.remove(name) {
        unfolded.insert(name.to_owned());
    }
}

/// Marks the row of a selected joint.
fn highlight(ui: &Ui, rect: Rect, session: &Session, joint: &SheetJoint) {
    if session.selection().contains(&joint.node) {
        ui.painter().rect_filled(rect, 3.0, theme::accent(ui).gamma_multiply(0.16));
    }
}

/// Shows the name of a joint. A click selects it.
fn joint_name(
    ui: &Ui,
    rect: Rect,
    name: &str,
    session: &Session,
    joint: &SheetJoint,
    commands: &mut Vec<Command>,
) {
    let title = ui.interact(rect, ui.scope_id().with(("joint row", joint.node)), Sense::click());
    let label = format!("Row of {name}");
    title.widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::Button, true, &label));
    let is_selected = session.selection().contains(&joint.node);
    let color = if title.hovered() || is_selected { theme::ink(ui) } else { theme::quiet(ui) };
    text(ui, rect, name, 24.0, color);
    if title.on_hover_cursor(CursorIcon::PointingHand).on_hover_text(name).clicked() {
        commands.push(Command::Select(Some(joint.node)));
    }
}

/// Draws text, cut off at the end of its area.
fn text(ui: &Ui, rect: Rect, text: &str, indent: f32, color: egui::Color32) {
    let job = LayoutJob {
        wrap: TextWrapping::truncate_at_width(rect.width() - indent - 4.0),
        ..LayoutJob::simple_singleline(text.to_owned(), FontId::proportional(12.0), color)
    };
    let galley = ui.painter().layout_job(job);
    let at = pos2(rect.left() + indent, rect.center().y - 0.5 * galley.size().y);
    ui.painter().galley(at, galley, color);
}

/// Shows a row's keys. Dragging moves a key; with Ctrl it copies the key.
fn keys(
    ui: &Ui,
    session: &Session,
    row: &RowKey,
    marks: &[Mark],
    kind: RowKind,
    lane: Lane,
    state: &mut TimelineState,
    commands: &mut Vec<Command>,
) {
    let (timeline, ruler) = (&session.document.settings.timeline, &lane.ruler);
    let inside = lane.rect.expand(DIAMOND).x_range();
    let mut last = f32::NEG_INFINITY;
    let visible = marks.iter().filter(|mark| inside.contains(ruler.x(mark.time)));
    let shown = visible.filter(|mark| {
        let x = ruler.x(mark.time);
        let is_apart = x - last >= MIN_DISTANCE;
        last = if is_apart { x } else { last };
        is_apart
    });
    let shown: Vec<Mark> = shown.copied().collect();
    for (index, mark) in shown.iter().enumerate() {
        let key = RowKey { time: mark.time, ..row.clone() };
        let center = lane.center(mark.time);
        let id = match kind {
            RowKind::Part(part) => ("part key", part, index),
            RowKind::Joint(joint) => ("joint key", joint, index),
            RowKind::Contacts(row) => ("contact", row, index),
            RowKind::Goal(row) => ("goal", row, index),
        };
        let rect = Rect::from_center_size(center, Vec2::splat(2.0 * DIAMOND + 4.0));
        let part = ui.interact(rect, ui.scope_id().with(id), Sense::click_and_drag());
        let name = format!("Key of {} at {}", key.name, timeline.text(key.time));
        part.widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::Button, true, &name));
        let is_selected = state.sheet.selected.contains(&key);
        if part.clicked() {
            commands.push(Command::Seek(key.time));
            state.click_row_key(key.clone(), ui.input(|i| i.modifiers.shift));
        }
        if part.drag_started() {
            if !is_selected {
                state.click_row_key(key.clone(), false);
            }
            state.sheet.drag = Some((key.clone(), key.time));
        }
        if part.dragged()
            && let Some((_, to)) = &mut state.sheet.drag
        {
            let at = part.interact_pointer_pos().map_or(*to, |at| snapped(timeline, ruler.time(at.x)));
            *to = at.clamp(0.0, last_time(&session.puppet));
            draw::diamond(ui, lane.center(*to), DIAMOND, true, true);
        }
        if part.drag_stopped() {
            let drag = state.sheet.drag.take();
            commands.extend(drag.and_then(|(key, to)| dropped(ui, session, key, to, state)));
        }
        // The other selected keys move with the dragged key and are shown at their new times.
        if let Some((dragged, to)) =
            state.sheet.drag.as_ref().filter(|(dragged, _)| is_selected && *dragged != key)
        {
            let at = lane.center(key.time + to - dragged.time);
            draw::diamond(ui, at, DIAMOND, true, false);
        }
        let radius = if mark.differs { DIAMOND } else { 0.6 * DIAMOND };
        draw::diamond(ui, center, radius, is_selected, part.hovered());
        part.on_hover_cursor(CursorIcon::Grab).on_hover_text(name);
    }
}
