//! Particles: the listings of TMPS.

use glam::{DQuat, DVec3};
use sinew_ik::{Method, ParticleOptions, StepKind, best_fit, inverse_fit, shortest_arc};

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

/// The listing ends only after all its passes, and has neither sweeps nor a stiffness.
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
    let kinds: Vec<_> = report.trace.iter().map(|s| (s.kind, s.link.0, s.iteration)).collect();
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
    let mut largest = 0.0_f64;
    for (step, table) in report.trace.iter().skip(1).zip(SPRINGS) {
        let particles = step.particles.unwrap();
        for (particle, row) in particles.into_iter().zip(table) {
            let away = particle.distance(DVec3::from(row));
            assert!(away < EXACT, "{step:?}");
            largest = largest.max(away);
        }
    }
    println!("TMPS, particles of each spring: {largest:.1e} m");
    // The end moves by half of its spring's error, and the root does not move.
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

/// The bones of a joint with three children: the vector in the rest pose and the measured vector of each bone.
const BONES: [[DVec3; 2]; 3] = [
    [DVec3::new(0.1, 0.5, 0.0), DVec3::new(-0.45, 0.2, 0.1)],
    [DVec3::new(0.2, 0.0, 0.1), DVec3::new(0.02, 0.2, 0.05)],
    [DVec3::new(0.0, -0.1, 0.4), DVec3::new(0.1, 0.0, 0.4)],
];
/// The columns of their rotation.
const THREE_CHILDREN: [[f64; 3]; 3] = [
    [0.088128784, 0.956826794, -0.276976177],
    [-0.946560422, 0.167047733, 0.275895672],
    [0.310252614, 0.237860337, 0.920416088],
];
/// The columns of the rotation if only the first bone is fitted.
const ONE_CHILD: [[f64; 3]; 3] = [
    [0.246008146, 0.949929753, 0.192648532],
    [-0.962470158, 0.215911173, 0.164418856],
    [0.114591392, -0.225866840, 0.967394947],
];

/// Returns the largest difference between the columns of a rotation and the expected columns.
fn away(rotation: DQuat, columns: [[f64; 3]; 3]) -> f64 {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().zip(columns);
    axes.map(|(axis, column)| (rotation * axis).distance(DVec3::from(column))).fold(0.0, f64::max)
}

#[test]
fn the_rotation_of_one_and_of_three_children_of_the_lecture() {
    let three = inverse_fit(BONES.map(|bone| bone[0]), BONES.map(|bone| bone[1])).unwrap();
    let one = shortest_arc(BONES[0][0], BONES[0][1], DVec3::X);
    println!(
        "lecture, three children: {:.1e}, one child: {:.1e}",
        away(three, THREE_CHILDREN),
        away(one, ONE_CHILD)
    );
    assert!(away(three, THREE_CHILDREN) < EXACT && away(one, ONE_CHILD) < EXACT);
    // The least-squares fit of the same bones gives a different rotation.
    let fit = best_fit(BONES.map(|[from, to]| (from, to, 1.0)));
    assert!(fit.angle_between(three) > 0.05, "{}", fit.angle_between(three));
}
