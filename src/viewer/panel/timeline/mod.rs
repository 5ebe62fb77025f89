//! The motion on a line of time, under the picture.

use egui::{Key, Margin, Rect, Sense, Ui, vec2};

use crate::motion::Motion;

use super::super::timeline::{Grip, Item, Ruler, Snap, drag, extent, without};
use super::super::{Command, Session};
use super::Look;

mod bars;
mod draw;
mod edits;
mod rows;

pub(super) use rows::{ask, change};

/// Points down.
pub(super) const HEIGHT: f32 = 156.0;
/// Of which the ruler, the bars and the edits have so many.
const RULER: f32 = 20.0;
const BARS: f32 = 38.0;
const EDITS: f32 = 24.0;
/// Points beside the line, so that its first and last moments can be taken.
const ASIDE: f32 = 8.0;
/// Points from which something that snaps is drawn.
const REACH: f32 = 8.0;
/// Seconds that are shown at least where all is shown.
const LEAST: f32 = 1.0;

/// What the panel remembers of the line.
#[derive(Debug, Default)]
pub(in super::super) struct Line {
    /// Whether it is shown; `None`: while something is played.
    pub(super) wanted: Option<bool>,
    pub(super) selected: Option<Item>,
    held: Option<Held>,
    /// The piece that is shown, from where and how long, seconds; `None`: all.
    piece: Option<(f32, f32)>,
}

/// A pull that is going on.
#[derive(Debug)]
struct Held {
    grip: Grip,
    /// The motion as it was.
    motion: Motion,
    /// Where on the line it was taken, seconds.
    at: f32,
    /// The line does not move under the pointer.
    ruler: Ruler,
    moved: bool,
}

impl Line {
    /// Nothing is held any more.
    pub(super) fn let_go(&mut self) {
        self.held = None;
    }

    /// The bar that the panel speaks of: the one that is selected, else the first.
    pub(super) fn bar(&self, motion: &Motion) -> usize {
        match self.selected {
            Some(Item::Bar(place)) if place < motion.bars.len() => place,
            _ => 0,
        }
    }
}

/// Whether there is a line to be shown.
pub(super) fn is_shown(session: &Session, line: &Line) -> bool {
    let any = !session.puppet.character().clips.is_empty();
    any && line.wanted.unwrap_or(!session.puppet.motion.is_rest())
}

/// Lays it out at the bottom.
pub(super) fn show(ui: &mut Ui, session: &Session, look: &mut Look, asked: &mut Vec<Command>) {
    let line = &mut look.timeline;
    line.selected = line.selected.filter(|item| item.is_in(&session.puppet.motion));
    if !is_shown(session, line) {
        line.let_go();
        return;
    }
    let frame = egui::Frame::side_top_panel(ui.style()).inner_margin(Margin::symmetric(14, 8));
    egui::Panel::bottom("timeline").resizable(false).exact_size(HEIGHT).frame(frame).show(ui, |ui| {
        rows::head(ui, session, line, asked);
        lanes(ui, session, line, asked);
        rows::details(ui, session, line, asked);
        delete(ui, session, line, asked);
    });
}

/// The ruler, the bars and the edits, with the playhead over them.
fn lanes(ui: &mut Ui, session: &Session, line: &mut Line, asked: &mut Vec<Command>) {
    let size = vec2(ui.available_width(), RULER + BARS + EDITS);
    let (all, behind) = ui.allocate_exact_size(size, Sense::click_and_drag());
    let (motion, clips) = (&session.puppet.motion, &session.puppet.character().clips);
    behind.widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::Group, true, "line of time"));
    let ruler = ruler(session, line, all);
    let [top, middle, bottom] = [RULER, BARS, EDITS].map({
        let mut y = all.top();
        move |height| {
            let lane = Rect::from_min_size(egui::pos2(all.left(), y), vec2(all.width(), height));
            y += height;
            lane
        }
    });
    draw::ground(ui, &ruler, (top, middle, bottom), session.seconds());
    if behind.clicked() {
        line.selected = None;
    }
    look_around(ui, &behind, &ruler, line);
    seek(ui, top, &ruler, session, asked);
    let clip_rect = ui.clip_rect();
    ui.set_clip_rect(clip_rect.intersect(all.expand2(vec2(0.0, 2.0))));
    bars::show(ui, session, (&ruler, middle), line);
    edits::show(ui, session, (&ruler, bottom), line);
    draw::playhead(ui, ruler.x(session.puppet.time), top, all.bottom());
    ui.set_clip_rect(clip_rect);
    pull(ui, motion, clips, session.puppet.time, line, asked);
}

/// The piece of the line that is shown.
fn ruler(session: &Session, line: &Line, all: Rect) -> Ruler {
    let (motion, clips) = (&session.puppet.motion, &session.puppet.character().clips);
    let whole = || (0.0, (1.06 * extent(motion, clips)).max(LEAST));
    let (from, seconds) = match &line.held {
        Some(held) => (held.ruler.from, held.ruler.seconds),
        None => line.piece.unwrap_or_else(whole),
    };
    Ruler { from, seconds, left: all.left() + ASIDE, width: (all.width() - 2.0 * ASIDE).max(1.0) }
}

/// The wheel makes the line larger where the pointer is; what is between bars moves it.
fn look_around(ui: &Ui, behind: &egui::Response, ruler: &Ruler, line: &mut Line) {
    let at = ui.input(|i| i.pointer.latest_pos()).filter(|at| behind.rect.contains(*at));
    let mut seen = *ruler;
    if let Some(at) = at.filter(|_| line.held.is_none()) {
        let (by, pinch) = ui.input(|i| (i.smooth_scroll_delta(), i.zoom_delta()));
        if by.y != 0.0 || pinch != 1.0 {
            seen = seen.zoomed((by.y * 0.005).exp() * pinch, at.x);
        }
        if by.x != 0.0 {
            seen = seen.moved(by.x);
        }
    }
    if behind.dragged() {
        seen = seen.moved(behind.drag_delta().x);
    }
    if seen != *ruler {
        line.piece = Some((seen.from, seen.seconds));
    }
}

/// The playhead goes where the ruler is pressed.
fn seek(ui: &Ui, top: Rect, ruler: &Ruler, session: &Session, asked: &mut Vec<Command>) {
    let head = ui.interact(top, ui.scope_id().with("playhead"), Sense::click_and_drag());
    let role = egui::accesskit::Role::Slider;
    head.widget_info(|| {
        let mut info = egui::WidgetInfo::labeled(role, true, "playhead");
        info.value = Some(f64::from(session.puppet.time));
        info
    });
    let head = head.on_hover_cursor(egui::CursorIcon::ResizeHorizontal);
    let pressed = head.is_pointer_button_down_on() || head.clicked();
    let Some(at) = head.interact_pointer_pos().filter(|_| pressed) else { return };
    let (motion, clips) = (&session.puppet.motion, &session.puppet.character().clips);
    let time = match ui.input(|i| i.modifiers.ctrl) {
        true => snap(ruler, Snap::new(motion, clips, None, None)).rest(ruler.time(at.x)),
        false => ruler.time(at.x),
    };
    let time = time.clamp(0.0, session.seconds());
    if time != session.puppet.time {
        asked.push(Command::Seek(time));
    }
}

/// As near as the pointer can tell, and as fine as the ruler is.
fn snap(ruler: &Ruler, snap: Snap) -> Snap {
    Snap { reach: ruler.span(REACH), step: ruler.step() / 10.0, ..snap }
}

/// A part of something on the line: where it is, what it is called, and what happens to it.
fn part(
    ui: &Ui,
    grip: Grip,
    rect: Rect,
    ruler: &Ruler,
    motion: &Motion,
    line: &mut Line,
    name: &str,
) -> bool {
    let part = ui.interact(rect, ui.scope_id().with(("part", key(grip))), Sense::click_and_drag());
    part.widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::Button, true, name));
    let whole = matches!(grip, Grip::Whole(_));
    let cursor = if whole { egui::CursorIcon::Grab } else { egui::CursorIcon::ResizeHorizontal };
    let is_lit = part.hovered() || part.dragged();
    let told = whole && line.held.is_none();
    let part = if told { part.on_hover_text(name) } else { part }.on_hover_cursor(cursor);
    if part.clicked() {
        line.selected = Some(grip.item());
    }
    let taken = ui
        .input(|i| i.pointer.press_origin())
        .filter(|_| line.held.is_none() && part.drag_started_by(egui::PointerButton::Primary));
    if let Some(taken) = taken {
        let at = ruler.time(taken.x);
        line.held = Some(Held { grip, motion: motion.clone(), at, ruler: *ruler, moved: false });
    }
    is_lit
}

/// A name of a grip that stays the same.
fn key(grip: Grip) -> (u8, u8, usize) {
    let part = match grip {
        Grip::Whole(_) => 0,
        Grip::First(_) => 1,
        Grip::Last(_) => 2,
    };
    match grip.item() {
        Item::Bar(place) => (part, 0, place),
        Item::Edit(place) => (part, 1, place),
    }
}

/// What is held follows the pointer. The whole pull is one step.
fn pull(
    ui: &Ui,
    motion: &Motion,
    clips: &[crate::asset::Clip],
    playhead: f32,
    line: &mut Line,
    asked: &mut Vec<Command>,
) {
    let Some(held) = &mut line.held else { return };
    if ui.input(|i| i.key_pressed(Key::Escape)) {
        // What the pull has done so far is one step, which is taken back.
        asked.extend(held.moved.then_some(Command::Undo));
        line.held = None;
        return;
    }
    let (down, at, control) =
        ui.input(|i| (i.pointer.primary_down(), i.pointer.latest_pos(), i.modifiers.ctrl));
    if let Some(at) = at {
        let marks = || Snap::new(&held.motion, clips, Some(held.grip), Some(playhead));
        let snap = control.then(|| snap(&held.ruler, marks()));
        let by = held.ruler.time(at.x) - held.at;
        let (pulled, item) = drag(&held.motion, clips, held.grip, by, snap.as_ref());
        line.selected = Some(item);
        if pulled != *motion {
            if !held.moved {
                asked.push(Command::Release);
            }
            held.moved = true;
            asked.push(Command::Motion(Box::new(pulled)));
        }
    }
    if !down {
        asked.extend(held.moved.then_some(Command::Release));
        line.held = None;
    }
}

/// A key takes away what is selected.
fn delete(ui: &Ui, session: &Session, line: &mut Line, asked: &mut Vec<Command>) {
    let pressed = ui.input(|i| i.key_pressed(Key::Delete) || i.key_pressed(Key::Backspace));
    if !pressed || ui.ctx().text_edit_focused() || line.held.is_some() {
        return;
    }
    if let Some(item) = line.selected.take() {
        change(asked, without(&session.puppet.motion, item));
    }
}
