//! Mimic joints.

use sinew_ik::SolveError;

use super::*;

/// Returns the angle of a hinge from rest, or the displacement of a prismatic joint.
fn value(body: &Body, link: usize) -> f64 {
    let Link { limit, rest, .. } = body.links()[link];
    match limit {
        Limit::Hinge { axis, .. } => swing_twist(rest.conjugate() * body.rotations()[link], axis).1,
        _ => body.displacement(LinkIndex(link)),
    }
}

/// Checks that every follower has the value that its leader determines.
fn assert_coupled(body: &Body, context: &str) {
    for (i, link) in body.links().iter().enumerate() {
        if let Some(Mimic { of, ratio, offset }) = link.mimic {
            let (found, wanted) = (value(body, i), ratio * value(body, of.0) + offset);
            assert!((found - wanted).abs() < 1e-12, "{context}: joint {i} at {found} instead of {wanted}");
        }
    }
}

/// Returns a finger on an arm: two hinges, a slide, and a finger of three hinges whose last two follow the first. A second finger, with a
/// slide that follows the first slide, is attached to the same hand.
fn hand(random: &mut Random) -> Body {
    let mut hinge = |min: f64, max: f64| Limit::Hinge { axis: random.direction(), min, max };
    let (a, b, first, second, third) =
        (hinge(-2.0, 2.0), hinge(-2.0, 2.0), hinge(-1.0, 1.2), hinge(-1.0, 1.0), hinge(-2.0, 2.0));
    let slide = |axis: DVec3| Limit::Prismatic { axis, min: -0.1, max: 0.2 };
    let follow = |of, ratio, offset| Some(Mimic { of, ratio, offset });
    let links = vec![
        Link::base().with_limit(a),
        Link::child(LinkIndex(0), DVec3::new(0.1, 0.4, 0.0)).with_limit(b),
        Link::child(LinkIndex(1), DVec3::new(0.0, 0.3, 0.1)).with_limit(slide(DVec3::Y)),
        Link::child(LinkIndex(2), DVec3::new(0.05, 0.1, 0.0)).with_limit(first),
        Link::child(LinkIndex(3), DVec3::Y * 0.08).with_limit(second).with_mimic(follow(
            LinkIndex(3),
            0.7,
            0.1,
        )),
        Link::child(LinkIndex(4), DVec3::Y * 0.06).with_limit(third).with_mimic(follow(
            LinkIndex(3),
            -1.2,
            0.0,
        )),
        Link::child(LinkIndex(5), DVec3::Y * 0.05),
        Link::child(LinkIndex(2), DVec3::X * -0.1).with_limit(slide(DVec3::X)).with_mimic(follow(
            LinkIndex(2),
            -0.5,
            0.02,
        )),
        Link::child(LinkIndex(7), DVec3::Y * 0.2),
    ];
    Body::new(links, DAffine3::IDENTITY).unwrap()
}

/// Moves the joints to a random pose that the limits of leaders and followers allow.
fn pose(body: &mut Body, random: &mut Random) {
    scatter(body, random);
    // A solve without iterations moves the joints into their limits, and the followers to their leaders.
    let goal = Goal::position(LinkIndex(8), DVec3::ZERO);
    let goals = [goal, goal.with_link(LinkIndex(6))];
    report(body, &goals, &options(Method::Dls).with_iterations(0));
}

#[test]
fn followers_are_exact_and_within_their_limits_after_every_method() {
    for method in METHODS {
        let mut reached = 0;
        for seed in 0..TARGETS {
            let (mut random, first) = (Random(seed), seed % 2 == 0);
            let mut body = hand(&mut random);
            let mut posed = body.clone();
            pose(&mut posed, &mut random);
            assert_coupled(&posed, "random pose");
            assert_limits(&posed, "random pose");
            let goal = |link: usize| Goal::position(LinkIndex(link), position(&posed, link));
            let goals = if first { vec![goal(6)] } else { vec![goal(6), goal(8)] };
            let report = report(&mut body, &goals, &options(method));
            let context = format!("{method}, seed {seed}");
            assert_coupled(&body, &context);
            assert_limits(&body, &context);
            reached += usize::from(report.reached());
        }
        println!("{method}: {reached} of {TARGETS}");
        let least = match method {
            Method::JacobianTranspose => 18,
            Method::Ccd => 48,
            _ => 57,
        };
        assert!(reached >= least, "{method}: {reached} of {TARGETS}");
    }
}

#[test]
fn a_goal_of_a_follower_moves_a_leader_elsewhere() {
    let slide = |axis: DVec3| Limit::Prismatic { axis, min: -0.1, max: 0.2 };
    // A gripper: both jaws slide apart, and only the second one has a goal.
    let links = vec![
        Link::base().with_weight(0.0),
        Link::child(LinkIndex(0), DVec3::Y).with_limit(slide(DVec3::X)),
        Link::child(LinkIndex(0), DVec3::Y).with_limit(slide(DVec3::NEG_X)).with_mimic(Mimic {
            of: LinkIndex(1),
            ratio: 1.0,
            offset: 0.0,
        }),
    ];
    let start = Body::new(links, DAffine3::IDENTITY).unwrap();
    for method in METHODS {
        let mut body = start.clone();
        let goal = Goal::position(LinkIndex(2), DVec3::new(-0.15, 1.0, 0.0));
        let report = report(&mut body, &[goal], &options(method));
        assert!(report.reached(), "{method}: {report:?}");
        assert!((body.displacement(LinkIndex(1)) - 0.15).abs() < 1e-3, "{method}");
        assert_coupled(&body, method.name());
    }
}

#[test]
fn the_limit_of_a_follower_stops_its_leader() {
    let hinge = |max: f64| Limit::Hinge { axis: DVec3::X, min: -0.1, max };
    let links = vec![
        Link::base().with_limit(hinge(3.0)),
        Link::child(LinkIndex(0), DVec3::Y).with_limit(hinge(0.5)).with_mimic(Mimic {
            of: LinkIndex(0),
            ratio: 2.0,
            offset: 0.1,
        }),
        Link::child(LinkIndex(1), DVec3::Y),
    ];
    let start = Body::new(links, DAffine3::IDENTITY).unwrap();
    for method in METHODS {
        let mut body = start.clone();
        let report =
            report(&mut body, &[Goal::position(LinkIndex(2), DVec3::new(0.0, 0.85, 1.48))], &options(method));
        assert_coupled(&body, method.name());
        assert!((value(&body, 0) - 0.2).abs() < 1e-3, "{method}: {}", value(&body, 0));
        assert!(!report.reached(), "{method}");
    }
}

#[test]
fn followers_of_a_leader_that_stays_keep_their_place() {
    for method in METHODS {
        let links = hand(&mut Random(1)).links().to_vec();
        let still = links.iter().enumerate().map(|(i, l)| (*l).with_weight(f64::from(u8::from(i != 3))));
        let mut body = Body::new(still.collect(), DAffine3::IDENTITY).unwrap();
        pose(&mut body, &mut Random(2));
        let before = [3, 4, 5].map(|link| body.rotations()[link]);
        let target = position(&body, 6) + DVec3::new(0.05, -0.05, 0.02);
        report(&mut body, &[Goal::position(LinkIndex(6), target)], &options(method));
        assert_eq!([3, 4, 5].map(|link| body.rotations()[link]), before, "{method}");
    }
}

#[test]
fn invalid_mimic_joints_are_errors() {
    let hinge = Limit::Hinge { axis: DVec3::X, min: -1.0, max: 1.0 };
    let slide = Limit::Prismatic { axis: DVec3::X, min: -1.0, max: 1.0 };
    let mimic = |of, ratio, offset| Some(Mimic { of, ratio, offset });
    let leader = Link::base().with_limit(hinge);
    let follower =
        Link::child(LinkIndex(0), DVec3::Y).with_limit(hinge).with_mimic(mimic(LinkIndex(0), 1.0, 0.0));
    let body = |links: [Link; 3]| Body::new(links.to_vec(), DAffine3::IDENTITY);
    let third = Link::child(LinkIndex(1), DVec3::Y);
    assert!(body([leader, follower, third]).is_ok());
    let cases = [
        ([leader, follower.with_mimic(mimic(LinkIndex(9), 1.0, 0.0)), third], "another link"),
        ([leader, follower.with_mimic(mimic(LinkIndex(1), 1.0, 0.0)), third], "another link"),
        ([leader, follower.with_mimic(mimic(LinkIndex(0), f64::NAN, 0.0)), third], "finite"),
        ([leader, follower.with_mimic(mimic(LinkIndex(0), 1.0, f64::INFINITY)), third], "finite"),
        ([leader, follower.with_limit(slide), third], "both joints"),
        ([leader, follower.with_limit(Limit::Free), third], "both joints"),
        ([leader.with_limit(Limit::Locked), follower, third], "both joints"),
        ([leader, follower.with_mimic(mimic(LinkIndex(0), 1.0, 2.5)), third], "excludes every value"),
        ([leader, follower.with_mimic(mimic(LinkIndex(0), 0.0, 1.5)), third], "excludes every value"),
    ];
    for (links, why) in cases {
        let error = body(links).unwrap_err();
        assert!(matches!(error, SolveError::Mimic { link: LinkIndex(1), .. }), "{error}");
        assert!(error.to_string().contains(why), "{error}");
    }
    let chained = third.with_limit(hinge).with_mimic(mimic(LinkIndex(1), 1.0, 0.0));
    let error = body([leader, follower, chained]).unwrap_err().to_string();
    assert!(error.contains("leader must not be a mimic joint"), "{error}");
    // A ratio of 0 holds a joint at its offset.
    assert!(body([leader, follower.with_mimic(mimic(LinkIndex(0), 0.0, 0.5)), third]).is_ok());
}
