//! Batches whose errors the GPU measures, compared with the errors of the CPU.

use glam::{DAffine3, DQuat, DVec3};
use sinew::gpu_ik::{CpuReason, GpuBatch, Solved, SolvedBy};
use sinew::ik::benchmark::robots::Robot;
use sinew::ik::{Body, Goal, LinkIndex, Method, Options, SolveError, solve_many};

use crate::gpu_ik::{arm, figure, on_gpu, solve, solver};

/// Checks that the outcomes of a batch are those of its poses in double precision, and returns these poses and reports.
fn posed(batch: &GpuBatch<'_>, bodies: &[Body]) -> (Vec<Body>, Vec<Solved>) {
    let mut posed = bodies.to_vec();
    let solved: Vec<Solved> = batch.pose_all(&mut posed).into_iter().map(Result::unwrap).collect();
    assert_eq!(solved.len(), batch.len());
    for (index, solved) in solved.iter().enumerate() {
        assert_eq!(batch.solved_by(index).as_ref(), Some(&solved.by));
        assert_eq!(batch.reached(index), solved.report.reached(), "problem {index}");
        for (goal, exact) in batch.errors(index).iter().zip(&solved.report.goals) {
            assert_eq!(goal.outcome, exact.outcome, "problem {index}: {goal:?}, not {exact:?}");
            for (found, exact, bound) in [
                (goal.position_error, exact.position_error, goal.position_bound),
                (goal.orientation_error, exact.orientation_error, goal.orientation_bound),
            ] {
                assert_eq!(found.is_some(), exact.is_some());
                let difference = found.zip(exact).map_or(0.0, |(found, exact)| (found - exact).abs());
                assert!(difference <= bound, "problem {index}: {difference} is above {bound}");
            }
        }
    }
    (posed, solved)
}

#[test]
fn batches_have_the_same_poses_and_outcomes_as_solved_bodies() {
    for (start, goals, root_motion) in [
        (arm(Robot::Panda, 300).0, arm(Robot::Panda, 300).1, false),
        (figure(30).0, figure(30).1, true),
        (figure(30).0, figure(30).1, false),
    ] {
        let mut options = on_gpu();
        options.options = Options::default().with_root_motion(root_motion);
        let mut bodies = start.clone();
        let expected = solve(&mut bodies, &goals, &options);
        let mut solver = solver();
        solver.set_max_buffer_size(1 << 14);
        let batch = solver.solve_batch(&start, &goals, &options);
        println!("{} of {} were measured again", batch.measured_again(), batch.len());
        let (posed, solved) = posed(&batch, &start);
        assert_eq!(solved, expected);
        assert!(posed == bodies, "the poses differ");
    }
}

/// The GPU alone decides most outcomes of robot arms with the default tolerances.
#[test]
fn few_robot_arms_are_measured_again() {
    let (start, goals) = arm(Robot::Panda, 500);
    let mut solver = solver();
    let batch = solver.solve_batch(&start, &goals, &on_gpu());
    // Problems that only the CPU solved do not count as measured again.
    assert!((0..batch.len()).all(|index| batch.solved_by(index) == Some(SolvedBy::Gpu)));
    assert!(batch.measured_again() <= 50, "{} of 500", batch.measured_again());
}

/// The targets are out of reach, so that the errors are large. The tolerance is between an error that the GPU measured and the error in
/// double precision, so without the bound, the outcome would be wrong.
#[test]
fn a_tolerance_between_both_precisions_is_decided_in_double_precision() {
    let (start, mut goals) = arm(Robot::Ur5, 200);
    for goal in goals.iter_mut().flatten() {
        goal.position = goal.position.map(|at| at * 3.0);
        goal.orientation = None;
    }
    let mut solver = solver();
    let batch = solver.solve_batch(&start, &goals, &on_gpu());
    let (_, exact) = posed(&batch, &start);
    let errors = |index: usize| {
        let error = batch.errors(index).first().and_then(|goal| goal.position_error).unwrap();
        (error, exact[index].report.position_error())
    };
    let difference = |index: &usize| (errors(*index).0 - errors(*index).1).abs();
    // Errors without a bound were measured on the CPU.
    let is_bounded = |index: &usize| batch.errors(*index).iter().all(|goal| goal.position_bound > 0.0);
    let widest = (0..batch.len()).filter(is_bounded).max_by(|a, b| difference(a).total_cmp(&difference(b)));
    let (found, exact) = errors(widest.unwrap());
    let tolerance = 0.5 * (found + exact);
    assert_ne!(found <= tolerance, exact <= tolerance, "both precisions agree");
    let mut options = on_gpu();
    options.options = options.options.with_tolerance(tolerance);
    let batch = solver.solve_batch(&start, &goals, &options);
    assert!(batch.measured_again() > 0);
    posed(&batch, &start);
}

#[test]
fn batches_solve_other_problems_on_the_cpu() {
    let (bodies, mut goals) = arm(Robot::Panda, 4);
    goals[1] = vec![Goal::aim(LinkIndex(7), DVec3::Z, DVec3::X)];
    goals[2] = vec![Goal::position(LinkIndex(99), DVec3::ONE)];
    let mut solver = solver();
    let batch = solver.solve_batch(&bodies, &goals, &on_gpu());
    assert_eq!((batch.len(), batch.is_empty()), (4, false));
    assert_eq!(batch.solved_by(0), Some(SolvedBy::Gpu));
    assert!(matches!(batch.solved_by(1), Some(SolvedBy::Cpu(CpuReason::Unsupported(_)))));
    let mut on_cpu = bodies[1].clone();
    let mut body = on_cpu.clone();
    let report = solve_many(std::slice::from_mut(&mut on_cpu), &goals[1..2], &Options::default()).remove(0);
    assert_eq!(batch.pose(1, &mut body).unwrap().unwrap().report, report.unwrap());
    assert_eq!(body, on_cpu);
    // An invalid problem leaves the body as it is.
    assert!(batch.errors(2).is_empty() && !batch.reached(2));
    assert_eq!(batch.solved_by(2), None);
    assert!(matches!(batch.pose(2, &mut body), Some(Err(SolveError::NoSuchLink { .. }))));
    assert_eq!(body, on_cpu);
    assert!(batch.pose(4, &mut body).is_none());
    assert!(solver.solve_batch(&[], &goals, &on_gpu()).is_empty());
}

/// The body that receives the pose may be anywhere, because it is replaced.
#[test]
fn a_pose_does_not_depend_on_the_body_that_receives_it() {
    let (start, goals) = figure(3);
    let mut options = on_gpu();
    options.options = Options::default().with_method(Method::FullBody).with_root_motion(true);
    let mut solver = solver();
    let batch = solver.solve_batch(&start, &goals, &options);
    let mut moved = start[1].clone();
    moved.set_root(DVec3::new(5.0, 0.0, 0.0));
    moved.place(DAffine3::from_translation(DVec3::Z * 9.0), DQuat::IDENTITY).unwrap();
    let mut fresh = start[1].clone();
    let [a, b] = [&mut moved, &mut fresh].map(|body| batch.pose(1, body).unwrap().unwrap());
    assert_eq!(a, b);
    assert_eq!(moved, fresh);
}
