//! Tests the fast solvers for free chains without the general solver, which takes over when a fast solver gives up
//! and would hide its failure.

use glam::{DAffine3, DQuat, DVec3};

use crate::ik::{Body, CcdOptions, Goal, Link};

use super::{Chain, ChainOutcome};

/// Returns a bent chain of links of different lengths.
fn body() -> Body {
    let mut links = vec![Link::base()];
    links.extend((0..5).map(|i| Link::child(i, DVec3::new(0.1, 0.4 + 0.1 * i as f64, 0.0))));
    let mut body = Body::new(links, DAffine3::IDENTITY).unwrap_or_else(|e| panic!("{e}"));
    (0..5).for_each(|i| body.set_rotation(i, DQuat::from_rotation_z(0.2) * DQuat::from_rotation_x(-0.1)));
    body
}

#[test]
fn fast_solvers_reach_targets_within_reach() {
    type Solve = fn(&mut Chain, DVec3, f64, usize) -> ChainOutcome;
    let solvers: [(&str, Solve, usize); 5] = [
        (
            "ccd",
            |chain, target, tolerance, most| chain.descend(target, tolerance, most, &CcdOptions::default()),
            60,
        ),
        ("fabrik", Chain::reach_both_ways, 20),
        ("particle", Chain::relax, 40),
        ("fused", Chain::fuse, 1),
        ("dls", Chain::damped, 8),
    ];
    for (name, solve, most) in solvers {
        for target in [DVec3::new(1.5, 0.8, 0.9), DVec3::new(-0.5, -1.0, 0.4), DVec3::new(0.2, 2.5, -0.3)] {
            let (mut chain, mut body) = (Chain::default(), body());
            assert!(chain.supports(&body, &[Goal::position(5, target)], true));
            chain.load(&body, false);
            match solve(&mut chain, target, 1e-4, 100) {
                ChainOutcome::Reached(iterations) => {
                    assert!((1..=most).contains(&iterations), "{name}, {target}: {iterations}");
                }
                ChainOutcome::Stuck => panic!("{name} is stuck on the way to {target}"),
            }
            chain.write(&mut body);
            let end = body.world_from_link(5).unwrap_or_default().translation;
            assert!(end.distance(target) <= 1.001e-4, "{name}, {target}: {end}");
        }
    }
}
