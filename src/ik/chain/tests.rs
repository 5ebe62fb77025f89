//! Tests the fast solvers for free chains without the general solver. The general solver takes over when a fast solver
//! gives up, which would hide the failure.

use std::cell::Cell;

use glam::{Affine3A, DAffine3, DMat3, DQuat, DVec3, Vec3};

use crate::rotation::rotation_vector;
use crate::{
    Body, CcdOptions, FabrikOptions, FusedOptions, Goal, Link, LinkIndex, Method, Options, Report, Solver,
};
use sinew_base::Random;

use super::fused::turns_between;
use super::{ChainOutcome, FreeChain};

thread_local! {
    static DISABLED: Cell<bool> = const { Cell::new(false) };
}

/// Calls a function with the fast solvers for chains disabled, so that the tree solves every problem.
pub(crate) fn without_chains<T>(call: impl FnOnce() -> T) -> T {
    DISABLED.set(true);
    let result = call();
    DISABLED.set(false);
    result
}

pub(super) fn is_disabled() -> bool {
    DISABLED.get()
}

/// Returns a bent chain of links of different lengths.
fn body() -> Body {
    let mut links = vec![Link::base()];
    links.extend((0..5).map(|i| Link::child(LinkIndex(i), DVec3::new(0.1, 0.4 + 0.1 * i as f64, 0.0))));
    let mut body = Body::new(links, DAffine3::IDENTITY).unwrap_or_else(|e| panic!("{e}"));
    (0..5).for_each(|i| {
        body.set_rotation(LinkIndex(i), DQuat::from_rotation_z(0.2) * DQuat::from_rotation_x(-0.1));
    });
    body
}

/// Solves with damped least squares on the chain only. Returns the report, or `None` if the chain does not support the
/// problem.
fn solve(body: &mut Body, goal: Goal, options: &Options) -> Option<Report> {
    let mut report = Report::default();
    FreeChain::default().solve(body, &[goal], options, false, &mut report).then_some(report)
}

/// Returns a rigid transform like the transform of a character's base: a product of single-precision matrices.
fn single_precision_placement(random: &mut Random, depth: usize) -> DAffine3 {
    let mut placement = Affine3A::IDENTITY;
    for _ in 0..depth {
        let rotation = DQuat::from_scaled_axis(random.turn(3.0)).as_quat();
        placement *= Affine3A::from_rotation_translation(rotation, random.turn(1.0).as_vec3());
    }
    let [x, y, z] = placement.matrix3.to_cols_array_2d().map(|column| DVec3::from(column.map(f64::from)));
    DAffine3 { matrix3: DMat3::from_cols(x, y, z), translation: Vec3::from(placement.translation).as_dvec3() }
}

/// The base of every animated character was rotated in single precision. An earlier version accepted only exactly rigid
/// placements, so the general solver posed such characters, which was several times slower.
#[test]
fn chain_solves_bodies_that_are_placed_in_single_precision() {
    let random = &mut Random(3);
    for depth in [1, 5, 20, 60] {
        for _ in 0..50 {
            let placement = single_precision_placement(random, depth);
            let (_, rotation, _) = placement.to_scale_rotation_translation();
            let mut body = body();
            body.place(placement, rotation).unwrap_or_else(|e| panic!("{e}"));
            let target = placement.transform_point3(random.turn(1.2));
            let options = Options { method: Method::Dls, tolerance: Some(1e-6), ..Options::default() };
            let report = solve(&mut body, Goal::position(LinkIndex(5), target), &options);
            let report = report.unwrap_or_else(|| panic!("{placement}: the chain does not apply"));
            let end = body.world_from_link(LinkIndex(5)).unwrap_or_default().translation;
            assert!(report.reached(), "{placement}: {report:?}");
            assert!((report.position_error() - end.distance(target)).abs() < 1e-14, "{report:?}, {end}");
        }
    }
}

#[test]
fn chain_rejects_uneven_placements() {
    for linear in [
        DMat3::from_diagonal(DVec3::new(1.0, 1.001, 1.0)),
        DMat3::from_cols(DVec3::X, DVec3::Y + 0.001 * DVec3::X, DVec3::Z),
    ] {
        let mut body = body();
        let placement = DAffine3 { matrix3: linear, translation: DVec3::ZERO };
        body.place(placement, DQuat::IDENTITY).unwrap_or_else(|e| panic!("{e}"));
        let solved =
            solve(&mut body, Goal::position(LinkIndex(5), DVec3::new(1.5, 0.8, 0.9)), &Options::default());
        assert_eq!(solved, None, "{placement}");
    }
}

/// Tests uniform scales, exact or rounded to single precision, and a goal for a point on the last link instead of its
/// joint.
#[test]
fn chain_solves_scaled_links_and_points_of_links() {
    let rounded = DVec3::new(1.0, 1.0 - 6e-8, 1.0 + 1.2e-7);
    for (scale, offset) in [
        (DVec3::splat(1.1), DVec3::ZERO),
        (rounded, DVec3::ZERO),
        (DVec3::ONE, DVec3::new(0.1, 0.3, 0.0)),
        (rounded * 0.9, DVec3::new(0.1, 0.3, 0.0)),
    ] {
        let start = body();
        let links = start.links().iter().map(|link| Link { scale, ..*link }).collect();
        let mut body = Body::new(links, DAffine3::IDENTITY).unwrap_or_else(|e| panic!("{e}"));
        (0..5).for_each(|i| body.set_rotation(LinkIndex(i), start.rotations()[i]));
        let goal = Goal { offset, ..Goal::position(LinkIndex(5), DVec3::new(1.2, 0.8, 0.9)) };
        let options = Options { method: Method::Dls, tolerance: Some(1e-5), ..Options::default() };
        let by_tree = {
            let mut body = body.clone();
            without_chains(|| Solver::default().solve(&mut body, &[goal], &options).map(|_| ()))
                .unwrap_or_else(|e| panic!("{e}"));
            body
        };
        let report = solve(&mut body, goal, &options);
        let report = report.unwrap_or_else(|| panic!("{scale}, {offset}: the chain does not apply"));
        let end = body.world_from_link(LinkIndex(5)).unwrap_or_default().transform_point3(offset);
        let error = end.distance(goal.position.unwrap_or_default());
        assert!(report.reached() && error <= 1e-5, "{scale}, {offset}: {report:?}");
        assert!((report.position_error() - error).abs() < 1e-14, "{scale}, {offset}: {error}, {report:?}");
        for (a, b) in body.rotations().iter().zip(by_tree.rotations()) {
            assert!(a.angle_between(*b) < 1e-4, "{scale}, {offset}: {a}, {b}");
        }
    }
}

/// For targets near the base, an explicitly requested `two-bone` once ran damped least squares and reported `two-bone`.
#[test]
fn two_bone_runs_only_the_closed_form() {
    let links = vec![Link::base(), Link::child(LinkIndex(0), DVec3::Y), Link::child(LinkIndex(1), DVec3::Y)];
    let mut body = Body::new(links, DAffine3::IDENTITY).unwrap_or_else(|e| panic!("{e}"));
    body.set_rotation(LinkIndex(1), DQuat::from_rotation_x(3.0));
    let target =
        body.world_from_link(LinkIndex(2)).unwrap_or_default().translation + DVec3::new(0.05, 0.02, -0.03);
    for (method, expected) in [(Method::TwoBone, Method::TwoBone), (Method::Auto, Method::Dls)] {
        let mut body = body.clone();
        let options = Options { method, ..Options::default() };
        let report = solve(&mut body, Goal::position(LinkIndex(2), target), &options);
        let report = report.unwrap_or_else(|| panic!("{method}: the chain does not apply"));
        assert!(report.reached() && report.method == expected, "{method}: {report:?}");
        assert!(method == Method::Auto || report.iterations == 1, "{method}: {report:?}");
    }
}

/// The fused method computes the turns of its last step with a continued fraction.
#[test]
fn turns_of_a_step_are_rotation_vectors() {
    let random = &mut Random(9);
    let mut found = 0;
    for largest in [1e-12, 1e-6, 0.1, 0.5, 3.0] {
        for _ in 0..200 {
            let above = [0, 1].map(|_| DQuat::from_scaled_axis(random.turn(3.0)));
            let turns = [0, 1].map(|_| DQuat::from_scaled_axis(random.turn(largest)));
            let below = [turns[0] * above[0], turns[1] * above[1]];
            let Some(vectors) = turns_between::<wide::f64x2, 2>(&above, &below) else {
                assert!(largest > 0.5, "{turns:?}");
                continue;
            };
            found += 1;
            for (vector, turn) in vectors.each().into_iter().zip(turns) {
                let expected = rotation_vector(turn);
                assert!(vector.distance(expected) < 2e-15, "{vector}, {expected}");
            }
        }
    }
    assert!((800..1000).contains(&found), "{found}");
}

fn fuse(chain: &mut FreeChain, target: DVec3, tolerance: f64, iterations: usize) -> ChainOutcome {
    chain.fuse(&body(), target, tolerance, iterations, &FusedOptions::default())
}

#[test]
fn fast_solvers_reach_targets_within_reach() {
    type Solve = fn(&mut FreeChain, DVec3, f64, usize) -> ChainOutcome;
    let solvers: [(&str, Solve, usize); 5] = [
        (
            "ccd",
            |chain, target, tolerance, most| chain.descend(target, tolerance, most, &CcdOptions::default()),
            60,
        ),
        (
            "fabrik",
            |chain, target, tolerance, most| {
                chain.reach_both_ways(target, tolerance, most, &FabrikOptions::default())
            },
            20,
        ),
        ("particle", FreeChain::relax, 40),
        ("fused", fuse, 6),
        ("dls", FreeChain::damped, 8),
    ];
    for (name, solve, most) in solvers {
        for target in [DVec3::new(1.5, 0.8, 0.9), DVec3::new(-0.5, -1.0, 0.4), DVec3::new(0.2, 2.5, -0.3)] {
            let (mut chain, mut body) = (FreeChain::default(), body());
            assert!(chain.supports(&body, &[Goal::position(LinkIndex(5), target)], true));
            chain.load(&body, false);
            match solve(&mut chain, target, 1e-4, 100) {
                ChainOutcome::Reached(iterations) => {
                    assert!((1..=most).contains(&iterations), "{name}, {target}: {iterations}");
                }
                ChainOutcome::Stuck => panic!("{name} is stuck on the way to {target}"),
            }
            chain.write(&mut body);
            let end = body.world_from_link(LinkIndex(5)).unwrap_or_default().translation;
            assert!(end.distance(target) <= 1.001e-4, "{name}, {target}: {end}");
        }
    }
}
