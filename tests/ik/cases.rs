//! The seeded cases that solvers are compared by.

use std::io::Write;
use std::path::PathBuf;

use glam::DVec3;
use sinew::ik::{Goal, Method, Options, Solver};

use crate::{chain, chain_methods, error, position};

/// Targets of a set of `../shared/ik/cases.csv`; says visibly where they are not there.
fn targets(set: &str) -> Option<Vec<DVec3>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/ik/cases.csv");
    let Ok(text) = std::fs::read_to_string(&path) else {
        // Not println!: the test harness would keep it.
        let _ = writeln!(std::io::stderr(), "SKIPPED: {} is not there", path.display());
        return None;
    };
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |i: usize| fields[i].parse::<f64>().unwrap();
        (fields[0] == set).then(|| DVec3::new(number(2), number(3), number(4)))
    };
    Some(text.lines().skip(1).filter_map(row).collect())
}

/// The share of targets reached, each from the same start, and the mean number of passes.
fn success(method: Method, n: usize, set: &[DVec3], tolerance: f64, iterations: usize) -> (f64, f64) {
    let mut solver = Solver::default();
    let options = Options { method, tolerance: Some(tolerance), iterations, ..Options::default() };
    let (mut reached, mut passes) = (0, 0);
    for &target in set {
        let mut body = chain(n);
        let goal = Goal::position(n, target);
        let report = solver.solve(&mut body, &[goal], &options).unwrap();
        passes += report.iterations;
        if report.reached() {
            assert!(error(&body, &goal) <= tolerance, "reached, but {} away", error(&body, &goal));
            reached += 1;
        }
    }
    (f64::from(reached) / set.len() as f64, passes as f64 / set.len() as f64)
}

#[test]
fn the_start_pose_is_the_protocols() {
    assert!(
        (position(&chain(3), 3)
            - DVec3::new(-0.063_938_438_180_827_49, 0.905_940_973_544_296_3, 0.383_004_575_136_048_35))
        .length()
            < 1e-15
    );
}

/// Success rates seen, a point lower: a chain that gets worse is noticed.
fn expect(set: &str, tolerance: f64, iterations: usize, expected: &[(Method, [(usize, f64); 5])]) {
    let Some(targets) = targets(set) else { return };
    for (method, shares) in expected {
        for &(n, least) in shares {
            let (share, passes) = success(*method, n, &targets, tolerance, iterations);
            println!("{set}, {method}, {n} links: {:.1} % in {passes:.1} passes", share * 100.0);
            assert!(share >= least, "{set}, {method}, {n} links: {share}, was at least {least}");
        }
    }
}

#[test]
fn targets_within_reach_are_reached() {
    expect(
        "reach",
        1e-3,
        100,
        &[
            (Method::Ccd, [(2, 1.0), (3, 0.99), (6, 0.94), (10, 0.8), (20, 0.57)]),
            (Method::Particle, [(2, 1.0), (3, 1.0), (6, 1.0), (10, 0.99), (20, 0.97)]),
        ],
    );
}

#[test]
fn targets_near_full_stretch_are_reached_slowly() {
    expect(
        "near",
        1e-3,
        500,
        &[
            (Method::Ccd, [(2, 0.79), (3, 0.79), (6, 0.35), (10, 0.12), (20, 0.03)]),
            (Method::Particle, [(2, 1.0), (3, 1.0), (6, 0.99), (10, 0.99), (20, 0.75)]),
        ],
    );
}

#[test]
fn targets_out_of_reach_are_told_apart_at_once() {
    let Some(set) = targets("unreach") else { return };
    for method in chain_methods() {
        let (reached, passes) = success(method, 10, &set, 1e-3, 100);
        assert!(reached == 0.0 && passes <= 1.0, "{method}: {reached} reached, {passes} passes");
    }
}
