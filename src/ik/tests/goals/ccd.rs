//! Options of cyclic coordinate descent: the order of the joints, the form and the size of their turns, and the remedies
//! for slow descents.

use glam::{DAffine3, DQuat, DVec3};
use sinew_ik::{Body, CcdOptions, Goal, Limit, Link, LinkIndex, Method, Options, Report};

use super::angle;
use crate::{cases, chain, error, position, report};
use sinew_base::Random;

const DEFAULT: fn() -> CcdOptions = CcdOptions::default;

/// Solves without restarts.
fn solve(body: &mut Body, goal: Goal, ccd: CcdOptions, iterations: usize) -> Report {
    let options = Options::default()
        .with_method(Method::Ccd)
        .with_ccd(ccd)
        .with_iterations(iterations)
        .with_restarts(0);
    report(body, &[goal], &options)
}

/// Returns the angle by which each link has turned, in radians.
fn turns(before: &Body, after: &Body) -> Vec<f64> {
    before.rotations().iter().zip(after.rotations()).map(|(a, b)| angle(*a, *b)).collect()
}

#[test]
fn ccd_respects_direction_steps_and_budgets() {
    let target = DVec3::new(0.5, 0.3, 0.4);
    let solve = |ccd: CcdOptions, iterations| {
        let mut body = chain(5);
        let options = Options::default()
            .with_method(Method::Ccd)
            .with_ccd(ccd)
            .with_iterations(iterations)
            .with_restarts(0);
        let report = report(&mut body, &[Goal::position(LinkIndex(5), target)], &options);
        let start = chain(5);
        let turned = start.rotations().iter().zip(body.rotations()).map(|(a, b)| angle(*a, *b));
        (report, turned.fold(0.0, f64::max), body)
    };
    let default = CcdOptions::default();
    let tip_first = solve(default, 100);
    let base_first = solve(default.with_base_first(true), 100);
    assert!(tip_first.0.reached() && base_first.0.reached());
    assert_ne!(tip_first.2, base_first.2);
    // Test the maximum step of a joint, its budget for the whole solve, and a maximum step that grows along the chain.
    assert!(solve(default.with_step(0.1), 1).1 < 0.1 + 1e-9);
    assert!(solve(default.with_step(0.1), 100).0.reached());
    let spent = solve(default.with_budget(0.2), 100).1;
    assert!(spent > 0.1 && spent < 0.2 + 1e-9, "{spent}");
    let first_pass = solve(CcdOptions::mmd(0.05), 1).1;
    assert!(first_pass > 0.05 && first_pass < 0.25 + 1e-9, "{first_pass}");
}

#[test]
fn ccd_alternates_between_both_orders() {
    let goal = Goal::position(LinkIndex(5), DVec3::new(0.5, 0.3, 0.4));
    let solved = |body: &Body, ccd, iterations| {
        let mut body = body.clone();
        solve(&mut body, goal, ccd, iterations);
        body
    };
    let base_first = DEFAULT().with_base_first(true);
    let alternating = DEFAULT().with_alternating(true);
    // With cones, the general solver handles the problem, even if they allow every rotation.
    for limit in [Limit::Free, sinew_ik::round_cone(DVec3::Y, 3.0, [-3.0, 3.0])] {
        let links = chain(5).links().iter().map(|l| (*l).with_limit(limit)).collect();
        let mut start = Body::new(links, DAffine3::IDENTITY).unwrap();
        (0..5).for_each(|i| start.set_rotation(LinkIndex(i), chain(5).rotations()[i]));
        let expected = solved(&solved(&start, DEFAULT(), 1), base_first, 1);
        let away = turns(&expected, &solved(&start, alternating, 2));
        assert!(away.iter().all(|a| *a < 1e-9), "{limit:?}: {away:?}");
    }
}

#[test]
fn ccd_relaxation_scales_each_turn() {
    let goal = Goal::position(LinkIndex(3), DVec3::new(0.4, 0.5, 0.3));
    let tip = |relaxation| {
        let (start, mut body) = (chain(3), chain(3));
        solve(&mut body, goal, DEFAULT().with_relaxation(relaxation), 1);
        turns(&start, &body)[2]
    };
    // The tip turns first, so its turn does not depend on other joints.
    let whole = tip(1.0);
    assert!(whole > 0.1);
    for relaxation in [0.25, 0.5, 1.5] {
        assert!((tip(relaxation) - relaxation * whole).abs() < 1e-9, "{relaxation}");
    }
    // Values that are out of range are replaced by the nearest valid one.
    for (given, used) in [(0.0, 0.01), (-1.0, 0.01), (f64::NAN, 1.0)] {
        assert!((tip(given) - used * whole).abs() < 1e-9, "{given}");
    }
    assert!((tip(9.0) - tip(1.95)).abs() < 1e-9);
}

/// The tip makes the first turn of a linearised iteration, ω = l × Δp / L².
#[test]
fn linearised_ccd_turns_by_the_cross_product() {
    let target = DVec3::new(0.4, 0.5, 0.3);
    let (start, mut body) = (chain(3), chain(3));
    solve(&mut body, Goal::position(LinkIndex(3), target), DEFAULT().with_linear(true), 1);
    let (joint, end) = (position(&start, 2), position(&start, 3));
    let expected = (end - joint).cross(target - end).length();
    let turned = turns(&start, &body)[2];
    assert!((turned - expected).abs() < 1e-12, "{turned} instead of {expected}");
    // The linearised form also reaches targets when joints have limits.
    for name in ["arm-7", "arm-human"] {
        let arms = cases::arms(50, 3).unwrap();
        let arm = arms.iter().find(|c| c.name == name).unwrap();
        let ccd = DEFAULT().with_linear(true).with_relaxation(1.9);
        let reached = arm.goals.iter().filter(|g| {
            let options = Options::default().with_method(Method::Ccd).with_ccd(ccd).with_iterations(500);
            report(&mut arm.body.clone(), &[**g], &options).reached()
        });
        let count = reached.count();
        assert!(count >= 45, "{name}: {count} of 50");
    }
}

#[test]
fn ccd_respects_the_budget_of_each_joint() {
    let degrees = |budgets: [f64; 5]| {
        let budget = |(i, l): (usize, &Link)| {
            (*l).with_ccd_budget(budgets.get(i).map_or(f64::INFINITY, |b| b.to_radians()))
        };
        let links = chain(5).links().iter().enumerate().map(budget).collect();
        let mut body = Body::new(links, DAffine3::IDENTITY).unwrap();
        (0..5).for_each(|i| body.set_rotation(LinkIndex(i), chain(5).rotations()[i]));
        body
    };
    let goal = Goal::position(LinkIndex(5), DVec3::new(0.5, 0.3, 0.4));
    // As in the example of the founding notes, the joints next to the base do not turn, and the others turn by 30°.
    let start = degrees([0.0, 0.0, 30.0, 30.0, 30.0]);
    for base_first in [false, true] {
        let mut body = start.clone();
        let before = error(&body, &goal);
        let report = solve(&mut body, goal, DEFAULT().with_base_first(base_first), 100);
        let turned = turns(&start, &body);
        assert!(turned[..2].iter().all(|t| *t < 1e-9), "{turned:?}");
        assert!(turned[2..].iter().all(|t| *t <= 30f64.to_radians() + 1e-9), "{turned:?}");
        assert!(turned[2..].iter().any(|t| *t > 29f64.to_radians()), "{turned:?}");
        assert!(report.position_error() < before, "{} from {before}", report.position_error());
    }
    // This also holds for a target out of reach, with restarts.
    for target in [DVec3::new(3.0, 1.0, 0.0), DVec3::new(0.0, -0.9, 0.1)] {
        let (mut body, options) = (start.clone(), Options::default().with_method(Method::Ccd));
        report(&mut body, &[Goal::position(LinkIndex(5), target)], &options);
        let turned = turns(&start, &body);
        assert!(turned[..2].iter().all(|t| *t < 1e-9), "{turned:?}");
        assert!(turned[2..].iter().all(|t| *t <= 30f64.to_radians() + 1e-9), "{turned:?}");
    }
    // Other methods ignore it, and a joint without a budget is not affected.
    let options = Options::default().with_method(Method::Fabrik);
    assert!(report(&mut start.clone(), &[goal], &options).reached());
    assert!(solve(&mut degrees([f64::INFINITY; 5]), goal, DEFAULT(), 100).reached());
}

#[test]
fn early_stop_ends_the_solve_when_the_error_no_longer_falls() {
    // The hinges cannot reach their target, so the error soon stops changing. Restarts do not help.
    let limit = Limit::Hinge { axis: DVec3::Z, min: -0.2, max: 0.2 };
    let half = Link::child(LinkIndex(0), DVec3::X * 0.5).with_limit(limit);
    let links = vec![Link::base().with_limit(limit), half, Link::child(LinkIndex(1), DVec3::X * 0.5)];
    let start = Body::new(links, DAffine3::IDENTITY).unwrap();
    let blocked = |early_stop| {
        let ccd = DEFAULT().with_early_stop(early_stop);
        let options = Options::default().with_method(Method::Ccd).with_ccd(ccd);
        let mut body = start.clone();
        let report = report(&mut body, &[Goal::position(LinkIndex(2), DVec3::new(0.5, 0.8, 0.0))], &options);
        (report.iterations, report.position_error())
    };
    let (stopped, plain) = (blocked(true), blocked(false));
    assert!(stopped.0 <= 10 && stopped.0 < plain.0, "{stopped:?}, {plain:?}");
    assert!((stopped.1 - plain.1).abs() < 1e-9, "{stopped:?}, {plain:?}");
    let goal = Goal::position(LinkIndex(5), DVec3::new(0.5, 0.3, 0.4));
    // A solve whose error falls in every iteration is not affected.
    let solved = |early_stop| {
        let mut body = chain(5);
        let ccd = DEFAULT().with_early_stop(early_stop);
        assert!(solve(&mut body, goal, ccd, 100).reached());
        body
    };
    let away = turns(&solved(true), &solved(false));
    assert!(away.iter().all(|a| *a < 1e-6), "{away:?}");
}

/// Returns a straight leg with a ball joint and a hinge knee, and targets that it reaches.
fn straight_leg(count: usize) -> (Body, Vec<Goal>) {
    let knee = Limit::Hinge { axis: DVec3::X, min: 0.0, max: 150f64.to_radians() };
    let links = vec![
        Link::base(),
        Link::child(LinkIndex(0), DVec3::Y * 0.5).with_limit(knee),
        Link::child(LinkIndex(1), DVec3::Y * 0.5),
    ];
    let body = Body::new(links, DAffine3::IDENTITY).unwrap();
    let (mut posed, mut random) = (body.clone(), Random(7));
    let mut goal = |_| {
        posed.set_rotation(LinkIndex(0), DQuat::from_scaled_axis(random.turn(1.4)));
        posed.set_rotation(LinkIndex(1), DQuat::from_rotation_x(random.range(0.0, 2.6)));
        Goal::position(LinkIndex(2), position(&posed, 2))
    };
    let goals = (0..count).map(&mut goal).collect();
    (body, goals)
}

/// Returns the percentage of the goals that the method reaches from the given pose, and the mean number of iterations.
fn measure(body: &Body, goals: &[Goal], ccd: CcdOptions, tolerance: f64, restarts: usize) -> [f64; 2] {
    let options = Options::default()
        .with_method(Method::Ccd)
        .with_ccd(ccd)
        .with_iterations(500)
        .with_restarts(restarts)
        .with_tolerance(tolerance);
    let (mut reached, mut iterations) = (0, 0);
    for goal in goals {
        let report = report(&mut body.clone(), &[*goal], &options);
        reached += usize::from(report.reached());
        iterations += report.iterations;
    }
    [100.0 * reached as f64, iterations as f64].map(|sum| sum / goals.len() as f64)
}

/// Shows the weaknesses of the method, and checks that the documented remedies remove them. `--nocapture` prints the table of
/// `docs/solvers.md`.
#[test]
fn remedies_remove_the_weaknesses_of_ccd() {
    let free = |joints, set| cases::free(joints, set, 100, 1).unwrap();
    let mut sets: Vec<(Body, Vec<Goal>, f64, usize)> = Vec::new();
    for set in [cases::Set::Reach, cases::Set::Near] {
        sets.extend([3, 10].map(|n| free(n, set)).map(|c| (c.body, c.goals, 1e-5, 8)));
    }
    let arms = cases::arms(100, 1).unwrap().into_iter().chain([cases::limited(2, 100, 1).unwrap()]);
    sets.extend(arms.map(|c| (c.body, c.goals, 1e-4 * c.reach, 8)));
    let (leg, goals) = straight_leg(100);
    sets.push((leg, goals, 1e-4, 0));
    let variants = [
        ("default", DEFAULT()),
        ("base_first", DEFAULT().with_base_first(true)),
        ("alternating", DEFAULT().with_alternating(true)),
        ("relaxation = 0.5", DEFAULT().with_relaxation(0.5)),
        ("relaxation = 1.5", DEFAULT().with_relaxation(1.5)),
        ("extrapolate", DEFAULT().with_extrapolate(true)),
        ("extrapolate, base_first", DEFAULT().with_extrapolate(true).with_base_first(true)),
        ("linear, relaxation = 1.9", DEFAULT().with_linear(true).with_relaxation(1.9)),
    ];
    let rows = variants.map(|(name, ccd)| {
        let row: Vec<[f64; 2]> = sets
            .iter()
            .map(|(body, goals, tolerance, restarts)| measure(body, goals, ccd, *tolerance, *restarts))
            .collect();
        let cells = row.iter().map(|[share, mean]| format!(" {share:.1} %, {mean:.1} |"));
        println!("| {name} |{}", cells.collect::<String>());
        row
    });
    let [near, leg] = [2, sets.len() - 1];
    let share = |variant: usize, set: usize| rows[variant][set][0];
    assert!(share(0, near) < 50.0 && share(0, leg) < 90.0, "the default has no weakness: {rows:?}");
    assert!(share(4, near) >= 65.0 && share(4, leg) >= 93.0, "over-relaxation: {rows:?}");
    // Extrapolation from the base is at least as good as the default everywhere.
    for set in 0..sets.len() {
        assert!(share(6, set) >= share(0, set).max(98.0), "extrapolation, set {set}: {rows:?}");
    }
}

#[cfg(feature = "serde")]
#[test]
fn ccd_options_survive_a_round_trip_and_old_files_are_read() {
    let all = CcdOptions::default()
        .with_base_first(true)
        .with_alternating(true)
        .with_step(0.1)
        .with_budget(0.7)
        .with_growing(true)
        .with_relaxation(1.5)
        .with_linear(true)
        .with_extrapolate(true)
        .with_early_stop(true);
    for ccd in [all, DEFAULT(), CcdOptions::mmd(0.05)] {
        let text = serde_json::to_string(&ccd).unwrap();
        assert_eq!(serde_json::from_str::<CcdOptions>(&text).unwrap(), ccd, "{text}");
    }
    let old = r#"{"base_first": true, "step": 0.25, "budget": null, "growing": false}"#;
    let expected = DEFAULT().with_base_first(true).with_step(0.25);
    assert_eq!(serde_json::from_str::<CcdOptions>(old).unwrap(), expected);
}
