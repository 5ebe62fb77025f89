//! Where a session is, in commands: what they are applied to is then in the same state.

use serde::{Deserialize, Serialize};

use crate::asset::Transform;
use crate::pose::Pose;
use crate::puppet::Target;

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
    pub pins: Vec<usize>,
    /// The node that is held still.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<usize>,
    /// What a key speaks of where the pointer is on nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selected: Option<usize>,
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
        ]
    }

    /// All that this session is: applied to another one of the same character and size, they bring it here.
    pub(super) fn retell(&self) -> Vec<Command> {
        let clip = self.puppet.clip;
        let mut told = self.settings();
        told.extend([Command::View(self.orbit), Command::Stand(Box::new(self.stance()))]);
        told.extend([Command::Clip(clip.map(|(c, _)| c)), Command::Loop(self.clock.again)]);
        told.push(Command::Speed(self.clock.speed));
        told.extend(clip.map(|(_, time)| Command::Seek(time)));
        told.extend([Command::Play(self.clock.playing), Command::Hover(self.pointer)]);
        told
    }

    fn stance(&self) -> Stance {
        let rest = &self.puppet.character().skeleton;
        let State { held, goals, pins, base } = &self.state;
        let moved = held.locals.iter().zip(&rest.nodes).enumerate().filter(|(_, (now, n))| **now != n.rest);
        Stance {
            nodes: moved.map(|(node, (now, _))| (node, *now)).collect(),
            morphs: if held.weights == rest.rest_weights { Vec::new() } else { held.weights.clone() },
            goals: goals.clone(),
            pins: pins.clone(),
            base: *base,
            selected: self.selected,
        }
    }

    /// What no node could do, or no node of this character, is left out.
    pub(super) fn stand(&mut self, stance: Stance) {
        let Stance { nodes, morphs, mut goals, mut pins, base, selected } = stance;
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
        goals.retain(|g| there(g.node) && g.base.is_none_or(there));
        pins.retain(|&p| there(p));
        (self.hand, self.hover, self.selected) = (None, None, selected.filter(|&n| there(n)));
        let base = base.filter(|&b| there(b));
        self.history = History::default();
        self.puppet.clip = None;
        self.puppet.forget();
        self.restore(Some(State { held, goals, pins, base }));
    }
}

fn is_sound(transform: &Transform) -> bool {
    let Transform { translation, rotation, scale } = transform;
    translation.is_finite() && scale.is_finite() && (rotation.length() - 1.0).abs() < NEARLY
}
