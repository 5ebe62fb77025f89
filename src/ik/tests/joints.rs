//! Prismatic joints and mimic joints: every method that can treat them reaches its targets within their limits.

use glam::{DAffine3, DQuat, DVec3};
use sinew_ik::{Body, Goal, Limit, Link, LinkIndex, Method, Mimic, Outcome, Solver, Start, swing_twist};

use crate::starts::scatter;
use crate::{options, position, report};
use sinew_base::Random;

mod mimic;

/// The methods that move prismatic and mimic joints.
const METHODS: [Method; 9] = [
    Method::Auto,
    Method::Ccd,
    Method::JacobianTranspose,
    Method::PseudoInverse,
    Method::Dls,
    Method::Sdls,
    Method::Fused,
    Method::Optimize,
    Method::FullBody,
];
const TARGETS: u64 = 60;

/// Returns a chain of six joints with random axes. Every third joint is prismatic if `slides` is set. The others are hinges.
fn arm(random: &mut Random, slides: bool) -> Body {
    let link = |i: usize| {
        let rest = DQuat::from_scaled_axis(random.turn(0.5));
        let limit = match slides && i % 3 == 1 {
            true => Limit::Prismatic { axis: random.direction(), min: -0.1, max: 0.3 },
            false => Limit::Hinge { axis: random.direction(), min: -2.0, max: 2.0 },
        };
        Link::base()
            .with_parent(i.checked_sub(1).map(LinkIndex))
            .with_offset(random.turn(0.3))
            .with_rest(rest)
            .with_limit(limit)
    };
    let mut links: Vec<Link> = (0..6).map(link).collect();
    links.push(Link::child(LinkIndex(5), DVec3::new(0.1, 0.2, 0.0)));
    Body::new(links, DAffine3::IDENTITY).unwrap()
}

/// Checks that every joint is within its limit, and that prismatic joints did not turn.
fn assert_limits(body: &Body, context: &str) {
    for (i, (link, rotation)) in body.links().iter().zip(body.rotations()).enumerate() {
        assert!(link.limit_violation(*rotation) < 1e-9, "{context}: joint {i}");
        let displacement = body.displacement(LinkIndex(i));
        let beyond = displacement - link.limit.nearest_displacement(displacement);
        assert!(beyond.abs() < 1e-12, "{context}: joint {i} at {displacement} m");
    }
}

/// Returns the fraction of positions that a method reaches from rest on random arms.
fn share(method: Method, slides: bool) -> f64 {
    let mut reached = 0.0;
    for seed in 0..TARGETS {
        let mut random = Random(seed);
        let mut body = arm(&mut random, slides);
        let mut posed = body.clone();
        scatter(&mut posed, &mut random);
        let goal = Goal::position(LinkIndex(6), position(&posed, 6));
        let report = report(&mut body, &[goal], &options(method));
        assert_limits(&body, &format!("{method}, seed {seed}"));
        let error = position(&body, 6).distance(position(&posed, 6));
        assert!((error - report.position_error()).abs() < 1e-9, "{method}, seed {seed}: {error}");
        assert_ne!(report.goals[0].outcome, Outcome::OutOfReach, "{method}, seed {seed}");
        reached += f64::from(u8::from(report.reached()));
    }
    reached / TARGETS as f64
}

#[test]
fn arms_with_prismatic_joints_reach_as_often_as_arms_of_hinges() {
    for method in METHODS {
        let (hinges, slides) = (share(method, false), share(method, true));
        println!("{method}: hinges {hinges:.3}, with prismatic joints {slides:.3}");
        let most_missed = if method == Method::JacobianTranspose { 0.1 } else { 0.04 };
        assert!(slides >= hinges - most_missed, "{method}: {slides} instead of {hinges}");
    }
}

/// A SCARA robot: two parallel hinges, a vertical axis, and a hinge at the tool.
fn scara() -> Body {
    let hinge = Limit::Hinge { axis: DVec3::Y, min: -2.5, max: 2.5 };
    let lift = Limit::Prismatic { axis: DVec3::Y, min: -0.2, max: 0.0 };
    let links = vec![
        Link::base().with_limit(hinge).with_offset(DVec3::Y * 0.4),
        Link::child(LinkIndex(0), DVec3::X * 0.3).with_limit(hinge),
        Link::child(LinkIndex(1), DVec3::X * 0.25).with_limit(lift),
        Link::child(LinkIndex(2), DVec3::ZERO).with_limit(hinge),
        Link::child(LinkIndex(3), DVec3::NEG_Y * 0.05),
    ];
    Body::new(links, DAffine3::IDENTITY).unwrap()
}

#[test]
fn a_scara_robot_reaches_poses() {
    for method in METHODS {
        for seed in 0..20 {
            let (mut random, mut body) = (Random(seed), scara());
            let mut posed = body.clone();
            scatter(&mut posed, &mut random);
            let goal =
                Goal::pose(LinkIndex(4), position(&posed, 4), posed.orientation(LinkIndex(4)).unwrap());
            let report = report(&mut body, &[goal], &options(method).with_iterations(300));
            assert_limits(&body, method.name());
            if !matches!(method, Method::Ccd | Method::JacobianTranspose) {
                assert!(report.reached(), "{method}, seed {seed}: {report:?}");
            }
        }
    }
}

#[test]
fn a_lone_prismatic_joint_moves_to_the_nearest_displacement() {
    let limit = Limit::Prismatic { axis: DVec3::Y, min: -0.5, max: 0.5 };
    // The goal of the first chain is the prismatic joint itself.
    for link in [1, 2] {
        let rest = DQuat::from_rotation_z(-std::f64::consts::FRAC_PI_2);
        let links = vec![
            Link::base().with_weight(0.0),
            Link::child(LinkIndex(0), DVec3::Z).with_limit(limit).with_rest(rest),
            Link::child(LinkIndex(1), DVec3::Z * 0.1).with_weight(0.0),
        ];
        let start = Body::new(links, DAffine3::IDENTITY).unwrap();
        let z = if link == 1 { 1.0 } else { 1.1 };
        // The axis of the joint is +X in the parent's frame.
        for (x, wanted) in [(0.3, 0.3), (-0.2, -0.2), (0.9, 0.5), (-7.0, -0.5)] {
            for method in METHODS {
                let mut body = start.clone();
                let goal = Goal::position(LinkIndex(link), DVec3::new(x, 0.0, z));
                let report = report(&mut body, &[goal], &options(method).with_tolerance(1e-9));
                let found = body.displacement(LinkIndex(1));
                assert!((found - wanted).abs() < 1e-6, "{method}, {x}: {found}");
                assert_eq!(report.reached(), wanted == x, "{method}, {x}: {report:?}");
                if wanted != x {
                    assert_eq!(report.goals[0].outcome, Outcome::OutOfReach, "{method}, {x}");
                    assert_eq!(report.limited, [LinkIndex(1)], "{method}, {x}");
                }
            }
        }
    }
}

#[test]
fn targets_beyond_the_stroke_are_out_of_reach_and_those_within_are_not() {
    let slide = Limit::Prismatic { axis: DVec3::Y, min: 0.0, max: 0.5 };
    let hinge = Limit::Hinge { axis: DVec3::X, min: -3.0, max: 3.0 };
    let links = vec![
        Link::base().with_limit(hinge),
        Link::child(LinkIndex(0), DVec3::Y).with_limit(slide),
        Link::child(LinkIndex(1), DVec3::Y * 0.5),
    ];
    let start = Body::new(links, DAffine3::IDENTITY).unwrap();
    let cases = [
        (0.4, Outcome::OutOfReach),
        (1.4, Outcome::BlockedByLimits),
        (1.6, Outcome::Reached),
        (1.9, Outcome::Reached),
        (2.1, Outcome::OutOfReach),
    ];
    for (distance, outcome) in cases {
        let mut body = start.clone();
        let target = DQuat::from_rotation_x(0.7) * DVec3::Y * distance;
        let report = report(&mut body, &[Goal::position(LinkIndex(2), target)], &options(Method::Dls));
        assert_eq!(report.goals[0].outcome, outcome, "{distance}: {report:?}");
        assert!(
            (body.displacement(LinkIndex(1)) - (distance - 1.5).clamp(0.0, 0.5)).abs() < 1e-3,
            "{distance}"
        );
    }
}

/// Regression: the tolerance grew with the range of a prismatic joint, so a solve with a range of a kilometre ended 20 mm from its target.
#[test]
fn the_range_of_a_prismatic_joint_does_not_change_the_tolerance() {
    for range in [0.5, 10.0, 1000.0] {
        let mut links = scara().links().to_vec();
        links[2].limit = Limit::Prismatic { axis: DVec3::Y, min: -range, max: range };
        let mut body = Body::new(links, DAffine3::IDENTITY).unwrap();
        let target = position(&body, 4) + DVec3::new(-0.1, -0.2, 0.1);
        let report = report(&mut body, &[Goal::position(LinkIndex(4), target)], &options(Method::Dls));
        assert!(report.reached() && report.position_error() < 1e-4, "{range}: {report:?}");
    }
}

#[test]
fn a_displacement_is_part_of_the_pose() {
    let mut body = scara();
    let rest = body.clone();
    body.set_displacement(LinkIndex(2), -0.1);
    body.set_displacement(LinkIndex(0), 1.0);
    body.set_displacement(LinkIndex(99), 1.0);
    body.set_displacement(LinkIndex(2), f64::NAN);
    assert_eq!(
        (body.displacement(LinkIndex(0)), body.displacement(LinkIndex(2)), body.displacement(LinkIndex(99))),
        (0.0, -0.1, 0.0)
    );
    assert_ne!(body, rest);
    let moved = position(&body, 4) - position(&rest, 4);
    assert!(moved.abs_diff_eq(DVec3::NEG_Y * 0.1, 1e-12), "{moved}");
    body.reset();
    assert_eq!(body, rest);
}

#[test]
fn a_drag_slides_without_jumps_and_rests_with_its_target() {
    let (mut solver, mut body) = (Solver::default(), scara());
    let options = options(Method::Dls).with_start(Start::Continue);
    let mut last = position(&body, 4);
    for step in 0..100 {
        let target = last + DVec3::new(-0.001, -0.001, 0.0005) * f64::from(u8::from(step < 99));
        let goal = [Goal::position(LinkIndex(4), target)];
        solver.solve(&mut body, &goal, &options).unwrap();
        let now = position(&body, 4);
        assert!(now.distance(last) < 0.01, "step {step}: {last} to {now}");
        last = now;
    }
    assert!(body.displacement(LinkIndex(2)) < -0.05, "{}", body.displacement(LinkIndex(2)));
    let goal = [Goal::position(LinkIndex(4), last)];
    solver.solve(&mut body, &goal, &options).unwrap();
    let solved = body.clone();
    solver.solve(&mut body, &goal, &options).unwrap();
    assert_eq!(body, solved);
    // Moving the slide changes the problem, even if the goal is the same.
    body.set_displacement(LinkIndex(2), 0.0);
    solver.solve(&mut body, &goal, &options).unwrap();
    assert!(position(&body, 4).distance(last) < 1e-3);
}

#[test]
fn a_prismatic_joint_of_weight_zero_keeps_its_displacement() {
    for method in METHODS {
        let mut links = scara().links().to_vec();
        links[2].weight = 0.0;
        let mut body = Body::new(links, DAffine3::IDENTITY).unwrap();
        body.set_displacement(LinkIndex(2), -0.125);
        let height = position(&body, 4).y;
        let report = report(
            &mut body,
            &[Goal::position(LinkIndex(4), DVec3::new(0.2, height, 0.3))],
            &options(method),
        );
        assert!(report.reached(), "{method}: {report:?}");
        assert_eq!(body.displacement(LinkIndex(2)), -0.125, "{method}");
    }
}

#[test]
fn without_limits_all_joints_turn_and_none_slides() {
    for method in METHODS {
        let mut body = scara();
        body.set_displacement(LinkIndex(2), -0.1);
        let goal = Goal::position(LinkIndex(4), DVec3::new(0.2, 0.5, 0.1));
        let report = report(&mut body, &[goal], &options(method).with_limits(false));
        assert!(report.reached(), "{method}: {report:?}");
        assert_eq!(body.displacement(LinkIndex(2)), -0.1, "{method}");
        assert!(position(&body, 4).distance(DVec3::new(0.2, 0.5, 0.1)) < 1e-3, "{method}");
    }
}

#[test]
fn methods_for_points_at_constant_distances_refuse_prismatic_and_mimic_joints() {
    let mut links = scara().links().to_vec();
    links[2].limit = Limit::Hinge { axis: DVec3::Z, min: -1.0, max: 1.0 };
    links[1].mimic = Some(Mimic { of: LinkIndex(0), ratio: 0.5, offset: 0.0 });
    let coupled = Body::new(links, DAffine3::IDENTITY).unwrap();
    for body in [scara(), coupled] {
        for method in [Method::Fabrik, Method::Particle, Method::TwoBone] {
            let (mut posed, goals) = (body.clone(), [Goal::position(LinkIndex(4), DVec3::X * 0.4)]);
            let error = Solver::default().solve(&mut posed, &goals, &options(method)).unwrap_err();
            assert_eq!(Some(&error), options(method).refusal(&body, &goals).as_ref());
            assert!(error.to_string().contains("prismatic and mimic joints"), "{error}");
            assert_eq!(posed, body);
        }
        for method in METHODS {
            assert_eq!(options(method).refusal(&body, &[Goal::position(LinkIndex(4), DVec3::X)]), None);
        }
    }
}

#[test]
fn invalid_prismatic_limits_are_errors() {
    let limits = [
        Limit::Prismatic { axis: DVec3::ZERO, min: 0.0, max: 1.0 },
        Limit::Prismatic { axis: DVec3::X * 2.0, min: 0.0, max: 1.0 },
        Limit::Prismatic { axis: DVec3::X * f64::NAN, min: 0.0, max: 1.0 },
        Limit::Prismatic { axis: DVec3::X, min: 1.0, max: 0.0 },
        Limit::Prismatic { axis: DVec3::X, min: f64::NEG_INFINITY, max: 0.0 },
        Limit::Prismatic { axis: DVec3::X, min: 0.0, max: f64::NAN },
    ];
    for limit in limits {
        let links = vec![Link::base().with_limit(limit), Link::child(LinkIndex(0), DVec3::Y)];
        let error = Body::new(links, DAffine3::IDENTITY).unwrap_err().to_string();
        assert!(error.starts_with("link 0: the limit "), "{error}");
    }
}
