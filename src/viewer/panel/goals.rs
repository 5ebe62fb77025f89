//! Goals that stay where they were let go.

use egui::{Button, RichText, Slider, Ui};

use super::super::session::HEAVIEST;
use super::super::{Command, Session};
use super::{heading, node_name, theme};

/// A row for each goal: its joint, how far that is away, how much it counts.
pub(super) fn show(ui: &mut Ui, session: &Session, asked: &mut Vec<Command>) {
    if session.state.goals.is_empty() {
        return;
    }
    heading(ui, "Goals");
    for goal in &session.state.goals {
        let (metres, radians) = session.missed(goal);
        let metres = metres.map(|m| format!("{:.2} mm", m * 1e3));
        let degrees = radians.map(|r| format!("{:.2}°", r.to_degrees()));
        let missed: Vec<String> = metres.into_iter().chain(degrees).collect();
        let name = node_name(session, goal.node);
        let title = ui.horizontal(|ui| {
            let title = ui.label(RichText::new(&name).strong());
            ui.label(RichText::new(missed.join("   ")).color(theme::quiet(ui)));
            title
        });
        ui.horizontal(|ui| {
            let mut weight = goal.weight;
            let slider = Slider::new(&mut weight, 0.0..=HEAVIEST).logarithmic(true).smallest_positive(1e-2);
            let slider = ui.add(slider.max_decimals(2)).labelled_by(title.inner.id);
            let slider = slider.on_hover_text("how much it counts where goals are at odds");
            if slider.changed() {
                asked.push(Command::Weight(goal.node, weight));
            }
            // A drag of the slider is one step, and so is a number that was typed.
            if slider.drag_stopped() || slider.changed() && !slider.dragged() {
                asked.push(Command::Release);
            }
            let forget = ui.add(Button::new("forget").small());
            if forget.on_hover_text(format!("lets the goal of {name} go")).clicked() {
                asked.push(Command::Forget(goal.node));
            }
        });
    }
}
