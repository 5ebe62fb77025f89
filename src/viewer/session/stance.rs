//! The state of a session as commands. A session that executes them reaches the same state.

use std::sync::Arc;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::asset::Transform;
use crate::compare::Comparison;
use crate::ik::Limit;
use crate::motion::Motion;
use crate::pose::Pose;
use crate::puppet::{Pin, Target};
use crate::rig::{JointRig, Rig};

use super::super::Command;
use super::super::history::{History, State};
use super::Session;

/// Maximum deviation of a rotation quaternion's length from one.
const MAX_LENGTH_ERROR: f32 = 1e-3;

/// The pose of a character with its goals, pins and motion. Nodes are indices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Stance {
    /// Local transforms of the nodes that are not at rest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<(usize, Transform)>,
    /// All morph weights, or empty for those of the rest pose.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub morphs: Vec<f32>,
    /// Goals that stayed after a drag.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<Target>,
    /// Pinned nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<Pin>,
    /// The node that does not move while others are dragged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<usize>,
    /// Joint limits that differ from the rig's file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<(usize, Limit)>,
    /// Poles that differ from the rig's file, by the effector of their chain, in world metres.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub poles: Vec<(usize, Option<Vec3>)>,
    /// The motion that is loaded.
    #[serde(skip_serializing_if = "Motion::is_rest")]
    pub motion: Motion,
    /// The selected joint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selected: Option<usize>,
    /// The node that was dragged last. Keys act on it if no node is under the pointer and none is selected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<usize>,
}

impl Session {
    /// Returns the commands that set the solver and the display, which do not depend on the character.
    pub(in super::super) fn settings(&self) -> Vec<Command> {
        vec![
            Command::Solver(Box::new(self.options)),
            Command::Keep(self.keep),
            Command::Mode(self.mode),
            Command::Skinning(self.puppet.skinning),
            Command::Display(self.display),
            Command::Compare(self.comparison.methods()),
            Command::Turning(self.turning),
            Command::Scale(self.scale),
        ]
    }

    /// Returns commands that restore the state of this session in another session with the same character and size.
    pub(super) fn state_commands(&self) -> Vec<Command> {
        let mut commands = self.settings();
        commands.extend([Command::View(self.orbit), Command::Stand(Box::new(self.stance()))]);
        commands.extend([Command::Loop(self.clock.again), Command::Speed(self.clock.speed)]);
        commands.push(Command::Seek(self.puppet.time));
        commands.extend([Command::Play(self.clock.playing), Command::Hover(self.pointer)]);
        commands
    }

    fn stance(&self) -> Stance {
        let rest = &self.puppet.character().skeleton;
        let State { held, goals, pins, base, rig, motion } = &self.state;
        let before = &self.loaded_rig;
        let moved = held.locals.iter().zip(&rest.nodes).enumerate().filter(|(_, (now, n))| **now != n.rest);
        Stance {
            nodes: moved.map(|(node, (now, _))| (node, *now)).collect(),
            morphs: if held.weights == rest.rest_weights { Vec::new() } else { held.weights.clone() },
            goals: goals.clone(),
            pins: pins.clone(),
            base: *base,
            limits: rig
                .joints
                .keys()
                .chain(before.joints.keys().filter(|n| !rig.joints.contains_key(n)))
                .map(|&node| (node, rig.joint(node).limit))
                .filter(|(node, limit)| before.joint(*node).limit != *limit)
                .collect(),
            poles: rig
                .chains
                .iter()
                .zip(&before.chains)
                .filter(|(now, then)| now.pole != then.pole)
                .map(|(now, _)| (now.effector, now.pole))
                .collect(),
            motion: Motion::clone(motion),
            selected: self.selected,
            last: self.last,
        }
    }

    /// Sets the state of the character. Invalid values and unknown nodes are ignored.
    pub(super) fn set_stance(&mut self, stance: Stance) {
        let Stance { nodes, morphs, mut goals, mut pins, base, limits, poles, motion, selected, last } =
            stance;
        let skeleton = &self.puppet.character().skeleton;
        let exists = |node: usize| node < skeleton.nodes.len();
        let mut held = Pose::rest(skeleton);
        for (node, transform) in nodes.into_iter().filter(|(_, t)| is_valid(t)) {
            if let Some(local) = held.locals.get_mut(node) {
                *local = transform;
            }
        }
        if morphs.len() == held.weights.len() && morphs.iter().all(|w| w.is_finite()) {
            held.weights = morphs;
        }
        let is_weight = |weight: f64| weight.is_finite() && weight >= 0.0;
        goals.retain(|g| exists(g.node) && g.base.is_none_or(exists) && is_weight(g.weight));
        pins.retain(|p| exists(p.node));
        let mut rig = Rig::clone(&self.loaded_rig);
        for (node, limit) in limits.into_iter().filter(|(n, limit)| exists(*n) && limit.fault().is_none()) {
            rig.joints.entry(node).or_default().limit = limit;
        }
        rig.joints.retain(|n, joint| *joint != JointRig::default() || self.loaded_rig.joints.contains_key(n));
        for (effector, pole) in poles {
            let chains = rig.chains.iter_mut().filter(|c| c.effector == effector);
            chains.for_each(|chain| chain.pole = pole.filter(|p| p.is_finite()));
        }
        (self.selected, self.last) = (selected.filter(|&n| exists(n)), last.filter(|&n| exists(n)));
        (self.hand, self.hold, self.hover, self.hot, self.hint) = (None, None, None, None, None);
        let base = base.filter(|&b| exists(b));
        (self.history, self.followed) = (History::default(), None);
        self.puppet.time = 0.0;
        self.puppet.reset_solver();
        // Recreate the compared methods, because none of them has solved for these goals yet.
        let methods = self.comparison.methods();
        self.comparison = Comparison::default();
        self.comparison.choose(&methods, &self.puppet);
        let is_known = motion.fault().is_none() && motion.fits(self.puppet.character());
        let motion = Arc::new(if is_known { motion } else { Motion::default() });
        self.restore(Some(State { held, goals, pins, base, rig: Arc::new(rig), motion }));
    }
}

pub(super) fn is_valid(transform: &Transform) -> bool {
    let Transform { translation, rotation, scale } = transform;
    translation.is_finite() && scale.is_finite() && (rotation.length() - 1.0).abs() < MAX_LENGTH_ERROR
}
