//! Goals that cannot all be met, and the compromise that the solvers find.

use std::f64::consts::TAU;

use glam::{DAffine3, DQuat, DVec3};
use sinew_ik::{
    Body, Goal, Limit, Link, LinkIndex, Method, OptimizeOptions, Outcome, Solver, Start, round_cone,
};

use crate::{chain, error, options, position, report};

/// Returns a limb with a cone limit at the shoulder and an elbow that bends only one way.
fn limited_limb() -> Body {
    let shoulder = round_cone(DVec3::Y, 0.9, [-0.4, 0.4]);
    let elbow = Limit::Hinge { axis: DVec3::X, min: 0.0, max: 2.4 };
    let links = vec![
        Link::base().with_limit(shoulder),
        Link::child(LinkIndex(0), DVec3::Y * 0.5).with_limit(elbow),
        Link::child(LinkIndex(1), DVec3::Y * 0.4),
    ];
    Body::new(links, DAffine3::IDENTITY).unwrap()
}

#[test]
fn two_targets_of_one_link_pull_it_to_their_weighted_mean() {
    let (a, b) = (DVec3::new(0.5, 0.2, 0.3), DVec3::new(0.1, 0.5, -0.2));
    for method in [Method::Dls, Method::Sdls, Method::PseudoInverse, Method::Optimize, Method::FullBody] {
        for weight in [0.25, 1.0, 4.0] {
            let mut body = chain(6);
            let goals =
                [Goal::position(LinkIndex(6), a).with_weight(weight), Goal::position(LinkIndex(6), b)];
            let report = report(&mut body, &goals, &options(method));
            assert!(!report.reached());
            let mean = (a * weight + b) / (weight + 1.0);
            let away = position(&body, 6).distance(mean);
            assert!(away < 2e-3, "{method}, weight {weight}: {away}");
        }
    }
}

#[test]
fn a_limited_limb_turns_its_shoulder_to_the_best_pose() {
    for target in [DVec3::new(0.5, -0.4, 0.1), DVec3::new(-0.4, -0.1, -0.3), DVec3::new(0.1, -0.3, -0.6)] {
        let mut body = limited_limb();
        let goal = Goal::position(LinkIndex(2), target);
        let report = report(&mut body, &[goal], &options(Method::TwoBone));
        // The elbow keeps the bend of the closed form, which need not be the best one within the limits.
        assert_eq!(report.goals[0].outcome, Outcome::Stalled);
        let mut least = f64::INFINITY;
        for i in 0..90 * 10 * 9 {
            let [around, away, twist] = [i % 90, i / 90 % 10, i / 900].map(f64::from);
            let axis = DQuat::from_rotation_y(around * TAU / 90.0) * DVec3::X;
            let swing = DQuat::from_axis_angle(axis, 0.1 * away);
            body.set_rotation(LinkIndex(0), swing * DQuat::from_rotation_y(0.1 * twist - 0.4));
            least = least.min(error(&body, &goal));
        }
        // The best pose of the grid may be slightly nearer to the target than the best swivel.
        assert!(report.position_error() < least + 0.01, "{target}: {report:?}, {least} is possible");
    }
}

/// If a stalled solve restarted from another pose, the drag would jump by more than a radian. Before `sdls` undid rotations that do not
/// reduce the error, it jumped by 0.61 rad.
#[test]
fn a_drag_beyond_the_limits_does_not_jump() {
    let start = cones();
    for (method, most) in [
        (Method::Dls, 0.35),
        (Method::Sdls, 0.45),
        (Method::FullBody, 0.35),
        (Method::Optimize, 0.35),
        (Method::Fused, 0.35),
    ] {
        let (mut body, mut solver) = (start.clone(), Solver::default());
        let mut largest = 0.0_f64;
        for frame in 0..200 {
            let before = body.clone();
            let options = options(method).with_start(Start::Continue);
            solver.solve(&mut body, &[beyond(frame)], &options).unwrap();
            let turned = largest_turn(&before, &body);
            assert!(frame == 0 || turned < most, "{method}: {turned} rad at frame {frame}");
            largest = largest.max(if frame == 0 { 0.0 } else { turned });
        }
        println!("{method}: at most {largest:.3} rad in a frame");
    }
}

/// Returns a chain of five joints with narrow cones.
fn cones() -> Body {
    let limit = round_cone(DVec3::Y, 0.7, [-0.4, 0.4]);
    let mut links = vec![Link::base().with_limit(limit)];
    links.extend((0..4).map(|i| Link::child(LinkIndex(i), DVec3::Y * 0.25).with_limit(limit)));
    Body::new(links, DAffine3::IDENTITY).unwrap()
}

/// Returns the goal in a frame of a path that is mostly beyond the limits of [`cones`].
fn beyond(frame: i32) -> Goal {
    let t = f64::from(frame) * 0.02;
    Goal::position(
        LinkIndex(4),
        DVec3::new((2.0 * t).sin() * 0.9, -0.3 + 0.5 * t.cos(), 0.6 * (1.3 * t).sin()),
    )
}

/// Returns the largest angle in radians by which a joint differs between two poses.
fn largest_turn(before: &Body, after: &Body) -> f64 {
    let turn = |(a, b): (&DQuat, &DQuat)| a.angle_between(*b);
    before.rotations().iter().zip(after.rotations()).map(turn).fold(0.0, f64::max)
}

#[test]
fn a_compromise_stops_at_its_iteration_limit() {
    let optimize = OptimizeOptions::default().with_rest(0.01);
    let solve = |iterations| {
        let options =
            options(Method::Optimize).with_optimize(optimize).with_iterations(iterations).with_record(true);
        report(&mut chain(6), &[Goal::position(LinkIndex(6), DVec3::new(0.5, 0.3, 0.2))], &options)
    };
    let (short, long) = (solve(2), solve(100));
    assert_eq!((short.iterations, short.history.len()), (2, 3));
    assert!((3..100).contains(&long.iterations), "{long:?}");
    assert!(long.position_error() < short.position_error(), "{long:?}, {short:?}");
}
