use glam::{DQuat, DVec3};
use proptest::prelude::*;

use crate::ik::{Goal, LinkIndex, Obstacle, Options};
use crate::robot::{Collisions, JointTable, Redundancy, Robot, Trajectory, TrajectoryOptions};

use super::panda::{READY, panda, robot};

/// Returns a square of poses in front of the arm, with the hand pointing down.
fn square(robot: &Robot) -> Vec<Vec<Goal>> {
    let hand = robot.link("hand").unwrap();
    let down = DQuat::from_rotation_x(std::f64::consts::PI);
    let corners = [(0.45, -0.2), (0.6, -0.2), (0.6, 0.2), (0.45, 0.2), (0.45, -0.2)];
    corners.map(|(x, y)| vec![Goal::pose(hand, DVec3::new(x, y, 0.4), down)]).to_vec()
}

/// Checks that no joint exceeds its velocity between two rows.
fn check_velocities(robot: &Robot, trajectory: &Trajectory, speed: f64) -> Result<(), String> {
    for rows in trajectory.table.rows.windows(2) {
        let [(before, from), (after, to)] = rows else { continue };
        let seconds = after - before;
        for (place, joint) in robot.joints().iter().enumerate() {
            let rate = (to[place] - from[place]).abs() / seconds;
            let limit = joint.velocity.unwrap_or(1.0) * speed;
            if rate > limit * (1.0 + 1e-9) {
                return Err(format!("{}: {rate} exceeds {limit}", joint.name));
            }
        }
        for (mimic, (a, b)) in
            robot.mimics().iter().zip(robot.mimic_values(from).iter().zip(robot.mimic_values(to)))
        {
            let limit = mimic.velocity.unwrap_or(1.0) * speed;
            if (b - a).abs() / seconds > limit * (1.0 + 1e-9) {
                return Err(format!("{} is too fast", mimic.name));
            }
        }
    }
    Ok(())
}

#[test]
fn a_path_has_no_jumps_and_respects_velocities() {
    let robot = robot();
    let path = square(&robot);
    let options = Options::default().with_tolerance(1e-6);
    let trajectory = robot.trajectory(&path, &READY, &options, &TrajectoryOptions::default()).unwrap();
    assert!(trajectory.reached());
    assert_eq!((trajectory.poses.len(), trajectory.poses[0]), (5, 0));
    let q = |row: usize| &trajectory.table.rows[row].1;
    for (row, goals) in trajectory.poses.iter().zip(&path) {
        let there = robot.world_from_link(q(*row), goals[0].link).unwrap().translation;
        assert!(there.distance(goals[0].position.unwrap()) < 2e-6);
    }
    // The hand stays on the lines between the corners.
    for row in trajectory.poses[0]..trajectory.poses[1] {
        let there = robot.world_from_link(q(row), path[0][0].link).unwrap().translation;
        assert!((there.y + 0.2).abs() < 1e-5 && (there.z - 0.4).abs() < 1e-5, "{there}");
        let next = robot.world_from_link(q(row + 1), path[0][0].link).unwrap().translation;
        assert!(there.distance(next) < 0.0101);
    }
    check_velocities(&robot, &trajectory, 1.0).unwrap();
    // Each time is as short as one of the joints allows.
    let half = TrajectoryOptions::default().with_speed(0.5);
    let slow = robot.trajectory(&path, &READY, &options, &half).unwrap();
    assert!((slow.duration() / trajectory.duration() - 2.0).abs() < 0.05);
    check_velocities(&robot, &slow, 0.5).unwrap();
}

#[test]
fn a_trajectory_is_read_as_it_is_written() {
    let robot = robot();
    let trajectory = robot
        .trajectory(&square(&robot), &READY, &Options::default(), &TrajectoryOptions::default())
        .unwrap();
    let csv = trajectory.to_csv(&robot);
    assert!(csv.starts_with("time,link1_joint,"), "{csv:.100}");
    assert_eq!(JointTable::read(&csv, &robot), Ok(trajectory.table));
}

/// The elbow moves as the redundancy says, smoothly, while the hand stays on its path.
#[test]
fn redundancy_is_resolved_smoothly() {
    let robot = robot();
    let (hand, path) = (robot.link("hand").unwrap(), square(&robot));
    let run = |redundancy| {
        let options = TrajectoryOptions::default().with_redundancy(redundancy);
        let trajectory = robot.trajectory(&path, &READY, &Options::default(), &options).unwrap();
        assert!(trajectory.reached(), "{redundancy:?}");
        let rows = &trajectory.table.rows;
        let step = |pair: &[(f64, Vec<f64>)]| {
            pair[0].1.iter().zip(&pair[1].1).map(|(a, b)| (b - a).abs()).fold(0.0, f64::max)
        };
        assert!(rows.windows(2).all(|pair| step(pair) < 0.2), "{redundancy:?}");
        rows.last().unwrap().1.clone()
    };
    let centre = |q: &[f64]| -> f64 {
        let away = robot.joints().iter().zip(q).map(|(joint, value)| {
            let [min, max] = joint.range.unwrap();
            ((value - 0.5 * (min + max)) / (max - min)).powi(2)
        });
        away.sum()
    };
    let value = |q: &[f64]| robot.manipulability(q, hand, true).unwrap();
    let nearest = run(Redundancy::Nearest);
    assert!(centre(&run(Redundancy::JointCentres)) < centre(&nearest) + 1e-3);
    assert!(value(&run(Redundancy::Manipulability)) > value(&nearest) - 1e-4);
    run(Redundancy::Rest);
    // A stretched arm is singular.
    let q = [0.0, 0.0, 0.0, -0.0698, 0.0, 0.0, 0.0, 0.0];
    assert!(value(&q) < 0.05 * value(&READY), "{} and {}", value(&q), value(&READY));
}

/// Story: a wall between two poses was only noticed at the rows.
#[test]
fn the_way_between_rows_is_tested() {
    let robot = robot();
    let wall = Obstacle::cuboid(DVec3::new(0.55, 0.0, 0.35), DVec3::new(0.4, 0.02, 0.5));
    let collisions =
        Collisions::from_character(&robot, &panda()).unwrap().with_obstacle("wall", wall).unwrap();
    let guarded = robot.with_collisions(collisions).unwrap();
    let result =
        guarded.trajectory(&square(&guarded), &READY, &Options::default(), &TrajectoryOptions::default());
    match result {
        Ok(trajectory) => assert!(!trajectory.reached(), "{:?}", trajectory.clearance),
        Err(error) => assert!(error.to_string().contains("would jump"), "{error}"),
    }
}

/// Story: each fault names the option, the pose or the joint.
#[test]
fn faults_name_the_pose_and_the_joint() {
    let robot = robot();
    let path = square(&robot);
    let cause = |path: &[Vec<Goal>], q0: &[f64], options: TrajectoryOptions| {
        robot.trajectory(path, q0, &Options::default(), &options).unwrap_err().to_string()
    };
    let base = TrajectoryOptions::default();
    assert_eq!(
        cause(&path, &READY, base.with_speed(1.5)),
        "speed must be greater than 0 and at most 1, but is 1.5"
    );
    let nan = cause(&path, &READY, base.with_spacing(f64::NAN));
    assert_eq!(nan, "spacing must be finite and greater than 0, but is NaN");
    assert_eq!(cause(&path, &READY, base.with_gain(-1.0)), "gain must be from 0 to 1, but is -1");
    assert!(cause(&path, &[0.0], base).contains("q must have 8 values"));
    let jump = cause(&path, &READY, base.with_spacing(10.0).with_turn_spacing(10.0).with_largest_step(0.1));
    assert!(jump.starts_with("pose 1: joint \"link") && jump.contains("would jump by"), "{jump}");
    let mut bad = path.clone();
    bad[2][0].link = LinkIndex(77);
    assert!(cause(&bad, &READY, base).starts_with("pose 2: goal 0 is for link 77"));
    let empty = robot.trajectory(&[], &READY, &Options::default(), &base).unwrap();
    assert!(empty.reached() && empty.table.rows.is_empty() && empty.poses.is_empty());
}

proptest! {
    /// No joint, and no joint that mimics it, exceeds its velocity.
    #[test]
    fn velocities_are_within_limits(
        points in prop::collection::vec(prop::array::uniform3(-0.15_f64..0.15), 2..4), speed in 0.1_f64..1.0,
        grip in 0.0_f64..0.04,
    ) {
        let robot = robot();
        let (hand, finger) = (robot.link("hand").unwrap(), robot.link("finger2").unwrap());
        let goals = |p: &[f64; 3]| {
            let at = DVec3::new(0.5, 0.0, 0.45) + DVec3::from(*p);
            vec![Goal::position(hand, at), Goal::position(finger, at - DVec3::Y * grip)]
        };
        let path: Vec<Vec<Goal>> = points.iter().map(goals).collect();
        let options = TrajectoryOptions::default().with_speed(speed).with_spacing(0.05).with_largest_step(3.0);
        let options_of_solves = Options::default().with_method(crate::ik::Method::Dls);
        let trajectory = robot.trajectory(&path, &READY, &options_of_solves, &options).unwrap();
        prop_assert_eq!(check_velocities(&robot, &trajectory, speed), Ok(()));
        prop_assert!(trajectory.table.rows.windows(2).all(|pair| pair[1].0 > pair[0].0));
    }
}
