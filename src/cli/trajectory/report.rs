//! The result of a trajectory as text.

use std::path::Path;

use crate::ik::{GoalOutcome, Outcome};
use crate::robot::{Collisions, Robot, RobotClearance, Trajectory};

use super::poses::PathPose;

/// Maximum number of missed poses that are listed.
const LISTED: usize = 10;

/// Returns the number of rows, the duration, the number of poses that are reached, and the smallest distance.
pub(super) fn summary(trajectory: &Trajectory) -> String {
    let (rows, seconds) = (trajectory.table.rows.len(), trajectory.duration());
    let reached = trajectory.poses.iter().filter(|row| is_reached(trajectory, **row)).count();
    let clearance = trajectory.clearance.as_ref().map(describe);
    let clearance = clearance.map_or(String::new(), |text| format!("; smallest clearance {text}"));
    format!("{rows} rows in {seconds:.3} s; {reached} of {} poses reached{clearance}", trajectory.poses.len())
}

/// Returns one warning for each of the first missed poses, and others for missed rows between poses and for collisions.
pub(super) fn warnings(
    trajectory: &Trajectory,
    robot: &Robot,
    path: &Path,
    poses: &[PathPose],
) -> Vec<String> {
    let file = path.display();
    let missed = |(row, pose): (&usize, &PathPose)| {
        let goal = trajectory.solutions.get(*row)?.report.goals.first()?;
        let miss = (goal.outcome != Outcome::Reached).then(|| miss(goal))?;
        Some(format!("{file}: line {}: pose is not reached: {miss}", pose.line))
    };
    let mut warnings: Vec<String> = trajectory.poses.iter().zip(poses).filter_map(missed).collect();
    if let Some(more) = warnings.len().checked_sub(LISTED).filter(|more| *more > 0) {
        warnings.truncate(LISTED);
        warnings.push(format!("{file}: {more} more poses are not reached"));
    }
    let is_missed = |row: &usize| {
        // The rows of the poses are in ascending order.
        !is_reached(trajectory, *row) && trajectory.poses.binary_search(row).is_err()
    };
    let between = (0..trajectory.solutions.len()).filter(is_missed).count();
    if between > 0 {
        warnings.push(format!("{file}: {between} rows between the poses are not reached"));
    }
    let margin = robot.collisions().map_or(0.0, Collisions::margin);
    if let Some(nearest) = trajectory.clearance.as_ref().filter(|nearest| nearest.distance < margin) {
        let (nearest, margin) = (describe(nearest), 1e3 * margin);
        warnings.push(format!("{file}: the smallest clearance, {nearest}, is below {margin:.3} mm"));
    }
    warnings
}

fn is_reached(trajectory: &Trajectory, row: usize) -> bool {
    trajectory.solutions.get(row).is_some_and(|solution| solution.report.reached())
}

/// Returns the errors and the outcome of a goal.
fn miss(goal: &GoalOutcome) -> String {
    let distance = 1e3 * goal.position_error.unwrap_or(0.0);
    let angle = goal.orientation_error.map(|angle| format!(" and {:.2}°", angle.to_degrees()));
    format!("{distance:.3} mm{} away ({})", angle.unwrap_or_default(), goal.outcome)
}

fn describe(nearest: &RobotClearance) -> String {
    let [link, other] = &nearest.pair;
    format!("{:.3} mm between \"{link}\" and \"{other}\"", 1e3 * nearest.distance)
}
