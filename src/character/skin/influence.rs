//! Finds the joints that move a point of a surface.

use std::collections::BTreeSet;

use glam::Vec3;

use crate::asset::{Character, Part};

/// Returns the nodes that move at least one vertex of a skinned mesh of the file.
///
/// ```
/// use sinew_character::{asset, skin};
///
/// let mannequin = asset::mannequin()?;
/// let joints = skin::weighted_joints(&mannequin);
/// assert!(joints.iter().all(|joint| mannequin.skins[0].joints.contains(joint)));
/// # Ok::<(), asset::LoadError>(())
/// ```
pub fn weighted_joints(character: &Character) -> BTreeSet<usize> {
    let mut joints = BTreeSet::new();
    for node in &character.skeleton.nodes {
        let skin = node.skin.and_then(|skin| character.skins.get(skin));
        let mesh = node.mesh.and_then(|mesh| character.meshes.get(mesh));
        let Some((skin, mesh)) = skin.zip(mesh) else { continue };
        for set in mesh.primitives.iter().flat_map(|primitive| &primitive.influences) {
            let influences =
                set.joints.iter().flatten().zip(set.weights.iter().flat_map(glam::Vec4::to_array));
            let used = influences.filter(|(_, weight)| *weight > 0.0);
            joints.extend(used.filter_map(|(joint, _)| skin.joints.get(usize::from(*joint))));
        }
    }
    joints
}

/// Returns the nodes that move a point of a triangle, with their weights, in descending order of weight. Without a skin, only the part's
/// node is returned. `at` contains barycentric coordinates.
pub fn influencing_nodes(
    character: &Character,
    part: Part,
    triangle: [u32; 3],
    at: Vec3,
) -> Vec<(usize, f32)> {
    let Some(skin) = part.skin.and_then(|s| character.skins.get(s)) else { return vec![(part.node, 1.0)] };
    let primitive = character.primitive(part);
    let mut totals: Vec<(usize, f32)> = Vec::new();
    for (vertex, coordinate) in triangle.iter().zip(at.to_array()) {
        for set in &primitive.influences {
            let vertex = *vertex as usize;
            let Some((joints, weights)) = set.joints.get(vertex).zip(set.weights.get(vertex)) else {
                continue;
            };
            for (joint, weight) in joints.iter().zip(weights.to_array()).filter(|(_, weight)| *weight != 0.0)
            {
                let Some(node) = skin.joints.get(usize::from(*joint)) else { continue };
                match totals.iter_mut().find(|(n, _)| n == node) {
                    Some((_, sum)) => *sum += coordinate * weight,
                    None => totals.push((*node, coordinate * weight)),
                }
            }
        }
    }
    totals.sort_by(|a, b| b.1.total_cmp(&a.1));
    totals
}

/// Returns the node with the largest skin weight at a corner of a triangle, or the part's node if it has no skin. Allocates nothing.
pub fn strongest_node(character: &Character, part: Part, triangle: [u32; 3]) -> usize {
    let Some(skin) = part.skin.and_then(|s| character.skins.get(s)) else { return part.node };
    let primitive = character.primitive(part);
    let mut strongest = (0.0, part.node);
    for vertex in triangle {
        for set in &primitive.influences {
            let vertex = vertex as usize;
            let Some((joints, weights)) = set.joints.get(vertex).zip(set.weights.get(vertex)) else {
                continue;
            };
            for (joint, weight) in joints.iter().zip(weights.to_array()) {
                let Some(node) = skin.joints.get(usize::from(*joint)) else { continue };
                if weight > strongest.0 {
                    strongest = (weight, *node);
                }
            }
        }
    }
    strongest.1
}

/// Returns the node with the largest skin weight at a point of a triangle, or the part's node if it has no skin.
pub fn dominant_node(character: &Character, part: Part, triangle: [u32; 3], at: Vec3) -> usize {
    influencing_nodes(character, part, triangle, at).first().map_or(part.node, |(node, _)| *node)
}
