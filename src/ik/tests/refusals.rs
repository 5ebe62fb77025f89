//! Solvers reject invalid problems with an error and leave the body unchanged.

use glam::{DAffine3, DMat3, DQuat, DVec3, EulerRot};
use sinew_ik::{Aim, Body, Goal, Limit, Link, LinkIndex, Method, Options, SolveError, Solver};

use crate::{chain, options};

const TARGET: DVec3 = DVec3::new(0.5, 0.3, 0.2);

/// Checks that `solve` and `refusal` both return the expected error, if any, and that a rejected body does not
/// change.
fn assert_refusal(body: &Body, goals: &[Goal], options: &Options, expected: Option<&SolveError>) {
    let mut posed = body.clone();
    let solved = Solver::default().solve(&mut posed, goals, options).err();
    assert_eq!(solved.as_ref(), expected, "{}", options.method);
    assert_eq!(options.refusal(body, goals).as_ref(), expected, "{}", options.method);
    assert!(expected.is_none() || posed == *body, "{}: the body turned despite the error", options.method);
}

#[test]
fn only_two_bone_rejects_bodies_that_are_not_limbs() {
    let one = |n| vec![Goal::position(n, TARGET)];
    let two = |n| vec![Goal::position(n, TARGET), Goal::position(LinkIndex(1), DVec3::Y)];
    let cases = [
        (chain(2), one(LinkIndex(2)), None),
        (chain(2), two(LinkIndex(2)), Some("one goal is needed")),
        (chain(2), vec![], Some("one goal is needed")),
        (chain(2), vec![Goal::orientation(LinkIndex(2), DQuat::IDENTITY)], Some("the goal needs a position")),
        (chain(2), one(LinkIndex(1)), Some("the chain must have two joints above its end")),
        (chain(3), one(LinkIndex(3)), Some("the chain must have two joints above its end")),
        (chain(7), two(LinkIndex(7)), Some("one goal is needed")),
    ];
    for (body, goals, why) in cases {
        for method in Method::ALL.into_iter().chain([Method::Auto]) {
            let why = why.filter(|_| method == Method::TwoBone);
            let expected = why.map(|why| SolveError::Unsuited { method, why });
            assert_refusal(&body, &goals, &options(method), expected.as_ref());
        }
    }
}

#[test]
fn every_method_rejects_a_goal_of_a_missing_link() {
    for method in Method::ALL.into_iter().chain([Method::Auto, Method::Style]) {
        for (n, link) in [(2, 3), (7, 99)] {
            let goals = [Goal::position(LinkIndex(n), TARGET), Goal::position(LinkIndex(link), DVec3::Y)];
            let expected = SolveError::NoSuchLink { goal: 1, link: LinkIndex(link), count: n + 1 };
            assert_refusal(&chain(n), &goals, &options(method), Some(&expected));
        }
    }
}

/// Regression: the names of a missing link made every result larger, and solves of bodies with limits 2 % slower.
#[test]
fn no_error_is_larger_than_that_of_a_goal() {
    assert!(size_of::<SolveError>() <= 48);
}

#[test]
fn errors_name_the_invalid_field_of_a_goal() {
    let nan = DVec3::new(0.0, f64::NAN, 0.0);
    let infinite = DVec3::new(f64::INFINITY, 0.0, 0.0);
    let goal = Goal::position(LinkIndex(3), TARGET);
    let aim = |axis, at| goal.with_aim(Aim { axis, at });
    let bad = [
        ("position", goal.with_position(nan)),
        ("position", goal.with_position(infinite)),
        ("pole", goal.with_pole(nan)),
        ("offset", goal.with_offset(infinite)),
        ("orientation", goal.with_orientation(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0))),
        ("orientation", goal.with_orientation(DQuat::from_xyzw(0.0, f64::NAN, 0.0, 1.0))),
        ("aim", aim(DVec3::Z, nan)),
        ("aim axis", aim(DVec3::ZERO, TARGET)),
        ("aim axis", aim(infinite, TARGET)),
        ("weight", goal.with_weight(-1e-9)),
        ("weight", goal.with_weight(f64::NAN)),
        ("weight", goal.with_weight(f64::INFINITY)),
    ];
    for (expected, goal) in bad {
        for method in [Method::Auto, Method::Dls, Method::Optimize] {
            let goals = [Goal::position(LinkIndex(2), TARGET), goal];
            let refusal = options(method).refusal(&chain(3), &goals);
            let named = matches!(&refusal, Some(SolveError::Goal { goal: 1, what, .. }) if *what == expected);
            assert!(named, "{expected}: {refusal:?}");
            assert_refusal(&chain(3), &goals, &options(method), refusal.as_ref());
        }
    }
    assert_refusal(&chain(3), &[goal.with_weight(0.0)], &Options::default(), None);
}

#[test]
fn tolerances_must_be_positive_and_finite() {
    let goals = [Goal::position(LinkIndex(3), TARGET)];
    for tolerance in [0.0, -1e-3, f64::INFINITY] {
        let expected = SolveError::Tolerance { tolerance };
        let position = Options::default().with_tolerance(tolerance);
        assert_refusal(&chain(3), &goals, &position, Some(&expected));
        let angle = Options::default().with_angle_tolerance(tolerance);
        assert_refusal(&chain(3), &goals, &angle, Some(&expected));
    }
    assert_refusal(&chain(3), &goals, &Options::default().with_tolerance(1e-12), None);
}

#[test]
fn body_must_be_a_tree_with_an_invertible_transform() {
    let flat = DAffine3::from_mat3(DMat3::from_diagonal(DVec3::new(1.0, 0.0, 1.0)));
    assert_eq!(Body::new(vec![Link::base()], flat), Err(SolveError::Singular));
    assert_eq!(Body::new(Vec::new(), DAffine3::IDENTITY), Err(SolveError::Empty));
    let parents: [(&[Option<usize>], usize); 4] =
        [(&[Some(0)], 0), (&[None, Some(1)], 1), (&[None, Some(2), Some(0)], 1), (&[None, Some(0), None], 2)];
    for (parents, link) in parents {
        let links = parents.iter().map(|&parent| Link::base().with_parent(parent.map(LinkIndex))).collect();
        let expected = SolveError::Parent { link: LinkIndex(link), parent: parents[link].map(LinkIndex) };
        assert_eq!(Body::new(links, DAffine3::IDENTITY), Err(expected));
    }
    // A rejected transform leaves the old one unchanged.
    let far = DAffine3::from_translation(DVec3::new(1.0, f64::INFINITY, 0.0));
    for (world_from_base, rotation) in [
        (flat, DQuat::IDENTITY),
        (far, DQuat::IDENTITY),
        (DAffine3::IDENTITY, DQuat::from_xyzw(0.0, 0.0, 0.0, f64::NAN)),
    ] {
        let mut body = chain(2);
        assert_eq!(body.place(world_from_base, rotation), Err(SolveError::Singular));
        assert_eq!(body, chain(2));
    }
}

#[test]
fn errors_name_the_invalid_field_of_a_link() {
    let base = Link::base();
    let nan = DVec3::new(0.0, 0.0, f64::NAN);
    let limited = |limit| base.with_limit(limit);
    let hinge = |axis, min, max| limited(Limit::Hinge { axis, min, max });
    let cone = |axis, side, swing, twist| limited(Limit::Cone { axis, side, swing, twist });
    let euler = |min, max| limited(Limit::Euler { order: EulerRot::XYZ, min, max });
    let (x, y, swing, twist) = (DVec3::X, DVec3::Y, [1.0; 2], [-1.0, 1.0]);
    let bad = [
        ("offset", base.with_offset(nan)),
        ("rest", base.with_rest(DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0))),
        ("scale", base.with_scale(nan)),
        ("weight", base.with_weight(-1.0)),
        ("weight", base.with_weight(f64::INFINITY)),
        ("ccd_budget", base.with_ccd_budget(-0.1)),
        ("ccd_budget", base.with_ccd_budget(f64::NAN)),
        ("limit axis", hinge(x * 2.0, 0.0, 1.0)),
        ("limit axis", hinge(nan, 0.0, 1.0)),
        ("limit range", hinge(x, 1.0, 0.0)),
        ("limit range", hinge(x, f64::NEG_INFINITY, 0.0)),
        ("limit axis", cone(y * 0.9, x, swing, twist)),
        ("limit side", cone(y, y, swing, twist)),
        ("limit side", cone(y, x * 2.0, swing, twist)),
        ("limit swing", cone(y, x, [-0.1, 1.0], twist)),
        ("limit swing", cone(y, x, [1.0, 3.2], twist)),
        ("limit twist", cone(y, x, swing, [1.0, -1.0])),
        ("limit range", euler([0.0; 3], [1.0, f64::NAN, 1.0])),
        ("limit range", euler([0.0, 0.0, 2.0], [1.0; 3])),
    ];
    for (what, link) in bad {
        let links = vec![base, link.with_parent(LinkIndex(0))];
        assert_eq!(Body::new(links, DAffine3::IDENTITY), Err(SolveError::Link { link: LinkIndex(1), what }));
    }
    for link in [hinge(x, 0.0, 0.0), cone(y, x, [0.0, 3.1], [0.0, 0.0]), euler([0.0; 3], [0.0; 3])] {
        assert!(Body::new(vec![link], DAffine3::IDENTITY).is_ok(), "{:?}", link.limit);
    }
}
