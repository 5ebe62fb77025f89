//! The skin of a character in the rest pose.

use glam::{Affine3A, Vec3};

use crate::asset::{Character, Influences};
use crate::skin::{Palette, Skinned, Skinning, skin};

/// A part of the skin in the rest pose.
pub(super) struct RestSkin<'a> {
    /// World positions of the vertices.
    pub(super) positions: &'a [Vec3],
    /// The node that moves each vertex most.
    pub(super) nodes: Vec<Option<usize>>,
    pub(super) triangles: &'a [[u32; 3]],
    /// Whether joints move the part. All vertices of a rigid part belong to the part's node.
    pub(super) is_skinned: bool,
}

/// Calls a function with each part of a scene. `world` contains the world matrices in the rest pose.
pub(super) fn for_each_part(
    character: &Character,
    scene: usize,
    world: &[Affine3A],
    mut visit: impl FnMut(&RestSkin<'_>),
) {
    let parts = character.parts(scene);
    let mut palette = Palette::new(character, &parts);
    palette.update(character, world, Skinning::Linear);
    let mut skinned = Skinned::default();
    for (index, part) in parts.iter().enumerate() {
        let Some(matrices) = palette.matrices(index) else { continue };
        let primitive = character.primitive(*part);
        skin(primitive, matrices, &[], &mut skinned);
        let joints = part.skin.and_then(|skin| character.skins.get(skin)).map(|skin| &skin.joints[..]);
        let node = |vertex: usize| match joints {
            Some(joints) => strongest(&primitive.influences, vertex).and_then(|j| joints.get(j).copied()),
            None => Some(part.node),
        };
        visit(&RestSkin {
            positions: &skinned.positions,
            nodes: (0..skinned.positions.len()).map(node).collect(),
            triangles: &primitive.triangles,
            is_skinned: joints.is_some(),
        });
    }
}

/// Returns the index of the joint that has the largest weight for a vertex.
fn strongest(sets: &[Influences], vertex: usize) -> Option<usize> {
    let all = sets.iter().filter_map(|set| Some((set.joints.get(vertex)?, set.weights.get(vertex)?)));
    let pairs = all.flat_map(|(joints, weights)| joints.iter().copied().zip(weights.to_array()));
    pairs.max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(joint, _)| usize::from(joint))
}
