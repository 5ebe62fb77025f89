//! A drag of a straight leg whose knee stops a little beyond straight. On most of the path, the error decreases only after the knee has
//! bent.

use std::f64::consts::FRAC_PI_4;

use glam::{DAffine3, DVec3};
use sinew_ik::{Body, Goal, Limit, Link, LinkIndex, Method, Options, Solver, Start};

use crate::{chain_methods, position};

const HIP: DVec3 = DVec3::new(0.087, 0.905, 0.0);
const KNEE: DVec3 = DVec3::new(0.098, 0.495, 0.010);
const FOOT: DVec3 = DVec3::new(0.104, 0.085, -0.022);

/// Returns the left leg of the mannequin.
fn leg() -> Body {
    let axis = DVec3::new(0.026812, -0.999343, 0.024374).normalize();
    let side = DVec3::new(0.999641, 0.026804, -0.000654).reject_from_normalized(axis).normalize();
    let (swing, twist) = ([2.268928, FRAC_PI_4], [-FRAC_PI_4, FRAC_PI_4]);
    let knee = Limit::hinge(DVec3::new(0.999785, 0.020735, 0.0).normalize(), -0.15462..=2.515734);
    let links = vec![
        Link::base().with_offset(HIP).with_limit(Limit::Cone { axis, side, swing, twist }),
        Link::child(LinkIndex(0), KNEE - HIP).with_limit(knee),
        Link::child(LinkIndex(1), FOOT - KNEE),
    ];
    Body::new(links, DAffine3::IDENTITY).unwrap()
}

/// Drags the foot from rest to a target in a number of frames, and returns the remaining error.
fn drag(method: Method, target: DVec3, frames: u32) -> f64 {
    let (mut body, mut solver) = (leg(), Solver::default());
    let options = Options::default().with_method(method).with_start(Start::Continue);
    for frame in 1..=frames + 3 {
        let at = FOOT.lerp(target, f64::from(frame.min(frames)) / f64::from(frames));
        solver.solve(&mut body, &[Goal::position(LinkIndex(2), at)], &options).unwrap();
    }
    position(&body, 2).distance(target)
}

/// Returns targets within reach of the leg.
fn targets() -> Vec<DVec3> {
    [0.05, 0.1, 0.15]
        .into_iter()
        .flat_map(|x| [0.25, 0.4, 0.55, 0.7].map(|y| [-0.2, 0.1, 0.3].map(|z| DVec3::new(x, y, z))))
        .flatten()
        .collect()
}

/// Returns the targets that a drag in a number of frames misses.
fn missed(method: Method, frames: u32) -> Vec<DVec3> {
    targets().into_iter().filter(|target| drag(method, *target, frames) > 1e-3).collect()
}

#[test]
fn every_method_reaches_every_target_of_a_drag() {
    for method in chain_methods() {
        for frames in [10, 30] {
            let missed = missed(method, frames);
            assert!(
                missed.is_empty(),
                "{method}, {frames} frames: {} of 36 missed, {missed:?}",
                missed.len()
            );
        }
    }
}

/// If the target jumps close to the hip in one frame, the sweeps of FABRIK can bend the knee to its limit and stop 0.3 m away.
/// `docs/solvers/fabrik.md` has the numbers.
#[test]
fn a_jump_is_harder_than_a_drag() {
    for method in chain_methods() {
        let counts = [1, 2, 3, 5].map(|frames| missed(method, frames).len());
        println!("{method}: {counts:?} of 36 missed in 1, 2, 3 and 5 frames");
        let most = match method {
            Method::Fabrik => [3, 1, 0, 0],
            Method::Ccd => [2, 0, 0, 0],
            _ => [0; 4],
        };
        assert!(counts.iter().zip(most).all(|(count, most)| *count <= most), "{method}: {counts:?}");
    }
}
