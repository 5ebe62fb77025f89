//! Trajectories: paths of poses with times that respect the velocity limits of the joints.

use crate::api::with_methods;
use crate::ik::{Goal, Options, Solver, Start};

use super::{JointTable, Redundancy, Robot, RobotClearance, RobotError, Solution, path};

/// Smallest time between two rows, in seconds, because the times of a table must increase.
const SHORTEST: f64 = 1e-3;
/// Times are longer by this fraction, so that rounding does not exceed a velocity.
const ROUNDING: f64 = 1e-12;

/// Options of a trajectory.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TrajectoryOptions {
    /// Largest distance between successive targets in metres. Intermediate targets lie on straight lines. The default is 0.01.
    pub spacing: f64,
    /// Largest turn between successive targets in radians. The default is 0.05.
    pub turn_spacing: f64,
    /// Largest change of a joint between successive rows, in radians or metres. A larger change is an error. The default is 0.5.
    pub largest_step: f64,
    /// Fraction of the velocity limits that the joints use, from 0 to 1. The default is 1.
    pub speed: f64,
    /// Velocity in radians or metres per second of joints for which the file has none, or has 0. The default is 1.
    pub default_velocity: f64,
    /// How the robot uses the freedom that the goals leave.
    pub redundancy: Redundancy,
    /// Fraction of the way towards the posture of `redundancy` that one iteration applies. The default is 0.05.
    pub gain: f64,
}

with_methods!(TrajectoryOptions {
    with_spacing(spacing: f64),
    with_turn_spacing(turn_spacing: f64),
    with_largest_step(largest_step: f64),
    with_speed(speed: f64),
    with_default_velocity(default_velocity: f64),
    with_redundancy(redundancy: Redundancy),
    with_gain(gain: f64),
});

impl Default for TrajectoryOptions {
    fn default() -> Self {
        Self {
            spacing: 0.01,
            turn_spacing: 0.05,
            largest_step: 0.5,
            speed: 1.0,
            default_velocity: 1.0,
            redundancy: Redundancy::default(),
            gain: 0.05,
        }
    }
}

/// Joint values at times, along a path of poses.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Trajectory {
    /// Times in seconds from 0, each with its `q`. Between two rows, each joint moves at a constant rate within its velocity limit.
    pub table: JointTable,
    /// The result of each row.
    pub solutions: Vec<Solution>,
    /// For each pose of the path, the index of its row.
    pub poses: Vec<usize>,
    /// The smallest distance on the whole way, also between rows, if the robot has collisions to avoid.
    pub clearance: Option<RobotClearance>,
    margin: f64,
}

/// The reason why there is no trajectory.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrajectoryError {
    /// An option is invalid.
    #[error(transparent)]
    Options(RobotError),
    /// A pose is invalid, or its joints jump.
    #[error("pose {index}: {source}")]
    Pose {
        /// Index of the pose in the path.
        index: usize,
        /// What is wrong with it.
        source: RobotError,
    },
}

impl Trajectory {
    /// Returns whether all goals are within tolerance at all rows, and the whole way is free of collisions.
    pub fn reached(&self) -> bool {
        let is_clear = self.clearance.as_ref().is_none_or(|nearest| nearest.distance >= self.margin);
        is_clear && self.solutions.iter().all(|solution| solution.report.reached())
    }

    /// Returns the time of the last row in seconds.
    pub fn duration(&self) -> f64 {
        self.table.rows.last().map_or(0.0, |(time, _)| *time)
    }

    /// Returns the table as CSV, with the columns `time` and one for each joint. [`JointTable::read`] reads it without loss.
    pub fn to_csv(&self, robot: &Robot) -> String {
        self.table.to_csv(robot)
    }
}

impl Robot {
    /// Returns joint values and times along a path of poses. The links of the goals are indices into [`Robot::links`], and positions and
    /// orientations are in the robot's own frame.
    ///
    /// The first row meets the first pose. It is found from `q0`, with restarts if they are needed. Each following row continues from the
    /// last one, so that the joints do not jump. Each joint respects its velocity limit, and the limits of the joints that mimic it.
    /// Accelerations are not limited. If the robot has [`Collisions`](super::Collisions), the way between the rows is tested too.
    ///
    /// # Errors
    /// [`TrajectoryError`] if an option, `q0` or a goal is invalid, or if a joint would jump. The message names the pose and the joint.
    pub fn trajectory(
        &self,
        path: &[Vec<Goal>],
        q0: &[f64],
        options: &Options,
        trajectory: &TrajectoryOptions,
    ) -> Result<Trajectory, TrajectoryError> {
        trajectory.check().map_err(TrajectoryError::Options)?;
        self.check(q0).map_err(TrajectoryError::Options)?;
        let mut solver = Solver::default();
        let margin = self.collisions().map_or(0.0, super::Collisions::margin);
        let (table, solutions) = (JointTable::default(), Vec::new());
        let mut own = Trajectory { table, solutions, poses: Vec::new(), clearance: None, margin };
        let mut before: Option<&Vec<Goal>> = None;
        for (index, goals) in path.iter().enumerate() {
            let at = |source| TrajectoryError::Pose { index, source };
            let (spacing, turn) = (trajectory.spacing, trajectory.turn_spacing);
            let targets =
                before.map_or_else(|| vec![goals.clone()], |from| path::between(from, goals, spacing, turn));
            for targets in &targets {
                self.extend(&mut own, &mut solver, targets, q0, options, trajectory).map_err(at)?;
            }
            own.poses.push(own.table.rows.len().saturating_sub(1));
            before = Some(goals);
        }
        Ok(own)
    }

    /// Adds a row to a trajectory.
    fn extend(
        &self,
        own: &mut Trajectory,
        solver: &mut Solver,
        goals: &[Goal],
        q0: &[f64],
        options: &Options,
        trajectory: &TrajectoryOptions,
    ) -> Result<(), RobotError> {
        let last = own.table.rows.last().map(|(time, q)| (*time, q.clone()));
        let from = last.as_ref().map_or(q0, |(_, q)| q);
        let start = if last.is_some() { Start::Continue } else { options.start };
        let options = options.with_start(start);
        let (options, posture) = trajectory.redundancy.apply(self, goals, from, &options, trajectory.gain)?;
        let solution = self.solve_towards(solver, goals, from, &options, posture.as_deref())?;
        let mut time = 0.0;
        if let Some((before, from)) = &last {
            self.check_jump(from, &solution.q, trajectory)?;
            time = before + self.seconds(from, &solution.q, trajectory);
            let way = self.clearance_between(&self.body(from)?, &self.body(&solution.q)?);
            own.add_clearance(way);
        }
        own.add_clearance(solution.clearance.clone());
        own.table.rows.push((time, solution.q.clone()));
        own.solutions.push(solution);
        Ok(())
    }

    fn check_jump(&self, from: &[f64], to: &[f64], options: &TrajectoryOptions) -> Result<(), RobotError> {
        let changes =
            self.joints().iter().zip(from.iter().zip(to)).map(|(joint, (a, b))| (joint, (b - a).abs()));
        let Some((joint, change)) = changes.max_by(|a, b| a.1.total_cmp(&b.1)) else { return Ok(()) };
        if change <= options.largest_step {
            return Ok(());
        }
        let (unit, largest) = (joint.unit.symbol(), options.largest_step);
        Err(RobotError::Jump { joint: joint.name.clone(), change, unit, largest })
    }

    /// Returns the shortest time in seconds in which all joints can move from one row to the next.
    fn seconds(&self, from: &[f64], to: &[f64], options: &TrajectoryOptions) -> f64 {
        let rates = self.joints().iter().enumerate().zip(from.iter().zip(to)).map(|((place, _), (a, b))| {
            (b - a).abs() / (self.velocity_limit(place, options.default_velocity) * options.speed)
        });
        rates.fold(SHORTEST, f64::max) * (1.0 + ROUNDING)
    }

    /// Returns the maximum speed of a joint, in radians or metres per second. Joints that mimic it may reduce it.
    fn velocity_limit(&self, place: usize, default: f64) -> f64 {
        let or_default =
            |velocity: Option<f64>| velocity.filter(|v| v.is_finite() && *v > 0.0).unwrap_or(default);
        let own = or_default(self.joints().get(place).and_then(|joint| joint.velocity));
        let followers = self.mimics().iter().filter(|mimic| mimic.leader == place && mimic.ratio != 0.0);
        followers.map(|mimic| or_default(mimic.velocity) / mimic.ratio.abs()).fold(own, f64::min)
    }
}

impl Trajectory {
    fn add_clearance(&mut self, other: Option<RobotClearance>) {
        let Some(other) = other else { return };
        if self.clearance.as_ref().is_none_or(|own| other.distance < own.distance) {
            self.clearance = Some(other);
        }
    }
}

impl TrajectoryOptions {
    /// Checks that all values are in their ranges.
    fn check(&self) -> Result<(), RobotError> {
        let positive = "finite and greater than 0";
        let lengths = [
            ("spacing", self.spacing),
            ("turn_spacing", self.turn_spacing),
            ("largest_step", self.largest_step),
            ("default_velocity", self.default_velocity),
        ];
        let refused = |what, wanted, value| Err(RobotError::Trajectory { what, wanted, value });
        if let Some((what, value)) = lengths.into_iter().find(|(_, v)| !(v.is_finite() && *v > 0.0)) {
            return refused(what, positive, value);
        }
        if !(self.speed > 0.0 && self.speed <= 1.0) {
            return refused("speed", "greater than 0 and at most 1", self.speed);
        }
        if !(0.0..=1.0).contains(&self.gain) {
            return refused("gain", "from 0 to 1", self.gain);
        }
        Ok(())
    }
}
