//! How is solved.

use egui::{Slider, Ui};

use crate::ik::{Method, Options, Start};

use super::super::{Command, Session};
use super::{WIDTH, heading};

/// The method and what it can be told.
pub(super) fn show(ui: &mut Ui, session: &Session, asked: &mut Vec<Command>) {
    let title = heading(ui, "Solver");
    let mut options = session.options;
    let methods = egui::ComboBox::from_id_salt("method")
        .width(WIDTH - 44.0)
        .selected_text(options.method.name())
        .show_ui(ui, |ui| {
            for method in std::iter::once(Method::Auto).chain(Method::ALL) {
                ui.selectable_value(&mut options.method, method, method.name());
            }
        });
    methods.response.labelled_by(title.id);
    ui.add(Slider::new(&mut options.iterations, 1..=500).logarithmic(true).text("iterations"));
    let mut tolerance = options.tolerance.unwrap_or(1e-4) * 1e3;
    if ui.add(Slider::new(&mut tolerance, 0.001..=50.0).logarithmic(true).text("mm")).changed() {
        options.tolerance = Some(tolerance * 1e-3);
    }
    if options.method == Method::Dls {
        let mut damping = options.jacobian.damping.unwrap_or(0.05);
        if ui.add(Slider::new(&mut damping, 0.001..=1.0).logarithmic(true).text("damping")).changed() {
            options.jacobian.damping = Some(damping);
        }
    }
    ui.checkbox(&mut options.limits, "joint limits");
    let mut keep = session.keep;
    if ui.checkbox(&mut keep, "keep goals on release").changed() {
        asked.push(Command::Keep(keep));
    }
    let mut from_rest = options.start == Start::Rest;
    ui.checkbox(&mut from_rest, "start from rest");
    options.start = if from_rest { Start::Rest } else { Start::Current };
    let usual = Options { method: options.method, restarts: 0, ..Options::default() };
    if options != usual && ui.small_button("defaults").clicked() {
        options = usual;
    }
    if options != session.options {
        asked.push(Command::Solver(Box::new(options)));
    }
}
