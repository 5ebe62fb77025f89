//! The panel section for errors, the results of the last solve, and timings.

use egui::{RichText, Ui};

use crate::Session;
use crate::ik::Outcome;
use crate::puppet::GoalKind;
use crate::shared::worst_miss;
use crate::text::printable;

use super::compare::curve;
use super::{PanelState, heading, node_name, theme};

/// Shows errors, the results of goals and pins, contacts, joints at limits, and plots of update and frame times.
pub(super) fn show(ui: &mut Ui, session: &Session, panel: &PanelState) {
    heading(ui, "Report");
    for error in session.error.iter().chain(&panel.notice) {
        ui.label(RichText::new(printable::line(error)).color(theme::bad(ui)));
    }
    for report in session.reports.iter().filter(|r| r.kind != GoalKind::Contact) {
        let reached = report.outcome == Outcome::Reached;
        let label = node_name(session, report.node);
        ui.horizontal(|ui| {
            ui.label(RichText::new(label).strong());
            if report.kind == GoalKind::Pin {
                ui.label(RichText::new("pin").color(theme::quiet(ui)));
            }
            ui.label(RichText::new(report.outcome.to_string()).color(if reached {
                theme::good(ui)
            } else {
                theme::accent(ui)
            }));
        });
        let error = report
            .position_error
            .map_or_else(String::new, |e| format!("{}   ", session.length_unit().text(e)));
        let line = format!("{error}{} iter.   {:.0} µs", report.iterations, report.seconds * 1e6);
        ui.label(RichText::new(line).small().color(theme::quiet(ui)));
        let holders = report.holders(&session.puppet().character().skeleton);
        if !holders.is_empty() && !reached {
            let line = format!("held by {holders}");
            ui.label(RichText::new(printable::line(&line)).small().color(theme::quiet(ui)));
        }
    }
    contacts(ui, session);
    limits(ui, session);
    if session.reports.iter().all(|r| r.kind == GoalKind::Contact) && session.error.is_none() {
        ui.label(RichText::new("Drag any part of the character.").color(theme::quiet(ui)));
    }
    curve::times(ui, "Update", &session.update_times, "µs");
    curve::times(ui, "Frame", &panel.frames, "ms");
}

/// Shows in one line how many contacts of the motion are met. Contacts begin and end with every footstep, so one line for each contact
/// would keep moving the rest of the panel.
fn contacts(ui: &mut Ui, session: &Session) {
    let contacts = || session.reports.iter().filter(|r| r.kind == GoalKind::Contact);
    let lost = contacts().filter(|r| r.outcome != Outcome::Reached).count();
    let count = contacts().count();
    if count == 0 {
        return;
    }
    let (text, color) = if lost == 0 {
        (format!("{count} of {count} contacts in place"), theme::quiet(ui))
    } else {
        let worst = worst_miss(contacts(), session.length_unit());
        (format!("{lost} of {count} contacts missed by up to {worst}"), theme::accent(ui))
    };
    ui.label(RichText::new(text).small().color(color));
}

/// Shows the joints at their limits.
fn limits(ui: &mut Ui, session: &Session) {
    let limited = session.puppet.limited();
    if limited.is_empty() {
        return;
    }
    let names: Vec<String> = limited.iter().map(|&n| node_name(session, n)).collect();
    let text = format!("At their limits: {}", names.join(", "));
    ui.label(RichText::new(text).small().color(theme::quiet(ui)));
}
