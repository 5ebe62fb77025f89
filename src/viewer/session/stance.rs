//! Where a session is, in commands: what they are applied to is then in the same state.

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

/// How far the length of a rotation's quaternion may be from one.
const NEARLY: f32 = 1e-3;

/// How a character stands: its pose, and what holds it there. Nodes are indices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Stance {
    /// Local transforms of the nodes that are not at rest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<(usize, Transform)>,
    /// Morph weights, all of them; none: those of rest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub morphs: Vec<f32>,
    /// Goals that stayed when they were let go.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<Target>,
    /// Pinned nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<Pin>,
    /// The node that is held still.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<usize>,
    /// Limits of joints that are not as the rig's file has them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<(usize, Limit)>,
    /// Poles of chains that are not as the rig's file has them, by the chain's effector; world metres.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub poles: Vec<(usize, Option<Vec3>)>,
    /// What is played.
    #[serde(skip_serializing_if = "Motion::is_rest")]
    pub motion: Motion,
    /// The selected joint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selected: Option<usize>,
    /// What was held last: what a key speaks of where the pointer is on nothing and nothing is selected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<usize>,
}

impl Session {
    /// How is solved and what is shown, whatever the character.
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

    /// All that this session is: applied to another one of the same character and size, they bring it here.
    pub(super) fn retell(&self) -> Vec<Command> {
        let mut told = self.settings();
        told.extend([Command::View(self.orbit), Command::Stand(Box::new(self.stance()))]);
        told.extend([Command::Loop(self.clock.again), Command::Speed(self.clock.speed)]);
        told.push(Command::Seek(self.puppet.time));
        told.extend([Command::Play(self.clock.playing), Command::Hover(self.pointer)]);
        told
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

    /// What no node could do, or no node of this character, is left out.
    pub(super) fn stand(&mut self, stance: Stance) {
        let Stance { nodes, morphs, mut goals, mut pins, base, limits, poles, motion, selected, last } =
            stance;
        let skeleton = &self.puppet.character().skeleton;
        let there = |node: usize| node < skeleton.nodes.len();
        let mut held = Pose::rest(skeleton);
        for (node, transform) in nodes.into_iter().filter(|(_, t)| is_sound(t)) {
            if let Some(local) = held.locals.get_mut(node) {
                *local = transform;
            }
        }
        if morphs.len() == held.weights.len() && morphs.iter().all(|w| w.is_finite()) {
            held.weights = morphs;
        }
        let counts = |weight: f64| weight.is_finite() && weight >= 0.0;
        goals.retain(|g| there(g.node) && g.base.is_none_or(there) && counts(g.weight));
        pins.retain(|p| there(p.node));
        let mut rig = Rig::clone(&self.loaded_rig);
        for (node, limit) in limits.into_iter().filter(|(n, limit)| there(*n) && limit.fault().is_none()) {
            rig.joints.entry(node).or_default().limit = limit;
        }
        rig.joints.retain(|n, joint| *joint != JointRig::default() || self.loaded_rig.joints.contains_key(n));
        for (effector, pole) in poles {
            let chains = rig.chains.iter_mut().filter(|c| c.effector == effector);
            chains.for_each(|chain| chain.pole = pole.filter(|p| p.is_finite()));
        }
        (self.selected, self.last) = (selected.filter(|&n| there(n)), last.filter(|&n| there(n)));
        (self.hand, self.hold, self.hover, self.hot, self.hint) = (None, None, None, None, None);
        let base = base.filter(|&b| there(b));
        (self.history, self.followed) = (History::default(), None);
        self.puppet.time = 0.0;
        self.puppet.forget();
        // Ghosts stand where nothing has been asked of them yet.
        let methods = self.comparison.methods();
        self.comparison = Comparison::default();
        self.comparison.choose(&methods, &self.puppet);
        let is_known = motion.fault().is_none() && motion.fits(self.puppet.character());
        let motion = Arc::new(if is_known { motion } else { Motion::default() });
        self.restore(Some(State { held, goals, pins, base, rig: Arc::new(rig), motion }));
    }
}

pub(super) fn is_sound(transform: &Transform) -> bool {
    let Transform { translation, rotation, scale } = transform;
    translation.is_finite() && scale.is_finite() && (rotation.length() - 1.0).abs() < NEARLY
}
