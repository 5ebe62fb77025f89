//! The panel row that steps through the last solve, one joint at a time.

use egui::{Button, RichText, Slider, Ui};

use crate::ik::StepKind;
use crate::puppet::NodeStep;
use crate::{Command, Session};

use super::{node_name, theme};

/// Shows the button that turns the step mode on, or its controls while it is on. Shows nothing if there is no solve to step through.
pub(super) fn show(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let Some((shown, count)) = session.shown_steps() else {
        if session.can_step() {
            let hint = "Show the last solve one joint at a time, from the pose before it (key: .)";
            if ui.button("Step through").on_hover_text(hint).clicked() {
                commands.push(Command::Step(Some(0)));
            }
        }
        return;
    };
    let title = ui.label(RichText::new(title(session, shown, count)).strong());
    ui.horizontal(|ui| {
        let mut to = shown;
        if ui.add_enabled(shown > 0, Button::new("Back")).on_hover_text("Key: ,").clicked() {
            to = shown.saturating_sub(1);
        }
        if ui.add_enabled(shown < count, Button::new("Next")).on_hover_text("Key: .").clicked() {
            to = shown + 1;
        }
        ui.add(Slider::new(&mut to, 0..=count).show_value(false)).labelled_by(title.id);
        if to != shown {
            commands.push(Command::Step(Some(to)));
        }
        if ui.button("Done").on_hover_text("Esc: show the solved pose").clicked() {
            commands.push(Command::Step(None));
        }
    });
    ui.label(RichText::new(details(session)).small().color(theme::quiet(ui)));
}

/// Returns the description of a step, for example `Step 12 of 84: leftLowerArm, 3.2°`.
fn title(session: &Session, shown: usize, count: usize) -> String {
    let place = format!("Step {shown} of {count}");
    let Some((_, NodeStep { node, step })) = session.shown_step() else {
        return if count == 0 {
            format!("{place}: nothing moves")
        } else {
            format!("{place}: before the solve")
        };
    };
    let change = if step.particles.is_some() {
        format!("the particle below moves {:.1} mm", step.distance * 1e3)
    } else if step.angle > 0.0 {
        format!("{:.1}°", step.angle.to_degrees())
    } else {
        format!("moves {:.1} mm", step.distance * 1e3)
    };
    format!("{place}: {}, {change}", node_name(session, *node))
}

/// Returns the error after a step, and the step's method and iteration, for example `error 0.041 m   ccd   iteration 3`.
fn details(session: &Session) -> String {
    let Some((trace, NodeStep { step, .. })) = session.shown_step() else {
        return "Next turns the first joint.".into();
    };
    let metres = step.position_error.map(|metres| format!("error {metres:.4} m"));
    let degrees = step.orientation_error.map(|radians| format!("error {:.2}°", radians.to_degrees()));
    let iteration = (step.iteration > 0).then(|| format!("iteration {}", step.iteration));
    let restart = (step.start > 0).then(|| format!("start {}", step.start + 1));
    let kind = (step.kind != StepKind::Iteration).then(|| step.kind.to_string());
    let parts = [metres, degrees, Some(trace.method.to_string()), iteration, restart, kind];
    parts.into_iter().flatten().collect::<Vec<_>>().join("   ")
}
