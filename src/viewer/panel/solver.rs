//! The panel section for the solver and its settings.

use egui::{Button, ComboBox, Ui};

use crate::ik::Method;
use crate::viewer::{Command, DragScope, Session};

use super::{INNER, heading, method, steps};

/// Shows the method, its settings and the settings that all methods share.
pub(super) fn show(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let title = heading(ui, "Solver");
    let mut options = session.options;
    let methods = ComboBox::from_id_salt("method")
        .width(INNER - 8.0)
        .selected_text(options.method.name())
        .show_ui(ui, |ui| {
            // Only computed while the list is open.
            let refusals = session.refusals();
            for method in std::iter::once(Method::Auto).chain(Method::ALL) {
                let why = refusals.iter().find(|(m, _)| *m == method).map(|(_, why)| why);
                let item = Button::selectable(options.method == method, method.name());
                let response = ui.add_enabled(why.is_none(), item);
                if response.clicked() {
                    options.method = method;
                }
                if let Some(why) = why {
                    response.on_disabled_hover_text(why);
                }
            }
        });
    methods.response.labelled_by(title.id);
    method::show(ui, &mut options);
    let all = egui::CollapsingHeader::new("All methods").id_salt("all methods");
    all.show(ui, |ui| {
        method::shared(ui, &mut options);
        let is_stored = session.storable_options() == session.rig().options;
        let store = ui.add_enabled(!is_stored, Button::new("Store in rig").small());
        let hint = "Make these settings the defaults of this character. Save rig writes them to its file.";
        if store.on_hover_text(hint).clicked() {
            commands.push(Command::StoreOptions);
        }
    });
    ui.horizontal(|ui| {
        let mut keep = session.keep;
        let hint = "Goals stay active where they are released";
        if ui.checkbox(&mut keep, "Keep goals on release").on_hover_text(hint).changed() {
            commands.push(Command::KeepGoals(keep));
        }
        let defaults = session.default_options(options.method);
        if ui.add_enabled(options != defaults, Button::new("Defaults").small()).clicked() {
            options = defaults;
        }
    });
    if session.has_body() {
        let mut limb_only = session.drag_scope() == DragScope::Limb;
        let hint =
            "Only the limb of the dragged joint follows, instead of the whole body (L, or Alt in a drag)";
        if ui.checkbox(&mut limb_only, "Drag the limb only").on_hover_text(hint).changed() {
            commands.push(Command::DragScope(if limb_only { DragScope::Limb } else { DragScope::Body }));
        }
    }
    steps::show(ui, session, commands);
    if options != session.options {
        commands.push(Command::Solver(Box::new(options)));
    }
}
