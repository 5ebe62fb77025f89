//! The window that lists all shortcuts.

use egui::{RichText, ScrollArea, Ui};

use super::{PanelState, theme};

const SHORTCUTS: [(&str, &str); 30] = [
    ("Left drag", "Drag the part under the pointer"),
    ("Click", "Select a joint to show its rings and limit"),
    ("Drag an arc's end", "Change the limit"),
    ("Drag the diamond", "Move the pole (double-click to remove it)"),
    ("E", "Rotate the joint only, or its whole limb"),
    ("Shift + move", "Drag (on empty space: the selected joint)"),
    ("Wheel in a drag", "Push away or pull closer"),
    ("X  Y  Z", "Constrain the drag to an axis"),
    ("Ctrl", "Snap"),
    ("L, Alt in a drag", "Drag the limb only, or the body"),
    ("Esc", "Cancel the drag, clear the selection"),
    ("P  B", "Pin the joint, use it as base"),
    ("R, Shift + R", "Reset the chain, reset the joint"),
    ("Ctrl + Z", "Undo (with Shift: redo)"),
    ("Empty space, Alt + left", "Orbit"),
    ("Middle, right drag", "Pan"),
    ("Wheel", "Zoom to the pointer"),
    ("Double click, F", "Center the view, frame all"),
    ("K", "Insert a key with the dragged pose"),
    ("0 1 2 3 4", "CCD, particle, DLS (Euler), DLS, FABRIK"),
    ("5 6 7 8 9", "Two-bone, fused, optimize, full-body, auto"),
    (".  ,", "Step through the last solve (Esc: end)"),
    ("S  Space  Tab  ?", "Skeleton, play, panel, shortcuts"),
    ("Del", "Remove the selected strip or key"),
    ("Ctrl + O", "Open a file (or drop one here)"),
    ("Left, Right, F5", "Previous file, next file, reload"),
    ("Ctrl + S, F12", "Save the project, save an image"),
    ("Ctrl + Shift + S, Ctrl + E", "Save the project as, export the clip"),
    ("Ctrl + R", "Start or stop recording"),
    ("Ctrl + Q", "Quit"),
];

/// Height in points of the window's title and the space around it.
const AROUND: f32 = 80.0;
/// Minimum height of the list in points.
const MIN_HEIGHT: f32 = 60.0;

/// Shows the window if it is open.
pub(super) fn show(ui: &Ui, panel: &mut PanelState) {
    let window =
        egui::Window::new("Shortcuts").open(&mut panel.shortcuts).resizable(false).collapsible(false);
    let height = (ui.ctx().content_rect().height() - AROUND).max(MIN_HEIGHT);
    window.show(ui.ctx(), |ui| {
        ScrollArea::vertical().max_height(height).min_scrolled_height(height).show(ui, |ui| {
            egui::Grid::new("keys").num_columns(2).spacing([18.0, 5.0]).show(ui, |ui| {
                for (key, action) in SHORTCUTS {
                    ui.label(RichText::new(key).strong().color(theme::accent(ui)));
                    ui.label(action);
                    ui.end_row();
                }
            });
        });
    });
}
