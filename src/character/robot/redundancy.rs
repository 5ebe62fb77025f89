//! How a robot uses the freedom that its goals leave.

use crate::ik::{Goal, LinkIndex, Method, Options, Secondary};

use super::{Robot, RobotError};

/// Step size in radians or metres of the differences from which the slope of the manipulability is computed.
const STEP: f64 = 1e-5;
/// The square of the smallest singular value that counts, so that the logarithm of the manipulability is finite.
const LEAST: f64 = 1e-9;
/// The posture of best manipulability is this far along the slope of its logarithm, and at most [`LARGEST`] away, in radians or metres.
const ALONG: f64 = 0.5;
const LARGEST: f64 = 0.3;

/// The use of the freedom that goals leave, for example of the elbow of an arm of seven joints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Redundancy {
    /// Each pose is as near as possible to the last one.
    #[default]
    Nearest,
    /// The joints move towards [`Robot::rest`]. Slides move towards 0.
    Rest,
    /// The joints move towards the middle of their ranges.
    JointCentres,
    /// The joints move away from singular poses: along the slope of the manipulability √det(J Jᵀ) (Yoshikawa 1985, "Manipulability of
    /// robotic mechanisms"), where J is the Jacobian of the first goal's link. Slides move towards 0.
    Manipulability,
}

impl Redundancy {
    /// Returns the options of a solve, and the posture in joint values that it pulls towards.
    pub(super) fn apply(
        self,
        robot: &Robot,
        goals: &[Goal],
        q: &[f64],
        options: &Options,
        gain: f64,
    ) -> Result<(Options, Option<Vec<f64>>), RobotError> {
        let mut options = *options;
        let (secondary, posture) = match self {
            Self::Nearest => return Ok((options, None)),
            Self::JointCentres => (Secondary::LimitCentres, None),
            Self::Rest => (Secondary::Posture, Some(robot.rest())),
            Self::Manipulability => (Secondary::Posture, Some(robot.more_manipulable(goals, q)?)),
        };
        // The other methods have no secondary task.
        if options.method == Method::Auto {
            options.method = Method::Dls;
        }
        options.jacobian.secondary = secondary;
        options.jacobian.secondary_gain = gain;
        Ok((options, posture))
    }
}

impl Robot {
    /// Returns the manipulability of a link for joint values: √det(J Jᵀ) of its position, and of its orientation too if `turns` is set
    /// (Yoshikawa 1985). It is 0 in singular poses, and for robots with too few joints. The unit is that of the product of the singular
    /// values of J, in metres and radians.
    ///
    /// # Errors
    /// The errors of [`Robot::check`], and [`RobotError::Link`] if the link does not exist.
    pub fn manipulability(&self, q: &[f64], link: LinkIndex, turns: bool) -> Result<f64, RobotError> {
        Ok(self.determinant(q, link, turns, 0.0)?.max(0.0).sqrt())
    }

    /// Returns the determinant of J Jᵀ + `ridge`.
    fn determinant(&self, q: &[f64], link: LinkIndex, turns: bool, ridge: f64) -> Result<f64, RobotError> {
        let columns = self.jacobian(q, link, glam::DVec3::ZERO)?;
        let count = if turns { 6 } else { 3 };
        let mut matrix = [[0.0; 6]; 6];
        for column in columns {
            let [a, b] = [column.linear, column.angular].map(|v| v.to_array());
            let entries = [a[0], a[1], a[2], b[0], b[1], b[2]];
            for (row, x) in matrix.iter_mut().zip(entries) {
                row.iter_mut().zip(entries).for_each(|(sum, y)| *sum += x * y);
            }
        }
        (0..6).for_each(|i| matrix[i][i] += ridge);
        Ok(determinant(&mut matrix, count))
    }

    /// Returns joint values with a larger manipulability of the first goal's link, a little way from `q`.
    fn more_manipulable(&self, goals: &[Goal], q: &[f64]) -> Result<Vec<f64>, RobotError> {
        let Some(goal) = goals.first() else { return Ok(q.to_vec()) };
        let turns = goal.orientation.is_some() && self.joints().len() > 5;
        let value = |q: &[f64]| -> Result<f64, RobotError> {
            Ok(0.5 * self.determinant(q, goal.link, turns, LEAST)?.max(f64::MIN_POSITIVE).ln())
        };
        let mut there = q.to_vec();
        for place in 0..q.len() {
            let mut at = q.to_vec();
            let mut side = |step: f64| -> Result<f64, RobotError> {
                if let (Some(own), Some(here)) = (at.get_mut(place), q.get(place)) {
                    *own = here + step;
                }
                value(&at)
            };
            let slope = (side(STEP)? - side(-STEP)?) / (2.0 * STEP);
            if let Some(own) = there.get_mut(place) {
                *own += (ALONG * slope).clamp(-LARGEST, LARGEST);
            }
        }
        Ok(self.clamp(&there))
    }
}

/// Computes the determinant of the first `count` rows and columns of a symmetric positive matrix by elimination.
fn determinant(matrix: &mut [[f64; 6]; 6], count: usize) -> f64 {
    let mut product = 1.0;
    for pivot in 0..count.min(6) {
        let diagonal = matrix[pivot][pivot];
        product *= diagonal;
        if diagonal <= 0.0 {
            return 0.0;
        }
        let row = matrix[pivot];
        for below in matrix.iter_mut().take(count).skip(pivot + 1) {
            let factor = below[pivot] / diagonal;
            below.iter_mut().zip(row).for_each(|(own, above)| *own -= factor * above);
        }
    }
    product
}
