//! Options of individual methods: the sweeps and the formula of the methods that move points, and the weights and balance of optimization.

use glam::{DAffine3, DQuat, DVec3};
use sinew_ik::{
    Balance, Body, FabrikOptions, Goal, JacobianOptions, Limit, Link, LinkIndex, Method, OptimizeOptions,
    Options, ParticleOptions, Secondary,
};

use super::angle;
use crate::{chain, position, report};

#[test]
fn optimize_weighs_goals_against_the_pose() {
    let target = DVec3::new(0.5, 0.3, 0.4);
    let solve = |rest: f64, stay: f64| {
        let mut body = chain(6);
        (0..6).for_each(|i| {
            body.set_rotation(LinkIndex(i), DQuat::from_rotation_z(if i % 2 == 0 { 0.7 } else { -0.7 }));
        });
        let start = body.rotations().to_vec();
        let optimize = OptimizeOptions::default().with_rest(rest).with_stay(stay);
        let options = Options::default().with_method(Method::Optimize).with_optimize(optimize);
        let error = report(&mut body, &[Goal::position(LinkIndex(6), target)], &options).position_error();
        let away = |pose: &[DQuat]| {
            pose.iter().zip(body.rotations()).map(|(a, b)| angle(*a, *b).powi(2)).sum::<f64>()
        };
        let rests: Vec<DQuat> = body.links().iter().map(|l| l.rest).collect();
        (error, away(&rests), away(&start))
    };
    let (plain, little, much) = (solve(0.0, 0.0), solve(1e-4, 0.0), solve(1.0, 0.0));
    // The larger the weight of the rest pose, the farther the end stays from the target.
    assert!(plain.0 < 1e-4 && little.0 < 0.01 && much.0 > 0.1, "{plain:?} {little:?} {much:?}");
    assert!(little.1 < plain.1 && much.1 < little.1, "{plain:?} {little:?} {much:?}");
    let stay = solve(0.0, 1.0);
    assert!(stay.0 > 0.1 && stay.2 < plain.2, "{plain:?} {stay:?}");
}

/// Returns the centre of mass of a chain whose segments have masses equal to their lengths.
fn middle(body: &Body) -> DVec3 {
    let places: Vec<DVec3> = (0..body.links().len()).map(|i| position(body, i)).collect();
    let stretches = places.windows(2).map(|p| (p[0].distance(p[1]), (p[0] + p[1]) / 2.0));
    let (mass, moment) =
        stretches.fold((0.0, DVec3::ZERO), |(m, sum), (mass, at)| (m + mass, sum + at * mass));
    moment / mass
}

#[test]
fn centre_of_mass_is_above_its_support_while_the_end_reaches_its_target() {
    let target = DVec3::new(0.35, 0.5, 0.0);
    let support = DVec3::new(0.0, 7.0, 0.0);
    for above in [DAffine3::IDENTITY, DAffine3::from_scale(DVec3::splat(2.0))] {
        let solve = |balance| {
            let mut body = chain(8);
            body.place(above, DQuat::IDENTITY).unwrap();
            let optimize = OptimizeOptions::default().with_balance(balance);
            let options = Options::default().with_method(Method::Optimize).with_optimize(optimize);
            let goal = Goal::position(LinkIndex(8), above.transform_point3(target));
            let error = report(&mut body, &[goal], &options).position_error();
            let off = middle(&body) - support;
            (error, DVec3::new(off.x, 0.0, off.z).length())
        };
        let (_, before) = solve(None);
        let (error, after) = solve(Some(Balance { support, weight: 1.0 }));
        assert!(before > 0.05 && after < 1e-3 && error < 1e-3, "{before} {after} {error}");
    }
}

#[test]
fn one_iteration_makes_the_requested_number_of_sweeps() {
    let goal = Goal::position(LinkIndex(6), DVec3::new(0.4, 0.3, 0.5));
    let solve = |method, iterations, sweeps| {
        let mut body = chain(6);
        let fabrik = FabrikOptions::default().with_sweeps(sweeps);
        let particle = ParticleOptions::default().with_sweeps(sweeps);
        let options = Options::default()
            .with_method(method)
            .with_iterations(iterations)
            .with_fabrik(fabrik)
            .with_particle(particle)
            .with_restarts(0);
        report(&mut body, &[goal], &options);
        position(&body, 6)
    };
    for method in [Method::Fabrik, Method::Particle] {
        let [one, six] = [solve(method, 1, 3), solve(method, 3, 1)];
        assert!(one.distance(six) < 1e-12, "{method}: {one} {six}");
        assert!(one.distance(solve(method, 1, 1)) > 1e-6, "{method}");
    }
}

#[test]
fn centre_of_mass_stays_above_the_base_in_the_null_space() {
    let target = DVec3::new(0.35, 0.5, 0.0);
    for method in [Method::Dls, Method::Sdls, Method::PseudoInverse, Method::FullBody] {
        let solve = |secondary| {
            let mut body = chain(8);
            let jacobian = JacobianOptions::default().with_secondary(secondary).with_secondary_gain(0.5);
            let options = Options::default().with_method(method).with_jacobian(jacobian).with_tolerance(1e-9);
            let error = report(&mut body, &[Goal::position(LinkIndex(8), target)], &options).position_error();
            assert!(error <= 1e-9, "{method}, {secondary:?}: {error}");
            let off = middle(&body) - position(&body, 0);
            DVec3::new(off.x, 0.0, off.z).length()
        };
        let (before, after) = (solve(Secondary::None), solve(Secondary::Balance));
        assert!(after < 0.5 * before, "{method}: {before} and {after}");
    }
}

#[test]
fn transpose_takes_steps_of_a_fixed_size() {
    let limit = Limit::Hinge { axis: DVec3::Z, min: -3.0, max: 3.0 };
    let links = vec![Link::base().with_limit(limit), Link::child(LinkIndex(0), DVec3::X * 2.0)];
    let goal = Goal::position(LinkIndex(1), DVec3::new(0.1_f64.cos(), 0.1_f64.sin(), 0.0) * 2.0);
    let solve = |step| {
        let mut body = Body::new(links.clone(), DAffine3::IDENTITY).unwrap();
        let jacobian = JacobianOptions::default().with_step(step);
        let options = Options::default()
            .with_method(Method::JacobianTranspose)
            .with_jacobian(jacobian)
            .with_iterations(1)
            .with_restarts(0);
        report(&mut body, &[goal], &options);
        2.0 * body.rotations()[0].z.asin()
    };
    // Jᵀe is 4 sin 0.1, and the length is 2.
    for step in [0.1, 0.5, 1.0] {
        assert!((solve(step) - step * 0.1_f64.sin()).abs() < 1e-12, "{step}: {}", solve(step));
    }
}
