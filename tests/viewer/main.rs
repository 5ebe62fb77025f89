//! The viewer's session, driven as the window drives it: by pointer and keys.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use glam::{Vec2, Vec3};
use sinew::asset::mannequin;
use sinew::picking::{Ray, pixel, surface};
use sinew::pose::Pose;
use sinew::skin::Skinned;
use sinew::skin::Skinning;
use sinew::viewer::{Button, Command, Event, Input, Key, Session};

mod added;
mod compare;
mod display;
mod files;
mod gizmo;
mod goals;
mod key;
mod live;
mod opening;
#[path = "../support/picture.rs"]
mod picture;
mod recording;
mod told;
mod window;

const SIZE: Vec2 = Vec2::new(1280.0, 800.0);

fn session() -> Session {
    Session::new(mannequin().unwrap(), None, SIZE)
}

/// The pixel of a node.
fn at(session: &Session, name: &str) -> Vec2 {
    let node = session.puppet().character().skeleton.find(name).unwrap();
    let place: Vec3 = session.puppet().world_from_node()[node].translation.into();
    pixel(&session.camera(), place, SIZE).unwrap()
}

fn drag(session: &mut Session, input: &mut Input, from: Vec2, by: Vec2) {
    input.handle(Event::Moved(from), session);
    input.handle(Event::Pressed(Button::Left, false), session);
    for step in 1..=12_u8 {
        input.handle(Event::Moved(from + by * f32::from(step) / 12.0), session);
    }
}

fn pose(session: &Session) -> Pose {
    session.puppet().pose().clone()
}

#[test]
fn a_dragged_hand_follows_the_pointer_and_stays_where_it_is_left() {
    let (mut session, mut input) = (session(), Input::default());
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
fn any_point_of_the_skin_is_pulled() {
    let (mut session, mut input) = (session(), Input::default());
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
fn no_step_of_a_slow_drag_jumps() {
    let (mut session, mut input) = (session(), Input::default());
    let start = at(&session, "leftHand");
    input.handle(Event::Moved(start), &mut session);
    input.handle(Event::Pressed(Button::Left, false), &mut session);
    let mut before = pose(&session);
    for step in 0..200_u16 {
        let turn = f32::from(step) / 200.0 * std::f32::consts::TAU;
        let to = start + Vec2::new(-60.0 + 60.0 * turn.cos(), 60.0 * turn.sin());
        input.handle(Event::Moved(to), &mut session);
        let now = pose(&session);
        let most = now.locals.iter().zip(&before.locals);
        let most = most.map(|(a, b)| a.rotation.angle_between(b.rotation)).fold(0.0, f32::max);
        assert!(most < 0.35, "step {step}: {most} rad");
        before = now;
    }
}

#[test]
fn escape_undo_and_redo_bring_back_every_bit() {
    let (mut session, mut input) = (session(), Input::default());
    let (rest, start) = (pose(&session), at(&session, "leftHand"));
    drag(&mut session, &mut input, start, Vec2::new(-60.0, -50.0));
    input.handle(Event::Key(Key::Escape), &mut session);
    assert!(!session.is_dragging());
    assert_eq!(rest, pose(&session));
    input.handle(Event::Released(Button::Left), &mut session);
    drag(&mut session, &mut input, start, Vec2::new(-30.0, 40.0));
    input.handle(Event::Released(Button::Left), &mut session);
    let left = pose(&session);
    input.handle(Event::Modifiers(false, true, false), &mut session);
    input.handle(Event::Key(Key::Char('z')), &mut session);
    assert_eq!(rest, pose(&session));
    input.handle(Event::Modifiers(true, true, false), &mut session);
    input.handle(Event::Key(Key::Char('z')), &mut session);
    assert_eq!(left, pose(&session));
}

#[test]
fn pulling_the_hips_keeps_the_feet() {
    let (mut session, mut input) = (session(), Input::default());
    let (hips, foot) = (at(&session, "hips"), at(&session, "leftFoot"));
    session.apply(Command::Hover(hips));
    drag(&mut session, &mut input, hips, Vec2::new(0.0, 25.0));
    assert!(session.error().is_none(), "{:?}", session.error());
    assert!(at(&session, "leftFoot").distance(foot) < 3.0);
    assert!(at(&session, "hips").y > hips.y + 10.0);
}

#[test]
fn an_axis_and_the_wheel_constrain_and_push() {
    let (mut session, mut input) = (session(), Input::default());
    let start = at(&session, "leftHand");
    let node = session.puppet().character().skeleton.find("leftHand").unwrap();
    let before = session.puppet().world_from_node()[node].translation;
    input.handle(Event::Moved(start), &mut session);
    input.handle(Event::Pressed(Button::Left, false), &mut session);
    input.handle(Event::Key(Key::Char('y')), &mut session);
    input.handle(Event::Moved(start + Vec2::new(35.0, -50.0)), &mut session);
    let now = session.puppet().world_from_node()[node].translation;
    assert!((now - before).x.abs() < 5e-3 && (now - before).z.abs() < 5e-3 && now.y > before.y + 0.02);
    input.handle(Event::Key(Key::Char('y')), &mut session);
    input.handle(Event::Wheel(2.0), &mut session);
    assert!(session.error().is_none());
}

#[test]
fn every_key_of_a_method_either_solves_or_says_why_not() {
    for key in '0'..='9' {
        let (mut session, mut input) = (session(), Input::default());
        input.handle(Event::Key(Key::Char(key)), &mut session);
        let start = at(&session, "leftHand");
        drag(&mut session, &mut input, start, Vec2::new(-40.0, -30.0));
        assert!(session.is_dragging(), "{key}");
        assert!(session.error().is_some() || !session.reports().is_empty(), "{key}");
    }
}

#[test]
fn picking_agrees_with_the_posed_skin() {
    let session = session();
    let mut skinned = Skinned::default();
    let mut near = 0;
    for x in 0..40_u8 {
        for y in 0..25_u8 {
            let place = Vec2::new(f32::from(x) * 32.0, f32::from(y) * 32.0);
            let ray = Ray::through(&session.camera(), place, SIZE).unwrap();
            let Some(hit) = surface(session.puppet(), &ray) else { continue };
            let back = session.puppet().world_from_node()[hit.node].transform_point3(hit.offset.as_vec3());
            assert!(back.distance(hit.point) < 1e-4);
            assert!(pixel(&session.camera(), hit.point, SIZE).unwrap().distance(place) < 0.05);
            let parts = 0..session.puppet().parts().len();
            let close = parts.into_iter().any(|part| {
                session.puppet().skin(part, &mut skinned);
                skinned.positions.iter().any(|p| p.distance(hit.point) < 0.12)
            });
            assert!(close, "{}", hit.point);
            near += 1;
        }
    }
    assert!(near > 20, "{near} pixels meet the skin");
}

/// With shift and no button, on empty space.
#[test]
fn a_selected_joint_follows_the_pointer_with_shift_on_empty_space() {
    let (mut session, mut input) = (session(), Input::default());
    let (before, hand) = (pose(&session), at(&session, "leftHand"));
    let node = session.puppet().character().skeleton.find("leftHand");
    let away = |by: Vec2| hand + by;
    let path = [Vec2::new(20.0, -60.0), Vec2::new(0.0, -80.0), Vec2::new(-30.0, -70.0)].map(away);
    let follow = |session: &mut Session, input: &mut Input| {
        input.handle(Event::Moved(away(Vec2::new(60.0, -30.0))), session);
        assert!(!session.is_hovering(), "nothing is there");
        input.handle(Event::Modifiers(true, false, false), session);
        path.into_iter().for_each(|to| input.handle(Event::Moved(to), session));
    };
    // Nothing is selected.
    follow(&mut session, &mut input);
    assert!(!session.is_dragging() && pose(&session) == before);
    input.handle(Event::Modifiers(false, false, false), &mut session);
    session.apply(Command::Select(node));
    follow(&mut session, &mut input);
    assert!(session.is_dragging(), "{:?}", session.error());
    let last = path[2];
    assert!(at(&session, "leftHand").distance(last) < 3.0, "{} {last}", at(&session, "leftHand"));
    input.handle(Event::Modifiers(false, false, false), &mut session);
    assert!(!session.is_dragging() && session.selected() == node);
    let held = pose(&session);
    session.apply(Command::Undo);
    assert_eq!(pose(&session), before, "one step");
    session.apply(Command::Redo);
    assert_eq!(pose(&session), held);
    // Escape puts it back, and as long as shift stays down nothing follows again.
    follow(&mut session, &mut input);
    input.handle(Event::Key(Key::Escape), &mut session);
    input.handle(Event::Moved(path[0]), &mut session);
    assert!(!session.is_dragging() && pose(&session) == held);
    // What the pointer is on comes first, and a pointer that has left the scene pulls nothing.
    input.handle(Event::Modifiers(false, false, false), &mut session);
    let other = at(&session, "rightHand");
    input.handle(Event::Moved(other), &mut session);
    input.handle(Event::Modifiers(true, false, false), &mut session);
    input.handle(Event::Moved(other + Vec2::new(0.0, -30.0)), &mut session);
    assert!(at(&session, "rightHand").distance(other) > 20.0);
    input.handle(Event::Modifiers(false, false, false), &mut session);
    input.handle(Event::Moved(Vec2::new(20.0, 20.0)), &mut session);
    input.handle(Event::Modifiers(true, false, false), &mut session);
    let stays = pose(&session);
    input.handle(Event::Moved(Vec2::NEG_ONE), &mut session);
    input.handle(Event::Moved(Vec2::new(22.0, 20.0)), &mut session);
    assert!(!session.is_dragging() && pose(&session) == stays);
}

/// Something that a hand could do at a place, with the pointer or one of some keys. `next`: a number below another.
fn random_event(next: &mut impl FnMut(u16) -> u16, place: Vec2, keys: &str) -> Event {
    let count = u16::try_from(keys.len()).unwrap();
    match next(12) {
        0..5 => Event::Moved(place),
        5 => Event::Pressed(Button::Left, next(8) == 0),
        6 => Event::Released(Button::Left),
        7 => Event::Wheel(f32::from(next(7)) - 3.0),
        8 => Event::Modifiers(next(4) == 0, next(4) == 0, next(6) == 0),
        9 => Event::Key(Key::Escape),
        10 => Event::Pressed(Button::Right, false),
        _ => Event::Key(Key::Char(char::from(keys.as_bytes()[usize::from(next(count))]))),
    }
}

/// A thousand random events: nothing panics, everything stays finite, and the same ones give the same bits.
#[test]
fn random_events_are_survived_and_repeatable() {
    let run = || {
        let (mut session, mut input) = (session(), Input::default());
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut next = move |below: u16| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u16::try_from((state >> 33) % u64::from(below)).unwrap()
        };
        for _ in 0..1000 {
            let place = Vec2::new(f32::from(next(1400)) - 60.0, f32::from(next(900)) - 50.0);
            input.handle(random_event(&mut next, place, "0123456789xyzpbrfsek "), &mut session);
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
fn the_skin_is_moved_by_dual_quaternions_when_asked() {
    let (mut session, mut input) = (session(), Input::default());
    let start = at(&session, "leftHand");
    drag(&mut session, &mut input, start, Vec2::new(-60.0, -50.0));
    let (held, linear) = (pose(&session), session.puppet().palette().matrices.clone());
    session.apply(Command::Skinning(Skinning::DualQuaternion));
    assert!(session.frame(1.0).draws.iter().any(|d| d.dual));
    let mut reloaded = self::session();
    reloaded.take_over(&session, true);
    assert!(reloaded.frame(1.0).draws.iter().any(|d| d.dual));
    session.apply(Command::Skinning(Skinning::Linear));
    assert_eq!((held, linear), (pose(&session), session.puppet().palette().matrices.clone()));
}
