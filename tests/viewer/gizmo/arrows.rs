//! Tests of the arrows that pull the selected joint.

use glam::{Vec2, Vec3};
use sinew::scene::picking::pixel;
use sinew::viewer::{Button, Command, Event, Input, Key, RingMode, Session, Tool};

use super::{click, select};
use crate::support::{SIZE, at, drag, mannequin_session, node, place, pose};

/// Distance in points from the joint to the middle of an arrow.
const MIDDLE: f32 = 45.0;

fn pull_session(world: bool) -> Session {
    let mut session = mannequin_session();
    session.apply(Command::RingMode(RingMode { alone: false, world }));
    select(&mut session, "leftHand");
    session.apply(Command::Tool(Tool::Pull));
    session
}

/// Returns the pixel in the middle of the arrow along an axis of the world.
fn arrow(session: &Session, axis: Vec3) -> Vec2 {
    let hand = at(session, "leftHand");
    let beside = pixel(&session.camera(), place(session, "leftHand") + axis * 0.01, SIZE).unwrap();
    hand + (beside - hand).normalize() * MIDDLE
}

#[test]
fn an_arrow_pulls_the_joint_along_its_axis() {
    let (mut session, mut input) = (pull_session(true), Input::default());
    let start = place(&session, "leftHand");
    let from = arrow(&session, Vec3::Y);
    drag(&mut session, &mut input, from, Vec2::new(-9.0, -40.0));
    let by = place(&session, "leftHand") - start;
    assert!(by.y > 0.02 && by.x.abs() < 2e-3 && by.z.abs() < 2e-3, "{by}");
    // The joint moves by the same distance as the pointer along the arrow.
    let moved = at(&session, "leftHand").y - pixel(&session.camera(), start, SIZE).unwrap().y;
    assert!((moved + 40.0).abs() < 2.0, "{moved}");
    // Snapping keeps the axis, and X changes it.
    session.apply(Command::Snap(true));
    let by = place(&session, "leftHand") - start;
    assert!(by.x.abs() < 2e-3 && by.z.abs() < 2e-3, "{by}");
    input.handle(Event::Key(Key::Char('x')), &mut session);
    let by = place(&session, "leftHand") - start;
    assert!(by.y.abs() < 2e-3 && by.z.abs() < 2e-3, "{by}");
    input.handle(Event::Released(Button::Left), &mut session);
    session.apply(Command::Undo);
    assert!(place(&session, "leftHand").distance(start) < 1e-6);
}

#[test]
fn arrows_follow_the_axes_of_the_joint() {
    let (mut session, mut input) = (pull_session(false), Input::default());
    let hand = node(&session, "leftHand");
    session.apply(Command::Turn(hand, glam::Quat::from_rotation_z(0.6)));
    session.apply(Command::Release);
    let start = place(&session, "leftHand");
    let axis: Vec3 = session.puppet().world_from_node()[hand].matrix3.y_axis.into();
    let axis = axis.normalize();
    let from = arrow(&session, axis);
    let along = from - at(&session, "leftHand");
    drag(&mut session, &mut input, from, along * -0.8);
    let by = place(&session, "leftHand") - start;
    assert!(by.length() > 0.02 && by.reject_from(axis).length() < 0.1 * by.length(), "{by} along {axis}");
}

/// The middle of the arrows pulls the joint freely, and a click keeps the selection.
#[test]
fn the_square_pulls_freely_and_clicks_keep_the_selection() {
    let (mut session, mut input) = (pull_session(true), Input::default());
    let others = [node(&session, "head")];
    session.apply(Command::SelectAdd(others[0]));
    select(&mut session, "head");
    let hand = node(&session, "leftHand");
    session.apply(Command::SelectAdd(hand));
    let on_arrow = arrow(&session, Vec3::Y);
    click(&mut session, &mut input, on_arrow);
    assert_eq!(session.selection(), [hand, others[0]]);
    let from = at(&session, "leftHand");
    drag(&mut session, &mut input, from + Vec2::new(3.0, 2.0), Vec2::new(-20.0, -30.0));
    assert!(at(&session, "leftHand").distance(from + Vec2::new(-20.0, -30.0)) < 2.0);
}

/// *Pull* has arrows and *Turn* has rings, even if a key has chosen the tool.
#[test]
fn the_tool_selects_the_gizmo() {
    let (mut session, mut input) = (pull_session(true), Input::default());
    let from = arrow(&session, Vec3::Y);
    input.handle(Event::Key(Key::Char('t')), &mut session);
    input.handle(Event::Key(Key::Enter), &mut session);
    assert_eq!(session.settings().tool, Tool::Turn);
    let before = pose(&session);
    drag(&mut session, &mut input, from, Vec2::new(0.0, -40.0));
    assert_eq!(pose(&session), before, "an arrow of the other tool was dragged");
    input.handle(Event::Released(Button::Left), &mut session);
    select(&mut session, "leftHand");
    input.handle(Event::Key(Key::Char('g')), &mut session);
    input.handle(Event::Key(Key::Escape), &mut session);
    assert_eq!(session.settings().tool, Tool::Pull);
}

/// With several selected joints, an arrow and G pull all of them by the same amount, and one undo step restores the pose.
#[test]
fn all_selected_joints_are_pulled() {
    for by_key in [false, true] {
        let (mut session, mut input) = (pull_session(true), Input::default());
        select(&mut session, "rightHand");
        let left = node(&session, "leftHand");
        session.apply(Command::SelectAdd(left));
        let places = |session: &Session| ["leftHand", "rightHand"].map(|name| place(session, name));
        let (start, before) = (places(&session), pose(&session));
        if by_key {
            let hand = at(&session, "leftHand");
            input.handle(Event::Moved(hand), &mut session);
            for key in ["g", "y", "0", ".", "0", "5"] {
                input.handle(Event::Key(Key::Char(key.chars().next().unwrap())), &mut session);
            }
            input.handle(Event::Key(Key::Enter), &mut session);
        } else {
            let from = arrow(&session, Vec3::Y);
            drag(&mut session, &mut input, from, Vec2::new(0.0, -20.0));
            input.handle(Event::Released(Button::Left), &mut session);
        }
        let [left, right] = [0, 1].map(|hand| places(&session)[hand] - start[hand]);
        assert!(left.y > 0.02 && left.distance(right) < 3e-3, "{left} and {right}");
        session.apply(Command::Undo);
        assert_eq!(pose(&session), before);
    }
}
