//! CCD: TMPS, the lecture, the planar form of the notes, and MMD.

use std::f64::consts::PI;

use glam::{DAffine3, DQuat, DVec3};
use sinew_ik::{Body, CcdOptions, Goal, Limit, Link, LinkIndex, Method, Options, Outcome, Solver, StepKind};

use super::{PLANAR, PLANAR_TARGET, TARGET, Table, assert_table, passes, planar, position, solve, spatial};

const TMPS: [Table; 2] = [
    [
        [0.356639107, 0.381308976, -0.064455327],
        [0.489165341, 0.481249768, 0.129061172],
        [0.267605310, 0.535210620, 0.151407965],
    ],
    [
        [0.356126833, 0.381856603, -0.063568946],
        [0.485631748, 0.483244501, 0.131236010],
        [0.298913992, 0.597827984, 0.198370988],
    ],
];
const LECTURE: [Table; 2] = [
    [
        [0.334464179, 0.411191862, -0.079395480],
        [0.490483593, 0.530189426, 0.083385115],
        [0.623172273, 0.555611659, 0.268445711],
    ],
    [
        [0.307952196, 0.436926182, -0.075062711],
        [0.414828700, 0.589413639, 0.099078003],
        [0.499593943, 0.649162197, 0.303393846],
    ],
];
const WELMAN: [Table; 2] = [
    [[0.272355561, 0.125787315, 0.0], [0.369491903, 0.356144713, 0.0], [0.171825426, 0.386607208, 0.0]],
    [[0.272984046, 0.124417486, 0.0], [0.374466584, 0.352893512, 0.0], [0.201367508, 0.453076893, 0.0]],
];
/// Two passes in which the second joint is a hinge about y.
const MMD: Table = [
    [0.344923495, 0.398906029, -0.078813374],
    [0.471793022, 0.458919745, 0.134030411],
    [0.296791812, 0.593583624, 0.195187718],
];

/// One and three passes with the same hinge and a largest angle of 0.05 rad that grows along the chain.
const MMD_STEP: [(usize, Table); 2] = [
    (
        1,
        [
            [0.351968390, 0.390679670, -0.087622852],
            [0.540424685, 0.463192915, 0.068024359],
            [0.696659003, 0.442269246, 0.234316385],
        ],
    ),
    (
        3,
        [
            [0.297032023, 0.447156180, -0.090397688],
            [0.406540304, 0.568434551, 0.105304875],
            [0.486664175, 0.597001328, 0.318058500],
        ],
    ),
];
/// The largest angles of the joints in the whole solve, in radians, and the results of one and three passes with them.
const UNREAL_ANGLES: [f64; 3] = [0.4, 0.5, 1.9];
const UNREAL: [(usize, Table); 2] = [
    (
        1,
        [
            [0.361371205, 0.375938970, -0.072970908],
            [0.490160678, 0.485372912, 0.117915142],
            [0.274074899, 0.548149798, 0.161112348],
        ],
    ),
    (
        3,
        [
            [0.356840984, 0.381091471, -0.064806417],
            [0.492706961, 0.490105589, 0.121355766],
            [0.279226925, 0.558453851, 0.168840388],
        ],
    ),
];

fn ccd(count: usize, own: CcdOptions) -> Options {
    passes(Method::Ccd, count).with_ccd(own)
}

/// Returns the chain whose second joint is a hinge about y.
fn with_hinge() -> Body {
    spatial(|index, link| {
        if index == 1 {
            link.limit = Limit::hinge(DVec3::Y, -PI..=PI);
        }
    })
}

#[test]
fn the_sweep_of_tmps() {
    for (count, table) in (1..).zip(TMPS) {
        let mut body = spatial(|_, _| {});
        let report = solve(&mut body, TARGET, &ccd(count, CcdOptions::default()));
        assert_table(&format!("TMPS, figures 3 and 4, {count}"), &body, table);
        assert_eq!(report.iterations, count);
    }
}

/// Rotating and scaling the whole body has no other effect on the result.
#[test]
fn a_body_may_be_placed_anywhere() {
    let at = DAffine3::from_scale_rotation_translation(
        DVec3::splat(2.0),
        DQuat::from_rotation_x(0.7),
        DVec3::new(1.0, -2.0, 0.5),
    );
    let mut body = spatial(|_, _| {});
    body.place(at, DQuat::from_rotation_x(0.7)).unwrap();
    solve(&mut body, at.transform_point3(TARGET), &ccd(2, CcdOptions::default()));
    body.place(DAffine3::IDENTITY, DQuat::IDENTITY).unwrap();
    assert_table("TMPS, placed", &body, TMPS[1]);
}

/// Each pass turns each joint once, the last one first.
#[test]
fn the_trace_has_one_turn_of_each_joint_in_each_pass() {
    let mut body = spatial(|_, _| {});
    let report = solve(&mut body, TARGET, &ccd(2, CcdOptions::default()).with_trace(true));
    let steps: Vec<_> = report.trace.iter().map(|s| (s.kind, s.iteration, s.link.0, s.sign)).collect();
    let order = [(1, 2), (1, 1), (1, 0), (2, 2), (2, 1), (2, 0)];
    assert_eq!(steps, order.map(|(iteration, link)| (StepKind::Iteration, iteration, link, 1)));
}

/// The listing compares the error with the tolerance before the last turn of a pass, not after it.
#[test]
fn the_listing_of_tmps_ends_with_the_error_in_front_of_the_last_turn() {
    let mut body = spatial(|_, _| {});
    let options = Options::default().with_method(Method::Ccd).with_textbook(true).with_tolerance(0.002);
    let report = solve(&mut body, TARGET, &options.with_trace(true));
    assert_eq!(report.goals[0].outcome, Outcome::Reached);
    let before_last = |iteration| {
        let errors = report.trace.iter().filter(|s| s.iteration == iteration && s.link == LinkIndex(1));
        errors.max_by_key(|s| s.iteration).unwrap().position_error.unwrap()
    };
    let last = report.iterations;
    assert!(before_last(last) < 0.002 && before_last(last - 1) >= 0.002, "{last}");
}

#[test]
fn the_rotation_vector_of_the_lecture() {
    for (count, table) in (1..).zip(LECTURE) {
        let mut body = spatial(|_, _| {});
        solve(&mut body, TARGET, &ccd(count, CcdOptions::default().with_linear(true)));
        assert_table(&format!("lecture, ω = l × Δp, {count}"), &body, table);
    }
}

#[test]
fn the_planar_form_of_welman() {
    for (count, table) in (1..).zip(WELMAN) {
        let mut body = planar();
        solve(&mut body, PLANAR_TARGET, &ccd(count, CcdOptions::default()));
        assert_table(&format!("Welman, planar, {count}"), &body, table);
    }
}

/// The code of the notes compares the error before every link, even within a loop.
#[test]
fn the_planar_form_stops_within_a_pass() {
    let target = DVec3::new(0.45, 0.3, 0.0);
    let options = Options::default().with_method(Method::Ccd).with_textbook(true).with_trace(true);
    let first = solve(&mut planar(), target, &options.with_iterations(1).with_tolerance(1e-9));
    let [one, two, ..] = &first.trace[..] else { panic!("{:?}", first.trace) };
    let between = 0.5 * (one.position_error.unwrap() + two.position_error.unwrap());
    let stopped = solve(&mut planar(), target, &options.with_tolerance(between));
    assert_eq!(stopped.trace[..], first.trace[..2]);
}

/// If the target is out of reach, the base points at it, and the other links are straight.
#[test]
fn the_planar_form_stretches_towards_a_target_out_of_reach() {
    let mut body = planar();
    let report = solve(&mut body, DVec3::new(1.2, 1.6, 0.0), &ccd(20, CcdOptions::default()));
    let way = DVec3::new(0.6, 0.8, 0.0);
    assert!(position(&body, 3).distance(way * PLANAR.iter().sum::<f64>()) < 1e-9);
    assert!(position(&body, 1).distance(way * PLANAR[0]) < 1e-9);
    assert_eq!((report.iterations, report.goals[0].outcome), (1, Outcome::OutOfReach));
}

#[test]
fn a_fixed_axis_of_mmd_takes_the_nearer_of_both_signs() {
    let mut body = with_hinge();
    let report = solve(&mut body, TARGET, &ccd(2, CcdOptions::default().with_early_stop(true)));
    assert_table("MMD, a fixed axis, 2", &body, MMD);
    assert_eq!(report.iterations, 2);
}

#[test]
fn the_growing_step_of_mmd_with_a_fixed_axis() {
    for (count, table) in MMD_STEP {
        let mut body = with_hinge();
        let report = solve(&mut body, TARGET, &ccd(count, CcdOptions::mmd(0.05)));
        assert_table(&format!("MMD, growing step and a fixed axis, {count}"), &body, table);
        assert_eq!(report.iterations, count);
    }
}

#[test]
fn the_list_of_angles_of_unreal() {
    for (count, table) in UNREAL {
        let angle = |index: usize| UNREAL_ANGLES.get(index).copied().unwrap_or(0.0);
        let mut body = spatial(|index, link| link.ccd_budget = angle(index));
        solve(&mut body, TARGET, &ccd(count, CcdOptions::default()));
        assert_table(&format!("Unreal, list of angles, {count}"), &body, table);
    }
}

#[test]
fn mmd_stops_when_the_distance_no_longer_shrinks() {
    let options = ccd(1000, CcdOptions::default().with_early_stop(true)).with_record(true);
    let report = solve(&mut with_hinge(), DVec3::new(0.1, 0.2, 1.5), &options);
    assert!(report.iterations < 20, "{}", report.iterations);
    let falls: Vec<bool> = report.history.windows(2).map(|pair| pair[1] < pair[0]).collect();
    let (last, others) = falls.split_last().unwrap();
    assert!(!last && others.iter().all(|falls| *falls), "{:?}", report.history);
}

/// Unreal's list of angles: the largest turn of each joint in the whole solve.
#[test]
fn joints_turn_no_farther_than_their_angles() {
    let angles = [0.0, 0.2, 0.5];
    let mut body = spatial(|index, link| link.ccd_budget = angles.get(index).copied().unwrap_or(0.0));
    let report = solve(&mut body, TARGET, &ccd(50, CcdOptions::default()).with_trace(true));
    for (link, angle) in angles.into_iter().enumerate() {
        let turned: f64 = report.trace.iter().filter(|s| s.link == LinkIndex(link)).map(|s| s.angle).sum();
        assert!((turned - angle).abs() < 1e-9, "joint {link}: {turned}");
    }
}

/// MMD's largest angle grows with the number of the joint, counted from the end.
#[test]
fn the_step_of_mmd_grows_along_the_chain() {
    let options = ccd(1, CcdOptions::mmd(0.05)).with_trace(true);
    let report = solve(&mut spatial(|_, _| {}), TARGET, &options);
    let turns: Vec<_> = report.trace.iter().map(|s| (s.link, s.angle)).collect();
    for ((link, angle), (expected, most)) in turns.into_iter().zip([(2, 0.05), (1, 0.1), (0, 0.15)]) {
        assert!(link == LinkIndex(expected) && (angle - most).abs() < 1e-9, "{link}: {angle}");
    }
}

/// A straight chain whose target is on its line has no axis to turn about, and the document has no remedy.
#[test]
fn nothing_bends_a_straight_chain() {
    let links = vec![
        Link::base(),
        Link::child(LinkIndex(0), DVec3::Y),
        Link::child(LinkIndex(1), DVec3::Y),
        Link::child(LinkIndex(2), DVec3::Y),
    ];
    let mut body = Body::new(links, DAffine3::IDENTITY).unwrap();
    let before = body.clone();
    for method in [Method::Ccd, Method::PseudoInverse] {
        let report = solve(&mut body, DVec3::Y * 1.5, &passes(method, 10).with_trace(true));
        assert!(body == before && report.trace.is_empty() && !report.reached(), "{method}");
    }
}

/// A joint on the way from the base up to a common ancestor rotates the links on the side of the base.
#[test]
fn the_trace_has_the_sign_of_each_joint() {
    let reversed = Link::child(LinkIndex(0), DVec3::Y * -0.3).with_reversed(true);
    let links = vec![
        Link::base(),
        reversed,
        Link::child(LinkIndex(1), DVec3::X * 0.4),
        Link::child(LinkIndex(2), DVec3::X * 0.3),
    ];
    let mut body = Body::new(links, DAffine3::IDENTITY).unwrap();
    let options = ccd(1, CcdOptions::default()).with_trace(true);
    let goal = Goal::position(LinkIndex(3), DVec3::new(0.3, -0.2, 0.4));
    let report = Solver::default().solve(&mut body, &[goal], &options).unwrap().clone();
    let signs: Vec<_> = report.trace.iter().map(|s| (s.link.0, s.sign)).collect();
    assert_eq!(signs, [(2, 1), (1, -1), (0, 1)]);
}
