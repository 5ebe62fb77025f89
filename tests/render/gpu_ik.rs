//! Batched inverse kinematics on the GPU, compared with the solvers of the CPU.

use std::sync::{LazyLock, Mutex};
use std::time::Instant;

use glam::{DAffine3, DQuat, DVec3};
use sinew::gpu_ik::{Choice, CpuReason, GpuOptions, GpuSolver, Solved, SolvedBy};
use sinew::ik::{
    Body, Goal, Limb, LimbGoal, Limit, Link, LinkIndex, Method, Mimic, Options, Outcome, SolveError, Start,
    round_cone, solve_limbs, solve_many,
};
use sinew::render::Gpu;

use sinew::ik::benchmark::figures::figures;
use sinew::ik::benchmark::robots::Robot;
use sinew_base::Random;

use crate::gpu;

pub(crate) fn solver() -> GpuSolver {
    GpuSolver::new(&gpu())
}

/// Requests the GPU.
pub(crate) fn on_gpu() -> GpuOptions {
    let mut options = GpuOptions::default();
    options.choice = Choice::Gpu;
    options
}

/// Returns copies of a robot arm, and goals at poses of its flange.
pub(crate) fn arm(robot: Robot, count: usize) -> (Vec<Body>, Vec<Vec<Goal>>) {
    let cases = robot.cases(count, 7).unwrap();
    (vec![cases.body; count], cases.goals.into_iter().map(|g| vec![g]).collect())
}

/// Returns copies of a whole body with five limbs, and reachable goals for its five ends. The first goal is pinned.
pub(crate) fn figure(count: usize) -> (Vec<Body>, Vec<Vec<Goal>>) {
    let (body, goals) = figures(count, 9).unwrap();
    (vec![body; count], goals)
}

/// Solves with a solver that other tests also use, because opening an adapter and compiling shaders take longer than most solves.
pub(crate) fn solve(bodies: &mut [Body], goals: &[Vec<Goal>], options: &GpuOptions) -> Vec<Solved> {
    static SOLVER: LazyLock<Mutex<GpuSolver>> = LazyLock::new(|| Mutex::new(solver()));
    let solved = SOLVER.lock().unwrap().solve_many(bodies, goals, options);
    solved.into_iter().map(Result::unwrap).collect()
}

fn reached(solved: &[Solved]) -> usize {
    solved.iter().filter(|s| s.report.reached()).count()
}

/// Solves the same problems on the CPU, and returns how many of them reach their goals.
fn reached_on_cpu(bodies: &[Body], goals: &[Vec<Goal>], options: &Options) -> usize {
    let mut bodies = bodies.to_vec();
    let reports = solve_many(&mut bodies, goals, options);
    reports.iter().filter(|r| r.as_ref().unwrap().reached()).count()
}

#[test]
fn poses_of_robot_arms_are_reached_as_often_as_on_the_cpu() {
    for robot in [Robot::Panda, Robot::Ur5] {
        let (start, goals) = arm(robot, 1000);
        let mut bodies = start.clone();
        let began = Instant::now();
        let solved = solve(&mut bodies, &goals, &on_gpu());
        println!("{robot:?}: {:?}", began.elapsed());
        assert!(solved.iter().all(|s| s.by == SolvedBy::Gpu));
        let (count, wanted) = (reached(&solved), reached_on_cpu(&start, &goals, &Options::default()));
        println!("{robot:?}: {count} on the GPU, {wanted} on the CPU");
        assert!(count + 5 >= wanted, "{robot:?}: {count} on the GPU, {wanted} on the CPU");
        for (body, (solved, goals)) in bodies.iter().zip(solved.iter().zip(&goals)) {
            let distance = body.world_from_link(goals[0].link).unwrap().translation;
            let distance = distance.distance(goals[0].position.unwrap());
            assert_eq!(solved.report.position_error(), distance);
            for (link, rotation) in body.links().iter().zip(body.rotations()) {
                assert!(link.limit_violation(*rotation) < 1e-9, "{robot:?}");
            }
        }
    }
}

#[test]
fn bodies_with_several_goals_are_posed_as_often_as_on_the_cpu() {
    for root_motion in [false, true] {
        let (start, goals) = figure(100);
        let mut options = on_gpu();
        options.options = Options::default().with_method(Method::FullBody).with_root_motion(root_motion);
        let mut bodies = start.clone();
        let began = Instant::now();
        let solved = solve(&mut bodies, &goals, &options);
        println!("bodies: {:?}", began.elapsed());
        assert!(solved.iter().all(|s| s.by == SolvedBy::Gpu));
        let single = options.options.with_restarts(0);
        let (count, wanted) = (reached(&solved), reached_on_cpu(&start, &goals, &single));
        let with_restarts = reached_on_cpu(&start, &goals, &options.options);
        println!(
            "bodies, root motion {root_motion}: {count} on the GPU, {wanted} on the CPU, {with_restarts} with restarts"
        );
        assert!(count + 2 >= wanted, "{count} on the GPU, {wanted} on the CPU");
    }
}

/// The base and the joints have been moved before, and both return to rest first.
#[test]
fn a_start_at_rest_does_not_depend_on_the_pose() {
    let (start, goals) = figure(8);
    let mut moved = start.clone();
    for body in &mut moved {
        body.set_root(DVec3::new(0.3, -0.2, 0.5));
        body.set_rotation(LinkIndex(2), DQuat::from_rotation_z(0.4));
    }
    let mut options = on_gpu();
    options.options.start = Start::Rest;
    options.options.method = Method::FullBody;
    let mut bodies = start.clone();
    let solved = solve(&mut bodies, &goals, &options);
    assert_eq!(solved, solve(&mut moved, &goals, &options));
    assert_eq!(bodies, moved);
}

#[test]
fn limbs_turn_as_on_the_cpu() {
    let mut random = Random(4);
    let (mut limbs, mut goals) = (Vec::new(), Vec::new());
    for index in 0..2000 {
        let scale = [1e-3, 1.0, 1e4][index % 3];
        let mut vector = || random.turn(scale);
        limbs.push(Limb { upper: vector(), lower: vector(), bend: vector() });
        let pole = if index.is_multiple_of(2) { DVec3::ZERO } else { vector() };
        goals.push(LimbGoal { target: vector(), pole });
    }
    let (mut turns, mut expected) = (vec![[DQuat::IDENTITY; 2]; 2000], vec![[DQuat::IDENTITY; 2]; 2000]);
    solver().solve_limbs(&limbs, &goals, &mut turns).unwrap();
    solve_limbs(&limbs, &goals, &mut expected);
    let mut far = 0;
    for ((limb, turns), expected) in limbs.iter().zip(&turns).zip(&expected) {
        let end = |[first, second]: [DQuat; 2]| first * limb.upper + second * limb.lower;
        let away = end(*turns).distance(end(*expected)) / (limb.upper.length() + limb.lower.length());
        assert!(away < 1e-4, "{away}");
        // Near singular poses, rounding determines the plane of the limb.
        far += usize::from(turns.iter().zip(expected).any(|(a, b)| a.angle_between(*b) > 2e-3));
    }
    assert!(far <= 10, "{far}");
}

#[test]
fn unsupported_problems_are_solved_on_the_cpu_with_the_same_bits() {
    let (bodies, goals) = arm(Robot::Panda, 3);
    let aim = Goal::aim(LinkIndex(7), DVec3::Z, DVec3::X);
    let mut links = bodies[0].links().to_vec();
    links[2].mimic = Some(Mimic { of: LinkIndex(1), ratio: 0.5, offset: 0.0 });
    let mimic = Body::new(links, DAffine3::IDENTITY).unwrap();
    let mut uneven = bodies[0].clone();
    uneven.place(DAffine3::from_scale(DVec3::new(1.0, 2.0, 1.0)), DQuat::IDENTITY).unwrap();
    let mut mixed = vec![bodies[0].clone(), bodies[0].clone(), mimic, uneven, bodies[0].clone()];
    let mut goals = vec![goals[0].clone(), vec![aim], goals[1].clone(), goals[2].clone(), Vec::new()];
    goals.push(goals[0].clone());
    let mut on_cpu = mixed.clone();
    let solved = solve(&mut mixed, &goals, &on_gpu());
    let reports = solve_many(&mut on_cpu, &goals, &Options::default());
    assert_eq!(solved.len(), 5);
    assert_eq!(solved[0].by, SolvedBy::Gpu);
    for index in 1..5 {
        assert!(matches!(solved[index].by, SolvedBy::Cpu(CpuReason::Unsupported(_))), "{index}");
        assert_eq!(Ok(&solved[index].report), reports[index].as_ref(), "{index}");
        assert_eq!(mixed[index], on_cpu[index], "{index}");
    }
}

#[test]
fn errors_are_those_of_the_cpu_and_an_empty_batch_is_empty() {
    let (mut bodies, _) = arm(Robot::Panda, 2);
    let goals =
        vec![vec![Goal::position(LinkIndex(99), DVec3::ONE)], vec![Goal::position(LinkIndex(7), DVec3::NAN)]];
    let solved = solver().solve_many(&mut bodies, &goals, &on_gpu());
    assert!(matches!(solved[0], Err(SolveError::NoSuchLink { .. })));
    assert!(matches!(solved[1], Err(SolveError::Goal { .. })));
    let mut invalid = on_gpu();
    invalid.options.tolerance = Some(-1.0);
    let (mut bodies, goals) = arm(Robot::Panda, 2);
    let solved = solver().solve_many(&mut bodies, &goals, &invalid);
    assert!(matches!(solved[0], Err(SolveError::Tolerance { .. })));
    assert!(solver().solve_many(&mut [], &goals, &on_gpu()).is_empty());
    assert!(solver().solve_limbs(&[], &[], &mut []).is_ok());
}

#[test]
fn split_and_repeated_batches_give_the_same_bits() {
    let (start, goals) = arm(Robot::Panda, 300);
    let mut solver = solver();
    let mut run = |bytes: u64| {
        solver.set_max_buffer_size(bytes);
        let mut bodies = start.clone();
        let solved = solver.solve_many(&mut bodies, &goals, &on_gpu());
        (bodies, solved)
    };
    let whole = run(1 << 20);
    assert!(whole == run(1 << 20), "the second solve differs");
    assert!(whole == run(9000), "the split batch differs");
}

/// The middle link is bent at rest. Every body of the batch has different rotations of this link and of a locked link beside the chain.
#[test]
fn locked_links_that_were_turned_return_to_rest_as_on_the_cpu() {
    let cone = round_cone(DVec3::Y, 1.2, [-0.5, 0.5]);
    let bent = Link::child(LinkIndex(0), DVec3::Y * 0.5)
        .with_rest(DQuat::from_rotation_z(0.7))
        .with_limit(Limit::Locked);
    let links = vec![
        Link::base().with_limit(cone),
        bent,
        Link::child(LinkIndex(1), DVec3::Y * 0.4).with_limit(cone),
        Link::child(LinkIndex(2), DVec3::Y * 0.4).with_limit(cone),
        Link::child(LinkIndex(3), DVec3::Y * 0.2),
        bent.with_parent(LinkIndex(0)),
    ];
    let body = Body::new(links, DAffine3::IDENTITY).unwrap();
    let (mut random, mut goals, mut start) = (Random(5), Vec::new(), vec![body.clone(); 60]);
    for (number, turned) in start.iter_mut().enumerate() {
        let mut posed = body.clone();
        for link in [0, 2, 3] {
            let turn = DQuat::from_scaled_axis(random.turn(0.5));
            posed.set_rotation(LinkIndex(link), body.links()[link].nearest(turn));
        }
        let place = posed.world_from_link(LinkIndex(4)).unwrap().translation;
        let with_orientation = Goal::pose(
            LinkIndex(3),
            posed.world_from_link(LinkIndex(3)).unwrap().translation,
            posed.orientation(LinkIndex(3)).unwrap(),
        );
        goals.push(vec![if number.is_multiple_of(2) {
            Goal::position(LinkIndex(4), place)
        } else {
            with_orientation
        }]);
        turned.set_rotation(LinkIndex(1), DQuat::from_scaled_axis(random.turn(1.0)));
        turned.set_rotation(LinkIndex(5), DQuat::from_scaled_axis(random.turn(1.0)));
    }
    // A chain, and then a whole body.
    for root_motion in [false, true] {
        let mut options = on_gpu();
        options.options = Options::default().with_start(Start::Current).with_root_motion(root_motion);
        let (mut bodies, mut on_cpu) = (start.clone(), start.clone());
        let solved = solve(&mut bodies, &goals, &options);
        let reports = solve_many(&mut on_cpu, &goals, &options.options);
        for (index, (solved, report)) in solved.iter().zip(&reports).enumerate() {
            assert_eq!(solved.by, SolvedBy::Gpu);
            assert_eq!(solved.report.reached(), report.as_ref().unwrap().reached(), "{index}: {solved:?}");
            for link in [1, 5] {
                let [own, wanted] = [&bodies, &on_cpu].map(|b| b[index].rotations()[link]);
                assert_eq!(own, wanted, "link {link} of body {index}, root motion {root_motion}");
                assert_eq!(own, body.links()[link].rest);
            }
        }
        assert!(reached(&solved) >= 58, "{} of 60", reached(&solved));
    }
}

#[test]
fn numbers_of_iterations_outside_the_range_count_as_its_ends() {
    let (start, goals) = arm(Robot::Ur5, 20);
    let run = |iterations: u32| {
        let mut options = on_gpu();
        options.iterations = iterations;
        let mut bodies = start.clone();
        let solved = solve(&mut bodies, &goals, &options);
        assert!(solved.iter().all(|s| s.by == SolvedBy::Gpu));
        (bodies, solved)
    };
    assert!(run(0) == run(4));
    let most = run(u32::MAX);
    assert!(most == run(1000));
    assert!(reached(&most.1) >= 19, "{} of 20", reached(&most.1));
}

/// The answers to the whole batch are larger than a buffer of this device.
#[test]
fn batches_are_split_for_devices_with_small_buffers() {
    let Gpu { info, .. } = gpu();
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapters = pollster::block_on(instance.enumerate_adapters(info.backend.into()));
    let adapter = adapters.into_iter().find(|adapter| adapter.get_info().name == info.name).unwrap();
    let size = 1 << 17;
    let required_limits = wgpu::Limits { max_storage_buffer_binding_size: size, ..adapter.limits() };
    let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
    let mut small = GpuSolver::new(&Gpu::from_device(device, queue, info));
    let links = vec![Link::base(), Link::child(LinkIndex(0), DVec3::Y), Link::child(LinkIndex(1), DVec3::Y)];
    let count = 4000;
    let start = vec![Body::new(links, DAffine3::IDENTITY).unwrap(); count];
    let goals = vec![vec![Goal::position(LinkIndex(2), DVec3::new(1.0, 1.0, 0.0))]; count];
    for bytes in [None, Some(u64::MAX)] {
        bytes.into_iter().for_each(|bytes| small.set_max_buffer_size(bytes));
        let solved = small.solve_many(&mut start.clone(), &goals, &on_gpu());
        assert!(solved.iter().all(|s| s.as_ref().unwrap().by == SolvedBy::Gpu));
        assert!(solved.iter().all(|s| s.as_ref().unwrap().report.reached()));
    }
}

#[test]
fn a_polish_continues_to_double_precision() {
    let (mut bodies, goals) = arm(Robot::Ur5, 200);
    let mut options = on_gpu();
    options.polish = true;
    let solved = solve(&mut bodies, &goals, &options);
    let exact =
        |s: &&Solved| s.report.position_error() < 2e-9 && s.report.goals[0].orientation_error.unwrap() < 2e-9;
    let count = solved.iter().filter(exact).count();
    assert!(count + 2 >= reached(&solved) && count > 190, "{count} of {}", reached(&solved));
    let polished = solved.iter().filter(|s| s.by == SolvedBy::GpuAndCpu).count();
    assert!(polished >= count, "{polished}");
}

#[test]
fn targets_out_of_reach_are_reported() {
    let (mut bodies, _) = arm(Robot::Panda, 1);
    let goals = vec![vec![Goal::position(LinkIndex(7), DVec3::X * 5.0)]];
    let solved = solve(&mut bodies, &goals, &on_gpu());
    assert_eq!(solved[0].report.goals[0].outcome, Outcome::OutOfReach);
    let nearest = bodies[0].world_from_link(LinkIndex(7)).unwrap().translation;
    let (mut on_cpu, _) = arm(Robot::Panda, 1);
    let report = solve_many(&mut on_cpu, &goals, &Options::default()).remove(0).unwrap();
    let difference = nearest.distance(DVec3::X * 5.0) - report.position_error();
    assert!(difference < 0.02, "{difference} m farther than on the CPU");
}

#[test]
fn the_choice_says_why_it_uses_the_cpu() {
    let (start, goals) = arm(Robot::Panda, 4);
    let mut solver = solver();
    let mut by = |choice: Choice| {
        let mut options = GpuOptions::default();
        options.choice = choice;
        solver.solve_many(&mut start.clone(), &goals, &options).remove(0).unwrap().by
    };
    assert_eq!(by(Choice::Cpu), SolvedBy::Cpu(CpuReason::Requested));
    assert_eq!(by(Choice::Gpu), SolvedBy::Gpu);
    // A software adapter is never faster.
    let auto = by(Choice::Auto);
    if std::env::var("SINEW_ADAPTER").map_or(true, |a| a == "cpu") {
        let SolvedBy::Cpu(reason) = auto else { panic!("{auto:?}") };
        assert_eq!(reason.to_string(), "the CPU is faster: the adapter is software");
    }
}
