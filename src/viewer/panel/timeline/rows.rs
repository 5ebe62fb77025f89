//! What stands above the line and below it: time, what can be added, and the numbers of what is selected.

use egui::{Align, Button, Checkbox, DragValue, Layout, Response, RichText, ScrollArea, Ui};

use crate::motion::{Bar, Edit, Motion, Travel};

use super::super::super::timeline::{Item, with_bar, with_clip, without};
use super::super::super::{Command, Session};
use super::super::{clips, theme};
use super::{Line, draw};

/// Points down that a menu of clips takes at most.
const MENU: f32 = 320.0;

/// Asks for another motion, as one step.
pub(in super::super) fn change(asked: &mut Vec<Command>, motion: Motion) {
    asked.extend([Command::Release, Command::Motion(Box::new(motion)), Command::Release]);
}

/// Asks for what a number has made of a motion: a drag of it is one step, and so is what was typed.
pub(in super::super) fn ask(asked: &mut Vec<Command>, number: &Response, motion: impl FnOnce() -> Motion) {
    if number.drag_started() {
        asked.push(Command::Release);
    }
    if number.changed() {
        asked.push(Command::Motion(Box::new(motion())));
    }
    if number.drag_stopped() || number.changed() && !number.dragged() {
        asked.push(Command::Release);
    }
}

/// Time, and what can be added.
pub(super) fn head(ui: &mut Ui, session: &Session, line: &mut Line, asked: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        let playing = session.is_playing();
        if draw::play(ui, playing, !session.puppet.motion.is_rest()).clicked() {
            asked.push(Command::Play(!playing));
        }
        ui.label(RichText::new(format!("{:.2}", session.puppet.time)).monospace().color(theme::ink(ui)));
        let whole = format!("/ {:.2} s", session.seconds());
        ui.label(RichText::new(whole).monospace().color(theme::quiet(ui)));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let more = ui.menu_button("+ Clip", |ui| {
                ScrollArea::vertical().max_height(MENU).show(ui, |ui| add(ui, session, line, asked));
            });
            more.response.on_hover_text("a clip after the last one, which passes into it");
            let key = ui.add_enabled(session.can_key(), Button::new("Key"));
            let key = key.on_hover_text("K: what is pulled becomes part of the motion, here");
            let key = key.on_disabled_hover_text("Pull a joint and press K while it is held.");
            if key.clicked() {
                asked.push(Command::Key);
            }
            if line.piece.is_some() && ui.button("Fit").on_hover_text("shows all of the line").clicked() {
                line.piece = None;
            }
        });
    });
}

/// The character's clips, each to be played after the last bar.
fn add(ui: &mut Ui, session: &Session, line: &mut Line, asked: &mut Vec<Command>) {
    let character = session.puppet.character();
    for clip in 0..character.clips.len() {
        if ui.button(clips::name(session, clip)).clicked() {
            let feet: Vec<usize> = session.puppet.rig.feet().collect();
            let (motion, item) = with_clip(&session.puppet.motion, character, &feet, clip);
            line.selected = Some(item);
            change(asked, motion);
            ui.close();
        }
    }
}

/// The numbers of what is selected.
pub(super) fn details(ui: &mut Ui, session: &Session, line: &mut Line, asked: &mut Vec<Command>) {
    let motion = &session.puppet.motion;
    ScrollArea::horizontal().id_salt("details").auto_shrink([false, false]).show(ui, |ui| {
        ui.horizontal_centered(|ui| match line.selected {
            Some(Item::Bar(place)) => {
                let Some(one) = motion.bars.get(place) else { return };
                bar(ui, session, (place, one), asked);
                remove(ui, motion, line, asked);
            }
            Some(Item::Edit(place)) => {
                let Some(one) = motion.edits.get(place) else { return };
                edit(ui, motion, (place, one), asked);
                remove(ui, motion, line, asked);
            }
            None => {
                let hint = if motion.is_rest() {
                    "Nothing is played: add a clip."
                } else {
                    "Drag bars, their ends, keys and their windows. Ctrl snaps, the wheel zooms."
                };
                ui.label(RichText::new(hint).small().color(theme::quiet(ui)));
            }
        });
    });
}

fn bar(ui: &mut Ui, session: &Session, (place, bar): (usize, &Bar), asked: &mut Vec<Command>) {
    let (motion, cycle) = (&session.puppet.motion, bar.cycle(&session.puppet.character().clips));
    ui.label(RichText::new(clips::names(session, &bar.clips)).strong());
    let with = |bar: Bar| with_bar(motion, place, bar);
    let mut speed = bar.speed;
    let number = number(ui, "speed", DragValue::new(&mut speed).speed(0.01).range(-8.0..=8.0));
    ask(asked, &number, || with(Bar { speed, ..bar.clone() }));
    let mut from = bar.from;
    let number = self::number(ui, "from", seconds(&mut from).range(0.0..=cycle.max(0.0)));
    ask(asked, &number, || with(Bar { from, ..bar.clone() }));
    let mut again = bar.again;
    let check = ui.add(Checkbox::new(&mut again, "again"));
    if check.on_hover_text("the clip starts again where it ends").changed() {
        change(asked, with(Bar { again, ..bar.clone() }));
    }
    let mut stays = bar.travel == Travel::Stripped;
    let check = ui.add(Checkbox::new(&mut stays, "in place"));
    if check.on_hover_text("takes the way over the ground out of the clip").changed() {
        let travel = if stays { Travel::Stripped } else { Travel::Kept };
        change(asked, with(Bar { travel, ..bar.clone() }));
    }
}

fn edit(ui: &mut Ui, motion: &Motion, (place, edit): (usize, &Edit), asked: &mut Vec<Command>) {
    ui.label(RichText::new("Key").strong());
    let with = |edit: Edit| {
        let mut motion = motion.clone();
        if let Some(there) = motion.edits.get_mut(place) {
            *there = edit;
        }
        motion
    };
    let Edit { mut time, mut before, mut after, .. } = *edit;
    let number = number(ui, "at", seconds(&mut time).range(0.0..=f32::MAX));
    ask(asked, &number, || with(Edit { time, ..edit.clone() }));
    let number = self::number(ui, "before", seconds(&mut before).range(0.0..=f32::MAX));
    ask(asked, &number, || with(Edit { before, ..edit.clone() }));
    let number = self::number(ui, "after", seconds(&mut after).range(0.0..=f32::MAX));
    ask(asked, &number, || with(Edit { after, ..edit.clone() }));
}

fn seconds(time: &mut f32) -> DragValue<'_> {
    DragValue::new(time).speed(0.01).max_decimals(2).suffix(" s")
}

/// A number and what it is.
fn number(ui: &mut Ui, what: &str, number: DragValue<'_>) -> Response {
    let quiet = theme::quiet(ui);
    let title = ui.label(RichText::new(what).color(quiet));
    ui.add(number.max_decimals(2).clamp_existing_to_range(false)).labelled_by(title.id)
}

fn remove(ui: &mut Ui, motion: &Motion, line: &mut Line, asked: &mut Vec<Command>) {
    let Some(item) = line.selected else { return };
    ui.add_space(4.0);
    if ui.button("Remove").on_hover_text("Del").clicked() {
        line.selected = None;
        change(asked, without(motion, item));
    }
}
