//! The gestures of animals on four legs.

use glam::Vec3;

use super::body::Side;
use super::people::Gesture;
use super::run::{Attempt, Run, Subject};

/// The gestures in the order of the protocol.
pub const GESTURES: [Gesture; 4] = [
    ("back down", back_down),
    ("head to the floor", head_to_floor),
    ("paw up", paw_up),
    ("chest sideways", chest_sideways),
];

/// Distance in metres at protocol scale at which a target counts as reached.
const TOLERANCE: f32 = 0.015;

fn drag(subject: &Subject, number: &str, node: usize, to: Vec3) -> Attempt {
    let mut run = Run::new(subject, number, node);
    run.drag_to(to);
    run.rest();
    run.require_reached(TOLERANCE);
    run.finish()
}

fn leg(subject: &Subject, place: &str) -> Result<[usize; 3], String> {
    let bones = ["UpperLeg", "LowerLeg", "Foot"].map(|bone| format!("{place}{bone}"));
    let [upper, lower, foot] = &bones;
    subject.body.limb(subject.side, [upper, lower, foot])
}

fn back_down(subject: &Subject) -> Result<Attempt, String> {
    let body = &subject.body;
    let hips = body.node("hips")?;
    let depth = 0.2 * body.length(leg(subject, "Hind")?);
    Ok(drag(subject, "1", hips, body.rest[hips] - depth * Vec3::Y))
}

fn head_to_floor(subject: &Subject) -> Result<Attempt, String> {
    let body = &subject.body;
    let head = body.node("head")?;
    let to = Vec3 { y: body.floor, ..body.rest[head] };
    Ok(drag(subject, "2", head, to))
}

fn paw_up(subject: &Subject) -> Result<Attempt, String> {
    let body = &subject.body;
    let leg @ [_, _, paw] = leg(subject, "Front")?;
    Ok(drag(subject, "3", paw, body.rest[paw] + 0.3 * body.length(leg) * Vec3::Y))
}

fn chest_sideways(subject: &Subject) -> Result<Attempt, String> {
    let body = &subject.body;
    let chest = body.node("chest")?;
    let side = if subject.side == Side::Left { body.left() } else { -body.left() };
    let by = 0.1 * body.length(leg(subject, "Front")?);
    Ok(drag(subject, "4", chest, body.rest[chest] + by * side))
}
