//! Checks the errors that the GPU measures, and their bounds.

use glam::{DAffine3, DQuat, DVec3, Quat, Vec3};

use crate::gpu_ik::group::Group;
use crate::gpu_ik::judge::is_within;
use crate::gpu_ik::options::GpuOptions;
use crate::gpu_ik::pipeline::Block;
use crate::ik::{Body, Goal, Method, Options};

use super::measure::measure_goal;
use super::tests::{STATES, angle, blocks, body, one_step, only_group, problems, tree};

/// Options whose tolerances decide every goal.
fn loose(options: Options) -> Options {
    options.with_tolerance(Some(1e6)).with_angle_tolerance(10.0)
}

fn full_body() -> Options {
    Options::default().with_method(Method::FullBody).with_root_motion(true)
}

fn compare(bodies: &[Body], goals: &[Vec<Goal>], options: Options, bytes: u64) {
    let group = only_group(bodies, goals, &options);
    let inputs = group.inputs(0..STATES, bodies, goals, &options);
    let (_, tree_goals, _) = group.tree(&goals[0], &options);
    let mut state = 0;
    for block in blocks(&group, bodies, goals, &one_step(options), bytes) {
        for number in 0..block.problems.len() {
            let (answer, errors) = (block.answer(number), block.errors(number));
            assert_eq!(errors.len(), tree_goals.len());
            for ((place, goal), error) in tree_goals.iter().enumerate().zip(errors) {
                let target = &inputs.targets[state * tree_goals.len() + place];
                let root = Vec3::from_slice(&answer.root);
                let twin = measure_goal(&group.structure.packed, goal, target, answer.rotations, root);
                let away = Vec3::from(error.offset).distance(Vec3::from(twin.offset));
                assert!(away <= twin.offset_bound, "state {state}: {away} of {}", twin.offset_bound);
                let turn = angle(Quat::from_array(error.turn), Quat::from_array(twin.turn));
                assert!(turn <= 2.0 * twin.turn_bound, "state {state}: {turn} of {}", twin.turn_bound);
                let bounds = [(error.offset_bound, twin.offset_bound), (error.turn_bound, twin.turn_bound)];
                for (bound, expected) in bounds {
                    assert!((bound - expected).abs() <= 0.1 * expected, "{bound}, not {expected}");
                }
                assert!((error.iterations - answer.iterations).abs() < 0.5);
            }
            state += 1;
        }
    }
    assert_eq!(state, STATES);
}

#[test]
fn errors_and_bounds_are_those_of_the_twin() {
    let chain = body(5, |index| index.checked_sub(1));
    let (bodies, goals) = problems(&chain, &[4]);
    compare(&bodies, &goals, Options::default(), 1 << 15);
    let (bodies, goals) = problems(&tree(), &[14, 19, 24, 69]);
    compare(&bodies, &goals, full_body(), 1 << 18);
}

/// The largest difference between an error that the GPU measured and the same error in double precision.
#[derive(Clone, Copy, Default)]
pub(super) struct Widest {
    /// The largest difference as a fraction of its bound.
    pub(super) share: f64,
    difference: f64,
    found: f64,
    exact: f64,
    /// The block, and the numbers of the problem and the goal.
    place: [usize; 3],
}

/// Compares the errors of positions and of orientations with those in double precision.
pub(super) fn compare_precisions(
    group: &Group,
    blocks: &[Block],
    bodies: &[Body],
    goals: &[Vec<Goal>],
    options: Options,
) -> [Widest; 2] {
    let (most_iterations, loose) = (one_step(options).iterations, loose(options));
    let mut widest = [Widest::default(); 2];
    for (block_number, block) in blocks.iter().enumerate() {
        for number in 0..block.problems.len() {
            let index = group.problems[block.problems.start + number];
            let (start, goals) = (&bodies[index], &goals[index]);
            let mut posed = start.clone();
            let report = group.apply(block.answer(number), &mut posed, goals, &options, most_iterations);
            for (g, (goal, exact)) in goals.iter().zip(&report.goals).enumerate() {
                let error = &block.errors(number)[g];
                let found = group.judge(g, error, goal, start, &loose, most_iterations).unwrap();
                let parts = [
                    (found.position_error, exact.position_error, found.position_bound),
                    (found.orientation_error, exact.orientation_error, found.orientation_bound),
                ];
                for (part, (found, exact, bound)) in parts.into_iter().enumerate() {
                    let (Some(found), Some(exact)) = (found, exact) else { continue };
                    let difference = (found - exact).abs();
                    assert!(difference.is_finite(), "problem {index}, goal {g}: {found}, not {exact}");
                    let share = widest[part].share.max(difference / bound);
                    // The tolerance of pins cannot be set.
                    if difference > widest[part].difference && !goal.pinned {
                        let place = [block_number, number, g];
                        widest[part] = Widest { share, difference, found, exact, place };
                    }
                    widest[part].share = share;
                }
            }
        }
    }
    widest
}

/// Checks that no error differs from the error in double precision by more than its bound, and that outcomes would be wrong without the
/// bounds.
pub(super) fn check_bounds(bodies: &[Body], goals: &[Vec<Goal>], options: Options, bytes: u64) {
    let group = only_group(bodies, goals, &options);
    let gpu_options: GpuOptions = one_step(options);
    let (most_iterations, loose) = (gpu_options.iterations, loose(options));
    let blocks = blocks(&group, bodies, goals, &gpu_options, bytes);
    let widest = compare_precisions(&group, &blocks, bodies, goals, options);
    let shares = widest.map(|widest| widest.share);
    println!("largest differences are {shares:?} of their bounds");
    assert!(shares.iter().all(|share| *share <= 1.0), "{shares:?}");
    for (part, widest) in widest.into_iter().enumerate() {
        let Widest { found, exact, place: [block, number, g], .. } = widest;
        let tolerance = 0.5 * (found + exact);
        let narrow = if part == 0 {
            loose.with_tolerance(Some(tolerance))
        } else {
            loose.with_angle_tolerance(tolerance)
        };
        let block = &blocks[block];
        let index = group.problems[block.problems.start + number];
        let error = &block.errors(number)[g];
        let judged = group.judge(g, error, &goals[index][g], &bodies[index], &narrow, most_iterations);
        assert!(judged.is_none(), "{judged:?} with the tolerance {tolerance}");
        assert_ne!(is_within(found, 0.0, tolerance), Some(exact <= tolerance), "no bound is necessary");
    }
}

#[test]
fn outcomes_between_both_precisions_are_undecided() {
    let chain = body(5, |index| index.checked_sub(1));
    let (bodies, goals) = problems(&chain, &[4]);
    check_bounds(&bodies, &goals, Options::default(), 1 << 15);
    let (bodies, goals) = problems(&tree(), &[14, 19, 24, 69]);
    check_bounds(&bodies, &goals, full_body(), 1 << 18);
}

/// The bodies are far from the origin, scaled, and not at the places of their bases. The scales of their links are not exactly uniform.
#[test]
fn bounds_hold_for_placed_and_uneven_bodies() {
    let links = body(5, |index| index.checked_sub(1)).links().to_vec();
    let uneven = |link: crate::ik::Link| link.with_scale(DVec3::new(1.2, 1.2, 1.2 + 1e-6));
    let rotation = DQuat::from_scaled_axis(DVec3::new(0.3, -0.8, 0.2));
    let world =
        DAffine3::from_scale_rotation_translation(DVec3::splat(0.01), rotation, DVec3::new(1e4, -2e3, 5e3));
    let body = Body::new(links.into_iter().map(uneven).collect(), DAffine3::IDENTITY).unwrap();
    let (mut bodies, mut goals) = problems(&body, &[4]);
    for (body, goals) in bodies.iter_mut().zip(&mut goals) {
        body.place(world, rotation).unwrap();
        body.set_root(DVec3::new(3.0, -1.0, 2.0));
        for goal in goals {
            let position = goal.position.map(|at| world.transform_point3(at + body.root()));
            goal.position = position;
            goal.orientation = goal.orientation.map(|turn| rotation * turn);
        }
    }
    check_bounds(&bodies, &goals, Options::default(), 1 << 15);
}
