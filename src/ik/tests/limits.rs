//! Joint limits: the rotations they allow, the nearest allowed rotation, and the requirement that no method violates them.

use std::f64::consts::{PI, TAU};

use glam::{DAffine3, DQuat, DVec3, EulerRot};
use proptest::prelude::*;
use sinew_ik::{Body, Goal, Limit, Link, LinkIndex, Method, Options, Outcome, round_cone, swing_twist};

use crate::{angle, chain_methods, error, report};

fn degrees(angle: f64) -> f64 {
    angle * PI / 180.0
}

fn rotation() -> impl Strategy<Value = DQuat> {
    let turn = prop::array::uniform3(-1.0..1.0_f64).prop_map(DVec3::from_array);
    (turn, 0.0..PI)
        .prop_map(|(axis, angle)| DQuat::from_axis_angle(axis.try_normalize().unwrap_or(DVec3::X), angle))
}

/// Limits of every kind.
fn limits() -> Vec<Limit> {
    vec![
        Limit::Locked,
        Limit::Hinge { axis: DVec3::X, min: degrees(-10.0), max: degrees(140.0) },
        Limit::Hinge { axis: DVec3::new(0.6, 0.0, 0.8), min: 0.0, max: 0.0 },
        Limit::Cone { axis: DVec3::Y, side: DVec3::X, swing: [1.2, 0.4], twist: [-0.5, 1.0] },
        round_cone(DVec3::Z, 0.7, [-0.3, 0.3]),
        Limit::Cone { axis: DVec3::Y, side: DVec3::Z, swing: [0.9, 0.0], twist: [0.0, 0.0] },
        Limit::Euler { order: EulerRot::XYZ, min: [-0.5, -0.3, -1.0], max: [0.7, 0.3, 0.2] },
    ]
}

/// Returns an arm of 7 degrees of freedom whose last link has no limit.
pub(crate) fn arm() -> Body {
    let hinge = Limit::Hinge { axis: DVec3::X, min: 0.0, max: degrees(150.0) };
    let limits =
        [round_cone(DVec3::Y, degrees(80.0), [-1.2, 1.2]), hinge, round_cone(DVec3::Y, 1.0, [-1.0, 1.0])];
    let mut links: Vec<Link> = Vec::new();
    for (i, limit) in limits.into_iter().enumerate() {
        let offset = if i == 0 { DVec3::ZERO } else { DVec3::Y * 0.4 };
        links.push(
            Link::base().with_limit(limit).with_offset(offset).with_parent(i.checked_sub(1).map(LinkIndex)),
        );
    }
    links.push(Link::child(LinkIndex(2), DVec3::Y * 0.2));
    Body::new(links, DAffine3::IDENTITY).unwrap()
}

/// Returns the limit violation of a joint's rotation, computed independently of the library. The unit is radians, except that the violation
/// of a cone's swing is a fraction of its ellipse.
fn violation(limit: &Limit, q: DQuat) -> f64 {
    let outside = |angle: f64, [min, max]: [f64; 2]| {
        let turns = [angle - TAU, angle, angle + TAU];
        turns.map(|a| (min - a).max(a - max).max(0.0)).into_iter().fold(f64::INFINITY, f64::min)
    };
    match *limit {
        Limit::Locked => angle(q, DQuat::IDENTITY),
        Limit::Hinge { axis, min, max } => {
            let turn = if q.w < 0.0 { -q } else { q }.to_scaled_axis();
            turn.reject_from_normalized(axis).length() + outside(turn.dot(axis), [min, max])
        }
        Limit::Cone { axis, side, swing, twist } => {
            let bone = q * axis;
            let arc = DQuat::from_rotation_arc(axis, bone);
            let at = axis.cross(bone).normalize_or_zero() * axis.angle_between(bone);
            let [x, y] = [at.dot(side) / swing[0], at.dot(axis.cross(side)) / swing[1].max(1e-3)];
            let rest = arc.conjugate() * q;
            (x.hypot(y) - 1.0).max(0.0) + outside(2.0 * rest.xyz().dot(axis).atan2(rest.w), twist)
        }
        Limit::Euler { order, min, max } => {
            let (a, b, c) = q.to_euler(order);
            [a, b, c].iter().enumerate().map(|(i, &a)| outside(a, [min[i], max[i]])).sum()
        }
        _ => 0.0,
    }
}

/// Returns the largest limit violation of a body without reversed links.
fn worst_violation(body: &Body) -> f64 {
    let of = |(l, q): (&Link, &DQuat)| violation(&l.limit, l.rest.conjugate() * *q);
    body.links().iter().zip(body.rotations()).map(of).fold(0.0, f64::max)
}

#[test]
fn euler_limit_allows_a_rotation_if_either_angle_triple_is_inside() {
    let limit = Limit::Euler { order: EulerRot::XYZ, min: [-0.5, 1.6, -0.5], max: [0.5, 3.0, 0.5] };
    for (a, b, c) in [(0.1, 2.5, 0.2), (-0.4, 1.7, 0.3), (0.5, 2.9, -0.5)] {
        let inside = DQuat::from_euler(EulerRot::XYZ, a, b, c);
        assert!(angle(inside, limit.nearest(inside)) < 1e-9, "{a} {b} {c}");
    }
    // Only the second angle exceeds its limit, so only that angle is clamped.
    let [beyond, border] = [1.4, 1.6].map(|b| DQuat::from_euler(EulerRot::XYZ, 0.1, b, 0.2));
    assert!(angle(limit.nearest(beyond), border) < 1e-9);
}

#[test]
fn limit_violation_is_the_angle_to_the_nearest_rotation() {
    let rest = DQuat::from_rotation_y(0.7) * DQuat::from_rotation_z(-0.4);
    let limit = Limit::Hinge { axis: DVec3::X, min: -0.2, max: 1.0 };
    let turn = DQuat::from_rotation_x;
    for (requested, nearest) in [(1.3, 1.0), (-0.5, -0.2), (0.4, 0.4)] {
        let link = Link::base().with_rest(rest).with_limit(limit);
        assert!((link.limit_violation(rest * turn(requested)) - (requested - nearest).abs()).abs() < 1e-12);
        assert!(angle(link.nearest(rest * turn(requested)), rest * turn(nearest)) < 1e-12);
        // A reversed link turns by the inverse of the joint's rotation.
        let link = link.with_rest(rest.conjugate()).with_reversed(true);
        let [requested_back, nearest_back] = [requested, nearest].map(|a| (rest * turn(a)).conjugate());
        assert!((link.limit_violation(requested_back) - (requested - nearest).abs()).abs() < 1e-12);
        assert!(angle(link.nearest(requested_back), nearest_back) < 1e-12);
    }
    assert_eq!(Link::base().limit_violation(turn(3.0)), 0.0);
}

proptest! {
    #[test]
    fn nearest_rotation_is_allowed_and_allowed_rotations_stay(q in rotation()) {
        for limit in limits() {
            let near = limit.nearest(q);
            prop_assert!(violation(&limit, near) < 1e-7, "{limit:?}: {}", violation(&limit, near));
            prop_assert!(angle(near, limit.nearest(near)) < 1e-9, "{limit:?}");
            prop_assert!((limit.limit_violation(q) - angle(q, near)).abs() < 1e-12, "{limit:?}");
            if violation(&limit, q) == 0.0 {
                prop_assert!(angle(q, near) < 1e-9, "{limit:?}");
            }
        }
    }

    #[test]
    fn no_other_angle_of_a_hinge_is_nearer(q in rotation(), other in -0.17..2.44_f64) {
        let limit = Limit::Hinge { axis: DVec3::X, min: degrees(-10.0), max: degrees(140.0) };
        let there = DQuat::from_rotation_x(other);
        prop_assert!(angle(q, limit.nearest(q)) <= angle(q, there) + 1e-9);
    }

    #[test]
    fn swing_is_clamped_to_the_nearest_point_of_the_ellipse(x in -2.5..2.5_f64, z in -2.0..2.0_f64, at in 0.0..6.3_f64) {
        let (a, b) = (1.2, 0.4);
        let limit = Limit::Cone { axis: DVec3::Y, side: DVec3::X, swing: [a, b], twist: [0.0, 0.0] };
        // The second swing is about axis × side = -Z.
        let requested = DVec3::new(x, 0.0, z);
        prop_assume!(requested.length() < 3.0);
        let (swing, _) = swing_twist(limit.nearest(DQuat::from_scaled_axis(requested)), DVec3::Y);
        let got = swing.to_scaled_axis();
        let other = DVec3::new(a * at.cos(), 0.0, b * at.sin());
        prop_assert!(
            (requested - got).length() <= (requested - other).length() + 1e-6,
            "{requested} became {got}, but {other} is nearer"
        );
    }

    #[test]
    fn swing_times_twist_is_the_rotation(q in rotation()) {
        let (swing, twist) = swing_twist(q, DVec3::Y);
        prop_assert!(angle(q, swing * DQuat::from_rotation_y(twist)) < 1e-9);
        prop_assert!(swing.y.abs() < 1e-9);
    }

    #[test]
    fn no_method_violates_a_limit_or_increases_the_error(
        x in -0.9..0.9_f64, y in -0.9..0.9_f64, z in -0.9..0.9_f64,
    ) {
        let goal = Goal::position(LinkIndex(3), DVec3::new(x, y, z));
        // The solve starts at rest, which the limits allow.
        let start = error(&arm(), &goal);
        for method in chain_methods() {
            let mut body = arm();
            let options = Options::default().with_method(method);
            let report = report(&mut body, &[goal], &options);
            prop_assert!(worst_violation(&body) < 1e-7, "{method}: {}", worst_violation(&body));
            prop_assert!(error(&body, &goal) <= start + 1e-12, "{method}");
            let reported = report.goals[0].position_error.unwrap();
            prop_assert!((reported - error(&body, &goal)).abs() < 1e-9);
        }
    }
}

#[test]
fn only_cones_and_euler_angles_limit_ball_joints() {
    let [rail, knee] = [Limit::prismatic(DVec3::X, 0.0..=1.0), Limit::hinge(DVec3::X, 0.0..=1.0)];
    assert!([Limit::Free, Limit::Locked, rail, knee].iter().all(|limit| !limit.is_limited_ball()));
    let euler = Limit::Euler { order: EulerRot::XYZ, min: [-1.0; 3], max: [1.0; 3] };
    assert!([round_cone(DVec3::Y, 1.0, [-1.0, 1.0]), euler].iter().all(Limit::is_limited_ball));
}

#[test]
fn nearest_swing_keeps_the_twist_and_other_limits() {
    let q = DQuat::from_rotation_x(3.0) * DQuat::from_rotation_y(1.5);
    for limit in limits() {
        let allowed = limit.nearest_swing(q, 0.25);
        let Limit::Cone { axis, swing, .. } = limit else {
            assert_eq!(allowed, q, "{limit:?}");
            continue;
        };
        let (away, twist) = swing_twist(allowed, axis);
        assert!((twist - swing_twist(q, axis).1).abs() < 1e-9, "{limit:?}");
        let wide = swing[0].max(swing[1]) + 0.25;
        assert!(angle(away, DQuat::IDENTITY) < wide + 1e-9, "{limit:?}");
        // A wider cone than any rotation changes nothing.
        assert!(angle(limit.nearest_swing(q, PI), q) < 1e-9, "{limit:?}");
    }
}

#[test]
fn target_beyond_the_limits_is_reported_as_blocked() {
    // The elbow bends only one way, and the shoulder does not bend backwards.
    for method in [Method::Dls, Method::Optimize, Method::Ccd] {
        let mut body = arm();
        // Several restarts must agree, which takes more than the default number of iterations.
        let options = Options::default().with_method(method).with_iterations(300);
        let goal = Goal::position(LinkIndex(3), DVec3::new(0.0, -0.8, 0.0));
        let report = report(&mut body, &[goal], &options);
        assert_eq!(report.goals[0].outcome, Outcome::BlockedByLimits, "{method}");
        assert!(!report.limited.is_empty());
    }
    let free = Options::default().with_limits(false);
    let goal = Goal::position(LinkIndex(3), DVec3::new(0.0, -0.8, 0.0));
    assert!(report(&mut arm(), &[goal], &free).reached());
}

#[test]
fn report_lists_the_links_at_the_border_of_their_limits() {
    let hinge = |min, max| Limit::Hinge { axis: DVec3::X, min, max };
    let links = vec![
        Link::base().with_limit(hinge(-0.5, 1.0)),
        Link::child(LinkIndex(0), DVec3::Y * 0.5).with_limit(hinge(-2.5, 2.5)),
        Link::child(LinkIndex(1), DVec3::Y * 0.5),
    ];
    // Returns the end position for these angles of the hinges.
    let end = |a: f64, b: f64| 0.5 * DVec3::new(0.0, a.cos() + (a + b).cos(), a.sin() + (a + b).sin());
    let cases = [(0.4, 0.5, &[][..]), (2.5, 0.5, &[LinkIndex(0)]), (-2.0, -0.4, &[LinkIndex(0)])];
    for method in [Method::Dls, Method::Optimize, Method::Ccd, Method::FullBody] {
        for (a, b, limited) in cases {
            let mut body = Body::new(links.clone(), DAffine3::IDENTITY).unwrap();
            let options = Options::default().with_method(method);
            let report = report(&mut body, &[Goal::position(LinkIndex(2), end(a, b))], &options);
            assert_eq!(report.limited, limited, "{method}, {a}, {b}: {:?}", body.rotations());
            assert_eq!(report.reached(), limited.is_empty(), "{method}, {a}, {b}");
        }
    }
}

#[test]
fn locked_joint_stays_at_rest() {
    let mut links = arm().links().to_vec();
    links[1].limit = Limit::Locked;
    let mut body = Body::new(links, DAffine3::IDENTITY).unwrap();
    for method in chain_methods() {
        let options = Options::default().with_method(method);
        report(&mut body, &[Goal::position(LinkIndex(3), DVec3::new(0.5, 0.5, 0.2))], &options);
        assert_eq!(body.rotations()[1], DQuat::IDENTITY, "{method}");
        assert_ne!(body.rotations()[0], DQuat::IDENTITY, "{method}: the other joints must turn");
        body.reset();
    }
}

#[test]
fn reversed_link_keeps_the_limit_of_its_joint() {
    // The chain of the arm starts at the hand, so the links turn by the inverses of the joints' rotations, but the
    // elbow keeps its limit.
    let hinge = Limit::Hinge { axis: DVec3::X, min: 0.0, max: degrees(150.0) };
    let link = |limit, offset, parent| {
        Link::base().with_limit(limit).with_offset(offset).with_parent(parent).with_reversed(true)
    };
    let links = vec![
        link(Limit::Free, DVec3::ZERO, None),
        link(hinge, DVec3::NEG_Y * 0.4, Some(LinkIndex(0))),
        Link::child(LinkIndex(1), DVec3::NEG_Y * 0.4),
    ];
    let mut body = Body::new(links, DAffine3::IDENTITY).unwrap();
    for method in chain_methods() {
        body.reset();
        let options = Options::default().with_method(method);
        let report = report(&mut body, &[Goal::position(LinkIndex(2), DVec3::new(0.3, 0.1, 0.4))], &options);
        assert!(report.position_error() < 0.01, "{method}: {}", report.position_error());
        let (_, bend) = swing_twist(body.rotations()[1].conjugate(), DVec3::X);
        assert!((-1e-9..=degrees(150.0) + 1e-9).contains(&bend), "{method}: {bend}");
    }
}

proptest! {
    #[test]
    fn limited_limb_never_ends_farther_from_its_target(
        x in -0.9..0.9_f64, y in -0.9..0.9_f64, z in -0.9..0.9_f64, cone in 0.2..2.0_f64, bend in 0.3..2.5_f64,
    ) {
        let links = vec![
            Link::base().with_limit(round_cone(DVec3::Y, cone, [-0.5, 0.5])),
            Link::child(LinkIndex(0), DVec3::Y * 0.5).with_limit(Limit::Hinge { axis: DVec3::X, min: 0.1, max: bend }),
            Link::child(LinkIndex(1), DVec3::Y * 0.4),
        ];
        let mut body = Body::new(links, DAffine3::IDENTITY).unwrap();
        let goal = Goal::position(LinkIndex(2), DVec3::new(x, y, z));
        // The limit of the elbow requires a slight bend at the start.
        body.set_rotation(LinkIndex(1), DQuat::from_rotation_x(0.1));
        let start = error(&body, &goal);
        let ends = [Method::TwoBone, Method::Auto, Method::Dls].map(|method| {
            let mut body = body.clone();
            let report = report(&mut body, &[goal], &Options::default().with_method(method));
            assert!(worst_violation(&body) < 1e-7);
            assert!((report.position_error() - error(&body, &goal)).abs() < 1e-9);
            report.position_error()
        });
        prop_assert!(ends[0] <= start + 1e-12, "{} from {start}", ends[0]);
        prop_assert!(ends[1] <= ends[0] + 1e-12, "auto must not be worse than the closed form");
    }
}
