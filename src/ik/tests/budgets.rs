//! Every method obeys the iteration limit and the tolerances.

use glam::{DAffine3, DQuat, DVec3};
use sinew_ik::{Body, Goal, Limit, Link, LinkIndex, Method, Options, Outcome, Report, Solver};

use crate::{chain, error, report};

/// Problems for all methods: a body, its goals, and a name.
fn problems() -> Vec<(&'static str, Body, Vec<Goal>)> {
    let turn = DQuat::from_rotation_x(0.7) * DQuat::from_rotation_z(0.3);
    let arm = crate::limits::arm;
    let hinge = Limit::Hinge { axis: DVec3::X, min: 0.0, max: 2.5 };
    let links = vec![
        Link::base(),
        Link::child(LinkIndex(0), DVec3::Y * 0.5).with_limit(hinge),
        Link::child(LinkIndex(1), DVec3::Y * 0.4),
    ];
    let limb = Body::new(links, DAffine3::IDENTITY).unwrap();
    let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    vec![
        ("free", chain(5), vec![Goal::position(LinkIndex(5), at(0.5, 0.3, 0.2))]),
        ("free and far", chain(5), vec![Goal::position(LinkIndex(5), at(1.5, 0.3, 0.2))]),
        ("free and near full stretch", chain(5), vec![Goal::position(LinkIndex(5), at(0.9, 0.4, 0.1))]),
        ("free limb", chain(2), vec![Goal::position(LinkIndex(2), at(0.5, 0.3, 0.2))]),
        ("free pose", chain(5), vec![Goal::pose(LinkIndex(5), at(0.5, 0.3, 0.2), turn)]),
        (
            "two goals",
            chain(6),
            vec![
                Goal::position(LinkIndex(3), at(0.3, 0.2, 0.1)),
                Goal::position(LinkIndex(6), at(0.5, 0.3, 0.2)),
            ],
        ),
        ("limited", arm(), vec![Goal::position(LinkIndex(3), at(0.3, 0.5, 0.4))]),
        ("limited and blocked", arm(), vec![Goal::position(LinkIndex(3), at(0.0, -0.8, 0.0))]),
        ("limited and far", arm(), vec![Goal::position(LinkIndex(3), at(0.9, 1.2, 0.4))]),
        ("limited pose", arm(), vec![Goal::pose(LinkIndex(3), at(0.3, 0.5, 0.4), turn)]),
        ("limited limb", limb, vec![Goal::position(LinkIndex(2), at(0.3, 0.5, 0.2))]),
        ("an axis", arm(), vec![Goal::orientation(LinkIndex(3), turn)]),
    ]
}

/// Calls a function with each problem that a method accepts.
fn each_problem(mut check: impl FnMut(&str, Method, &Body, &[Goal])) {
    for (name, body, goals) in problems() {
        for method in Method::all().filter(|m| *m != Method::Style) {
            let options = Options::default().with_method(method);
            if options.refusal(&body, &goals).is_none() {
                check(&format!("{name}, {method}"), method, &body, &goals);
            }
        }
    }
}

fn solve(body: &Body, goals: &[Goal], options: &Options) -> (Report, Body) {
    let mut posed = body.clone();
    let report = report(&mut posed, goals, options);
    (report, posed)
}

#[test]
fn no_method_exceeds_its_iterations() {
    each_problem(|name, method, body, goals| {
        for restarts in [0, 8] {
            for record in [false, true] {
                let mut counts = Vec::new();
                for iterations in [0, 1, 3, 10, 100] {
                    let options = Options::default().with_method(method).with_restarts(restarts);
                    let options = options.with_iterations(iterations).with_record(record);
                    let (report, posed) = solve(body, goals, &options);
                    let name = format!("{name}, {restarts} restarts, {iterations} iterations");
                    assert!(report.iterations <= iterations, "{name}: {}", report.iterations);
                    if iterations == 0 {
                        assert_eq!(&posed, body, "{name}");
                        assert!(!report.reached(), "{name}");
                    }
                    let spent = report.iterations == iterations;
                    let ended = report.goals.iter().all(|g| g.outcome != Outcome::IterationLimit);
                    assert!(spent || ended, "{name}: {report:?}");
                    counts.push((iterations, report.iterations, posed));
                }
                for ((limit, used, posed), (_, more, next)) in counts.iter().zip(counts.iter().skip(1)) {
                    // A solve that ends before the limit ends in the same way with a higher limit. A solve that reached the limit
                    // continues.
                    if used < limit {
                        assert_eq!((used, posed), (more, next), "{name}, {restarts} restarts after {limit}");
                    } else {
                        assert!(more >= used, "{name}, {restarts} restarts after {limit}: {more}");
                    }
                }
            }
        }
    });
}

/// Returns whether a goal is within tolerances, using the body's own forward kinematics.
fn is_within(body: &Body, goal: &Goal, metres: f64, radians: f64) -> bool {
    let turned = goal.orientation.zip(body.orientation(goal.link));
    let angle = turned.map_or(0.0, |(target, at)| {
        let away = target * at.conjugate();
        2.0 * away.xyz().length().atan2(away.w.abs())
    });
    error(body, goal) <= metres && angle <= radians
}

#[test]
fn goals_are_reached_where_they_are_within_tolerance() {
    each_problem(|name, method, body, goals| {
        for tolerance in [0.3, 0.03, 1e-3, 1e-5] {
            for angle in [1.0, 0.03, 1e-4] {
                for restarts in [0, 8] {
                    let options = Options::default().with_method(method).with_restarts(restarts);
                    let options = options.with_tolerance(tolerance).with_angle_tolerance(angle);
                    let (report, posed) = solve(body, goals, &options);
                    for (goal, result) in goals.iter().zip(&report.goals) {
                        let within = is_within(&posed, goal, tolerance, angle);
                        let is_reached = result.outcome == Outcome::Reached;
                        assert_eq!(is_reached, within, "{name}, {tolerance} m, {angle} rad: {report:?}");
                    }
                }
            }
        }
    });
}

/// A tolerance that is a hundred times larger must not make a solve longer.
#[test]
fn a_looser_tolerance_ends_no_later() {
    each_problem(|name, method, body, goals| {
        let mut last = usize::MAX;
        for tolerance in [1e-6, 1e-4, 1e-2, 1.0] {
            let options = Options::default().with_method(method).with_iterations(200).with_restarts(0);
            let options = options.with_tolerance(tolerance).with_angle_tolerance(tolerance);
            let (report, _) = solve(body, goals, &options);
            assert!(report.iterations <= last, "{name}, {tolerance}: {} after {last}", report.iterations);
            last = report.iterations;
        }
        // Both tolerances apply, independently of each other.
        let solve = |tolerance: f64, angle: f64| {
            let options = Options::default().with_method(method).with_restarts(0);
            solve(body, goals, &options.with_tolerance(tolerance).with_angle_tolerance(angle)).0.iterations
        };
        let exact = solve(1e-4, 1e-4);
        assert!(solve(1e-4, 0.1) <= exact && solve(0.1, 1e-4) <= exact, "{name}: {exact}");
    });
}

#[test]
fn solvers_that_continue_obey_the_iterations_of_each_frame() {
    for method in Method::all().filter(|m| *m != Method::Style) {
        for body in [chain(2), chain(5), crate::limits::arm()] {
            let end = body.links().len() - 1;
            let options = Options::default().with_method(method).with_start(sinew_ik::Start::Continue);
            let (mut solver, mut posed) = (Solver::default(), body.clone());
            for frame in 0..20_u32 {
                let angle = 0.1 * f64::from(frame);
                let goal =
                    Goal::position(LinkIndex(end), DVec3::new(0.6 * angle.cos(), 0.5, 0.6 * angle.sin()));
                let options = options.with_iterations(frame as usize % 4);
                if options.refusal(&body, &[goal]).is_some() {
                    continue;
                }
                let report = solver.solve(&mut posed, &[goal], &options).unwrap();
                assert!(report.iterations <= options.iterations, "{method}, {frame}: {report:?}");
            }
        }
    }
}

/// Regression: beyond the reach, the search among random poses continued after the last iteration.
#[test]
fn restarts_take_no_more_iterations() {
    let mut body = crate::limits::arm();
    body.set_rotation(LinkIndex(1), DQuat::from_rotation_x(0.4));
    let goal = Goal::position(LinkIndex(3), DVec3::new(0.9, -1.2, 0.4));
    for method in crate::chain_methods() {
        let posed = |restarts: usize| {
            let options = Options::default().with_method(method).with_iterations(1).with_restarts(restarts);
            solve(&body, &[goal], &options).1
        };
        assert_eq!(posed(0), posed(8), "{method}");
    }
}
