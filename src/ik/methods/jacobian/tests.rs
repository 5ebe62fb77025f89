//! Compares the columns with finite differences, and the levels with their definitions.

use glam::{DAffine3, DQuat, DVec3};

use crate::ik::tree::{Tree, retract};
use crate::ik::{Body, Goal, JointParameters, Limit, Link};

use super::apply::euler_step;
use super::{Jacobian, TaskKind};

/// Returns a tree of three joints. Its goals are almost met, because the error of an orientation is linear only near
/// its target.
fn tree(scale: DVec3) -> Tree {
    let mut links = vec![Link::base()];
    links.push(Link { scale, ..Link::child(0, DVec3::new(0.1, 0.5, 0.0)) });
    let limit = Limit::Hinge { axis: DVec3::new(0.6, 0.0, 0.8), min: -3.0, max: 2.0 };
    links.push(Link { limit, ..Link::child(1, DVec3::new(0.0, 0.4, 0.1)) });
    links.push(Link::child(2, DVec3::new(0.2, 0.3, 0.0)));
    let mut body = Body::new(links, DAffine3::IDENTITY).unwrap_or_else(|e| panic!("{e}"));
    (0..4).for_each(|i| {
        let rotation = DQuat::from_euler(glam::EulerRot::XYZ, 0.3, -0.2 * i as f64, 0.5);
        body.set_rotation(i, body.links()[i].nearest(rotation));
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

/// Returns the errors of a tree.
fn errors(tree: &Tree) -> Vec<(TaskKind, DVec3)> {
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
