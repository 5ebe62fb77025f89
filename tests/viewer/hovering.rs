//! Whatever moves the character, the mark under the pointer follows it or vanishes.

use std::time::Duration;

use glam::{Vec2, Vec3};
use sinew::asset;
use sinew::scene::picking::{Ray, pick_skin, pixel};
use sinew::viewer::{Button, Command, Event, Input, RingMode, Session};

use super::gizmo::{metres, select};
use crate::support::{SIZE, at, drag, drag_joint, mannequin_session, node, place, pose, position};

/// Maximum distance in pixels from the pointer to the handle that it marks.
const NEAR: f32 = 24.0;

/// Asserts that a marked point is on the body and near the pointer.
fn assert_mark_is_current(session: &Session, pointer: Vec2, step: &str) {
    let Some(hit) = session.hovered() else { return };
    let world = session.puppet().world_from_node()[hit.node];
    let point = world.transform_point3(hit.offset.as_vec3());
    assert!(point.distance(hit.point) < 1e-4, "{step}: the mark is not on the body");
    let at = pixel(&session.camera(), hit.point, SIZE).unwrap();
    assert!(at.distance(pointer) < NEAR, "{step}: the mark is {} pixels away", at.distance(pointer));
}

#[test]
fn mark_is_found_again_after_each_edit() {
    let (mut session, mut input) = (mannequin_session(), Input::default());
    let start = at(&session, "leftHand");
    let by = Vec2::new(-90.0, -110.0);
    drag(&mut session, &mut input, start, by);
    input.handle(Event::Released(Button::Left), &mut session);
    let pointer = start + by;
    assert_eq!(session.hovered().map(|h| h.node), Some(node(&session, "leftHand")));
    for (step, command) in [
        ("undo", Command::Undo),
        ("redo", Command::Redo),
        ("mirror", Command::MirrorPose),
        ("mirror again", Command::MirrorPose),
        ("key", Command::Key),
        ("seek", Command::Seek(1.0)),
        ("rest", Command::RestAll),
        ("undo of rest", Command::Undo),
        ("reset", Command::ResetLimb),
        ("clip", Command::Clip(Some(0))),
        ("seek in a clip", Command::Seek(0.4)),
    ] {
        session.apply(command);
        assert_mark_is_current(&session, pointer, step);
    }
    // In the rest pose, the hand is no longer at the position to which it was dragged.
    session.apply(Command::Clip(None));
    session.apply(Command::RestAll);
    assert_mark_is_current(&session, pointer, "the end");
    assert_ne!(session.hovered().map(|h| h.node), Some(node(&session, "leftHand")));
}

#[test]
fn mark_follows_a_clip_that_is_playing() {
    let (mut session, mut input) = (mannequin_session(), Input::default());
    let walk = session.puppet().character().clips.iter().position(|c| c.name.as_deref() == Some("walk"));
    session.apply(Command::Clip(walk));
    let pointer = at(&session, "leftHand");
    input.handle(Event::Moved(pointer), &mut session);
    assert!(session.hovered().is_some());
    for _ in 0..5 {
        session.apply(Command::Tick(Duration::from_millis(60)));
        let hit = session.hovered().unwrap();
        let world = session.puppet().world_from_node()[hit.node];
        assert!(world.transform_point3(hit.offset.as_vec3()).distance(hit.point) < 1e-4);
    }
    // A drag that is keyed before it is released, and one that is cancelled.
    session.apply(Command::Play(false));
    for (step, command) in [("key", Command::Key), ("cancel", Command::Cancel)] {
        let from = at(&session, "rightHand");
        drag(&mut session, &mut input, from, Vec2::new(-60.0, -60.0));
        session.apply(command);
        assert!(!session.is_dragging());
        assert_mark_is_current(&session, from + Vec2::new(-60.0, -60.0), step);
        input.handle(Event::Released(Button::Left), &mut session);
        assert_mark_is_current(&session, from + Vec2::new(-60.0, -60.0), step);
    }
}

/// A rotated ring remains marked after the release, but not after an undo has moved it away.
#[test]
fn mark_of_the_gizmo_is_found_again() {
    let (mut session, mut input) = (mannequin_session(), Input::default());
    session.apply(Command::RingMode(RingMode { alone: true, world: true }));
    select(&mut session, "leftUpperLeg");
    let center = place(&session, "leftUpperLeg");
    let to_camera = (session.camera().position - center).with_y(0.0).normalize();
    let start = pixel(&session.camera(), center + to_camera * metres(&session, center, 84.0), SIZE).unwrap();
    let before = pose(&session);
    drag(&mut session, &mut input, start, Vec2::new(14.0, 0.0));
    assert!(session.is_dragging() && pose(&session) != before);
    input.handle(Event::Released(Button::Left), &mut session);
    assert!(session.is_hovering(), "the pointer is still on the ring");
    session.apply(Command::Select(None));
    assert!(session.hovered().is_some() || !session.is_hovering(), "the gizmo is gone");
    // The gizmo of a hand moves away with the hand.
    select(&mut session, "leftHand");
    let ring = |session: &Session| {
        let center = place(session, "leftHand");
        let view = (session.camera().position - center).normalize();
        let beside = view.cross(Vec3::Z).normalize();
        pixel(&session.camera(), center + beside * metres(session, center, 84.0), SIZE).unwrap()
    };
    drag_joint(&mut session, &mut input, "leftHand", Vec2::new(-120.0, -140.0));
    input.handle(Event::Released(Button::Left), &mut session);
    let on_ring = ring(&session);
    input.handle(Event::Moved(on_ring), &mut session);
    session.apply(Command::Undo);
    session.apply(Command::Undo);
    assert_mark_is_current(&session, on_ring, "undo");
    assert!(ring(&session).distance(on_ring) > 60.0);
    assert!(session.hovered().is_some() || !session.is_hovering(), "the ring is no longer under the pointer");
}

/// Story: the dot of a horse's hips was seen through its chest, but a drag of the dot pulled the chest.
#[test]
fn the_dot_of_hips_behind_the_chest_grabs_the_hips() {
    let Some(path) = sinew_testkit::external_or_skip("models/quaternius/animals_pack/Horse/Horse.glb") else {
        return;
    };
    let mut session = Session::new(asset::load(&path).unwrap(), None, SIZE);
    let hips = session.rig().body.as_ref().unwrap().hips;
    let before = position(&session, hips);
    let at = pixel(&session.camera(), before, SIZE).unwrap();
    let skin = pick_skin(session.puppet(), &Ray::through(&session.camera(), at, SIZE).unwrap()).unwrap();
    assert_ne!(skin.node, hips);
    session.apply(Command::Hover(at));
    assert_eq!(session.hovered().unwrap().node, hips);
    session.apply(Command::Grab(at));
    session.apply(Command::Drag(at + Vec2::Y * 40.0));
    session.apply(Command::Release);
    let moved = position(&session, hips) - before;
    assert!(moved.y < -0.1 * before.y, "{moved}");
    let now = pixel(&session.camera(), position(&session, hips), SIZE).unwrap();
    assert!(now.distance(at + Vec2::Y * 40.0) < 6.0, "{now}");
}
