//! Rings of the gizmo, which rotate the selected joint.

use glam::{DQuat, DVec3, EulerRot, Vec2, Vec3};
use sinew::ik::Limit;
use sinew::rig;
use sinew::scene::picking::pixel;
use sinew::viewer::{Button, Command, Event, Input, Key, RingMode, Session};

use super::{metres, release, select, undo};
use crate::support::{SIZE, drag, drag_joint, mannequin_session, node, place, pose};

#[test]
fn ring_rotates_the_hand_in_place() {
    let (mut session, mut input) = (mannequin_session(), Input::default());
    let hand = node(&session, "leftHand");
    drag_joint(&mut session, &mut input, "leftHand", Vec2::new(-70.0, -60.0));
    release(&mut session, &mut input);
    session.apply(Command::Limit(hand, Limit::Free));
    session.apply(Command::Release);
    session.apply(Command::RingMode(RingMode { alone: false, world: true }));
    select(&mut session, "leftHand");
    let (center, skeleton) = (place(&session, "leftHand"), session.puppet().character().skeleton.clone());
    let turned = |session: &Session| rig::orientation(&skeleton, session.puppet().pose(), hand);
    let (before, own, elbow) = (pose(&session), turned(&session), place(&session, "leftLowerArm"));
    // Drag the z ring by 0.5 rad from its point closest to the camera.
    let radius = metres(&session, center, 84.0);
    let to_camera = (session.camera().position - center).normalize();
    let first = f64::from(to_camera.y.atan2(to_camera.x));
    let on_ring = |session: &Session, angle: f64| {
        let (sin, cos) = (first + angle).sin_cos();
        let place = center + radius * DVec3::new(cos, sin, 0.0).as_vec3();
        pixel(&session.camera(), place, SIZE).unwrap()
    };
    input.handle(Event::Moved(on_ring(&session, 0.0)), &mut session);
    input.handle(Event::Pressed(Button::Left, false), &mut session);
    for step in 1..=10 {
        input.handle(Event::Moved(on_ring(&session, f64::from(step) * 0.05)), &mut session);
    }
    let expected = DQuat::from_rotation_z(0.5) * own;
    assert!(turned(&session).angle_between(expected) < 5e-3, "{}", turned(&session).angle_between(own));
    assert!(place(&session, "leftHand").distance(center) < 2e-3);
    input.handle(Event::Modifiers(false, true, false), &mut session);
    let steps = turned(&session).angle_between(own).to_degrees() / 15.0;
    assert!((steps - steps.round()).abs() < 0.02, "{steps} is not a whole number of 15 degree steps");
    input.handle(Event::Modifiers(false, false, false), &mut session);
    input.handle(Event::Key(Key::Escape), &mut session);
    assert_eq!(before, pose(&session));
    assert!(place(&session, "leftLowerArm").distance(elbow) < 1e-6);
}

#[test]
fn ring_rotates_a_single_joint_up_to_its_limit() {
    let (mut session, mut input) = (mannequin_session(), Input::default());
    let joint = node(&session, "rightUpperLeg");
    session.apply(Command::Limit(
        joint,
        Limit::Euler { order: EulerRot::XYZ, min: [-0.2, 0.0, 0.0], max: [0.2, 0.0, 0.0] },
    ));
    session.apply(Command::Release);
    session.apply(Command::RingMode(RingMode { alone: true, world: true }));
    select(&mut session, "rightUpperLeg");
    let (center, before) = (place(&session, "rightUpperLeg"), pose(&session));
    let radius = metres(&session, center, 84.0);
    let to_camera = (session.camera().position - center).normalize();
    let first = to_camera.z.atan2(to_camera.y);
    let on_ring = |session: &Session, angle: f32| {
        let (sin, cos) = (first + angle).sin_cos();
        pixel(&session.camera(), center + radius * Vec3::new(0.0, cos, sin), SIZE).unwrap()
    };
    let mut max_angle: f32 = 0.0;
    input.handle(Event::Moved(on_ring(&session, 0.0)), &mut session);
    input.handle(Event::Pressed(Button::Left, false), &mut session);
    for step in 1..=10_u8 {
        input.handle(Event::Moved(on_ring(&session, f32::from(step) * 0.1)), &mut session);
        let local = session.puppet().pose().locals[joint].rotation;
        max_angle = max_angle.max(before.locals[joint].rotation.angle_between(local));
    }
    release(&mut session, &mut input);
    assert!((max_angle - 0.2).abs() < 1e-3, "{max_angle}");
    let after = pose(&session);
    let others = after.locals.iter().zip(&before.locals).enumerate();
    assert!(others.filter(|(n, _)| *n != joint).all(|(_, (now, then))| *now == *then));
    undo(&mut session, &mut input);
    assert_eq!(before, pose(&session));
}

#[test]
fn ring_drag_is_kept_as_a_goal_and_the_gizmo_scales() {
    let (mut session, mut input) = (mannequin_session(), Input::default());
    let joint = node(&session, "leftHand");
    session.apply(Command::Limit(joint, Limit::Free));
    session.apply(Command::Release);
    session.apply(Command::KeepGoals(true));
    session.apply(Command::RingMode(RingMode { alone: false, world: true }));
    session.apply(Command::Scale(2.0));
    select(&mut session, "leftHand");
    // Drag the y ring at its point closest to the camera. The overlay scale of 2 doubles the
    // radius of the ring.
    let center = place(&session, "leftHand");
    let to_camera = (session.camera().position - center).with_y(0.0).normalize();
    let start = pixel(&session.camera(), center + to_camera * metres(&session, center, 168.0), SIZE).unwrap();
    drag(&mut session, &mut input, start, Vec2::new(60.0, 0.0));
    assert!(session.is_dragging());
    release(&mut session, &mut input);
    let before = session.rig().clone();
    let skeleton = session.puppet().character().skeleton.clone();
    let turned = rig::orientation(&skeleton, session.puppet().pose(), joint);
    let rest = rig::orientation(&skeleton, &sinew::pose::Pose::rest(&skeleton), joint);
    assert!(turned.angle_between(rest) > 0.15, "{}", turned.angle_between(rest));
    // Rotating another joint on its own keeps the hand's orientation and position.
    session.apply(Command::Scale(1.0));
    select(&mut session, "leftUpperArm");
    input.handle(Event::Key(Key::Char('e')), &mut session);
    let shoulder = place(&session, "leftUpperArm");
    let to_camera = (session.camera().position - shoulder).with_y(0.0).normalize();
    let start =
        pixel(&session.camera(), shoulder + to_camera * metres(&session, shoulder, 84.0), SIZE).unwrap();
    let arm = pose(&session).locals[node(&session, "leftUpperArm")];
    drag(&mut session, &mut input, start, Vec2::new(12.0, 0.0));
    assert!(session.is_dragging());
    assert_ne!(arm, pose(&session).locals[node(&session, "leftUpperArm")]);
    release(&mut session, &mut input);
    assert!(session.error().is_none(), "{:?}", session.error());
    let now = rig::orientation(&skeleton, session.puppet().pose(), joint);
    assert!(now.angle_between(turned) < 5e-3 && place(&session, "leftHand").distance(center) < 2e-3);
    assert!(*session.rig() == before);
}
