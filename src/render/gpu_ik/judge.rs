//! Decisions from errors that the GPU measured, where their rounding errors permit.

use glam::{DVec3, DVec4};

use crate::ik::{Body, Goal, GoalOutcome, Options, Outcome};

use super::gpu_types::GoalError;
use super::group::{Group, start_root, tolerances, world_scale};
use super::measured::count;

/// Maximum relative change of an error by a map from base space to the world that counts as uniform. See [`world_scale`].
const UNEVEN_WORLD: f64 = 4e-5;
/// Rounding error of double precision, as a fraction of the distances between the world's origin, the base and the target.
const DOUBLE: f64 = 16.0 * f64::EPSILON;
/// The lengths of valid rotations. A rotation of any other length is not trusted.
const ROTATION_LENGTHS: std::ops::RangeInclusive<f64> = 0.5..=2.0;

/// The errors of one goal of a problem.
///
/// If only the CPU solved the problem, the errors are those of its report. They exclude free axes, and `orientation_error` is the larger of
/// the orientation error and the aim error, as in [`GoalOutcome`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct GoalErrors {
    /// The outcome. It is never affected by rounding errors of the GPU.
    pub outcome: Outcome,
    /// Distance from the goal's point to its target position in world metres, or `None` if the goal has no target position.
    pub position_error: Option<f64>,
    /// Angle to the target orientation in radians, or `None` if the goal has neither an orientation nor an aim.
    pub orientation_error: Option<f64>,
    /// Upper bound of the difference between `position_error` and the error of the pose in double precision, in world metres. Zero if the
    /// CPU measured the error.
    pub position_bound: f64,
    /// Upper bound of the difference between `orientation_error` and the error of the pose in double precision, in radians. Zero if the
    /// CPU measured the error.
    pub orientation_bound: f64,
}

impl From<&GoalOutcome> for GoalErrors {
    fn from(goal: &GoalOutcome) -> Self {
        Self {
            outcome: goal.outcome,
            position_error: goal.position_error,
            orientation_error: goal.orientation_error,
            position_bound: 0.0,
            orientation_bound: 0.0,
        }
    }
}

/// Returns whether an error is within its tolerance, or `None` if rounding errors may change the answer.
pub(super) fn is_within(error: f64, bound: f64, tolerance: f64) -> Option<bool> {
    // Both comparisons are false for values that are not finite.
    if error + bound <= tolerance {
        Some(true)
    } else if error - bound > tolerance {
        Some(false)
    } else {
        None
    }
}

impl Group {
    /// Returns the errors and the outcome of a goal, or `None` if rounding errors may change the outcome. `body` must be in the state in
    /// which the solve started.
    pub(super) fn judge(
        &self,
        index: usize,
        measured: &GoalError,
        goal: &Goal,
        body: &Body,
        options: &Options,
        most_iterations: u32,
    ) -> Option<GoalErrors> {
        let effector = self.structure.effectors.get(index)?;
        let (scale, root) = (world_scale(body)?, start_root(body, options));
        let world = self.structure.length * scale;
        let [most, most_angle] = tolerances(goal, effector.length * scale, options);
        let (mut errors, mut reached) = (GoalErrors::default(), Some(true));
        if let Some(target) = goal.position {
            let error = DVec3::from_array(measured.offset.map(f64::from)).length() * world;
            let uneven = 2.0 * self.structure.unevenness * self.structure.reach(effector) * scale;
            let far = target.length() + body.world_from_base().translation.length() + root.length() * scale;
            let bound =
                f64::from(measured.offset_bound) * world + uneven + UNEVEN_WORLD * error + DOUBLE * far;
            (errors.position_error, errors.position_bound) = (Some(error), bound);
            reached = both(reached, is_within(error, bound, most));
        }
        if goal.orientation.is_some() {
            let turn = DVec4::from_array(measured.turn.map(f64::from));
            let error = 2.0 * turn.truncate().length().atan2(turn.w.abs());
            let bound = f64::from(measured.turn_bound);
            (errors.orientation_error, errors.orientation_bound) = (Some(error), bound);
            let is_rotation = ROTATION_LENGTHS.contains(&turn.length());
            reached = both(reached, if is_rotation { is_within(error, bound, most_angle) } else { None });
        }
        let is_spent = count(measured.iterations) >= most_iterations as usize;
        errors.outcome =
            if reached? { Outcome::Reached } else { self.reason(index, goal, body, root, options, is_spent) };
        Some(errors)
    }
}

/// Returns whether both statements are true, or `None` if that is unknown.
fn both(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(true), Some(true)) => Some(true),
        (Some(false), _) | (_, Some(false)) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_near_the_tolerance_are_undecided() {
        assert_eq!(is_within(0.8, 0.1, 1.0), Some(true));
        assert_eq!(is_within(0.95, 0.1, 1.0), None);
        assert_eq!(is_within(1.05, 0.1, 1.0), None);
        assert_eq!(is_within(1.2, 0.1, 1.0), Some(false));
        for (error, bound) in [(f64::NAN, 0.0), (0.0, f64::NAN), (0.0, f64::INFINITY)] {
            assert_eq!(is_within(error, bound, 1.0), None);
        }
    }

    #[test]
    fn one_missed_part_decides_a_goal() {
        assert_eq!(both(None, Some(false)), Some(false));
        assert_eq!(both(Some(true), None), None);
        assert_eq!(both(Some(true), Some(true)), Some(true));
    }
}
