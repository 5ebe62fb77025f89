//! The errors of an effector as rows of a linear problem, and the derivatives of these errors.

use glam::DVec3;

use crate::tree::EffectorTask;

/// Weight of pins relative to goals.
const PINNED: f64 = 1e4;

/// Rows for the position, the orientation and the aim of an effector. An entry is `None` if the goal lacks this part. Each row
/// is multiplied by the square root of its weight.
pub(super) type Rows = [Option<DVec3>; 3];

fn weight(task: &EffectorTask) -> f64 {
    task.weight * if task.pinned { PINNED } else { 1.0 }
}

/// Returns the errors of an effector in base space, in metres. They are scaled down so that their total length is at most
/// `most` metres.
pub(super) fn errors(task: &EffectorTask, most: f64) -> Rows {
    let position = task.target.map(|target| {
        let error = target - task.position;
        let along = task.position_term.axes.map_or(error, |axes| axes.weighted_from_base * error);
        along * task.position_term.weight.sqrt()
    });
    let orientation = task.orientation.map(|_| {
        let along = task.orientation_term.weighted_rotation(task.turn);
        along * (task.radian * task.orientation_term.weight.sqrt())
    });
    let rows = [position, orientation, task.aim.map(|_| task.aim_turn * task.radian)];
    let length = rows.iter().flatten().map(|row| row.length_squared()).sum::<f64>().sqrt();
    let scale = if length > most { most / length } else { 1.0 };
    rows.map(|row| row.map(|row| row * (scale * weight(task).sqrt())))
}

/// Returns how the errors decrease if the effector turns and moves, to first order. Both vectors are in base space.
pub(super) fn responses(task: &EffectorTask, turned: DVec3, moved: DVec3) -> Rows {
    let position = task.target.map(|_| {
        let along = task.position_term.axes.map_or(moved, |axes| axes.weighted_from_base * moved);
        along * task.position_term.weight.sqrt()
    });
    let orientation = task.orientation.map(|_| {
        let along = task.turn_map.map_or(turned, |map| map * turned);
        along * (task.radian * task.orientation_term.weight.sqrt())
    });
    let aim = task.aim.map(|(_, at)| {
        let Some((_, wanted)) = task.aim_directions() else { return DVec3::ZERO };
        // The aiming axis turns, and the desired direction changes because the effector moves.
        let across = turned - wanted * wanted.dot(turned);
        (across + wanted.cross(moved) / (at - task.position).length()) * task.radian
    });
    [position, orientation, aim].map(|row| row.map(|row| row * weight(task).sqrt()))
}
