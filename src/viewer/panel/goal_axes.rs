//! The weights, free axes and tolerances of a goal, in a section of its row that is initially collapsed.

use egui::{CollapsingHeader, ComboBox, Id, Response, RichText, Slider, SliderClamping, Ui};
use glam::DVec3;

use crate::Command;
use crate::ik::{AxesFrame, AxisTerm, GoalAxes, Tolerance};
use crate::puppet::Target;

use super::option_row::table;
use super::{is_finished, theme};

/// The sliders' weight range.
const WEIGHTS: std::ops::RangeInclusive<f64> = 0.01..=100.0;

/// How a tolerance is shown.
struct Shown {
    /// Factor that converts metres or radians to `unit`.
    factor: f64,
    unit: &'static str,
    /// Initial tolerance, in `unit`, when the user turns off the automatic one.
    initial: f64,
    most: f64,
}

const LENGTH: Shown = Shown { factor: 1e3, unit: " mm", initial: 1.0, most: 100.0 };
const ANGLE: Shown = Shown { factor: 180.0 / std::f64::consts::PI, unit: "°", initial: 1.0, most: 45.0 };

/// Whether a control changed, and whether the change is complete.
#[derive(Clone, Copy, Default)]
struct Edit {
    changed: bool,
    finished: bool,
}

impl Edit {
    /// Records a slider's changes. A slider drag or a typed number is one undo step.
    fn slider(&mut self, slider: &Response) {
        self.changed |= slider.changed();
        self.finished |= is_finished(slider);
    }

    fn click(&mut self, clicked: bool) {
        self.changed |= clicked;
        self.finished |= clicked;
    }
}

/// Shows the section of a goal.
pub(super) fn show(ui: &mut Ui, goal: &Target, commands: &mut Vec<Command>) {
    let (mut axes, mut edit) = (goal.axes, Edit::default());
    let text =
        if axes == GoalAxes::default() { "Axes and tolerances" } else { "Axes and tolerances (changed)" };
    CollapsingHeader::new(text).id_salt(("goal axes", goal.node)).show(ui, |ui| {
        table(ui, "goal axes", |ui| {
            if goal.position.is_some() {
                term(ui, "Position", &LENGTH, &mut axes.position, &mut edit);
            }
            if goal.orientation.is_some() {
                term(ui, "Orientation", &ANGLE, &mut axes.orientation, &mut edit);
                frame(ui, &mut axes.frame, &mut edit);
            }
        });
    });
    if edit.changed {
        commands.push(Command::GoalAxes(goal.node, axes));
    }
    if edit.finished {
        commands.push(Command::Release);
    }
}

fn title(ui: &mut Ui, text: &str, hint: &str) -> Id {
    ui.label(RichText::new(text).color(theme::quiet(ui))).on_hover_text(hint).id
}

/// Shows the rows of the position term or the orientation term.
fn term(ui: &mut Ui, name: &str, shown: &Shown, term: &mut AxisTerm, edit: &mut Edit) {
    title(ui, name, "The axes that count. The others are free");
    ui.horizontal(|ui| {
        for (axis, letter) in ["X", "Y", "Z"].into_iter().enumerate() {
            let mut counts = term.weights[axis] > 0.0;
            let toggle = ui.checkbox(&mut counts, letter);
            if toggle.clicked() {
                let others = term.weights.max_element();
                let weight = if others > 0.0 { others } else { 1.0 };
                term.weights[axis] = if counts { weight } else { 0.0 };
                edit.click(true);
            }
        }
    });
    ui.end_row();
    let largest = term.weights.max_element();
    if largest > 0.0 {
        let label = title(ui, "Weight", "Factor of the goal's weight");
        let mut weight = largest;
        let slider = Slider::new(&mut weight, WEIGHTS).logarithmic(true).clamping(SliderClamping::Never);
        let slider = ui.add(slider.max_decimals(2)).labelled_by(label);
        if slider.changed() && weight > 0.0 {
            term.weights *= weight / largest;
        }
        edit.slider(&slider);
        ui.end_row();
    }
    tolerance(ui, shown, term, edit);
}

/// Shows the row of a tolerance. For a per-axis tolerance, the slider shows the largest entry. Moving it scales all entries by the
/// same factor.
fn tolerance(ui: &mut Ui, shown: &Shown, term: &mut AxisTerm, edit: &mut Edit) {
    let label = title(ui, "Tolerance", "The largest error with which the goal counts as reached");
    ui.horizontal(|ui| {
        let mut is_auto = term.tolerance.is_none();
        if ui.checkbox(&mut is_auto, "Auto").clicked() {
            term.tolerance = (!is_auto).then_some(Tolerance::Norm(shown.initial / shown.factor));
            edit.click(true);
        }
        let Some(tolerance) = &mut term.tolerance else { return };
        let before = match tolerance {
            Tolerance::Norm(norm) => *norm,
            Tolerance::Axes(axes) => finite(*axes).max_element(),
        };
        let mut value = before * shown.factor;
        ui.spacing_mut().slider_width = 42.0;
        let slider = Slider::new(&mut value, shown.most * 1e-4..=shown.most).logarithmic(true);
        let slider = slider.clamping(SliderClamping::Never).suffix(shown.unit).max_decimals(3);
        let slider = ui.add(slider).labelled_by(label);
        if slider.changed() && value > 0.0 && before > 0.0 {
            *tolerance = match *tolerance {
                Tolerance::Norm(_) => Tolerance::Norm(value / shown.factor),
                Tolerance::Axes(axes) => Tolerance::Axes(axes * (value / shown.factor / before)),
            };
        }
        edit.slider(&slider);
    });
    ui.end_row();
}

/// Replaces a vector's infinite entries with zero.
fn finite(v: DVec3) -> DVec3 {
    DVec3::select(v.cmpeq(DVec3::INFINITY), DVec3::ZERO, v)
}

/// Shows the selector for the frame whose axes the goal refers to.
fn frame(ui: &mut Ui, frame: &mut AxesFrame, edit: &mut Edit) {
    let label = title(ui, "Axes of", "The frame that the axes belong to");
    let name = |frame| match frame {
        AxesFrame::World => "World",
        AxesFrame::Target => "Target",
    };
    let list = ComboBox::from_id_salt("goal frame").width(150.0).selected_text(name(*frame));
    let list = list.show_ui(ui, |ui| {
        for item in [AxesFrame::World, AxesFrame::Target] {
            edit.click(ui.selectable_value(frame, item, name(item)).changed());
        }
    });
    list.response.labelled_by(label);
    ui.end_row();
}
