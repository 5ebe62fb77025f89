//! Exercise 1: the first pass of cyclic coordinate descent, by hand and by sinew.

use std::f64::consts::PI;

use glam::{DAffine3, DQuat, DVec2, DVec3};
use sinew::ik::{Body, Goal, Limit, Link, LinkIndex, Method, Options, Solver};

use crate::page::{Page, assert_printed, planar_turns};

const PAGE: &str = include_str!("../../docs/exercises/01-ccd-by-hand.md");

/// An arm of hinges in the plane z = 0, with bones of 4, 3 and 2 m. The elbow is bent by 90°.
fn arm() -> Body {
    let hinge = Limit::Hinge { axis: DVec3::Z, min: -PI, max: PI };
    let joint = |parent, length| Link::child(LinkIndex(parent), DVec3::X * length).with_limit(hinge);
    let shoulder = Link::base().with_limit(hinge);
    let links = vec![shoulder, joint(0, 4.0), joint(1, 3.0), Link::child(LinkIndex(2), DVec3::X * 2.0)];
    let mut arm = Body::new(links, DAffine3::IDENTITY).unwrap();
    arm.set_rotation(LinkIndex(1), DQuat::from_rotation_z(PI / 2.0));
    arm
}

/// One turn: the joint, its angle in radians, and the error after it.
type Turn = (usize, f64, f64);

/// Returns, for each turn, the direction from the joint to the tip before the turn and the direction to the target, in degrees.
fn directions(joints: [DVec2; 4], target: DVec2, turns: &[Turn]) -> Vec<[f64; 2]> {
    let direction = |v: DVec2| v.y.atan2(v.x).to_degrees().rem_euclid(360.0);
    let to_target = |joint: usize| direction(target - joints[joint]);
    turns.iter().map(|(joint, turn, _)| [to_target(*joint) - turn.to_degrees(), to_target(*joint)]).collect()
}

fn pass_by_hand(mut joints: [DVec2; 4], target: DVec2) -> Vec<Turn> {
    let mut turns = Vec::new();
    for joint in (0..3).rev() {
        let from = joints[3] - joints[joint];
        let to = target - joints[joint];
        let angle = from.angle_to(to);
        for below in joint + 1..4 {
            let bone = joints[below] - joints[joint];
            joints[below] = joints[joint] + DVec2::from_angle(angle).rotate(bone);
        }
        turns.push((joint, angle, joints[3].distance(target)));
    }
    turns
}

fn pass_of_sinew(target: DVec2) -> Vec<Turn> {
    let mut options = Options::default();
    options.method = Method::Ccd;
    options.iterations = 1;
    options.trace = true;
    let goal = Goal::position(LinkIndex(3), target.extend(0.0));
    let report = Solver::default().solve(&mut arm(), &[goal], &options).unwrap().clone();
    let turn = |step: &sinew::ik::Step| (step.link.0, step.axis.z * step.angle, step.position_error.unwrap());
    report.trace.iter().map(turn).collect()
}

#[test]
fn the_page_has_the_numbers_of_both() {
    let page = Page::new("ccd_by_hand", PAGE);
    page.assert_blocks_are_in(include_str!("ccd_by_hand.rs"));
    let target = DVec2::new(2.0, 1.0);
    let joints = [(0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (4.0, 5.0)].map(|(x, y)| DVec2::new(x, y));
    let by_hand = pass_by_hand(joints, target);
    let of_sinew = pass_of_sinew(target);
    let of_program = planar_turns(&page.run("--iterations 1 --trace"));
    let rows = page.table("The first pass:");
    for (row, [tip, target]) in rows.iter().zip(directions(joints, target, &by_hand)) {
        assert_printed(row[1], tip);
        assert_printed(row[2], target);
    }
    assert_eq!([by_hand.len(), of_sinew.len(), of_program.len(), rows.len()], [3; 4]);
    for i in 0..3 {
        let (joint, angle, error) = by_hand[i];
        assert_eq!(of_sinew[i].0, joint);
        assert!((of_sinew[i].1 - angle).abs() < 1e-12 && (of_sinew[i].2 - error).abs() < 1e-12);
        assert!(
            (of_program[i].1 - angle.to_degrees()).abs() < 1e-9 && (of_program[i].2 - error).abs() < 1e-9
        );
        assert_eq!(rows[i][0], of_program[i].0);
        assert_printed(rows[i][3], angle.to_degrees());
        assert_printed(rows[i][4], error);
        // The rule stated on the page: the error is the difference between two distances.
        let (distances, after) = (joints[joint].distance(target), error);
        let length = [2.0, (13.0 - 6.0 * 2_f64.sqrt()).sqrt(), distances + after][i];
        assert!(((length - distances).abs() - error).abs() < 1e-12);
    }
}

#[test]
fn the_linear_form_turns_the_base_more() {
    let page = Page::new("ccd_by_hand_linear", PAGE);
    let turns = planar_turns(&page.run("ccd.linear"));
    let rows = page.table("The linear form:");
    for ((joint, angle, error), row) in turns.iter().zip(rows) {
        assert_eq!(row[0], joint);
        assert_printed(row[1], *angle);
        assert_printed(row[2], *error);
    }
}

#[test]
fn a_straight_arm_is_bent_first() {
    let page = Page::new("ccd_by_hand_straight", PAGE);
    let trace = page.run("tip=5,0,0");
    assert!(trace.lines().skip(1).take(3).all(|l| l.contains(",bend,")), "{trace}");
    let angle = planar_turns(&trace)[0].1;
    assert!((angle.to_radians() - 0.05).abs() < 1e-12);
}

#[test]
fn the_number_of_iterations_is_that_of_the_page() {
    let page = Page::new("ccd_by_hand_passes", PAGE);
    let report: serde_json::Value = serde_json::from_str(&page.run("-q --reach")).unwrap();
    let iterations = report["reports"][0]["iterations"].as_u64().unwrap();
    assert!(PAGE.contains(&format!("after {iterations} iterations")), "{iterations}");
}
