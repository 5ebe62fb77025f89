//! Success rates of every method on seeded cases. The bounds are in the tables under "What the tests require" in
//! `docs/solvers.md`. A cell contains the minimum success rate and the maximum mean number of iterations. `--nocapture`
//! prints the measured values.
#![allow(clippy::print_stdout, reason = "measured success rates, shown with --nocapture")]

use std::collections::BTreeSet;

use sinew::ik::benchmark::cases::{self, Cases, Set};
use sinew::ik::{Body, Goal, LinkIndex, Method, Options, Outcome, SolveError, Solver, Start};

const PAGE: &str = include_str!("../../docs/solvers.md");
/// Number of targets in each set. `FRAMES` is the number of frames in each path.
const TARGETS: usize = 300;
const FRAMES: usize = 600;
/// Tolerances as fractions of the reach, and in radians.
const FREE_TOLERANCE: f64 = 1e-5;
const LIMITED_TOLERANCE: f64 = 1e-4;
const SLOW_TOLERANCE: f64 = 1e-3;
const ITERATIONS: usize = 500;

/// The results of a method on a set of cases.
struct Measured {
    /// Fraction of the cases whose error is at most 1.1 times the tolerance.
    success: f64,
    iterations: f64,
    /// Errors in ascending order, as fractions of the reach.
    errors: Vec<f64>,
}

impl Measured {
    /// Returns the error that a given fraction of the cases does not exceed.
    fn percentile(&self, fraction: f64) -> f64 {
        self.errors[(fraction * self.errors.len() as f64).ceil() as usize - 1]
    }
}

/// Returns the distance from the effector of a goal to its target, using the body's own forward kinematics.
fn distance_to_target(body: &Body, goal: &Goal) -> f64 {
    let point = body.world_from_link(goal.link).unwrap().transform_point3(goal.offset);
    goal.position.map_or(0.0, |target| point.distance(target))
}

fn measure(cases: &Cases, method: Method, tolerance: f64, iterations: usize) -> Result<Measured, SolveError> {
    let within = Some(tolerance * cases.reach);
    let start = if cases.warm { Start::Continue } else { Start::Current };
    let options = Options::default()
        .with_method(method)
        .with_iterations(iterations)
        .with_tolerance(within)
        .with_angle_tolerance(tolerance)
        .with_start(start);
    let (mut solver, mut body) = (Solver::default(), cases.body.clone());
    let (mut solved, mut spent, mut errors) = (0_usize, 0_usize, Vec::new());
    for (i, goal) in cases.goals.iter().enumerate() {
        if !cases.warm {
            body.clone_from(&cases.body);
        }
        let report = solver.solve(&mut body, &[*goal], &options)?;
        // The first goal of a path only sets the start.
        if cases.warm && i == 0 {
            continue;
        }
        let (reported, distance) = (report.position_error(), distance_to_target(&body, goal));
        assert!((reported - distance).abs() < 1e-9, "{method}: {reported} reported, {distance} measured");
        let error = cases.error(&body, goal);
        let angle = report.goals[0].orientation_error.unwrap_or(0.0);
        // The outcome must agree with the errors, and a free chain must detect targets beyond its reach.
        let outcome = report.goals[0].outcome;
        let reached = distance <= tolerance * cases.reach && angle <= tolerance;
        assert_eq!(outcome == Outcome::Reached, reached, "{method}: {outcome}, {distance} m, {angle} rad");
        let far = goal.position.is_some_and(|p| p.length() > cases.reach * (1.0 + tolerance));
        let known = cases.limits || !far || outcome == Outcome::OutOfReach;
        assert!(known, "{method}: {outcome} beyond the reach");
        solved += usize::from(error <= 1.1 * tolerance * cases.reach && angle <= 1.1 * tolerance);
        spent += report.iterations;
        errors.push(error / cases.reach);
    }
    errors.sort_by(f64::total_cmp);
    let count = errors.len() as f64;
    Ok(Measured { success: solved as f64 / count, iterations: spent as f64 / count, errors })
}

/// Returns the cells of the first table after a line of the page, without the header.
fn table(line: &str) -> Vec<Vec<String>> {
    let (_, after) = PAGE.split_once(&format!("\n{line}")).unwrap_or_else(|| panic!("no line {line:?}"));
    let rows = after.lines().skip_while(|l| !l.starts_with('|')).skip(2);
    let cells = |row: &str| row.trim_matches('|').split('|').map(|c| c.trim().to_owned()).collect();
    rows.take_while(|l| l.starts_with('|')).map(cells).collect()
}

fn method(cell: &str) -> Method {
    cell.trim_matches('`').parse().unwrap()
}

/// Checks a method against a cell, such as `99 %, 12.5`, `refused`, or `slow` if another table applies.
fn check_cell(cell: &str, cases: &Cases, method: Method, tolerance: f64) {
    let measured = measure(cases, method, tolerance, ITERATIONS);
    let limits = if cases.limits { "limited" } else { "free" };
    let name = format!("{method}, {}, {limits}, {} joints", cases.name, cases.joints);
    let Ok(Measured { success, iterations, .. }) = measured else {
        let is_refused = matches!(measured, Err(SolveError::Unsuited { .. }));
        assert!(is_refused && cell == "refused", "{name}: the method refused the cases");
        return;
    };
    println!("{name}: {:.2} % in {iterations:.2} iterations", success * 100.0);
    if cell == "slow" {
        return;
    }
    let bounds = cell.split_once(" %, ").and_then(|(s, i)| Some((s.parse().ok()?, i.parse().ok()?)));
    let (least, most): (f64, f64) =
        bounds.unwrap_or_else(|| panic!("{name}: the cell {cell:?} has no bounds"));
    assert!(
        success * 100.0 >= least,
        "{name}: {} % solved, but the page requires {least} %",
        success * 100.0
    );
    assert!(iterations <= most, "{name}: {iterations} iterations, but the page allows {most}");
}

/// Checks the rows of the table of free chains for these chain lengths.
fn free_chains(lengths: &[usize]) {
    const SETS: [Set; 6] = [Set::Reach, Set::Near, Set::Unreach, Set::Drag, Set::DragOut, Set::Pose];
    for row in table("On free chains") {
        let n: usize = row[1].parse().unwrap();
        assert!([2, 3, 10].contains(&n) && row.len() == 2 + SETS.len(), "{row:?}");
        for (cell, set) in row[2..].iter().zip(SETS).filter(|_| lengths.contains(&n)) {
            let count = if matches!(set, Set::Drag | Set::DragOut) { FRAMES } else { TARGETS };
            check_cell(cell, &cases::free(n, set, count, 1).unwrap(), method(&row[0]), FREE_TOLERANCE);
        }
    }
}

#[test]
fn short_free_chains_are_solved() {
    free_chains(&[2, 3]);
}

#[test]
fn long_free_chains_are_solved() {
    free_chains(&[10]);
}

#[test]
fn limited_bodies_are_solved() {
    let mut bodies = cases::arms(TARGETS, 1).unwrap();
    bodies.extend([10, 2].map(|n| cases::limited(n, TARGETS, 1).unwrap()));
    for row in table("Within limits, the tests") {
        assert_eq!(row.len(), 1 + bodies.len(), "{row:?}");
        for (cell, cases) in row[1..].iter().zip(&bodies) {
            check_cell(cell, cases, method(&row[0]), LIMITED_TOLERANCE);
        }
    }
}

#[test]
fn slow_methods_meet_their_bounds_near_full_stretch() {
    for row in table("Near full stretch") {
        let (method, n) = (method(&row[0]), row[1].parse().unwrap());
        let cases = cases::free(n, Set::Near, TARGETS, 1).unwrap();
        let early = measure(&cases, method, SLOW_TOLERANCE, 100).unwrap();
        let late = measure(&cases, method, SLOW_TOLERANCE, 1000).unwrap();
        let measured = [early.percentile(0.5), early.percentile(0.95), late.success * 100.0];
        println!("{method}, {n} joints: {measured:?}");
        let bounds: Vec<f64> = row[2..].iter().map(|c| c.trim_end_matches(" %").parse().unwrap()).collect();
        assert!(measured[0] <= bounds[0] && measured[1] <= bounds[1], "{method}, {n} joints: {measured:?}");
        assert!(measured[2] >= bounds[2], "{method}, {n} joints: {measured:?}");
    }
}

#[test]
fn every_method_has_its_rows_in_the_tables() {
    let names = |line| table(line).iter().map(|row| method(&row[0]).name()).collect::<BTreeSet<_>>();
    let all: BTreeSet<&str> = std::iter::once(Method::Auto).chain(Method::ALL).map(Method::name).collect();
    assert_eq!(names("Within limits, the tests"), all);
    let lengths = |method: &str| match method {
        "auto" => vec![2, 10],
        "two-bone" => vec![2],
        _ => vec![3, 10],
    };
    let wanted =
        all.iter().flat_map(|m| lengths(m).into_iter().map(move |n| (format!("`{m}`"), n.to_string())));
    let pairs = |rows: Vec<Vec<String>>| rows.into_iter().map(|r| (r[0].clone(), r[1].clone())).collect();
    assert_eq!(wanted.collect::<BTreeSet<_>>(), pairs(table("On free chains")));
    let slow = table("On free chains").into_iter().filter(|row| row.contains(&"slow".to_owned())).collect();
    let slow: BTreeSet<(String, String)> = pairs(slow);
    assert_eq!(slow, pairs(table("Near full stretch")));
}

/// Solvers in other languages are measured on the same cases, which a generator in their language produces. The
/// expected values come from that generator.
#[test]
fn cases_match_those_of_other_solvers() {
    let cases = |set, count| cases::free(6, set, count, 1).unwrap().goals;
    let expected = [
        (Set::Reach, 0, [0.674_828_072_223_622_5, -0.124_329_107_125_948_45, 0.387_330_770_579_644_2]),
        (Set::Reach, 999, [-0.064_538_769_901_914_33, 0.439_719_589_548_685_06, 0.143_241_239_495_299_7]),
        (Set::Unreach, 0, [-0.966_480_109_383_098_7, -0.662_499_101_296_096_4, 0.673_445_136_338_297_4]),
        (Set::Unreach, 999, [-0.067_438_654_974_992_23, -0.432_308_031_790_261, 1.342_608_388_004_352_7]),
        (Set::Near, 0, [-0.682_648_987_945_270_3, -0.586_567_509_272_506, 0.393_496_004_559_504_9]),
        (Set::Near, 999, [0.360_309_840_592_707_9, 0.445_874_649_045_113_4, -0.809_232_500_865_466_2]),
        (Set::Pose, 0, [0.195_156_058_202_166_53, -0.238_585_519_974_97, 0.390_341_781_610_779_8]),
        (Set::Pose, 999, [0.303_976_796_959_413_44, 0.364_527_859_107_040_4, 0.140_150_154_188_317_36]),
        (Set::Drag, 0, [0.6, 0.0, 0.0]),
        (Set::Drag, 600, [0.081_762_897_812_302, 0.586_284_395_663_882_6, -0.502_277_176_488_030_6]),
        (Set::DragOut, 0, [0.9, 0.0, 0.0]),
        (Set::DragOut, 600, [0.116_453_850_363_034_45, 0.835_037_371_590_702_4, -0.715_386_962_993_670_6]),
    ];
    for (set, index, [x, y, z]) in expected {
        let target = cases(set, 1000)[index].position.unwrap();
        assert!(target.distance(glam::DVec3::new(x, y, z)) < 1e-13, "{set:?} {index}: {target}");
    }
    // A quaternion and its negative are the same rotation, so either sign is accepted.
    let turns = [
        (
            0,
            [
                -0.438_424_414_618_637_4,
                0.562_147_461_827_533,
                0.363_469_569_783_551_9,
                0.599_720_047_746_052_3,
            ],
        ),
        (
            999,
            [
                0.008_139_479_206_256_725,
                -0.339_083_959_458_279_7,
                -0.274_209_736_777_119_1,
                0.899_869_344_723_427,
            ],
        ),
    ];
    for (index, turn) in turns {
        let goal = cases(Set::Pose, 1000)[index].orientation.unwrap();
        assert!(goal.dot(glam::DQuat::from_array(turn)).abs() > 1.0 - 1e-13, "{index}: {goal}");
    }
    let starts = [
        (2, [-0.071_419_323_745_844_13, 0.885_939_109_000_850_6, 0.426_984_449_846_414_15]),
        (3, [-0.063_938_438_180_827_49, 0.905_940_973_544_296_3, 0.383_004_575_136_048_35]),
        (10, [-0.014_122_639_468_725_71, 0.931_860_520_469_310_2, 0.319_176_318_926_488_7]),
        (100, [-0.001_411_612_733_972_089_7, 0.940_192_660_529_556_4, 0.293_928_999_998_061_2]),
    ];
    for (n, [x, y, z]) in starts {
        let end = cases::free_chain(n).unwrap().world_from_link(LinkIndex(n)).unwrap().translation;
        assert!(end.distance(glam::DVec3::new(x, y, z)) < 1e-13, "{n} joints: {end}");
    }
}
