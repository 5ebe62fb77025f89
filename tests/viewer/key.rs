//! Tests of the K key, which inserts the current pose as a key into the motion.

use std::fs;
use std::time::Duration;

use glam::{Vec2, Vec3};
use sinew::viewer::{Button, Command, Event, Input, Key, Recorder, RingMode, Session};
use sinew_testkit::folder;

use crate::support::{at, drag_joint, mannequin_session, node, place, pose, replayed};

mod contacts;
mod goals;
mod joints;
mod poses;

const NOW: f32 = 0.5;

/// Returns the mannequin with its first clip, paused at [`NOW`].
fn paused_session() -> Session {
    let mut session = mannequin_session();
    session.apply(Command::Clip(Some(0)));
    session.apply(Command::Play(false));
    session.apply(Command::Seek(NOW));
    session
}

/// Presses K.
fn key(session: &mut Session, input: &mut Input) {
    input.handle(Event::Key(Key::Char('k')), session);
}

/// Drags a hand, presses K before releasing it, and returns the position of the hand in metres.
fn drag_and_key(session: &mut Session, hand: &str, by: Vec2) -> Vec3 {
    let mut input = Input::default();
    drag_joint(session, &mut input, hand, by);
    assert!(session.is_dragging() && session.error().is_none(), "{:?}", session.error());
    let position = place(session, hand);
    key(session, &mut input);
    input.handle(Event::Released(Button::Left), session);
    position
}

#[test]
fn keyed_pose_applies_only_around_its_time() {
    let mut session = paused_session();
    let plain = pose(&session);
    let expected = drag_and_key(&mut session, "leftHand", Vec2::new(30.0, -60.0));
    assert!(expected.distance(place(&paused_session(), "leftHand")) > 0.1);
    let edits = &session.puppet().motion.edits;
    assert_eq!(edits.len(), 1);
    assert!((edits[0].time, edits[0].before, edits[0].after) == (NOW, 0.4, 0.4));
    assert!(!session.is_dragging() && session.puppet().targets.is_empty());
    assert!(place(&session, "leftHand").distance(expected) < 1e-4, "{expected}");
    // The pose is blended within the time window of the key and unchanged outside it.
    let mut untouched = paused_session();
    for (time, min, max) in [(0.3, 0.02, 0.3), (0.7, 0.02, 0.3), (0.09, 0.0, 0.0), (0.91, 0.0, 0.0)] {
        session.apply(Command::Seek(time));
        untouched.apply(Command::Seek(time));
        let offset = place(&session, "leftHand").distance(place(&untouched, "leftHand"));
        assert!((min..=max).contains(&offset), "{time} s: {offset} m");
        if max == 0.0 {
            assert_eq!(pose(&session), pose(&untouched));
        }
    }
    session.apply(Command::Seek(NOW));
    let keyed = pose(&session);
    session.apply(Command::Undo);
    assert_eq!((pose(&session), session.puppet().motion.edits.len()), (plain, 0));
    session.apply(Command::Redo);
    assert_eq!(pose(&session), keyed);
}

/// The time window of a key near the end of a looping clip continues at the start of the clip. Without a loop, the
/// window is cut off.
#[test]
fn key_near_the_end_of_a_loop_wraps_around() {
    let mut session = paused_session();
    let start = |session: &mut Session| {
        session.apply(Command::Seek(0.0));
        place(session, "leftHand")
    };
    let plain = start(&mut session);
    session.apply(Command::Seek(3.9));
    drag_and_key(&mut session, "leftHand", Vec2::new(30.0, -60.0));
    session.apply(Command::Seek(4.0));
    let end = place(&session, "leftHand");
    assert!((session.puppet().seconds() - 4.0).abs() < 1e-6, "a key must not extend the motion");
    let keyed = start(&mut session);
    assert!(keyed.distance(end) < 5e-3 && keyed.distance(plain) > 0.1, "{keyed} {end} {plain}");
    session.apply(Command::Looping(false));
    assert_eq!(place(&session, "leftHand"), plain);
}

#[test]
fn kept_goals_are_keyed_and_cleared() {
    let (mut session, mut input) = (paused_session(), Input::default());
    session.apply(Command::KeepGoals(true));
    for hand in ["leftHand", "rightHand"] {
        drag_joint(&mut session, &mut input, hand, Vec2::new(0.0, -50.0));
        input.handle(Event::Released(Button::Left), &mut session);
    }
    let hands = ["leftHand", "rightHand"].map(|hand| place(&session, hand));
    assert_eq!(session.puppet().targets.len(), 2);
    key(&mut session, &mut input);
    assert!(session.puppet().targets.is_empty());
    for (hand, expected) in ["leftHand", "rightHand"].into_iter().zip(hands) {
        assert!(place(&session, hand).distance(expected) < 1e-4, "{hand}");
    }
    session.apply(Command::Undo);
    assert_eq!(session.puppet().targets.len(), 2);
}

#[test]
fn key_at_the_same_time_extends_the_edit_and_a_later_key_adds_one() {
    let mut session = paused_session();
    drag_and_key(&mut session, "leftHand", Vec2::new(30.0, -60.0));
    // Insert another key less than a frame later.
    session.apply(Command::Seek(NOW + 0.01));
    let expected = drag_and_key(&mut session, "leftHand", Vec2::new(-40.0, 10.0));
    assert_eq!(session.puppet().motion.edits.len(), 1);
    assert!(place(&session, "leftHand").distance(expected) < 1e-4);
    // The first edit also affects the pose at the new time. The second edit must not contain its effect again.
    session.apply(Command::Seek(NOW + 0.2));
    let expected = drag_and_key(&mut session, "leftHand", Vec2::new(10.0, 30.0));
    assert_eq!(session.puppet().motion.edits.len(), 2);
    assert!(place(&session, "leftHand").distance(expected) < 1e-4);
    // Without a drag or a goal, the key does nothing.
    let before = session.puppet().motion.clone();
    key(&mut session, &mut Input::default());
    assert_eq!(session.puppet().motion, before);
}

#[test]
fn replay_inserts_identical_keys() {
    let path = folder("session-key").join("a.session");
    let mut session = paused_session();
    session.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    session.apply(Command::Play(true));
    session.apply(Command::Tick(Duration::from_millis(130)));
    drag_and_key(&mut session, "rightHand", Vec2::new(-40.0, -30.0));
    session.apply(Command::Tick(Duration::from_millis(40)));
    session.stop_recording().unwrap().unwrap();
    assert!(fs::read_to_string(&path).unwrap().contains(r#""do":"key""#));
    let replay = replayed(&path);
    assert_eq!(replay.session().puppet().motion, session.puppet().motion);
    assert_eq!(pose(replay.session()), pose(&session));
}

#[test]
fn ring_rotation_is_keyed() {
    let (mut session, mut input) = (paused_session(), Input::default());
    let arm = node(&session, "leftUpperArm");
    session.apply(Command::RingMode(RingMode { alone: true, world: true }));
    session.apply(Command::Select(Some(arm)));
    let (before, center) = (pose(&session), at(&session, "leftUpperArm"));
    // Rings have a radius of 84 points. A ring that is seen from the side appears narrower.
    let pixels = (0..72_u8).map(|i| center + 84.0 * Vec2::from_angle(f32::from(i) * 0.0873));
    let mut tested = 0;
    for ring in pixels {
        input.handle(Event::Moved(ring), &mut session);
        // Skip pixels where the pointer is not on the gizmo.
        if !session.is_hovering() || session.hovered().is_some() {
            continue;
        }
        input.handle(Event::Pressed(Button::Left, false), &mut session);
        let along = (ring - center).perp() * 0.4;
        (1..=8_u8)
            .for_each(|i| input.handle(Event::Moved(ring + along * (f32::from(i) / 8.0)), &mut session));
        let turned = pose(&session);
        if turned == before {
            input.handle(Event::Key(Key::Escape), &mut session);
            continue;
        }
        key(&mut session, &mut input);
        assert!(!session.is_dragging() && session.puppet().motion.edits.len() == 1);
        input.handle(Event::Released(Button::Left), &mut session);
        let keyed = pose(&session);
        let angles =
            keyed.locals.iter().zip(&turned.locals).map(|(a, b)| a.rotation.angle_between(b.rotation));
        assert!(angles.fold(0.0, f32::max) < 1e-3);
        session.apply(Command::Undo);
        assert_eq!(pose(&session), before);
        tested += 1;
    }
    assert!(tested > 0, "no pixel was on a ring");
}
