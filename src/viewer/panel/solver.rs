//! The panel section for the solver and its settings.

use std::path::PathBuf;

use egui::{Button, Checkbox, ComboBox, RichText, Ui};

use crate::ik::Method;
use crate::session::solver_options::options_of_rig;
use crate::text::printable;
use crate::{Command, Session, StyleSource};

use super::{AppRequest, method, name, steps, theme};

/// Shows the method, its settings and the settings that all methods share.
pub(super) fn show(
    ui: &mut Ui,
    session: &Session,
    commands: &mut Vec<Command>,
    request: &mut Option<AppRequest>,
) {
    let title = ui.label(RichText::new("Method").color(theme::quiet(ui)));
    let mut options = *session.document.settings.solver;
    let methods = ComboBox::from_id_salt("method")
        .width(ui.available_width() - 8.0)
        .selected_text(options.method.name())
        .show_ui(ui, |ui| {
            // Computed only while the list is open.
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
        style(ui, session, commands, request);
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
        let defaults = options_of_rig(session.rig(), options.method);
        if ui.add_enabled(options != defaults, Button::new("Defaults").small()).clicked() {
            options = defaults;
        }
    });
    steps::show(ui, session, commands);
    if options != *session.document.settings.solver {
        commands.push(Command::Solver(Box::new(options)));
    }
}

/// Shows the style source of the method: postures of clips, or a style learned from them or read from a file.
fn style(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>, request: &mut Option<AppRequest>) {
    let source = &session.document.settings.style;
    let (clip, is_learned) = match source {
        StyleSource::Clips(clip) => (clip.as_deref(), false),
        StyleSource::Learned { learned } => (learned.as_deref(), true),
        StyleSource::File { .. } => (None, true),
    };
    let file = if let StyleSource::File { file } = source { Some(file) } else { None };
    let of_clip = |clip: Option<&str>, is_learned: bool| {
        let clip = clip.map(str::to_owned);
        let source =
            if is_learned { StyleSource::Learned { learned: clip } } else { StyleSource::Clips(clip) };
        Command::Style(source)
    };
    let label = |name: Option<&str>| name.map_or("all clips".into(), printable::line).into_owned();
    let file_name = |file: &PathBuf| name(&file.file_name().unwrap_or_default().to_string_lossy());
    let shown = file.map_or_else(|| label(clip), file_name);
    ComboBox::from_label("Postures").selected_text(shown).show_ui(ui, |ui| {
        let character = session.puppet.character();
        let names: Vec<String> = (0..character.clips.len()).map(|clip| character.clip_name(clip)).collect();
        for name in std::iter::once(None).chain(names.iter().map(|name| Some(name.as_str()))) {
            if ui.selectable_label(file.is_none() && clip == name, label(name)).clicked() {
                commands.push(of_clip(name, is_learned && file.is_none()));
            }
        }
    });
    ui.horizontal(|ui| {
        let has_clips = !session.puppet.character().clips.is_empty();
        let mut learned = is_learned;
        let hint = "Learn a style from the clips, which also gives poses between their postures and beyond them, \
                    instead of blending the nearest ones.";
        let learn = ui.add_enabled(file.is_none() && has_clips, Checkbox::new(&mut learned, "Learn"));
        if learn.on_hover_text(hint).changed() {
            commands.push(of_clip(clip, learned));
        }
        if ui.button("Open…").on_hover_text("Pose like a learned style").clicked() {
            *request = Some(AppRequest::ChooseStyle);
        }
        let save = ui.add_enabled(file.is_none() && is_learned, Button::new("Save…"));
        if save.on_hover_text("Save the learned style for other characters with these joints").clicked() {
            *request = Some(AppRequest::SaveStyle);
        }
    });
}
