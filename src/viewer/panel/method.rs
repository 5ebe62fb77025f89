//! The settings of each method.

use std::f64::consts::TAU;
use std::ops::RangeInclusive;

use egui::{ComboBox, Grid, RichText, Slider, Ui};

use crate::ik::{
    CcdOptions, JacobianOptions, JointParameters, LimbOptions, Method, OptimizeOptions, Options, Secondary,
    Swivel,
};

use super::theme;

/// Shows one row per setting of the current method.
pub(super) fn show(ui: &mut Ui, options: &mut Options) {
    let method = options.method;
    let description = match method {
        Method::Auto => "Two-bone for a limb, full-body for several goals, otherwise damped least squares.",
        Method::Fabrik => "No settings. FABRIK moves points and then fits the joints to them.",
        _ => "",
    };
    if !description.is_empty() {
        ui.label(RichText::new(description).small().color(theme::quiet(ui)));
        return;
    }
    table(ui, "parameters", |ui| match method {
        Method::Ccd => ccd(ui, &mut options.ccd),
        Method::Particle => {
            let hint = "Fraction of a spring's error that one relaxation corrects";
            slider(ui, "Stiffness", hint, &mut options.stiffness, 0.05..=1.0, "");
        }
        Method::TwoBone => limb(ui, &mut options.limb),
        Method::Optimize => optimize(ui, &mut options.optimize),
        _ => jacobian(ui, method, &mut options.jacobian),
    });
}

/// Lays out rows in two columns: name and value.
pub(super) fn table(ui: &mut Ui, id: &str, rows: impl FnOnce(&mut Ui)) {
    Grid::new(id).num_columns(2).spacing([8.0, 5.0]).min_col_width(84.0).show(ui, rows);
}

/// Shows a row with a slider and returns whether it changed. Callers that convert units must write the value back only
/// after a change, because the conversion would alter its last digits.
pub(super) fn slider(
    ui: &mut Ui,
    name: &str,
    hint: &str,
    value: &mut f64,
    range: RangeInclusive<f64>,
    unit: &str,
) -> bool {
    label(ui, name, hint);
    let changed = ui.add(Slider::new(value, range).custom_formatter(digits).suffix(unit)).changed();
    ui.end_row();
    changed
}

/// Shows a row with a slider for an optional value and returns whether it changed. `None` leaves the choice to the
/// method.
pub(super) fn automatic(
    ui: &mut Ui,
    (name, hint): (&str, &str),
    value: &mut Option<f64>,
    default: f64,
    range: RangeInclusive<f64>,
) -> bool {
    label(ui, name, hint);
    let mut changed = false;
    ui.horizontal(|ui| {
        let mut auto = value.is_none();
        if ui.checkbox(&mut auto, "Auto").changed() {
            *value = (!auto).then_some(default);
            changed = true;
        }
        if let Some(value) = value {
            ui.spacing_mut().slider_width = 56.0;
            changed |= ui.add(Slider::new(value, range).logarithmic(true).custom_formatter(digits)).changed();
        }
    });
    ui.end_row();
    changed
}

/// Formats a value with up to three decimals, or five below 0.01. The slider's own formatting is not used because it
/// would also round the value.
fn digits(value: f64, _: RangeInclusive<usize>) -> String {
    let text = if value.abs() < 0.01 { format!("{value:.5}") } else { format!("{value:.3}") };
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Shows a row with a checkbox.
pub(super) fn checkbox(ui: &mut Ui, name: &str, hint: &str, value: &mut bool) {
    label(ui, name, hint);
    ui.checkbox(value, "").on_hover_text(hint);
    ui.end_row();
}

/// Shows the name of a row, with a tooltip.
pub(super) fn label(ui: &mut Ui, name: &str, hint: &str) {
    ui.label(RichText::new(name).color(theme::quiet(ui))).on_hover_text(hint);
}

/// Shows a row with a list of choices.
fn choice<T: Copy + PartialEq>(ui: &mut Ui, name: &str, hint: &str, value: &mut T, all: &[(T, &str)]) {
    label(ui, name, hint);
    let selected = all.iter().find(|(v, _)| v == value).map_or("", |(_, text)| text);
    ComboBox::from_id_salt(name).width(150.0).selected_text(selected).show_ui(ui, |ui| {
        for (item, text) in all {
            ui.selectable_value(value, *item, *text);
        }
    });
    ui.end_row();
}

fn ccd(ui: &mut Ui, ccd: &mut CcdOptions) {
    let hint = "The joint at which each iteration starts";
    choice(ui, "Order", hint, &mut ccd.base_first, &[(false, "Tip to base"), (true, "Base to tip")]);
    angle(ui, "Max step", "Maximum rotation of a joint in one step", &mut ccd.step);
    angle(ui, "Max total", "Maximum rotation of a joint in one solve", &mut ccd.budget);
    let hint = "Multiply the maximum step by 1 at the last joint, by 2 at the joint before it, and so on";
    checkbox(ui, "Growing step", hint, &mut ccd.growing);
}

/// Shows a row for a maximum angle, which may be infinite.
fn angle(ui: &mut Ui, name: &str, hint: &str, radians: &mut f64) {
    label(ui, name, hint);
    ui.horizontal(|ui| {
        let mut is_unlimited = radians.is_infinite();
        if ui.checkbox(&mut is_unlimited, "None").changed() {
            *radians = if is_unlimited { f64::INFINITY } else { TAU / 12.0 };
        }
        if !is_unlimited {
            ui.spacing_mut().slider_width = 56.0;
            let mut degrees = radians.to_degrees();
            if ui.add(Slider::new(&mut degrees, 0.5..=180.0).suffix("°").custom_formatter(digits)).changed()
            {
                *radians = degrees.to_radians();
            }
        }
    });
    ui.end_row();
}

fn jacobian(ui: &mut Ui, method: Method, jacobian: &mut JacobianOptions) {
    let parameters =
        [(JointParameters::RotationVector, "Rotation vectors"), (JointParameters::Euler, "Euler angles")];
    choice(
        ui,
        "Parameters",
        "Parameterization of the joint rotations",
        &mut jacobian.parameters,
        &parameters,
    );
    if method != Method::Fused {
        let tasks = [
            (Secondary::None, if method == Method::FullBody { "Start (fading)" } else { "None" }),
            (Secondary::Rest, "Rest pose"),
            (Secondary::LimitCentres, "Limit centers"),
            (Secondary::Start, "Start pose"),
        ];
        let hint = "Secondary task, which uses the freedom that the goals leave";
        choice(ui, "Second task", hint, &mut jacobian.secondary, &tasks);
        if jacobian.secondary != Secondary::None {
            let hint = "Fraction of the secondary task that is applied in each iteration";
            slider(ui, "Gain", hint, &mut jacobian.secondary_gain, 0.0..=1.0, "");
        }
    }
    if matches!(method, Method::Dls | Method::Fused | Method::FullBody) {
        let damping = ("Damping", "Relative to the chain's length. Auto reduces it with the error.");
        automatic(ui, damping, &mut jacobian.damping, 0.05, 0.001..=1.0);
    }
    let hint = "Maximum distance to aim for in one iteration, relative to the chain's length";
    slider(ui, "Clamp", hint, &mut jacobian.clamp, 0.05..=1.0, "");
}

fn limb(ui: &mut Ui, limb: &mut LimbOptions) {
    label(ui, "Swivel", "Angle of the middle joint around the line from base to end");
    let shown = match limb.swivel {
        Swivel::Keep => "Keep",
        Swivel::Standard => "Rest pose",
        Swivel::Arm => "Elbow back",
        Swivel::Leg => "Knee forward",
        Swivel::Angle(_) => "Offset from rest",
        Swivel::Follow { .. } => "Follow target",
    };
    ComboBox::from_id_salt("swivel").width(150.0).selected_text(shown).show_ui(ui, |ui| {
        ui.selectable_value(&mut limb.swivel, Swivel::Keep, "Keep");
        ui.selectable_value(&mut limb.swivel, Swivel::Standard, "Rest pose");
        ui.selectable_value(&mut limb.swivel, Swivel::Arm, "Elbow back");
        ui.selectable_value(&mut limb.swivel, Swivel::Leg, "Knee forward");
        let has_offset = matches!(limb.swivel, Swivel::Angle(_));
        if ui.selectable_label(has_offset, "Offset from rest").clicked() && !has_offset {
            limb.swivel = Swivel::Angle(0.0);
        }
    });
    ui.end_row();
    if let Swivel::Angle(radians) = &mut limb.swivel {
        let mut degrees = radians.to_degrees();
        if slider(
            ui,
            "Offset",
            "Angle added to the swivel of the rest pose",
            &mut degrees,
            -180.0..=180.0,
            "°",
        ) {
            *radians = degrees.to_radians();
        }
    }
    let hint = "Fraction of the limb's length over which it eases into full extension";
    slider(ui, "Soften", hint, &mut limb.soften, 0.0..=0.5, "");
}

fn optimize(ui: &mut Ui, optimize: &mut OptimizeOptions) {
    let weight = |ui: &mut Ui, name: &str, hint: &str, value: &mut f64| {
        label(ui, name, hint);
        ui.add(
            Slider::new(value, 0.0..=1.0).logarithmic(true).smallest_positive(1e-5).custom_formatter(digits),
        );
        ui.end_row();
    };
    weight(ui, "Rest", "Weight of staying near the rest pose", &mut optimize.rest);
    weight(ui, "Stay", "Weight of staying near the start pose", &mut optimize.stay);
}
