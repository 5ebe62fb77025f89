//! The window that lists all shortcuts of the keymap.

use egui::{RichText, ScrollArea, Ui};

use crate::Action;

use super::{PanelState, theme};

/// Pointer gestures that do not move the camera.
const POINTER: [(&str, &str); 9] = [
    ("Left drag", "Pull the part under the pointer"),
    ("Click, Shift+click", "Select a joint, or one more"),
    ("Drag a ring", "Turn the selected joint"),
    ("Drag an arc's end", "Change the limit"),
    ("Drag the diamond", "Move the pole (double-click to remove it)"),
    ("Shift+move", "Pull without a button"),
    ("Wheel in a drag", "Push away or pull closer"),
    ("Ctrl, Alt in a drag", "Snap; pull the limb only, or the body"),
    ("Double click", "Center the view"),
];
/// Keys that belong to no action.
const OTHER: [(&str, &str); 3] = [
    ("Esc", "Cancel the drag, clear the selection"),
    ("0–9 . - while pulling or turning", "Type metres along the axis, or degrees"),
    ("Del", "Remove the selected strip or key"),
];

/// Height of the window's title and margins in points.
const AROUND: f32 = 80.0;
/// Minimum height of the list in points.
const MIN_HEIGHT: f32 = 60.0;

/// Shows the window if it is open.
pub(super) fn show(ui: &Ui, panel: &mut PanelState) {
    let keymap = panel.keymap;
    let title = format!("Shortcuts: {}", keymap.name());
    let window = egui::Window::new(title).id(egui::Id::unique("shortcuts")).open(&mut panel.shortcuts);
    let height = (ui.ctx().content_rect().height() - AROUND).max(MIN_HEIGHT);
    window.resizable(false).collapsible(false).show(ui.ctx(), |ui| {
        ScrollArea::vertical().max_height(height).min_scrolled_height(height).show(ui, |ui| {
            egui::Grid::new("keys").num_columns(2).spacing([18.0, 4.0]).show(ui, |ui| {
                group(ui, "Pointer", keymap.navigation().iter().chain(&POINTER).copied());
                let mut shown = "";
                for action in Action::all().filter(|action| !keymap.text(*action).is_empty()) {
                    if action.group() != shown {
                        shown = action.group();
                        let of_group = Action::all().filter(|action| action.group() == shown);
                        let rows = of_group.map(|action| (keymap.text(action), action.name()));
                        group(ui, shown, rows.filter(|(keys, _)| !keys.is_empty()));
                    }
                }
                group(ui, "Other", OTHER.into_iter());
            });
        });
    });
}

fn group<'a>(ui: &mut Ui, name: &str, rows: impl Iterator<Item = (&'a str, &'a str)>) {
    ui.label(RichText::new(name).strong());
    ui.end_row();
    for (keys, action) in rows {
        ui.label(RichText::new(keys).color(theme::accent(ui)));
        ui.label(action);
        ui.end_row();
    }
}
