//! Seeded targets, relative to the proportions of a body.

use glam::Vec3;

use super::person::Person;
use super::random::Random;
use super::runner::Side;
use super::shot::Shooter;
use super::verdict::CheckResult;

/// Maximum offset by which the seed moves drag targets, as a fraction of the arm's length.
const SPREAD: f32 = 0.1;
/// Minimum height of hand targets above the floor, in metres at human size.
const ABOVE_FLOOR: f32 = 0.05;

/// The drags that are compared with single solves and with drags at other speeds.
pub const DRAGS: [&str; 9] = [
    "left hand in front",
    "right hand far in front",
    "left hand out of reach at the side",
    "right hand to the floor",
    "left hand across the chest",
    "hips down",
    "head forwards and down",
    "left foot up",
    "right knee up",
];

/// Returns the node and the target of a drag, numbered from 1.
pub fn drag_target(person: &Person, (seed, number): (u64, usize)) -> Result<(usize, Vec3), String> {
    let body = person.body();
    let (front, up) = (body.facing, Vec3::Y);
    let (left, right) = (Side::Left, Side::Right);
    let (arm, leg) = (person.arm(left)?, person.leg(left)?);
    let shoulder = |side| Ok::<Vec3, String>(person.at(body.arm(side)?[0]));
    let hand = |side| Ok::<usize, String>(body.arm(side)?[2]);
    let (node, target) = match number {
        1 => (hand(left)?, shoulder(left)? + 0.7 * arm * front),
        2 => (hand(right)?, shoulder(right)? + 1.4 * arm * front),
        3 => (hand(left)?, shoulder(left)? + (arm + person.metres(0.6)) * person.outwards(left)),
        4 => {
            let foot = person.at(body.leg(right)?[2]);
            let ahead = foot + person.metres(0.25) * front;
            (hand(right)?, Vec3 { y: body.floor + person.metres(0.15), ..ahead })
        }
        5 => (hand(left)?, shoulder(right)? + 0.45 * arm * front - 0.2 * arm * up),
        6 => (body.node("hips")?, person.at(body.node("hips")?) - 0.35 * leg * up),
        7 => {
            let head = body.node("head")?;
            (head, person.at(head) + person.metres(0.25) * (front - up))
        }
        8 => {
            let foot = body.leg(left)?[2];
            (foot, person.at(foot) + 0.35 * leg * (front + up))
        }
        _ => {
            let knee = body.leg(right)?[1];
            (knee, person.at(knee) + 0.35 * leg * front + 0.3 * leg * up)
        }
    };
    let mut random = Random::new(seed, 'b', number);
    Ok((node, target + random.in_ball(SPREAD * arm)))
}

/// Returns a hand and a random target for it, above the floor and within one and a half arm lengths of its shoulder.
pub fn random_hand(
    person: &Person,
    (seed, letter, number): (u64, char, usize),
    side: Side,
) -> Result<(usize, Vec3), String> {
    let body = person.body();
    let [shoulder, _, hand] = body.arm(side)?;
    let mut random = Random::new(seed, letter, number);
    let distance = random.range(0.3, 1.5) * person.arm(side)?;
    let mut target = person.at(shoulder) + distance * random.direction();
    target.y = target.y.max(body.floor + person.metres(ABOVE_FLOOR));
    Ok((hand, target))
}

/// Kind h: whether a random hand target is reached. Nothing else is judged.
pub fn hands(person: &Person, (seed, number): (u64, usize), result: &mut CheckResult) -> Result<(), String> {
    let side = if number.is_multiple_of(2) { Side::Left } else { Side::Right };
    let (hand, target) = random_hand(person, (seed, 'h', number), side)?;
    let end = Shooter::new(person).solve(hand, target, result);
    result.reached = end.is_some_and(|end| end.outcome == sinew::ik::Outcome::Reached);
    result.figures.clear();
    result.ends.clear();
    Ok(())
}
