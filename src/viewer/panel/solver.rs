//! The panel section for the solver and its settings.

use egui::{Button, ComboBox, Slider, Ui};

use crate::ik::{Method, Start};
use crate::viewer::session::default_options;
use crate::viewer::{Command, Session};

use super::{INNER, heading, method};

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
    egui::CollapsingHeader::new("All methods").id_salt("all methods").show(ui, |ui| {
        method::table(ui, "of all", |ui| {
            ui.spacing_mut().slider_width = 84.0;
            method::label(ui, "Iterations", "Maximum number of iterations");
            ui.add(Slider::new(&mut options.iterations, 1..=500).logarithmic(true));
            ui.end_row();
            let mut millimetres = options.tolerance.map(|m| m * 1e3);
            let tolerance = ("Tolerance", "In millimetres. Auto is 0.0001 of the chain's length.");
            if method::automatic(ui, tolerance, &mut millimetres, 0.1, 0.001..=50.0) {
                options.tolerance = millimetres.map(|mm| mm * 1e-3);
            }
            let mut degrees = options.angle_tolerance.to_degrees();
            let hint = "Maximum angle to a target orientation that counts as reached";
            if method::slider(ui, "Angle tolerance", hint, &mut degrees, 0.01..=10.0, "°") {
                options.angle_tolerance = degrees.to_radians();
            }
            method::label(ui, "Restarts", "Additional start poses to try if a solve from rest stalls");
            ui.add(Slider::new(&mut options.restarts, 0..=16));
            ui.end_row();
            method::checkbox(ui, "Joint limits", "Enforce the joint limits", &mut options.limits);
            let mut from_rest = options.start == Start::Rest;
            let hint = "Start each solve from the rest pose, so that the result depends only on the goals";
            method::checkbox(ui, "Start from rest", hint, &mut from_rest);
            options.start = if from_rest { Start::Rest } else { Start::Continue };
        });
    });
    ui.horizontal(|ui| {
        let mut keep = session.keep;
        let hint = "Goals stay active where they are released";
        if ui.checkbox(&mut keep, "Keep goals on release").on_hover_text(hint).changed() {
            commands.push(Command::KeepGoals(keep));
        }
        let defaults = default_options(options.method);
        if ui.add_enabled(options != defaults, Button::new("Defaults").small()).clicked() {
            options = defaults;
        }
    });
    if options != session.options {
        commands.push(Command::Solver(Box::new(options)));
    }
}
