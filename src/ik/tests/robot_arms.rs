//! The robot arms of `sinew bench`: their measures, and the poses that the methods reach.

use glam::{DQuat, DVec3};
use sinew_ik::{LinkIndex, Method, Options, Solver, solve_many};

use crate::{error, position};
use sinew_ik::benchmark::robots::Robot;

const ARMS: [Robot; 4] = [Robot::Panda, Robot::Ur5, Robot::Iiwa, Robot::Fr3];

/// Returns the position of the flange with all joints at angle zero.
fn flange_at_zero(robot: Robot) -> DVec3 {
    let mut body = robot.cases(1, 1).unwrap().body;
    let rests: Vec<DQuat> = body.links().iter().map(|l| l.rest).collect();
    rests.iter().enumerate().for_each(|(i, rest)| body.set_rotation(LinkIndex(i), *rest));
    position(&body, body.links().len() - 1)
}

/// The positions follow from the manufacturers' Denavit-Hartenberg parameters.
#[test]
fn the_flanges_are_where_the_data_sheets_say() {
    let panda = DVec3::new(0.088, 0.0, 0.333 + 0.316 + 0.384 - 0.107);
    assert!(flange_at_zero(Robot::Panda).distance(panda) < 1e-12, "{}", flange_at_zero(Robot::Panda));
    let ur5 = DVec3::new(-0.425 - 0.392_25, -0.109_15 - 0.0823, 0.089_159 - 0.094_65);
    assert!(flange_at_zero(Robot::Ur5).distance(ur5) < 1e-12, "{}", flange_at_zero(Robot::Ur5));
    let iiwa = DVec3::Z * (0.36 + 0.42 + 0.4 + 0.126);
    assert!(flange_at_zero(Robot::Iiwa).distance(iiwa) < 1e-12, "{}", flange_at_zero(Robot::Iiwa));
    assert!(flange_at_zero(Robot::Fr3).distance(panda) < 1e-12, "{}", flange_at_zero(Robot::Fr3));
}

#[test]
fn start_poses_and_targets_are_within_the_limits() {
    for robot in ARMS {
        let cases = robot.cases(100, 1).unwrap();
        for (link, &rotation) in cases.body.links().iter().zip(cases.body.rotations()) {
            assert!(link.limit_violation(rotation) < 1e-12, "{robot:?}");
        }
        assert!(cases.goals.iter().all(|g| g.position.unwrap().length() <= cases.reach), "{robot:?}");
    }
}

/// Number of poses of each arm and seed. The environment variable `SINEW_POSES` sets another number: the numbers in `docs/solvers.md` are
/// for 10,000.
const POSES: usize = 400;
/// Maximum number of iterations of a solve in [`every_reachable_pose_is_found`], as documented at `Options::iterations`.
const MOST_ITERATIONS: usize = 2000;

/// The results of all poses of an arm.
#[derive(Default)]
struct Summary {
    missed: usize,
    iterations: Vec<usize>,
}

impl Summary {
    fn line(&mut self) -> String {
        self.iterations.sort_unstable();
        let at = |part: f64| self.iterations[(part * (self.iterations.len() - 1) as f64) as usize];
        let mean = self.iterations.iter().sum::<usize>() as f64 / self.iterations.len() as f64;
        let (median, p99, most) = (at(0.5), at(0.99), at(1.0));
        let per_median = mean / median as f64;
        let Self { missed, iterations } = self;
        let all = iterations.len();
        format!(
            "{missed} of {all} missed, iterations: median {median}, mean {mean:.1} ({per_median:.2} x), p99 {p99}, most {most}"
        )
    }
}

/// A pose goal leaves a hinge arm with six or seven joints zero or one degree of freedom. Therefore, many first attempts end at a limit,
/// and only restarts find the pose. All options except the tolerances have their default values.
#[test]
fn every_reachable_pose_is_found() {
    let poses = std::env::var("SINEW_POSES").map_or(POSES, |text| text.parse().unwrap());
    let defaults = Options::default().with_tolerance(1e-6).with_angle_tolerance(1e-6);
    for robot in ARMS {
        for method in [Method::Dls, Method::Fused, Method::Optimize] {
            let (options, mut summary) = (defaults.with_method(method), Summary::default());
            for seed in 1..=3 {
                let cases = robot.cases(poses, seed).unwrap();
                let (mut solver, mut body) = (Solver::default(), cases.body.clone());
                for goal in &cases.goals {
                    body.clone_from(&cases.body);
                    let report = solver.solve(&mut body, &[*goal], &options).unwrap();
                    summary.missed += usize::from(!report.reached());
                    summary.iterations.push(report.iterations);
                    assert!(!report.reached() || error(&body, goal) <= 1e-6 * (1.0 + 1e-9), "{robot:?}");
                    for (link, &rotation) in body.links().iter().zip(body.rotations()) {
                        assert!(link.limit_violation(rotation) < 1e-9, "{robot:?}");
                    }
                }
            }
            println!("{robot:?}, {method}: {}", summary.line());
            assert_eq!(summary.missed, 0, "{robot:?}, {method}: missed poses");
            let most = summary.iterations.last().copied().unwrap();
            assert!(most <= MOST_ITERATIONS, "{robot:?}, {method}: {most} iterations");
        }
    }
}

/// A batch and single solves give bit-identical results, including restarts.
#[test]
fn batches_find_the_same_poses() {
    let cases = Robot::Panda.cases(200, 5).unwrap();
    let options = Options::default().with_method(Method::Dls).with_tolerance(1e-6).with_angle_tolerance(1e-6);
    let mut bodies = vec![cases.body.clone(); cases.goals.len()];
    let goals: Vec<_> = cases.goals.iter().map(|goal| vec![*goal]).collect();
    let reports = solve_many(&mut bodies, &goals, &options);
    assert!(reports.iter().all(|report| report.as_ref().unwrap().reached()));
    for (body, goal) in bodies.iter().zip(&cases.goals) {
        let mut alone = cases.body.clone();
        Solver::default().solve(&mut alone, &[*goal], &options).unwrap();
        assert_eq!(alone.rotations(), body.rotations());
    }
}

/// Regression: an iteration limit below the default must also apply to arms, because a caller's time is limited.
#[test]
fn few_iterations_are_a_strict_limit() {
    let cases = Robot::Panda.cases(100, 1).unwrap();
    let options = Options::default().with_method(Method::Dls).with_iterations(30).with_tolerance(1e-6);
    for goal in &cases.goals {
        let report = Solver::default().solve(&mut cases.body.clone(), &[*goal], &options).unwrap().clone();
        assert!(report.iterations <= 30, "{report:?}");
    }
}
