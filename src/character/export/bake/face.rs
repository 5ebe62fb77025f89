//! Transfers faces and gazes of VRM animations to another character's expressions and eyes.

use glam::EulerRot;

use crate::asset::{Character, FaceTracks, apply_overrides};
use crate::pose::Pose;
use crate::secondary::{Gaze, apply_gaze};

/// Transfers faces from poses of a source to poses of a target.
pub(super) struct FaceTransfer {
    /// Nodes of the source, each with an expression of the target.
    expressions: Vec<(usize, usize)>,
    values: Vec<f32>,
    gaze: Option<usize>,
}

impl FaceTransfer {
    /// Matches expressions by preset, or by name if they have no preset.
    pub(super) fn new(source: &Character, target: &Character) -> Self {
        let FaceTracks { expressions, gaze } = &source.face_tracks;
        let of_target = |track: &crate::asset::ExpressionTrack| {
            target.expressions.iter().position(|e| match track.preset {
                Some(preset) => e.preset == Some(preset),
                None => e.name == track.name,
            })
        };
        Self {
            expressions: expressions.iter().filter_map(|t| Some((t.node, of_target(t)?))).collect(),
            values: vec![0.0; target.expressions.len()],
            gaze: *gaze,
        }
    }

    /// Sets the eyes and the morph weights of a pose of the target. The pose must have the rest weights.
    pub(super) fn apply(&mut self, target: &Character, from: &Pose, to: &mut Pose) {
        if let Some(local) = self.gaze.and_then(|node| from.locals.get(node)) {
            let (yaw, pitch, _) = local.rotation.to_euler(EulerRot::YXZ);
            let gaze = Gaze { yaw: f64::from(yaw.to_degrees()), pitch: f64::from(pitch.to_degrees()) };
            apply_gaze(target, gaze, to);
        }
        if self.expressions.is_empty() {
            return;
        }
        self.values.fill(0.0);
        for (node, expression) in &self.expressions {
            let value = from.locals.get(*node).map_or(0.0, |local| local.translation.x);
            if let Some(own) = self.values.get_mut(*expression) {
                *own = value.clamp(0.0, 1.0);
            }
        }
        apply_overrides(&target.expressions, &mut self.values);
        for (expression, value) in target.expressions.iter().zip(&self.values) {
            for bind in &expression.binds {
                if let Some(weight) = to.weights.get_mut(bind.weight) {
                    *weight = (*weight + value * bind.amount).min(weight.max(1.0));
                }
            }
        }
    }
}
