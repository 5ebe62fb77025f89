//! Shapes: morph weights.

use egui::{Slider, Ui};

use crate::asset::Character;

use super::super::{Command, Session};
use super::{heading, name};

/// A slider for each morph weight, as it is shown. What the motion moves cannot be pulled: it would not stay.
pub(super) fn show(ui: &mut Ui, session: &Session, asked: &mut Vec<Command>) {
    let weights = &session.puppet.pose().weights;
    if weights.is_empty() {
        return;
    }
    heading(ui, "Shapes");
    let character = session.puppet.character();
    let moved = session.puppet.motion.moved_weights(character);
    for (place, weight) in weights.iter().enumerate() {
        let mut weight = *weight;
        let free = !moved.contains(&place);
        let slider = Slider::new(&mut weight, 0.0..=1.0).text(name(&shape_name(character, place)));
        let slider = ui.add_enabled(free, slider).on_disabled_hover_text("the motion moves it");
        if free && slider.changed() {
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
