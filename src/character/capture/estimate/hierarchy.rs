//! The hierarchy of captured joints.

use std::collections::HashMap;

use glam::DVec3;

use super::Positions;
use crate::capture::Bone;

/// Weight of a distance relative to its change. All distances within a rigid piece, for example the pelvis, are constant, and the shortest
/// of these distances are bones. The weight is small, because the length of a bone says little by itself.
const LENGTH_WEIGHT: f64 = 0.02;

/// Returns the parents of joints with bone names of VRM 1.0, or `None` if another name occurs or the hips are missing.
pub(super) fn by_name(joints: &[String]) -> Option<Vec<Option<usize>>> {
    let index: HashMap<&str, usize> = joints.iter().map(String::as_str).zip(0..).collect();
    index.get("hips")?;
    let mut parents = Vec::with_capacity(joints.len());
    for joint in joints {
        Bone::from_vrm(joint)?;
        let above = parent_of(joint, &|bone| index.contains_key(bone));
        parents.push(above.and_then(|above| index.get(above.as_str()).copied()));
    }
    Some(parents)
}

/// Returns the nearest chosen ancestor of a bone.
pub(super) fn parent_of(bone: &str, is_chosen: &dyn Fn(&str) -> bool) -> Option<String> {
    let above = std::iter::successors(Bone::from_vrm(bone), |bone| bone.logical_parent()).skip(1);
    above.map(Bone::vrm).find(|bone| is_chosen(bone))
}

/// Returns the parents of joints: the minimum spanning tree (Prim 1957) of the standard deviations of their distances. The root is the
/// joint with the smallest sum of distances to all other joints along the tree. This joint is in the middle of the body.
pub(super) fn by_distance(frames: &Positions, count: usize) -> Vec<Option<usize>> {
    let mut neighbours = vec![Vec::new(); count];
    let mut is_in_tree = vec![false; count];
    // For each joint outside the tree, its cheapest connection to the tree: the cost, and the joint in the tree.
    let mut best: Vec<(f64, usize)> = vec![(f64::INFINITY, 0); count];
    let mut next = Some(0);
    while let Some(joint) = next {
        if let Some(is_in_tree) = is_in_tree.get_mut(joint) {
            *is_in_tree = true;
        }
        for other in (0..count).filter(|&o| !is_in_tree[o]) {
            let cost = cost(frames, joint, other);
            if cost < best[other].0 {
                best[other] = (cost, joint);
            }
        }
        let outside = (0..count).filter(|&o| !is_in_tree[o]);
        next = outside.min_by(|&a, &b| best[a].0.total_cmp(&best[b].0));
        if let Some(joint) = next {
            let (_, from) = best[joint];
            let length = mean_distance(frames, joint, from);
            neighbours[joint].push((from, length));
            neighbours[from].push((joint, length));
        }
    }
    let sums = (0..count).map(|root| walk(root, &neighbours).map(|(_, _, distance)| distance).sum::<f64>());
    let root = sums.zip(0..).min_by(|a, b| a.0.total_cmp(&b.0)).map_or(0, |(_, root)| root);
    let mut parents = vec![None; count];
    for (joint, parent, _) in walk(root, &neighbours) {
        parents[joint] = parent;
    }
    parents
}

/// Visits all joints of a tree, each with its parent and its distance from the root along the tree.
fn walk(
    root: usize,
    neighbours: &[Vec<(usize, f64)>],
) -> impl Iterator<Item = (usize, Option<usize>, f64)> + use<'_> {
    let mut stack = vec![(root, None, 0.0)];
    std::iter::from_fn(move || {
        let (joint, parent, distance) = stack.pop()?;
        let next = neighbours[joint].iter().filter(|(n, _)| Some(*n) != parent);
        stack.extend(next.map(|&(n, length)| (n, Some(joint), distance + length)));
        Some((joint, parent, distance))
    })
}

fn distances(frames: &Positions, a: usize, b: usize) -> impl Iterator<Item = f64> + use<'_> {
    let between = move |frame| Some(DVec3::distance(frames.at(frame, a)?, frames.at(frame, b)?));
    (0..frames.len()).filter_map(between)
}

/// Returns the mean distance between two joints, or zero if they were never seen together.
fn mean_distance(frames: &Positions, a: usize, b: usize) -> f64 {
    let (sum, count) = distances(frames, a, b).fold((0.0, 0.0), |(sum, count), d| (sum + d, count + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}

/// Returns how unlikely it is that two joints are the ends of a bone. It is infinite if they were never seen together.
fn cost(frames: &Positions, a: usize, b: usize) -> f64 {
    let (mut count, mut mean, mut squares) = (0.0, 0.0, 0.0);
    for distance in distances(frames, a, b) {
        // Welford 1962.
        count += 1.0;
        let before = distance - mean;
        mean += before / count;
        squares += before * (distance - mean);
    }
    if count > 0.0 { f64::sqrt(squares / count) + LENGTH_WEIGHT * mean } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_the_mannequin_give_its_hierarchy() {
        let character = crate::asset::mannequin().unwrap();
        let bones = &character.humanoid.as_ref().unwrap().bones;
        let names: Vec<String> = bones.keys().cloned().collect();
        let parents = by_name(&names).unwrap();
        for (name, parent) in names.iter().zip(parents) {
            let is_bone = |n: &usize| bones.values().any(|b| b == n);
            let expected = character.skeleton.ancestors(bones[name]).skip(1).find(is_bone);
            assert_eq!(parent.map(|p| bones[&names[p]]), expected, "{name}");
        }
        assert_eq!(by_name(&["hips".into(), "wing".into()]), None);
        assert_eq!(by_name(&["leftHand".into()]), None);
    }
}
