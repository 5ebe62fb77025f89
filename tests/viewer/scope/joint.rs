//! Tests of drags that turn one joint.

use std::f64::consts::PI;

use glam::{DVec3, Quat, Vec3};
use sinew::asset::load;
use sinew::ik::Limit;
use sinew::viewer::{Button, Command, DragScope, Event, Input, Key, NodePoint, Session};
use sinew_testkit::asset_path;

use super::{FAR, moved};
use crate::support::{at, drag_joint, mannequin_session, node, pose, position, session_of};

fn joint_session() -> Session {
    let mut session = mannequin_session();
    session.apply(Command::DragScope(DragScope::Joint));
    session
}

/// Drags a node to a world position.
fn drag_to(session: &mut Session, node: usize, to: Vec3) {
    session.apply(Command::GrabNode(NodePoint { node, offset: DVec3::ZERO }));
    session.apply(Command::DragTo(to.as_dvec3()));
}

#[test]
fn a_drag_turns_only_the_joint_above_the_grabbed_point() {
    let (mut session, mut input) = (mannequin_session(), Input::default());
    for scope in [DragScope::Limb, DragScope::Joint] {
        input.handle(Event::Key(Key::Char('l')), &mut session);
        assert_eq!(session.settings().drag_scope, scope);
    }
    drag_joint(&mut session, &mut input, "leftHand", FAR);
    assert_eq!(moved(&session).into_iter().collect::<Vec<_>>(), ["leftLowerArm"]);
    // While Alt is held, the whole body follows.
    input.handle(Event::Modifiers(false, false, true), &mut session);
    assert!(moved(&session).contains("hips"));
    input.handle(Event::Modifiers(false, false, false), &mut session);
    assert_eq!(moved(&session).len(), 1);
    input.handle(Event::Released(Button::Left), &mut session);
    session.apply(Command::Undo);
    assert!(moved(&session).is_empty());
}

#[test]
fn a_point_of_the_skin_turns_its_own_joint() {
    let mut session = joint_session();
    let arm = node(&session, "leftUpperArm");
    let elbow = node(&session, "leftLowerArm");
    let offset = session.puppet().character().skeleton.nodes[elbow].rest.translation.as_dvec3() * 0.5;
    session.apply(Command::GrabNode(NodePoint { node: arm, offset }));
    let start = session.puppet().world_from_node()[arm].transform_point3(offset.as_vec3());
    session.apply(Command::DragTo((start + Vec3::new(0.0, 0.06, 0.02)).as_dvec3()));
    assert_eq!(moved(&session).into_iter().collect::<Vec<_>>(), ["leftUpperArm"]);
}

/// The result depends on the position of the pointer, not on its path.
#[test]
fn a_circling_pointer_does_not_twist_the_joint() {
    let mut session = joint_session();
    let (hand, elbow) = (node(&session, "leftLowerArm"), node(&session, "leftUpperArm"));
    let (start, center) = (position(&session, hand), position(&session, elbow));
    let (before, axis) = (pose(&session), (start - center).normalize());
    session.apply(Command::GrabNode(NodePoint { node: hand, offset: DVec3::ZERO }));
    let side = axis.any_orthonormal_vector() * 0.1;
    for step in 0..=16_u8 {
        let turn = Quat::from_axis_angle(axis, f32::from(step) * std::f32::consts::TAU / 16.0);
        session.apply(Command::DragTo((start + turn * side).as_dvec3()));
    }
    session.apply(Command::DragTo(start.as_dvec3()));
    let angle = before.locals[elbow].rotation.angle_between(pose(&session).locals[elbow].rotation);
    assert!(angle < 1e-3, "{angle}");
}

#[test]
fn a_turned_joint_stays_within_its_limit() {
    let mut session = joint_session();
    let (hand, elbow) = (node(&session, "leftHand"), node(&session, "leftLowerArm"));
    let Limit::Hinge { axis, min, max } = session.puppet().rig.joint(elbow).limit else {
        panic!("an elbow is a hinge")
    };
    let to = position(&session, elbow) + Vec3::new(0.1, -1.0, 0.0);
    drag_to(&mut session, hand, to);
    let rest = session.puppet().character().skeleton.nodes[elbow].rest.rotation;
    let turn = (rest.conjugate() * pose(&session).locals[elbow].rotation).as_dquat();
    let angle = 2.0 * turn.xyz().dot(axis).atan2(turn.w);
    let angle = if angle > PI { angle - 2.0 * PI } else { angle };
    assert!((min - 1e-3..=max + 1e-3).contains(&angle), "{angle} of {min} to {max}");
}

#[test]
fn pins_below_the_joint_move_with_it_and_others_stay() {
    let mut session = joint_session();
    let (hand, foot) = (node(&session, "leftHand"), node(&session, "rightFoot"));
    let elbow = node(&session, "leftLowerArm");
    session.apply(Command::PinNode(hand));
    session.apply(Command::PinNode(foot));
    let (ankle, wrist) = (position(&session, foot), position(&session, hand));
    let to = position(&session, elbow) + Vec3::new(0.0, -0.1, 0.05);
    drag_to(&mut session, elbow, to);
    session.apply(Command::Release);
    assert_eq!(moved(&session).into_iter().collect::<Vec<_>>(), ["leftUpperArm"]);
    assert!(position(&session, foot) == ankle && position(&session, hand).distance(wrist) > 0.02);
    // The pin is where the hand is now.
    let wrist = position(&session, hand);
    session.apply(Command::DragScope(DragScope::Body));
    let head = node(&session, "head");
    let to = position(&session, head) + Vec3::new(0.0, 0.0, 0.03);
    drag_to(&mut session, head, to);
    assert!(position(&session, hand).distance(wrist) < 2e-3);
}

/// A robot arm, a fox and rigid parts have joints too.
#[test]
fn any_character_has_joints_that_turn() {
    for file in ["arm.glb", "spider.glb", "tentacle.glb"] {
        let mut session = session_of(load(&asset_path(file)).unwrap());
        session.apply(Command::DragScope(DragScope::Joint));
        let rig = &session.puppet().rig;
        let node = rig.chains.first().unwrap().effector;
        let to = position(&session, node) + Vec3::new(0.03, 0.05, -0.04);
        drag_to(&mut session, node, to);
        assert_eq!(moved(&session).len(), 1, "{file}: {:?}", moved(&session));
    }
}

/// Regression test: Shift+M mirrored the whole pose in the middle of a drag, because the modifier keys have other uses there.
#[test]
fn nothing_is_mirrored_during_a_drag() {
    let (mut session, mut input) = (joint_session(), Input::default());
    let hand = at(&session, "leftHand");
    input.handle(Event::Moved(hand), &mut session);
    input.handle(Event::Modifiers(true, false, false), &mut session);
    for step in 1..=8_u8 {
        input.handle(Event::Moved(hand + FAR * f32::from(step) / 8.0), &mut session);
    }
    let before = pose(&session);
    input.handle(Event::Key(Key::Char('m')), &mut session);
    assert!(session.is_dragging() && pose(&session) == before);
}
