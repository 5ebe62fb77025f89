//! The fused method: its two additional tasks, its options, and the agreement of its two representations.

use glam::{DAffine3, DQuat};
use sinew_ik::{Body, Correction, FusedOptions, Goal, LinkIndex, Method, Options, Report, Solver};

use crate::{chain, error, position};
use sinew_ik::benchmark::cases::{self, Set};

const TASKS: [Correction; 2] = [Correction::Midpoint, Correction::MidAngle];

fn options(fused: FusedOptions) -> Options {
    Options::default().with_method(Method::Fused).with_fused(fused).with_iterations(100).with_tolerance(1e-9)
}

fn solve(start: &Body, goal: &Goal, options: &Options) -> (Body, Report) {
    let mut body = start.clone();
    let report = Solver::default().solve(&mut body, &[*goal], options).unwrap().clone();
    (body, report)
}

/// Returns the angles by which the joints of two poses differ, in radians.
fn angles(a: &Body, b: &Body) -> Vec<f64> {
    let angle = |(a, b): (&DQuat, &DQuat)| {
        let d = a.conjugate() * *b;
        2.0 * d.xyz().length().atan2(d.w.abs())
    };
    a.rotations().iter().zip(b.rotations()).map(angle).collect()
}

/// Returns whether the two halves of a chain of equal links, as bones of a limb, can reach a target.
fn halves_reach(body: &Body, goal: &Goal) -> bool {
    let end = goal.link.0;
    let [at, tip] = [end / 2, end].map(|link| position(body, link));
    let (a, b, d) = (at.length(), tip.distance(at), goal.position.unwrap().length());
    (a - b).abs() < d && d < a + b
}

/// Returns the same chain, but with weights that differ from one in the last bit. Only a tree supports weights.
fn as_tree(body: &Body) -> Body {
    let links = body.links().iter().map(|l| (*l).with_weight(1.0 + f64::EPSILON)).collect();
    let mut tree = Body::new(links, DAffine3::IDENTITY).unwrap();
    body.rotations().iter().enumerate().for_each(|(i, r)| tree.set_rotation(LinkIndex(i), *r));
    tree
}

#[test]
fn a_free_chain_and_a_tree_run_the_same_algorithm() {
    for correction in TASKS {
        for joints in [2, 3, 6, 10] {
            let cases = cases::free(joints, Set::Reach, 200, 7).unwrap();
            let (chain, tree) = (&cases.body, as_tree(&cases.body));
            let options = options(FusedOptions::default().with_correction(correction));
            let (mut largest, mut differ, mut compared, mut iterations) = (0.0_f64, 0, 0, [0, 0]);
            for goal in &cases.goals {
                let (first, on_chain) = solve(chain, goal, &options);
                let (second, on_tree) = solve(&tree, goal, &options);
                assert!(on_chain.reached() && on_tree.reached(), "{correction:?}, {joints} joints: {goal:?}");
                // Where the halves of the chain cannot reach the target, damped least squares runs alone. Its two
                // representations are compared elsewhere.
                if !halves_reach(chain, goal) {
                    continue;
                }
                compared += 1;
                let angle = angles(&first, &second).into_iter().fold(0.0, f64::max);
                largest = largest.max(angle);
                differ += usize::from(angle > 1e-6);
                iterations = [iterations[0] + on_chain.iterations, iterations[1] + on_tree.iterations];
            }
            println!(
                "{correction:?}, {joints} joints: {differ} differ, at most {largest:.1e} rad, {iterations:?}"
            );
            assert_eq!(differ, 0, "{correction:?}, {joints} joints");
            assert!(compared > 180, "{correction:?}, {joints} joints: {compared}");
        }
    }
}

/// The closed form alone reaches the targets. The midpoint must still be used, because the improved method adds it.
#[test]
fn the_midpoint_is_used_after_the_closed_form() {
    let cases = cases::free(6, Set::Reach, 100, 3).unwrap();
    let closed_form = options(FusedOptions::default().with_alpha(1.0));
    for weight in [-0.5, 0.5] {
        let midpoint = options(FusedOptions::default().with_first_weight(weight).with_last_weight(weight));
        let (mut turned, mut sum, mut iterations) = (0, [0.0; 4], [0, 0]);
        for goal in &cases.goals {
            let (first, a) = solve(&cases.body, goal, &closed_form);
            let (second, b) = solve(&cases.body, goal, &midpoint);
            assert!(error(&second, goal) < 1e-9);
            turned += usize::from(angles(&first, &second).iter().any(|a| *a > 1e-3));
            let total = |body: &Body| angles(&cases.body, body).iter().map(|a| a * a).sum::<f64>().sqrt();
            let largest = |body: &Body| angles(&cases.body, body).into_iter().fold(0.0, f64::max);
            sum[0] += total(&first);
            sum[1] += total(&second);
            sum[2] += largest(&first);
            sum[3] += largest(&second);
            iterations = [iterations[0] + a.iterations, iterations[1] + b.iterations];
        }
        println!("{weight}: {turned} of 100 differ, turns {sum:?}, iterations {iterations:?}");
        assert!(turned > 90, "{turned}");
    }
}

/// Returns the distance of the joint angles from the middle of their limits, in radians.
fn distance_from_middle(body: &Body) -> f64 {
    let rest = chain(body.links().len() - 1);
    let mut rest = rest;
    (0..body.links().len()).for_each(|i| rest.set_rotation(LinkIndex(i), body.links()[i].rest));
    angles(&rest, body).iter().map(|a| a * a).sum::<f64>().sqrt()
}

#[test]
fn the_mid_angle_task_pulls_joints_to_the_middle_of_their_range() {
    let cases = cases::free(6, Set::Reach, 100, 3).unwrap();
    let without = options(FusedOptions::default().with_alpha(1.0));
    for weight in [0.1, 0.25, 0.5] {
        let with = options(
            FusedOptions::default()
                .with_correction(Correction::MidAngle)
                .with_first_weight(weight)
                .with_last_weight(weight),
        );
        let (mut nearer, mut iterations) = (0, 0);
        for goal in &cases.goals {
            let (first, _) = solve(&cases.body, goal, &without);
            let (second, report) = solve(&cases.body, goal, &with);
            assert!(report.reached(), "{weight}: {goal:?}");
            iterations += report.iterations;
            nearer += usize::from(distance_from_middle(&second) < distance_from_middle(&first));
        }
        println!("{weight}: {nearer} of 100 nearer to the middle, {iterations} iterations");
        assert!(nearer > 90, "{nearer}");
    }
}

/// Regression: the last turns of an earlier solve were mistaken for turns of the current solve, so a chain dragged along a line turned up
/// to 58 times as far as necessary.
#[test]
fn a_solve_does_not_continue_the_turns_of_an_earlier_one() {
    let options = options(FusedOptions::default());
    let mut used = Solver::default();
    let far =
        Goal::position(LinkIndex(6), cases::free(6, Set::Reach, 1, 5).unwrap().goals[0].position.unwrap());
    used.solve(&mut chain(6), &[far], &options).unwrap();
    // The closed form is skipped for a target this close.
    let near = Goal::position(LinkIndex(6), position(&chain(6), 6) * 0.97);
    let (mut first, mut second) = (chain(6), chain(6));
    used.solve(&mut first, &[near], &options).unwrap();
    Solver::default().solve(&mut second, &[near], &options).unwrap();
    assert_eq!(first.rotations(), second.rotations());
}
