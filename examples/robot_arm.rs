//! A robot arm of six hinges, built from scratch without a file: its hand reaches a position and an orientation.
//!
//! ```text
//! cargo run --no-default-features --example robot_arm
//!
//! method           outcome          iterations  position    orientation
//! sdls             reached                  30    0.001 mm        0.000°
//! dls              reached                   8    0.003 mm        0.001°
//!
//! joint angles in degrees:        46.7   14.3  116.0   48.1  -40.8  -35.1
//! torques for 5 kg at the hand:    0.0  -27.6  -22.5   -3.3   -7.1    0.0 N·m
//! ```
#![allow(clippy::print_stdout, reason = "an example")]

use std::error::Error;
use std::f64::consts::PI;

use sinew::glam::{DAffine3, DQuat, DVec3};
use sinew::ik::{Body, Goal, Limit, Link, LinkIndex, Method, Options, Solver};

/// The axis of each hinge, and its offset from the previous hinge in metres.
const HINGES: [(DVec3, DVec3); 6] = [
    (DVec3::Y, DVec3::ZERO),
    (DVec3::X, DVec3::new(0.0, 0.33, 0.0)),
    (DVec3::X, DVec3::new(0.0, 0.42, 0.0)),
    (DVec3::Y, DVec3::new(0.0, 0.20, 0.0)),
    (DVec3::X, DVec3::new(0.0, 0.20, 0.0)),
    (DVec3::Y, DVec3::new(0.0, 0.08, 0.0)),
];
/// The hand is a link without a joint of its own.
const HAND: LinkIndex = LinkIndex(HINGES.len());

fn main() -> Result<(), Box<dyn Error>> {
    let mut links: Vec<Link> = (0..)
        .zip(HINGES)
        .map(|(index, (axis, offset))| {
            let parent = usize::checked_sub(index, 1).map(LinkIndex);
            Link::base().with_parent(parent).with_offset(offset).with_limit(Limit::hinge(axis, -2.8..=2.8))
        })
        .collect();
    links.push(Link::child(LinkIndex(HAND.0 - 1), DVec3::Y * 0.1).with_limit(Limit::Locked));
    let arm = Body::new(links, DAffine3::IDENTITY)?;

    // The hand points forwards and slightly down.
    let orientation = DQuat::from_rotation_y(0.3) * DQuat::from_rotation_x(0.55 * PI);
    let goal = Goal::pose(HAND, DVec3::new(0.35, 0.45, 0.45), orientation);

    println!("method           outcome          iterations  position    orientation");
    let mut solved = arm.clone();
    for method in [Method::Sdls, Method::Dls] {
        solved = arm.clone();
        let mut solver = Solver::default();
        let report = solver.solve(&mut solved, &[goal], &Options::default().with_method(method))?;
        let outcome = report.goals.first().copied().unwrap_or_default();
        println!(
            "{:16} {:16} {:10}  {:7.3} mm      {:7.3}°",
            method.name(),
            outcome.outcome.to_string(),
            report.iterations,
            1000.0 * outcome.position_error.unwrap_or(f64::NAN),
            outcome.orientation_error.unwrap_or(f64::NAN).to_degrees(),
        );
        assert!(report.reached(), "{method} does not reach the goal");
    }

    let angles = (0..HAND.0).filter_map(|link| solved.joint_value(LinkIndex(link)));
    let angles: Vec<String> = angles.map(|angle| format!("{:6.1}", angle.to_degrees())).collect();
    println!("\njoint angles in degrees:      {}", angles.join(" "));

    // Statics: the torques that hold a load are Jᵀ times the negative weight of the load.
    let jacobian = solved.jacobian(HAND, DVec3::ZERO).ok_or("the hand is missing")?;
    let torques = jacobian.transposed(DVec3::Y * 5.0 * 9.81, DVec3::ZERO);
    let torques: Vec<String> = torques.iter().map(|torque| format!("{torque:6.1}")).collect();
    println!("torques for 5 kg at the hand: {} N·m", torques.join(" "));
    Ok(())
}
