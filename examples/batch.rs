//! Solves 100,000 limbs: in closed form in SIMD lanes, and as chains with limits on all cores.
//!
//! ```text
//! cargo run --no-default-features --features rayon --example batch
//!
//! limbs  solver                     time    per limb  largest error
//! 100000 closed form               10.1 ms     0.10 µs     0.000000 m
//! 100000 chains with limits       286.5 ms     2.86 µs     0.000000 m
//! ```
//!
//! The times are from a development build on two cores. The other columns are the same on every machine and for any number of threads.
#![allow(clippy::print_stdout, reason = "an example")]

use std::error::Error;
use std::time::{Duration, Instant};

use sinew::glam::{DAffine3, DVec3};
use sinew::ik::{Body, Goal, Limb, LimbGoal, Limit, Link, LinkIndex, Options, solve_limbs, solve_many};

const COUNT: u32 = 100_000;
const UPPER: DVec3 = DVec3::new(0.0, -0.30, 0.0);
const LOWER: DVec3 = DVec3::new(0.0, -0.27, 0.02);

fn main() -> Result<(), Box<dyn Error>> {
    let targets: Vec<DVec3> = (0..COUNT).map(target).collect();
    println!("limbs  solver                     time    per limb  largest error");

    // Limbs as plain vectors.
    let limbs = vec![Limb { upper: UPPER, lower: LOWER, bend: DVec3::X }; targets.len()];
    let goals: Vec<LimbGoal> = targets.iter().map(|&target| LimbGoal { target, pole: DVec3::ZERO }).collect();
    let mut turns = vec![Default::default(); targets.len()];
    let start = Instant::now();
    solve_limbs(&limbs, &goals, &mut turns);
    let time = start.elapsed();
    let errors = targets.iter().zip(&turns).map(|(target, [upper, lower])| {
        let end = *upper * UPPER + *lower * LOWER;
        end.distance(*target)
    });
    print("closed form", time, errors.fold(0.0, f64::max));

    // Bodies with a cone limit at the shoulder and a hinge at the elbow, solved with reports.
    let shoulder = Limit::Cone { axis: DVec3::NEG_Y, side: DVec3::X, swing: [2.4, 2.4], twist: [-1.5, 1.5] };
    let links = vec![
        Link::base().with_limit(shoulder),
        Link::child(LinkIndex(0), UPPER).with_limit(Limit::hinge(DVec3::X, -2.6..=0.1)),
        Link::child(LinkIndex(1), LOWER),
    ];
    let mut bodies = vec![Body::new(links, DAffine3::IDENTITY)?; targets.len()];
    let goals: Vec<Vec<Goal>> =
        targets.iter().map(|&target| vec![Goal::position(LinkIndex(2), target)]).collect();
    let start = Instant::now();
    let reports = solve_many(&mut bodies, &goals, &Options::default());
    let time = start.elapsed();
    let mut largest = 0.0_f64;
    for report in reports {
        largest = largest.max(report?.position_error());
    }
    print("chains with limits", time, largest);
    assert!(largest < 1e-3, "some limb does not reach its target");
    Ok(())
}

/// Returns a point in front of the shoulder, within reach. The points follow a spiral.
fn target(index: u32) -> DVec3 {
    let turn = f64::from(index) * 2.399_963;
    let height = f64::from(index % 1000) / 1000.0;
    DVec3::new(0.2 * turn.sin() * height, -0.25 - 0.1 * height, 0.2 + 0.12 * turn.cos())
}

fn print(solver: &str, time: Duration, error: f64) {
    let seconds = time.as_secs_f64();
    let (milliseconds, each) = (1e3 * seconds, 1e6 * seconds / f64::from(COUNT));
    println!("{COUNT} {solver:20} {milliseconds:9.1} ms {each:8.2} µs {error:12.6} m");
}
