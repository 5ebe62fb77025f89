//! The panel section for the solver and its settings.

use egui::{Button, ComboBox, RichText, Ui};

use crate::ik::Method;
use crate::text::printable;
use crate::viewer::{Command, Session};

use super::{method, steps, theme};

/// Shows the method, its settings and the settings that all methods share.
pub(super) fn show(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let title = ui.label(RichText::new("Method").color(theme::quiet(ui)));
    let mut options = *session.document.settings.solver;
    let methods = ComboBox::from_id_salt("method")
        .width(ui.available_width() - 8.0)
        .selected_text(options.method.name())
        .show_ui(ui, |ui| {
            // Only computed while the list is open.
            let refusals = session.refusals();
            for method in Method::all() {
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
    if options.method == Method::Style {
        postures(ui, session, commands);
    }
    method::show(ui, &mut options);
    let all = egui::CollapsingHeader::new("All methods").id_salt("all methods");
    all.show(ui, |ui| {
        method::shared(ui, &mut options);
        let is_stored = session.document.storable_options() == session.rig().options;
        let store = ui.add_enabled(!is_stored, Button::new("Store in rig").small());
        let hint = "Make these settings the defaults of this character. Save rig writes them to its file.";
        if store.on_hover_text(hint).clicked() {
            commands.push(Command::StoreOptions);
        }
    });
    ui.horizontal(|ui| {
        let defaults = session.default_options(options.method);
        if ui.add_enabled(options != defaults, Button::new("Defaults").small()).clicked() {
            options = defaults;
        }
    });
    steps::show(ui, session, commands);
    if options != *session.document.settings.solver {
        commands.push(Command::Solver(Box::new(options)));
    }
}

/// Shows the menu of the clips whose postures are blended.
fn postures(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let chosen = session.document.settings.style.as_deref();
    let label = |name: Option<&str>| name.map_or("all clips".into(), printable::line).into_owned();
    ComboBox::from_label("Postures").selected_text(label(chosen)).show_ui(ui, |ui| {
        let character = session.puppet.character();
        let names: Vec<String> = (0..character.clips.len()).map(|clip| character.clip_name(clip)).collect();
        for name in std::iter::once(None).chain(names.iter().map(|name| Some(name.as_str()))) {
            if ui.selectable_label(chosen == name, label(name)).clicked() {
                commands.push(Command::Style(name.map(str::to_owned)));
            }
        }
    });
}
