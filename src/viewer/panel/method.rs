//! What each method can be told: only its own.

use std::f64::consts::TAU;
use std::ops::RangeInclusive;

use egui::{ComboBox, Grid, RichText, Slider, Ui};

use crate::ik::{
    CcdOptions, JacobianOptions, JointParameters, LimbOptions, Method, OptimizeOptions, Options, Secondary,
    Swivel,
};

use super::theme;

/// A row for each thing.
pub(super) fn show(ui: &mut Ui, options: &mut Options) {
    let method = options.method;
    let about = match method {
        Method::Auto => "Two-bone for a limb, full-body for several goals, else damped least squares.",
        Method::Fabrik => "There is nothing to set: it moves points, then fits the joints to them.",
        _ => "",
    };
    if !about.is_empty() {
        ui.label(RichText::new(about).small().color(theme::quiet(ui)));
        return;
    }
    table(ui, "parameters", |ui| match method {
        Method::Ccd => ccd(ui, &mut options.ccd),
        Method::Particle => {
            let hint = "the share of a spring's error that one relaxation corrects";
            slider(ui, "stiffness", hint, &mut options.stiffness, 0.05..=1.0, "");
        }
        Method::TwoBone => limb(ui, &mut options.limb),
        Method::Optimize => optimize(ui, &mut options.optimize),
        _ => jacobian(ui, method, &mut options.jacobian),
    });
}

/// Two columns: what, and how much.
pub(super) fn table(ui: &mut Ui, id: &str, rows: impl FnOnce(&mut Ui)) {
    Grid::new(id).num_columns(2).spacing([8.0, 5.0]).min_col_width(84.0).show(ui, rows);
}

/// A row with a slider; whether it was moved. What is shown in another unit must not be written back unmoved: that would
/// change its last digits.
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

/// A row with a slider for what may be left to the method: a value, or `None`; whether it was changed.
pub(super) fn automatic(
    ui: &mut Ui,
    (name, hint): (&str, &str),
    value: &mut Option<f64>,
    usual: f64,
    range: RangeInclusive<f64>,
) -> bool {
    label(ui, name, hint);
    let mut changed = false;
    ui.horizontal(|ui| {
        let mut auto = value.is_none();
        if ui.checkbox(&mut auto, "auto").changed() {
            *value = (!auto).then_some(usual);
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

/// Three places, or five where it is small. Decimals are cut here and not by the slider, which would cut the value too.
fn digits(value: f64, _: RangeInclusive<usize>) -> String {
    let text = if value.abs() < 0.01 { format!("{value:.5}") } else { format!("{value:.3}") };
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A row with a box to tick.
pub(super) fn tick(ui: &mut Ui, name: &str, hint: &str, value: &mut bool) {
    label(ui, name, hint);
    ui.checkbox(value, "").on_hover_text(hint);
    ui.end_row();
}

pub(super) fn label(ui: &mut Ui, name: &str, hint: &str) {
    ui.label(RichText::new(name).color(theme::quiet(ui))).on_hover_text(hint);
}

/// A row with a choice.
fn choice<T: Copy + PartialEq>(ui: &mut Ui, name: &str, hint: &str, value: &mut T, all: &[(T, &str)]) {
    label(ui, name, hint);
    let shown = all.iter().find(|(v, _)| v == value).map_or("", |(_, text)| text);
    ComboBox::from_id_salt(name).width(150.0).selected_text(shown).show_ui(ui, |ui| {
        for (item, text) in all {
            ui.selectable_value(value, *item, *text);
        }
    });
    ui.end_row();
}

fn ccd(ui: &mut Ui, ccd: &mut CcdOptions) {
    let hint = "which joint of a chain is turned first in a pass";
    choice(ui, "order", hint, &mut ccd.base_first, &[(false, "tip to base"), (true, "base to tip")]);
    angle(ui, "step cap", "how far a joint may turn in one step", &mut ccd.step);
    angle(ui, "budget", "how far a joint may turn in a whole solve", &mut ccd.budget);
    let hint = "the cap grows along the chain, one share more for each joint from the tip";
    tick(ui, "growing cap", hint, &mut ccd.growing);
}

/// A row for an angle that need not have a bound.
fn angle(ui: &mut Ui, name: &str, hint: &str, radians: &mut f64) {
    label(ui, name, hint);
    ui.horizontal(|ui| {
        let mut free = radians.is_infinite();
        if ui.checkbox(&mut free, "none").changed() {
            *radians = if free { f64::INFINITY } else { TAU / 12.0 };
        }
        if !free {
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
        [(JointParameters::RotationVector, "rotation vectors"), (JointParameters::Euler, "Euler angles")];
    choice(ui, "unknowns", "what the joints' angles are", &mut jacobian.parameters, &parameters);
    if method != Method::Fused {
        let tasks = [
            (Secondary::None, if method == Method::FullBody { "start, fading" } else { "none" }),
            (Secondary::Rest, "towards rest"),
            (Secondary::LimitCentres, "middle of limits"),
            (Secondary::Start, "towards the start"),
        ];
        let hint = "what is done with the freedom that the goals leave";
        choice(ui, "second task", hint, &mut jacobian.secondary, &tasks);
        if jacobian.secondary != Secondary::None {
            let hint = "the share of the second task that is done in a pass";
            slider(ui, "its gain", hint, &mut jacobian.secondary_gain, 0.0..=1.0, "");
        }
    }
    if matches!(method, Method::Dls | Method::Fused | Method::FullBody) {
        let damping = ("damping", "a share of the chain's length; auto: it falls with the error");
        automatic(ui, damping, &mut jacobian.damping, 0.05, 0.001..=1.0);
    }
    let hint = "a pass aims no farther than this share of the chain's length";
    slider(ui, "clamp", hint, &mut jacobian.clamp, 0.05..=1.0, "");
}

fn limb(ui: &mut Ui, limb: &mut LimbOptions) {
    label(ui, "swivel", "where the middle joint goes, around the line from base to end");
    let shown = match limb.swivel {
        Swivel::Keep => "as it is",
        Swivel::Standard => "as at rest",
        Swivel::Angle(_) => "beyond rest by",
        Swivel::Follow { .. } => "with the target",
    };
    ComboBox::from_id_salt("swivel").width(150.0).selected_text(shown).show_ui(ui, |ui| {
        ui.selectable_value(&mut limb.swivel, Swivel::Keep, "as it is");
        ui.selectable_value(&mut limb.swivel, Swivel::Standard, "as at rest");
        let turned = matches!(limb.swivel, Swivel::Angle(_));
        if ui.selectable_label(turned, "beyond rest by").clicked() && !turned {
            limb.swivel = Swivel::Angle(0.0);
        }
    });
    ui.end_row();
    if let Swivel::Angle(radians) = &mut limb.swivel {
        let mut degrees = radians.to_degrees();
        if slider(ui, "angle", "how far beyond that of rest", &mut degrees, -180.0..=180.0, "°") {
            *radians = degrees.to_radians();
        }
    }
    let hint = "the share of the limb's length over which it comes to full stretch softly";
    slider(ui, "soften", hint, &mut limb.soften, 0.0..=0.5, "");
}

fn optimize(ui: &mut Ui, optimize: &mut OptimizeOptions) {
    let weight = |ui: &mut Ui, name: &str, hint: &str, value: &mut f64| {
        label(ui, name, hint);
        ui.add(
            Slider::new(value, 0.0..=1.0).logarithmic(true).smallest_positive(1e-5).custom_formatter(digits),
        );
        ui.end_row();
    };
    weight(ui, "rest", "how much joints away from rest count against the goals", &mut optimize.rest);
    weight(ui, "stay", "how much joints away from where they started count", &mut optimize.stay);
}
