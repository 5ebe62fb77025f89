//! Straight limbs bend where their limits leave room, and joints that can turn all the way round do so.

use std::f64::consts::{PI, TAU};

use glam::{DAffine3, DQuat, DVec3, EulerRot};
use sinew_ik::{Body, Goal, Limit, Link, LinkIndex, Method, Options, Solver, Start, round_cone};

/// The methods that follow a limit while they iterate.
fn methods() -> impl Iterator<Item = Method> {
    Method::ALL.into_iter().filter(|method| *method != Method::TwoBone)
}

/// Returns a straight, hanging leg whose knee has a limit.
fn leg(knee: Limit) -> Body {
    let links = vec![
        Link::base(),
        Link::child(LinkIndex(0), DVec3::NEG_Y * 0.4).with_limit(knee),
        Link::child(LinkIndex(1), DVec3::NEG_Y * 0.4),
    ];
    Body::new(links, DAffine3::from_translation(DVec3::Y * 0.8)).unwrap()
}

fn degrees(angles: [f64; 3]) -> [f64; 3] {
    angles.map(f64::to_radians)
}

/// Regression: a knee with a range of 150° about one axis and 5° about the others bent about one of the others and became stuck.
#[test]
fn a_straight_leg_bends_in_a_drag_whatever_the_limit_of_its_knee() {
    let box_of = |order, min, max| Limit::Euler { order, min: degrees(min), max: degrees(max) };
    let knees = [
        box_of(EulerRot::XYZ, [0.0, -5.0, -5.0], [150.0, 5.0, 5.0]),
        box_of(EulerRot::ZYX, [-5.0, -5.0, 0.0], [5.0, 5.0, 150.0]),
        box_of(EulerRot::XYZ, [-5.0, -5.0, -150.0], [5.0, 5.0, 0.0]),
        Limit::hinge(DVec3::X, 0.0..=2.6),
        Limit::Cone { axis: DVec3::Y, side: DVec3::X, swing: [2.4, 0.05], twist: [-0.1, 0.1] },
        round_cone(DVec3::Y, 2.4, [-0.1, 0.1]),
    ];
    for (index, knee) in knees.into_iter().enumerate() {
        for method in methods() {
            let options =
                Options::default().with_method(method).with_start(Start::Continue).with_iterations(300);
            let (mut body, mut solver) = (leg(knee), Solver::default());
            let mut error = f64::INFINITY;
            for step in 0..=40_u8 {
                let target = DVec3::Y * (0.01 * f64::from(step));
                error = solver
                    .solve(&mut body, &[Goal::position(LinkIndex(2), target)], &options)
                    .unwrap()
                    .position_error();
            }
            assert!(error < 2e-3, "knee {index}, {method}: {error} m");
        }
    }
}

/// Regression: joints with limits from −180° to 180° stopped at half a turn, and targets on the other half of the circle were reported as
/// `out-of-reach`.
#[test]
fn a_drag_once_round_passes_the_border_of_half_a_turn() {
    for half in [PI, PI - 2.65e-6, PI + 7.3e-6] {
        for axis in [DVec3::Y, DVec3::new(0.6, 0.8, 0.0)] {
            let links = vec![
                Link::base().with_limit(Limit::hinge(axis, -half..=half)),
                Link::child(LinkIndex(0), axis.any_orthonormal_vector() * 0.6),
            ];
            for method in methods() {
                let options = Options::default().with_method(method).with_start(Start::Continue);
                let mut body = Body::new(links.clone(), DAffine3::IDENTITY).unwrap();
                let mut solver = Solver::default();
                // Once round and back.
                for step in (0..=90).chain((0..=90).rev()) {
                    let angle = TAU * f64::from(step) / 90.0 + 0.02;
                    let target = DQuat::from_axis_angle(axis, angle) * links[1].offset;
                    let goal = Goal::position(LinkIndex(1), target);
                    let error = solver.solve(&mut body, &[goal], &options).unwrap().position_error();
                    assert!(error < 2e-3, "{method}, {half}, {angle}: {error} m");
                    let violation = links[0].limit.limit_violation(body.rotations()[0]);
                    assert!(violation < 1e-6, "{method}: {violation}");
                }
            }
        }
    }
}
