//! The robot arms of `sinew bench`: their measures, and the poses that the methods reach.

use glam::{DQuat, DVec3};
use sinew::ik::{Method, Options, Solver};

use crate::robots::Robot;
use crate::{error, position};

/// Returns the position of the flange with all joints at angle zero.
fn flange_at_zero(robot: Robot) -> DVec3 {
    let mut body = robot.cases(1, 1).unwrap().body;
    let rests: Vec<DQuat> = body.links().iter().map(|l| l.rest).collect();
    rests.iter().enumerate().for_each(|(i, rest)| body.set_rotation(i, *rest));
    position(&body, body.links().len() - 1)
}

/// The positions follow from the manufacturers' Denavit-Hartenberg parameters.
#[test]
fn the_flanges_are_where_the_data_sheets_say() {
    let panda = DVec3::new(0.088, 0.0, 0.333 + 0.316 + 0.384 - 0.107);
    assert!(flange_at_zero(Robot::Panda).distance(panda) < 1e-12, "{}", flange_at_zero(Robot::Panda));
    let ur5 = DVec3::new(-0.425 - 0.392_25, -0.109_15 - 0.0823, 0.089_159 - 0.094_65);
    assert!(flange_at_zero(Robot::Ur5).distance(ur5) < 1e-12, "{}", flange_at_zero(Robot::Ur5));
}

#[test]
fn start_poses_and_targets_are_within_the_limits() {
    for robot in [Robot::Panda, Robot::Ur5] {
        let cases = robot.cases(100, 1).unwrap();
        for (link, &rotation) in cases.body.links().iter().zip(cases.body.rotations()) {
            assert!(link.limit_violation(rotation) < 1e-12, "{robot:?}");
        }
        assert!(cases.goals.iter().all(|g| g.position.unwrap().length() <= cases.reach), "{robot:?}");
    }
}

/// The pose of a hinge arm with six or seven joints leaves no or one degree of freedom, so that most first attempts end
/// at a limit, and only restarts find the pose.
#[test]
fn poses_of_robot_arms_are_reached() {
    let options = Options::default()
        .with_method(Method::Dls)
        .with_iterations(500)
        .with_tolerance(1e-6)
        .with_angle_tolerance(1e-6);
    for robot in [Robot::Panda, Robot::Ur5] {
        let cases = robot.cases(300, 1).unwrap();
        let (mut solver, mut body) = (Solver::default(), cases.body.clone());
        let mut reached = 0;
        for goal in &cases.goals {
            body.clone_from(&cases.body);
            let report = solver.solve(&mut body, &[*goal], &options).unwrap();
            let is_reached = report.reached();
            assert!(!is_reached || error(&body, goal) <= 1e-6 * (1.0 + 1e-9), "{robot:?}");
            reached += usize::from(is_reached);
            for (link, &rotation) in body.links().iter().zip(body.rotations()) {
                assert!(link.limit_violation(rotation) < 1e-9, "{robot:?}");
            }
        }
        println!("{robot:?}: {reached} of {} poses reached", cases.goals.len());
        assert!(reached >= 291, "{robot:?}: {reached} of 300");
    }
}
