//! The head, which stays level while the trunk leans.

use glam::{DQuat, DVec3};

use crate::ik::rotation::{rotation_vector, shortest_arc};

use super::posed::Posed;
use super::tasks::Tasks;
use super::trunk::Subject;

/// Fraction of the lean of the trunk that the head keeps.
const KEPT_TILT: f64 = 0.2;
/// Largest lean of the head, radians.
const MAX_TILT: f64 = 0.4;

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
    let wanted = DQuat::from_scaled_axis(kept) * lean.conjugate() * posed.spins[head];
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

/// Updates the links from one link to another.
fn forward(posed: &mut Posed, from: usize, to: usize) {
    (from..=to).for_each(|link| posed.forward_link(link));
}
