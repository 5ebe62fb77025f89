//! Goals of every kind: orientations, aims, poles, pins, and combinations of them.

use std::f64::consts::PI;

use glam::{DAffine3, DQuat, DVec3};
use proptest::prelude::*;
use sinew::ik::{
    Balance, Body, CcdOptions, Goal, JacobianOptions, JointParameters, LimbOptions, Limit, Link, Method,
    OptimizeOptions, Options, Secondary, Solver, Swivel, solve_many,
};

use crate::{chain, position, report, straight};

fn angle(a: DQuat, b: DQuat) -> f64 {
    let d = a.conjugate() * b;
    2.0 * d.xyz().length().atan2(d.w.abs())
}

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
            let options = Options { method, ..Options::default() };
            let report = report(&mut body, &[Goal::pose(6, place, wanted)], &options);
            assert!(report.reached(), "{method}: {report:?}");
            assert!(angle(body.orientation(6).unwrap(), wanted) < 1e-3, "{method}");
            assert!(report.goals[0].orientation_error.unwrap() < 1e-3);
        }
    }
}

#[test]
fn axis_points_at_a_position() {
    let at = DVec3::new(2.0, 0.3, -1.0);
    for method in TURNING {
        let mut body = chain(3);
        let goal = Goal::aim(3, DVec3::Z * 2.0, at);
        let options = Options { method, ..Options::default() };
        let report = report(&mut body, &[goal], &options);
        assert!(report.reached(), "{method}: {report:?}");
        let way = body.orientation(3).unwrap() * DVec3::Z;
        assert!(way.angle_between(at - position(&body, 3)) < 1e-3, "{method}");
        assert_eq!(report.goals[0].position_error, None);
    }
}

#[test]
fn limb_bends_towards_its_pole() {
    for method in [Method::TwoBone, Method::Ccd, Method::Fabrik, Method::Dls, Method::Fused, Method::Optimize]
    {
        for pole in [DVec3::Z, DVec3::NEG_Z, DVec3::X, DVec3::new(-1.0, 0.3, 0.5)] {
            let mut body = chain(2);
            let target = DVec3::new(0.1, 0.7, 0.1);
            let goal = Goal { pole: Some(pole), ..Goal::position(2, target) };
            let options = Options { method, ..Options::default() };
            assert!(report(&mut body, &[goal], &options).reached(), "{method}");
            let across = |v: DVec3| v.reject_from(target);
            let bend = across(position(&body, 1)).angle_between(across(pole));
            assert!(bend < 1e-3, "{method} towards {pole}: {bend} away");
        }
    }
}

#[test]
fn pole_on_the_line_to_the_target_keeps_the_bend() {
    let target = DVec3::new(0.1, 0.7, 0.1);
    let options = Options { method: Method::TwoBone, ..Options::default() };
    let solve = |pole| {
        let mut body = chain(2);
        report(&mut body, &[Goal { pole, ..Goal::position(2, target) }], &options);
        position(&body, 1)
    };
    assert!(solve(Some(target * 2.0)).distance(solve(None)) < 1e-12);
}

#[test]
fn limbs_use_the_requested_swivel() {
    let target = DVec3::new(0.2, 0.6, 0.3);
    let solve = |body: &Body, swivel| {
        let mut body = body.clone();
        let options = Options {
            method: Method::TwoBone,
            limb: LimbOptions { swivel, soften: 0.0 },
            ..Options::default()
        };
        let report = report(&mut body, &[Goal::position(2, target)], &options);
        assert!(report.position_error() < 1e-12, "{swivel:?}: {}", report.position_error());
        position(&body, 1)
    };
    let across = |v: DVec3| v.reject_from(target);
    let (now, mut other) = (chain(2), chain(2));
    other.set_rotation(0, DQuat::from_rotation_y(2.0) * other.rotations()[0]);
    // The standard swivel depends only on the target. The kept swivel also depends on the start pose.
    assert!(solve(&now, Swivel::Standard).distance(solve(&other, Swivel::Standard)) < 1e-12);
    assert!(solve(&now, Swivel::Keep).distance(solve(&other, Swivel::Keep)) > 0.1);
    for turn in [0.5, -1.5, PI] {
        let between =
            across(solve(&now, Swivel::Standard)).angle_between(across(solve(&now, Swivel::Angle(turn))));
        assert!((between - turn.abs()).abs() < 1e-6, "{turn}: {between}");
    }
    let follow = Swivel::Follow { at_base: 0.1, slope: DVec3::X };
    assert!(solve(&now, follow).distance(solve(&now, Swivel::Angle(0.1 + target.x))) < 1e-12);
}

#[test]
fn softened_limb_never_snaps_straight() {
    let straightness = |distance: f64, soften| {
        let mut body = chain(2);
        let limb = LimbOptions { soften, ..LimbOptions::default() };
        let options = Options { method: Method::TwoBone, limb, ..Options::default() };
        report(&mut body, &[Goal::position(2, DVec3::Z * distance)], &options);
        position(&body, 2).length()
    };
    assert!((straightness(0.85, 0.1) - 0.85).abs() < 1e-12);
    let lengths: Vec<f64> = (0..40).map(|i| straightness(0.8 + 0.02 * f64::from(i), 0.1)).collect();
    assert!(lengths.windows(2).all(|w| w[1] > w[0] && w[1] - w[0] < 0.021), "{lengths:?}");
    assert!(lengths.iter().all(|l| *l < 1.0));
}

/// Returns a trunk of two links with two arms of two links at its end.
fn trunk() -> Body {
    let mut links = vec![Link::base(), Link::child(0, DVec3::Y), Link::child(1, DVec3::Y)];
    for side in [-1.0, 1.0] {
        let first = links.len();
        links.push(Link::child(2, DVec3::X * side * 0.3));
        links.push(Link::child(first, DVec3::X * side));
        links.push(Link::child(first + 1, DVec3::X * side));
    }
    Body::new(links, DAffine3::IDENTITY).unwrap()
}

#[test]
fn pins_outrank_goals() {
    let body = trunk();
    let pin = Goal::pin(5, position(&body, 5), body.orientation(5).unwrap());
    // This target is out of reach while the pin is met.
    let pull = Goal { weight: 5.0, ..Goal::position(8, DVec3::new(6.0, 4.0, 2.0)) };
    for root_motion in [false, true] {
        let mut body = body.clone();
        let options = Options { method: Method::FullBody, root_motion, ..Options::default() };
        let report = report(&mut body, &[pull, pin], &options);
        assert!(!report.reached());
        assert!(report.goals[1].position_error.unwrap() < 1e-4, "{report:?}");
        assert!(report.goals[1].orientation_error.unwrap() < 1e-3, "{report:?}");
    }
}

#[test]
fn base_moves_only_with_root_motion() {
    let mut body = trunk();
    let goals =
        [Goal::position(5, DVec3::new(-4.0, 3.0, 1.0)), Goal::position(8, DVec3::new(-1.0, 3.0, 2.0))];
    let options = Options { method: Method::FullBody, root_motion: true, ..Options::default() };
    assert!(report(&mut body, &goals, &options).reached());
    assert!(body.root().length() > 0.1);
    let held = Options { root_motion: false, ..options };
    let mut body = trunk();
    assert!(!report(&mut body, &goals, &held).reached());
    assert_eq!(body.root(), DVec3::ZERO);
}

#[test]
fn weights_decide_between_goals_that_cannot_all_be_met() {
    for method in [Method::Dls, Method::Optimize, Method::FullBody, Method::Ccd] {
        let error = |weight: f64| {
            let mut body = trunk();
            let goals = [
                Goal { weight, ..Goal::position(5, DVec3::new(-4.0, 2.0, 0.0)) },
                Goal::position(8, DVec3::new(4.0, 2.0, 0.0)),
            ];
            let options = Options { method, ..Options::default() };
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
        (0..8)
            .for_each(|i| body.set_rotation(i, DQuat::from_rotation_z(if i % 2 == 0 { 0.9 } else { -0.9 })));
        let jacobian = JacobianOptions { secondary, ..JacobianOptions::default() };
        let options = Options { method: Method::Dls, jacobian, tolerance: Some(1e-6), ..Options::default() };
        let report = report(&mut body, &[Goal::position(8, target)], &options);
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
    // Two solves of the same target with different postures. Each result is nearer to its own posture.
    let target = DVec3::new(0.4, 0.4, 0.1);
    let postures = [0.5, -0.5].map(|angle| vec![DQuat::from_rotation_z(angle); 9]);
    let answers = [0, 1].map(|of| {
        let mut body = chain(8);
        body.set_posture(&postures[of]);
        let jacobian = JacobianOptions { secondary: Secondary::Posture, ..JacobianOptions::default() };
        let options = Options { method: Method::Dls, jacobian, tolerance: Some(1e-6), ..Options::default() };
        assert!(report(&mut body, &[Goal::position(8, target)], &options).reached());
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
        let jacobian = JacobianOptions { parameters, ..JacobianOptions::default() };
        let options = Options { method: Method::Dls, jacobian, ..Options::default() };
        assert!(report(&mut body, &[Goal::position(4, target)], &options).reached());
        body
    };
    assert_ne!(solve(JointParameters::Euler).rotations(), solve(JointParameters::RotationVector).rotations());
}

#[test]
fn a_solve_from_its_last_result_never_restarts() {
    // The pose must not jump between two frames of a slow drag.
    for method in [Method::Dls, Method::Fused, Method::FullBody, Method::Ccd, Method::Fabrik] {
        let mut body = straight(5);
        let mut solver = Solver::default();
        let options = Options { method, ..Options::default() };
        let mut before: Option<Vec<DQuat>> = None;
        for frame in 0..120 {
            let t = f64::from(frame) * 0.05;
            let target = DVec3::new(0.7 * t.sin(), 0.5 + 0.6 * (0.7 * t).cos(), 0.4 * (1.3 * t).sin());
            solver.solve(&mut body, &[Goal::position(5, target)], &options).unwrap();
            if let Some(before) = before {
                let turned =
                    before.iter().zip(body.rotations()).map(|(a, b)| angle(*a, *b)).fold(0.0, f64::max);
                assert!(turned < 0.8, "{method}: {turned} rad at frame {frame}");
            }
            before = Some(body.rotations().to_vec());
        }
    }
}

proptest! {
    #[test]
    fn a_limb_is_solved_exactly(x in -1.0..1.0_f64, y in -1.0..1.0_f64, z in -1.0..1.0_f64, upper in 0.2..0.8_f64) {
        let target = DVec3::new(x, y, z);
        let links = vec![Link::base(), Link::child(0, DVec3::Y * upper), Link::child(1, DVec3::X * (1.0 - upper))];
        let mut body = Body::new(links, DAffine3::IDENTITY).unwrap();
        let options = Options { method: Method::TwoBone, ..Options::default() };
        let report = report(&mut body, &[Goal::position(2, target)], &options);
        let inner = (2.0 * upper - 1.0).abs();
        let best = (target.length() - 1.0).max(inner - target.length()).max(0.0);
        prop_assert!((report.position_error() - best).abs() < 1e-9, "{} {best}", report.position_error());
    }
}

#[test]
fn solve_many_gives_the_bits_of_single_solves() {
    let target = |i: i32| {
        let t = f64::from(i) * 0.11;
        DVec3::new(t.sin(), (1.7 * t).cos(), (0.6 * t).sin()) * 0.7
    };
    for method in [Method::Auto, Method::Fused, Method::Ccd, Method::Optimize] {
        let goals: Vec<Vec<Goal>> = (0..300).map(|i| vec![Goal::position(5, target(i / 2))]).collect();
        let options = Options { method, ..Options::default() };
        let mut together: Vec<Body> = (0..300).map(|_| chain(5)).collect();
        let reports = solve_many(&mut together, &goals, &options);
        for ((goals, together), reported) in goals.iter().zip(&together).zip(reports) {
            let mut alone = chain(5);
            assert_eq!(report(&mut alone, goals, &options), reported.unwrap());
            assert_eq!(alone.rotations(), together.rotations(), "{method}");
        }
    }
}

#[test]
fn ccd_respects_direction_steps_and_budgets() {
    let target = DVec3::new(0.5, 0.3, 0.4);
    let solve = |ccd: CcdOptions, iterations| {
        let mut body = chain(5);
        let options = Options { method: Method::Ccd, ccd, iterations, restarts: 0, ..Options::default() };
        let report = report(&mut body, &[Goal::position(5, target)], &options);
        let start = chain(5);
        let turned = start.rotations().iter().zip(body.rotations()).map(|(a, b)| angle(*a, *b));
        (report, turned.fold(0.0, f64::max), body)
    };
    let default = CcdOptions::default();
    let tip_first = solve(default, 100);
    let base_first = solve(CcdOptions { base_first: true, ..default }, 100);
    assert!(tip_first.0.reached() && base_first.0.reached());
    assert_ne!(tip_first.2, base_first.2);
    // The maximum step, the budget of a solve, and the maximum step that grows along the chain.
    assert!(solve(CcdOptions { step: 0.1, ..default }, 1).1 < 0.1 + 1e-9);
    assert!(solve(CcdOptions { step: 0.1, ..default }, 100).0.reached());
    let spent = solve(CcdOptions { budget: 0.2, ..default }, 100).1;
    assert!(spent > 0.1 && spent < 0.2 + 1e-9, "{spent}");
    let first_pass = solve(CcdOptions::mmd(0.05), 1).1;
    assert!(first_pass > 0.05 && first_pass < 0.25 + 1e-9, "{first_pass}");
}

#[test]
fn optimize_weighs_goals_against_the_pose() {
    let target = DVec3::new(0.5, 0.3, 0.4);
    let solve = |rest: f64, stay: f64| {
        let mut body = chain(6);
        (0..6)
            .for_each(|i| body.set_rotation(i, DQuat::from_rotation_z(if i % 2 == 0 { 0.7 } else { -0.7 })));
        let start = body.rotations().to_vec();
        let optimize = OptimizeOptions { rest, stay, balance: None };
        let options = Options { method: Method::Optimize, optimize, ..Options::default() };
        let error = report(&mut body, &[Goal::position(6, target)], &options).position_error();
        let away = |pose: &[DQuat]| {
            pose.iter().zip(body.rotations()).map(|(a, b)| angle(*a, *b).powi(2)).sum::<f64>()
        };
        let rests: Vec<DQuat> = body.links().iter().map(|l| l.rest).collect();
        (error, away(&rests), away(&start))
    };
    let (plain, little, much) = (solve(0.0, 0.0), solve(1e-4, 0.0), solve(1.0, 0.0));
    // The larger the weight of rest, the farther the end stays from the target.
    assert!(plain.0 < 1e-4 && little.0 < 0.01 && much.0 > 0.1, "{plain:?} {little:?} {much:?}");
    assert!(little.1 < plain.1 && much.1 < little.1, "{plain:?} {little:?} {much:?}");
    let stay = solve(0.0, 1.0);
    assert!(stay.0 > 0.1 && stay.2 < plain.2, "{plain:?} {stay:?}");
}

/// Returns the centre of mass of a chain. The mass of a segment is its length.
fn middle(body: &Body) -> DVec3 {
    let places: Vec<DVec3> = (0..body.links().len()).map(|i| position(body, i)).collect();
    let stretches = places.windows(2).map(|p| (p[0].distance(p[1]), (p[0] + p[1]) / 2.0));
    let (mass, moment) =
        stretches.fold((0.0, DVec3::ZERO), |(m, sum), (mass, at)| (m + mass, sum + at * mass));
    moment / mass
}

#[test]
fn centre_of_mass_is_above_its_support_while_the_end_reaches_its_target() {
    let target = DVec3::new(0.35, 0.5, 0.0);
    let support = DVec3::new(0.0, 7.0, 0.0);
    for above in [DAffine3::IDENTITY, DAffine3::from_scale(DVec3::splat(2.0))] {
        let solve = |balance| {
            let mut body = chain(8);
            body.place(above, DQuat::IDENTITY).unwrap();
            let optimize = OptimizeOptions { balance, ..OptimizeOptions::default() };
            let options = Options { method: Method::Optimize, optimize, ..Options::default() };
            let goal = Goal::position(8, above.transform_point3(target));
            let error = report(&mut body, &[goal], &options).position_error();
            let off = middle(&body) - support;
            (error, DVec3::new(off.x, 0.0, off.z).length())
        };
        let (_, before) = solve(None);
        let (error, after) = solve(Some(Balance { support, weight: 1.0 }));
        assert!(before > 0.05 && after < 1e-3 && error < 1e-3, "{before} {after} {error}");
    }
}

#[test]
fn straightened_limb_does_not_turn_about_its_axis() {
    // Regression: swivels were tried although limits did not cause the miss, and rounding selected one that was a
    // quarter turn away.
    let cone = Limit::Cone { axis: DVec3::X, side: DVec3::Z, swing: [1.5, 1.2], twist: [-1.5, 1.5] };
    let hinge = Limit::Hinge { axis: DVec3::Y, min: -2.5, max: 0.1 };
    let links = vec![
        Link { limit: cone, ..Link::base() },
        Link { limit: hinge, ..Link::child(0, DVec3::X * 0.27) },
        Link::child(1, DVec3::new(0.24, 0.0, 0.03)),
    ];
    for target in [DVec3::X * 0.7, DVec3::new(0.6, 0.2, 0.1), DVec3::new(0.5, -0.1, 0.2)] {
        let mut body = Body::new(links.clone(), DAffine3::IDENTITY).unwrap();
        let options = Options { method: Method::TwoBone, ..Options::default() };
        let way = (body.world_from_link(2).unwrap().translation).angle_between(target);
        let report = report(&mut body, &[Goal::position(2, target)], &options);
        assert!(!report.reached());
        let turned = angle(body.rotations()[0], DQuat::IDENTITY);
        assert!(turned < way + 0.2, "{target}: {turned} for {way}");
    }
}
