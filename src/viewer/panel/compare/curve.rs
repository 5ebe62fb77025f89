//! Plots of convergence and times.

use std::fmt::Write;

use egui::{Color32, FontId, RichText, Ui};
use egui_plot::{AxisHints, GridMark, HoverPosition, Line, Plot, PlotPoints};

use crate::Session;
use crate::panel::{compare, theme};
use crate::puppet::GoalKind;
use crate::session::MAX_TIMES;

/// Heights of the plots in points.
const HEIGHT: f32 = 96.0;
const SMALL: f32 = 40.0;
/// Smallest plotted error in metres. Smaller errors are clamped because zero has no logarithm.
const MIN_ERROR: f64 = 1e-7;

/// Plots the error per iteration of the last solve on a logarithmic scale, for the character and for each candidate.
pub(in crate::panel) fn convergence(ui: &mut Ui, session: &Session) {
    let goals = session.reports.iter().find(|r| r.kind != GoalKind::Contact);
    let main = goals.map(|r| (r.method, session.puppet.convergence()));
    let others = session.comparison.candidates().iter().filter(|c| !c.reports().is_empty());
    let others: Vec<_> = others.map(|c| (c.method(), c.puppet().convergence())).collect();
    let curve = |errors: &[f64]| -> Vec<[f64; 2]> {
        let point = |(iteration, error): (usize, &f64)| {
            Some([f64::from(u32::try_from(iteration).ok()?), error.max(MIN_ERROR).log10()])
        };
        errors.iter().enumerate().filter_map(point).filter(|p| p.iter().all(|x| x.is_finite())).collect()
    };
    let known = main.iter().any(|(_, e)| !e.is_empty()) || others.iter().any(|(_, e)| !e.is_empty());
    if !known {
        return;
    }
    let tolerance = session.document.settings.solver.tolerance.map(|t| t.max(MIN_ERROR).log10());
    ui.add_space(2.0);
    let plot = plot("convergence", HEIGHT)
        .show_axes(true)
        .show_grid(true)
        .grid_spacing(6.0..=60.0)
        .custom_x_axes(vec![axis(ui, AxisHints::new_x())])
        .custom_y_axes(vec![
            axis(ui, AxisHints::new_y()).formatter(|mark, _| metres(10.0_f64.powf(mark.value))),
        ])
        .x_grid_spacer(|input| marks(input.bounds, grid_step(input.bounds)))
        // One line per power of ten and one label per three powers.
        .y_grid_spacer(|input| {
            let mut lines = marks(input.bounds, 1.0);
            lines.iter_mut().filter(|m| m.value % 3.0 == 0.0).for_each(|m| m.step_size = 3.0);
            lines
        })
        .label_formatter(|at| match at {
            HoverPosition::NearDataPoint { plot_name, position, .. } => Some(format!(
                "{plot_name}\niteration {:.0}: {}",
                position.x,
                metres(10.0_f64.powf(position.y))
            )),
            HoverPosition::Elsewhere { .. } => None,
        });
    let (quiet, ink) = (theme::quiet(ui), ui.visuals().strong_text_color());
    plot.show(ui, |plot| {
        if let Some(tolerance) = tolerance {
            plot.hline(
                egui_plot::HLine::new("tolerance", tolerance).color(quiet.gamma_multiply(0.5)).width(1.0),
            );
        }
        if let Some((method, errors)) = main {
            let line = Line::new(format!("{method} (character)"), curve(errors));
            plot.line(line.color(ink).width(3.0));
        }
        for (method, errors) in others {
            let [r, g, b] = compare::color(method);
            let line = Line::new(method.name(), curve(errors));
            plot.line(line.color(Color32::from_rgb(r, g, b)).width(1.6));
        }
    });
    ui.label(RichText::new("Error per iteration of the last solve").small().color(theme::quiet(ui)));
}

/// Plots the times of the latest events, newest on the right. `unit` is the unit of `values`.
pub(in crate::panel) fn times(ui: &mut Ui, name: &'static str, values: &[f32], unit: &'static str) {
    let Some(&last) = values.last() else { return };
    let max = values.iter().copied().fold(0.0, f32::max);
    let points: PlotPoints<'_> =
        (0_u32..).zip(values).map(|(i, &v)| [f64::from(i), f64::from(v)]).collect::<Vec<_>>().into();
    let plot = plot(name, SMALL)
        .show_axes(false)
        .show_grid(false)
        .include_y(0.0)
        .include_x(0.0)
        .include_x(f64::from(MAX_TIMES) - 1.0)
        .label_formatter(move |at| match at {
            HoverPosition::NearDataPoint { position, .. } => Some(format!("{:.1} {unit}", position.y)),
            HoverPosition::Elsewhere { .. } => None,
        });
    let accent = theme::accent(ui);
    plot.show(ui, |plot| {
        plot.line(Line::new(name, points).color(accent).width(1.5).fill(0.0).fill_alpha(0.18));
    });
    let mut line = String::new();
    let digits = if max < 10.0 { 1 } else { 0 };
    let _ = write!(line, "{name} {last:.digits$} {unit}, max {max:.digits$} {unit}");
    ui.label(RichText::new(line).small().color(theme::quiet(ui)));
}

/// Creates a plot without zooming and panning.
fn plot(name: &'static str, height: f32) -> Plot<'static> {
    Plot::new(name)
        .height(height)
        .allow_zoom(false)
        .allow_drag(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_axis_zoom_drag(false)
        .allow_double_click_reset(false)
        .show_crosshair(false)
        .set_margin_fraction(egui::vec2(0.02, 0.08))
}

/// Styles an axis with small, muted labels.
fn axis(ui: &Ui, hints: AxisHints<'static>) -> AxisHints<'static> {
    hints
        .label_spacing(2.0..=12.0)
        .tick_label_font(FontId::proportional(12.0))
        .tick_label_color(theme::quiet(ui))
        .min_thickness(12.0)
}

/// Returns at most 100 multiples of `step` within the bounds. The limit is needed because the bounds may span the whole range of `f64`
/// before the first layout.
fn marks((from, to): (f64, f64), step: f64) -> Vec<GridMark> {
    let first = (from / step).ceil();
    let values = (0_u8..100).map(|i| (first + f64::from(i)) * step + 0.0);
    let inside = values.take_while(|value| value.is_finite() && *value <= to);
    inside.map(|value| GridMark { value, step_size: step }).collect()
}

/// Returns the smallest step that is 1, 2 or 5 times a power of ten, at least 1, and at least an eighth of the range.
fn grid_step((from, to): (f64, f64)) -> f64 {
    let min_step = ((to - from) / 8.0).max(1.0);
    let power = 10.0_f64.powf(min_step.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|s| s * power).into_iter().find(|&s| s >= min_step).unwrap_or(power)
}

/// Formats a length, given in metres, in a suitable unit.
fn metres(length: f64) -> String {
    let (value, unit) = match length {
        l if l >= 0.999 => (l, "m"),
        l if l >= 0.999e-3 => (l * 1e3, "mm"),
        l if l >= 0.999e-6 => (l * 1e6, "µm"),
        l => (l * 1e9, "nm"),
    };
    let digits = if (value - value.round()).abs() < 1e-6 * value { 0 } else { 2 };
    format!("{value:.digits$} {unit}")
}
