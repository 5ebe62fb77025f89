//! Parts whose parent in the file is not the bone that they continue. In rigs made for IK, the foot is often a child of
//! the root, at the place where the shin ends.

use std::collections::BTreeMap;

use glam::Vec3;

use super::anatomy::Anatomy;

/// Two nodes are at the same place if they are closer than this fraction of the size of the body.
const SAME_PLACE: f32 = 0.01;
/// Maximum number of parts that are compared with the ends of bones.
const MAX_PARTS: usize = 64;

/// Attaches detached parts to the bones that they continue. Returns the new parent of each attached part.
pub(super) fn attach(anatomy: &mut Anatomy<'_>) -> BTreeMap<usize, usize> {
    let mut parents = BTreeMap::new();
    if !anatomy.has_skin() {
        return parents;
    }
    // A part is detached if it moves the skin and its parent does not, or if its parent carries the whole body.
    let is_part = |n: &usize| {
        let is_control =
            |p: usize| !anatomy.moves_skin(p) || anatomy.mass_below[p] > 0.95 * anatomy.mass.total;
        anatomy.mass_below[*n] > 0.0 && anatomy.parent[*n].is_some_and(is_control)
    };
    let mut parts: Vec<usize> = anatomy.order.iter().copied().filter(is_part).collect();
    parts.truncate(MAX_PARTS);
    // The marker of a bone may be misplaced, so the bone itself is an end too.
    let is_end = |n: &usize| anatomy.children[*n].iter().all(|&c| anatomy.is_marker[c]);
    let ends: Vec<usize> = anatomy.order.iter().copied().filter(is_end).take(4096).collect();
    for part in parts {
        let near = ends
            .iter()
            .copied()
            .filter_map(|end| Some((end, gap(anatomy, part, end)?)))
            .min_by(|a, b| a.1.total_cmp(&b.1));
        let Some((end, _)) = near else { continue };
        // The marker itself is replaced by the part.
        let host = if anatomy.is_marker[end] { anatomy.parent[end] } else { Some(end) };
        let Some(host) = host.filter(|h| Some(*h) != anatomy.parent[part] && *h != part) else { continue };
        // A part must not become its own ancestor.
        let above = |n: &usize| parents.get(n).copied().or(anatomy.parent[*n]);
        if std::iter::successors(Some(host), above).any(|n| n == part) {
            continue;
        }
        parents.insert(part, host);
        for &marker in anatomy.children[host].iter().filter(|c| anatomy.is_marker[**c]) {
            anatomy.relevant[marker] = false;
        }
    }
    for (&part, &host) in &parents {
        anatomy.parent[part] = Some(host);
    }
    anatomy.update();
    parents
}

/// Returns the distance between a part and the end of a bone, or `None` if the part does not continue the bone.
fn gap(anatomy: &Anatomy<'_>, part: usize, end: usize) -> Option<f32> {
    let distance = anatomy.length(part, end);
    if part == end {
        return None;
    }
    if distance < SAME_PLACE * anatomy.size {
        return Some(distance);
    }
    if anatomy.is_marker[end] {
        return None;
    }
    // Without a marker, the bone is as long as its skin, whose centre is in the middle of the bone.
    let bone: Vec3 = 2.0 * (anatomy.mass.center[end] - anatomy.at[end]);
    let to_part = anatomy.at[part] - anatomy.at[end];
    let is_along = to_part.angle_between(bone) < 0.5;
    let is_at_end = (0.6..1.6).contains(&(distance / bone.length().max(f32::MIN_POSITIVE)));
    let is_small = is_within(anatomy, part, distance);
    let from_parent = anatomy.parent[part].map_or(0.0, |p| anatomy.length(p, part));
    (is_along && is_at_end && is_small && distance < 1.5 * from_parent).then_some(distance)
}

/// Returns whether all descendants of a part are within a given distance of the part. Visits a limited number of joints.
fn is_within(anatomy: &Anatomy<'_>, part: usize, distance: f32) -> bool {
    let mut next = vec![part];
    for _ in 0..64 {
        let Some(node) = next.pop() else { return true };
        if anatomy.length(part, node) >= distance {
            return false;
        }
        next.extend(anatomy.children[node].iter().copied().filter(|&c| !anatomy.is_marker[c]).take(16));
    }
    false
}
