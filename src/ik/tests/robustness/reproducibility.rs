//! The result of a solve depends only on its input, not on earlier solves or on recording.

use glam::{DAffine3, DQuat, DVec3};
use sinew_ik::{Body, Goal, LinkIndex, Method, Options, Solver, Start};

use super::{options, solve};
use crate::{chain, chain_methods, error, position, straight};

#[test]
fn bodies_with_different_poses_or_placements_are_not_equal() {
    let body = chain(3);
    assert_eq!(body, chain(3));
    let change = |change: &dyn Fn(&mut Body)| {
        let mut other = body.clone();
        change(&mut other);
        assert_ne!(other, body);
    };
    change(&|b| b.set_rotation(LinkIndex(1), DQuat::IDENTITY));
    change(&|b| b.set_root(DVec3::X));
    change(&|b| b.set_posture(&[DQuat::IDENTITY; 4]));
    change(&|b| b.place(DAffine3::from_translation(DVec3::X), DQuat::IDENTITY).unwrap());
    change(&|b| b.place(DAffine3::IDENTITY, DQuat::from_rotation_x(1.0)).unwrap());
    assert_ne!(straight(3), straight(2));
}

#[test]
fn solve_from_rest_depends_only_on_the_goals() {
    for method in chain_methods() {
        let goal = Goal::position(LinkIndex(4), DVec3::new(0.5, 0.3, 0.2));
        let from_rest = options(method).with_start(Start::Rest);
        let (_, _, one) = solve(&chain(4), &[goal], &from_rest);
        let (_, _, other) = solve(&straight(4), &[goal], &from_rest);
        assert_eq!(one, other);
    }
}

#[test]
fn history_includes_the_start_pose_and_no_goals_need_no_iterations() {
    let recorded = Options::default().with_record(true);
    let goal = Goal::position(LinkIndex(3), DVec3::new(0.3, 0.4, 0.5));
    let mut solver = Solver::default();
    let report = solver.solve(&mut chain(3), &[goal], &recorded).unwrap();
    assert_eq!(report.history.len(), report.iterations + 1);
    assert!((report.history[0] - error(&chain(3), &goal)).abs() < 1e-12);
    assert!(report.history.last() < report.history.first());
    let none = solver.solve(&mut chain(3), &[], &recorded).unwrap();
    assert_eq!((none.reached(), none.iterations), (true, 0));
}

/// Recording the iterations changes neither their number nor the result.
#[test]
fn recording_does_not_change_the_result() {
    let goals = [DVec3::new(0.5, 0.3, 0.2), DVec3::new(0.1, 0.05, 0.02), DVec3::new(9.0, 1.0, 0.0)];
    let bodies = [chain(2), chain(7), straight(4)];
    for (body, goal, method) in bodies
        .iter()
        .flat_map(|b| goals.iter().map(move |g| (b, g)))
        .flat_map(|(b, g)| Method::ALL.into_iter().map(move |m| (b, *g, m)))
    {
        let link = body.links().len() - 1;
        let goal = Goal::position(LinkIndex(link), goal);
        let plain = options(method).with_restarts(0);
        let (mut one, mut other) = (body.clone(), body.clone());
        let (mut plain_solver, mut recording_solver) = (Solver::default(), Solver::default());
        let without = plain_solver.solve(&mut one, &[goal], &plain);
        let with = recording_solver.solve(&mut other, &[goal], &plain.with_record(true));
        assert_eq!(one, other, "{method}");
        match (without, with) {
            (Ok(without), Ok(with)) => {
                let mut expected = without.clone();
                expected.history.clone_from(&with.history);
                assert_eq!(with, &expected, "{method}");
                let least = with.history.iter().copied().fold(f64::INFINITY, f64::min);
                assert!((with.position_error() - least).abs() < 1e-9, "{method}: {:?}", with.history);
            }
            (Err(without), Err(with)) => assert_eq!(without, with),
            (a, b) => panic!("{method}: {a:?}, {b:?}"),
        }
    }
}

#[test]
fn reused_solver_gives_exactly_the_results_of_a_new_one() {
    let body = chain(6);
    let end = body.links().len() - 1;
    let (mut reused, mut solver) = (body.clone(), Solver::default());
    for frame in 0..60 {
        let t = f64::from(frame) * 0.1;
        let target = DVec3::new(t.cos(), 0.4 + 0.7 * (0.9 * t).sin(), (0.7 * t).sin()) * 0.8;
        // In some frames, a different method solves the goal, or the body is already at its target.
        let method =
            [Method::Dls, Method::Dls, Method::Optimize, Method::Dls, Method::Fabrik][frame as usize % 5];
        let goal =
            Goal::position(LinkIndex(end), if frame % 7 == 6 { position(&reused, end) } else { target });
        let options = options(method);
        let mut new = reused.clone();
        Solver::default().solve(&mut new, &[goal], &options).unwrap();
        solver.solve(&mut reused, &[goal], &options).unwrap();
        let bits =
            |b: &Body| b.rotations().iter().flat_map(|q| q.to_array().map(f64::to_bits)).collect::<Vec<_>>();
        assert_eq!(bits(&reused), bits(&new), "frame {frame}");
    }
}

#[test]
fn solver_can_switch_between_links_and_limits() {
    for (body, method) in
        [chain(6), crate::limits::arm()].iter().flat_map(|b| chain_methods().map(move |m| (b, m)))
    {
        let end = body.links().len() - 1;
        let mut solver = Solver::default();
        for (link, limits) in [(end, true), (end - 1, true), (end - 1, false), (end, false), (end, true)] {
            let goal = Goal::position(LinkIndex(link), DVec3::new(0.3, 0.2, 0.25));
            let options = options(method).with_limits(limits);
            let (mut reused, mut new) = (body.clone(), body.clone());
            solver.solve(&mut reused, &[goal], &options).unwrap();
            Solver::default().solve(&mut new, &[goal], &options).unwrap();
            assert_eq!(reused, new, "{method}, link {link}, limits {limits}");
        }
    }
}

/// Regression: from any start pose, a solver bent every joint by 0.05 rad before its first iteration, which made drags
/// tremble.
#[test]
fn small_step_of_a_goal_turns_joints_only_a_little() {
    for (body, method) in [chain(6), chain(3)].iter().flat_map(|b| {
        [Method::FullBody, Method::Dls, Method::Sdls, Method::PseudoInverse, Method::Optimize, Method::Fused]
            .map(|m| (b, m))
    }) {
        let end = body.links().len() - 1;
        let (mut body, mut solver) = (body.clone(), Solver::default());
        let mut place = DVec3::new(0.5, 0.3, 0.2);
        for step in 0..20 {
            let before = body.rotations().to_vec();
            solver.solve(&mut body, &[Goal::position(LinkIndex(end), place)], &options(method)).unwrap();
            let turned = |(a, b): (&DQuat, &DQuat)| 2.0 * (a.conjugate() * *b).xyz().length().asin();
            let most = before.iter().zip(body.rotations()).map(turned).fold(0.0, f64::max);
            assert!(step == 0 || most < 0.02, "{method}: {most} in step {step}");
            place += DVec3::new(1e-3, -5e-4, 2e-4);
        }
    }
}
