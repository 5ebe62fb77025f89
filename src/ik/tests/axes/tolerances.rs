//! Tolerances of goals, per axis where needed.

use super::*;

#[test]
fn tolerances_decide_what_counts_as_reached() {
    // The chain ends 5 cm below the target.
    let target = DVec3::Y * 1.05;
    let inf = f64::INFINITY;
    for (tolerance, expected) in [
        (None, Outcome::OutOfReach),
        (Some(Tolerance::Norm(0.04)), Outcome::OutOfReach),
        (Some(Tolerance::Norm(0.06)), Outcome::Reached),
        (Some(Tolerance::Axes(DVec3::new(1e-3, 0.06, 1e-3))), Outcome::Reached),
        (Some(Tolerance::Axes(DVec3::new(0.06, 0.04, 0.06))), Outcome::OutOfReach),
        (Some(Tolerance::Axes(DVec3::new(1e-3, inf, 1e-3))), Outcome::Reached),
    ] {
        for method in [Method::Dls, Method::Ccd, Method::Fabrik, Method::Particle, Method::FullBody] {
            let term = AxisTerm { tolerance, ..AxisTerm::default() };
            let axes = GoalAxes { position: term, ..GoalAxes::default() };
            let mut body = chain(6);
            let report =
                report(&mut body, &[Goal::position(LinkIndex(6), target).with_axes(axes)], &options(method));
            assert_eq!(report.goals[0].outcome, expected, "{method}, {tolerance:?}: {report:?}");
            // The reported error includes free axes.
            let (error, full) = (target - position(&body, 6), report.goals[0].full_position_error);
            assert!((full.unwrap() - error.length()).abs() < 1e-9, "{method}: {report:?}");
            let is_free = tolerance.is_some_and(|t| matches!(t, Tolerance::Axes(axes) if axes.y == inf));
            let counted = if is_free { DVec3::new(error.x, 0.0, error.z).length() } else { error.length() };
            assert!((report.position_error() - counted).abs() < 1e-9, "{method}: {report:?}");
        }
    }
}

#[test]
fn tolerances_of_the_orientation_may_differ_per_axis() {
    // The hinge cannot turn about x.
    let target = DQuat::from_rotation_x(0.1);
    for (most, expected) in [
        (DVec3::new(0.2, 1e-3, 1e-3), Outcome::Reached),
        (DVec3::new(0.05, 0.2, 0.2), Outcome::Stalled),
        (DVec3::new(f64::INFINITY, 1e-3, 1e-3), Outcome::Reached),
    ] {
        let orientation = AxisTerm { tolerance: Some(Tolerance::Axes(most)), ..AxisTerm::default() };
        let axes = GoalAxes { orientation, ..GoalAxes::default() };
        let mut body = hinge(3.0);
        let report = report(
            &mut body,
            &[Goal::orientation(LinkIndex(0), target).with_axes(axes)],
            &options(Method::Dls),
        );
        assert_eq!(report.goals[0].outcome, expected, "{most}: {report:?}");
        let goal = report.goals[0];
        assert!((goal.full_orientation_error.unwrap() - 0.1).abs() < 1e-2, "{most}: {goal:?}");
        assert_eq!(goal.orientation_error.unwrap() < 1e-3, most.x == f64::INFINITY, "{most}: {goal:?}");
    }
}

#[test]
fn the_tolerance_of_a_goal_replaces_that_of_the_options() {
    let target = DVec3::new(0.4, 0.5, 0.2);
    for method in [Method::Dls, Method::Ccd] {
        let iterations = |goal: Option<f64>, all: f64| {
            let position = AxisTerm { tolerance: goal.map(Tolerance::Norm), ..AxisTerm::default() };
            let goal =
                Goal::position(LinkIndex(6), target).with_axes(GoalAxes { position, ..GoalAxes::default() });
            let options = options(method).with_tolerance(all);
            report(&mut chain(6), &[goal], &options).iterations
        };
        let (coarse, fine) = (iterations(None, 0.05), iterations(None, 1e-6));
        assert!(coarse < fine, "{method}");
        assert_eq!(iterations(Some(0.05), 1e-6), coarse, "{method}");
        assert_eq!(iterations(Some(1e-6), 0.05), fine, "{method}");
    }
}
