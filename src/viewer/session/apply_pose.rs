//! Applies stored poses, wholly or blended with the current pose.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::asset::Transform;
use crate::export::{StoredPose, StoredPoseError};
use crate::motion::{Keyed, Motion};
use crate::pose::Pose;
use crate::puppet::Puppet;
use crate::viewer::session::history::{EditRun, State};
use crate::viewer::{Command, Session};

use super::key::FADE_SECONDS;
use super::snapshot::is_valid;

/// A pose to apply, and how much of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppliedPose {
    /// Local transforms of the nodes that are not at rest.
    #[serde(default)]
    pub nodes: Vec<(usize, Transform)>,
    /// All morph weights. If this is empty, they do not change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub morphs: Vec<f32>,
    /// From 0, which is the current pose, to 1, which is this one.
    #[serde(default = "whole")]
    pub weight: f32,
}

fn whole() -> f32 {
    1.0
}

impl Session {
    /// Returns the command that applies a stored pose with a weight from 0 to 1.
    ///
    /// # Errors
    /// [`StoredPoseError`] if the pose has joints that the character does not have.
    pub fn command_for_pose(&self, pose: &StoredPose, weight: f32) -> Result<Command, StoredPoseError> {
        let skeleton = &self.puppet.character().skeleton;
        let wanted = pose.for_skeleton(skeleton, self.puppet.pose())?;
        let moved = wanted.locals.iter().zip(&skeleton.nodes).enumerate();
        let nodes = moved.filter(|(_, (local, node))| **local != node.rest);
        let nodes = nodes.map(|(node, (local, _))| (node, *local)).collect();
        Ok(Command::ApplyPose(Box::new(AppliedPose { nodes, morphs: wanted.weights, weight })))
    }

    /// Applies a pose, and clears the goals. If a motion is loaded, the pose is keyed at the current time. Consecutive changes, until
    /// the next release, blend from the same pose and form one undo step.
    pub(super) fn apply_pose(&mut self, applied: &AppliedPose) {
        if !applied.weight.is_finite() {
            return;
        }
        if self.is_dragging() {
            self.release();
        }
        self.history.remember_run(EditRun::Pose, &self.state);
        let before = self.history.last().unwrap_or(&self.state).clone();
        let weight = applied.weight.clamp(0.0, 1.0);
        let changed = if self.puppet.motion.is_rest() {
            let held = between(&before.held, &self.wanted(applied, &before.held), weight);
            Some(State { held, goals: Vec::new(), ..before })
        } else {
            self.keyed(applied, &before, weight)
        };
        let Some(state) = changed else { return };
        self.state = state;
        self.problem = None;
        self.apply_motion();
        self.refresh_pins();
        self.show();
    }

    /// Returns the state before with a key that reaches the pose at the current time.
    fn keyed(&self, applied: &AppliedPose, before: &State, weight: f32) -> Option<State> {
        let mut free: Puppet = self.puppet.clone();
        (free.targets, free.pins, free.rotations) = Default::default();
        free.motion = Motion::clone(&before.motion);
        free.held = Some(before.held.clone());
        // Without goals the update cannot fail.
        drop(free.update());
        let own = free.pose().clone();
        free.motion.edits.clear();
        free.motion.plant = false;
        drop(free.update());
        let wanted = between(&own, &self.wanted(applied, &own), weight);
        let round = free.looping.then(|| self.seconds());
        let poses = Keyed { bare: free.pose(), own: &own, wanted: &wanted, round };
        let motion = match before.motion.keyed(poses, free.time, FADE_SECONDS) {
            Some(keyed) if keyed.validate().is_ok() => Arc::new(keyed),
            Some(_) => return None,
            // The motion has this pose already.
            None => Arc::clone(&before.motion),
        };
        Some(State { motion, goals: Vec::new(), ..before.clone() })
    }

    /// Returns the whole pose. Invalid transforms and unknown nodes are ignored.
    fn wanted(&self, applied: &AppliedPose, before: &Pose) -> Pose {
        let mut wanted = Pose::rest(&self.puppet.character().skeleton);
        wanted.weights.clone_from(&before.weights);
        for (node, transform) in applied.nodes.iter().filter(|(_, t)| is_valid(t)) {
            if let Some(local) = wanted.locals.get_mut(*node) {
                *local = *transform;
            }
        }
        if applied.morphs.len() == wanted.weights.len() && applied.morphs.iter().all(|w| w.is_finite()) {
            wanted.weights.clone_from(&applied.morphs);
        }
        wanted
    }
}

/// Returns the pose at a weight from 0 to 1 between two poses. At both ends, it is exactly one of them.
fn between(a: &Pose, b: &Pose, weight: f32) -> Pose {
    if weight <= 0.0 || weight >= 1.0 {
        return if weight <= 0.0 { a.clone() } else { b.clone() };
    }
    let local = |(a, b): (&Transform, &Transform)| Transform {
        translation: a.translation.lerp(b.translation, weight),
        rotation: if a.rotation == b.rotation {
            a.rotation
        } else {
            a.rotation.slerp(b.rotation, weight).normalize()
        },
        scale: a.scale.lerp(b.scale, weight),
    };
    let weights = a.weights.iter().zip(&b.weights).map(|(a, b)| a + (b - a) * weight);
    Pose { locals: a.locals.iter().zip(&b.locals).map(local).collect(), weights: weights.collect() }
}
