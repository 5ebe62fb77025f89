//! Goals of every kind: orientations, aims, poles, pins, and combinations of them.

use glam::{DAffine3, DQuat, DVec3};
use sinew_ik::{
    Body, Goal, JacobianOptions, JointParameters, Link, LinkIndex, Method, Options, Secondary, Solver, Start,
    solve_many,
};

use crate::{angle, chain, position, report, straight};

mod ccd;
mod limb;
mod method_options;
mod pins;

/// Methods that support orientations.
const TURNING: [Method; 9] = [
    Method::Ccd,
    Method::Particle,
    Method::Fabrik,
    Method::PseudoInverse,
    Method::Dls,
    Method::Sdls,
    Method::Fused,
    Method::Optimize,
    Method::FullBody,
];

#[test]
fn end_reaches_its_position_and_orientation() {
    let wanted = DQuat::from_euler(glam::EulerRot::XYZ, 0.6, -0.4, 1.1);
    let place = DVec3::new(0.3, 0.5, 0.2);
    for method in TURNING {
        for above in [DAffine3::IDENTITY, DAffine3::from_scale(DVec3::splat(100.0))] {
            let mut body = chain(6);
            let place = above.transform_point3(place);
            body.place(above, DQuat::from_rotation_y(0.7)).unwrap();
            let options = Options::default().with_method(method);
            let report = report(&mut body, &[Goal::pose(LinkIndex(6), place, wanted)], &options);
            assert!(report.reached(), "{method}: {report:?}");
            assert!(angle(body.orientation(LinkIndex(6)).unwrap(), wanted) < 1e-3, "{method}");
            assert!(report.goals[0].orientation_error.unwrap() < 1e-3);
        }
    }
}

#[test]
fn axis_points_at_a_position() {
    let at = DVec3::new(2.0, 0.3, -1.0);
    for method in TURNING {
        let mut body = chain(3);
        let goal = Goal::aim(LinkIndex(3), DVec3::Z * 2.0, at);
        let options = Options::default().with_method(method);
        let report = report(&mut body, &[goal], &options);
        assert!(report.reached(), "{method}: {report:?}");
        let way = body.orientation(LinkIndex(3)).unwrap() * DVec3::Z;
        assert!(way.angle_between(at - position(&body, 3)) < 1e-3, "{method}");
        assert_eq!(report.goals[0].position_error, None);
    }
}

/// Returns a trunk of two links with two arms of two links at its end.
fn trunk() -> Body {
    let mut links =
        vec![Link::base(), Link::child(LinkIndex(0), DVec3::Y), Link::child(LinkIndex(1), DVec3::Y)];
    for side in [-1.0, 1.0] {
        let first = links.len();
        links.push(Link::child(LinkIndex(2), DVec3::X * side * 0.3));
        links.push(Link::child(LinkIndex(first), DVec3::X * side));
        links.push(Link::child(LinkIndex(first + 1), DVec3::X * side));
    }
    Body::new(links, DAffine3::IDENTITY).unwrap()
}

#[test]
fn pins_outrank_goals() {
    let body = trunk();
    let pin = Goal::pin(LinkIndex(5), position(&body, 5), body.orientation(LinkIndex(5)).unwrap());
    // This target cannot be reached unless the pinned link moves.
    let pull = Goal::position(LinkIndex(8), DVec3::new(6.0, 4.0, 2.0)).with_weight(5.0);
    for root_motion in [false, true] {
        let mut body = body.clone();
        let options = Options::default().with_method(Method::FullBody).with_root_motion(root_motion);
        let report = report(&mut body, &[pull, pin], &options);
        assert!(!report.reached());
        assert!(report.goals[1].position_error.unwrap() < 1e-4, "{report:?}");
        assert!(report.goals[1].orientation_error.unwrap() < 1e-3, "{report:?}");
    }
}

#[test]
fn base_moves_only_with_root_motion() {
    let mut body = trunk();
    let goals = [
        Goal::position(LinkIndex(5), DVec3::new(-4.0, 3.0, 1.0)),
        Goal::position(LinkIndex(8), DVec3::new(-1.0, 3.0, 2.0)),
    ];
    let options = Options::default().with_method(Method::FullBody).with_root_motion(true);
    assert!(report(&mut body, &goals, &options).reached());
    assert!(body.root().length() > 0.1);
    let held = options.with_root_motion(false);
    let mut body = trunk();
    assert!(!report(&mut body, &goals, &held).reached());
    assert_eq!(body.root(), DVec3::ZERO);
}

#[test]
fn root_motion_may_have_only_orientations() {
    // Regression: if no goal had a position, the columns of the base were indexed beyond their end.
    let mut body = trunk();
    let wanted = DQuat::from_rotation_z(0.4);
    let goals = [Goal::orientation(LinkIndex(5), wanted), Goal::orientation(LinkIndex(8), wanted.inverse())];
    let options = Options::default().with_method(Method::FullBody).with_root_motion(true);
    assert!(report(&mut body, &goals, &options).reached());
    assert_eq!(body.root(), DVec3::ZERO);
}

#[test]
fn weights_decide_between_goals_that_cannot_all_be_met() {
    for method in [Method::Dls, Method::Optimize, Method::FullBody, Method::Ccd] {
        let error = |weight: f64| {
            let mut body = trunk();
            let goals = [
                Goal::position(LinkIndex(5), DVec3::new(-4.0, 2.0, 0.0)).with_weight(weight),
                Goal::position(LinkIndex(8), DVec3::new(4.0, 2.0, 0.0)),
            ];
            let options = Options::default().with_method(method);
            report(&mut body, &goals, &options).goals[0].position_error.unwrap()
        };
        assert!(error(10.0) < error(1.0) && error(1.0) < error(0.1), "{method}");
    }
}

#[test]
fn secondary_task_uses_the_remaining_freedom() {
    let target = DVec3::new(0.4, 0.4, 0.1);
    let away = |secondary| {
        let mut body = chain(8);
        (0..8).for_each(|i| {
            body.set_rotation(LinkIndex(i), DQuat::from_rotation_z(if i % 2 == 0 { 0.9 } else { -0.9 }));
        });
        let jacobian = JacobianOptions::default().with_secondary(secondary);
        let options =
            Options::default().with_method(Method::Dls).with_jacobian(jacobian).with_tolerance(1e-6);
        let report = report(&mut body, &[Goal::position(LinkIndex(8), target)], &options);
        assert!(report.position_error() < 1e-6, "{secondary:?}: {}", report.position_error());
        body.links().iter().zip(body.rotations()).map(|(l, q)| angle(l.rest, *q).powi(2)).sum::<f64>()
    };
    assert!(
        away(Secondary::Rest) < 0.8 * away(Secondary::None),
        "{} {}",
        away(Secondary::Rest),
        away(Secondary::None)
    );
    assert!(away(Secondary::Start) > away(Secondary::Rest));
}

#[test]
fn secondary_task_pulls_towards_a_given_posture() {
    // Solve for the same target twice, with different postures. Each result must be
    // nearer to the posture that was given for it.
    let target = DVec3::new(0.4, 0.4, 0.1);
    let postures = [0.5, -0.5].map(|angle| vec![DQuat::from_rotation_z(angle); 9]);
    let answers = [0, 1].map(|of| {
        let mut body = chain(8);
        body.set_posture(&postures[of]);
        let jacobian = JacobianOptions::default().with_secondary(Secondary::Posture);
        let options =
            Options::default().with_method(Method::Dls).with_jacobian(jacobian).with_tolerance(1e-6);
        assert!(report(&mut body, &[Goal::position(LinkIndex(8), target)], &options).reached());
        [0, 1].map(|to: usize| -> f64 {
            body.rotations().iter().zip(&postures[to]).take(8).map(|(q, p)| angle(*q, *p).powi(2)).sum()
        })
    });
    assert!(answers[0][0] < answers[1][0] && answers[1][1] < answers[0][1], "{answers:?}");
}

#[test]
fn euler_angles_and_rotation_vectors_reach_a_target_differently() {
    let target = DVec3::new(0.4, 0.4, 0.3);
    let solve = |parameters| {
        let mut body = chain(4);
        let jacobian = JacobianOptions::default().with_parameters(parameters);
        let options = Options::default().with_method(Method::Dls).with_jacobian(jacobian);
        assert!(report(&mut body, &[Goal::position(LinkIndex(4), target)], &options).reached());
        body
    };
    assert_ne!(solve(JointParameters::Euler).rotations(), solve(JointParameters::RotationVector).rotations());
}

#[test]
fn a_solve_that_continues_never_restarts() {
    // The pose must not jump between two frames of a slow drag.
    for method in [Method::Dls, Method::Fused, Method::FullBody, Method::Ccd, Method::Fabrik] {
        let mut body = straight(5);
        let mut solver = Solver::default();
        let options = Options::default().with_method(method).with_start(Start::Continue);
        let mut before: Option<Vec<DQuat>> = None;
        for frame in 0..120 {
            let t = f64::from(frame) * 0.05;
            let target = DVec3::new(0.7 * t.sin(), 0.5 + 0.6 * (0.7 * t).cos(), 0.4 * (1.3 * t).sin());
            solver.solve(&mut body, &[Goal::position(LinkIndex(5), target)], &options).unwrap();
            if let Some(before) = before {
                let turned =
                    before.iter().zip(body.rotations()).map(|(a, b)| angle(*a, *b)).fold(0.0, f64::max);
                assert!(turned < 0.8, "{method}: {turned} rad at frame {frame}");
            }
            before = Some(body.rotations().to_vec());
        }
    }
}

#[test]
fn solve_many_gives_exactly_the_results_of_single_solves() {
    let target = |i: i32| {
        let t = f64::from(i) * 0.11;
        DVec3::new(t.sin(), (1.7 * t).cos(), (0.6 * t).sin()) * 0.7
    };
    for method in [Method::Auto, Method::Fused, Method::Ccd, Method::Optimize] {
        let goals: Vec<Vec<Goal>> =
            (0..300).map(|i| vec![Goal::position(LinkIndex(5), target(i / 2))]).collect();
        let options = Options::default().with_method(method);
        let mut together: Vec<Body> = (0..300).map(|_| chain(5)).collect();
        let reports = solve_many(&mut together, &goals, &options);
        for ((goals, together), reported) in goals.iter().zip(&together).zip(reports) {
            let mut alone = chain(5);
            assert_eq!(report(&mut alone, goals, &options), reported.unwrap());
            assert_eq!(alone.rotations(), together.rotations(), "{method}");
        }
    }
}
