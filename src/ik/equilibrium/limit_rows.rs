//! The limits of ball joints as rows. The value of a row is the distance to the border of the limit in radians, positive within the
//! limit.

use glam::{DQuat, DVec2, DVec3};

use super::factor::TreeMatrix;
use super::model::FigureJoint;
use super::problem::Problem;
use super::rows::NEAR_LIMIT;
use crate::Limit;
use crate::limit::swing_twist;
use crate::rotation::{rotation_vector, wrapped};

/// Step sizes of the finite differences for first and second derivatives, in radians.
const STEP: f64 = 1e-6;
const SECOND_STEP: f64 = 2e-3;
/// Minimum half angle of a cone, in radians.
const NARROWEST: f64 = 1e-3;
/// Maximum number of values of a limit.
pub(super) const VALUES: usize = 6;

/// Returns the distances from a rotation to the borders of a limit, which are positive within the limit. Unused entries are infinite.
pub(super) fn limit_values(limit: &Limit, q: DQuat) -> [f64; VALUES] {
    let mut values = [f64::INFINITY; VALUES];
    match *limit {
        Limit::Cone { axis, side, swing, twist } => {
            let (away, angle) = swing_twist(q, axis);
            let vector = rotation_vector(away);
            let radii = DVec2::from(swing.map(|s| s.max(NARROWEST)));
            let at = DVec2::new(vector.dot(side), vector.dot(axis.cross(side))) / radii;
            // This function is smooth in the middle of the cone, and at the border it has the slope of an angle.
            values[0] = 0.5 * (1.0 - at.length_squared()) * (radii.x * radii.y).sqrt();
            let middle = 0.5 * (twist[0] + twist[1]);
            let from_middle = wrapped(wrapped(angle - middle));
            let half = 0.5 * (twist[1] - twist[0]);
            (values[1], values[2]) = (half + from_middle, half - from_middle);
        }
        Limit::Euler { order, min, max } => {
            let (a, b, c) = q.to_euler(order);
            for (i, angle) in [a, b, c].into_iter().enumerate() {
                let middle = 0.5 * (min[i] + max[i]);
                let half = 0.5 * (max[i] - min[i]);
                let from_middle = wrapped(wrapped(angle - middle));
                (values[2 * i], values[2 * i + 1]) = (half + from_middle, half - from_middle);
            }
        }
        _ => {}
    }
    values
}

impl Problem {
    /// Returns the values of a joint's limit, relaxed so that they are at least zero in the stance.
    pub(super) fn limit_values(&self, link: usize, turn: DQuat) -> [f64; VALUES] {
        let mut values = self.bare_values(link, turn);
        let slack = self.limit_slack.get(link).copied().unwrap_or_default();
        values.iter_mut().zip(slack).for_each(|(value, slack)| *value += slack);
        values
    }

    /// Returns `f64::MAX` for each value that a limit has, and infinity for the others.
    pub(super) fn limit_shape(&self, link: usize) -> [f64; VALUES] {
        let count = match self.model.joints[link].limit {
            Limit::Cone { .. } => 3,
            _ => VALUES,
        };
        std::array::from_fn(|i| if i < count { f64::MAX } else { f64::INFINITY })
    }

    /// Returns whether a joint has turned so little from rest that its limit is far away.
    pub(super) fn is_far_from_limit(&self, link: usize, turn: DQuat) -> bool {
        // `sine` is the squared sine of half the rotation angle. Swing, twist and Euler angles are at most twice the rotation angle.
        let sine = turn.xyz().length_squared();
        let safe = self.safe_turns[link];
        turn.w > 0.0 && sine < safe * safe
    }

    /// Measures the amount by which the stance exceeds each limit. Also computes the threshold below which a limit counts as far away: the
    /// sine of half the rotation angle from rest.
    pub(super) fn measure_limits(&mut self) {
        let Self { model, stance, limit_slack, safe_turns, .. } = self;
        let safe = |joint: &FigureJoint| {
            let least = match joint.limit {
                Limit::Cone { swing, twist, .. } => swing[0].min(swing[1]).min(-twist[0]).min(twist[1]),
                Limit::Euler { min, max, .. } => {
                    (0..3).map(|i| max[i].min(-min[i])).fold(f64::INFINITY, f64::min)
                }
                _ => 0.0,
            };
            (0.25 * (least - NEAR_LIMIT)).max(0.0)
        };
        safe_turns.clear();
        safe_turns.extend(model.joints.iter().map(safe));
        let exceeded = |(link, &turn): (usize, &DQuat)| {
            let values = limit_values(&model.joints[link].limit, model.own(link, turn));
            values.map(|v| (-v).max(0.0))
        };
        limit_slack.clear();
        limit_slack.extend(stance.turns.iter().enumerate().map(exceeded));
    }

    fn bare_values(&self, link: usize, turn: DQuat) -> [f64; VALUES] {
        limit_values(&self.model.joints[link].limit, self.model.own(link, turn))
    }

    /// Returns the derivatives of all values with respect to rotations about the axes of the figure.
    pub(super) fn limit_slopes(&self, link: usize, turn: DQuat) -> [[f64; VALUES]; 3] {
        let values = |v: DVec3| self.bare_values(link, DQuat::from_scaled_axis(v) * turn);
        DVec3::AXES.map(|axis| {
            let (after, before) = (values(axis * STEP), values(axis * -STEP));
            std::array::from_fn(|i| (after[i] - before[i]) / (2.0 * STEP))
        })
    }

    /// Adds the second derivatives of the `nth` value of a joint's limit, multiplied by the negative `moment` that enforces it.
    pub(super) fn bend_limit(
        &self,
        link: usize,
        turn: DQuat,
        nth: usize,
        moment: f64,
        matrix: &mut TreeMatrix,
    ) {
        let joint = &self.model.joints[link];
        if joint.freedom.count() != 3 {
            return;
        }
        let finite = self.bare_values(link, turn).map(|v| v != f64::INFINITY);
        let Some(index) = (0..VALUES).filter(|&i| finite[i]).nth(nth) else { return };
        let value = |v: DVec3| self.bare_values(link, DQuat::from_scaled_axis(v * SECOND_STEP) * turn)[index];
        for (a, &x) in DVec3::AXES.iter().enumerate() {
            let row = matrix.row(&self.model, joint.first + a);
            let own = row.len() - a - 1;
            for (b, &y) in DVec3::AXES[..=a].iter().enumerate() {
                let second = (value(x + y) - value(x - y) - value(y - x) + value(-x - y))
                    / (4.0 * SECOND_STEP * SECOND_STEP);
                row[own + b] -= moment * second;
            }
        }
    }
}
