//! Reads spring bones of VRM 1.0 (`VRMC_springBone`, with the shapes of `VRMC_springBone_extended_collider`).

use glam::{Affine3A, DVec3};
use serde_json::Value;

use crate::asset::Skeleton;

use super::json::{Problems, index, indices, list, number, vector};
use super::springs::{Collider, ColliderShape, Spring, SpringBones, SpringJoint};
use super::subtrees::Subtrees;

/// Maximum number of joint and collider pairs. A small file could otherwise make every step of the simulation take seconds.
const MAX_PAIRS: usize = 1 << 20;
/// Maximum number of collider group entries that are visited to list the colliders of all springs.
const MAX_VISITS: usize = 1 << 22;
/// Default drag of VRM 1.0.
const DRAG: f64 = 0.5;

/// The state shared by the readers of both versions.
pub(super) struct SpringReader<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) problems: &'a mut Problems,
    pub(super) springs: SpringBones,
    /// For each group, indices of its colliders.
    pub(super) groups: Vec<Vec<usize>>,
    world_from_rest: Vec<Affine3A>,
    is_joint: Vec<bool>,
    /// The number of the last spring that used each collider.
    used: Vec<usize>,
    pairs: usize,
    visits: usize,
}

impl<'a> SpringReader<'a> {
    pub(super) fn new(skeleton: &'a Skeleton, problems: &'a mut Problems) -> Self {
        Self {
            is_joint: vec![false; skeleton.nodes.len()],
            skeleton,
            problems,
            springs: SpringBones::default(),
            groups: Vec::new(),
            world_from_rest: skeleton.world_from_rest(),
            used: Vec::new(),
            pairs: 0,
            visits: 0,
        }
    }

    /// Adds a joint to a spring, unless the joint belongs to another spring or has zero length.
    pub(super) fn add_joint(&mut self, spring: &mut Spring, joint: SpringJoint, at: &dyn Fn() -> String) {
        let Some(is_joint) = self.is_joint.get_mut(joint.node) else { return };
        if std::mem::replace(is_joint, true) {
            let node = self.skeleton.label(joint.node);
            self.problems
                .push(|| format!("{}: node \"{node}\" is already a joint of a spring and is ignored", at()));
        } else if joint.tail.length() > f64::from(f32::MIN_POSITIVE) && joint.tail.is_finite() {
            spring.joints.push(joint);
        }
    }

    pub(super) fn is_joint(&self, node: usize) -> bool {
        self.is_joint.get(node).copied().unwrap_or_default()
    }

    /// Returns the rest position of a node in the space of another node.
    pub(super) fn position_in(&self, node: usize, space: usize) -> DVec3 {
        let (Some(child), Some(own), Some(parent)) =
            (self.skeleton.nodes.get(node), self.world_from_rest.get(node), self.world_from_rest.get(space))
        else {
            return DVec3::ZERO;
        };
        if child.parent == Some(space) && !self.skeleton.sheared.contains_key(&node) {
            return child.rest.translation.as_dvec3();
        }
        parent.inverse().transform_point3a(own.translation).as_dvec3()
    }

    /// Lists the colliders of a spring, and adds the spring if it has joints.
    pub(super) fn add_spring(&mut self, mut spring: Spring, json: &Value, at: &dyn Fn() -> String) {
        if spring.joints.is_empty() {
            return;
        }
        self.used.resize(self.springs.colliders.len(), usize::MAX);
        let number = self.springs.springs.len();
        for group in indices(json, "colliderGroups", self.groups.len()) {
            let group = match group {
                Ok(group) => group,
                Err(cause) => {
                    self.problems.push(|| format!("{}.colliderGroups: group {cause}", at()));
                    continue;
                }
            };
            for &collider in self.groups.get(group).into_iter().flatten() {
                self.visits += 1;
                let Some(used) = self.used.get_mut(collider).filter(|used| **used != number) else {
                    continue;
                };
                self.pairs = self.pairs.saturating_add(spring.joints.len());
                if self.pairs > MAX_PAIRS || self.visits > MAX_VISITS {
                    break;
                }
                *used = number;
                spring.colliders.push(collider);
            }
            if self.pairs > MAX_PAIRS || self.visits > MAX_VISITS {
                self.problems.push(|| format!("{}: too many colliders, the rest are ignored", at()));
                break;
            }
        }
        self.springs.springs.push(spring);
    }

    /// Reads the center of a spring.
    pub(super) fn center(&mut self, json: &Value, at: &dyn Fn() -> String) -> Option<usize> {
        index(json, "center", self.skeleton.nodes.len()).unwrap_or_else(|cause| {
            self.problems.push(|| format!("{}: {cause}", at()));
            None
        })
    }
}

/// Reads the colliders, their groups and the springs.
pub(super) fn version_1(extension: &Value, skeleton: &Skeleton, problems: &mut Problems) -> SpringBones {
    let mut reader = SpringReader::new(skeleton, problems);
    let colliders = colliders(extension, &mut reader);
    for (g, group) in list(extension, "colliderGroups").enumerate() {
        let mut members = Vec::new();
        for collider in indices(group, "colliders", colliders.len()) {
            match collider {
                Ok(collider) => members.extend(colliders.get(collider).copied().flatten()),
                Err(cause) => {
                    let at = || format!("extensions.VRMC_springBone.colliderGroups[{g}]: collider {cause}");
                    reader.problems.push(at);
                }
            }
        }
        reader.groups.push(members);
    }
    let subtrees = Subtrees::new(skeleton);
    for (s, json) in list(extension, "springs").enumerate() {
        let at = || format!("extensions.VRMC_springBone.springs[{s}]");
        let name = json.get("name").and_then(Value::as_str).map(str::to_owned);
        let mut spring = Spring { name, center: reader.center(json, &at), ..Spring::default() };
        let mut before: Option<(&Value, usize)> = None;
        for (j, joint) in list(json, "joints").enumerate() {
            let at = || format!("{}.joints[{j}]", at());
            let node = match index(joint, "node", skeleton.nodes.len()) {
                Ok(Some(node)) => node,
                other => {
                    let cause = other.err().unwrap_or_else(|| "node is missing".to_owned());
                    reader.problems.push(|| format!("{}: {cause}", at()));
                    before = None;
                    continue;
                }
            };
            // A joint ends where the next one starts, so the last joint only marks an end.
            if let Some((settings, head)) = before.replace((joint, node)) {
                if subtrees.is_below(node, head) {
                    let tail = reader.position_in(node, head);
                    reader.add_joint(&mut spring, joint_1(settings, head, tail), &at);
                } else {
                    reader.problems.push(|| format!("{}: the node is not below the joint before it", at()));
                }
            }
        }
        reader.add_spring(spring, json, &at);
    }
    reader.springs
}

fn joint_1(json: &Value, node: usize, tail: DVec3) -> SpringJoint {
    let direction = vector(json, "gravityDir").unwrap_or(DVec3::NEG_Y);
    SpringJoint {
        node,
        tail,
        hit_radius: number(json, "hitRadius").unwrap_or(0.0).max(0.0),
        stiffness: number(json, "stiffness").unwrap_or(1.0).max(0.0),
        gravity: direction * number(json, "gravityPower").unwrap_or(0.0),
        drag: number(json, "dragForce").unwrap_or(DRAG).clamp(0.0, 1.0),
    }
}

/// Reads the colliders. Returns, for each collider in the file, its index among the valid colliders.
fn colliders(extension: &Value, reader: &mut SpringReader<'_>) -> Vec<Option<usize>> {
    let mut known = Vec::new();
    for (c, json) in list(extension, "colliders").enumerate() {
        let node = index(json, "node", reader.skeleton.nodes.len());
        let shape = json
            .pointer("/extensions/VRMC_springBone_extended_collider/shape")
            .and_then(shape)
            .or_else(|| json.get("shape").and_then(shape));
        let cause = match (node, shape) {
            (Ok(Some(node)), Some(shape)) => {
                known.push(Some(reader.springs.colliders.len()));
                reader.springs.colliders.push(Collider { node, shape });
                continue;
            }
            (Err(cause), _) => cause,
            (Ok(None), _) => "node is missing".to_owned(),
            (Ok(Some(_)), None) => "shape is missing or unknown".to_owned(),
        };
        known.push(None);
        reader.problems.push(|| format!("extensions.VRMC_springBone.colliders[{c}]: {cause}"));
    }
    known
}

fn shape(json: &Value) -> Option<ColliderShape> {
    let offset = |shape| vector(shape, "offset").unwrap_or(DVec3::ZERO);
    let radius = |shape| number(shape, "radius").unwrap_or(0.0).max(0.0);
    let inside = |shape: &Value| shape.get("inside").and_then(Value::as_bool).unwrap_or_default();
    if let Some(s) = json.get("sphere") {
        return Some(ColliderShape::Sphere { offset: offset(s), radius: radius(s), inside: inside(s) });
    }
    if let Some(c) = json.get("capsule") {
        let tail = vector(c, "tail").unwrap_or(DVec3::ZERO);
        return Some(ColliderShape::Capsule {
            offset: offset(c),
            tail,
            radius: radius(c),
            inside: inside(c),
        });
    }
    let plane = json.get("plane")?;
    let normal = vector(plane, "normal").unwrap_or(DVec3::Z);
    (normal != DVec3::ZERO).then(|| ColliderShape::Plane { offset: offset(plane), normal })
}
