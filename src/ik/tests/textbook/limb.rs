//! The lecture's analytic method for limbs.

use glam::{DAffine3, DQuat, DVec3};
use sinew_ik::{Body, Goal, LimbOptions, Limit, Link, LinkIndex, Method, Options, Solver, StepKind, Swivel};

use super::{EXACT, passes, position};

const SHOULDER: DVec3 = DVec3::new(0.1, 1.4, 0.0);
const TARGET: DVec3 = DVec3::new(0.35, 1.3, 0.3);
/// The middle joint for swivels of 0 and 0.7 rad.
const MIDDLE: [(f64, DVec3); 2] = [
    (0.0, DVec3::new(0.130436591, 1.419528758, 0.297812427)),
    (0.7, DVec3::new(0.100692068, 1.296796953, 0.281688928)),
];

/// Returns a hanging arm whose elbow bends by up to 2.5 rad about +x.
fn arm() -> Body {
    let elbow = Limit::hinge(DVec3::X, 0.0..=2.5);
    let links = vec![
        Link::base().with_offset(SHOULDER),
        Link::child(LinkIndex(0), DVec3::NEG_Y * 0.3).with_limit(elbow),
        Link::child(LinkIndex(1), DVec3::NEG_Y * 0.25),
    ];
    Body::new(links, DAffine3::IDENTITY).unwrap()
}

fn swivel(swivel: Swivel) -> Options {
    passes(Method::TwoBone, 100).with_limb(LimbOptions::default().with_swivel(swivel))
}

#[test]
fn the_limb_of_the_lecture() {
    for (angle, expected) in MIDDLE {
        let mut body = arm();
        body.set_rotation(LinkIndex(0), DQuat::from_rotation_x(0.3));
        let goal = Goal::position(LinkIndex(2), TARGET);
        let report =
            Solver::default().solve(&mut body, &[goal], &swivel(Swivel::Angle(angle))).unwrap().clone();
        assert!(report.reached() && report.iterations == 1);
        let (middle, end) = (position(&body, 1), position(&body, 2));
        println!(
            "lecture, limb, swivel {angle}: {:.1e} m",
            middle.distance(expected).max(end.distance(TARGET))
        );
        assert!(middle.distance(expected) < EXACT && end.distance(TARGET) < EXACT, "{angle}: {middle} {end}");
    }
}

/// The steps match the slides: hang, bend, swing, swivel and the end.
#[test]
fn the_trace_has_the_parts_of_the_lecture() {
    let mut body = arm();
    body.set_rotation(LinkIndex(0), DQuat::from_rotation_x(0.3));
    let wanted = DQuat::from_rotation_y(0.4);
    let goal = Goal::pose(LinkIndex(2), TARGET, wanted);
    let options = swivel(Swivel::Angle(0.7)).with_trace(true);
    let report = Solver::default().solve(&mut body, &[goal], &options).unwrap().clone();
    let steps: Vec<_> = report.trace.iter().map(|s| (s.kind, s.link.0)).collect();
    let form = StepKind::ClosedForm;
    assert_eq!(steps, [(StepKind::Start, 0), (form, 1), (form, 0), (form, 0), (form, 2)]);
    assert!((report.trace[3].angle - 0.7).abs() < 1e-9, "the swivel");
    assert!(body.orientation(LinkIndex(2)).unwrap().angle_between(wanted) < 1e-6);
}

/// The swivel of the current pose is kept: a pose that already reaches its target does not change.
#[test]
fn the_current_swivel_is_kept() {
    let mut body = arm();
    let goal = Goal::position(LinkIndex(2), TARGET);
    Solver::default().solve(&mut body, &[goal], &swivel(Swivel::Angle(-0.9))).unwrap();
    let before = position(&body, 1);
    Solver::default().solve(&mut body, &[goal], &swivel(Swivel::Keep)).unwrap();
    assert!(position(&body, 1).distance(before) < 1e-6);
}

/// A distance outside the limb's range is clamped.
#[test]
fn out_of_reach_the_limb_is_straight() {
    let mut body = arm();
    let goal = Goal::position(LinkIndex(2), SHOULDER + DVec3::Z * 2.0);
    Solver::default().solve(&mut body, &[goal], &swivel(Swivel::Standard)).unwrap();
    assert!(position(&body, 2).distance(SHOULDER + DVec3::Z * 0.55) < 1e-6);
}
