//! Kind g: reports agree with the poses.

use glam::Vec3;
use sinew::ik::{Outcome, Start};
use sinew::puppet::{GoalReport, Puppet};

use super::drag::Drag;
use super::person::Person;
use super::runner::Side;
use super::runner::rules::position;
use super::shot::Shooter;
use super::targets::random_hand;
use super::verdict::{CheckResult, Rule};

/// Maximum distance between targets that count as the same, in metres at human size.
const SAME: f32 = 1e-4;
/// The default tolerance is this fraction of the length of a chain, which reports do not contain. Every chain is between a tenth of the
/// height and twice the height long.
const TOLERANCE: f64 = 1e-4;
const HEIGHT: f64 = 1.75;
const CHAINS: [f64; 2] = [0.1, 2.0];
/// Rounding error of single-precision positions, in metres at human size.
const ROUNDING: f64 = 1e-5;

/// The result of a run: the report about its target.
#[derive(Clone, Debug)]
pub struct Entry {
    pub node: usize,
    pub target: Vec3,
    pub outcome: Outcome,
    /// How the target was approached, for example "one shot".
    pub run: String,
}

/// Checks that a report agrees with the pose of a puppet. `place` says when or where.
pub fn check_report(
    person: &Person,
    puppet: &Puppet,
    report: &GoalReport,
    target: Vec3,
    result: &mut CheckResult,
    place: impl Fn() -> String,
) {
    let measured = person.scaled(position(puppet, report.node).distance(target));
    let scale = f64::from(person.body().scale);
    let reported = report.position_error.unwrap_or(f64::INFINITY) / scale;
    let difference = 1e3 * (measured - reported).abs();
    result.judge(Rule::Error, difference, || {
        format!("the error is {:.3} mm but {:.3} mm is reported {}", 1e3 * measured, 1e3 * reported, place())
    });
    let default = CHAINS.map(|length| TOLERANCE * HEIGHT * length);
    let [least, most] = puppet.options.solver.tolerance.map_or(default, |t| [t / scale; 2]);
    let is_reached = report.outcome == Outcome::Reached;
    let agrees = if is_reached { measured <= most + ROUNDING } else { measured > least - ROUNDING };
    result.judge(Rule::Reached, f64::from(u8::from(!agrees)), || {
        format!("{} at an error of {:.4} mm {}", report.outcome, 1e3 * measured, place())
    });
}

/// Finds targets that are reported as out of reach although another run reached them. It is called once, with the
/// results of all checks of a character.
pub fn compare_runs(person: &Person, results: &mut [CheckResult]) {
    let reached: Vec<(String, Entry)> = results
        .iter()
        .flat_map(|result| result.ends.iter().map(|end| (result.id.to_string(), end.clone())))
        .filter(|(_, end)| end.outcome == Outcome::Reached)
        .collect();
    for result in results {
        let result_id = result.id.to_string();
        for end in std::mem::take(&mut result.ends) {
            let is_same =
                |e: &Entry| e.node == end.node && e.target.distance(end.target) < person.metres(SAME);
            let other = reached.iter().find(|(_, e)| is_same(e));
            let wrong = end.outcome == Outcome::OutOfReach && other.is_some();
            result.judge(Rule::OutOfReach, f64::from(u8::from(wrong)), || {
                let (id, other) = other.map_or(("", ""), |(id, e)| (id.as_str(), e.run.as_str()));
                let target = end.target;
                let both =
                    if id == result_id { String::new() } else { format!(" (--only {result_id},{id})") };
                format!("{target:.3} is out-of-reach for {}, but {other} of {id} reaches it{both}", end.run)
            });
        }
    }
}

/// Requires that two runs to the same target end with the same outcome.
pub fn compare_outcomes(result: &mut CheckResult, a: (&str, Outcome, f64), b: (&str, Outcome, f64)) {
    let differ = a.1 != b.1;
    result.judge(Rule::Outcome, f64::from(u8::from(differ)), || {
        let [a, b] =
            [a, b].map(|(run, outcome, error)| format!("{run} is {outcome} ({:.2} mm)", 1e3 * error));
        format!("{a}, {b}")
    });
}

/// The number of checks of this kind.
pub const COUNT: usize = 12;

/// Approaches a random target with an exact tolerance: by single solves from both starts, and by a drag.
pub fn honest(person: &Person, (seed, number): (u64, usize), result: &mut CheckResult) -> Result<(), String> {
    let side = if number % 2 == 0 { Side::Left } else { Side::Right };
    let (node, target) = random_hand(person, (seed, 'g', number), side)?;
    let tolerance = f64::from(person.metres(if number % 4 < 2 { 0.001 } else { 0.01 }));
    let mut shooter = Shooter::new(person);
    shooter.set_options(|o| o.with_tolerance(tolerance));
    let shot = shooter.solve(node, target, result);
    shooter.set_options(|o| o.with_start(Start::Rest));
    let rest = shooter.solve(node, target, result);
    let mut drag = Drag::new(person, node);
    drag.set_tolerance(tolerance);
    drag.line(target, person.metres(0.01), result);
    drag.rest(result);
    let (Some(shot), Some(rest), Some(end)) = (shot, rest, drag.end(result)) else { return Ok(()) };
    let shot = ("one shot", shot.outcome, shot.error);
    compare_outcomes(result, shot, ("a drag", end.outcome, end.error));
    compare_outcomes(result, shot, ("one shot from the rest rotations", rest.outcome, rest.error));
    Ok(())
}
