//! Invalid weights and tolerances cause errors that name the field.

use super::*;

const BAD_WEIGHTS: [f64; 4] = [-1.0, -1e-300, f64::NAN, f64::INFINITY];
const BAD_TOLERANCES: [f64; 4] = [0.0, -0.1, f64::NAN, f64::NEG_INFINITY];

fn error(axes: GoalAxes, weight: f64) -> Option<SolveError> {
    let goal = Goal::pose(LinkIndex(3), DVec3::Y * 0.5, DQuat::IDENTITY).with_axes(axes).with_weight(weight);
    let (start, mut body) = (chain(3), chain(3));
    let error = Solver::default().solve(&mut body, &[goal], &Options::default()).err();
    assert_eq!(error, Options::default().refusal(&start, &[goal]));
    assert!(error.is_none() || start == body, "the body turned despite the error");
    error
}

fn assert_field(axes: GoalAxes, field: &str) {
    match error(axes, 1.0) {
        Some(SolveError::Goal { goal: 0, what, .. }) => assert_eq!(what, field),
        other => panic!("{axes:?}: {other:?}"),
    }
}

/// Calls `check` for each of the two terms of a goal, with the first word of its field names.
fn each_term(check: impl Fn(&dyn Fn(AxisTerm) -> GoalAxes, &str)) {
    check(&|position| GoalAxes { position, ..GoalAxes::default() }, "position");
    check(&|orientation| GoalAxes { orientation, ..GoalAxes::default() }, "orientation");
}

#[test]
fn weights_must_be_finite_and_not_negative() {
    each_term(|with, name| {
        for bad in BAD_WEIGHTS {
            for axis in 0..3 {
                let mut values = DVec3::ONE;
                values[axis] = bad;
                assert_field(with(term(values)), &format!("{name} weights"));
            }
        }
        // The product with the weight of the goal overflows.
        assert!(error(with(AxisTerm::weighted(1e200)), 1e200).is_some());
        assert_eq!(error(with(AxisTerm::weighted(1e200)), 1.0), None);
        assert_eq!(error(with(AxisTerm::weighted(0.0)), 1.0), None);
    });
}

#[test]
fn tolerances_must_be_positive() {
    each_term(|with, name| {
        let with_tolerance = |tolerance| AxisTerm { tolerance: Some(tolerance), ..AxisTerm::default() };
        let field = format!("{name} tolerance");
        for bad in BAD_TOLERANCES {
            assert_field(with(with_tolerance(Tolerance::Norm(bad))), &field);
            for axis in 0..3 {
                let mut values = DVec3::ONE;
                values[axis] = bad;
                assert_field(with(with_tolerance(Tolerance::Axes(values))), &field);
            }
        }
        assert_field(with(with_tolerance(Tolerance::Norm(f64::INFINITY))), &field);
        assert_eq!(error(with(with_tolerance(Tolerance::Axes(DVec3::INFINITY))), 1.0), None);
    });
}

#[test]
fn axes_of_the_target_need_an_orientation() {
    let axes = GoalAxes { frame: AxesFrame::Target, ..GoalAxes::default() };
    let goal = Goal::position(LinkIndex(3), DVec3::Y).with_axes(axes);
    let error = Solver::default().solve(&mut chain(3), &[goal], &Options::default()).unwrap_err();
    let message = "goal 0: the frame of the axes must be the world's for a goal without an orientation, but is that \
                   of the target";
    assert_eq!(error.to_string(), message);
}

#[test]
fn the_characteristic_length_must_be_positive() {
    for value in [0.0, -0.3, f64::NAN, f64::INFINITY] {
        let options = Options::default().with_characteristic_length(value);
        let goal = Goal::position(LinkIndex(3), DVec3::Y * 0.5);
        let error = Solver::default().solve(&mut chain(3), &[goal], &options).unwrap_err();
        let SolveError::CharacteristicLength { value: reported } = error else { panic!("{error}") };
        assert_eq!(reported.to_bits(), value.to_bits());
    }
}
