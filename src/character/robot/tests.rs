mod collisions;
mod panda;
mod trajectories;

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use glam::{DQuat, DVec3, Quat, Vec3};

use crate::asset::{Character, JointKind, MechanicalJoint, Node, Scene, Skeleton, Transform};
use crate::ik::{Goal, Options, Start};

use super::*;

/// Returns a joint with an axis along Z for hinges and along X for slides.
fn joint(order: usize, name: &str, kind: JointKind, origin: DVec3) -> MechanicalJoint {
    MechanicalJoint {
        name: name.into(),
        order,
        kind,
        origin: (origin, DQuat::IDENTITY),
        rest_value: 0.0,
        velocity: Some(1.0),
        mimic: None,
    }
}

/// Returns an arm with a continuous turret, two bends about Y, and a gripper of two fingers, one of which follows the
/// other.
fn arm() -> Character {
    let hinge = |axis, range| JointKind::Hinge { axis, range };
    let slide = |axis| JointKind::Slide { axis, range: [0.0, 0.04] };
    let (y, z) = (DVec3::Y, DVec3::Z);
    let names = ["base", "turret", "upper", "fore", "left", "right"];
    let parents = [None, Some(0), Some(1), Some(2), Some(3), Some(3)];
    // The order in the file differs from the order of the links.
    let joints = [
        joint(0, "", JointKind::Fixed, DVec3::ZERO),
        joint(2, "turn", hinge(z, None), DVec3::Z * 0.1),
        joint(1, "shoulder", hinge(y, Some([-2.0, 2.0])), DVec3::Z * 0.2),
        joint(0, "elbow", hinge(y, Some([0.1, 2.0])), DVec3::Z * 0.5),
        joint(3, "grip", slide(DVec3::X), DVec3::Z * 0.4),
        MechanicalJoint {
            mimic: Some((4, 1.0, 0.0)),
            ..joint(4, "follower", slide(-DVec3::X), DVec3::Z * 0.4)
        },
    ];
    let nodes = names.iter().zip(parents).zip(&joints).map(|((name, parent), joint)| {
        let rest = Transform { translation: joint.origin.0.as_vec3(), ..Transform::IDENTITY };
        Node { name: Some((*name).into()), ..Node::unnamed(parent, rest) }
    });
    let skeleton = Skeleton {
        nodes: nodes.collect(),
        parents_first: parents.iter().copied().enumerate().collect(),
        ..Skeleton::default()
    };
    let scenes = vec![Scene { name: Some("arm".into()), roots: vec![0] }];
    Character { skeleton, scenes, joints: joints.into_iter().enumerate().collect(), ..Character::default() }
}

fn robot() -> Robot {
    Robot::new(&arm()).unwrap()
}

#[test]
fn joints_have_the_order_of_the_file() {
    let robot = robot();
    let names: Vec<&str> = robot.joints().iter().map(|j| &*j.name).collect();
    assert_eq!(names, ["elbow", "shoulder", "turn", "grip"]);
    assert_eq!(robot.mimics()[0].leader, 3);
    assert_eq!((robot.name(), robot.links().len()), ("arm", 6));
    assert_eq!(robot.joints()[2].range, None);
    let tips: Vec<&str> = robot.tips().into_iter().map(|tip| &*robot.links()[tip.0]).collect();
    assert_eq!(tips, ["left", "right"]);
    // The offset of the turret, 0.1 m, does not count, because only the parts above it move.
    assert!(
        (robot.reach(LinkIndex(4)) - (0.2 + 0.5 + 0.4 + 0.04)).abs() < 1e-12,
        "{}",
        robot.reach(LinkIndex(4))
    );
}

#[test]
fn forward_kinematics_follow_the_joints() {
    let robot = robot();
    let q = [FRAC_PI_2, 0.0, PI, 0.03];
    let left = robot.world_from_link(&q, robot.link("left").unwrap()).unwrap();
    // The elbow turns +Z to +X, and the turret +X to −X. The slide moves along the rotated X axis, which is −Z.
    let expected = DVec3::new(-0.4, 0.0, 0.8 - 0.03);
    assert!(left.translation.distance(expected) < 1e-12, "{}", left.translation);
    let right = robot.fk(&q).unwrap()[5].translation;
    assert!(right.distance(DVec3::new(-0.4, 0.0, 0.8 + 0.03)) < 1e-12, "{right}");
    assert_eq!(robot.mimic_values(&q), [0.03]);
}

/// Each column is the difference quotient of the forward kinematics.
#[test]
fn jacobians_are_the_derivatives() {
    let robot = robot();
    let (q, link, point) = ([0.7, -0.4, 1.3, 0.01], robot.link("right").unwrap(), DVec3::new(0.1, 0.2, 0.3));
    let columns = robot.jacobian(&q, link, point).unwrap();
    assert_eq!(columns.len(), 4);
    for (place, column) in columns.iter().enumerate() {
        let at = |step: f64| {
            let mut q = q;
            q[place] += step;
            robot.world_from_link(&q, link).unwrap().transform_point3(point)
        };
        let numeric = (at(1e-6) - at(-1e-6)) / 2e-6;
        assert!(numeric.distance(column.linear) < 1e-8, "{place}: {numeric} and {}", column.linear);
    }
}

#[test]
fn solves_lead_from_q_to_q_within_the_ranges() {
    let robot = robot();
    let link = robot.link("fore").unwrap();
    let options = Options::default().with_tolerance(1e-8);
    for turn in [-1.0, 0.5, 4.0] {
        let wanted = robot.world_from_link(&[0.8, 0.6, turn, 0.0], link).unwrap().translation;
        let solution = robot.solve(&[Goal::position(link, wanted)], &robot.rest(), &options).unwrap();
        assert!(solution.report.reached());
        let reached = robot.world_from_link(&solution.q, link).unwrap().translation;
        assert!(reached.distance(wanted) < 1e-7, "{reached}");
        for (joint, value) in robot.joints().iter().zip(&solution.q) {
            assert!(
                joint.range.is_none_or(|[min, max]| (min..=max).contains(value)),
                "{}: {value}",
                joint.name
            );
        }
    }
    // A start value beyond its range is clamped.
    let solution = robot.solve(&[], &[5.0, 0.0, 0.0, 0.0], &options).unwrap();
    assert!((solution.q[0] - 2.0).abs() < 1e-12, "{}", solution.q[0]);
}

/// A turret that follows a target twice around has values beyond π, and no jumps.
#[test]
fn continuous_joints_unwrap_along_a_path() {
    let robot = robot();
    let link = robot.link("fore").unwrap();
    let at = |angle: f64| robot.world_from_link(&[0.8, 0.9, angle, 0.0], link).unwrap().translation;
    let path: Vec<Vec<Goal>> =
        (0..=200).map(|i| vec![Goal::position(link, at(2.0 * TAU * f64::from(i) / 200.0))]).collect();
    let options = Options::default().with_tolerance(1e-6);
    let solutions = robot.follow(&path, &[0.8, 0.9, 0.0, 0.0], &options).unwrap();
    let turns: Vec<f64> = solutions.iter().map(|solution| solution.q[2]).collect();
    assert!((turns[200] - 2.0 * TAU).abs() < 1e-3, "{}", turns[200]);
    assert!(turns.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.1));
    assert!(solutions.iter().all(|solution| solution.report.reached()));
}

#[test]
fn batches_have_the_bits_of_single_solves() {
    let robot = robot();
    let (link, rest, options) = (robot.link("left").unwrap(), robot.rest(), Options::default());
    let target = |i: i32| DVec3::new(0.3 + 0.01 * f64::from(i), 0.2, 0.5);
    let goals: Vec<Vec<Goal>> = (0..20).map(|i| vec![Goal::position(link, target(i))]).collect();
    let many = robot.solve_many(&goals, |_| &rest, &options);
    for (solution, goals) in many.iter().zip(&goals) {
        assert_eq!(solution.as_ref().unwrap().q, robot.solve(goals, &rest, &options).unwrap().q);
    }
    let _ = options.with_start(Start::Rest);
}

#[test]
fn poses_and_joint_values_agree() {
    let (character, robot) = (arm(), robot());
    let q = [0.7, -0.4, 1.3, 0.01];
    let pose = robot.pose(&character, &q).unwrap();
    let values = robot.pose_values(&pose, &[]);
    assert!(values.iter().zip(q).all(|(a, b)| (a - b).abs() < 1e-6), "{values:?}");
    // Without a value in `near`, a value beyond half a turn cannot be restored.
    let pose = robot.pose(&character, &[0.7, -0.4, 5.0, 0.01]).unwrap();
    assert!((robot.pose_values(&pose, &[])[2] - (5.0 - TAU)).abs() < 1e-6);
    assert!((robot.pose_values(&pose, &[0.0, 0.0, 4.5, 0.0])[2] - 5.0).abs() < 1e-6);
    assert!(pose.locals[4].translation.distance(Vec3::new(0.01, 0.0, 0.4)) < 1e-6);
    assert!(pose.locals[3].rotation.angle_between(Quat::from_rotation_y(0.7)) < 1e-6);
}

#[test]
fn tables_are_read_as_they_are_written() {
    let robot = robot();
    let table = JointTable { rows: vec![(0.0, vec![0.1, 0.2, 0.3, 0.01]), (0.5, vec![1.5, -0.2, 7.0, 0.0])] };
    let csv = table.to_csv(&robot);
    assert!(csv.starts_with("time,elbow,shoulder,turn,grip,follower\n0,0.1,0.2,0.3,0.01,0.01\n"), "{csv}");
    assert_eq!(JointTable::read(&csv, &robot), Ok(table));
    let read = |text: &str| JointTable::read(text, &robot).map(|table| table.rows);
    assert_eq!(read(r#"{"q": {"turn": 2, "follower": 0.01}}"#), Ok(vec![(0.0, vec![0.0, 0.0, 2.0, 0.0])]));
    assert_eq!(read("turn\n1\n2\n").unwrap()[1], (1.0, vec![0.0, 0.0, 2.0, 0.0]));
    let cause = |text: &str| read(text).unwrap_err().to_string();
    assert_eq!(cause("turn\nnan\n"), "line 2: \"nan\" is not a finite number");
    assert_eq!(cause("time,turn\n1,0\n1,0\n"), "line 3: times must increase");
    assert_eq!(cause("turn\n1,2\n"), "line 2: 2 values, but the header names 1");
    assert_eq!(cause("turm\n1\n"), "joint \"turm\" has no value in q; did you mean \"turn\"?");
    assert_eq!(cause(""), "the table is empty");
    assert_eq!(cause("turn\n"), "the table has no values");
    assert!(cause("{\"turn\": \"a\"}").contains("not a number"));
    assert!(cause("{").contains("not a JSON object"));
}

#[test]
fn errors_name_the_joint_or_the_link() {
    let robot = robot();
    let rest = robot.rest();
    let count = robot.check(&rest[1..]).unwrap_err().to_string();
    assert_eq!(count, "q must have 4 values (elbow, shoulder, turn, grip), but has 3");
    let cause = robot.fk(&[0.0, f64::NAN, 0.0, 0.0]).unwrap_err().to_string();
    assert_eq!(cause, "q: the value of joint \"shoulder\" is not finite");
    let cause = robot.link("lefd").unwrap_err().to_string();
    assert_eq!(cause, "link \"lefd\" does not exist; did you mean \"left\"?");
    assert_eq!(Robot::new(&Character::default()).unwrap_err(), RobotError::NoRobot);
    let mut ball = arm();
    ball.joints.get_mut(&2).unwrap().kind = JointKind::Ball;
    assert_eq!(
        Robot::new(&ball).unwrap_err().to_string(),
        "joint \"shoulder\": a ball joint has no single value"
    );
    let mut circle = arm();
    circle.joints.get_mut(&4).unwrap().mimic = Some((5, 1.0, 0.0));
    let cause = Robot::new(&circle).unwrap_err().to_string();
    assert_eq!(cause, "joint \"grip\" cannot mimic joint \"follower\": its leader must not be a mimic joint");
    let many =
        robot.solve_many(&[vec![Goal::position(LinkIndex(99), DVec3::X)]], |_| &rest, &Options::default());
    assert!(many[0].as_ref().unwrap_err().to_string().contains("link 99"));
}
