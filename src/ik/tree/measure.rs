//! How far a pose is from what is asked.

use glam::DVec3;

use super::{Tip, Tree};

/// Metres that a radian counts for, as a share of the chain's length.
pub(super) const RADIAN: f64 = 0.3;
/// How much more what is pinned counts when steps are judged: a step leaves it to second order, the next one brings it
/// back, and it must not be refused for that.
const STEERED: f64 = 10.0;

/// How far a pose is from what is asked.
#[derive(Clone, Copy, Debug)]
pub(in crate::ik) struct Measure {
    /// What is pinned and not within tolerance: squared, world metres.
    excess: f64,
    /// The weighted sum of squared errors, world metres.
    pub(in crate::ik) sum: f64,
    /// Whether all that counts is within tolerance.
    pub(in crate::ik) done: bool,
}

impl Measure {
    /// Whether this is the pose to hand back of two: pins come first.
    pub(in crate::ik) fn is_better(&self, than: &Self) -> bool {
        let pins = self.excess.total_cmp(&than.excess);
        pins.then(than.done.cmp(&self.done)).then(self.sum.total_cmp(&than.sum)).is_lt()
    }

    /// Whether what is pinned is within tolerance.
    pub(in crate::ik) fn keeps_pins(&self) -> bool {
        self.excess == 0.0
    }
}

impl Tree {
    /// World metres from a tip to its target.
    pub(in crate::ik) fn error(&self, tip: usize) -> Option<f64> {
        let tip = &self.tips[tip];
        tip.target.map(|target| (self.world_from_base * (target - tip.position)).length())
    }

    /// Radians that a tip's link still has to turn, for its orientation or its aim, whichever is more.
    pub(in crate::ik) fn angle_error(&self, tip: usize) -> Option<f64> {
        let tip = &self.tips[tip];
        let turns = [tip.orientation_error(), tip.aim_error()];
        turns.into_iter().flatten().map(DVec3::length).max_by(f64::total_cmp)
    }

    /// Whether a tip is within its tolerances.
    pub(in crate::ik) fn is_reached(&self, tip: usize) -> bool {
        self.error(tip).is_none_or(|e| e <= self.tips[tip].tolerance)
            && self.angle_error(tip).is_none_or(|a| a <= self.angle_tolerance)
    }

    /// How far the pose is from what is asked.
    pub(in crate::ik) fn measure(&self) -> Measure {
        let mut measure = Measure { excess: 0.0, sum: 0.0, done: true };
        for tip in 0..self.tips.len() {
            let Tip { weight, pinned, length, tolerance, .. } = self.tips[tip];
            let (error, angle) = (self.error(tip).unwrap_or(0.0), self.angle_error(tip).unwrap_or(0.0));
            let reached = error <= tolerance && angle <= self.angle_tolerance;
            let turn = angle * RADIAN * length;
            let square = error * error + turn * turn;
            measure.sum += weight * square * if pinned { STEERED } else { 1.0 };
            measure.done &= reached || weight == 0.0;
            if pinned && !reached {
                measure.excess += square;
            }
        }
        measure
    }

    /// The length of the longest chain, base space.
    pub(in crate::ik) fn length(&self) -> f64 {
        some((0..self.tips.len()).map(|t| self.lengths(t).sum).fold(0.0, f64::max))
    }

    /// Whether a tip cannot meet its target, whatever the others do.
    pub(in crate::ik) fn is_out_of_reach(&self, tip: usize) -> bool {
        let lengths = self.lengths(tip);
        self.even
            && !self.root_moves
            && self.tips[tip].target.is_some()
            && (lengths.too_far() || lengths.too_near())
    }

    /// The largest position error of a tip that counts, world metres.
    pub(in crate::ik) fn largest_error(&self) -> f64 {
        let counts = |tip: &usize| self.tips[*tip].weight > 0.0;
        (0..self.tips.len()).filter(counts).filter_map(|tip| self.error(tip)).fold(0.0, f64::max)
    }

    /// Lengths of the stretches from the topmost joint to a tip.
    pub(in crate::ik) fn lengths(&self, tip: usize) -> Lengths {
        let tip = &self.tips[tip];
        let mut lengths = Lengths::default();
        let (mut end, mut next) = (tip.position, tip.joint);
        while let Some(joint) = next.map(|j| &self.joints[j]) {
            let stretch = end - joint.position;
            let length = stretch.length();
            lengths.sum += length;
            lengths.longest = lengths.longest.max(length);
            lengths.world += (self.world_from_base * stretch).length();
            (end, next) = (joint.position, joint.parent);
        }
        lengths.to_target = tip.target.map_or(0.0, |target| (target - end).length());
        lengths
    }
}

/// A length to measure by: a chain without any, one joint that turns in its place, counts as a metre long.
pub(super) fn some(length: f64) -> f64 {
    if length > 0.0 { length } else { 1.0 }
}

/// How far a tip can get.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::ik) struct Lengths {
    /// Sum of its stretches, base space.
    pub(in crate::ik) sum: f64,
    /// The longest of them.
    longest: f64,
    /// Sum of its stretches, world metres.
    pub(in crate::ik) world: f64,
    /// From the topmost joint to the target, base space.
    to_target: f64,
}

impl Lengths {
    /// Whether a rigid chain ends before the target, even stretched.
    pub(in crate::ik) fn too_far(&self) -> bool {
        self.to_target > self.sum
    }

    /// Whether a rigid chain cannot fold as near as the target is.
    fn too_near(&self) -> bool {
        self.to_target < 2.0 * self.longest - self.sum
    }
}
