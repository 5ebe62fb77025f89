//! Reads spring bones of VRM 0 (`VRM.secondaryAnimation`).

use glam::DVec3;
use serde_json::Value;

use crate::asset::Skeleton;

use super::json::{Problems, index, indices, list, number, vector};
use super::read_springs::SpringReader;
use super::springs::{Collider, ColliderShape, Spring, SpringBones, SpringJoint};

/// Length in metres of a joint without children.
const END_LENGTH: f64 = 0.07;
/// Default drag of VRM 0.
const DRAG: f64 = 0.4;

/// Reads the groups of bones. Each group lists roots, and all descendants of a root are joints. A joint ends at its first child.
pub(super) fn version_0(extension: &Value, skeleton: &Skeleton, problems: &mut Problems) -> SpringBones {
    let mut reader = SpringReader::new(skeleton, problems);
    let Some(json) = extension.get("secondaryAnimation") else { return reader.springs };
    for (g, group) in list(json, "colliderGroups").enumerate() {
        let members = match index(group, "node", skeleton.nodes.len()) {
            Ok(Some(node)) => colliders(group, node, &mut reader),
            other => {
                let cause = other.err().unwrap_or_else(|| "node is missing".to_owned());
                let at = || format!("extensions.VRM.secondaryAnimation.colliderGroups[{g}]: {cause}");
                reader.problems.push(at);
                Vec::new()
            }
        };
        reader.groups.push(members);
    }
    for (g, group) in list(json, "boneGroups").enumerate() {
        let at = || format!("extensions.VRM.secondaryAnimation.boneGroups[{g}]");
        let name = group.get("comment").and_then(Value::as_str).filter(|name| !name.is_empty());
        let center = reader.center(group, &at);
        let mut spring = Spring { name: name.map(str::to_owned), center, ..Spring::default() };
        for root in indices(group, "bones", skeleton.nodes.len()) {
            match root {
                Ok(root) => add_branch(&mut reader, &mut spring, group, root, &at),
                Err(cause) => reader.problems.push(|| format!("{}.bones: node {cause}", at())),
            }
        }
        reader.add_spring(spring, group, &at);
    }
    reader.springs
}

/// Reads spheres. Their offsets are in Unity's left-handed space.
fn colliders(group: &Value, node: usize, reader: &mut SpringReader<'_>) -> Vec<usize> {
    let all = &mut reader.springs.colliders;
    let first = all.len();
    all.extend(list(group, "colliders").map(|json| {
        let offset = vector(json, "offset").unwrap_or(DVec3::ZERO) * DVec3::new(1.0, 1.0, -1.0);
        let radius = number(json, "radius").unwrap_or(0.0).max(0.0);
        Collider { node, shape: ColliderShape::Sphere { offset, radius, inside: false } }
    }));
    (first..all.len()).collect()
}

/// Adds a root and all its descendants, parents first.
fn add_branch(
    reader: &mut SpringReader<'_>,
    spring: &mut Spring,
    group: &Value,
    root: usize,
    at: &dyn Fn() -> String,
) {
    if reader.is_joint(root) {
        // All descendants of `root` are already joints.
        return reader.problems.push(|| format!("{}.bones: {root} is already part of a group", at()));
    }
    let skeleton = reader.skeleton;
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        if reader.is_joint(node) {
            continue;
        }
        let Some(own) = skeleton.nodes.get(node) else { continue };
        let tail = match own.children.first() {
            Some(&child) => reader.position_in(child, node),
            None => own.rest.translation.as_dvec3().normalize_or_zero() * END_LENGTH,
        };
        let direction = vector(group, "gravityDir").unwrap_or(DVec3::NEG_Y);
        let joint = SpringJoint {
            node,
            tail,
            hit_radius: number(group, "hitRadius").unwrap_or(0.0).max(0.0),
            // The format spells the key like this.
            stiffness: number(group, "stiffiness").unwrap_or(1.0).max(0.0),
            gravity: direction * number(group, "gravityPower").unwrap_or(0.0),
            drag: number(group, "dragForce").unwrap_or(DRAG).clamp(0.0, 1.0),
        };
        reader.add_joint(spring, joint, at);
        waiting.extend(own.children.iter().rev());
    }
}
