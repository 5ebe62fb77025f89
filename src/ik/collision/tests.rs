use std::f64::consts::PI;

use glam::{DAffine3, DQuat, DVec3};
use proptest::prelude::*;

use crate::benchmark::robots::Robot;
use crate::{Body, BodyCapsule, Goal, Limit, Link, Mimic, Options, Outcome, Solver, Start};

use super::*;

/// Returns a Panda arm in its start pose, with capsules about as large as its links.
fn panda() -> (Body, CollisionModel) {
    let body = Robot::Panda.cases(0, 1).unwrap().body;
    let capsule = |(link, a, b, radius): (usize, [f64; 3], [f64; 3], f64)| BodyCapsule {
        link: LinkIndex(link),
        ends: [a.into(), b.into()],
        radius,
    };
    let capsules = [
        (0, [0.0, 0.0, -0.19], [0.0, 0.0, 0.0], 0.06),
        (1, [0.0, 0.0, 0.0], [0.0, -0.19, 0.0], 0.06),
        (2, [0.0, 0.0, -0.12], [0.0, 0.0, 0.0], 0.06),
        (3, [0.0, 0.0, -0.06], [0.0, 0.0, 0.06], 0.055),
        (4, [0.0, 0.0, -0.26], [0.0, 0.07, -0.06], 0.055),
        (5, [0.0, 0.0, 0.0], [0.088, 0.0, 0.0], 0.05),
        (6, [0.0, 0.0, 0.0], [0.0, 0.0, 0.1], 0.045),
        (7, [0.0, -0.1, 0.03], [0.0, 0.1, 0.03], 0.035),
    ];
    let model = CollisionModel::new(&body, capsules.map(capsule).to_vec()).unwrap();
    (body, model)
}

/// Returns a planar arm of bones of 0.4 m that bends about Z, with capsules of 0.03 m.
fn planar(bones: usize) -> (Body, CollisionModel) {
    let hinge = Limit::hinge(DVec3::Z, -2.8..=2.8);
    let base = Link::base().with_limit(hinge);
    let links = (1..=bones).map(|i| Link::child(LinkIndex(i - 1), DVec3::X * 0.4).with_limit(hinge));
    let body = Body::new(std::iter::once(base).chain(links).collect(), DAffine3::IDENTITY).unwrap();
    let capsule =
        |link| BodyCapsule { link: LinkIndex(link), ends: [DVec3::ZERO, DVec3::X * 0.4], radius: 0.03 };
    let model = CollisionModel::new(&body, (0..bones).map(capsule).collect()).unwrap();
    (body, model)
}

/// Sets the angles of the hinges to fractions of their ranges, and returns the steps of the freedoms.
fn pose(body: &mut Body, fractions: &[f64]) {
    for (link, fraction) in (0..body.links().len()).zip(fractions) {
        if let Limit::Hinge { min, max, .. } = body.links()[link].limit {
            body.set_joint_value(LinkIndex(link), min + (max - min) * fraction).unwrap();
        }
    }
}

/// Returns the smallest distance after one joint has moved by a small step.
fn moved(body: &Body, model: &CollisionModel, joint: usize, step: f64) -> Clearance {
    let mut body = body.clone();
    let value = body.joint_value(LinkIndex(joint)).unwrap();
    body.set_joint_value(LinkIndex(joint), value + step).unwrap();
    model.clearance(&body).unwrap()
}

proptest! {
    /// The gradient of the smallest distance is its difference quotient.
    #[test]
    fn gradients_are_the_derivatives(
        fractions in prop::array::uniform7(0.05_f64..0.95), at in prop::array::uniform3(-0.6_f64..0.6),
        turn in prop::array::uniform3(-2.0_f64..2.0), kind in 0..4,
    ) {
        let (mut body, mut model) = panda();
        let (centre, rotation) = (DVec3::from(at) + DVec3::Z * 0.4, DQuat::from_scaled_axis(turn.into()));
        let obstacle = match kind {
            0 => Obstacle::sphere(centre, 0.1),
            1 => Obstacle::capsule([centre, centre + rotation * DVec3::X * 0.3], 0.05),
            2 => Obstacle::Box { centre, rotation, size: DVec3::new(0.1, 0.2, 0.3) },
            _ => Obstacle::hull([[0.0; 3], [0.2, 0.0, 0.0], [0.0, 0.3, 0.0], [0.1, 0.1, 0.2], [0.1, 0.1, -0.1]]
                .map(|point| centre + rotation * DVec3::from(point)).to_vec()),
        };
        model.add_obstacle(obstacle).unwrap();
        pose(&mut body, &fractions);
        let here = model.clearance(&body).unwrap();
        let slope = model.gradient(&body, &here);
        for (joint, own) in slope.iter().enumerate() {
            let (after, before) = (moved(&body, &model, joint, 1e-6), moved(&body, &model, joint, -1e-6));
            let sides = [(after.distance - here.distance) / 1e-6, (here.distance - before.distance) / 1e-6];
            // Where another pair or another feature becomes the nearest, the distance has no derivative.
            if after.pair == here.pair && before.pair == here.pair && (sides[0] - sides[1]).abs() < 1e-3 {
                let numeric = 0.5 * (sides[0] + sides[1]);
                prop_assert!((own - numeric).abs() < 2e-3, "{joint}: {own} and {numeric}");
            }
        }
    }

    /// A goal that is reported as reached is met without collisions, and the report does not depend on earlier solves.
    #[test]
    fn reached_goals_are_free_of_collisions(
        fractions in prop::array::uniform7(0.05_f64..0.95), at in prop::array::uniform3(-0.5_f64..0.5),
        size in 0.05_f64..0.3,
    ) {
        let (mut body, mut model) = panda();
        model.add_obstacle(Obstacle::cuboid(DVec3::from(at) + DVec3::Z * 0.5, DVec3::splat(size))).unwrap();
        model.set_margin(0.005).unwrap();
        let start = body.clone();
        pose(&mut body, &fractions);
        let position = body.world_from_link(LinkIndex(7)).unwrap().translation;
        let goals = [Goal::pose(LinkIndex(7), position, body.orientation(LinkIndex(7)).unwrap())];
        let options = Options::default().with_tolerance(1e-6);
        let mut body = start.clone();
        let mut solver = Solver::default();
        let report = solver.solve_clear(&mut body, &goals, &options, &model).unwrap().clone();
        let nearest = model.clearance(&body).unwrap();
        if report.reached() {
            prop_assert!(nearest.distance >= 0.005, "{nearest:?}");
            prop_assert!(body.world_from_link(LinkIndex(7)).unwrap().translation.distance(position) < 1e-6);
        }
        if nearest.distance < 0.005 {
            prop_assert_eq!(report.goals[0].outcome, Outcome::BlockedByContact);
            prop_assert!(!report.held_by.is_empty());
        }
        let mut again = start;
        prop_assert_eq!(solver.solve_clear(&mut again, &goals, &options, &model).unwrap(), &report);
        prop_assert_eq!(again.rotations(), body.rotations());
    }
}

/// Most reachable poses of the Panda have an answer that is free of collisions.
#[test]
fn poses_of_an_arm_are_found_without_collisions() {
    let (start, mut model) = panda();
    model.add_obstacle(Obstacle::sphere(DVec3::new(0.45, 0.0, 0.45), 0.1)).unwrap();
    let cases = Robot::Panda.cases(300, 7).unwrap();
    let (mut solver, options) = (Solver::default(), Options::default().with_tolerance(1e-6));
    let (mut wanted, mut found) = (0, 0);
    for goal in &cases.goals {
        let mut body = start.clone();
        let reached = solver.solve_clear(&mut body, &[*goal], &options, &model).unwrap().reached();
        assert!(!reached || model.clearance(&body).unwrap().distance >= 0.0);
        wanted += 1;
        found += usize::from(reached);
    }
    assert!(found * 100 >= 70 * wanted, "{found} of {wanted}");
}

/// Story: a plain solve went straight through an obstacle between the arm and its goal.
#[test]
fn an_arm_reaches_around_an_obstacle() {
    let (mut arm, mut model) = planar(4);
    model.add_obstacle(Obstacle::sphere(DVec3::new(0.7, 0.5, 0.0), 0.2)).unwrap();
    model.set_margin(0.01).unwrap();
    let goals = [Goal::position(LinkIndex(4), DVec3::new(0.75, 0.95, 0.0))];
    let mut solver = Solver::default();
    let mut plain = arm.clone();
    assert!(solver.solve(&mut plain, &goals, &Options::default()).unwrap().reached());
    assert!(model.clearance(&plain).unwrap().distance < 0.0);
    assert!(solver.solve_clear(&mut arm, &goals, &Options::default(), &model).unwrap().reached());
    assert!(model.clearance(&arm).unwrap().distance >= 0.01);
}

/// Story: a target inside an obstacle was reported as reached.
#[test]
fn a_target_inside_an_obstacle_is_blocked() {
    let (mut arm, mut model) = planar(3);
    model.add_obstacle(Obstacle::cuboid(DVec3::new(0.5, 0.6, 0.0), DVec3::splat(0.3))).unwrap();
    let goals = [Goal::position(LinkIndex(3), DVec3::new(0.5, 0.6, 0.0))];
    let mut solver = Solver::default();
    let report = solver.solve_clear(&mut arm, &goals, &Options::default(), &model).unwrap();
    assert_eq!(report.goals[0].outcome, Outcome::BlockedByContact);
    assert!(matches!(report.held_by[0], crate::Hold::Obstacle(_, 0)), "{:?}", report.held_by);
    assert!(model.clearance(&arm).unwrap().distance >= 0.0);
}

/// Story: a drag into an obstacle tunnelled through it. The arm stops in front of it, and slides along it.
#[test]
fn a_drag_does_not_pass_through_an_obstacle() {
    let (mut arm, mut model) = planar(3);
    model.add_obstacle(Obstacle::cuboid(DVec3::new(0.6, 0.0, 0.0), DVec3::new(0.2, 0.1, 0.4))).unwrap();
    for (link, angle) in [(0, 1.2), (1, -0.9), (2, -0.8)] {
        arm.set_joint_value(LinkIndex(link), angle).unwrap();
    }
    let (mut solver, options) = (Solver::default(), Options::default().with_start(Start::Continue));
    for step in 0..=60 {
        let target = DVec3::new(0.7, 0.5 - 0.02 * f64::from(step), 0.0);
        let before = arm.clone();
        solver.solve_clear(&mut arm, &[Goal::position(LinkIndex(3), target)], &options, &model).unwrap();
        let nearest = model.clearance(&arm).unwrap();
        assert!(nearest.distance >= 0.0, "{step}: {nearest:?}");
        let way = model.clearance_between(&before, &arm).unwrap();
        assert!(way.distance >= -1e-3, "{step}: {way:?}");
        for (a, b) in before.rotations().iter().zip(arm.rotations()) {
            assert!(a.angle_between(*b) < 0.6, "{step}: a link jumped");
        }
    }
}

/// Story: an arm that starts inside an obstacle had no way out.
#[test]
fn an_arm_moves_out_of_an_overlap() {
    let (mut arm, mut model) = planar(2);
    model.add_obstacle(Obstacle::sphere(DVec3::new(0.6, 0.02, 0.0), 0.1)).unwrap();
    assert!(model.clearance(&arm).unwrap().distance < 0.0);
    let goals = [Goal::position(LinkIndex(2), DVec3::new(0.5, -0.5, 0.0))];
    let options = Options::default().with_restarts(0);
    assert!(Solver::default().solve_clear(&mut arm, &goals, &options, &model).unwrap().reached());
    assert!(model.clearance(&arm).unwrap().distance >= 0.0);
}

#[test]
fn pairs_that_are_next_to_each_other_may_touch() {
    let (arm, mut model) = planar(4);
    let pair = |a, b| [a, b].map(|link| CollisionBody::Link(LinkIndex(link)));
    assert_eq!(model.pairs(), [pair(0, 2), pair(0, 3), pair(1, 3)]);
    model.allow(CollisionBody::Link(LinkIndex(3)), CollisionBody::Link(LinkIndex(0)));
    assert_eq!(model.pairs(), [pair(0, 2), pair(1, 3)]);
    let mut folded = arm.clone();
    folded.set_joint_value(LinkIndex(1), 2.8).unwrap();
    folded.set_joint_value(LinkIndex(2), 2.8).unwrap();
    model.allow_overlaps(&folded);
    assert!(!model.pairs().contains(&pair(0, 2)));
    // Links that are fixed to each other form one part, and nothing moves the base.
    let links = vec![
        Link::base().with_limit(Limit::Locked),
        Link::child(LinkIndex(0), DVec3::X).with_limit(Limit::hinge(DVec3::Z, -PI..=PI)),
        Link::child(LinkIndex(1), DVec3::X).with_limit(Limit::Locked),
        Link::child(LinkIndex(2), DVec3::X).with_limit(Limit::hinge(DVec3::Z, -PI..=PI)),
    ];
    let body = Body::new(links, DAffine3::IDENTITY).unwrap();
    let ball = |link| BodyCapsule { link: LinkIndex(link), ends: [DVec3::ZERO; 2], radius: 0.1 };
    let mut model = CollisionModel::new(&body, (0..4).map(ball).collect()).unwrap();
    assert_eq!(model.pairs(), [pair(0, 3)]);
    model.add_obstacle(Obstacle::sphere(DVec3::ZERO, 0.5)).unwrap();
    assert_eq!(model.pairs().len(), 4);
    model.clear_obstacles();
    assert_eq!(model.pairs().len(), 1);
}

/// The gap of a link that follows another one depends on its leader.
#[test]
fn followers_count_in_gradients_and_steps() {
    let slide = |axis| Link::child(LinkIndex(0), DVec3::ZERO).with_limit(Limit::prismatic(axis, 0.0..=0.5));
    let mimic = Mimic { of: LinkIndex(1), ratio: 1.0, offset: 0.0 };
    let links = vec![
        Link::base().with_limit(Limit::Locked),
        slide(DVec3::X),
        slide(-DVec3::X).with_mimic(Some(mimic)),
    ];
    let mut body = Body::new(links, DAffine3::IDENTITY).unwrap();
    let ball = |link| BodyCapsule { link: LinkIndex(link), ends: [DVec3::ZERO; 2], radius: 0.05 };
    let mut model = CollisionModel::new(&body, vec![ball(2)]).unwrap();
    model.add_obstacle(Obstacle::sphere(DVec3::X * -0.4, 0.05)).unwrap();
    let nearest = model.clearance(&body).unwrap();
    assert!((model.gradient(&body, &nearest)[0] + 1.0).abs() < 1e-9);
    let goals = [Goal::position(LinkIndex(1), DVec3::X * 0.45)];
    let report =
        Solver::default().solve_clear(&mut body, &goals, &Options::default(), &model).unwrap().clone();
    assert!(!report.reached() && model.clearance(&body).unwrap().distance >= 0.0);
    assert!(body.displacement(LinkIndex(1)) > 0.28, "{}", body.displacement(LinkIndex(1)));
}

#[test]
fn errors_name_the_link_or_the_obstacle() {
    let (arm, mut model) = planar(2);
    let capsule = BodyCapsule { link: LinkIndex(9), ends: [DVec3::ZERO; 2], radius: 0.1 };
    let cause = |capsule| CollisionModel::new(&arm, vec![capsule]).unwrap_err().to_string();
    assert_eq!(cause(capsule), "a capsule is for link 9, but the body has only 3 links");
    let flat = BodyCapsule { link: LinkIndex(1), radius: 0.0, ..capsule };
    assert_eq!(cause(flat), "link 1: the radius of a capsule must be finite and greater than 0");
    let far = BodyCapsule { link: LinkIndex(1), ends: [DVec3::NAN; 2], ..capsule };
    assert_eq!(cause(far), "link 1: the ends of a capsule must be finite");
    for (obstacle, why) in [
        (Obstacle::sphere(DVec3::ZERO, -1.0), "the radius"),
        (Obstacle::sphere(DVec3::NAN, 1.0), "the position"),
        (Obstacle::capsule([DVec3::ZERO; 2], f64::NAN), "the radius"),
        (Obstacle::cuboid(DVec3::ZERO, DVec3::new(1.0, 0.0, 1.0)), "the size"),
        (Obstacle::hull(vec![DVec3::ONE; 5]), "the points of a hull must not lie in one plane"),
        (
            Obstacle::Box { centre: DVec3::ZERO, rotation: DQuat::from_array([0.0; 4]), size: DVec3::ONE },
            "the rotation",
        ),
    ] {
        let cause = model.add_obstacle(obstacle).unwrap_err().to_string();
        assert!(cause.starts_with(&format!("obstacle 0: {why}")), "{cause}");
    }
    assert!(model.set_margin(-0.1).unwrap_err().to_string().contains("margin"));
    let mut other = planar(5).0;
    let refused = Solver::default().solve_clear(&mut other, &[], &Options::default(), &model).unwrap_err();
    assert_eq!(refused.to_string(), "the collision model is for a body of 3 links, but the body has 6");
}
