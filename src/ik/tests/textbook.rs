//! The methods exactly as the founding documents state them. `textbook/tables.py` computes the tables from the documents without using
//! sinew.

use crate::position;
use glam::{DAffine3, DQuat, DVec3};
use sinew_ik::{Body, Goal, Limit, Link, LinkIndex, Method, Options, Report, Solver};

mod ccd;
mod fused;
mod hostile;
mod jacobian;
mod limb;
mod particle;
mod refusals;

/// Largest difference from a table, in metres.
const EXACT: f64 = 1e-6;
/// The chain of the tables: its offsets, and the axes and angles of its rotations at the start.
const OFFSETS: [DVec3; 4] = [
    DVec3::new(0.1, 0.2, -0.1),
    DVec3::new(0.3, 0.1, 0.0),
    DVec3::new(0.25, 0.0, 0.05),
    DVec3::new(0.2, -0.05, 0.1),
];
const START: [(DVec3, f64); 3] = [(DVec3::Z, 0.2), (DVec3::Y, -0.3), (DVec3::X, 0.4)];
const TARGET: DVec3 = DVec3::new(0.3, 0.6, 0.2);
/// The planar chain of hinges about z: its lengths, and its angles at the start.
const PLANAR: [f64; 3] = [0.3, 0.25, 0.2];
const PLANAR_START: [f64; 3] = [0.3, 0.4, -0.2];
const PLANAR_TARGET: DVec3 = DVec3::new(0.2, 0.45, 0.0);

/// The positions of the joints and of the end, without the base.
type Table = [[f64; 3]; 3];

/// Returns the chain of the tables in its start pose. `edit` changes a link by its index.
fn spatial(edit: impl Fn(usize, &mut Link)) -> Body {
    let mut links = vec![Link::base().with_offset(OFFSETS[0])];
    links.extend((1..4).map(|index| Link::child(LinkIndex(index - 1), OFFSETS[index])));
    links.iter_mut().enumerate().for_each(|(index, link)| edit(index, link));
    let mut body = Body::new(links, DAffine3::IDENTITY).unwrap();
    for (link, (axis, angle)) in START.into_iter().enumerate() {
        body.set_rotation(LinkIndex(link), DQuat::from_axis_angle(axis, angle));
    }
    body
}

/// Returns the planar chain in its start pose.
fn planar() -> Body {
    let hinge = Limit::hinge(DVec3::Z, -3.0..=3.0);
    let mut links = vec![Link::base().with_limit(hinge)];
    links.extend(
        (0..3).map(|index| Link::child(LinkIndex(index), DVec3::X * PLANAR[index]).with_limit(hinge)),
    );
    let mut body = Body::new(links, DAffine3::IDENTITY).unwrap();
    for (link, angle) in PLANAR_START.into_iter().enumerate() {
        body.set_rotation(LinkIndex(link), DQuat::from_rotation_z(angle));
    }
    body
}

/// Returns options for `count` passes, with a tolerance that is too small to end them early.
fn passes(method: Method, count: usize) -> Options {
    Options::default().with_method(method).with_textbook(true).with_iterations(count).with_tolerance(1e-12)
}

/// Solves for the position of the last link, and returns the report.
fn solve(body: &mut Body, target: DVec3, options: &Options) -> Report {
    let goal = Goal::position(LinkIndex(body.links().len() - 1), target);
    Solver::default().solve(body, &[goal], options).unwrap().clone()
}

/// Checks the positions of the joints against a table. `--nocapture` prints the largest difference.
fn assert_table(name: &str, body: &Body, table: Table) {
    let away = |(link, row): (usize, [f64; 3])| position(body, link + 1).distance(DVec3::from(row));
    let largest = table.into_iter().enumerate().map(away).fold(0.0, f64::max);
    println!("{name}: {largest:.1e} m");
    assert!(
        largest < EXACT,
        "{name}: {largest:e} m from the table, {:?}",
        (1..4).map(|l| position(body, l)).collect::<Vec<_>>()
    );
}
