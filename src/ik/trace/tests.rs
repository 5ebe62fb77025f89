//! Checks that traces lead from the first pose to the result, and that tracing does not change the result.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use crate::{
    Body, CcdOptions, Goal, JacobianOptions, Limit, Link, LinkIndex, Method, Mimic, OptimizeOptions, Options,
    Report, Secondary, Solver, Start,
};
use sinew_base::Random;

use super::recorder::{Recorder, Stage};
use super::{Step, StepKind};

/// Maximum angle in radians between a replayed pose and the result.
const EXACT: f64 = 1e-9;

/// Returns a chain of joints with links of one metre, in a bent pose.
fn chain(joints: usize, limit: impl Fn(usize) -> Limit) -> Body {
    let mut random = Random(joints as u64);
    let link = |i: usize| Link { limit: limit(i), ..Link::child(LinkIndex(i - 1), DVec3::Y) };
    let mut links = vec![Link { limit: limit(0), offset: DVec3::X, ..Link::base() }];
    links.extend((1..=joints).map(link));
    let placed = DAffine3::from_scale_rotation_translation(
        DVec3::splat(0.5),
        DQuat::from_rotation_x(0.4),
        DVec3::new(0.2, -0.1, 0.7),
    );
    let mut body = Body::new(links, placed).unwrap();
    for joint in 0..joints {
        let rotation = DQuat::from_scaled_axis(random.turn(0.5));
        body.set_rotation(LinkIndex(joint), body.links()[joint].nearest(rotation));
    }
    body
}

fn free(_: usize) -> Limit {
    Limit::Free
}

/// Returns a hinge limit for a joint. The hinge axes alternate along the chain.
fn hinge(joint: usize) -> Limit {
    let axis = if joint.is_multiple_of(2) { DVec3::X } else { DVec3::Z };
    Limit::Hinge { axis, min: -1.2, max: 1.0 }
}

/// Returns a trunk of three joints with two arms of three joints each.
fn figure() -> Body {
    let side = |sign: f64| DVec3::new(sign, 0.3, 0.0);
    let mut links =
        vec![Link::base(), Link::child(LinkIndex(0), DVec3::Y), Link::child(LinkIndex(1), DVec3::Y)];
    for sign in [-1.0, 1.0] {
        let first = links.len();
        links.push(Link { scale: DVec3::new(1.0, 1.2, 0.9), ..Link::child(LinkIndex(2), side(sign)) });
        links.extend((first..first + 3).map(|parent| Link::child(LinkIndex(parent), side(sign))));
    }
    links[1].limit = Limit::Cone { axis: DVec3::Y, side: DVec3::X, swing: [0.4, 0.3], twist: [-0.2, 0.2] };
    let mut body = Body::new(links, DAffine3::from_mat3(DMat3::from_rotation_y(0.3) * 1.5)).unwrap();
    for link in 3..10 {
        body.set_rotation(LinkIndex(link), DQuat::from_rotation_z(0.2 * link as f64 - 1.0));
    }
    body
}

/// Returns the point of a link in a pose that is rotated by a fixed pseudo-random amount.
fn reachable(body: &Body, link: usize, turn: f64) -> DVec3 {
    let (mut random, mut turned) = (Random(7), body.clone());
    for (index, link) in body.links().iter().enumerate() {
        let rotation = DQuat::from_scaled_axis(random.turn(turn)) * body.rotations()[index];
        turned.set_rotation(LinkIndex(index), link.nearest(rotation));
    }
    turned.world_from_link(LinkIndex(link)).unwrap().translation
}

/// Solves with and without a trace, and checks that both results are bit-identical and that the steps lead to the result.
/// Returns the report with the trace.
fn check(body: &Body, goals: &[Goal], options: &Options) -> Report {
    let name = format!("{options:?}");
    let (mut plain, mut traced) = (body.clone(), body.clone());
    let untraced = Solver::default().solve(&mut plain, goals, options).unwrap().clone();
    let options = Options { trace: true, ..*options };
    let report = Solver::default().solve(&mut traced, goals, &options).unwrap().clone();
    assert_eq!(plain, traced, "{name}");
    assert_eq!(untraced, Report { trace: Vec::new(), ..report.clone() }, "{name}");
    let mut replayed = body.clone();
    for step in &report.trace {
        let is_turn = (0.0..=std::f64::consts::PI + 1e-12).contains(&step.angle);
        assert!(is_turn && (step.angle > 0.0) != (step.distance > 0.0), "{name}: {step:?}");
        assert!((step.axis.length() - 1.0).abs() < 1e-9, "{name}: {step:?}");
        step.apply(&mut replayed);
        let position = |goal: &Goal| {
            let world = replayed.world_from_link(goal.link).unwrap();
            goal.position.map(|target| world.transform_point3(goal.offset).distance(target))
        };
        let largest = goals.iter().filter_map(position).reduce(f64::max);
        let difference = largest.unwrap_or(0.0) - step.position_error.unwrap_or(0.0);
        assert!(difference.abs() < 1e-9 && largest.is_some() == step.position_error.is_some(), "{name}");
    }
    for (a, b) in replayed.rotations().iter().zip(traced.rotations()) {
        let away = 2.0 * (*a * b.conjugate()).xyz().length().min(1.0).asin();
        assert!(away < EXACT, "{name}: {away} rad");
    }
    assert!(replayed.root().distance(traced.root()) < EXACT, "{name}");
    let slides =
        |body: &Body| (0..body.links().len()).map(|l| body.displacement(LinkIndex(l))).collect::<Vec<_>>();
    assert!(slides(&replayed).iter().zip(slides(&traced)).all(|(a, b)| (a - b).abs() < EXACT), "{name}");
    if let Some(last) = report.trace.last() {
        let error = last.position_error.unwrap_or(0.0);
        assert!((error - report.position_error()).abs() < 1e-9, "{name}: {error}");
    }
    report
}

/// Returns the options of a method, and variants that take other code paths.
fn variants(method: Method) -> Vec<Options> {
    let plain = Options { method, iterations: 60, ..Options::default() };
    let mut all = vec![
        plain,
        Options { start: Start::Rest, ..plain },
        Options { start: Start::Continue, ..plain },
        Options { iterations: 3, ..plain },
        Options { limits: false, ..plain },
    ];
    match method {
        Method::Ccd => {
            let ccd = CcdOptions { extrapolate: true, alternating: true, ..CcdOptions::default() };
            all.push(Options { ccd, ..plain });
        }
        Method::Optimize => {
            let optimize = OptimizeOptions { rest: 0.01, stay: 0.02, balance: None };
            all.push(Options { optimize, ..plain });
        }
        Method::Dls => {
            let jacobian = JacobianOptions { secondary: Secondary::Rest, ..JacobianOptions::default() };
            all.push(Options { jacobian, ..plain });
        }
        Method::FullBody => all.push(Options { root_motion: true, ..plain }),
        _ => {}
    }
    all
}

#[test]
fn the_steps_of_every_method_lead_to_the_result_and_do_not_change_it() {
    for method in std::iter::once(Method::Auto).chain(Method::ALL) {
        let joints = if method == Method::TwoBone { 2 } else { 5 };
        for body in [chain(joints, free), chain(joints, hinge)] {
            let near = Goal::position(LinkIndex(joints), reachable(&body, joints, 0.6));
            let far = Goal::position(LinkIndex(joints), DVec3::new(3.0, 4.0, 2.0));
            let pole = Goal { pole: Some(DVec3::new(0.0, 0.0, 5.0)), ..near };
            let mut count = 0;
            for options in variants(method) {
                for goal in [near, far, pole] {
                    count += check(&body, &[goal], &options).trace.len();
                }
            }
            assert!(count > 20, "{method}");
        }
    }
}

/// Regression test: for a free chain that was straight in its rest pose, the trace showed a solve that bent the chain
/// first, and ended with a jump.
#[test]
fn the_steps_of_a_straight_chain_lead_to_the_result() {
    let links: Vec<Link> = std::iter::once(Link::base())
        .chain((0..20).map(|parent| Link::child(LinkIndex(parent), DVec3::Y * 0.05)))
        .collect();
    let straight = Body::new(links, DAffine3::IDENTITY).unwrap();
    let goals = [Goal::position(LinkIndex(20), DVec3::new(0.4, 0.5, 0.2))];
    let mut traced = 0;
    for options in Method::ALL.into_iter().filter(|m| *m != Method::TwoBone).flat_map(variants) {
        let mut body = straight.clone();
        let mut solver = Solver::default();
        let report = solver.solve(&mut body, &goals, &Options { trace: true, ..options }).unwrap().clone();
        let jump = report.trace.iter().filter(|step| step.kind == StepKind::Result).map(|step| step.angle);
        let jump = jump.fold(0.0, f64::max);
        // If the fast solver cannot solve a chain, the trace may end with a step back to the best of several poses.
        if report.reached() && report.iterations > 0 && options.limits {
            traced += 1;
            assert!(jump < 1e-6, "{:?}: the trace ends with a jump of {jump} rad", options.method);
        }
    }
    assert!(traced >= 6, "only {traced} traces were compared");
}

#[test]
fn bodies_with_scale_pins_and_several_goals_are_traced() {
    let body = figure();
    let (left, right) = (6, 10);
    let pinned = body.world_from_link(LinkIndex(left)).unwrap().translation;
    let goals = [
        Goal::pin(LinkIndex(left), pinned, body.orientation(LinkIndex(left)).unwrap()),
        Goal::pose(LinkIndex(right), reachable(&body, right, 0.4), DQuat::from_rotation_y(0.4)),
        Goal { weight: 0.5, ..Goal::aim(LinkIndex(2), DVec3::Z, DVec3::new(1.0, 5.0, 5.0)) },
    ];
    for method in Method::ALL.into_iter().filter(|m| *m != Method::TwoBone) {
        for options in variants(method) {
            let report = check(&body, &goals, &options);
            let last = report.trace.last().unwrap();
            let largest = report.goals.iter().filter_map(|g| g.orientation_error).reduce(f64::max);
            let difference = last.orientation_error.unwrap() - largest.unwrap();
            assert!(difference.abs() < 1e-7, "{method}: {difference}");
        }
    }
    let moving = Options { method: Method::FullBody, root_motion: true, ..Options::default() };
    assert!(check(&body, &goals, &moving).trace.iter().any(|s| s.distance > 0.0));
}

#[test]
fn slides_and_mimic_joints_are_traced() {
    let mut links = chain(4, hinge).links().to_vec();
    links[1].limit = Limit::Prismatic { axis: DVec3::new(0.6, 0.0, 0.8), min: -0.3, max: 0.5 };
    links[3].mimic = Some(Mimic { of: LinkIndex(2), ratio: 0.5, offset: 0.1 });
    links[3].limit = links[2].limit;
    let body = Body::new(links, DAffine3::from_scale(DVec3::splat(0.7))).unwrap();
    let goal = Goal::position(LinkIndex(4), DVec3::new(1.4, 2.2, 0.6));
    for method in [Method::Dls, Method::Ccd, Method::Optimize, Method::FullBody] {
        let report = check(&body, &[goal], &Options { method, ..Options::default() });
        assert!(report.trace.iter().any(|s| s.link == LinkIndex(1) && s.distance > 0.0), "{method}");
        assert!(report.trace.iter().any(|s| s.link == LinkIndex(3) && s.angle > 0.0), "{method}");
        // Regression test: without limits, prismatic joints do not slide, but the trace had a step to displacement zero and
        // a step back.
        let mut moved = body.clone();
        moved.set_displacement(LinkIndex(1), 0.2);
        let report = check(&moved, &[goal], &Options { method, limits: false, ..Options::default() });
        assert!(report.trace.iter().all(|s| s.distance == 0.0), "{method}");
    }
}

#[test]
fn descent_turns_one_joint_after_the_other_towards_the_target() {
    let mut body = chain(6, free);
    let target = reachable(&body, 6, 0.8);
    for base_first in [false, true] {
        let ccd = CcdOptions { base_first, ..CcdOptions::default() };
        let options = Options { method: Method::Ccd, ccd, ..Options::default() };
        let report = check(&body, &[Goal::position(LinkIndex(6), target)], &options);
        assert_eq!(report.trace.last().unwrap().iteration, report.iterations);
        let mut replayed = body.clone();
        let joints = if base_first { [0, 1, 2, 3, 4, 5] } else { [5, 4, 3, 2, 1, 0] };
        for (index, step) in report.trace.iter().enumerate() {
            assert_eq!((step.kind, step.start), (StepKind::Iteration, 0));
            assert_eq!((step.iteration, step.link), (index / 6 + 1, LinkIndex(joints[index % 6])));
            let place = |body: &Body, link| body.world_from_link(link).unwrap().translation;
            let (joint, end) = (place(&replayed, step.link), place(&replayed, LinkIndex(6)));
            let (from, to) = (end - joint, target - joint);
            // The step is the shortest arc from joint→effector to joint→target.
            assert!((from.angle_between(to) - step.angle).abs() < 1e-6, "{step:?}");
            assert!(from.cross(to).normalize().dot(step.axis) > 1.0 - 1e-6, "{step:?}");
            step.apply(&mut replayed);
        }
    }
    // A problem that is already solved produces no steps.
    let mut solver = Solver::default();
    let options = Options { start: Start::Continue, trace: true, ..Options::default() };
    let goals = [Goal::position(LinkIndex(6), target)];
    assert!(!solver.solve(&mut body, &goals, &options).unwrap().trace.is_empty());
    assert!(solver.solve(&mut body, &goals, &options).unwrap().trace.is_empty());
}

#[test]
fn restarts_and_the_return_to_the_best_pose_are_steps() {
    let body = chain(3, hinge);
    let goal = Goal::position(LinkIndex(3), DVec3::new(0.7, -0.2, 0.2));
    let mut returns = 0;
    for method in [Method::Ccd, Method::Dls, Method::Fabrik, Method::PseudoInverse] {
        let options = Options { method, ..Options::default() };
        let report = check(&body, &[goal], &options);
        let restarts: Vec<&Step> = report.trace.iter().filter(|s| s.kind == StepKind::Restart).collect();
        assert!(!report.reached() && restarts.iter().any(|s| s.start == options.restarts), "{restarts:?}");
        let iterations: Vec<usize> = report.trace.iter().map(|s| s.iteration).collect();
        assert!(iterations.is_sorted() && iterations.last() <= Some(&report.iterations), "{iterations:?}");
        returns += usize::from(report.trace.last().unwrap().kind == StepKind::Result);
    }
    assert!(returns > 0);
}

#[test]
fn a_joint_that_starts_outside_its_limit_is_brought_inside_before_the_first_iteration() {
    let mut body = chain(4, hinge);
    body.set_rotation(LinkIndex(2), DQuat::from_rotation_x(2.5));
    let report = check(&body, &[Goal::position(LinkIndex(4), reachable(&body, 4, 0.1))], &Options::default());
    let first = report.trace[0];
    assert_eq!((first.kind, first.iteration, first.link), (StepKind::Start, 0, LinkIndex(2)));
    assert!((first.angle - 1.5).abs() < 1e-9, "{first:?}");
}

#[test]
fn long_solves_are_cut_short_and_still_end_in_the_result() {
    let mut body =
        Body::new(vec![Link::base(), Link::child(LinkIndex(0), DVec3::Y)], DAffine3::IDENTITY).unwrap();
    let before = body.clone();
    let mut recorder = Recorder::default();
    recorder.begin(&body);
    for turn in 0..200_000_u32 {
        body.set_rotation(LinkIndex(0), DQuat::from_rotation_x(f64::from(turn % 7)));
        recorder.note_body(&body, Stage::default());
    }
    body.set_rotation(LinkIndex(0), DQuat::from_rotation_z(0.3));
    let mut steps = Vec::new();
    recorder.finish(before, &body, &[], &mut steps);
    assert_eq!(steps.len(), (1 << 17) + 1);
    assert_eq!(steps.last().unwrap().kind, StepKind::Result);
    let mut replayed =
        Body::new(vec![Link::base(), Link::child(LinkIndex(0), DVec3::Y)], DAffine3::IDENTITY).unwrap();
    steps.iter().for_each(|step| step.apply(&mut replayed));
    assert!(replayed.rotations()[0].angle_between(body.rotations()[0]) < 1e-7);
}
