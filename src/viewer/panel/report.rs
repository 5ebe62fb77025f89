//! What came of it.

use egui::{RichText, Ui};

use super::super::Session;
use super::{Look, WIDTH, heading, theme};

/// Errors, a line for each goal, and what updates cost.
pub(super) fn show(ui: &mut Ui, session: &Session, look: &Look) {
    heading(ui, "Report");
    for error in session.error.iter().chain(&look.notice) {
        ui.label(RichText::new(error).color(theme::bad(ui)));
    }
    for report in &session.reports {
        let reached = report.outcome == crate::ik::Outcome::Reached;
        let label = session.puppet.character().skeleton.label(report.node);
        ui.horizontal(|ui| {
            ui.label(RichText::new(label).strong());
            ui.label(RichText::new(report.outcome.to_string()).color(if reached {
                theme::good(ui)
            } else {
                theme::accent(ui)
            }));
        });
        let error = report.position_error.map_or_else(String::new, |e| format!("{:.2} mm   ", e * 1e3));
        let line = format!("{error}{} passes   {:.0} µs", report.iterations, report.seconds * 1e6);
        ui.label(RichText::new(line).small().color(theme::quiet(ui)));
    }
    if session.reports.is_empty() && session.error.is_none() {
        ui.label(RichText::new("Grab anything and pull.").color(theme::quiet(ui)));
    }
    curve(ui, &session.costs);
}

/// Time of the last updates, the highest at the top.
fn curve(ui: &mut Ui, costs: &[f32]) {
    let Some(&last) = costs.last() else { return };
    let (rect, _) = ui.allocate_exact_size(egui::vec2(WIDTH - 36.0, 36.0), egui::Sense::hover());
    let most = costs.iter().copied().fold(1.0, f32::max);
    #[expect(clippy::cast_precision_loss, reason = "a hundred points")]
    let at = |(i, cost): (usize, &f32)| {
        egui::pos2(rect.left() + rect.width() * i as f32 / 119.0, rect.bottom() - rect.height() * cost / most)
    };
    ui.painter().rect_filled(rect, 4.0, theme::well(ui));
    ui.painter().line(costs.iter().enumerate().map(at).collect(), egui::Stroke::new(1.5, theme::accent(ui)));
    ui.label(
        RichText::new(format!("update {last:.0} µs, at most {most:.0} µs")).small().color(theme::quiet(ui)),
    );
}
