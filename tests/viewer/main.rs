//! Tests of the viewer's session, driven by pointer and keyboard events as in the window.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use glam::{DVec3, Vec2, Vec3};
use sinew::puppet::GoalKind;
use sinew::scene::picking::{Ray, pick_skin, pixel};
use sinew::skin::Skinned;
use sinew::skin::Skinning;
use sinew::viewer::{Axis, Button, Command, Event, Input, Key, NodePoint, Session};

use crate::support::{
    SIZE, at, detected_session, drag, drag_joint, node, numbers, place, pose, position, random_event,
};

mod added;
mod bones;
mod clip_export;
mod compare;
mod files;
mod gizmo;
mod goals;
mod hand;
mod hovering;
mod key;
mod keymap;
mod landing;
mod library;
mod live;
mod onion;
mod opening;
mod poses;
mod posing;
mod project;
mod recording;
mod recovery;
mod scope;
mod secondary;
mod steps;
mod support;
mod timeline;
mod toast;
mod turn;
mod variants;
mod views;
mod watched;
mod window;

#[test]
fn dragged_hand_follows_the_pointer_and_stays_after_release() {
    let (mut session, mut input) = (detected_session(), Input::default());
    let (before, start) = (pose(&session), at(&session, "leftHand"));
    drag(&mut session, &mut input, start, Vec2::new(-60.0, -50.0));
    assert!(session.is_dragging(), "{:?}", session.error());
    assert!(session.reports().iter().all(|r| r.position_error.unwrap() < 2e-3), "{:?}", session.reports());
    assert!(at(&session, "leftHand").distance(start + Vec2::new(-60.0, -50.0)) < 3.0);
    let held = pose(&session);
    assert_ne!(before, held);
    input.handle(Event::Released(Button::Left), &mut session);
    assert!(!session.is_dragging());
    assert_eq!(held, pose(&session));
}

#[test]
fn nodes_are_dragged_and_pinned_in_world_space_without_a_camera() {
    let mut session = detected_session();
    let [hand, foot, elbow] = ["leftHand", "rightFoot", "leftLowerArm"].map(|name| node(&session, name));
    // A point of the forearm follows its target for any pointer position, axis and grid.
    let offset = Vec3::new(0.05, -0.04, 0.0);
    let point = |session: &Session| session.puppet().world_from_node()[elbow].transform_point3(offset);
    let start = point(&session);
    session.apply(Command::Hover(Vec2::new(3.0, 4.0)));
    session.apply(Command::GrabNode(NodePoint { node: elbow, offset: offset.as_dvec3() }));
    assert!(session.is_dragging());
    session.apply(Command::Constrain(Axis::Y));
    session.apply(Command::Snap(true));
    let target = start + Vec3::new(-0.03, 0.02, 0.051);
    session.apply(Command::DragTo(target.as_dvec3()));
    assert!(point(&session).distance(target) < 1e-3);
    // Invalid positions have no effect.
    let held = pose(&session);
    session.apply(Command::DragTo(DVec3::new(f64::NAN, 0.0, 0.0)));
    session.apply(Command::DragTo(DVec3::splat(1e300)));
    assert_eq!(held, pose(&session));
    session.apply(Command::Release);
    assert!(!session.is_dragging());
    session.apply(Command::Undo);
    assert!(point(&session).distance(start) < 1e-6);
    // A drag without a grabbed node, and unknown nodes, are ignored.
    session.apply(Command::DragTo(DVec3::ZERO));
    session.apply(Command::GrabNode(NodePoint { node: usize::MAX, offset: DVec3::ZERO }));
    session.apply(Command::PinNode(usize::MAX));
    assert!(!session.is_dragging());
    // A pin holds while another node is dragged, and is removed by the same command.
    let ankle = position(&session, foot);
    session.apply(Command::PinNode(foot));
    session.apply(Command::GrabNode(NodePoint { node: hand, offset: DVec3::ZERO }));
    let near = position(&session, hand) + Vec3::new(-0.05, 0.0, 0.0);
    session.apply(Command::DragTo(near.as_dvec3()));
    let pins = |session: &Session| session.reports().iter().filter(|r| r.kind == GoalKind::Pin).count();
    assert_eq!(pins(&session), 1);
    assert!(position(&session, foot).distance(ankle) < 1e-4);
    session.apply(Command::PinNode(foot));
    assert!(!session.is_dragging(), "pinning ends the drag");
    session.apply(Command::GrabNode(NodePoint { node: hand, offset: DVec3::ZERO }));
    session.apply(Command::DragTo(near.as_dvec3()));
    assert_eq!(pins(&session), 0);
}

#[test]
fn any_point_of_the_skin_can_be_dragged() {
    let (mut session, mut input) = (detected_session(), Input::default());
    let between = at(&session, "leftLowerArm").lerp(at(&session, "leftHand"), 0.5);
    input.handle(Event::Moved(between), &mut session);
    let hit = session.hovered().unwrap();
    assert!(!hit.handle);
    drag(&mut session, &mut input, between, Vec2::new(-20.0, -25.0));
    assert!(session.error().is_none(), "{:?}", session.error());
    let world = session.puppet().world_from_node()[hit.node];
    let now = pixel(&session.camera(), world.transform_point3(hit.offset.as_vec3()), SIZE).unwrap();
    assert!(now.distance(between + Vec2::new(-20.0, -25.0)) < 4.0, "{now}, {:?}", session.reports());
}

#[test]
fn slow_drag_does_not_jump() {
    let (mut session, mut input) = (detected_session(), Input::default());
    let start = at(&session, "leftHand");
    input.handle(Event::Moved(start), &mut session);
    input.handle(Event::Pressed(Button::Left, false), &mut session);
    let mut before = pose(&session);
    for step in 0..200_u16 {
        let turn = f32::from(step) / 200.0 * std::f32::consts::TAU;
        let to = start + Vec2::new(-60.0 + 60.0 * turn.cos(), 60.0 * turn.sin());
        input.handle(Event::Moved(to), &mut session);
        let now = pose(&session);
        let pairs = now.locals.iter().zip(&before.locals);
        let max = pairs.map(|(a, b)| a.rotation.angle_between(b.rotation)).fold(0.0, f32::max);
        assert!(max < 0.35, "step {step}: {max} rad");
        before = now;
    }
}

#[test]
fn escape_undo_and_redo_restore_the_exact_pose() {
    let (mut session, mut input) = (detected_session(), Input::default());
    let (rest, start) = (pose(&session), at(&session, "leftHand"));
    drag(&mut session, &mut input, start, Vec2::new(-60.0, -50.0));
    input.handle(Event::Key(Key::Escape), &mut session);
    assert!(!session.is_dragging());
    assert_eq!(rest, pose(&session));
    input.handle(Event::Released(Button::Left), &mut session);
    drag(&mut session, &mut input, start, Vec2::new(-30.0, 40.0));
    input.handle(Event::Released(Button::Left), &mut session);
    let dragged = pose(&session);
    input.handle(Event::Modifiers(false, true, false), &mut session);
    input.handle(Event::Key(Key::Char('z')), &mut session);
    assert_eq!(rest, pose(&session));
    input.handle(Event::Modifiers(true, true, false), &mut session);
    input.handle(Event::Key(Key::Char('z')), &mut session);
    assert_eq!(dragged, pose(&session));
}

#[test]
fn dragging_the_hips_keeps_the_feet_in_place() {
    let (mut session, mut input) = (detected_session(), Input::default());
    let (hips, foot) = (at(&session, "hips"), at(&session, "leftFoot"));
    session.apply(Command::Hover(hips));
    drag(&mut session, &mut input, hips, Vec2::new(0.0, 25.0));
    assert!(session.error().is_none(), "{:?}", session.error());
    assert!(at(&session, "leftFoot").distance(foot) < 3.0);
    assert!(at(&session, "hips").y > hips.y + 10.0);
}

#[test]
fn axis_key_constrains_and_wheel_pushes() {
    let (mut session, mut input) = (detected_session(), Input::default());
    let start = at(&session, "leftHand");
    let before = place(&session, "leftHand");
    input.handle(Event::Moved(start), &mut session);
    input.handle(Event::Pressed(Button::Left, false), &mut session);
    input.handle(Event::Key(Key::Char('y')), &mut session);
    input.handle(Event::Moved(start + Vec2::new(35.0, -50.0)), &mut session);
    let now = place(&session, "leftHand");
    assert!((now - before).x.abs() < 5e-3 && (now - before).z.abs() < 5e-3 && now.y > before.y + 0.02);
    input.handle(Event::Key(Key::Char('y')), &mut session);
    input.handle(Event::Wheel(2.0), &mut session);
    assert!(session.error().is_none());
}

#[test]
fn every_method_key_solves_or_reports_an_error() {
    for key in '0'..='9' {
        let (mut session, mut input) = (detected_session(), Input::default());
        input.handle(Event::Key(Key::Char(key)), &mut session);
        drag_joint(&mut session, &mut input, "leftHand", Vec2::new(-40.0, -30.0));
        assert!(session.is_dragging(), "{key}");
        assert!(session.error().is_some() || !session.reports().is_empty(), "{key}");
    }
}

#[test]
fn picking_matches_the_skinned_surface() {
    let session = detected_session();
    let (mut skinned, mut vertices, mut hits) = (Skinned::default(), Vec::new(), 0);
    for part in 0..session.puppet().parts().len() {
        session.puppet().skin(part, &mut skinned);
        vertices.extend_from_slice(&skinned.positions);
    }
    for x in 0..40_u8 {
        for y in 0..25_u8 {
            let place = Vec2::new(f32::from(x) * 32.0, f32::from(y) * 32.0);
            let ray = Ray::through(&session.camera(), place, SIZE).unwrap();
            let Some(hit) = pick_skin(session.puppet(), &ray) else { continue };
            let back = session.puppet().world_from_node()[hit.node].transform_point3(hit.offset.as_vec3());
            assert!(back.distance(hit.point) < 1e-4);
            assert!(pixel(&session.camera(), hit.point, SIZE).unwrap().distance(place) < 0.05);
            assert!(vertices.iter().any(|p| p.distance(hit.point) < 0.12), "{}", hit.point);
            hits += 1;
        }
    }
    assert!(hits > 20, "only {hits} pixels hit the skin");
}

/// If shift is held and no button is pressed, moving the pointer over empty space drags the selected joint.
#[test]
fn shift_drags_the_selected_joint_on_empty_space() {
    let (mut session, mut input) = (detected_session(), Input::default());
    let (before, hand) = (pose(&session), at(&session, "leftHand"));
    let node = session.puppet().character().skeleton.find("leftHand");
    let offset = |by: Vec2| hand + by;
    let path = [Vec2::new(20.0, -60.0), Vec2::new(0.0, -80.0), Vec2::new(-30.0, -70.0)].map(offset);
    let shift_drag = |session: &mut Session, input: &mut Input| {
        input.handle(Event::Moved(offset(Vec2::new(60.0, -30.0))), session);
        assert!(!session.is_hovering(), "the pointer must be on empty space");
        input.handle(Event::Modifiers(true, false, false), session);
        path.into_iter().for_each(|to| input.handle(Event::Moved(to), session));
    };
    // Without a selection, nothing is dragged.
    shift_drag(&mut session, &mut input);
    assert!(!session.is_dragging() && pose(&session) == before);
    input.handle(Event::Modifiers(false, false, false), &mut session);
    session.apply(Command::Select(node));
    shift_drag(&mut session, &mut input);
    assert!(session.is_dragging(), "{:?}", session.error());
    let last = path[2];
    assert!(at(&session, "leftHand").distance(last) < 3.0, "{} {last}", at(&session, "leftHand"));
    input.handle(Event::Modifiers(false, false, false), &mut session);
    assert!(!session.is_dragging() && session.selected() == node);
    let held = pose(&session);
    session.apply(Command::Undo);
    assert_eq!(pose(&session), before, "the drag must be one undo step");
    session.apply(Command::Redo);
    assert_eq!(pose(&session), held);
    // Escape cancels the drag, and no new one starts until shift is released.
    shift_drag(&mut session, &mut input);
    input.handle(Event::Key(Key::Escape), &mut session);
    input.handle(Event::Moved(path[0]), &mut session);
    assert!(!session.is_dragging() && pose(&session) == held);
    // If the pointer is over a body part, that part is dragged. If it is outside the scene, nothing is dragged.
    input.handle(Event::Modifiers(false, false, false), &mut session);
    let other = at(&session, "rightHand");
    input.handle(Event::Moved(other), &mut session);
    input.handle(Event::Modifiers(true, false, false), &mut session);
    input.handle(Event::Moved(other + Vec2::new(0.0, -30.0)), &mut session);
    assert!(at(&session, "rightHand").distance(other) > 20.0);
    input.handle(Event::Modifiers(false, false, false), &mut session);
    input.handle(Event::Moved(Vec2::new(20.0, 20.0)), &mut session);
    input.handle(Event::Modifiers(true, false, false), &mut session);
    let unchanged = pose(&session);
    input.handle(Event::Moved(Vec2::NEG_ONE), &mut session);
    input.handle(Event::Moved(Vec2::new(22.0, 20.0)), &mut session);
    assert!(!session.is_dragging() && pose(&session) == unchanged);
}

/// A thousand random events cause neither a panic nor values that are not finite, and a second run produces the same result.
#[test]
fn random_events_are_handled_reproducibly() {
    let run = || {
        let (mut session, mut input) = (detected_session(), Input::default());
        let mut next = numbers(0x9E37_79B9_7F4A_7C15);
        for _ in 0..1000 {
            let position = Vec2::new(f32::from(next(1400)) - 60.0, f32::from(next(900)) - 50.0);
            input.handle(random_event(&mut next, position, "0123456789xyzpbrfsekl .,"), &mut session);
            if next(40) == 0 {
                session.apply(Command::Resize(Vec2::new(f32::from(next(2)), f32::from(next(3)))));
                session.apply(Command::Drag(Vec2::NAN));
                session.apply(Command::Resize(SIZE));
            }
        }
        input.handle(Event::Key(Key::Escape), &mut session);
        assert!(session.camera().position.is_finite());
        let pose = pose(&session);
        assert!(pose.locals.iter().all(|l| l.rotation.is_finite() && l.translation.is_finite()));
        pose
    };
    assert_eq!(run(), run());
}

#[test]
fn skinning_method_can_be_changed_and_survives_a_reload() {
    let (mut session, mut input) = (detected_session(), Input::default());
    drag_joint(&mut session, &mut input, "leftHand", Vec2::new(-60.0, -50.0));
    let (held, linear) = (pose(&session), session.puppet().palette().matrices.clone());
    session.apply(Command::Skinning(Skinning::DualQuaternion));
    assert!(session.frame(1.0).instances[0].draws.iter().any(|d| d.dual));
    let mut reloaded = detected_session();
    reloaded.take_over(&session, true);
    assert!(reloaded.frame(1.0).instances[0].draws.iter().any(|d| d.dual));
    session.apply(Command::Skinning(Skinning::Linear));
    assert_eq!((held, linear), (pose(&session), session.puppet().palette().matrices.clone()));
}
