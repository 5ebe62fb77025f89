//! Changes of a motion that keep its detail: displacements, spread over a while.

use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::pose::Pose;

use super::mix::{ease, rotation_vector};

/// Smaller turns, radians, and shifts, metres, are no change.
const NOTHING: f32 = 1e-6;

/// A changed posture at a time, as what it is beyond the motion's own: it grows before, wanes after, and lies on top of
/// whatever the motion does there (displacement mapping: Bruderlin & Williams 1995; motion warping: Witkin & Popović
/// 1995). Several add up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// When it is whole, seconds on the line.
    pub time: f32,
    /// How long it grows, seconds.
    pub before: f32,
    /// How long it wanes, seconds.
    pub after: f32,
    /// Rotation vectors by node, radians, in the joint's own frame.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<(usize, Vec3)>,
    /// Shifts by node, in the parent's space: those of the root, most of all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shifts: Vec<(usize, Vec3)>,
}

impl Edit {
    /// What takes one posture to another, at a time, over a window before and after it. Where other edits are in force
    /// at that time, both postures hold them already.
    pub fn between(from: &Pose, to: &Pose, time: f32, before: f32, after: f32) -> Self {
        let pairs = || from.locals.iter().zip(&to.locals).enumerate();
        let turn = |(node, (a, b)): (usize, (&crate::asset::Transform, &crate::asset::Transform))| {
            let turn = rotation_vector(a.rotation.conjugate() * b.rotation);
            (turn.length() > NOTHING).then_some((node, turn))
        };
        let shift = |(node, (a, b)): (usize, (&crate::asset::Transform, &crate::asset::Transform))| {
            let shift = b.translation - a.translation;
            (shift.length() > NOTHING).then_some((node, shift))
        };
        Self {
            time,
            before,
            after,
            turns: pairs().filter_map(turn).collect(),
            shifts: pairs().filter_map(shift).collect(),
        }
    }

    /// Whether every number in it is one.
    pub(super) fn is_sound(&self) -> bool {
        let windows = [self.before, self.after];
        let vectors = self.turns.iter().chain(&self.shifts);
        self.time.is_finite()
            && windows.iter().all(|w| w.is_finite() && *w >= 0.0)
            && vectors.clone().all(|(_, v)| v.is_finite())
    }

    /// From 0, outside its window, to 1, at its time.
    pub fn weight(&self, time: f32) -> f32 {
        let away = time - self.time;
        let reach = if away < 0.0 { self.before } else { self.after };
        match () {
            () if away == 0.0 => 1.0,
            () if away.abs() < reach => ease(1.0 - away.abs() / reach),
            () => 0.0,
        }
    }
}

/// Puts edits on top of a pose. Rotation vectors of one joint are summed before they turn it, so that no order counts.
/// `turns` is room to work in.
pub(super) fn deform(edits: &[Edit], time: f32, pose: &mut Pose, turns: &mut Vec<(usize, Vec3)>) {
    turns.clear();
    for edit in edits {
        let weight = edit.weight(time);
        if weight <= 0.0 {
            continue;
        }
        for &(node, turn) in &edit.turns {
            match turns.iter_mut().find(|(n, _)| *n == node) {
                Some((_, sum)) => *sum += turn * weight,
                None => turns.push((node, turn * weight)),
            }
        }
        for &(node, shift) in &edit.shifts {
            if let Some(local) = pose.locals.get_mut(node) {
                local.translation += shift * weight;
            }
        }
    }
    for &(node, turn) in turns.iter() {
        if let Some(local) = pose.locals.get_mut(node) {
            local.rotation = (local.rotation * Quat::from_scaled_axis(turn)).normalize();
        }
    }
}
