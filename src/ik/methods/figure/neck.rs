//! The head, which stays level while the trunk leans, and the lean that the neck can make up for.

use glam::{DQuat, DVec3};

use crate::ik::rotation::{rotation_vector, shortest_arc};

use super::posed::Posed;
use super::tasks::Tasks;
use super::trunk_tasks::{Guard, Subject};

/// Fraction of the lean of the trunk that the head keeps.
const KEPT_TILT: f64 = 0.2;
/// Largest lean of the head, radians.
const MAX_TILT: f64 = 0.4;
/// Largest lean of the head when the neck is at its limit, radians. The trunk leans no further.
const LIMITED_TILT: f64 = 0.46;
/// Leans of the trunk that the neck of any body can make up for, radians.
const EASY_LEAN: f64 = 0.35;
/// Guards of the lean look no farther ahead, radians.
const AHEAD: f64 = 0.5;
/// Largest turn towards what a hand reaches for, radians.
const MAX_LOOK: f64 = 0.8;
/// Largest turn of a joint of the neck in a step of a slow drag, radians.
const MAX_TURN: f64 = 0.12;

/// Turns the neck so that the head is nearly as upright as in the stance. Does nothing if a goal poses the head.
pub(super) fn level(posed: &mut Posed, subject: &Subject<'_>, tasks: &Tasks) {
    let neck = &subject.figure.parts.neck;
    let Some(&head) = neck.last().filter(|_| !tasks.poses_head) else { return };
    for &joint in neck {
        posed.locals[joint] = subject.stance.locals[joint];
    }
    forward(posed, neck[0], head);
    let tilted = tilt(posed, subject, head);
    let lean = DQuat::from_scaled_axis(tilted);
    let kept = DQuat::from_scaled_axis((tilted * KEPT_TILT).clamp_length_max(MAX_TILT));
    let level = kept * lean.conjugate() * posed.spins[head];
    let looking = look(posed, subject, tasks, head, level) * level;
    let tilted = tilt_of(looking * subject.stance.spins[head].conjugate());
    let less = DQuat::from_scaled_axis(tilted.clamp_length_max(MAX_TILT) - tilted);
    let wanted = less * looking;
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

/// Limits how far the neck turns from its last pose in a step.
pub(super) fn slow_down(posed: &mut Posed, subject: &Subject<'_>, previous: &[DQuat], speed: f64) {
    for &joint in &subject.figure.parts.neck {
        let turn = (previous[joint], posed.locals[joint]);
        posed.locals[joint] = subject.limits.slowed(joint, turn, MAX_TURN * speed);
    }
}

/// Levels the head. Returns the guard that keeps the trunk from leaning further than the neck can make up for, or `None`
/// if the trunk may lean much further.
pub(super) fn guard(posed: &mut Posed, subject: &Subject<'_>, tasks: &Tasks) -> Option<Guard> {
    let &first = subject.figure.parts.neck.first().filter(|_| !tasks.poses_head)?;
    let head = *subject.figure.parts.neck.last()?;
    let carrier = posed.parent(first)?;
    let spin = posed.spins[carrier];
    let lean = tilt(posed, subject, carrier);
    let axis = lean.try_normalize().filter(|_| lean.length() > EASY_LEAN)?;
    let mut excess = |turn: f64| {
        posed.spins[carrier] = DQuat::from_axis_angle(axis, turn) * spin;
        level(posed, subject, tasks);
        tilt(posed, subject, head).length() - LIMITED_TILT
    };
    let (mut inside, mut outside) = (0.0, AHEAD);
    let margin = match (excess(0.0), excess(AHEAD)) {
        (now, _) if now > 0.0 => Some(-now),
        (_, later) if later <= 0.0 => None,
        _ => {
            for _ in 0..8 {
                let middle = 0.5 * (inside + outside);
                if excess(middle) > 0.0 { outside = middle } else { inside = middle }
            }
            Some(inside)
        }
    };
    posed.spins[carrier] = spin;
    level(posed, subject, tasks);
    let at = posed.positions[0];
    Some(Guard { link: 0, at, gradient: DVec3::ZERO, carrier, spin, axis: -axis, margin: margin? })
}

/// Returns how far a link leans from where it is in the stance, as a rotation vector.
pub(super) fn tilt(posed: &Posed, subject: &Subject<'_>, link: usize) -> DVec3 {
    tilt_of(posed.spins[link] * subject.stance.spins[link].conjugate())
}

/// Returns how far a turn tilts the vertical, as a rotation vector.
fn tilt_of(turned: DQuat) -> DVec3 {
    rotation_vector(shortest_arc(DVec3::Y, turned * DVec3::Y, DVec3::X))
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
