//! The head, which stays level while the trunk leans.

use glam::{DQuat, DVec3};

use crate::ik::rotation::{rotation_vector, shortest_arc};

use super::posed::Posed;
use super::tasks::Tasks;
use super::trunk_tasks::Subject;

/// Fraction of the lean of the trunk that the head keeps.
const KEPT_TILT: f64 = 0.2;
/// Largest lean of the head, radians.
const MAX_TILT: f64 = 0.4;
/// Largest turn towards what a hand reaches for, radians.
const MAX_LOOK: f64 = 0.8;

/// Turns the neck so that the head is nearly as upright as in the stance. Does nothing if a goal poses the head.
pub(super) fn level(posed: &mut Posed, subject: &Subject<'_>, tasks: &Tasks) {
    let neck = &subject.figure.parts.neck;
    let Some(&head) = neck.last().filter(|_| !tasks.poses_head) else { return };
    for &joint in neck {
        posed.locals[joint] = subject.stance.locals[joint];
    }
    forward(posed, neck[0], head);
    let turned = posed.spins[head] * subject.stance.spins[head].conjugate();
    let lean = shortest_arc(DVec3::Y, turned * DVec3::Y, DVec3::X);
    let vector = rotation_vector(lean);
    let kept = (vector * KEPT_TILT).clamp_length_max(MAX_TILT);
    let level = DQuat::from_scaled_axis(kept) * lean.conjugate() * posed.spins[head];
    let wanted = look(posed, subject, tasks, head, level) * level;
    // Each joint takes an equal part of what is left, and the limits decide.
    for (index, &joint) in neck.iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "necks have few joints")]
        let part = 1.0 / (neck.len() - index) as f64;
        let left = rotation_vector(wanted * posed.spins[head].conjugate());
        let spin = DQuat::from_scaled_axis(left * part) * posed.spins[joint];
        let local = (posed.spin_above(joint).conjugate() * spin).normalize();
        posed.locals[joint] = subject.limits.nearest(joint, local);
        forward(posed, joint, head);
    }
}

/// Returns the turn of a head towards what a hand reaches for. `level` is the orientation of the head without it.
fn look(posed: &Posed, subject: &Subject<'_>, tasks: &Tasks, head: usize, level: DQuat) -> DQuat {
    let limbs = subject.figure.parts.limbs.iter().zip(&tasks.limbs).enumerate();
    let mut reaching = limbs.filter_map(|(index, (limb, task))| {
        let reach = task.as_ref().filter(|t| limb.is_arm && !t.reach.fixed)?.reach;
        Some((subject.figure.carriages[index], reach.target))
    });
    let Some(((link, from_figure), target)) = reaching.next().filter(|_| subject.weights.look > 0.0) else {
        return DQuat::IDENTITY;
    };
    // In the stance, the head looks where the chest faces.
    let front = subject.stance.spins[link] * from_figure * DVec3::Z;
    let sight = level * subject.stance.spins[head].conjugate() * front;
    let arc = rotation_vector(shortest_arc(sight, target - posed.positions[head], DVec3::Y));
    DQuat::from_scaled_axis((arc * subject.weights.look).clamp_length_max(MAX_LOOK))
}

/// Updates the links from one link to another.
fn forward(posed: &mut Posed, from: usize, to: usize) {
    (from..=to).for_each(|link| posed.forward_link(link));
}
