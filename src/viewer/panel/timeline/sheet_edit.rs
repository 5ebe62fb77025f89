//! Edits of the selected keys of the dope sheet: moving, copying, stretching, easing and removing them together.

use egui::Ui;

use crate::motion::{Easing, Motion, pose_key_at};
use crate::{Command, Session};

use super::change::push_change;
use super::sheet_selection::{RowKey, SheetState};
use super::{TimelineState, counter};

/// Returns the command for a finished drag of the selected keys, in which `key` was dragged to the time `to`.
pub(super) fn dropped(
    ui: &Ui,
    session: &Session,
    key: RowKey,
    to: f32,
    state: &mut TimelineState,
) -> Option<Command> {
    let by = to - key.time;
    if by == 0.0 {
        return None;
    }
    let copies = ui.input(|i| i.modifiers.ctrl);
    let [only] = &state.sheet.selected[..] else {
        return retimed(session, &mut state.sheet, |time| time + by, copies);
    };
    let (joints, from) = (only.joints.clone(), only.time);
    state.sheet.selected = vec![RowKey { time: to, ..key }];
    Some(if copies {
        Command::KeyJointsCopy(joints, from, to)
    } else {
        Command::KeyJointsMove(joints, from, to)
    })
}

/// Returns the command that moves or copies the selected keys to other times, and selects them there.
fn retimed(
    session: &Session,
    sheet: &mut SheetState,
    to: impl Fn(f32) -> f32,
    copies: bool,
) -> Option<Command> {
    let keys: Vec<(Vec<usize>, f32)> =
        sheet.selected.iter().map(|key| (key.joints.clone(), key.time)).collect();
    let skeleton = &session.puppet.character().skeleton;
    let motion = session.document.scene.motion.with_joint_keys_retimed(&keys, &to, copies, skeleton)?;
    sheet.selected.iter_mut().for_each(|key| key.time = to(key.time).max(0.0));
    Some(Command::Motion(Box::new(motion)))
}

/// Returns the commands that remove the selected keys as one undo step.
pub(super) fn remove(session: &Session, sheet: &mut SheetState) -> Vec<Command> {
    let selected = std::mem::take(&mut sheet.selected);
    if let [only] = &selected[..] {
        return vec![Command::KeyJointsDelete(only.joints.clone(), only.time)];
    }
    let skeleton = &session.puppet.character().skeleton;
    let motion = selected.iter().fold(Motion::clone(&session.document.scene.motion), |motion, key| {
        motion.without_joint_keys(&key.joints, key.time, skeleton).unwrap_or(motion)
    });
    vec![Command::Release, Command::Motion(Box::new(motion)), Command::Release]
}

/// Shows the properties of the selected keys.
pub(super) fn details(ui: &mut Ui, session: &Session, sheet: &mut SheetState, commands: &mut Vec<Command>) {
    let timeline = &session.document.settings.timeline;
    let (Some(first), Some(last)) = (
        sheet.selected.iter().map(|key| key.time).min_by(f32::total_cmp),
        sheet.selected.iter().map(|key| key.time).max_by(f32::total_cmp),
    ) else {
        return;
    };
    let title = match &sheet.selected[..] {
        [only] => format!("{} at {}", only.name, timeline.text(only.time)),
        several => format!("{} keys", several.len()),
    };
    ui.label(egui::RichText::new(title).strong());
    let mut span = last - first;
    if span > 0.0 {
        let least = timeline.time(1.0);
        if counter::field(ui, timeline, &mut span, [least, 3600.0], "Time from the first to the last key") {
            let factor = span / (last - first);
            let change = retimed(session, sheet, |time| first + (time - first) * factor, false);
            commands
                .extend(change.into_iter().flat_map(|change| [Command::Release, change, Command::Release]));
        }
    }
    for easing in Easing::ALL {
        let is_on = sheet.selected.iter().all(|key| easing_of(session, key) == Some(easing));
        if ui
            .selectable_label(is_on, easing.name())
            .on_hover_text("How these joints change to their next key")
            .clicked()
        {
            let motion =
                sheet.selected.iter().fold(Motion::clone(&session.document.scene.motion), |motion, key| {
                    motion.with_joint_easing(&key.joints, key.time, easing).unwrap_or(motion)
                });
            push_change(commands, motion);
        }
    }
    let now = session.puppet.time;
    let copy = ui.add_enabled(now != first, egui::Button::new("Copy here"));
    if copy.on_hover_text("Copy the keys, the first one to the time of the playhead").clicked() {
        let change = retimed(session, sheet, |time| time + now - first, true);
        commands.extend(change.into_iter().flat_map(|change| [Command::Release, change, Command::Release]));
    }
    if ui.button("Remove").on_hover_text("Del").clicked() {
        commands.extend(remove(session, sheet));
    }
}

/// Returns the easing from a key to the next one, if it is the same for all joints in the key's row.
fn easing_of(session: &Session, key: &RowKey) -> Option<Easing> {
    let keys = &session.document.scene.motion.keys;
    let pose = keys.get(pose_key_at(keys, key.time)?)?;
    let mut easings = key.joints.iter().map(|&node| pose.easing_of(node));
    let first = easings.next()?;
    easings.all(|easing| easing == first).then_some(first)
}
