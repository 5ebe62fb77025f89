//! The fused method: Li & Peng 2013, "The research based on the 3D inverse dynamics of IK algorithm".
//!
//! The closed form of two links (eqs. 3 and 4) comes first, with the two halves of the chain as the links. Damped
//! differential steps follow (eqs. 8 to 12). In every step, the freedom that the goal leaves is used for an additional
//! task ΔH (eq. 13), which is either a pull towards the middle angles (eq. 14) or the interpolated midpoint of the last
//! step (eqs. 15 and 16).
//!
//! The algorithm is written once, for any [`FusedPose`]. Trees and free chains implement it.

mod tree;

use glam::DVec3;

use crate::damping::Damping;
use crate::{Correction, FusedOptions};

pub(crate) use tree::{Fused, middle_joint};

/// The closed form is intended for large changes. It is skipped if the distance from the end to the target is less than
/// this fraction of the reach, because a few differential steps then turn the joints less.
const CLOSE: f64 = 0.1;
/// The closed form is not skipped for a nearly straight chain, in which the differential steps find no direction. A
/// chain is nearly straight if the reach minus the distance of the end from the base is at most this fraction of the
/// reach minus the distance of the target.
const STRAIGHT: f64 = 1e-3;
/// Two joints divide a chain equally well if their distances from its middle differ by less than this fraction of its
/// length.
const TIE: f64 = 1e-9;
/// Number of steps that include the additional task. Each step with weights of ½ removes about half of the distance to
/// the middle angles, so less than one percent remains.
const CORRECTIONS: usize = 8;

/// A pose that the fused method changes. Rotation vectors are in base space.
pub(crate) trait FusedPose {
    /// Returns the number of joints that turn.
    fn joint_count(&self) -> usize;
    /// Returns the weighted sum of the squared errors.
    fn cost(&self) -> f64;
    /// Applies the closed form, if the two halves can reach the target. The pose before the closed form is stored.
    fn apply_closed_form(&mut self);
    /// Computes θᵢ − θᵢ₋₁ of each joint: its rotation since the stored pose.
    fn last_turns(&self, turns: &mut Vec<DVec3>);
    /// Returns θ_mid − θ of a joint: the rotation to the middle of its limit, or to the rest rotation if it has no
    /// limit.
    fn turn_to_middle(&self, joint: usize) -> DVec3;
    /// Stores the pose and makes the step Δθ = J⁺ΔX + (I − J⁺J)ΔH (eq. 8), with `boost` times the λ² of damped least
    /// squares. If `additional` is `None`, ΔH is zero.
    fn step(&mut self, additional: Option<&[DVec3]>, boost: f64);
    /// Returns to the stored pose.
    fn undo(&mut self);
}

/// The state of the fused method between two steps. [`Self::start`] must be called before the first iteration.
#[derive(Clone, Debug, Default)]
pub(crate) struct FusedSteps {
    /// Whether the closed form still has to run.
    is_due: bool,
    /// Number of further steps that include the additional task.
    corrections: usize,
    last_cost: f64,
    /// Factor for λ².
    damping: Damping,
    /// ΔH for each joint.
    additional: Vec<DVec3>,
}

impl FusedSteps {
    /// Starts a solve. `closed_form` indicates whether the solve begins with the closed form.
    #[inline]
    pub(crate) fn start(&mut self, closed_form: bool) {
        (self.is_due, self.corrections) = (closed_form, CORRECTIONS);
        (self.last_cost, self.damping) = (f64::INFINITY, Damping::FUSED);
    }

    /// Returns whether many consecutive steps increased the error.
    #[inline]
    pub(crate) fn is_stuck(&self) -> bool {
        self.damping.is_stuck()
    }

    /// Runs one iteration. The first iteration may consist of the closed form and a step.
    ///
    /// A step that increased the error is undone and repeated with more damping. The additional task keeps the end in
    /// place only to first order. It therefore ends after [`CORRECTIONS`] steps, or once a step has increased the
    /// error, and the remaining steps only reach for the target. Otherwise a small tolerance would require very many
    /// steps.
    pub(crate) fn iterate(&mut self, pose: &mut impl FusedPose, options: &FusedOptions) {
        let cost = pose.cost();
        let is_worse = cost.is_nan() || cost > self.last_cost;
        if is_worse {
            pose.undo();
            self.corrections = 0;
            self.damping.reject_marquardt();
        } else {
            self.damping.accept_marquardt();
            self.last_cost = cost;
        }
        if std::mem::take(&mut self.is_due) {
            pose.apply_closed_form();
        }
        let corrects = self.corrections > 0;
        if corrects {
            self.corrections -= 1;
            additional_task(pose, options, &mut self.additional);
        }
        pose.step(corrects.then_some(&self.additional[..]), self.damping.value());
    }
}

/// Computes ΔH of each joint.
fn additional_task(pose: &impl FusedPose, options: &FusedOptions, additional: &mut Vec<DVec3>) {
    let joints = pose.joint_count();
    let factor = match options.correction {
        // θᵢᵐ = (1 − α)θᵢ₋₁ + αθᵢ, so αᵢ(θᵢ − θᵢᵐ) = αᵢ(1 − α)(θᵢ − θᵢ₋₁).
        Correction::Midpoint => {
            pose.last_turns(additional);
            1.0 - options.alpha
        }
        // −2(θ − θ_mid).
        Correction::MidAngle => {
            additional.clear();
            additional.extend((0..joints).map(|joint| pose.turn_to_middle(joint)));
            2.0
        }
    };
    #[expect(clippy::cast_precision_loss, reason = "chains are short")]
    let slope = (options.last_weight - options.first_weight) / joints.saturating_sub(1).max(1) as f64;
    for (joint, turn) in additional.iter_mut().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "chains are short")]
        let weight = match options.correction {
            Correction::Midpoint => options.first_weight + slope * joint as f64,
            Correction::MidAngle => 1.0,
        };
        *turn *= weight * factor;
    }
}

/// Returns whether a solve begins with the closed form. `end` and `target` are relative to the base.
#[inline]
pub(crate) fn wants_closed_form(end: DVec3, target: DVec3, reach: f64) -> bool {
    let is_straight = reach - end.length() <= STRAIGHT * (reach - target.length());
    is_straight || end.distance_squared(target) > CLOSE * CLOSE * reach * reach
}

/// Returns whether two links with the given vectors can reach a target.
#[inline]
pub(crate) fn can_reach(upper: DVec3, lower: DVec3, target: DVec3) -> bool {
    let (a2, b2, d2) = (upper.length_squared(), lower.length_squared(), target.length_squared());
    let along = 0.5 * (d2 + a2 - b2);
    a2 * d2 > along * along
}

/// Returns the index of the joint that divides a chain most evenly, or 0 for a chain of one joint. If two joints divide
/// the chain equally well, returns the first one.
///
/// `lengths` are the distances from each joint to the next one, base first, and `total` is the length of the whole
/// chain.
pub(crate) fn middle(lengths: impl Iterator<Item = f64>, total: f64) -> usize {
    let (mut passed, mut best) = (0.0, (f64::INFINITY, 0));
    for (index, length) in lengths.enumerate() {
        passed += length;
        let off = (passed - 0.5 * total).abs();
        // Rounding errors must not decide between two joints.
        if off < best.0 - TIE * total {
            best = (off, index + 1);
        }
    }
    best.1
}
