//! Compares the columns of prismatic and mimic joints with finite differences.

use glam::{DAffine3, DQuat, DVec3};

use crate::tree::{Role, Tree, retract};
use crate::{Body, Goal, JointParameters, Limit, Link, LinkIndex, Mimic, Options};
use sinew_base::Random;

use super::tests::errors;
use super::{Jacobian, TaskKind};

/// Returns a random tree with two branches below link 3: hinges, ball joints and prismatic joints, some of which follow
/// another joint. The joints of link 4 and link 6 are in different branches, and link 6 follows link 4.
fn tree(random: &mut Random, scale: DVec3) -> Tree {
    let mut links = vec![Link::base()];
    let kinds = [0, 1, 2, 1, 1, 2, 1, 2, 0];
    let parents = [0, 1, 2, 3, 4, 5, 3, 7, 8];
    for (kind, parent) in kinds.into_iter().zip(parents) {
        let limit = match kind {
            0 => Limit::Free,
            1 => Limit::Hinge { axis: random.direction(), min: -1.5, max: 2.0 },
            _ => Limit::Prismatic { axis: random.direction(), min: -0.2, max: 0.3 },
        };
        let rest = DQuat::from_scaled_axis(random.turn(1.0));
        links.push(Link { rest, limit, ..Link::child(LinkIndex(parent), random.turn(0.4)) });
    }
    links[2].scale = scale;
    // A hinge in the other branch, a hinge that descends from its leader, and a slide in the other branch.
    for (link, of) in [(7, 4), (5, 4), (8, 6)] {
        links[link].mimic = Some(Mimic { of: LinkIndex(of), ratio: random.range(-1.5, 1.5), offset: 0.05 });
        links[link].limit = match links[of].limit {
            Limit::Hinge { .. } => Limit::Hinge { axis: random.direction(), min: -6.0, max: 6.0 },
            _ => Limit::Prismatic { axis: random.direction(), min: -2.0, max: 2.0 },
        };
    }
    let mut body = Body::new(links, DAffine3::IDENTITY).unwrap_or_else(|e| panic!("{e}"));
    for index in 0..body.links().len() {
        let rotation = DQuat::from_scaled_axis(random.turn(0.5)) * body.links()[index].rest;
        body.set_rotation(LinkIndex(index), body.links()[index].nearest(rotation));
        body.set_displacement(LinkIndex(index), random.range(-0.1, 0.2));
    }
    body.follow_leaders();
    let goal = |link: usize| {
        let here = body.world_from_link(LinkIndex(link)).unwrap_or_default().translation;
        let turned = body.orientation(LinkIndex(link)).unwrap_or_default();
        let at = here + turned * (DVec3::Z + DVec3::X * 1e-5) * 2.0;
        [
            Goal::position(LinkIndex(link), here + DVec3::new(0.3, 0.1, -0.2)),
            Goal::orientation(LinkIndex(link), DQuat::from_rotation_y(1e-5) * turned),
            Goal::aim(LinkIndex(link), DVec3::Z, at),
        ]
    };
    let mut tree = Tree::default();
    tree.set(&body, &[goal(6), goal(9)].concat(), &Options::default());
    tree
}

#[test]
fn columns_of_prismatic_and_coupled_joints_are_the_derivatives_of_the_errors() {
    const STEP: f64 = 1e-6;
    for case in 0..40 {
        let mut random = Random(case);
        let scale = if case % 2 == 0 { DVec3::ONE } else { DVec3::new(1.0, 1.5, 0.7) };
        let tree = tree(&mut random, scale);
        let mut jacobian = Jacobian::default();
        jacobian.set(&tree);
        jacobian.evaluate(&tree, f64::INFINITY);
        jacobian.set_freedom(&tree, JointParameters::RotationVector);
        let roles = |role: Role| tree.joints.iter().filter(|j| j.role == role).count();
        assert_eq!((roles(Role::Leader), roles(Role::Follower)), (2, 3));
        for (index, joint) in tree.joints.iter().enumerate() {
            let columns = jacobian.columns[index];
            let below = &jacobian.below[columns.blocks.0..columns.blocks.1];
            if joint.role == Role::Follower {
                assert!(below.is_empty() && columns.weight == 0.0, "a follower has no column");
                continue;
            }
            assert!(below.is_sorted() && !below.is_empty());
            for k in 0..columns.count {
                let axis = jacobian.axes[columns.axes + k];
                let moved = |step: f64| {
                    let mut moved = tree.clone();
                    let local = moved.axis_to_frame(&moved.joints[index], axis * step);
                    let joint = &mut moved.joints[index];
                    match joint.prismatic {
                        Some(prismatic) => joint.displacement = prismatic.moved(joint.displacement, local),
                        None => joint.rotation = retract(local) * joint.rotation,
                    }
                    moved.forward();
                    errors(&moved)
                };
                let (plus, minus) = (moved(STEP), moved(-STEP));
                for block in 0..plus.len() {
                    let place = below.iter().position(|b| *b == block);
                    let entry = place.map_or(DVec3::ZERO, |place| {
                        jacobian.entries[columns.entries + k * below.len() + place]
                    });
                    let (kind, found) = (plus[block].0, (minus[block].1 - plus[block].1) / (2.0 * STEP));
                    let near = if kind == TaskKind::Position { 1e-7 } else { 1e-4 };
                    assert!(
                        found.abs_diff_eq(entry, near),
                        "case {case}, joint {index}, {kind:?}: difference {found}, entry {entry}"
                    );
                }
            }
        }
    }
}
