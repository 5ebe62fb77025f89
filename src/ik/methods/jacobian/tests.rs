//! Compares the levers with finite differences.

use glam::{DAffine3, DQuat, DVec3};

use crate::ik::tree::Tree;
use crate::ik::{Body, Goal, Link};

use super::step::{euler_step, retract};
use super::{Jacobian, TaskKind};

/// Returns a tree of three joints. Its goals are almost met, because the error of an orientation is linear only near
/// its target.
fn tree(scale: DVec3) -> Tree {
    let mut links = vec![Link::base()];
    links.push(Link { scale, ..Link::child(0, DVec3::new(0.1, 0.5, 0.0)) });
    links.push(Link::child(1, DVec3::new(0.0, 0.4, 0.1)));
    links.push(Link::child(2, DVec3::new(0.2, 0.3, 0.0)));
    let mut body = Body::new(links, DAffine3::IDENTITY).unwrap_or_else(|e| panic!("{e}"));
    (0..4).for_each(|i| {
        body.set_rotation(i, DQuat::from_euler(glam::EulerRot::XYZ, 0.3, -0.2 * i as f64, 0.5));
    });
    let here = body.world_from_link(3).unwrap_or_default().translation;
    let turned = body.orientation(3).unwrap_or_default();
    let at = here + turned * (DVec3::Z + DVec3::X * 1e-5) * 2.0;
    let goals = [
        Goal::position(3, here + DVec3::new(0.3, 0.1, -0.2)),
        Goal::orientation(3, DQuat::from_rotation_y(1e-5) * turned),
        Goal::aim(3, DVec3::Z, at),
    ];
    let mut tree = Tree::default();
    tree.set(&body, &goals, true);
    tree
}

#[test]
fn levers_are_the_derivatives_of_the_errors() {
    const STEP: f64 = 1e-6;
    for scale in [DVec3::ONE, DVec3::new(1.0, 1.5, 0.7)] {
        let tree = tree(scale);
        let mut jacobian = Jacobian::default();
        jacobian.set(&tree);
        jacobian.evaluate(&tree, f64::INFINITY);
        for joint in 0..tree.joints.len() {
            for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                let errors = |step: f64| {
                    let mut moved = tree.clone();
                    let local = moved.axis_to_frame(&moved.joints[joint], axis * step);
                    moved.joints[joint].rotation = retract(local) * moved.joints[joint].rotation;
                    moved.forward();
                    let mut after = Jacobian::default();
                    after.set(&moved);
                    after.evaluate(&moved, f64::INFINITY);
                    after.rows.iter().map(|t| (t.kind, t.error)).collect::<Vec<_>>()
                };
                let (plus, minus) = (errors(STEP), errors(-STEP));
                let (first, last) = jacobian.spans[joint];
                assert!(first < last, "joint {joint} has no levers");
                for lever in &jacobian.levers[first..last] {
                    let found = (minus[lever.row].1 - plus[lever.row].1) / (2.0 * STEP);
                    let derivative = lever.matrix * axis;
                    // Levers of orientations and aims are exact only where the error is zero.
                    let near = if plus[lever.row].0 == TaskKind::Position { 1e-8 } else { 1e-4 };
                    let kind = plus[lever.row].0;
                    assert!(
                        found.abs_diff_eq(derivative, near),
                        "{kind:?}: difference {found}, lever {derivative}"
                    );
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
