//! The menu of everything that can be added to the timeline: the character's clips, built-in ones, and files.

use std::path::Path;

use egui::{Button, RichText, ScrollArea, Ui};

use crate::arrange::with_clip;
use crate::asset::MANNEQUIN_PATH;
use crate::panel::{Action, AppRequest, PanelState, clip_names, name, theme};
use crate::text::printable;
use crate::{Command, Session};

use super::change::push_change;

/// Maximum height of the menu in points.
const HEIGHT: f32 = 360.0;
/// The built-in clips, which any recognised body can play.
const BUILT_IN: [&str; 5] = ["idle", "walk", "run", "wave", "crouch"];

/// Shows the button with the menu.
pub(super) fn show(ui: &mut Ui, session: &Session, panel: &mut PanelState, commands: &mut Vec<Command>) {
    let menu = ui.menu_button("+ Clip", |ui| {
        let area = ScrollArea::vertical().max_height(HEIGHT);
        area.show(ui, |ui| entries(ui, session, panel, commands));
    });
    menu.response.on_hover_text("Add a clip after everything that is on the timeline, with a crossfade");
}

fn entries(ui: &mut Ui, session: &Session, panel: &mut PanelState, commands: &mut Vec<Command>) {
    let character = session.puppet.character();
    for clip in 0..character.clips.len() {
        if ui.button(clip_names::name(session, clip)).clicked() {
            let feet: Vec<usize> = session.puppet.rig.feet().collect();
            let (motion, item) = with_clip(&session.puppet.motion, character, &feet, clip);
            panel.timeline.selected = Some(item);
            push_change(commands, motion);
            ui.close();
        }
    }
    let is_built_in = character.path == Path::new(MANNEQUIN_PATH);
    if !is_built_in {
        title(ui, "Built in", !character.clips.is_empty());
        let can_play = session.has_body();
        for clip in BUILT_IN {
            let button = ui.add_enabled(can_play, Button::new(clip));
            let button = button.on_disabled_hover_text("The character has no recognised body.");
            if button.on_hover_text("Retargeted to this character").clicked() {
                let file = MANNEQUIN_PATH.into();
                panel.request = Some(AppRequest::AddClips(file, Some(clip.to_owned())));
                ui.close();
            }
        }
    }
    if !panel.open.motions.is_empty() {
        title(ui, "In this folder", true);
    }
    for file in &panel.open.motions {
        let text = name(&file.file_name().unwrap_or(file.as_os_str()).to_string_lossy());
        let path = printable::line(&file.display().to_string()).into_owned();
        if ui.button(text).on_hover_text(path).clicked() {
            panel.request = Some(AppRequest::AddClips(file.clone(), None));
            ui.close();
        }
    }
    ui.separator();
    if ui.button("From a file…").on_hover_text("The clips of another character or a motion file").clicked()
    {
        panel.action = Some(Action::AddClips);
        ui.close();
    }
}

/// Shows a menu section's title.
fn title(ui: &mut Ui, text: &str, is_separate: bool) {
    if is_separate {
        ui.separator();
    }
    ui.label(RichText::new(text).small().color(theme::quiet(ui)));
}
