//! How is solved.

use egui::{Button, ComboBox, Slider, Ui};

use crate::ik::{Method, Start};

use super::super::session::usual;
use super::super::{Command, Session};
use super::{INNER, heading, method};

/// The method, what all can be told, and what it alone can be told.
pub(super) fn show(ui: &mut Ui, session: &Session, asked: &mut Vec<Command>) {
    let title = heading(ui, "Solver");
    let mut options = session.options;
    let methods = ComboBox::from_id_salt("method")
        .width(INNER - 8.0)
        .selected_text(options.method.name())
        .show_ui(ui, |ui| {
            // Asked while the list is open.
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
            method::label(ui, "passes", "at most so many");
            ui.add(Slider::new(&mut options.iterations, 1..=500).logarithmic(true));
            ui.end_row();
            let mut millimetres = options.tolerance.map(|m| m * 1e3);
            let about = ("tolerance", "millimetres; auto: a ten-thousandth of the chain's length");
            if method::automatic(ui, about, &mut millimetres, 0.1, 0.001..=50.0) {
                options.tolerance = millimetres.map(|mm| mm * 1e-3);
            }
            let mut degrees = options.angle_tolerance.to_degrees();
            let hint = "within which an orientation counts as reached";
            if method::slider(ui, "and angles", hint, &mut degrees, 0.01..=10.0, "°") {
                options.angle_tolerance = degrees.to_radians();
            }
            method::label(ui, "restarts", "other starts that may rescue a solve that stalls");
            ui.add(Slider::new(&mut options.restarts, 0..=16));
            ui.end_row();
            method::tick(ui, "joint limits", "whether limits are kept", &mut options.limits);
            let mut from_rest = options.start == Start::Rest;
            let hint = "each solve starts from rest: the answer depends on the goals alone";
            method::tick(ui, "start from rest", hint, &mut from_rest);
            options.start = if from_rest { Start::Rest } else { Start::Current };
        });
    });
    ui.horizontal(|ui| {
        let mut keep = session.keep;
        let hint = "goals stay where they are let go";
        if ui.checkbox(&mut keep, "keep goals on release").on_hover_text(hint).changed() {
            asked.push(Command::Keep(keep));
        }
        let usual = usual(options.method);
        if ui.add_enabled(options != usual, Button::new("Defaults").small()).clicked() {
            options = usual;
        }
    });
    if options != session.options {
        asked.push(Command::Solver(Box::new(options)));
    }
}
