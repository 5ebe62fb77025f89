//! The panel section for errors, the results of the last solve, and timings.

use egui::{RichText, Ui};

use crate::text::printable;
use crate::viewer::Session;

use super::compare::curve;
use super::{PanelState, heading, node_name, theme};

/// Shows errors, the result of each goal, and plots of update and frame times.
pub(super) fn show(ui: &mut Ui, session: &Session, panel: &PanelState) {
    heading(ui, "Report");
    for error in session.error.iter().chain(&panel.notice) {
        ui.label(RichText::new(printable::line(error)).color(theme::bad(ui)));
    }
    for report in &session.reports {
        let reached = report.outcome == crate::ik::Outcome::Reached;
        let label = node_name(session, report.node);
        ui.horizontal(|ui| {
            ui.label(RichText::new(label).strong());
            ui.label(RichText::new(report.outcome.to_string()).color(if reached {
                theme::good(ui)
            } else {
                theme::accent(ui)
            }));
        });
        let error = report.position_error.map_or_else(String::new, |e| format!("{:.2} mm   ", e * 1e3));
        let line = format!("{error}{} iter.   {:.0} µs", report.iterations, report.seconds * 1e6);
        ui.label(RichText::new(line).small().color(theme::quiet(ui)));
    }
    if session.reports.is_empty() && session.error.is_none() {
        ui.label(RichText::new("Drag any part of the character.").color(theme::quiet(ui)));
    }
    curve::times(ui, "Update", &session.update_times, "µs");
    curve::times(ui, "Frame", &panel.frames, "ms");
}
