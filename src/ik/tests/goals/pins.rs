//! Pins strictly outrank goals: goals do not change the errors of pins.

use glam::{DAffine3, DQuat, DVec3};
use sinew_ik::{Body, Goal, Link, LinkIndex, Method, Options};

use crate::{error, position, report};

/// The methods that treat pins as the first of several priority levels.
const LEVELLED: [Method; 6] = [
    Method::JacobianTranspose,
    Method::PseudoInverse,
    Method::Dls,
    Method::Sdls,
    Method::Optimize,
    Method::FullBody,
];
/// Length of a leg, and of the chain from the base to a foot.
const LEG: f64 = 0.9;
const CHAIN: f64 = 1.011;
/// Indices of the hand and of the feet.
const HAND: usize = 3;
const FEET: [usize; 2] = [6, 9];

/// Returns hips with a spine that ends in a hand, and with two slightly bent legs.
fn figure() -> Body {
    let mut links = vec![Link::base()];
    links.extend((0..3).map(|i| Link::child(LinkIndex(i), DVec3::Y * 0.3)));
    for side in [-1.0, 1.0] {
        let first = links.len();
        links.push(Link::child(LinkIndex(0), DVec3::new(0.1 * side, -0.05, 0.0)));
        links.extend((0..2).map(|i| Link::child(LinkIndex(first + i), DVec3::NEG_Y * LEG / 2.0)));
    }
    let mut body = Body::new(links, DAffine3::from_translation(DVec3::Y)).unwrap();
    for (link, angle) in [(1, 0.2), (2, -0.3), (4, -0.3), (5, 0.6), (7, -0.2), (8, 0.5)] {
        body.set_rotation(LinkIndex(link), DQuat::from_rotation_x(angle));
    }
    body
}

/// Returns the errors of the feet after a solve with pins for both feet and with a goal for the hand, if there is one.
fn foot_errors(body: &Body, feet: [DVec3; 2], hand: Option<DVec3>, options: &Options) -> [f64; 2] {
    let mut body = body.clone();
    let pins = [0, 1].map(|i| Goal::position(LinkIndex(FEET[i]), feet[i]).with_pinned(true));
    let goals: Vec<Goal> =
        pins.into_iter().chain(hand.map(|at| Goal::position(LinkIndex(HAND), at))).collect();
    report(&mut body, &goals, options);
    pins.map(|pin| error(&body, &pin))
}

#[test]
fn goals_have_no_influence_on_pins_that_contradict_each_other() {
    let body = figure();
    let feet = [DVec3::new(-2.0, 0.1, 0.1), DVec3::new(2.0, 0.0, 0.0)];
    for method in LEVELLED {
        for root_motion in [false, true] {
            let options =
                Options::default().with_method(method).with_root_motion(root_motion).with_restarts(0);
            let alone = foot_errors(&body, feet, None, &options);
            assert!(alone.iter().all(|e| *e > 0.5), "{method}: {alone:?}");
            for hand in [DVec3::new(5.0, 3.0, 2.0), DVec3::new(-1.0, -4.0, 0.3)] {
                let pulled = foot_errors(&body, feet, Some(hand), &options);
                let sum = |errors: [f64; 2]| errors[0].hypot(errors[1]);
                let change = sum(alone) - sum(pulled);
                assert!(
                    change.abs() < 1e-9 * CHAIN,
                    "{method}, root motion {root_motion}: {change} for {hand}, {alone:?}, {pulled:?}"
                );
            }
        }
    }
}

#[test]
fn pins_are_met_exactly_while_a_goal_pulls() {
    let body = figure();
    let feet = FEET.map(|foot| position(&body, foot) + DVec3::new(0.02, 0.05, 0.1));
    for method in LEVELLED {
        for hand in [DVec3::new(5.0, 3.0, 2.0), DVec3::new(-1.0, -4.0, 0.3), DVec3::new(0.2, 1.8, 0.1)] {
            let options = Options::default().with_method(method).with_root_motion(true);
            let errors = foot_errors(&body, feet, Some(hand), &options);
            assert!(errors.iter().all(|e| *e <= 2e-5 * CHAIN), "{method}: {errors:?} for {hand}");
        }
    }
}
