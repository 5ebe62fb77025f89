//! Kinds b and c: the pose depends only on the target, not on the path or the speed.

use super::drag::Drag;
use super::honest::compare_outcomes;
use super::person::Person;
use super::shot::{End, Shooter};
use super::targets::drag_target;
use super::verdict::{CheckResult, Rule};

/// Step of a slow drag in metres at human size, and the steps of the drags at different speeds in millimetres at human size.
const STEP: f32 = 0.005;
pub const SPEEDS: [u8; 3] = [2, 10, 16];

/// Compares a drag with a single solve.
pub fn same(person: &Person, (seed, number): (u64, usize), result: &mut CheckResult) -> Result<(), String> {
    let (node, target) = drag_target(person, (seed, number))?;
    let shot = Shooter::new(person).solve(node, target, result);
    let mut drag = Drag::new(person, node);
    drag.line(target, person.metres(STEP), result);
    drag.rest(result);
    let (Some(shot), Some(end)) = (shot, drag.end(result)) else { return Ok(()) };
    let (metres, joint) = person.distance(&shot.pose, &end.pose);
    result.judge(Rule::Same, 1e3 * metres, || {
        let errors = format!("errors {:.1} and {:.1} mm", 1e3 * shot.error, 1e3 * end.error);
        format!(
            "{joint} of one shot and of a drag are {:.1} mm apart at {target:.3} ({errors})",
            1e3 * metres
        )
    });
    compare_outcomes(result, ("one shot", shot.outcome, shot.error), ("a drag", end.outcome, end.error));
    Ok(())
}

/// Compares drags of different speeds.
pub fn speeds(person: &Person, (seed, number): (u64, usize), result: &mut CheckResult) -> Result<(), String> {
    let (node, target) = drag_target(person, (seed, number))?;
    let mut ends: Vec<(String, End)> = Vec::new();
    for millimetres in SPEEDS {
        let mut drag = Drag::new(person, node);
        drag.line(target, person.metres(1e-3 * f32::from(millimetres)), result);
        drag.rest(result);
        let Some(end) = drag.end(result) else { return Ok(()) };
        ends.push((drag.speed().to_owned(), end));
    }
    compare_speeds(person, Rule::Speed, &ends, result);
    Ok(())
}

/// Compares the ends of drags of different speeds.
pub fn compare_speeds(person: &Person, rule: Rule, ends: &[(String, End)], result: &mut CheckResult) {
    for (index, (first, a)) in ends.iter().enumerate() {
        for (second, b) in ends.iter().skip(index + 1) {
            let (metres, joint) = person.distance(&a.pose, &b.pose);
            result.judge(rule, 1e3 * metres, || {
                format!("{joint} ends {:.1} mm apart at {first} and {second}", 1e3 * metres)
            });
        }
    }
}
