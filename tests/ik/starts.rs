//! Where a solve starts: a solver keeps no memory unless a drag asks for it, and a used solver restarts like a new one.

use std::sync::{Arc, LazyLock};

use glam::{DAffine3, DQuat, DVec3};
use proptest::prelude::*;
use sinew::ik::{
    Body, BoundPrior, Goal, Learning, Limit, Link, Method, Options, Posture, Report, Solver, Start, Style,
};

use crate::random::Random;
use crate::{chain, position};

/// A hinge of a robot arm in the convention of Denavit and Hartenberg (1955): the offset a along x, the offset d along
/// the joint's axis, the angle α about x to the next axis, and the range of the joint.
pub(crate) type Row = (f64, f64, f64, [f64; 2]);

const FULL: [f64; 2] = [-std::f64::consts::PI, std::f64::consts::PI];

/// An arm with the dimensions of a UR5, in metres. The elbow and the shoulder have a range that matters.
pub(crate) const UR5: [Row; 6] = [
    (0.0, 0.089_159, std::f64::consts::FRAC_PI_2, FULL),
    (-0.425, 0.0, 0.0, [-2.9, 2.9]),
    (-0.392_25, 0.0, 0.0, [-2.8, 2.8]),
    (0.0, 0.109_15, std::f64::consts::FRAC_PI_2, FULL),
    (0.0, 0.094_65, -std::f64::consts::FRAC_PI_2, FULL),
    (0.0, 0.082_3, 0.0, FULL),
];

/// Returns the arm with these hinges, all at zero. Every hinge turns about its own z axis.
pub(crate) fn arm(rows: &[Row]) -> Body {
    let (mut links, mut offset, mut rest): (Vec<Link>, _, _) = (Vec::new(), DVec3::ZERO, DQuat::IDENTITY);
    for (i, &(a, d, alpha, [min, max])) in rows.iter().enumerate() {
        let limit = Limit::Hinge { axis: DVec3::Z, min, max };
        links.push(Link { parent: i.checked_sub(1), offset, rest, limit, ..Link::base() });
        (offset, rest) = (DVec3::new(a, 0.0, d), DQuat::from_rotation_x(alpha));
    }
    links.push(Link { rest, ..Link::child(rows.len() - 1, offset) });
    Body::new(links, DAffine3::IDENTITY).unwrap()
}

/// Turns every hinge to a random angle of its range.
pub(crate) fn scatter(body: &mut Body, random: &mut Random) {
    for (i, link) in body.links().to_vec().iter().enumerate() {
        if let Limit::Hinge { axis, min, max } = link.limit {
            body.set_rotation(i, link.rest * DQuat::from_axis_angle(axis, random.range(min, max)));
        }
    }
}

/// Returns the pose of the last link of a randomly posed arm as a goal.
pub(crate) fn waypoint(body: &Body, random: &mut Random) -> Goal {
    let (mut posed, end) = (body.clone(), body.links().len() - 1);
    scatter(&mut posed, random);
    Goal::pose(end, position(&posed, end), posed.orientation(end).unwrap())
}

fn bits(body: &Body) -> Vec<u64> {
    let rotations = body.rotations().iter().flat_map(DQuat::to_array);
    rotations.chain(body.root().to_array()).map(f64::to_bits).collect()
}

/// A problem for the property test.
#[derive(Clone, Debug)]
struct Problem {
    body: Body,
    goals: Vec<Goal>,
    options: Options,
}

fn problems() -> impl Strategy<Value = Problem> {
    let coordinate = -0.8..0.8;
    let target =
        (coordinate.clone(), coordinate.clone(), coordinate).prop_map(|(x, y, z)| DVec3::new(x, y, z));
    let method = prop::sample::select(Method::all().collect::<Vec<_>>());
    let start = prop::sample::select(vec![Start::Current, Start::Rest, Start::Continue]);
    (0..5_usize, target, method, start, any::<bool>()).prop_map(|(kind, target, method, start, limits)| {
        let body = match kind {
            0 => chain(2),
            1 => chain(5),
            2 => crate::limits::arm(),
            3 => arm(&UR5),
            _ => chain(3),
        };
        let end = body.links().len() - 1;
        let mut goals = vec![Goal::position(end, target)];
        if kind == 4 {
            goals.push(Goal::position(end - 1, target * 0.5));
        }
        Problem {
            body,
            goals,
            options: Options { method, start, limits, iterations: 40, ..Options::default() },
        }
    })
}

/// Returns a solver with a style for the chain of five joints.
fn styled() -> Solver {
    static STYLE: LazyLock<Arc<Style>> = LazyLock::new(|| {
        let mut random = Random(3);
        let postures: Vec<Posture> = (0..6)
            .map(|_| {
                let mut body = chain(5);
                (0..5).for_each(|i| body.set_rotation(i, DQuat::from_scaled_axis(random.turn(0.6))));
                Posture::of(&body)
            })
            .collect();
        let names = (0..6).map(|i| i.to_string()).collect();
        Arc::new(Style::learn(names, &postures, &Learning::default()).unwrap().0)
    });
    let mut solver = Solver::default();
    solver.set_style(Some(BoundPrior::whole(Arc::clone(&STYLE))));
    solver
}

/// Solves, and returns the report and the bits of the pose.
fn answer(solver: &mut Solver, problem: &Problem, body: &mut Body) -> (Option<Report>, Vec<u64>) {
    let report = solver.solve(body, &problem.goals, &problem.options).ok().cloned();
    (report, bits(body))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Regression: a solver that had answered a question returned its answer for the same question from another pose
    /// history, and lost its restarts when it started from its own last answer.
    #[test]
    fn used_solver_gives_the_bits_of_a_new_one(
        before in prop::collection::vec(problems(), 1..6), asked in problems(), continued in any::<bool>()
    ) {
        let mut used = styled();
        for problem in &before {
            let mut body = problem.body.clone();
            // Solve twice, so that the second solve starts from an answer.
            answer(&mut used, problem, &mut body);
            answer(&mut used, problem, &mut body);
        }
        let mut asked = asked;
        if asked.options.start == Start::Continue {
            asked.options.start = Start::Current;
        }
        if continued {
            // The question starts from the solver's own last answer.
            answer(&mut used, &asked, &mut asked.body.clone());
            let mut body = asked.body.clone();
            answer(&mut styled(), &asked, &mut body);
            asked.body = body;
        }
        let (mut one, mut other) = (asked.body.clone(), asked.body.clone());
        let found = answer(&mut used, &asked, &mut one);
        prop_assert_eq!(found, answer(&mut styled(), &asked, &mut other));
    }
}

/// Regression: a solver that started from its own last answer never restarted. It reached 77.5 % of such waypoints, and
/// a new solver 95.5 %.
#[test]
fn waypoints_are_reached_as_often_as_by_new_solvers() {
    let (mut body, mut random) = (arm(&UR5), Random(7));
    scatter(&mut body, &mut random);
    let options = Options { method: Method::Dls, iterations: 300, ..Options::default() };
    let mut solver = Solver::default();
    let (mut reached, count) = (0_u32, 150_u32);
    for i in 0..count {
        let goal = waypoint(&body, &mut random);
        let mut other = body.clone();
        let report = solver.solve(&mut body, &[goal], &options).unwrap().clone();
        let new = Solver::default().solve(&mut other, &[goal], &options).unwrap().clone();
        assert_eq!((&report, bits(&body)), (&new, bits(&other)), "waypoint {i}");
        reached += u32::from(report.reached());
    }
    let share = f64::from(reached) / f64::from(count);
    println!("waypoints: {:.1} % reached", 100.0 * share);
    assert!(share >= 0.95, "{share}");
}

#[test]
fn continued_solve_returns_its_answer_in_single_precision_and_does_not_creep() {
    let options = Options { method: Method::Dls, start: Start::Continue, ..Options::default() };
    // Beyond the reach, where every further iteration could still move the pose a little.
    let goal = Goal::position(6, DVec3::new(0.9, 0.9, 0.4));
    let (mut body, mut solver) = (arm(&UR5), Solver::default());
    solver.solve(&mut body, &[goal], &options).unwrap();
    let answer = bits(&body);
    for _ in 0..5 {
        for i in 0..body.rotations().len() {
            let single = body.rotations()[i].as_quat().as_dquat();
            body.set_rotation(i, single);
        }
        assert_ne!(bits(&body), answer, "single precision must round some number");
        solver.solve(&mut body, &[goal], &options).unwrap();
        assert_eq!(bits(&body), answer);
    }
    // Another question is solved.
    solver.solve(&mut body, &[Goal::position(6, DVec3::new(0.3, 0.3, 0.2))], &options).unwrap();
    assert_ne!(bits(&body), answer);
}
