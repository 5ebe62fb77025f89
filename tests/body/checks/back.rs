//! Kind e: a drag out and back ends in the pose in which it began.

use glam::Vec3;

use super::drag::Drag;
use super::person::Person;
use super::random::Random;
use super::runner::Side;
use super::verdict::{CheckResult, Rule};

/// Length of the outward path, and of a step, in metres at human size.
const WAY: f32 = 0.7;
const STEP: f32 = 0.01;
/// Number of drag directions for each part, and number of forward drags of a hand.
const DIRECTIONS: usize = 20;
const FORWARDS: usize = 12;
/// Forward drags end between these multiples of the arm's length from the shoulder, and deviate from straight ahead by at most `TILT`
/// degrees.
const REACH: [f32; 2] = [1.3, 2.3];
const TILT: f32 = 35.0;
const PARTS: [&str; 6] = ["left hand", "right hand", "left foot", "hips", "head", "chest"];

/// The names of the checks.
pub fn names() -> Vec<String> {
    let part =
        |part: &'static str| (1..=DIRECTIONS).map(move |n| format!("{part} out and back, direction {n}"));
    let forwards = (1..=FORWARDS).map(|n| format!("hand out of reach and back, direction {n}"));
    PARTS.into_iter().flat_map(part).chain(forwards).collect()
}

/// Returns the node and the turning point of a drag.
fn way(person: &Person, (seed, number): (u64, usize)) -> Result<(usize, Vec3), String> {
    let body = person.body();
    let mut random = Random::new(seed, 'e', number);
    let side = if number % 2 == 0 { Side::Left } else { Side::Right };
    let node = match PARTS.get((number - 1) / DIRECTIONS) {
        Some(&"left hand") => body.side(Side::Left, "Hand"),
        Some(&"right hand") => body.side(Side::Right, "Hand"),
        Some(&"left foot") => body.side(Side::Left, "Foot"),
        Some(&"chest") => person.chest(),
        Some(name) => body.node(name),
        None => {
            let [shoulder, _, hand] = body.arm(side)?;
            let reach = random.range(REACH[0], REACH[1]) * person.arm(side)?;
            return Ok((hand, person.at(shoulder) + reach * random.near(body.facing, TILT)));
        }
    }?;
    Ok((node, person.at(node) + person.metres(WAY) * random.direction()))
}

/// Drags out and back, rests, and compares the pose with the initial one.
pub fn back(person: &Person, seeded: (u64, usize), result: &mut CheckResult) -> Result<(), String> {
    let (node, out) = way(person, seeded)?;
    let mut drag = Drag::new(person, node);
    let step = person.metres(STEP);
    drag.line(out, step, result);
    drag.line(person.at(node), step, result);
    drag.rest(result);
    let Some(end) = drag.end(result) else { return Ok(()) };
    let (metres, joint) = person.distance(&person.rest, &end.pose);
    result.judge(Rule::BackPlace, 1e3 * metres, || {
        format!("{joint} ends {:.1} mm from where it began, after the turn at {out:.3}", 1e3 * metres)
    });
    let mean = person.rest.mean_turn(&end.pose);
    result.judge(Rule::BackTurn, mean, || {
        format!("the joints end {mean:.1}° from where they began, on average, after the turn at {out:.3}")
    });
    Ok(())
}
