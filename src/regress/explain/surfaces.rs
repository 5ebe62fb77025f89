//! The posed surfaces of a scene, in the drawn pose or a recorded one.

use glam::Vec3;

use crate::asset::{AlphaMode, Character, Part};
use crate::puppet::Puppet;
use crate::record::{SceneRecord, part_names};
use crate::skin::{Palette, Skinned, skin};

/// The drawn parts of a character in a pose.
pub(super) struct Surfaces {
    /// One element for each part of the puppet. `None` if it is not drawn.
    pub(super) parts: Vec<Option<Surface>>,
}

pub(super) struct Surface {
    /// World positions in metres, one per vertex.
    pub(super) positions: Vec<Vec3>,
    /// Whether clockwise triangles are the front faces.
    pub(super) mirrored: bool,
}

impl Surfaces {
    /// Poses the parts of a puppet as a record describes. A part that the puppet no longer has is left out.
    pub(super) fn of(puppet: &Puppet, record: &SceneRecord) -> Self {
        let (character, parts) = (puppet.character(), puppet.parts());
        let nodes = &character.skeleton.nodes;
        let world_from_node = record.world_from_node(&character.skeleton);
        let mut palette = Palette::new(character, parts);
        palette.update(character, &world_from_node, record.skinning());
        let mut skinned = Skinned::default();
        let mut posed = Vec::with_capacity(parts.len());
        for (index, (part, name)) in parts.iter().zip(part_names(puppet)).enumerate() {
            let is_drawn = record.parts.iter().any(|recorded| recorded.name == name);
            let matrices = palette.matrices(index).filter(|_| is_drawn);
            posed.push(matrices.map(|matrices| {
                let weights = nodes.get(part.node).and_then(|n| record.weights.get(n.morph_weights.clone()));
                skin(character.primitive(*part), matrices, weights.unwrap_or_default(), &mut skinned);
                Surface { positions: skinned.positions.clone(), mirrored: palette.is_mirrored(index) }
            }));
        }
        Self { parts: posed }
    }

    pub(super) fn position(&self, part: usize, vertex: u32) -> Option<Vec3> {
        self.parts.get(part)?.as_ref()?.positions.get(vertex as usize).copied()
    }
}

/// Returns whether both sides of a part are drawn.
pub(super) fn is_double_sided(character: &Character, part: Part) -> bool {
    let material = character.primitive(part).material.and_then(|m| character.materials.get(m));
    material.is_some_and(|m| m.double_sided || m.alpha_mode == AlphaMode::Blend)
}

/// Returns whether surfaces behind a part may be visible, through holes or because the part is transparent.
pub(super) fn is_see_through(character: &Character, part: Part) -> bool {
    let material = character.primitive(part).material.and_then(|m| character.materials.get(m));
    material.is_some_and(|m| m.alpha_mode != AlphaMode::Opaque || m.transmission.is_some())
}
