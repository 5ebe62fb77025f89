//! The poses of solved chains: their bend direction, and the effect of weights and scale.

use glam::{DAffine3, DQuat, DVec3};
use sinew_ik::{Body, Goal, Limit, Link, LinkIndex, Method, Solver};

use crate::{chain, chain_methods, options, position, report, straight};

/// Returns a chain of six equal links after `change` is applied to each of them.
fn changed(change: impl Fn(usize, Link) -> Link) -> Body {
    let body = chain(6);
    let links = body.links().iter().enumerate().map(|(i, l)| change(i, *l)).collect();
    let mut other = Body::new(links, DAffine3::IDENTITY).unwrap();
    body.rotations().iter().enumerate().for_each(|(i, q)| other.set_rotation(LinkIndex(i), *q));
    other
}

#[test]
fn straight_chain_bends_into_an_arc_that_almost_reaches_its_target() {
    for n in [3, 10, 20] {
        for target in [DVec3::new(0.3, 0.6, 0.5), DVec3::new(0.9, 0.1, -0.2), DVec3::Y * 0.7] {
            let mut body = straight(n);
            let report = report(&mut body, &[Goal::position(LinkIndex(n), target)], &options(Method::Dls));
            // The solver first bends the chain into an arc, which almost reaches the target. With more than three
            // links, at most one iteration is needed.
            let most = if n == 3 { 2 } else { 1 };
            assert!(report.reached() && report.iterations <= most, "{n} links, {target}: {report:?}");
        }
    }
}

#[test]
fn straightened_chain_bends_as_it_does_at_rest() {
    for method in [Method::Dls, Method::Sdls, Method::Fused, Method::Optimize, Method::FullBody] {
        for side in [1.0, -1.0] {
            let bend = DQuat::from_rotation_x(0.2 * side);
            let mut body = changed(|_, link| link.with_rest(bend));
            (0..7).for_each(|i| body.set_rotation(LinkIndex(i), DQuat::IDENTITY));
            report(&mut body, &[Goal::position(LinkIndex(6), DVec3::Y * 0.7)], &options(method));
            // At rest, the end of the chain curves towards one side of the y axis. If the end is on the axis, the middle of the chain is on
            // the other side.
            let middle = position(&body, 3);
            assert!(middle.z * side < -0.2, "{method}, {side}: {middle}");
        }
    }
}

/// Regression: the fast solver for free chains bent a straightened limb to the wrong side.
#[test]
fn limb_that_was_pulled_straight_bends_back_to_the_same_side() {
    let rest = DQuat::from_rotation_x(0.3);
    let links = vec![
        Link::base().with_rest(rest),
        Link::child(LinkIndex(0), DVec3::Y).with_rest(rest),
        Link::child(LinkIndex(1), DVec3::Y),
    ];
    let start = Body::new(links, DAffine3::IDENTITY).unwrap();
    for method in [Method::Auto, Method::TwoBone, Method::Fused, Method::Dls] {
        let (mut body, mut solver) = (start.clone(), Solver::default());
        for target in [DVec3::Y * 1.9, DVec3::Y * 2.5, DVec3::Y * 1.9] {
            solver.solve(&mut body, &[Goal::position(LinkIndex(2), target)], &options(method)).unwrap();
            let middle = position(&body, 1);
            let straight = target.y > 2.0;
            assert!(
                if straight { middle.z.abs() < 1e-9 } else { middle.z < -0.2 },
                "{method}, {target}: {middle}"
            );
        }
    }
}

#[test]
fn link_weight_reduces_its_rotation_and_zero_weight_prevents_it() {
    let target = Goal::position(LinkIndex(6), DVec3::new(0.5, 0.3, 0.2));
    for method in chain_methods() {
        let turned = |weight: f64| {
            let start = changed(|i, link| link.with_weight(if i == 2 { weight } else { 1.0 }));
            let mut body = start.clone();
            let report = report(&mut body, &[target], &options(method));
            assert!(report.reached(), "{method}, weight {weight}");
            body.rotations()[2].angle_between(start.rotations()[2])
        };
        assert_eq!(turned(0.0), 0.0, "{method}");
        // The closed form of the fused method does not turn links individually.
        if method != Method::Fused {
            assert!(turned(0.1) < turned(1.0), "{method}: {} and {}", turned(0.1), turned(1.0));
        }
    }
}

#[test]
fn scale_lengthens_the_chain_below_it() {
    for method in chain_methods() {
        let mut body = changed(|i, link| link.with_scale(DVec3::splat(if i == 1 { 2.0 } else { 1.0 })));
        // This target is beyond the reach of a chain without scale.
        let target = DVec3::new(0.9, 0.8, 0.3);
        let report = report(&mut body, &[Goal::position(LinkIndex(6), target)], &options(method));
        assert!(report.reached(), "{method}: {}", report.position_error());
        assert!(position(&body, 6).distance(target) < 1e-3, "{method}");
    }
}

#[test]
fn a_single_hinge_turns_to_the_nearest_angle() {
    let limit = Limit::Hinge { axis: DVec3::X, min: -3.0, max: 3.0 };
    let links = vec![Link::base().with_limit(limit), Link::child(LinkIndex(0), DVec3::new(0.4, 0.5, 0.0))];
    let start = Body::new(links, DAffine3::IDENTITY).unwrap();
    for target in [DVec3::new(0.3, -0.2, 0.4), DVec3::new(0.1, 0.1, -0.5), DVec3::new(-0.5, 0.3, 0.2)] {
        let goal = Goal::position(LinkIndex(1), target);
        let wanted = target.z.atan2(target.y);
        for method in chain_methods() {
            let mut body = start.clone();
            report(&mut body, &[goal], &options(method).with_tolerance(1e-9));
            let turned = body.rotations()[0].angle_between(DQuat::from_rotation_x(wanted));
            assert!(turned < 1e-3, "{method}, {target}: {turned} rad away");
        }
    }
}
