//! Recognises posed copies of a character.

use glam::Vec3;

use crate::asset::Character;

/// Maximum difference between two translations that count as equal, as a fraction of their length.
const SAME_LENGTH: f32 = 1e-4;
/// In a posed copy, at most one node in this many is translated, apart from the root.
const NODES_PER_TRANSLATION: usize = 8;

/// Returns whether a character is a posed copy of another: the nodes are the same, nearly all of them are at the same distance from their
/// parents, and some are rotated or translated.
pub fn is_posed_copy(copy: &Character, of: &Character) -> bool {
    let (nodes, others) = (&copy.skeleton.nodes, &of.skeleton.nodes);
    let parts = |c: &Character| c.parts(c.default_scene).len();
    if nodes.len() != others.len() || parts(copy) != parts(of) {
        return false;
    }
    let mut pairs = nodes.iter().zip(others);
    if !pairs.clone().all(|(a, b)| a.name == b.name && a.parent == b.parent) {
        return false;
    }
    let is_near = |a: Vec3, b: Vec3| (a - b).length() <= SAME_LENGTH * a.length().max(b.length());
    let translated = pairs.clone().filter(|(a, b)| !is_near(a.rest.translation, b.rest.translation)).count();
    let is_equal = pairs.all(|(a, b)| a.rest == b.rest);
    !is_equal && translated <= 1 + nodes.len() / NODES_PER_TRANSLATION
}
