//! Particles: the listings of TMPS.

use glam::DVec3;
use sinew::ik::{Method, ParticleOptions, StepKind};

use super::{EXACT, TARGET, Table, assert_table, passes, solve, spatial};

const PASSES: [(usize, Table); 2] = [
    (
        1,
        [
            [0.374060072, 0.357689489, -0.105010163],
            [0.539221385, 0.447989117, 0.066942499],
            [0.362277510, 0.558061078, 0.162205445],
        ],
    ),
    (
        3,
        [
            [0.373959942, 0.357885563, -0.104254282],
            [0.488403980, 0.476579334, 0.090204843],
            [0.316241224, 0.589509793, 0.190736913],
        ],
    ),
];
/// The lower and the upper particle of each spring after the first pass has relaxed it. The last one is at the root.
const SPRINGS: [[[f64; 3]; 2]; 3] = [
    [[0.362008772, 0.558228253, 0.162350128], [0.531736135, 0.443892679, 0.059296748]],
    [[0.536606013, 0.446559199, 0.064219584], [0.369283163, 0.354940937, -0.104922835]],
    [[0.374060072, 0.357689489, -0.105010163], [0.1, 0.2, -0.1]],
];

#[test]
fn the_listing_of_tmps() {
    for (count, table) in PASSES {
        let mut body = spatial(|_, _| {});
        let report = solve(&mut body, TARGET, &passes(Method::Particle, count));
        assert_table(&format!("TMPS, particles, {count}"), &body, table);
        assert_eq!(report.iterations, count);
    }
}

/// The listing has no other end than the number of its passes, and neither sweeps nor a stiffness.
#[test]
fn all_passes_run() {
    let own = ParticleOptions::default().with_sweeps(3).with_stiffness(0.4);
    let mut body = spatial(|_, _| {});
    let options = passes(Method::Particle, 3).with_tolerance(1.0).with_particle(own);
    let report = solve(&mut body, TARGET, &options);
    assert_table("TMPS, particles, 3", &body, PASSES[1].1);
    assert!(report.reached() && report.iterations == 3);
}

#[test]
fn each_spring_is_a_step() {
    let mut body = spatial(|_, _| {});
    let mut replayed = body.clone();
    let report = solve(&mut body, TARGET, &passes(Method::Particle, 1).with_trace(true));
    let kinds: Vec<_> = report.trace.iter().map(|s| (s.kind, s.link, s.iteration)).collect();
    let (spring, fit) = (StepKind::Spring, StepKind::Fit);
    let expected = [
        (StepKind::Pull, 2, 1),
        (spring, 2, 1),
        (spring, 1, 1),
        (spring, 0, 1),
        (fit, 0, 1),
        (fit, 1, 1),
        (fit, 2, 1),
    ];
    assert_eq!(kinds, expected);
    for (step, table) in report.trace.iter().skip(1).zip(SPRINGS) {
        let particles = step.particles.unwrap();
        for (particle, row) in particles.into_iter().zip(table) {
            assert!(particle.distance(DVec3::from(row)) < EXACT, "{step:?}");
        }
    }
    // The end moves by half of the error of its spring, and the root not at all.
    let end = report.trace[1].particles.unwrap()[0];
    assert!((report.trace[1].distance - end.distance(TARGET)).abs() < 1e-12);
    assert_eq!(report.trace[0].position_error, Some(0.0));
    for step in &report.trace {
        let before = replayed.clone();
        step.apply(&mut replayed);
        assert_eq!(replayed == before, step.particles.is_some(), "{step:?}");
    }
    assert!(replayed.rotations().iter().zip(body.rotations()).all(|(a, b)| a.angle_between(*b) < 1e-7));
}
