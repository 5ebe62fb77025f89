//! The settings of each method.

use egui::{RichText, Ui};

use crate::ik::{Method, Options, SolverOption};

use super::{option_row, theme};

/// Key of an option that most methods have. It is shown among the options that all methods share.
const TEXTBOOK: &str = "textbook";

/// Shows one row for each option of the current method.
pub(super) fn show(ui: &mut Ui, options: &mut Options) {
    let method = options.method;
    let description = match method {
        Method::Auto => {
            "Full-body for a recognised body or several goals, two-bone for a limb, otherwise damped least squares."
        }
        _ if of_method(method).next().is_none() => "This method has no settings.",
        _ => return rows(ui, "parameters", of_method(method), options),
    };
    quiet(ui, description);
}

/// Shows the options shared by all methods. For [`Method::Auto`], also shows the options of the methods that it selects. The method itself
/// has a separate control.
pub(super) fn shared(ui: &mut Ui, options: &mut Options) {
    ui.spacing_mut().slider_width = 84.0;
    let method = options.method;
    let is_shared = |o: &SolverOption| o.methods.is_empty() && o.key != "method";
    let shared = of_characters().filter(move |o| is_shared(o) || o.key == TEXTBOOK && o.applies_to(method));
    rows(ui, "of all", shared, options);
    if options.method == Method::Auto {
        quiet(ui, "Two-bone, full-body and damped least squares:");
        rows(ui, "of selected methods", of_method(Method::Auto), options);
    }
}

fn quiet(ui: &mut Ui, text: &str) {
    ui.label(RichText::new(text).small().color(theme::quiet(ui)));
}

/// Returns the options of a method that are not shared by all methods.
fn of_method(method: Method) -> impl Iterator<Item = &'static SolverOption> {
    of_characters().filter(move |o| !o.methods.is_empty() && o.key != TEXTBOOK && o.applies_to(method))
}

/// Returns the options that can be set for a character.
fn of_characters() -> impl Iterator<Item = &'static SolverOption> {
    SolverOption::all().iter().filter(|o| o.refusal.is_none())
}

fn rows(ui: &mut Ui, id: &str, shown: impl Iterator<Item = &'static SolverOption>, options: &mut Options) {
    option_row::table(ui, id, |ui| shown.for_each(|option| option_row::show(ui, option, options)));
}
