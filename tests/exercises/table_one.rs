//! Exercise 7: table 1 of Li and Peng.

use glam::{DAffine3, DQuat, DVec3};
use serde_json::Value;
use sinew::ik::{Body, Correction, Goal, Limit, Link, LinkIndex, Method, Options, Solver};

use crate::page::{Page, assert_printed};

const PAGE: &str = include_str!("../../docs/exercises/07-table-one.md");
/// The paper's ranges of the three joints, in degrees.
const RANGES: [[f64; 2]; 3] = [[-90.0, 90.0], [0.0, 110.0], [-20.0, 20.0]];

/// The paper's arm with a reach of 1 m, or the same bones with ball joints.
fn arm(limits: bool) -> Body {
    let bone = DVec3::X / 3.0;
    let hinge =
        |[min, max]: [f64; 2]| Limit::Hinge { axis: DVec3::Z, min: min.to_radians(), max: max.to_radians() };
    let limit = |joint: usize| if limits { hinge(RANGES[joint]) } else { Limit::Free };
    let mut links = vec![Link::base().with_limit(limit(0))];
    links.push(Link::child(LinkIndex(0), bone).with_limit(limit(1)));
    links.push(Link::child(LinkIndex(1), bone).with_limit(limit(2)));
    links.push(Link::child(LinkIndex(2), bone));
    Body::new(links, DAffine3::IDENTITY).unwrap()
}

/// A pseudo-random sequence of numbers from 0 to 1: the linear congruential generator of Knuth's MMIX.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Returns targets that some pose within the ranges reaches.
fn targets(count: usize) -> Vec<DVec3> {
    let (mut numbers, mut posed) = (Numbers(1), arm(true));
    let mut target = || {
        for (joint, [min, max]) in RANGES.into_iter().enumerate() {
            let angle = min + (max - min) * numbers.next();
            posed.set_rotation(LinkIndex(joint), DQuat::from_rotation_z(angle.to_radians()));
        }
        posed.world_from_link(LinkIndex(3)).unwrap().translation
    };
    (0..count).map(|_| target()).collect()
}

/// Values that the page lists for each method.
struct Measured {
    /// Percentage of the targets whose error exceeds 1.1 times the tolerance.
    wrong: f64,
    /// The same percentage for the targets beyond 0.98 of the reach.
    wrong_far: f64,
    /// Mean number of iterations.
    iterations: f64,
}

fn measure(targets: &[DVec3], limits: bool, options: &Options) -> Measured {
    let (mut solver, mut wrong, mut far, mut iterations) = (Solver::default(), Vec::new(), Vec::new(), 0);
    for &target in targets {
        let report =
            solver.solve(&mut arm(limits), &[Goal::position(LinkIndex(3), target)], options).unwrap();
        let is_wrong = report.position_error() > 1.1 * options.tolerance.unwrap();
        wrong.push(is_wrong);
        if target.length() > 0.98 {
            far.push(is_wrong);
        }
        iterations += report.iterations;
    }
    let percent = |all: &[bool]| 100.0 * all.iter().filter(|w| **w).count() as f64 / all.len() as f64;
    let iterations = iterations as f64 / targets.len() as f64;
    Measured { wrong: percent(&wrong), wrong_far: percent(&far), iterations }
}

fn options(method: Method, correction: Correction, iterations: usize, tolerance: f64) -> Options {
    let mut options = Options::default();
    options.method = method;
    options.fused.correction = correction;
    options.iterations = iterations;
    options.tolerance = Some(tolerance);
    options
}

#[test]
fn the_methods_are_as_wrong_as_the_page_says() {
    let page = Page::new("table_one", PAGE);
    page.assert_blocks_are_in(include_str!("table_one.rs"));
    let targets = targets(1000);
    let methods = [
        (Method::Ccd, Correction::Midpoint),
        (Method::Fused, Correction::MidAngle),
        (Method::Fused, Correction::Midpoint),
    ];
    let cases = [false, true].into_iter().flat_map(|limits| methods.map(|m| (limits, m)));
    let rows = page.table("With 1,000 targets of our own");
    for ((limits, (method, correction)), row) in cases.zip(rows) {
        let measured = measure(&targets, limits, &options(method, correction, 500, 1e-9));
        assert_printed(row[2], measured.iterations);
        assert_printed(row[3], measured.wrong);
        assert_printed(row[4], measured.wrong_far);
    }
}

#[test]
fn the_share_of_wrong_positions_follows_the_effort() {
    let page = Page::new("table_one_effort", PAGE);
    let targets = targets(1000);
    for row in page.table("`ccd` with limits:") {
        let (iterations, tolerance) = (row[0].parse().unwrap(), row[1].replace('−', "-").parse().unwrap());
        let options = options(Method::Ccd, Correction::Midpoint, iterations, tolerance);
        assert_printed(row[2], measure(&targets, true, &options).wrong);
    }
}

#[test]
fn the_bench_agrees_with_the_page() {
    let page = Page::new("table_one_bench", PAGE);
    let bench: Value = serde_json::from_str(&page.run("--json")).unwrap();
    let rows = bench["paper"].as_array().unwrap();
    // The page shows the rows in which all methods have the same tolerance: first for sinew's methods, and then for the methods as printed
    // in the paper.
    let shown: Vec<&Value> = rows.iter().filter(|row| row["tolerance"] == rows[0]["tolerance"]).collect();
    let printed = page.table("The following table is from one run of");
    assert_eq!((shown.len(), printed.len()), (12, 12));
    for (found, row) in shown.iter().zip(printed) {
        let number = |name: &str| found[name].as_f64().unwrap();
        let form = if found["textbook"] == true { "printed" } else { "sinew" };
        let limits = if found["limits"] == true { "on" } else { "off" };
        assert_eq!(row[..3], [found["method"].as_str().unwrap(), form, limits]);
        assert_printed(row[5], number("iterations"));
        assert_printed(row[7], 100.0 * number("wrong"));
        assert_printed(row[8], 1e6 * number("published_seconds"));
        assert_printed(row[9], number("published_relative_time"));
        assert_printed(row[10], number("published_error_mean"));
        assert_printed(row[11], 100.0 * number("published_wrong"));
    }
    // Times depend on the machine and on the build. Only their order is checked, and only where it is clear.
    for limits in [0, 3] {
        let time = |row: usize| rows[limits + row]["mean_us"].as_f64().unwrap();
        assert!(time(0) > 2.0 * time(2), "{} and {}", time(0), time(2));
        assert!(time(1) < 20.0 * time(2), "{} and {}", time(1), time(2));
    }
}
