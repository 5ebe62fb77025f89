//! Which joint moves a point of a surface.

use glam::Vec3;

use crate::asset::{Character, Part};

/// Returns the node with the largest skin weight at a point of a triangle, or the part's node if it has no skin. `at` are barycentric
/// coordinates.
pub(crate) fn dominant_node(character: &Character, part: Part, triangle: [u32; 3], at: Vec3) -> usize {
    let Some(skin) = part.skin.and_then(|s| character.skins.get(s)) else { return part.node };
    let primitive = character.primitive(part);
    let mut totals: Vec<(u16, f32)> = Vec::new();
    for (vertex, coordinate) in triangle.iter().zip(at.to_array()) {
        for set in &primitive.influences {
            let vertex = *vertex as usize;
            let Some((joints, weights)) = set.joints.get(vertex).zip(set.weights.get(vertex)) else {
                continue;
            };
            for (joint, weight) in joints.iter().zip(weights.to_array()) {
                match totals.iter_mut().find(|(j, _)| j == joint) {
                    Some((_, sum)) => *sum += coordinate * weight,
                    None => totals.push((*joint, coordinate * weight)),
                }
            }
        }
    }
    let most = totals.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    most.and_then(|(joint, _)| skin.joints.get(usize::from(*joint)).copied()).unwrap_or(part.node)
}
