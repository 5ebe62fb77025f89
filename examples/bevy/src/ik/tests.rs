//! Tests of `Reach` with entities that do not come from a file.

use super::*;

/// Returns an app with an arm of two joints whose root is moved, rotated and scaled: root, shoulder, elbow, hand.
fn app() -> (App, [Entity; 4]) {
    let mut app = App::new();
    app.add_plugins((TransformPlugin, ReachPlugin));
    let world = app.world_mut();
    let root = Transform::from_xyz(3.0, 1.0, -2.0).with_rotation(Quat::from_rotation_y(0.7));
    let root = world.spawn(root.with_scale(Vec3::splat(2.0))).id();
    let shoulder = world.spawn((Transform::from_xyz(0.0, 0.5, 0.0), ChildOf(root))).id();
    let limit = JointLimit::hinge(Quat::IDENTITY, Dir3::Z, 0.0..=2.5);
    let elbow = world.spawn((Transform::from_xyz(0.3, 0.0, 0.0), limit, ChildOf(shoulder))).id();
    let hand = world.spawn((Transform::from_xyz(0.25, 0.05, 0.0), ChildOf(elbow))).id();
    (app, [root, shoulder, elbow, hand])
}

fn position(app: &App, entity: Entity) -> Vec3 {
    app.world().get::<GlobalTransform>(entity).unwrap().translation()
}

fn report(app: &App, entity: Entity) -> &ReachReport {
    app.world().get::<ReachReport>(entity).unwrap()
}

#[test]
fn the_hand_reaches_in_the_frame_in_which_its_root_moves() {
    let (mut app, [root, _, elbow, hand]) = app();
    for frame in 0..20 {
        let sway = 0.1 * frame as f32;
        app.world_mut().get_mut::<Transform>(root).unwrap().translation.x = 3.0 + sway;
        let target = Vec3::new(3.4 + sway, 2.3 + 0.1 * sway.sin(), -1.5);
        app.world_mut().entity_mut(hand).insert(Reach::new(2, target));
        app.update();
        assert!(position(&app, hand).distance(target) < 1e-3, "frame {frame}: {:?}", report(&app, hand));
        let elbow = app.world().get::<Transform>(elbow).unwrap().rotation;
        let (axis, angle) = elbow.to_axis_angle();
        assert!((0.0..=2.5).contains(&angle) && axis.z > 0.999, "frame {frame}: {axis} {angle}");
    }
}

#[test]
fn the_limb_bends_towards_its_pole() {
    let (mut app, [_, _, elbow, hand]) = app();
    let target = Vec3::new(3.5, 2.3, -1.5);
    for pole in [Vec3::new(3.0, 9.0, -2.0), Vec3::new(3.0, -9.0, -2.0)] {
        let reach = Reach { pole: Some(pole), ..Reach::new(2, target) };
        app.world_mut().entity_mut(hand).insert(reach);
        app.update();
        assert!(position(&app, hand).distance(target) < 1e-3, "{:?}", report(&app, hand));
        assert_eq!(position(&app, elbow).y > 2.15, pole.y > 0.0);
    }
}

#[test]
fn a_limit_keeps_the_elbow_from_bending_further() {
    let (mut app, [_, _, elbow, hand]) = app();
    let limit = JointLimit::hinge(Quat::IDENTITY, Dir3::Z, 0.0..=0.3);
    app.world_mut().entity_mut(elbow).insert(limit);
    app.world_mut().entity_mut(hand).insert(Reach::new(2, Vec3::new(3.2, 2.3, -2.0)));
    app.update();
    let angle = app.world().get::<Transform>(elbow).unwrap().rotation.angle_between(Quat::IDENTITY);
    assert!((angle - 0.3).abs() < 1e-4, "{angle}");
    let ReachReport::Solved { outcome, error } = report(&app, hand) else {
        panic!("{:?}", report(&app, hand))
    };
    assert!(*outcome != Outcome::Reached && *error > 0.1, "{outcome} {error}");
}

#[test]
fn a_resting_target_changes_no_transform() {
    let (mut app, [_, shoulder, elbow, hand]) = app();
    app.world_mut().entity_mut(elbow).remove::<JointLimit>();
    let mut ticks = |target: Vec3| {
        let reach = Reach { method: Method::Dls, ..Reach::new(2, target) };
        app.world_mut().entity_mut(hand).insert(reach);
        app.update();
        [shoulder, elbow].map(|joint| {
            let joint = app.world().entity(joint);
            joint.get_change_ticks::<Transform>().unwrap().changed
        })
    };
    // The second target is out of reach.
    for target in [Vec3::new(3.4, 2.3, -1.5), Vec3::new(9.0, 2.3, -1.5)] {
        let solved = ticks(target);
        assert_eq!([ticks(target), ticks(target)], [solved, solved], "{target}");
    }
}

#[test]
fn an_invalid_problem_is_reported_and_turns_nothing() {
    let (mut app, [_, shoulder, _, hand]) = app();
    for reach in [Reach::new(4, Vec3::ZERO), Reach::new(2, Vec3::NAN)] {
        app.world_mut().entity_mut(hand).insert(reach);
        app.update();
        assert!(matches!(report(&app, hand), ReachReport::Failed(_)), "{:?}", report(&app, hand));
        assert_eq!(app.world().get::<Transform>(shoulder).unwrap().rotation, Quat::IDENTITY);
    }
}
