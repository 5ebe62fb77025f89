//! Tests of the solvers: properties that hold for any body, and success rates on seeded cases.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "measured success rates, shown with --nocapture")]

mod axes;
mod budgets;
mod compromise;
mod equilibrium;
mod figure;
mod fused;
mod goals;
mod hinge_arms;
mod jacobian;
mod joints;
mod leg_drag;
mod limbs;
mod limits;
mod outcomes;
mod refusals;
mod robot_arms;
mod robustness;
mod rotation;
mod shapes;
mod starts;
mod straight;
mod textbook;

use glam::{DQuat, DVec3};
use proptest::prelude::{Strategy, prop};
use sinew_ik::benchmark::cases;
use sinew_ik::{Body, Goal, LinkIndex, Method, Options, Report, Solver};

/// Returns a chain of `n` equal ball joints with a total length of one, slightly bent from straight up.
fn chain(n: usize) -> Body {
    cases::free_chain(n).unwrap()
}

/// Returns the methods that support chains of any length.
fn chain_methods() -> impl Iterator<Item = Method> {
    Method::ALL.into_iter().filter(|m| *m != Method::TwoBone)
}

fn options(method: Method) -> Options {
    Options::default().with_method(method)
}

/// Solves with a new solver and returns its report.
fn report(body: &mut Body, goals: &[Goal], options: &Options) -> Report {
    Solver::default().solve(body, goals, options).unwrap().clone()
}

/// Returns a straight version of the chain that [`chain`] returns.
fn straight(n: usize) -> Body {
    let mut body = chain(n);
    (0..=n).for_each(|i| body.set_rotation(LinkIndex(i), DQuat::IDENTITY));
    body
}

fn position(body: &Body, link: usize) -> DVec3 {
    body.world_from_link(LinkIndex(link)).unwrap().translation
}

/// Returns the distance from the effector of a goal to its target, using the body's own forward kinematics.
fn error(body: &Body, goal: &Goal) -> f64 {
    let point = body.world_from_link(goal.link).unwrap().transform_point3(goal.offset);
    goal.position.map_or(0.0, |target| point.distance(target))
}

/// Returns the angle between two rotations in radians.
fn angle(a: DQuat, b: DQuat) -> f64 {
    let d = a.conjugate() * b;
    2.0 * d.xyz().length().atan2(d.w.abs())
}

/// Returns vectors in a cube of the given half width.
fn vector(size: f64) -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-size..size).prop_map(DVec3::from_array)
}
