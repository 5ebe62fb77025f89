//! Clips and shapes.

use egui::{Slider, Ui};

use super::super::{Command, Session};
use super::{INNER, heading};

/// The clip that runs, and how.
pub(super) fn show(ui: &mut Ui, session: &Session, asked: &mut Vec<Command>) {
    let clips = &session.puppet.character().clips;
    if clips.is_empty() {
        return;
    }
    heading(ui, "Clip");
    let name = |i: usize| clips.get(i).and_then(|c| c.name.clone()).unwrap_or_else(|| format!("#{i}"));
    let now = session.puppet.clip;
    let shown = now.map_or_else(|| "none".to_owned(), |(c, _)| name(c));
    egui::ComboBox::from_id_salt("clip").width(INNER - 8.0).selected_text(shown).show_ui(ui, |ui| {
        if ui.selectable_label(now.is_none(), "none").clicked() {
            asked.push(Command::Clip(None));
        }
        for clip in 0..clips.len() {
            if ui.selectable_label(now.is_some_and(|(c, _)| c == clip), name(clip)).clicked() {
                asked.push(Command::Clip(Some(clip)));
            }
        }
    });
    let Some((_, mut time)) = now else { return };
    if ui.add(Slider::new(&mut time, 0.0..=session.clip_seconds().max(1e-3)).text("s")).changed() {
        asked.push(Command::Seek(time));
    }
    let mut speed = session.clock.speed;
    if ui.add(Slider::new(&mut speed, -2.0..=4.0).text("speed")).changed() {
        asked.push(Command::Speed(speed));
    }
    ui.horizontal(|ui| {
        if ui.button(if session.clock.playing { "Pause" } else { "Play" }).clicked() {
            asked.push(Command::Play(!session.clock.playing));
        }
        let mut again = session.clock.again;
        if ui.checkbox(&mut again, "loop").changed() {
            asked.push(Command::Loop(again));
        }
    });
}

/// A slider for each morph weight.
pub(super) fn shapes(ui: &mut Ui, session: &Session, asked: &mut Vec<Command>) {
    if session.state.held.weights.is_empty() {
        return;
    }
    heading(ui, "Shapes");
    for (place, weight) in session.state.held.weights.iter().enumerate() {
        let mut weight = *weight;
        if ui.add(Slider::new(&mut weight, 0.0..=1.0).text(format!("{place}"))).changed() {
            asked.push(Command::Morph(place, weight));
        }
    }
}
