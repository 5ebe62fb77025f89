//! What is shown.

use egui::Ui;

use crate::render::Mode;
use crate::skin::Skinning;

use super::super::{Command, Display, Session};
use super::heading;

/// Modes, skinning and what stands beside the character.
pub(super) fn show(ui: &mut Ui, session: &Session, asked: &mut Vec<Command>) {
    heading(ui, "Display");
    let Display { mut skeleton, mut names, mut ground, mut shadow } = session.display;
    ui.horizontal_wrapped(|ui| {
        for mode in Mode::ALL.into_iter().filter(|m| *m != Mode::Skeleton) {
            if ui.selectable_label(session.mode == mode, mode.name()).clicked() {
                asked.push(Command::Mode(mode));
            }
        }
    });
    ui.horizontal_wrapped(|ui| {
        ui.label("skinning");
        for skinning in Skinning::ALL {
            if ui.selectable_label(session.puppet.skinning == skinning, skinning.name()).clicked() {
                asked.push(Command::Skinning(skinning));
            }
        }
    });
    egui::Grid::new("display").num_columns(2).show(ui, |ui| {
        ui.checkbox(&mut skeleton, "skeleton");
        ui.checkbox(&mut names, "names");
        ui.end_row();
        ui.checkbox(&mut ground, "ground");
        ui.checkbox(&mut shadow, "shadow");
    });
    let wanted = Display { skeleton, names, ground, shadow };
    if wanted != session.display {
        asked.push(Command::Display(wanted));
    }
}
