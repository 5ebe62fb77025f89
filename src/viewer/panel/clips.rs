//! Clips and shapes.

use egui::{Slider, Ui};

use crate::asset::Character;

use super::super::{Command, Session};
use super::{INNER, heading};

/// The clip that runs, and how.
pub(super) fn show(ui: &mut Ui, session: &Session, asked: &mut Vec<Command>) {
    let clips = &session.puppet.character().clips;
    if clips.is_empty() {
        return;
    }
    let title = heading(ui, "Clip");
    let name = |i: usize| clips.get(i).and_then(|c| c.name.clone()).unwrap_or_else(|| format!("#{i}"));
    let now = session.puppet.clip;
    let shown = now.map_or_else(|| "none".to_owned(), |(c, _)| name(c));
    let names =
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
    names.response.labelled_by(title.id);
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
        let name = shape_name(session.puppet.character(), place);
        if ui.add(Slider::new(&mut weight, 0.0..=1.0).text(name)).changed() {
            asked.push(Command::Morph(place, weight));
        }
    }
}

/// What the file calls a morph weight of a pose, else its place; after the node's name where several nodes have some.
fn shape_name(character: &Character, weight: usize) -> String {
    let skeleton = &character.skeleton;
    let Some((node, place)) = skeleton.morph_of(weight) else { return format!("#{weight}") };
    let mesh = skeleton.nodes.get(node).and_then(|n| character.meshes.get(n.mesh?));
    let name = mesh.and_then(|m| m.target_names.get(place)).filter(|name| !name.is_empty());
    let name = name.cloned().unwrap_or_else(|| format!("#{place}"));
    let several = skeleton.nodes.iter().filter(|n| !n.morph_weights.is_empty()).count() > 1;
    if several { format!("{} {name}", skeleton.label(node)) } else { name }
}
