//! The window of keys.

use egui::{RichText, ScrollArea, Ui};

use super::{Look, theme};

const KEYS: [(&str, &str); 27] = [
    ("Left drag", "pull what is under the pointer"),
    ("Click", "select a joint: rings turn it, arcs are its limit"),
    ("Drag an arc's end", "change the limit"),
    ("Drag the diamond", "where the limb bends to; double click: nowhere"),
    ("E", "rings turn the joint alone, or its limb follows"),
    ("Shift + move", "pull; in empty space, what is selected"),
    ("Wheel in a drag", "push nearer or farther"),
    ("X  Y  Z", "keep the drag on an axis"),
    ("Ctrl", "move in steps"),
    ("Esc", "cancel the drag, select nothing"),
    ("P  B", "pin the joint, hold it as base"),
    ("R, Shift + R", "chain, joint back to rest"),
    ("Ctrl + Z", "undo; with Shift redo"),
    ("Empty space, Alt + left", "turn"),
    ("Middle, right drag", "move the camera"),
    ("Wheel", "zoom to the pointer"),
    ("Double click, F", "turn around it, frame all"),
    ("K", "key what is pulled: it becomes part of the motion"),
    ("0 1 2 3 4", "CCD, particle, Euler, quaternions, FABRIK"),
    ("5 6 7 8 9", "two-bone, fused, optimize, full body, auto"),
    ("S  Space  Tab  ?", "skeleton, play, panel, keys"),
    ("Del", "take a bar or a key from the timeline"),
    ("Ctrl + O", "open a file; or drop one here"),
    ("Left, Right, F5", "other files of the folder, read again"),
    ("F12, Ctrl + S", "save a picture, the pose"),
    ("Ctrl + R", "record, and stop"),
    ("Ctrl + Q", "close"),
];

/// Points for the window's title and what is left free around it; points of keys at least.
const AROUND: f32 = 80.0;
const LEAST: f32 = 60.0;

/// What every key does.
pub(super) fn show(ui: &Ui, look: &mut Look) {
    let window = egui::Window::new("Keys").open(&mut look.keys).resizable(false).collapsible(false);
    let high = (ui.ctx().content_rect().height() - AROUND).max(LEAST);
    window.show(ui.ctx(), |ui| {
        ScrollArea::vertical().max_height(high).min_scrolled_height(high).show(ui, |ui| {
            egui::Grid::new("keys").num_columns(2).spacing([18.0, 5.0]).show(ui, |ui| {
                for (key, what) in KEYS {
                    ui.label(RichText::new(key).strong().color(theme::accent(ui)));
                    ui.label(what);
                    ui.end_row();
                }
            });
        });
    });
}
