//! Rings of several joints, with pins, and in symmetric drags.

use glam::Vec2;
use sinew::rig;
use sinew::scene::picking::pixel;

use super::*;
use crate::support::{drag_joint, place};

/// Returns the pixel of a ring about the world's z axis, at an angle from its point closest to the camera.
fn on_ring(session: &Session, name: &str, angle: f32) -> Vec2 {
    let center = place(session, name);
    let radius = metres(session, center, 84.0);
    let to_camera = (session.camera().position - center).normalize();
    let (sin, cos) = (to_camera.y.atan2(to_camera.x) + angle).sin_cos();
    pixel(&session.camera(), center + radius * Vec3::new(cos, sin, 0.0), SIZE).unwrap()
}

/// Drags the ring of the selected joint to turn it about the world's z axis, without releasing the button.
fn turn(session: &mut Session, input: &mut Input, name: &str, angle: f32) {
    let pixels: Vec<Vec2> =
        (0..=10_u8).map(|i| on_ring(session, name, angle * f32::from(i) / 10.0)).collect();
    input.handle(Event::Moved(pixels[0]), session);
    input.handle(Event::Pressed(Button::Left, false), session);
    pixels[1..].iter().for_each(|&to| input.handle(Event::Moved(to), session));
    assert!(session.is_dragging(), "the ring of {name} was not grabbed");
}

fn turned(session: &Session, name: &str) -> glam::DQuat {
    rig::orientation(&session.puppet().character().skeleton, session.puppet().pose(), node(session, name))
}

#[test]
fn ring_turns_all_selected_joints_once() {
    let (mut session, mut input) = (mannequin_session(), Input::default());
    session.apply(Command::RingMode(RingMode { alone: true, world: true }));
    let names = ["leftLowerLeg", "rightUpperLeg", "leftUpperLeg"];
    for joint in names.map(|n| node(&session, n)) {
        session.apply(Command::Limit(joint, sinew::ik::Limit::Free));
        session.apply(Command::Release);
        session.apply(Command::SelectAdd(joint));
    }
    let (before, starts) = (pose(&session), names.map(|n| turned(&session, n)));
    turn(&mut session, &mut input, "leftUpperLeg", 0.3);
    for (name, start) in names.into_iter().zip(starts) {
        // The shin is a descendant of a turned joint, and must not turn twice.
        let angle = turned(&session, name).angle_between(start);
        assert!((angle - 0.3).abs() < 1e-2, "{name}: {angle}");
    }
    let shin = node(&session, "leftLowerLeg");
    assert_eq!(session.puppet().pose().locals[shin], before.locals[shin]);
    input.handle(Event::Released(Button::Left), &mut session);
    session.apply(Command::Undo);
    assert_eq!(pose(&session), before, "the turn must be one undo step");
}

/// Returns the joints that have moved, except in some subtrees.
fn moved_outside(session: &Session, before: &[DVec3], tops: &[&str]) -> Vec<String> {
    let skeleton = &session.puppet().character().skeleton;
    let tops: Vec<usize> = tops.iter().map(|n| node(session, n)).collect();
    let now = places(session);
    let is_outside = |&n: &usize| !skeleton.ancestors(n).any(|a| tops.contains(&a));
    let moved = (0..now.len()).filter(is_outside).filter(|&n| now[n].distance(before[n]) > 1e-4);
    moved.map(|n| skeleton.label(n)).collect()
}

/// Returns a bent pose with pinned feet and a pinned right hand.
fn pinned() -> Session {
    let mut session = mannequin_session();
    let [hips, left, right] = ["hips", "leftHand", "rightHand"].map(|n| node(&session, n));
    pull_by(&mut session, hips, Vec3::new(0.0, -0.12, 0.02));
    pull_by(&mut session, left, Vec3::new(-0.05, 0.3, 0.25));
    pull_by(&mut session, right, Vec3::new(0.1, 0.2, 0.3));
    for name in ["leftFoot", "rightFoot", "rightHand"] {
        let pin = node(&session, name);
        session.apply(Command::PinNode(pin));
    }
    session
}

#[test]
fn ring_beside_pins_moves_only_its_limb() {
    for alone in [false, true] {
        let (mut session, mut input) = (pinned(), Input::default());
        session.apply(Command::RingMode(RingMode { alone, world: true }));
        select(&mut session, "leftHand");
        let (before, start) = (places(&session), turned(&session, "leftHand"));
        turn(&mut session, &mut input, "leftHand", 0.3);
        assert!(turned(&session, "leftHand").angle_between(start) > 0.1);
        let moved = moved_outside(&session, &before, &["leftUpperArm"]);
        assert!(moved.is_empty(), "alone {alone}: {moved:?}");
        input.handle(Event::Released(Button::Left), &mut session);
        let moved = moved_outside(&session, &before, &["leftUpperArm"]);
        assert!(moved.is_empty(), "alone {alone}, released: {moved:?}");
    }
}

#[test]
fn turned_chest_keeps_the_pinned_hand_and_the_rest_of_the_body() {
    let (mut session, mut input) = (pinned(), Input::default());
    session.apply(Command::RingMode(RingMode { alone: true, world: true }));
    select(&mut session, "chest");
    let (before, hand) = (places(&session), node(&session, "rightHand"));
    let start = turned(&session, "chest");
    turn(&mut session, &mut input, "chest", 0.12);
    assert!(turned(&session, "chest").angle_between(start) > 0.05);
    assert!(
        places(&session)[hand].distance(before[hand]) < 2e-3,
        "{:?} {:?}",
        session.error(),
        session.reports()
    );
    let moved = moved_outside(&session, &before, &["chest"]);
    assert!(moved.is_empty(), "{moved:?}");
    input.handle(Event::Released(Button::Left), &mut session);
    assert!(places(&session)[hand].distance(before[hand]) < 2e-3, "the pin must stay where it was");
}

/// The effect of the pins: the legs bend so that the feet stay where they are.
#[test]
fn turned_hips_keep_the_pinned_feet() {
    let (mut session, mut input) = (pinned(), Input::default());
    session.apply(Command::RingMode(RingMode { alone: true, world: true }));
    select(&mut session, "hips");
    let before = places(&session);
    turn(&mut session, &mut input, "hips", 0.08);
    for name in ["leftFoot", "rightFoot", "rightHand"] {
        let gap = places(&session)[node(&session, name)].distance(before[node(&session, name)]);
        assert!(gap < 2e-3, "{name}: {gap} {:?}", session.error());
    }
    assert!(places(&session)[node(&session, "hips")].distance(before[node(&session, "hips")]) < 1e-4);
}

#[test]
fn symmetric_ring_turns_both_sides() {
    let (mut session, mut input) = (mannequin_session(), Input::default());
    session.apply(Command::RingMode(RingMode { alone: true, world: true }));
    session.apply(Command::Symmetry(true));
    select(&mut session, "leftUpperArm");
    let (before, mirror) = (pose(&session), mirror(&session));
    turn(&mut session, &mut input, "leftUpperArm", 0.25);
    input.handle(Event::Released(Button::Left), &mut session);
    let [left, right] = ["leftHand", "rightHand"].map(|n| places(&session)[node(&session, n)]);
    assert!(mirror.point(left).distance(right) < 2e-3);
    assert!(difference(&pose(&session), &before) > 0.1);
    session.apply(Command::Undo);
    assert_eq!(pose(&session), before);
}

#[test]
fn drag_beside_a_ring_still_moves_the_body() {
    let (mut session, mut input) = (pinned(), Input::default());
    let before = places(&session);
    drag_joint(&mut session, &mut input, "leftHand", Vec2::new(-80.0, -60.0));
    assert!(!moved_outside(&session, &before, &["leftUpperArm"]).is_empty());
}
