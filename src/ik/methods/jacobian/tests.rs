//! Compares the columns with finite differences, and the levels with their definitions.

use glam::{DAffine3, DQuat, DVec3};

use crate::tree::{Tree, retract};
use crate::{Body, Goal, JointParameters, Limit, Link, LinkIndex, Options};

use super::apply::euler_step;
use super::{Inverse, Jacobian, TaskKind};

/// Returns a tree of three joints. Its goals are almost met, because the error of an orientation is linear only near
/// its target.
fn tree(scale: DVec3) -> Tree {
    let mut links = vec![Link::base()];
    links.push(Link { scale, ..Link::child(LinkIndex(0), DVec3::new(0.1, 0.5, 0.0)) });
    let limit = Limit::Hinge { axis: DVec3::new(0.6, 0.0, 0.8), min: -3.0, max: 2.0 };
    links.push(Link { limit, ..Link::child(LinkIndex(1), DVec3::new(0.0, 0.4, 0.1)) });
    links.push(Link::child(LinkIndex(2), DVec3::new(0.2, 0.3, 0.0)));
    let mut body = Body::new(links, DAffine3::IDENTITY).unwrap_or_else(|e| panic!("{e}"));
    (0..4).for_each(|i| {
        let rotation = DQuat::from_euler(glam::EulerRot::XYZ, 0.3, -0.2 * i as f64, 0.5);
        body.set_rotation(LinkIndex(i), body.links()[i].nearest(rotation));
    });
    let here = body.world_from_link(LinkIndex(3)).unwrap_or_default().translation;
    let turned = body.orientation(LinkIndex(3)).unwrap_or_default();
    let at = here + turned * (DVec3::Z + DVec3::X * 1e-5) * 2.0;
    let goals = [
        Goal::position(LinkIndex(3), here + DVec3::new(0.3, 0.1, -0.2)),
        Goal::orientation(LinkIndex(3), DQuat::from_rotation_y(1e-5) * turned),
        Goal::aim(LinkIndex(3), DVec3::Z, at),
    ];
    let mut tree = Tree::default();
    tree.set(&body, &goals, &Options::default());
    tree
}

pub(super) fn errors(tree: &Tree) -> Vec<(TaskKind, DVec3)> {
    let mut jacobian = Jacobian::default();
    jacobian.set(tree);
    jacobian.evaluate(tree, f64::INFINITY);
    jacobian.rows.iter().map(|row| (row.kind, row.error)).collect()
}

#[test]
fn columns_are_the_derivatives_of_the_errors() {
    const STEP: f64 = 1e-6;
    for scale in [DVec3::ONE, DVec3::new(1.0, 1.5, 0.7)] {
        let tree = tree(scale);
        let mut jacobian = Jacobian::default();
        jacobian.set(&tree);
        jacobian.evaluate(&tree, f64::INFINITY);
        jacobian.set_freedom(&tree, JointParameters::RotationVector);
        for (index, joint) in tree.joints.iter().enumerate() {
            let columns = jacobian.columns[index];
            let below = &jacobian.below[columns.blocks.0..columns.blocks.1];
            assert_eq!(columns.count, if joint.hinge.is_some() { 1 } else { 3 });
            assert!(!below.is_empty(), "joint {index} moves nothing");
            for k in 0..columns.count {
                let axis = jacobian.axes[columns.axes + k];
                let moved = |step: f64| {
                    let mut moved = tree.clone();
                    let local = moved.axis_to_frame(&moved.joints[index], axis * step);
                    moved.joints[index].rotation = retract(local) * moved.joints[index].rotation;
                    moved.forward();
                    errors(&moved)
                };
                let (plus, minus) = (moved(STEP), moved(-STEP));
                for (place, &block) in below.iter().enumerate() {
                    let entry = jacobian.entries[columns.entries + k * below.len() + place];
                    let (kind, found) = (plus[block].0, (minus[block].1 - plus[block].1) / (2.0 * STEP));
                    // Entries of orientations and aims are exact only where the error is zero.
                    let near = if kind == TaskKind::Position { 1e-8 } else { 1e-4 };
                    assert!(found.abs_diff_eq(entry, near), "{kind:?}: difference {found}, entry {entry}");
                }
            }
        }
    }
}

#[test]
fn rotation_vectors_and_euler_angles_produce_the_same_small_turn() {
    let rotation = DQuat::from_euler(glam::EulerRot::XYZ, 0.3, -0.4, 0.5);
    for axis in [DVec3::X, DVec3::Y, DVec3::Z, DVec3::new(1.0, -2.0, 0.5)] {
        let turn = axis * 1e-4;
        let wanted = retract(turn) * rotation;
        let away = euler_step(rotation, turn).angle_between(wanted);
        assert!(away < 1e-6, "{axis}: {away}");
        assert!(rotation.angle_between(wanted) > 5e-5);
    }
}

/// Returns the Jacobian of a chain of four joints with several goals for its middle and its end.
fn chain_system(goals: &[Goal]) -> (Tree, Jacobian) {
    let mut links = vec![Link::base()];
    links.extend((0..5).map(|i| Link::child(LinkIndex(i), DVec3::new(0.1, 0.5, 0.05 * f64::from(i as u8)))));
    let mut body = Body::new(links, DAffine3::IDENTITY).unwrap_or_else(|e| panic!("{e}"));
    (0..5).for_each(|i| body.set_rotation(LinkIndex(i), DQuat::from_rotation_z(0.4 - 0.2 * i as f64)));
    let mut tree = Tree::default();
    tree.set(&body, goals, &Options::default());
    let mut jacobian = Jacobian::default();
    jacobian.set(&tree);
    jacobian.evaluate(&tree, f64::INFINITY);
    jacobian.set_freedom(&tree, JointParameters::RotationVector);
    (tree, jacobian)
}

/// Returns the first-order change of each block for the solution.
fn changes(tree: &Tree, jacobian: &Jacobian) -> Vec<DVec3> {
    let mut sum = vec![DVec3::ZERO; jacobian.rows.len()];
    for (index, &turn) in jacobian.turns.iter().enumerate() {
        jacobian.responses(tree, index, turn, |block, change| sum[block] += change);
    }
    sum
}

const INVERSES: [Inverse; 5] = [
    Inverse::Transpose(None),
    Inverse::Transpose(Some(0.1)),
    Inverse::Pseudo,
    Inverse::Damped(1e-3),
    Inverse::Selective,
];

#[test]
fn goals_do_not_change_pins_to_first_order() {
    let pin = Goal { pinned: true, ..Goal::position(LinkIndex(3), DVec3::new(0.9, 0.7, 0.2)) };
    let goal = Goal::position(LinkIndex(5), DVec3::new(-3.0, 1.0, 2.0));
    for inverse in INVERSES {
        let [with, without] = [vec![goal, pin], vec![Goal { weight: 0.0, ..goal }, pin]].map(|goals| {
            let (tree, mut jacobian) = chain_system(&goals);
            jacobian.solve(&tree, inverse);
            changes(&tree, &jacobian)
        });
        assert!(without[0].length() > 0.01 && with[1].length() > 0.01, "{inverse:?}");
        assert!(with[0].abs_diff_eq(without[0], 1e-12), "{inverse:?}: {} and {}", with[0], without[0]);
    }
}

#[test]
fn posture_changes_no_task_to_first_order() {
    let goals = [
        Goal { pinned: true, ..Goal::position(LinkIndex(2), DVec3::new(0.3, 0.9, 0.1)) },
        Goal::position(LinkIndex(4), DVec3::new(1.0, 1.0, 0.2)),
    ];
    for inverse in INVERSES {
        let (tree, mut jacobian) = chain_system(&goals);
        jacobian.solve(&tree, inverse);
        let before = (changes(&tree, &jacobian), jacobian.turns.clone());
        for (index, pull) in jacobian.pull.iter_mut().enumerate() {
            *pull = DVec3::new(0.3, -0.2 * index as f64, 0.1);
        }
        jacobian.solve(&tree, inverse);
        let after = changes(&tree, &jacobian);
        let moved = before.1.iter().zip(&jacobian.turns).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(moved > 0.05, "{inverse:?}: the posture turns the joints by only {moved}");
        for (before, after) in before.0.iter().zip(&after) {
            assert!(before.abs_diff_eq(*after, 1e-12), "{inverse:?}: {before} and {after}");
        }
    }
}

#[test]
fn repeated_pins_are_dependent_and_change_nothing() {
    let pin = Goal { pinned: true, ..Goal::position(LinkIndex(3), DVec3::new(0.9, 0.7, 0.2)) };
    let goal = Goal::position(LinkIndex(5), DVec3::new(0.5, 1.0, 0.3));
    let solve = |goals: &[Goal]| {
        let (tree, mut jacobian) = chain_system(goals);
        // Damping counts the error of a repeated pin twice, so compare only the goals' part.
        jacobian.rows.iter_mut().filter(|row| row.level == super::PINS).for_each(|r| r.error = DVec3::ZERO);
        jacobian.solve(&tree, Inverse::Damped(1e-3));
        (jacobian.dependent, jacobian.turns)
    };
    let (once, twice) = (solve(&[pin, goal]), solve(&[pin, goal, pin]));
    assert_eq!((once.0, twice.0), (0, 3));
    for (a, b) in once.1.iter().zip(&twice.1) {
        assert!(a.abs_diff_eq(*b, 1e-12), "{a} and {b}");
    }
}

/// The step within the limits of hinges is the minimum of |e − Jω|² + λ²|ω|² in a box. To reach it, the solver must release some joints
/// that an earlier round has locked.
#[test]
fn steps_of_hinges_are_optimal_within_their_limits() {
    const JOINTS: usize = 6;
    let mut released = 0;
    for case in 0..300 {
        let wave = |k: f64| (f64::from(case) * 1.3 + k * 7.7).sin();
        let index = |j: usize| j as f64;
        let axis = |j| DVec3::new(wave(index(j)), wave(10.0 + index(j)), wave(20.0 + index(j))).normalize();
        let mut links: Vec<Link> = Vec::new();
        for j in 0..JOINTS {
            let limit = Limit::Hinge { axis: axis(j), min: -0.2, max: 0.2 };
            let link = if j == 0 { Link::base() } else { Link::child(LinkIndex(j - 1), DVec3::X * 0.3) };
            links.push(Link { limit, ..link });
        }
        links.push(Link::child(LinkIndex(JOINTS - 1), DVec3::X * 0.3));
        let mut body = Body::new(links, DAffine3::IDENTITY).unwrap_or_else(|e| panic!("{e}"));
        let angles: [f64; JOINTS] = std::array::from_fn(|j| 0.2 * wave(30.0 + index(j)));
        (0..JOINTS).for_each(|j| body.set_rotation(LinkIndex(j), DQuat::from_axis_angle(axis(j), angles[j])));
        let mut tree = Tree::default();
        let target = DVec3::new(1.0 + wave(40.0), wave(41.0), wave(42.0));
        tree.set(&body, &[Goal::position(LinkIndex(JOINTS), target)], &Options::default());
        let mut jacobian = Jacobian::default();
        jacobian.set(&tree);
        jacobian.evaluate(&tree, f64::INFINITY);
        jacobian.set_freedom(&tree, JointParameters::RotationVector);
        let (axes, entries) = (jacobian.axes.clone(), jacobian.entries.clone());
        let lambda2 = 0.03;
        jacobian.solve(&tree, Inverse::Damped(lambda2));
        let turns: [f64; JOINTS] = std::array::from_fn(|j| jacobian.turns[j].dot(axes[j]));
        let rest = (0..JOINTS).fold(jacobian.rows[0].error, |rest, j| rest - entries[j] * turns[j]);
        for j in 0..JOINTS {
            // The gradient must vanish, or push against the limit that the joint has reached.
            let push = entries[j].dot(rest) - lambda2 * turns[j];
            let room = if push > 0.0 { 0.2 - angles[j] - turns[j] } else { 0.2 + angles[j] + turns[j] };
            assert!(room > -1e-9, "case {case}: joint {j} leaves its limit by {room}");
            assert!(
                push.abs().min(room) < 1e-9,
                "case {case}: joint {j} has a gradient of {push}, {room} left"
            );
        }
        released += usize::from(!jacobian.released.is_empty());
    }
    assert!(released > 0, "no lock was released");
}
