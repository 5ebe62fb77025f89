//! Options of optimization: its weights and the balance of the centre of mass.

use glam::{DAffine3, DQuat, DVec3};
use sinew::ik::{Balance, Body, Goal, Method, OptimizeOptions, Options};

use super::angle;
use crate::{chain, position, report};

#[test]
fn optimize_weighs_goals_against_the_pose() {
    let target = DVec3::new(0.5, 0.3, 0.4);
    let solve = |rest: f64, stay: f64| {
        let mut body = chain(6);
        (0..6)
            .for_each(|i| body.set_rotation(i, DQuat::from_rotation_z(if i % 2 == 0 { 0.7 } else { -0.7 })));
        let start = body.rotations().to_vec();
        let optimize = OptimizeOptions { rest, stay, balance: None };
        let options = Options { method: Method::Optimize, optimize, ..Options::default() };
        let error = report(&mut body, &[Goal::position(6, target)], &options).position_error();
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
            let optimize = OptimizeOptions { balance, ..OptimizeOptions::default() };
            let options = Options { method: Method::Optimize, optimize, ..Options::default() };
            let goal = Goal::position(8, above.transform_point3(target));
            let error = report(&mut body, &[goal], &options).position_error();
            let off = middle(&body) - support;
            (error, DVec3::new(off.x, 0.0, off.z).length())
        };
        let (_, before) = solve(None);
        let (error, after) = solve(Some(Balance { support, weight: 1.0 }));
        assert!(before > 0.05 && after < 1e-3 && error < 1e-3, "{before} {after} {error}");
    }
}
