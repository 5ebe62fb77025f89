//! Kind a: neighbouring targets have neighbouring poses, within reach and a little beyond it.

use glam::Vec3;

use super::person::Person;
use super::random::Random;
use super::runner::Side;
use super::shot::{End, Shooter};
use super::verdict::{CheckResult, Rule};

/// Distance between neighbouring targets in metres at human size, and the distance from either to a target added between them.
const STEP: f32 = 0.02;
const UNIT: f32 = 0.01;
/// Maximum error of a reached target, and minimum distance beyond the reach of a far target, in metres at human size.
const REACHED: f64 = 0.01;
const FAR: f32 = 0.4;
/// Maximum angle in degrees by which the seed turns the lines.
const TILT: f32 = 8.0;

pub const SWEEPS: [&str; 8] = [
    "left hand forwards",
    "right hand sideways",
    "left hand along the floor",
    "hips down",
    "head forwards and down",
    "right foot forwards and up",
    "left knee forwards and up",
    "chest sideways",
];

/// A straight line of targets for a node.
struct Line {
    node: usize,
    from: Vec3,
    direction: Vec3,
    length: f32,
}

fn line(person: &Person, (seed, number): (u64, usize)) -> Result<Line, String> {
    let body = person.body();
    let (front, up) = (body.facing, Vec3::Y);
    let (left, right) = (Side::Left, Side::Right);
    let (arm, leg) = (person.arm(left)?, person.leg(left)?);
    let metres = |m| person.metres(m);
    let mut random = Random::new(seed, 'a', number);
    let mut line = match number {
        1 => {
            let [shoulder, _, node] = body.arm(left)?;
            let from = person.at(shoulder) + 0.35 * arm * front;
            Line { node, from, direction: front, length: 0.65 * arm + metres(1.0) }
        }
        2 => {
            let [shoulder, _, node] = body.arm(right)?;
            let direction = person.outwards(right);
            let from = person.at(shoulder) + 0.1 * arm * front + 0.35 * arm * direction;
            Line { node, from, direction, length: 0.65 * arm + metres(0.9) }
        }
        3 => {
            let [_, _, node] = body.arm(left)?;
            let ahead = person.at(body.leg(left)?[2]) + metres(0.15) * front;
            let from = Vec3 { y: body.floor + metres(0.05), ..ahead };
            Line { node, from, direction: front, length: metres(1.5) }
        }
        4 => {
            let node = body.node("hips")?;
            let from = person.at(node) + 0.04 * leg * up;
            Line { node, from, direction: -up, length: from.y - body.floor }
        }
        5 => {
            let node = body.node("head")?;
            Line { node, from: person.at(node), direction: (front - up).normalize(), length: metres(0.9) }
        }
        6 => {
            let node = body.leg(right)?[2];
            Line { node, from: person.at(node), direction: (front + 0.8 * up).normalize(), length: 1.2 * leg }
        }
        7 => {
            let node = body.leg(left)?[1];
            Line { node, from: person.at(node), direction: (0.6 * front + 0.8 * up).normalize(), length: leg }
        }
        _ => {
            let node = person.chest()?;
            Line { node, from: person.at(node), direction: person.outwards(left), length: metres(0.6) }
        }
    };
    line.direction = random.near(line.direction, TILT);
    if number == 3 {
        line.direction = Vec3 { y: 0.0, ..line.direction }.normalize_or(front);
    }
    Ok(line)
}

/// How the result changes between two targets.
struct Jump<'a> {
    error: f64,
    place: (f64, &'a str),
    turn: (f64, &'a str),
}

impl Jump<'_> {
    fn is_small(&self) -> bool {
        let fits = |rule: Rule, figure: f64| figure <= rule.limit().0;
        fits(Rule::SweepError, self.error)
            && fits(Rule::SweepPlace, self.place.0)
            && fits(Rule::SweepTurn, self.turn.0)
    }
}

fn change<'a>(person: &'a Person, a: &End, b: &End) -> Jump<'a> {
    let (place, joint) = person.distance(&a.pose, &b.pose);
    Jump {
        error: 100.0 * (a.error - b.error).abs(),
        place: (100.0 * place, joint),
        turn: person.turn(&a.pose, &b.pose),
    }
}

/// Solves for targets along a line, each from rest. If the poses of two neighbours differ by more than the limit for targets 1 cm apart, a
/// target midway between them is also solved, so no value refers to less than a centimetre.
pub fn sweep(person: &Person, (seed, number): (u64, usize), result: &mut CheckResult) -> Result<(), String> {
    let Line { node, from, direction, length } = line(person, (seed, number))?;
    let mut shooter = Shooter::new(person);
    let step = person.metres(STEP);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive number")]
    let steps = (length / step).floor() as u16;
    let at = |index: u16| f32::from(index) * step;
    let mut ends: Vec<(f32, End)> = Vec::new();
    for index in 0..=steps {
        let Some(end) = shooter.solve(node, from + at(index) * direction, result) else { return Ok(()) };
        ends.push((at(index), end));
    }
    // Reach ends where the first target is missed after one was reached.
    let first = ends.iter().position(|(_, end)| end.error <= REACHED);
    let beyond = first.and_then(|first| ends[first..].iter().find(|(_, end)| end.error > REACHED));
    let reach = match (first, beyond) {
        (None, _) => 0.0,
        (Some(_), Some((at, _))) => *at,
        (Some(_), None) => f32::INFINITY,
    };
    for pair in ends.windows(2) {
        let [(a, before), (b, after)] = pair else { continue };
        let mut changes = vec![(*a, *b, change(person, before, after))];
        if changes.iter().any(|(_, _, change)| !change.is_small()) {
            let middle = a + person.metres(UNIT);
            let Some(between) = shooter.solve(node, from + middle * direction, result) else { return Ok(()) };
            changes = vec![
                (*a, middle, change(person, before, &between)),
                (middle, *b, change(person, &between, after)),
            ];
        }
        let is_far = *a - reach > person.metres(FAR);
        if is_far && changes.iter().any(|(_, _, change)| !change.is_small()) {
            result.changes += 1;
            continue;
        }
        changes.iter().for_each(|(a, b, change)| judge(person, (*a, *b, reach), change, result));
    }
    let changes = result.changes;
    result.judge(Rule::SweepChanges, f64::from(u32::try_from(changes).unwrap_or(u32::MAX)), || {
        format!("the posture changes {changes} times far out of reach")
    });
    Ok(())
}

fn judge(person: &Person, (a, b, reach): (f32, f32, f32), change: &Jump<'_>, result: &mut CheckResult) {
    let place = || {
        let [a, b, beyond] = [a, b, a - reach].map(|m| person.scaled(m));
        let reached =
            if beyond < 0.0 { "within reach".into() } else { format!("{beyond:.2} m beyond reach") };
        format!("between {a:.2} and {b:.2} m along the line, {reached}")
    };
    let error = change.error;
    result.judge(Rule::SweepError, error, || format!("the error changes by {error:.1} cm {}", place()));
    let (moved, joint) = change.place;
    result.judge(Rule::SweepPlace, moved, || format!("{joint} moves by {moved:.1} cm {}", place()));
    let (turn, joint) = change.turn;
    result.judge(Rule::SweepTurn, turn, || format!("{joint} turns by {turn:.0}° {}", place()));
}
