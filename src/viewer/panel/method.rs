//! The settings of each method.

use egui::{CollapsingHeader, RichText, Ui};

use crate::ik::{Method, Options, SolverOption};

use super::{option_row, theme};

/// Shows one row for each option of the current method.
pub(super) fn show(ui: &mut Ui, options: &mut Options) {
    let method = options.method;
    let own = || of_characters().filter(|o| !o.methods.is_empty() && o.applies_to(method));
    let description = match method {
        Method::Auto => "Two-bone for a limb, full-body for several goals, otherwise damped least squares.",
        _ if own().next().is_none() => "This method has no settings.",
        _ => "",
    };
    if !description.is_empty() {
        ui.label(RichText::new(description).small().color(theme::quiet(ui)));
    }
    if method == Method::Auto {
        let header = CollapsingHeader::new("These methods").id_salt("selected methods");
        header.show(ui, |ui| rows(ui, "parameters", own(), options));
    } else {
        rows(ui, "parameters", own(), options);
    }
}

/// Shows the options that all methods share. The method itself has another control.
pub(super) fn shared(ui: &mut Ui, options: &mut Options) {
    ui.spacing_mut().slider_width = 84.0;
    let shared = of_characters().filter(|o| o.methods.is_empty() && o.key != "method");
    rows(ui, "of all", shared, options);
}

/// The options that can be set for a character.
fn of_characters() -> impl Iterator<Item = &'static SolverOption> {
    SolverOption::all().iter().filter(|o| o.refusal.is_none())
}

fn rows(ui: &mut Ui, id: &str, shown: impl Iterator<Item = &'static SolverOption>, options: &mut Options) {
    option_row::table(ui, id, |ui| shown.for_each(|option| option_row::show(ui, option, options)));
}
