//! Curves: how errors fell, and how long things took.

use std::fmt::Write;

use egui::{Color32, FontId, RichText, Ui};
use egui_plot::{AxisHints, GridMark, HoverPosition, Line, Plot, PlotPoints};

use super::super::Session;
use super::super::session::MEMORY;
use super::{INNER, compare, theme};

/// Points down.
const HEIGHT: f32 = 96.0;
const SMALL: f32 = 40.0;
/// An error of zero has no logarithm: nothing below this many metres is told apart.
const LEAST: f64 = 1e-7;

/// Error over passes of what was solved last, on a logarithmic scale: the character's, and everybody's who is compared.
pub(super) fn convergence(ui: &mut Ui, session: &Session) {
    let main = session.reports.first().map(|r| (r.method, session.puppet.convergence()));
    let others = session.comparison.contenders().iter().filter(|c| !c.reports().is_empty());
    let others: Vec<_> = others.map(|c| (c.method(), c.puppet().convergence())).collect();
    let curve = |errors: &[f64]| -> Vec<[f64; 2]> {
        let place = |(pass, error): (usize, &f64)| {
            Some([f64::from(u32::try_from(pass).ok()?), error.max(LEAST).log10()])
        };
        errors.iter().enumerate().filter_map(place).filter(|p| p.iter().all(|x| x.is_finite())).collect()
    };
    let known = main.iter().any(|(_, e)| !e.is_empty()) || others.iter().any(|(_, e)| !e.is_empty());
    if !known {
        return;
    }
    let tolerance = session.options.tolerance.map(|t| t.max(LEAST).log10());
    ui.add_space(2.0);
    let plot = plot("convergence", HEIGHT)
        .show_axes(true)
        .show_grid(true)
        .grid_spacing(6.0..=60.0)
        .custom_x_axes(vec![axis(ui, AxisHints::new_x())])
        .custom_y_axes(vec![
            axis(ui, AxisHints::new_y()).formatter(|mark, _| metres(10.0_f64.powf(mark.value))),
        ])
        .x_grid_spacer(|input| marks(input.bounds, whole_step(input.bounds)))
        // A line for each power of ten, and a name for each third.
        .y_grid_spacer(|input| {
            let mut lines = marks(input.bounds, 1.0);
            lines.iter_mut().filter(|m| m.value % 3.0 == 0.0).for_each(|m| m.step_size = 3.0);
            lines
        })
        .label_formatter(|at| match at {
            HoverPosition::NearDataPoint { plot_name, position, .. } => {
                Some(format!("{plot_name}\npass {:.0}: {}", position.x, metres(10.0_f64.powf(position.y))))
            }
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
            let line = Line::new(format!("{method}, the character"), curve(errors));
            plot.line(line.color(ink).width(3.0));
        }
        for (method, errors) in others {
            let [r, g, b] = compare::color(method);
            let line = Line::new(method.name(), curve(errors));
            plot.line(line.color(Color32::from_rgb(r, g, b)).width(1.6));
        }
    });
    ui.label(RichText::new("error over passes of the last solve").small().color(theme::quiet(ui)));
}

/// Times of the last so many events, the newest on the right. `unit`: what a value of one is.
pub(super) fn times(ui: &mut Ui, what: &'static str, values: &[f32], unit: &'static str) {
    let Some(&last) = values.last() else { return };
    let most = values.iter().copied().fold(0.0, f32::max);
    let points: PlotPoints<'_> =
        (0_u32..).zip(values).map(|(i, &v)| [f64::from(i), f64::from(v)]).collect::<Vec<_>>().into();
    let plot = plot(what, SMALL)
        .show_axes(false)
        .show_grid(false)
        .include_y(0.0)
        .include_x(0.0)
        .include_x(f64::from(MEMORY) - 1.0)
        .label_formatter(move |at| match at {
            HoverPosition::NearDataPoint { position, .. } => Some(format!("{:.1} {unit}", position.y)),
            HoverPosition::Elsewhere { .. } => None,
        });
    let accent = theme::accent(ui);
    plot.show(ui, |plot| {
        plot.line(Line::new(what, points).color(accent).width(1.5).fill(0.0).fill_alpha(0.18));
    });
    let mut line = String::new();
    let digits = if most < 10.0 { 1 } else { 0 };
    let _ = write!(line, "{what} {last:.digits$} {unit}, at most {most:.digits$} {unit}");
    ui.label(RichText::new(line).small().color(theme::quiet(ui)));
}

/// A plot that shows and does not move.
fn plot(name: &'static str, height: f32) -> Plot<'static> {
    Plot::new(name)
        .width(INNER)
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

/// Small and quiet.
fn axis(ui: &Ui, hints: AxisHints<'static>) -> AxisHints<'static> {
    hints
        .label_spacing(2.0..=12.0)
        .tick_label_font(FontId::proportional(9.5))
        .tick_label_color(theme::quiet(ui))
        .min_thickness(12.0)
}

/// Multiples of a step, a hundred at most: bounds that are none yet may be as wide as numbers go.
fn marks((from, to): (f64, f64), step: f64) -> Vec<GridMark> {
    let first = (from / step).ceil();
    let places = (0_u8..100).map(|i| (first + f64::from(i)) * step + 0.0);
    let inside = places.take_while(|value| value.is_finite() && *value <= to);
    inside.map(|value| GridMark { value, step_size: step }).collect()
}

/// An eighth of a span or more, 1, 2 or 5 times a power of ten, at least one.
fn whole_step((from, to): (f64, f64)) -> f64 {
    let wanted = ((to - from) / 8.0).max(1.0);
    let power = 10.0_f64.powf(wanted.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|s| s * power).into_iter().find(|&s| s >= wanted).unwrap_or(power)
}

/// A length as people write it.
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
