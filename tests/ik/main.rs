//! Solvers: what they promise on any body, and how often they get there.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "what was measured, and what was skipped")]

mod cases;
mod goals;
mod limbs;
mod limits;
mod rotation;
mod style;
#[path = "../support/mod.rs"]
mod support;
mod survival;

use glam::{DAffine3, DQuat, DVec3};
use sinew::ik::{Body, Goal, Link, Method, Options, Report, Solver};

/// `n` equal ball joints of total length one, slightly bent from straight up.
fn chain(n: usize) -> Body {
    let length = 1.0 / n as f64;
    let mut links = vec![Link::base()];
    links.extend((0..n).map(|i| Link::child(i, DVec3::Y * length)));
    let mut body = Body::new(links, DAffine3::IDENTITY).unwrap();
    for i in 0..n {
        let side = if i % 2 == 0 { 1.0 } else { -1.0 };
        let bend = DQuat::from_rotation_x(0.6 / n as f64) * DQuat::from_rotation_z(side * 0.3 / n as f64);
        body.set_rotation(i, bend);
    }
    body
}

/// The methods that take chains of any length.
fn chain_methods() -> impl Iterator<Item = Method> {
    Method::ALL.into_iter().filter(|m| *m != Method::TwoBone)
}

/// The report of a solver that has solved nothing before.
fn report(body: &mut Body, goals: &[Goal], options: &Options) -> Report {
    Solver::default().solve(body, goals, options).unwrap().clone()
}

/// The same chain, straight.
fn straight(n: usize) -> Body {
    let mut body = chain(n);
    (0..=n).for_each(|i| body.set_rotation(i, DQuat::IDENTITY));
    body
}

fn position(body: &Body, link: usize) -> DVec3 {
    body.world_from_link(link).unwrap().translation
}

/// How far the effector of a goal is from it, by the body's own forward kinematics.
fn error(body: &Body, goal: &Goal) -> f64 {
    let point = body.world_from_link(goal.link).unwrap().transform_point3(goal.offset);
    goal.position.map_or(0.0, |target| point.distance(target))
}
