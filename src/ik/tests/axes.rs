//! Weights, free axes and tolerances of goals.

use glam::{DAffine3, DQuat, DVec3};
use sinew_ik::{
    AxesFrame, AxisTerm, Body, Goal, GoalAxes, Limit, Link, LinkIndex, Method, Options, Outcome, SolveError,
    Solver, Tolerance,
};

use crate::{chain, chain_methods, position, report};
use sinew_base::Random;

mod invalid;
mod tolerances;

/// Methods that can weigh axes differently and converge quickly.
const WEIGHING: [Method; 5] =
    [Method::PseudoInverse, Method::Dls, Method::Sdls, Method::Optimize, Method::FullBody];

/// Maximum difference of a joint between results that count as equal, in radians. Rounding of the targets alone causes smaller
/// differences.
const SAME: f64 = 1e-6;

fn options(method: Method) -> Options {
    Options::default().with_method(method).with_iterations(400)
}

fn term(weights: DVec3) -> AxisTerm {
    AxisTerm { weights, ..AxisTerm::default() }
}

fn position_axes(weights: DVec3) -> GoalAxes {
    GoalAxes { position: term(weights), ..GoalAxes::default() }
}

fn orientation_axes(frame: AxesFrame, weights: DVec3) -> GoalAxes {
    GoalAxes { frame, orientation: term(weights), ..GoalAxes::default() }
}

/// Returns a chain of six joints in a random pose, and a random, reachable pose of its end.
fn case(random: &mut Random) -> (Body, DVec3, DQuat) {
    let mut body = chain(6);
    let mut bend = |size: f64, random: &mut Random| {
        (0..7).for_each(|i| body.set_rotation(LinkIndex(i), DQuat::from_scaled_axis(random.turn(size))));
        (position(&body, 6), body.orientation(LinkIndex(6)).unwrap())
    };
    let (place, turn) = bend(0.7, random);
    bend(0.4, random);
    (body, place, turn)
}

/// Returns the largest angle between the rotations of two poses.
fn apart(a: &Body, b: &Body) -> f64 {
    let pairs = a.rotations().iter().zip(b.rotations());
    let angle = |(a, b): (&DQuat, &DQuat)| 2.0 * (a.conjugate() * *b).xyz().length().min(1.0).asin();
    pairs.map(angle).fold(0.0, f64::max)
}

/// Solves and checks that the goal is reached.
fn reached(start: &Body, goal: Goal, options: &Options, name: &str) -> Body {
    let mut body = start.clone();
    let report = report(&mut body, &[goal], options);
    assert!(report.reached(), "{name}, {}: {report:?}", options.method);
    body
}

#[test]
fn a_free_axis_of_the_position_never_costs() {
    let mut random = Random(11);
    for number in 0..40 {
        let (start, place, _) = case(&mut random);
        let axes = position_axes(DVec3::new(1.0, 0.0, 1.0));
        let (far, name) = (random.range(-5.0, 5.0), format!("case {number}"));
        for method in chain_methods().filter(|m| *m != Method::JacobianTranspose) {
            let solve = |y: f64| {
                let goal = Goal::position(LinkIndex(6), DVec3::new(place.x, y, place.z)).with_axes(axes);
                reached(&start, goal, &options(method), &name)
            };
            let (near, far) = (solve(place.y), solve(far));
            let end = position(&far, 6);
            let beside = DVec3::new(end.x - place.x, 0.0, end.z - place.z).length();
            assert!(beside <= 1.001e-4, "{method}, {name}: {beside}");
            assert!(apart(&near, &far) < SAME, "{method}, {name}: {}", apart(&near, &far));
        }
    }
}

#[test]
fn a_free_axis_of_the_orientation_never_costs() {
    let mut random = Random(12);
    for number in 0..30 {
        let (start, place, turn) = case(&mut random);
        let angle = random.range(-3.0, 3.0);
        let name = format!("case {number}");
        for frame in [AxesFrame::World, AxesFrame::Target] {
            let about_y = DQuat::from_rotation_y(angle);
            let other = if frame == AxesFrame::World { about_y * turn } else { turn * about_y };
            let axes = orientation_axes(frame, DVec3::new(1.0, 0.0, 1.0));
            // The axis of the link that must point in the same direction as in the target.
            let axis = if frame == AxesFrame::World { turn.conjugate() * DVec3::Y } else { DVec3::Y };
            for method in [Method::Dls, Method::Ccd, Method::Fabrik, Method::Particle, Method::FullBody] {
                let solve = |turn: DQuat| {
                    let goal = Goal::pose(LinkIndex(6), place, turn).with_axes(axes);
                    reached(&start, goal, &options(method), &name)
                };
                let (one, two) = (solve(turn), solve(other));
                let tilt = (two.orientation(LinkIndex(6)).unwrap() * axis).angle_between(turn * axis);
                assert!(tilt < 1.001e-3, "{method}, {frame:?}, {name}: {tilt}");
                assert!(apart(&one, &two) < SAME, "{method}, {frame:?}, {name}: {}", apart(&one, &two));
            }
        }
    }
}

#[test]
fn a_single_axis_of_the_orientation_can_be_kept() {
    let mut random = Random(13);
    for number in 0..30 {
        let (start, place, turn) = case(&mut random);
        let axes = orientation_axes(AxesFrame::World, DVec3::Y);
        let goal = Goal::pose(LinkIndex(6), place, turn).with_axes(axes);
        for method in [Method::Dls, Method::Ccd, Method::Fabrik, Method::Particle, Method::FullBody] {
            let body = reached(&start, goal, &options(method), &format!("case {number}"));
            let rest = turn * body.orientation(LinkIndex(6)).unwrap().conjugate();
            let twist = 2.0 * rest.y.atan2(rest.w);
            let twist = twist - (twist / std::f64::consts::TAU).round() * std::f64::consts::TAU;
            assert!(twist.abs() <= 1.001e-3, "{method}, case {number}: {twist}");
        }
    }
}

#[test]
fn axes_of_the_target_slide_in_its_plane() {
    let mut random = Random(14);
    for _ in 0..20 {
        let (start, place, turn) = case(&mut random);
        // The orientation of the goal only defines the plane.
        let axes =
            GoalAxes { frame: AxesFrame::Target, position: term(DVec3::Y), orientation: term(DVec3::ZERO) };
        for method in [Method::Dls, Method::Ccd, Method::Fabrik, Method::Particle, Method::Optimize] {
            for along in [DVec3::ZERO, DVec3::new(0.8, 0.0, -2.0)] {
                let goal = Goal::pose(LinkIndex(6), place + turn * along, turn).with_axes(axes);
                let body = reached(&start, goal, &options(method), "plane");
                let height = (position(&body, 6) - place).dot(turn * DVec3::Y);
                assert!(height.abs() <= 1.001e-4, "{method}: {height}");
            }
        }
    }
}

#[test]
fn weights_per_axis_give_the_least_squares_compromise() {
    let mut random = Random(15);
    for number in 0..10 {
        let (start, place, _) = case(&mut random);
        let other = place + random.turn(0.05);
        let mut positive =
            || DVec3::new(random.range(0.2, 2.0), random.range(0.2, 2.0), random.range(0.2, 2.0));
        let (a, b) = (positive(), positive());
        let expected = (a * place + b * other) / (a + b);
        for method in WEIGHING {
            let goals = [(place, a), (other, b)]
                .map(|(at, weights)| Goal::position(LinkIndex(6), at).with_axes(position_axes(weights)));
            let mut body = start.clone();
            report(&mut body, &goals, &options(method));
            let off = position(&body, 6).distance(expected);
            assert!(off < 2e-3, "{method}, case {number}: {off}");
        }
    }
}

/// Returns a hinge about +Z with a link of one metre along +Y, and the limits of its angle.
fn hinge(limit: f64) -> Body {
    let limit = Limit::Hinge { axis: DVec3::Z, min: -limit, max: limit };
    let links = vec![Link::base().with_limit(limit), Link::child(LinkIndex(0), DVec3::Y)];
    Body::new(links, DAffine3::IDENTITY).unwrap()
}

#[test]
fn position_and_orientation_trade_off_by_their_weights_and_the_characteristic_length() {
    // Both angles are so small that the arc equals its chord.
    let (alpha, beta) = (0.01, -0.02);
    let turn = DQuat::from_rotation_z;
    for (position, orientation, characteristic_length) in
        [(1.0, 1.0, 0.3), (1.0, 1.0, 1.0), (0.1, 1.0, 0.3), (5.0, 0.5, 2.0), (1.0, 0.0, 0.3)]
    {
        let expected = {
            let [w, v] = [position, orientation * characteristic_length * characteristic_length];
            (w * alpha + v * beta) / (w + v)
        };
        let axes = GoalAxes {
            position: AxisTerm::weighted(position),
            orientation: AxisTerm::weighted(orientation),
            ..GoalAxes::default()
        };
        let goal = Goal::pose(LinkIndex(1), turn(alpha) * DVec3::Y, turn(beta)).with_axes(axes);
        // The goal applies to the hinge with an offset, so that the end cannot turn by itself.
        let goal = goal.with_link(LinkIndex(0)).with_offset(DVec3::Y);
        for method in WEIGHING {
            let options = options(method).with_characteristic_length(characteristic_length);
            let mut body = hinge(3.0);
            report(&mut body, &[goal], &options);
            let angle = 2.0 * body.rotations()[0].z.atan2(body.rotations()[0].w);
            assert!(
                (angle - expected).abs() < 1e-4,
                "{method}, {position}, {orientation}, {characteristic_length}: {angle} and not {expected}"
            );
        }
    }
}

#[test]
fn limits_block_only_axes_that_count() {
    let outcome = |x: f64, weights: DVec3| {
        let goal = Goal::position(LinkIndex(1), DVec3::new(x, 0.8, 0.0)).with_axes(position_axes(weights));
        let mut body = hinge(0.5);
        body.set_rotation(LinkIndex(0), DQuat::from_rotation_z(0.1));
        report(&mut body, &[goal], &options(Method::Dls)).goals[0].outcome
    };
    // The hinge reaches x from -0.48 to 0.48, and a y of 0.88 or more.
    assert_eq!(outcome(-0.6, DVec3::ONE), Outcome::BlockedByLimits);
    assert_eq!(outcome(-0.6, DVec3::X), Outcome::BlockedByLimits);
    assert_eq!(outcome(-0.4, DVec3::X), Outcome::Reached);
    assert_eq!(outcome(-0.4, DVec3::Y), Outcome::BlockedByLimits);
    assert_eq!(outcome(-0.6, DVec3::Z), Outcome::Reached);
}

/// Free axes are axes of the world, even if the base is rotated, mirrored, or scaled evenly or unevenly.
#[test]
fn the_placement_of_the_body_does_not_matter() {
    let mut random = Random(16);
    for number in 0..40 {
        let (mut start, ..) = case(&mut random);
        let scales = [DVec3::splat(100.0), DVec3::new(-2.0, 2.0, 2.0), DVec3::new(2.0, 0.7, 1.2)];
        let scale = scales[number % 3];
        let turn = DQuat::from_scaled_axis(random.turn(2.0));
        let above = DAffine3::from_scale_rotation_translation(scale, turn, random.turn(1.0));
        start.place(above, turn).unwrap();
        let target = {
            let mut other = start.clone();
            (0..7).for_each(|i| other.set_rotation(LinkIndex(i), DQuat::from_scaled_axis(random.turn(0.5))));
            (position(&other, 6), other.orientation(LinkIndex(6)).unwrap())
        };
        let axes = GoalAxes {
            position: term(DVec3::new(1.0, 0.0, 1.0)),
            orientation: term(DVec3::new(1.0, 0.0, 1.0)),
            ..GoalAxes::default()
        };
        let lifted = target.0 + DVec3::Y * 0.3 * scale.abs().min_element();
        let goal = Goal::pose(LinkIndex(6), lifted, DQuat::from_rotation_y(1.0) * target.1).with_axes(axes);
        for method in [Method::Dls, Method::Optimize, Method::FullBody] {
            let body = reached(&start, goal, &options(method), &format!("case {number}"));
            let off = (position(&body, 6) - target.0) * DVec3::new(1.0, 0.0, 1.0);
            assert!(off.length() < 2e-4 * scale.abs().max_element(), "{method}, case {number}: {off}");
            let up = target.1.conjugate() * DVec3::Y;
            let tilt = (body.orientation(LinkIndex(6)).unwrap() * up).angle_between(DVec3::Y);
            assert!(tilt < 1.001e-3, "{method}, case {number}: {tilt}");
        }
    }
}

#[test]
fn a_pin_may_slide() {
    for slide in [DVec3::X, DVec3::Z] {
        let mut body = chain(8);
        let place = position(&body, 4);
        let turn = body.orientation(LinkIndex(4)).unwrap();
        let axes = GoalAxes {
            position: term(DVec3::ONE - slide),
            orientation: term(DVec3::ZERO),
            ..GoalAxes::default()
        };
        let pin = Goal::pin(LinkIndex(4), place, turn).with_axes(axes);
        let goal = Goal::position(LinkIndex(8), place + slide * 0.3 + DVec3::Y * 0.3);
        let report = report(&mut body, &[pin, goal], &options(Method::FullBody));
        assert!(report.reached(), "{report:?}");
        let moved = position(&body, 4) - place;
        assert!((moved * (DVec3::ONE - slide)).length() < 1e-5, "{moved}");
        assert!((report.goals[0].full_position_error.unwrap() - moved.length()).abs() < 1e-9);
    }
}

#[test]
fn weights_that_are_equal_on_all_axes_are_the_weight_of_the_goal() {
    let (a, b) = (DVec3::new(0.5, 0.3, 0.2), DVec3::new(-0.2, 0.5, 0.1));
    for method in chain_methods() {
        let solve = |goals: [Goal; 2]| {
            let mut body = chain(6);
            report(&mut body, &goals, &options(method));
            body
        };
        let by_weight =
            solve([Goal::position(LinkIndex(6), a).with_weight(0.25), Goal::position(LinkIndex(3), b)]);
        let axes = position_axes(DVec3::splat(0.25));
        let by_axes =
            solve([Goal::position(LinkIndex(6), a).with_axes(axes), Goal::position(LinkIndex(3), b)]);
        assert_eq!(by_weight, by_axes, "{method}");
    }
}

#[test]
fn methods_that_move_effectors_as_a_whole_reject_uneven_weights() {
    let uneven = |why, method| Err(SolveError::Unsuited { method, why });
    let axes = position_axes(DVec3::new(1.0, 0.5, 1.0));
    let place = DVec3::new(0.4, 0.4, 0.3);
    for method in [Method::Ccd, Method::Particle, Method::Fabrik] {
        let why = "axes that are not free must have equal weights";
        let solved = |axes| {
            let goal = Goal::pose(LinkIndex(6), place, DQuat::IDENTITY).with_axes(axes);
            Solver::default().solve(&mut chain(6), &[goal], &options(method)).map(|_| ())
        };
        assert_eq!(solved(axes), uneven(why, method));
        let turned = orientation_axes(AxesFrame::World, DVec3::new(0.0, 1.0, 2.0));
        assert_eq!(solved(turned), uneven(why, method));
        assert_eq!(solved(position_axes(DVec3::new(1.0, 0.0, 1.0))), Ok(()));
    }
    let limb = |method| {
        let goal = Goal::position(LinkIndex(2), place).with_axes(position_axes(DVec3::new(1.0, 0.0, 1.0)));
        Solver::default().solve(&mut chain(2), &[goal], &options(method)).map(|report| report.method)
    };
    let why = "the axes of the position must have equal weights above zero";
    assert_eq!(limb(Method::TwoBone), Err(SolveError::Unsuited { method: Method::TwoBone, why }));
    assert_eq!(limb(Method::Auto), Ok(Method::Dls));
    let turned = |orientation, method| {
        let axes = orientation_axes(AxesFrame::World, orientation);
        let goal = Goal::pose(LinkIndex(2), place, DQuat::from_rotation_y(1.0)).with_axes(axes);
        Solver::default().solve(&mut chain(2), &[goal], &options(method)).map(|report| report.method)
    };
    let uneven = DVec3::new(0.0, 1.0, 2.0);
    let why = "axes that are not free must have equal weights";
    assert_eq!(turned(uneven, Method::TwoBone), Err(SolveError::Unsuited { method: Method::TwoBone, why }));
    assert_eq!(turned(uneven, Method::Auto), Ok(Method::Dls));
    assert_eq!(turned(DVec3::new(1.0, 0.0, 1.0), Method::Auto), Ok(Method::TwoBone));
}

#[test]
fn the_end_of_a_limb_stays_level_and_keeps_its_heading() {
    let place = DVec3::new(0.4, 0.4, 0.3);
    let mut headings = Vec::new();
    for angle in [0.0, 1.0, -2.5] {
        let axes = orientation_axes(AxesFrame::World, DVec3::new(1.0, 0.0, 1.0));
        let goal = Goal::pose(LinkIndex(2), place, DQuat::from_rotation_y(angle)).with_axes(axes);
        let body = reached(&chain(2), goal, &options(Method::TwoBone), "limb");
        let turned = body.orientation(LinkIndex(2)).unwrap();
        assert!((turned * DVec3::Y).angle_between(DVec3::Y) < 1e-6, "{turned}");
        headings.push(turned * DVec3::X);
    }
    assert!(headings.iter().all(|h| h.distance(headings[0]) < 1e-9), "{headings:?}");
}
