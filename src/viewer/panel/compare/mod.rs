//! The table of methods: the active method, and candidates that solve the same goals for comparison.

use egui::{Align2, Color32, FontId, Rect, Sense, Ui, pos2, vec2};

use crate::ik::{Method, Outcome};
use crate::scene::compare;
use crate::scene::compare::Summary;
use crate::{Command, Session};

use super::theme;

pub(super) mod curve;

pub(super) use compare::color;

/// Space for the scroll bar in points.
const SCROLL_BAR: f32 = 10.0;
const ROW: f32 = 19.0;
/// Left edge of a method's name in points. The dot is to its left.
const NAME: f32 = 18.0;
/// Distances in points from the columns' right edges to the right edge of the table. The last column shows the durations.
const OUTCOME: f32 = 122.0;
const ERROR: f32 = 80.0;
const ITERATIONS: f32 = 44.0;
/// Width in points of the outcome column.
const OUTCOME_WIDTH: f32 = 56.0;
/// Font size in points.
const TEXT: f32 = 12.0;

/// Shows a table with one row per method, and the convergence curves.
pub(super) fn show(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    header(ui);
    ui.spacing_mut().item_spacing.y = 0.0;
    let refusals = session.refusals();
    for method in Method::of_bodies() {
        let refusal = refusals.iter().find(|(m, _)| *m == method).map(|(_, why)| why.as_str());
        row(ui, session, method, refusal, commands);
    }
    ui.spacing_mut().item_spacing.y = 6.0;
    ui.add_space(4.0);
    curve::convergence(ui, session);
}

/// Returns the width of the table in points, without the scroll bar.
fn width(ui: &Ui) -> f32 {
    (ui.available_width() - SCROLL_BAR).max(1.0)
}

fn header(ui: &mut Ui) {
    let (rect, _) = ui.allocate_exact_size(vec2(width(ui), 15.0), Sense::hover());
    for (text, end) in [("mm", ERROR), ("iter.", ITERATIONS), ("µs", 0.0)] {
        let at = pos2(rect.right() - end, rect.center().y);
        ui.painter().text(at, Align2::RIGHT_CENTER, text, FontId::proportional(TEXT), theme::quiet(ui));
    }
}

fn row(ui: &mut Ui, session: &Session, method: Method, refusal: Option<&str>, commands: &mut Vec<Command>) {
    let candidate = session.comparison.get(method);
    // If the active method has no candidate, its row shows the results of the character itself.
    let active = Summary::of(&session.reports).filter(|s| s.method == method && candidate.is_none());
    let summary = candidate.and_then(|c| Summary::of(c.reports())).or(active);
    let refusal = candidate.and_then(compare::Candidate::refusal).or(refusal);
    let (rect, response) = ui.allocate_exact_size(vec2(width(ui), ROW), Sense::click());
    let name = Rect::from_min_max(
        pos2(rect.left() + NAME - 4.0, rect.top()),
        pos2(rect.right() - OUTCOME - OUTCOME_WIDTH, rect.bottom()),
    );
    let pointer = response.hover_pos();
    let on_name = pointer.is_some_and(|p| name.contains(p));
    if response.hovered() {
        ui.painter().rect_filled(
            rect.expand2(vec2(4.0, 0.0)),
            4.0,
            ui.visuals().widgets.hovered.weak_bg_fill,
        );
    }
    let [r, g, b] = color(method);
    let dot = pos2(rect.left() + 6.0, rect.center().y);
    let fade = if refusal.is_some() { 0.4 } else { 1.0 };
    let tint = Color32::from_rgb(r, g, b);
    if candidate.is_some() {
        ui.painter().circle_filled(dot, 5.0, tint);
    } else {
        ui.painter().circle_stroke(dot, 4.5, egui::Stroke::new(1.4, tint.gamma_multiply(0.75 * fade)));
    }
    let is_active = session.document.settings.solver.method == method;
    let text = match (is_active, on_name && response.hovered(), candidate.is_some()) {
        (true, ..) => theme::accent(ui),
        (_, true, _) => ui.visuals().strong_text_color(),
        (_, _, true) => theme::ink(ui),
        _ => theme::quiet(ui),
    };
    let left = pos2(rect.left() + NAME, rect.center().y);
    let font = FontId::proportional(TEXT);
    ui.painter().text(left, Align2::LEFT_CENTER, method.name(), font, text.gamma_multiply(fade));
    match (summary, refusal) {
        (Some(summary), _) => numbers(ui, rect, &summary),
        (None, Some(_)) if candidate.is_some() => {
            let at = pos2(rect.right(), rect.center().y);
            let font = FontId::proportional(TEXT);
            ui.painter().text(at, Align2::RIGHT_CENTER, "cannot solve this", font, theme::quiet(ui));
        }
        _ => {}
    }
    let mut hint = match (on_name, candidate.is_some()) {
        (true, _) => format!("Solve with {method}"),
        (false, true) => format!("Hide the ghost of {method}"),
        (false, false) => format!("Show the solution of {method} as a ghost"),
    };
    if let Some(summary) = summary {
        hint = format!("{hint}\n{}", summary.outcome);
    }
    let response = match refusal {
        Some(why) => response.on_hover_text(format!("{hint}\n{why}")),
        None => response.on_hover_text(hint),
    };
    if response.clicked() && on_name {
        commands.push(Command::Solver(Box::new(session.document.settings.solver.with_method(method))));
    } else if response.clicked() {
        let mut methods = session.comparison.methods();
        match methods.iter().position(|m| *m == method) {
            Some(index) => drop(methods.remove(index)),
            None => methods.push(method),
        }
        commands.push(Command::Compare(methods));
    }
}

fn numbers(ui: &Ui, rect: Rect, summary: &Summary) {
    let (word, tint) = match summary.outcome {
        Outcome::Reached => ("reached", theme::good(ui)),
        Outcome::OutOfReach => ("too far", theme::accent(ui)),
        Outcome::BlockedByLimits => ("limits", theme::accent(ui)),
        Outcome::BlockedByBalance => ("balance", theme::accent(ui)),
        Outcome::BlockedByContact => ("contact", theme::accent(ui)),
        Outcome::Stalled => ("stalled", theme::accent(ui)),
        Outcome::IterationLimit => ("max iter.", theme::accent(ui)),
    };
    let write = |end: f32, text: &str, tint: Color32| {
        let at = pos2(rect.right() - end, rect.center().y);
        ui.painter().text(at, Align2::RIGHT_CENTER, text, FontId::proportional(TEXT), tint);
    };
    let plain = theme::ink(ui);
    write(OUTCOME, word, tint);
    write(ERROR, &summary.error.map_or_else(|| "–".to_owned(), millimetres), plain);
    write(ITERATIONS, &summary.iterations.to_string(), plain);
    write(0.0, &short(summary.seconds * 1e6), plain);
}

/// Formats an error in metres as millimetres with about three digits.
fn millimetres(error: f64) -> String {
    let mm = error * 1e3;
    match mm {
        m if m < 9.995 => format!("{m:.2}"),
        m if m < 99.95 => format!("{m:.1}"),
        m => format!("{m:.0}"),
    }
}

/// Formats a number without decimals, or in thousands (`12k`) if it is 10 000 or more.
fn short(number: f64) -> String {
    if number < 9_999.5 { format!("{number:.0}") } else { format!("{:.0}k", number / 1e3) }
}
