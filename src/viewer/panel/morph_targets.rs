//! The panel section for morph target weights.

use egui::{Slider, Ui};

use crate::asset::{Character, PoseTarget};
use crate::{Command, Session};

use super::{finish, heading, name};

/// Shows a slider for each morph weight, and for each expression that changes materials. Weights animated by the motion are read-only, because the
/// motion would overwrite any change.
pub(super) fn show(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let weights = &session.puppet.pose().weights;
    if weights.is_empty() {
        return;
    }
    heading(ui, "Morph targets");
    let character = session.puppet.character();
    let animated = session.puppet.motion.moved_weights(character);
    for (index, weight) in weights.iter().enumerate() {
        let Some(target) = target_name(character, index) else { continue };
        let mut weight = *weight;
        let is_editable = !animated.contains(&index);
        let slider = Slider::new(&mut weight, 0.0..=1.0).text(name(&target));
        let slider = ui.add_enabled(is_editable, slider).on_disabled_hover_text("Animated by the motion");
        if is_editable {
            commands.extend(slider.changed().then_some(Command::Morph(index, weight)));
            finish(&slider, commands);
        }
    }
}

/// Returns the name of a morph target, or `#INDEX` if it has none. If several nodes have morph targets, the node's name
/// comes first. The weight of an expression that changes materials has the expression's name. `weight` is
/// the index in the pose. Returns `None` for other values of a pose, which have no slider.
fn target_name(character: &Character, weight: usize) -> Option<String> {
    let skeleton = &character.skeleton;
    let Some((node, target)) = skeleton.morph_of(weight) else {
        let value = character.values.iter().find(|value| value.first == weight)?;
        let PoseTarget::Expression(expression) = value.target else { return None };
        return character.expressions.get(expression).map(|expression| expression.name.clone());
    };
    let mesh = skeleton.nodes.get(node).and_then(|n| character.meshes.get(n.mesh?));
    let name = mesh.and_then(|m| m.target_names.get(target)).filter(|name| !name.is_empty());
    let name = name.cloned().unwrap_or_else(|| format!("#{target}"));
    let several = skeleton.nodes.iter().filter(|n| !n.morph_weights.is_empty()).count() > 1;
    Some(if several { format!("{} {name}", skeleton.label(node)) } else { name })
}
