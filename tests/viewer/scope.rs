//! Tests of the scope of drags: the whole body, or only the limb of the dragged joint.

use std::collections::BTreeSet;

use glam::Vec2;
use sinew::asset::load;
use sinew::viewer::{Button, Command, DragScope, Event, Input, Key, Recorder, Session};
use sinew_testkit::{asset_path, folder};

use crate::support::{at, drag, drag_joint, mannequin_session, pose, replayed, session_of};

#[path = "scope/joint.rs"]
mod joint;

/// A pull that the arm cannot follow alone.
const FAR: Vec2 = Vec2::new(160.0, 90.0);
const ARM: [&str; 3] = ["leftUpperArm", "leftLowerArm", "leftHand"];

/// Returns the names of the joints that are not at rest.
fn moved(session: &Session) -> BTreeSet<String> {
    let skeleton = &session.puppet().character().skeleton;
    let pose = pose(session);
    let nodes = skeleton.nodes.iter().zip(&pose.locals).enumerate();
    let moved = nodes.filter(|(_, (node, local))| {
        node.rest.rotation.angle_between(local.rotation) > 1e-3
            || node.rest.translation.distance(local.translation) > 1e-4
    });
    moved.map(|(index, _)| skeleton.label(index)).collect()
}

fn is_in_arm(joints: &BTreeSet<String>) -> bool {
    !joints.is_empty() && joints.iter().all(|joint| ARM.contains(&&**joint))
}

fn alt(input: &mut Input, session: &mut Session, is_down: bool) {
    input.handle(Event::Modifiers(false, false, is_down), session);
}

#[test]
fn a_drag_moves_the_whole_body_or_only_the_limb() {
    let (mut session, mut input) = (mannequin_session(), Input::default());
    let hand = at(&session, "leftHand");
    drag(&mut session, &mut input, hand, FAR);
    assert!(moved(&session).contains("hips"), "{:?}", moved(&session));
    input.handle(Event::Key(Key::Escape), &mut session);
    input.handle(Event::Released(Button::Left), &mut session);
    input.handle(Event::Key(Key::Char('l')), &mut session);
    assert_eq!(session.settings().drag_scope, DragScope::Limb);
    drag(&mut session, &mut input, hand, FAR);
    assert!(is_in_arm(&moved(&session)), "{:?}", moved(&session));
    // The key also changes a drag in progress.
    input.handle(Event::Key(Key::Char('l')), &mut session);
    input.handle(Event::Key(Key::Char('l')), &mut session);
    assert!(session.is_dragging() && moved(&session).contains("hips"));
}

/// The hips belong to no limb.
#[test]
fn dragged_hips_move_the_body_in_both_scopes() {
    let drag_hips = |scope_key: bool| {
        let (mut session, mut input) = (mannequin_session(), Input::default());
        if scope_key {
            input.handle(Event::Key(Key::Char('l')), &mut session);
        }
        drag_joint(&mut session, &mut input, "hips", Vec2::new(0.0, 60.0));
        assert!(moved(&session).contains("leftLowerLeg"), "{:?}", moved(&session));
        pose(&session)
    };
    assert_eq!(drag_hips(false), drag_hips(true));
}

#[test]
fn alt_in_a_drag_moves_only_the_limb_while_it_is_down() {
    let (mut session, mut input) = (mannequin_session(), Input::default());
    let hand = at(&session, "leftHand");
    drag(&mut session, &mut input, hand, FAR);
    alt(&mut input, &mut session, true);
    assert!(is_in_arm(&moved(&session)), "{:?}", moved(&session));
    assert_eq!(session.settings().drag_scope, DragScope::Body, "the setting must not change");
    // The arm follows the pointer within its reach.
    input.handle(Event::Moved(hand + Vec2::new(-60.0, -50.0)), &mut session);
    assert!(at(&session, "leftHand").distance(hand + Vec2::new(-60.0, -50.0)) < 3.0);
    assert!(is_in_arm(&moved(&session)), "{:?}", moved(&session));
    input.handle(Event::Moved(hand + FAR), &mut session);
    alt(&mut input, &mut session, false);
    assert!(moved(&session).contains("hips"));
    alt(&mut input, &mut session, true);
    input.handle(Event::Released(Button::Left), &mut session);
    assert!(is_in_arm(&moved(&session)));
    alt(&mut input, &mut session, false);
    assert!(is_in_arm(&moved(&session)), "a drag that has ended must not change");
    // The next drag uses the scope of the setting.
    drag_joint(&mut session, &mut input, "leftHand", FAR);
    assert!(moved(&session).contains("hips"));
}

#[test]
fn a_drag_with_another_scope_is_one_undo_step() {
    let (mut session, mut input) = (mannequin_session(), Input::default());
    let (rest, hand) = (pose(&session), at(&session, "leftHand"));
    drag(&mut session, &mut input, hand, FAR);
    alt(&mut input, &mut session, true);
    input.handle(Event::Released(Button::Left), &mut session);
    assert_ne!(pose(&session), rest);
    session.apply(Command::Undo);
    assert_eq!(pose(&session), rest);
}

/// Regression test: a pull on the skin in front of a thigh turned the thigh back, so the knees stayed straight and the body leaned far
/// back. The pointer pulls the bone below the skin.
#[test]
fn a_thigh_that_is_pulled_down_at_its_skin_bends_the_knees() {
    let (mut session, mut input) = (mannequin_session(), Input::default());
    let [top, knee] = ["leftUpperLeg", "leftLowerLeg"].map(|name| at(&session, name));
    let hips = at(&session, "hips");
    let thigh = top.lerp(knee, 0.25);
    drag(&mut session, &mut input, thigh, Vec2::new(0.0, 80.0));
    for _ in 0..30 {
        session.apply(Command::Tick(std::time::Duration::from_secs(1) / 60));
    }
    let sunk = at(&session, "hips").y - hips.y;
    assert!(sunk > 60.0, "the hips went down by {sunk} pixels");
    let skeleton = &session.puppet().character().skeleton;
    for side in ["left", "right"] {
        let knee = skeleton.find(&format!("{side}LowerLeg")).unwrap();
        let bend = session.puppet().pose().locals[knee].rotation.x;
        assert!(bend > 0.3, "the sine of half the bend of the {side} knee is {bend}");
    }
}

/// Regression test: the base of the kept goal made the drag of the hips fail.
#[test]
fn a_kept_goal_of_a_limb_is_met_while_the_body_is_dragged() {
    let (mut session, mut input) = (mannequin_session(), Input::default());
    session.apply(Command::KeepGoals(true));
    session.apply(Command::DragScope(DragScope::Limb));
    let hand = at(&session, "leftHand");
    drag(&mut session, &mut input, hand, Vec2::new(-60.0, -50.0));
    input.handle(Event::Released(Button::Left), &mut session);
    assert!(is_in_arm(&moved(&session)));
    session.apply(Command::DragScope(DragScope::Body));
    let (hand, hips) = (at(&session, "leftHand"), at(&session, "hips"));
    drag(&mut session, &mut input, hips, Vec2::new(0.0, 40.0));
    assert_eq!(session.error(), None);
    let moved = [at(&session, "hips") - hips, at(&session, "leftHand") - hand];
    // The arm, which is nearly straight, holds the hips up.
    assert!(moved[0].y > 20.0 && moved[1].length() < 3.0, "{moved:?}");
    input.handle(Event::Released(Button::Left), &mut session);
    // The goal of the hips remains, so that the body is also solved as a whole for the next limb.
    session.apply(Command::DragScope(DragScope::Limb));
    drag_joint(&mut session, &mut input, "rightHand", Vec2::new(20.0, -20.0));
    assert_eq!(session.error(), None);
    assert_eq!(session.reports().len(), 3);
}

#[test]
fn shift_and_alt_drag_only_the_limb() {
    let (mut session, mut input) = (mannequin_session(), Input::default());
    let hand = at(&session, "leftHand");
    input.handle(Event::Moved(hand), &mut session);
    input.handle(Event::Modifiers(true, false, true), &mut session);
    for step in 1..=8_u8 {
        input.handle(Event::Moved(hand + FAR * f32::from(step) / 8.0), &mut session);
    }
    assert!(session.is_dragging() && is_in_arm(&moved(&session)), "{:?}", moved(&session));
}

#[test]
fn without_a_body_a_drag_moves_a_chain_or_a_joint() {
    let mut session = session_of(load(&asset_path("tentacle.glb")).unwrap());
    assert!(!session.has_body());
    let mut input = Input::default();
    for scope in [DragScope::Joint, DragScope::Body] {
        input.handle(Event::Key(Key::Char('l')), &mut session);
        assert_eq!(session.settings().drag_scope, scope);
    }
}

#[test]
fn a_recording_contains_the_scope_of_drags() {
    let (mut session, mut input) = (mannequin_session(), Input::default());
    input.handle(Event::Key(Key::Char('l')), &mut session);
    let path = folder("session-scope").join("a.session");
    session.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    let hand = at(&session, "leftHand");
    drag(&mut session, &mut input, hand, FAR);
    alt(&mut input, &mut session, true);
    input.handle(Event::Moved(hand + FAR * 0.8), &mut session);
    input.handle(Event::Released(Button::Left), &mut session);
    alt(&mut input, &mut session, false);
    drag_joint(&mut session, &mut input, "rightHand", -FAR);
    session.stop_recording().unwrap().unwrap();
    let replay = replayed(&path);
    assert_eq!(replay.session().settings().drag_scope, DragScope::Limb);
    assert_eq!(pose(replay.session()), pose(&session));
}
