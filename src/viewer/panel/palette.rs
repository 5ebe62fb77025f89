//! The command palette: finds an action by its name and runs it.

use egui::{Align2, Area, Button, Frame, Id, Key, Order, RichText, ScrollArea, TextEdit, Ui};

use crate::Action;

use super::{PanelState, theme};

/// Maximum width of the palette in points.
const WIDTH: f32 = 440.0;
/// Maximum height of the list in points.
const HEIGHT: f32 = 320.0;

/// The palette, while it is open.
#[derive(Debug, Default)]
pub(crate) struct Palette {
    search: String,
    /// The row that Enter runs.
    row: usize,
    /// Whether the search field has had the keyboard focus.
    is_focused: bool,
}

impl Palette {
    /// Returns the actions whose group and name contain all words of the search text.
    fn found(&self) -> Vec<Action> {
        let search = self.search.to_lowercase();
        let matches = |action: &Action| {
            let text = format!("{} {}", action.group(), action.name()).to_lowercase();
            search.split_whitespace().all(|word| text.contains(word))
        };
        Action::all().filter(|action| *action != Action::Palette && matches(action)).collect()
    }
}

/// Shows the palette if it is open.
pub(super) fn show(ui: &Ui, panel: &mut PanelState) {
    let Some(mut palette) = panel.palette.take() else { return };
    let scene = panel.layout.scene;
    let width = WIDTH.min(ui.ctx().content_rect().width() - 24.0).max(1.0);
    let area = Area::new(Id::unique("palette")).order(Order::Foreground).pivot(Align2::CENTER_TOP);
    let mut chosen = None;
    let mut closes = ui.input(|i| i.key_pressed(Key::Escape));
    let shown = area.fixed_pos(scene.center_top() + egui::vec2(0.0, 12.0)).show(ui.ctx(), |ui| {
        Frame::window(ui.style()).show(ui, |ui| {
            ui.set_width(width);
            let field = TextEdit::singleline(&mut palette.search).hint_text("Find an action");
            let field = ui.add(field.desired_width(f32::INFINITY).id(Id::unique("palette search")));
            if field.changed() {
                palette.row = 0;
            }
            let found = palette.found();
            let (up, down, enter) = ui.input(|i| {
                (i.key_pressed(Key::ArrowUp), i.key_pressed(Key::ArrowDown), i.key_pressed(Key::Enter))
            });
            palette.row = (palette.row + usize::from(down)).min(found.len().saturating_sub(1));
            palette.row = palette.row.saturating_sub(usize::from(up));
            chosen = found.get(palette.row).copied().filter(|_| enter);
            if !palette.is_focused || enter || up || down {
                field.request_focus();
                palette.is_focused = true;
            }
            let list = ScrollArea::vertical().max_height(HEIGHT).auto_shrink([false, true]);
            list.show(ui, |ui| {
                for (row, action) in found.into_iter().enumerate() {
                    let text = format!("{}: {}", action.group(), action.name());
                    let button = Button::selectable(row == palette.row, text);
                    let selected = ui.visuals().selection.stroke.color;
                    let color = if row == palette.row { selected } else { theme::quiet(ui) };
                    let keys = RichText::new(panel.keymap.text(action)).color(color);
                    let button = ui.add_sized([ui.available_width(), 22.0], button.shortcut_text(keys));
                    if button.clicked() {
                        chosen = Some(action);
                    }
                    if row == palette.row && (up || down) {
                        button.scroll_to_me(None);
                    }
                }
            });
        });
    });
    closes |= shown.response.clicked_elsewhere();
    match chosen {
        Some(action) => panel.action = Some(action),
        None if closes => {}
        None => panel.palette = Some(palette),
    }
}
