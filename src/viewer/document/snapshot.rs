//! A document's scene and selection as stored in files. The pose and the rig are stored as differences from the rest pose and from the loaded rig.

use std::sync::Arc;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::asset::{Character, Transform};
use crate::ik::{Limit, OptionOverrides};
use crate::motion::Motion;
use crate::pose::Pose;
use crate::puppet::{Pin, Target};
use crate::rig::{JointRig, Rig, with_bones};

use super::{Document, Scene, Selection, axes_fit};

/// Maximum deviation of a rotation quaternion's length from one.
const MAX_LENGTH_ERROR: f32 = 1e-3;

/// The pose of a character with its goals, pins and motion. Nodes are indices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Snapshot {
    /// Local transforms of the nodes that are not in the rest pose.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<(usize, Transform)>,
    /// All morph weights. If empty, the rest pose's weights apply.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub morphs: Vec<f32>,
    /// Goals that remained after a drag.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<Target>,
    /// Pinned nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<Pin>,
    /// The node that does not move while others are dragged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<usize>,
    /// Bone assignments that differ from the rig file, by bone name. `None` removes the file's assignment.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bones: Vec<(String, Option<usize>)>,
    /// Joint limits that differ from the rig file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<(usize, Limit)>,
    /// Poles that differ from the rig file: the chain's effector, and the pole's position in world metres, or `None` for no pole.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub poles: Vec<(usize, Option<Vec3>)>,
    /// Pulls of limbs that differ from the rig file, by the effector of the limb's chain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pulls: Vec<(usize, f64)>,
    /// The solver options of the rig, if they differ from the rig file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<OptionOverrides>,
    /// The loaded motion.
    #[serde(skip_serializing_if = "is_default")]
    pub motion: Motion,
    /// The time on the timeline of the motion, in seconds.
    #[serde(skip_serializing_if = "is_zero")]
    pub time: f32,
    /// The active joint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selected: Option<usize>,
    /// The other selected joints.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also_selected: Vec<usize>,
    /// The node that was dragged last. Keys act on it if no node is under the pointer and none is selected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<usize>,
    /// The IK problem of the last solve, whose steps can be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<SolveProblem>,
}

/// Returns whether a motion equals the default for a missing key.
fn is_default(motion: &Motion) -> bool {
    *motion == Motion::default()
}

/// Returns whether a time equals the default for a missing key.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference to the field")]
fn is_zero(time: &f32) -> bool {
    *time == 0.0
}

/// The IK problem of a solve whose steps can be shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SolveProblem {
    /// Local transforms, before the solve, of the nodes that were not in the rest pose.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<(usize, Transform)>,
    /// The goals.
    pub targets: Vec<Target>,
    /// Pinned nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<Pin>,
    /// Whether the root moves, because no ancestor of the dragged joint can move.
    pub whole_body: bool,
}

/// The state that a snapshot restores.
#[derive(Debug)]
pub(crate) struct Restored {
    pub(crate) scene: Scene,
    pub(crate) selection: Selection,
    pub(crate) problem: Option<SolveProblem>,
}

impl Snapshot {
    /// Returns the snapshot of a character's document. It contains only the parts of the rig, such as limits, poles and options, that
    /// differ from the rig `before`. `time` is the time on the timeline in seconds.
    pub(crate) fn of(document: &Document, character: &Character, before: &Rig, time: f32) -> Self {
        let rest = &character.skeleton;
        let Scene { held, goals, pins, base, rig, motion, time: _ } = &document.scene;
        let Selection { active, others, last } = &document.selection;
        let moved = held.locals.iter().zip(&rest.nodes).enumerate().filter(|(_, (now, n))| **now != n.rest);
        let chains = || rig.chains.iter().zip(&before.chains);
        Self {
            nodes: moved.map(|(node, (now, _))| (node, *now)).collect(),
            morphs: if held.weights == rest.rest_weights { Vec::new() } else { held.weights.clone() },
            goals: goals.clone(),
            pins: pins.clone(),
            base: *base,
            bones: changed_bones(rig, before),
            limits: rig
                .joints
                .keys()
                .chain(before.joints.keys().filter(|n| !rig.joints.contains_key(n)))
                .map(|&node| (node, rig.joint(node).limit))
                .filter(|(node, limit)| before.joint(*node).limit != *limit)
                .collect(),
            poles: chains()
                .filter(|(now, then)| now.pole != then.pole)
                .map(|(now, _)| (now.effector, now.pole))
                .collect(),
            pulls: chains()
                .filter(|(now, then)| now.pull != then.pull)
                .filter_map(|(now, _)| Some((now.effector, now.pull?)))
                .collect(),
            options: (rig.options != before.options).then(|| rig.options.clone()),
            motion: Motion::clone(motion),
            time,
            selected: *active,
            also_selected: others.clone(),
            last: *last,
            problem: None,
        }
    }

    /// Resolves the snapshot for a character and its rig. Invalid values and unknown nodes are ignored.
    pub(crate) fn restored(self, character: &Character, before: &Rig) -> Restored {
        let skeleton = &character.skeleton;
        let exists = |node: usize| node < skeleton.nodes.len();
        let rig = self.rig(character, before);
        let mut held = Pose::rest(skeleton);
        set_pose_values(&mut held, &self.nodes, &self.morphs);
        let (mut goals, mut pins) = (self.goals, self.pins);
        let is_weight = |weight: f64| weight.is_finite() && weight >= 0.0;
        goals.retain(|g| exists(g.node) && g.base.is_none_or(exists) && is_weight(g.weight));
        goals.retain(|g| axes_fit(&g.axes, g));
        pins.retain(|p| exists(p.node));
        let is_known = self.motion.validate().is_ok() && self.motion.fits(character);
        let selection = Selection { active: self.selected, others: self.also_selected, last: self.last };
        let scene = Scene {
            held,
            goals,
            pins,
            base: self.base.filter(|&b| exists(b)),
            rig: Arc::new(rig),
            motion: Arc::new(if is_known { self.motion } else { Motion::default() }),
            time: if self.time.is_finite() { self.time.max(0.0) } else { 0.0 },
        };
        Restored { scene, selection: selection.within(skeleton.nodes.len()), problem: self.problem }
    }

    /// Returns the character's rig with the snapshot's changes.
    fn rig(&self, character: &Character, before: &Rig) -> Rig {
        let exists = |node: usize| node < character.skeleton.nodes.len();
        let mut given = before.given_bones.clone();
        for (bone, node) in self.bones.iter().filter(|(_, node)| node.is_none_or(exists)) {
            match node {
                Some(node) => drop(given.insert(bone.clone(), *node)),
                None => drop(given.remove(bone)),
            }
        }
        let renamed = (given != before.given_bones).then(|| with_bones(character, before, &given).ok());
        let mut rig = renamed.flatten().unwrap_or_else(|| before.clone());
        for (node, limit) in self.limits.iter().filter(|(n, limit)| exists(*n) && limit.validate().is_ok()) {
            rig.joints.entry(*node).or_default().limit = *limit;
        }
        rig.joints.retain(|n, joint| *joint != JointRig::default() || before.joints.contains_key(n));
        if let Some(options) = &self.options {
            rig.options = options.clone();
        }
        for (effector, pole) in &self.poles {
            let chains = rig.chains.iter_mut().filter(|c| c.effector == *effector);
            chains.for_each(|chain| chain.pole = pole.filter(|p| p.is_finite()));
        }
        for (effector, pull) in self.pulls.iter().filter(|(_, pull)| (0.0..=1.0).contains(pull)) {
            rig.set_pull(*effector, *pull);
        }
        rig
    }
}

/// Returns the bone assignments in which a rig differs from `before`. `None` means that a bone is no longer assigned.
fn changed_bones(rig: &Rig, before: &Rig) -> Vec<(String, Option<usize>)> {
    let (now, then) = (&rig.given_bones, &before.given_bones);
    let names = now.keys().chain(then.keys().filter(|bone| !now.contains_key(*bone)));
    let changed = names.filter(|bone| now.get(*bone) != then.get(*bone));
    changed.map(|bone| (bone.clone(), now.get(bone).copied())).collect()
}

/// Sets local transforms of some nodes of a pose, and all morph weights unless `morphs` is empty. Invalid values and unknown nodes are
/// ignored.
pub(crate) fn set_pose_values(pose: &mut Pose, nodes: &[(usize, Transform)], morphs: &[f32]) {
    for (node, transform) in nodes.iter().filter(|(_, t)| is_valid(t)) {
        if let Some(local) = pose.locals.get_mut(*node) {
            *local = *transform;
        }
    }
    if morphs.len() == pose.weights.len() && morphs.iter().all(|w| w.is_finite()) {
        pose.weights.copy_from_slice(morphs);
    }
}

/// Returns whether a transform is finite and its rotation is a unit quaternion.
pub(crate) fn is_valid(transform: &Transform) -> bool {
    let Transform { translation, rotation, scale } = transform;
    translation.is_finite() && scale.is_finite() && (rotation.length() - 1.0).abs() < MAX_LENGTH_ERROR
}
