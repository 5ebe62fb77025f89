//! Success rates of `fabrik` and `particle` on robot arms, whose joints are hinges.

use std::f64::consts::{FRAC_PI_2, PI};

use glam::{DAffine3, DQuat, DVec3};
use sinew_ik::{Body, Goal, Limit, Link, LinkIndex, Method, Options, Solver};

use crate::starts::waypoint;
use sinew_base::Random;

/// Number of targets per arm.
const TARGETS: usize = 100;

fn hinge(parent: Option<usize>, offset: DVec3, rest: DQuat, [min, max]: [f64; 2]) -> Link {
    let limit = Limit::Hinge { axis: DVec3::Z, min, max };
    Link::base().with_parent(parent.map(LinkIndex)).with_offset(offset).with_rest(rest).with_limit(limit)
}

/// Returns a body of hinges that ends in a locked flange.
fn arm(mut links: Vec<Link>, offset: DVec3, rest: DQuat) -> Body {
    let last = links.len() - 1;
    links.push(Link::child(LinkIndex(last), offset).with_rest(rest).with_limit(Limit::Locked));
    Body::new(links, DAffine3::IDENTITY).unwrap()
}

/// Returns an arm with six hinges and the Denavit–Hartenberg parameters that Universal Robots publishes for the UR5.
fn six_hinges() -> Body {
    let parameters = [
        (0.0, FRAC_PI_2, 0.089_159),
        (-0.425, 0.0, 0.0),
        (-0.392_25, 0.0, 0.0),
        (0.0, FRAC_PI_2, 0.109_15),
        (0.0, -FRAC_PI_2, 0.094_65),
        (0.0, 0.0, 0.082_3),
    ];
    let (mut links, mut offset, mut rest) = (Vec::new(), DVec3::ZERO, DQuat::IDENTITY);
    for (i, (a, alpha, d)) in parameters.into_iter().enumerate() {
        links.push(hinge(i.checked_sub(1), offset, rest, [-PI, PI]));
        (offset, rest) = (DVec3::new(a, 0.0, d), DQuat::from_rotation_x(alpha));
    }
    arm(links, offset, rest)
}

/// Returns an arm with seven hinges and the modified Denavit–Hartenberg parameters and limits that Franka publishes for
/// the Panda.
fn seven_hinges() -> Body {
    let parameters = [
        (0.0, 0.0, 0.333, [-2.8973, 2.8973]),
        (0.0, -FRAC_PI_2, 0.0, [-1.7628, 1.7628]),
        (0.0, FRAC_PI_2, 0.316, [-2.8973, 2.8973]),
        (0.0825, FRAC_PI_2, 0.0, [-3.0718, -0.0698]),
        (-0.0825, -FRAC_PI_2, 0.384, [-2.8973, 2.8973]),
        (0.0, FRAC_PI_2, 0.0, [-0.0175, 3.7525]),
        (0.088, FRAC_PI_2, 0.0, [-2.8973, 2.8973]),
    ];
    let link = |(i, (a, alpha, d, limits)): (usize, (f64, f64, f64, [f64; 2]))| {
        let rest = DQuat::from_rotation_x(alpha);
        hinge(i.checked_sub(1), DVec3::X * a + rest * (DVec3::Z * d), rest, limits)
    };
    arm(parameters.into_iter().enumerate().map(link).collect(), DVec3::Z * 0.107, DQuat::IDENTITY)
}

/// Returns the poses of the flange in random poses of an arm within its limits.
fn reachable(body: &Body) -> Vec<Goal> {
    let mut random = Random(5);
    (0..TARGETS).map(|_| waypoint(body, &mut random)).collect()
}

/// Returns the fraction of goals that a method reaches from rest, to 1e-4 of the reach and 1e-3 rad.
fn share(body: &Body, goals: &[Goal], method: Method) -> f64 {
    let reach: f64 = body.links().iter().map(|l| l.offset.length()).sum();
    let tolerance = Some(1e-4 * reach);
    let options = Options::default().with_method(method).with_iterations(500).with_tolerance(tolerance);
    let is_reached = |goal: &&Goal| {
        let mut posed = body.clone();
        let reached = Solver::default().solve(&mut posed, &[**goal], &options).unwrap().reached();
        for (link, rotation) in posed.links().iter().zip(posed.rotations()) {
            assert!(link.limit_violation(*rotation) < 1e-7, "{method} violates a limit");
        }
        reached
    };
    goals.iter().filter(is_reached).count() as f64 / goals.len() as f64
}

/// The minimum shares are in the table of robot arms in `docs/solvers.md`. Without rigid segments, these methods reached no pose of the arm
/// with six hinges.
#[test]
fn points_reach_poses_of_hinges() {
    let arms = [("six", six_hinges(), [0.92, 0.85]), ("seven", seven_hinges(), [0.95, 0.92])];
    for (name, body, [least_positions, least_poses]) in arms {
        let poses = reachable(&body);
        let positions: Vec<Goal> = poses.iter().map(|g| (*g).with_orientation(None)).collect();
        for method in [Method::Fabrik, Method::Particle] {
            let [at, posed] = [&positions, &poses].map(|goals| share(&body, goals, method));
            println!(
                "{method}, {name} hinges: {:.0} % of positions, {:.0} % of poses",
                at * 100.0,
                posed * 100.0
            );
            assert!(at >= least_positions, "{method}, {name} hinges: {at} of the positions");
            assert!(posed >= least_poses, "{method}, {name} hinges: {posed} of the poses");
        }
    }
}
