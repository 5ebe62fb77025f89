//! Intermediate goals between the poses of a path.

use glam::DVec3;

use crate::ik::Goal;

/// Maximum number of intermediate poses between two poses.
const MOST_POSES: f64 = 10_000.0;

/// Returns the goals on the way from one pose to the next, the last of which are `to`. Successive targets are at most `spacing` metres and
/// `turn` radians apart. If the two poses have goals for different links or of different kinds, only `to` is returned.
pub(super) fn between(from: &[Goal], to: &[Goal], spacing: f64, turn: f64) -> Vec<Vec<Goal>> {
    let is_alike = |(a, b): (&Goal, &Goal)| {
        let kinds = |g: &Goal| (g.link, g.position.is_some(), g.orientation.is_some(), g.aim.is_some());
        kinds(a) == kinds(b) && a.offset == b.offset
    };
    if from.len() != to.len() || !from.iter().zip(to).all(is_alike) {
        return vec![to.to_vec()];
    }
    let steps = |(a, b): (&Goal, &Goal)| {
        let metres = distance(a, b).max(aim(a).distance(aim(b)));
        let angle = a.orientation.zip(b.orientation).map_or(0.0, |(a, b)| a.angle_between(b));
        (metres / spacing).max(angle / turn)
    };
    let count = from.iter().zip(to).map(steps).fold(1.0, f64::max).ceil().min(MOST_POSES);
    let mut poses = Vec::new();
    let mut step = 1.0;
    while step < count {
        let share = step / count;
        let goal = |(a, b): (&Goal, &Goal)| {
            let mut goal = *b;
            goal.position = a.position.zip(b.position).map(|(a, b)| a.lerp(b, share));
            let orientation = a.orientation.zip(b.orientation);
            goal.orientation = orientation.map(|(a, b)| a.normalize().slerp(b.normalize(), share));
            if let (Some(own), Some(start)) = (&mut goal.aim, a.aim) {
                own.at = start.at.lerp(own.at, share);
            }
            goal
        };
        poses.push(from.iter().zip(to).map(goal).collect());
        step += 1.0;
    }
    poses.push(to.to_vec());
    poses
}

/// Returns the distance between the target positions of two goals in metres.
fn distance(a: &Goal, b: &Goal) -> f64 {
    a.position.zip(b.position).map_or(0.0, |(a, b)| a.distance(b))
}

fn aim(goal: &Goal) -> DVec3 {
    goal.aim.map_or(DVec3::ZERO, |aim| aim.at)
}
