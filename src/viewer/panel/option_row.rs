//! A row for a solver option. The option's kind, unit and range in the registry determine its control, so every option has a row.

use std::ops::RangeInclusive;

use egui::{ComboBox, DragValue, Grid, Id, RichText, Slider, SliderClamping, Ui};
use glam::DVec3;

use crate::ik::{
    Balance, Domain, Method, OptionKind, OptionValue, Options, Secondary, SolverOption, Start, Swivel, Unit,
};
use crate::session::default_options;

use super::theme;

/// A count whose common values exceed this gets a logarithmic slider.
const LONG_COUNT: usize = 100;

/// Lays out rows in two columns: name and value.
pub(super) fn table(ui: &mut Ui, id: &str, rows: impl FnOnce(&mut Ui)) {
    Grid::new(id).num_columns(2).spacing([8.0, 5.0]).min_col_width(84.0).show(ui, rows);
}

/// Shows the row of an option, unless another option makes it irrelevant.
pub(super) fn show(ui: &mut Ui, option: &SolverOption, options: &mut Options) {
    let text = label(option.key);
    match option.key {
        "ccd.base_first" => {
            let orders = [(false, "Tip to base"), (true, "Base to tip")];
            choice(ui, "Order", option.help, &mut options.ccd.base_first, &orders);
        }
        "start" => {
            let mut from_rest = options.start == Start::Rest;
            let hint = "Start each solve from the rest pose, so that the result depends only on the goals";
            checkbox(ui, "Start from rest", hint, &mut from_rest);
            let other = default_options(options.method).start;
            options.start = if from_rest { Start::Rest } else { other };
        }
        "jacobian.secondary_gain" if options.jacobian.secondary == Secondary::None => {}
        "limb.swivel" => swivel(ui, option, &mut options.limb.swivel),
        "optimize.balance" => balance(ui, option, &mut options.optimize.balance),
        _ => {
            let value = option.get(options);
            let new = generic(ui, option, &text, options.method, value);
            if let Some(new) = new.filter(|new| *new != value) {
                // Typed numbers outside the range are ignored.
                let _ = option.set(options, new);
            }
        }
    }
}

/// Shows the row of an option without a special control, and returns its new value.
fn generic(
    ui: &mut Ui,
    option: &SolverOption,
    name: &str,
    method: Method,
    value: OptionValue,
) -> Option<OptionValue> {
    let hint = option.help;
    match (option.kind, value) {
        (OptionKind::Flag, OptionValue::Flag(mut on)) => {
            checkbox(ui, name, hint, &mut on);
            Some(OptionValue::Flag(on))
        }
        (OptionKind::Count { common: [first, last], .. }, OptionValue::Count(mut count)) => {
            row(ui, name, hint, |ui, title| {
                let slider = Slider::new(&mut count, first..=last).logarithmic(last > LONG_COUNT);
                ui.add(slider.clamping(SliderClamping::Never)).labelled_by(title);
            });
            Some(OptionValue::Count(count))
        }
        (OptionKind::Number(domain), OptionValue::Number(_) | OptionValue::None) => {
            number(ui, name, hint, &domain, value)
        }
        (OptionKind::Choice, OptionValue::Name(mut chosen)) => {
            let names = option.names();
            let all: Vec<_> = names.iter().map(|n| (*n, choice_label(option.key, n, method))).collect();
            let all: Vec<_> = all.iter().map(|(name, label)| (*name, label.as_str())).collect();
            choice(ui, name, hint, &mut chosen, &all);
            Some(OptionValue::Name(chosen))
        }
        _ => None,
    }
}

/// Returns an option's name in the panel, usually the last part of the key.
pub(super) fn label(key: &str) -> String {
    match key {
        "characteristic_length" => "Char. length".into(),
        "limits" => "Joint limits".into(),
        "ccd.step" => "Max step".into(),
        "ccd.budget" => "Max total".into(),
        "ccd.growing" => "Growing step".into(),
        "jacobian.secondary" => "Second task".into(),
        "jacobian.secondary_gain" => "Gain".into(),
        _ => sentence(key.rsplit('.').next().unwrap_or(key)),
    }
}

/// Replaces the separators in a name with spaces and capitalises its first letter.
fn sentence(name: &str) -> String {
    let text = name.replace(['_', '-'], " ");
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Returns the text of a choice in the panel.
fn choice_label(key: &str, name: &str, method: Method) -> String {
    let special = match (key, name) {
        ("jacobian.parameters", "rotation-vector") => "Rotation vectors",
        ("jacobian.parameters", "euler") => "Euler angles",
        ("jacobian.secondary", "none") if method == Method::FullBody => "Start (fading)",
        ("jacobian.secondary", "limit-centres") => "Limit centers",
        ("jacobian.secondary", "rest" | "start") => return format!("{} pose", sentence(name)),
        ("limb.swivel", "standard") => "Rest pose",
        ("limb.swivel", "arm") => "Elbow back",
        ("limb.swivel", "leg") => "Knee forward",
        _ => return sentence(name),
    };
    special.into()
}

/// Shows a row's name with a tooltip, and its control. The control gets the name's ID as its label.
fn row(ui: &mut Ui, name: &str, hint: &str, control: impl FnOnce(&mut Ui, Id)) {
    let title = ui.label(RichText::new(name).color(theme::quiet(ui))).on_hover_text(hint);
    control(ui, title.id);
    ui.end_row();
}

fn checkbox(ui: &mut Ui, name: &str, hint: &str, value: &mut bool) {
    row(ui, name, hint, |ui, title| {
        ui.checkbox(value, "").labelled_by(title).on_hover_text(hint);
    });
}

/// Shows a row with a list of choices.
fn choice<T: Copy + PartialEq>(ui: &mut Ui, name: &str, hint: &str, value: &mut T, all: &[(T, &str)]) {
    row(ui, name, hint, |ui, title| {
        let selected = all.iter().find(|(v, _)| v == value).map_or("", |(_, text)| text);
        let list = ComboBox::from_id_salt(name).width(150.0).selected_text(selected);
        let list = list.show_ui(ui, |ui| {
            for (item, text) in all {
                ui.selectable_value(value, *item, *text);
            }
        });
        list.response.labelled_by(title);
    });
}

/// Shows a row with a slider, and a checkbox if the value is optional. Returns the new value.
fn number(
    ui: &mut Ui,
    name: &str,
    hint: &str,
    domain: &Domain,
    mut value: OptionValue,
) -> Option<OptionValue> {
    row(ui, name, hint, |ui, title| {
        let Some(word) = domain.none else {
            if let OptionValue::Number(x) = &mut value {
                slider(ui, title, domain, x);
            }
            return;
        };
        ui.horizontal(|ui| {
            let mut is_none = value == OptionValue::None;
            if ui.checkbox(&mut is_none, sentence(word)).changed() {
                value = if is_none { OptionValue::None } else { OptionValue::Number(domain.initial) };
            }
            if let OptionValue::Number(x) = &mut value {
                ui.spacing_mut().slider_width = 56.0;
                slider(ui, title, domain, x);
            }
        });
    });
    Some(value)
}

/// Shows a slider over the common values of a number, in degrees or millimetres. The number is written back only after
/// a change, because the conversion would alter its last digits.
fn slider(ui: &mut Ui, title: Id, domain: &Domain, x: &mut f64) {
    let (factor, unit) = match domain.unit {
        Unit::Plain => (1.0, ""),
        Unit::Angle => (1_f64.to_degrees(), "°"),
        Unit::Length => (1e3, " mm"),
    };
    let [first, last] = domain.common.map(|bound| bound * factor);
    let mut shown = *x * factor;
    let slider = Slider::new(&mut shown, first..=last).clamping(SliderClamping::Never);
    let slider = slider.logarithmic(domain.is_logarithmic).smallest_positive(1e-5);
    if ui.add(slider.custom_formatter(digits).suffix(unit)).labelled_by(title).changed() {
        *x = shown / factor;
    }
}

/// Formats a value with up to three decimals, or five below 0.01. The slider's own formatting is not used because it
/// would also round the value.
fn digits(value: f64, _: RangeInclusive<usize>) -> String {
    let text = if value.abs() < 0.01 { format!("{value:.5}") } else { format!("{value:.3}") };
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Shows a row for an angle from −180° to 180°.
fn angle(ui: &mut Ui, name: &str, hint: &str, radians: &mut f64) {
    row(ui, name, hint, |ui, title| {
        let mut degrees = radians.to_degrees();
        let slider = Slider::new(&mut degrees, -180.0..=180.0).clamping(SliderClamping::Edits);
        if ui.add(slider.custom_formatter(digits).suffix("°")).labelled_by(title).changed() {
            *radians = degrees.to_radians();
        }
    });
}

/// Shows a row for a vector.
fn vector(ui: &mut Ui, name: &str, hint: &str, vector: &mut DVec3) {
    row(ui, name, hint, |ui, title| {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 3.0;
            for x in [&mut vector.x, &mut vector.y, &mut vector.z] {
                ui.add(DragValue::new(x).speed(0.01).max_decimals(3)).labelled_by(title);
            }
        });
    });
}

/// Shows the rows of the swivel: the rule and its numbers, if any.
fn swivel(ui: &mut Ui, option: &SolverOption, swivel: &mut Swivel) {
    let mut rules: Vec<(Swivel, String)> = Vec::new();
    for name in option.names() {
        if let Ok(OptionValue::Swivel(rule)) = option.parse(name) {
            rules.push((rule, choice_label(option.key, name, Method::TwoBone)));
        }
    }
    let (offset, follow) = match *swivel {
        Swivel::Angle(_) => (*swivel, None),
        Swivel::Follow { .. } => (Swivel::Angle(0.0), Some(*swivel)),
        _ => (Swivel::Angle(0.0), None),
    };
    let follow = follow.unwrap_or(Swivel::Follow { at_base: 0.0, slope: DVec3::ZERO });
    rules.extend([(offset, "Offset from rest".into()), (follow, "Follow target".into())]);
    let rules: Vec<(Swivel, &str)> = rules.iter().map(|(rule, text)| (*rule, text.as_str())).collect();
    choice(ui, "Swivel", option.help, swivel, &rules);
    match swivel {
        Swivel::Angle(radians) => {
            angle(ui, "Offset", "Angle added to the swivel of the rest pose", radians);
        }
        Swivel::Follow { at_base, slope } => {
            let hint = "Angle relative to the swivel of the rest pose, for a target at the base";
            angle(ui, "At base", hint, at_base);
            let hint =
                "Change of the angle in radians while the target moves by the limb's length along x, y and z";
            vector(ui, "Slope", hint, slope);
        }
        _ => {}
    }
}

/// Shows the rows of the balance task.
fn balance(ui: &mut Ui, option: &SolverOption, balance: &mut Option<Balance>) {
    let mut is_on = balance.is_some();
    checkbox(ui, "Balance", option.help, &mut is_on);
    if is_on != balance.is_some() {
        *balance = is_on.then_some(Balance { support: DVec3::ZERO, weight: 1.0 });
    }
    let Some(Balance { support, weight }) = balance else { return };
    let hint = "World position below the centre of mass, metres. Its height is ignored.";
    vector(ui, "Support", hint, support);
    let hint = "Weight of the squared horizontal distance, relative to the squared error of a goal";
    row(ui, "Weight", hint, |ui, title| {
        let slider = Slider::new(weight, 0.0..=10.0).logarithmic(true).smallest_positive(1e-3);
        ui.add(slider.clamping(SliderClamping::Edits).custom_formatter(digits)).labelled_by(title);
    });
}
