//! The row above the timeline with playback controls, and the row below it with the properties of the selected item.

use crate::arrange::{Item, with_strip, without};
use crate::motion::{Edit, Motion, RootMotion, Strip};
use crate::panel::{PanelState, clip_names, theme};
use crate::session::timeline::can_key;
use crate::session::{MAX_GHOSTS, MIN_STEP};
use crate::{Command, Session};

use super::change::{push_change, push_edit};
use super::{
    TimelineState, clip_menu, counter, draw, has_sheet, key_poses, sheet_contacts, sheet_edit, sheet_goals,
};
use egui::{Align, Button, Checkbox, DragValue, Layout, Response, RichText, ScrollArea, Ui};

/// Shows the playback controls, the time and the buttons that add clips and keys.
pub(super) fn header(ui: &mut Ui, session: &Session, panel: &mut PanelState, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        let playing = session.is_playing();
        if draw::play(ui, playing, !session.puppet.motion.is_rest()).clicked() {
            commands.push(Command::Play(!playing));
        }
        counter::time(ui, session, commands);
        counter::menu(ui, session, commands);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            clip_menu::show(ui, session, panel, commands);
            let auto = Button::selectable(session.document.settings.auto_key, "Auto");
            if ui.add(auto).on_hover_text("Insert a key after every change of the pose").clicked() {
                commands.push(Command::AutoKey(!session.document.settings.auto_key));
            }
            let key = ui.add_enabled(can_key(&session.puppet), Button::new("Key"));
            let key = key.on_hover_text("Insert the pose as a key at this time");
            let key = key.on_disabled_hover_text("Nothing has changed that a key could store.");
            if key.clicked() {
                commands.push(Command::Key);
            }
            if !session.puppet.motion.keys.is_empty() {
                ghosts(ui, session, commands);
            }
            if has_sheet(&session.puppet.motion) {
                let sheet = &mut panel.timeline.sheet;
                if sheet.is_open {
                    sheet_contacts::buttons(ui, session, sheet.plants(), commands);
                    let only = Button::selectable(sheet.only_selected, "Selected");
                    if ui.add(only).on_hover_text("Show only rows of selected joints").clicked() {
                        sheet.only_selected = !sheet.only_selected;
                    }
                }
                let open = Button::selectable(sheet.is_open, "Joints");
                if ui.add(open).on_hover_text("Show the keys of each part and joint").clicked() {
                    sheet.is_open = !sheet.is_open;
                }
            }
            if session.puppet.motion.keys.is_empty() && !session.puppet.motion.is_rest() {
                ghosts(ui, session, commands);
            }
            if panel.timeline.range.is_some()
                && ui.button("Fit").on_hover_text("Show the whole timeline").clicked()
            {
                panel.timeline.range = None;
            }
        });
    });
}

/// Shows the onion skin switch and, if it is on, the number of ghosts.
fn ghosts(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let before = session.document.settings.onion_skin;
    let mut skin = before;
    if skin.shown {
        if session.puppet.motion.keys.is_empty() {
            let step = DragValue::new(&mut skin.step).speed(0.01).range(MIN_STEP..=10.0).suffix(" s");
            ui.add(step.max_decimals(2)).on_hover_text("Time between the ghosts");
        }
        let count = DragValue::new(&mut skin.count).speed(0.03).range(1..=MAX_GHOSTS);
        ui.add(count).on_hover_text("Number of ghosts before and after this time");
    }
    let hint =
        "Show the poses before (orange) and after (blue) this time as ghosts while the motion is paused";
    if ui.add(Button::selectable(skin.shown, "Ghosts")).on_hover_text(hint).clicked() {
        skin.shown = !skin.shown;
    }
    if skin != before {
        commands.push(Command::OnionSkin(skin));
    }
}

/// Shows the properties of the selected item.
pub(super) fn details(
    ui: &mut Ui,
    session: &Session,
    state: &mut TimelineState,
    commands: &mut Vec<Command>,
) {
    let motion = &session.puppet.motion;
    ScrollArea::horizontal().id_salt("details").auto_shrink([false, false]).show(ui, |ui| {
        ui.horizontal_centered(|ui| match state.selected {
            Some(Item::Strip(index)) => {
                let Some(selected) = motion.strips.get(index) else { return };
                strip(ui, session, index, selected, commands);
                remove(ui, motion, state, commands);
            }
            Some(Item::Edit(index)) => {
                let Some(selected) = motion.edits.get(index) else { return };
                edit(ui, motion, index, selected, commands);
                remove(ui, motion, state, commands);
            }
            Some(Item::Goal(index)) => {
                let Some(selected) = motion.goals.get(index) else { return };
                sheet_goals::details(ui, session, index, selected, commands);
                remove(ui, motion, state, commands);
            }
            Some(Item::Contact(index)) => {
                let Some(selected) = motion.contacts.get(index) else { return };
                sheet_contacts::details(ui, session, index, selected, commands);
                remove(ui, motion, state, commands);
            }
            None => {
                if !state.sheet.selected.is_empty() {
                    return sheet_edit::details(ui, session, &mut state.sheet, commands);
                }
                if let Some(key) = key_poses::selected(session, state) {
                    return key_poses::details(ui, key, session, commands);
                }
                let hint = if motion.is_rest() {
                    "Pose the character and insert a key, or add a clip."
                } else {
                    "Drag strips, keys or their ends. Ctrl snaps, and the wheel zooms."
                };
                ui.label(RichText::new(hint).small().color(theme::quiet(ui)));
            }
        });
    });
}

/// Shows the properties of a clip strip.
fn strip(ui: &mut Ui, session: &Session, index: usize, strip: &Strip, commands: &mut Vec<Command>) {
    let (motion, cycle) = (&session.puppet.motion, strip.cycle_seconds(&session.puppet.character().clips));
    ui.label(RichText::new(clip_names::names(session, &strip.clips)).strong());
    let with = |strip: Strip| with_strip(motion, index, strip);
    let mut speed = strip.speed;
    let field = field(ui, "Speed", DragValue::new(&mut speed).speed(0.01).range(-8.0..=8.0));
    push_edit(commands, &field, || with(Strip { speed, ..strip.clone() }));
    let mut from = strip.from;
    let field = self::field(ui, "Clip start", seconds(&mut from).range(0.0..=cycle.max(0.0)));
    push_edit(commands, &field, || with(Strip { from, ..strip.clone() }));
    let mut looping = strip.looping;
    let checkbox = ui.add(Checkbox::new(&mut looping, "Loop"));
    if checkbox.on_hover_text("Start the clip over when it ends").changed() {
        push_change(commands, with(Strip { looping, ..strip.clone() }));
    }
    let mut in_place = strip.root_motion == RootMotion::InPlace;
    let checkbox = ui.add(Checkbox::new(&mut in_place, "In place"));
    if checkbox.on_hover_text("Remove the root motion of the clip").changed() {
        let root_motion = if in_place { RootMotion::InPlace } else { RootMotion::Accumulate };
        push_change(commands, with(Strip { root_motion, ..strip.clone() }));
    }
}

/// Shows the properties of a key.
fn edit(ui: &mut Ui, motion: &Motion, index: usize, edit: &Edit, commands: &mut Vec<Command>) {
    ui.label(RichText::new("Key").strong());
    let with = |edit: Edit| {
        let mut motion = motion.clone();
        if let Some(slot) = motion.edits.get_mut(index) {
            *slot = edit;
        }
        motion
    };
    let Edit { mut time, mut before, mut after, .. } = *edit;
    let field = field(ui, "Time", seconds(&mut time).range(0.0..=f32::MAX));
    push_edit(commands, &field, || with(Edit { time, ..edit.clone() }));
    let field = self::field(ui, "Blend in", seconds(&mut before).range(0.0..=f32::MAX));
    push_edit(commands, &field, || with(Edit { before, ..edit.clone() }));
    let field = self::field(ui, "Blend out", seconds(&mut after).range(0.0..=f32::MAX));
    push_edit(commands, &field, || with(Edit { after, ..edit.clone() }));
}

fn seconds(time: &mut f32) -> DragValue<'_> {
    DragValue::new(time).speed(0.01).max_decimals(2).suffix(" s")
}

/// Shows a named number.
fn field(ui: &mut Ui, name: &str, number: DragValue<'_>) -> Response {
    let quiet = theme::quiet(ui);
    let title = ui.label(RichText::new(name).color(quiet));
    ui.add(number.max_decimals(2).clamp_existing_to_range(false)).labelled_by(title.id)
}

/// Shows the button that removes the selected item.
fn remove(ui: &mut Ui, motion: &Motion, state: &mut TimelineState, commands: &mut Vec<Command>) {
    let Some(item) = state.selected else { return };
    ui.add_space(4.0);
    if ui.button("Remove").on_hover_text("Del").clicked() {
        state.selected = None;
        push_change(commands, without(motion, item));
    }
}
