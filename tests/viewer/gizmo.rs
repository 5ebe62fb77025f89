//! Tests of the gizmo of the selected joint: its limit, rings and pole, dragged with the pointer.

use glam::{DQuat, DVec3, Quat, Vec2, Vec3};
use sinew::asset::load;
use sinew::ik::Limit;
use sinew::rig;
use sinew::scene::picking::pixel;
use sinew::viewer::{Button, Command, Event, Input, Key, Session};
use sinew_testkit::asset_path;

use crate::support::{SIZE, at, drag, drag_joint, mannequin_session, node, place, pose, session_of};

mod arrows;
mod rail;
mod rig_file;
mod ring;

fn click(session: &mut Session, input: &mut Input, at: Vec2) {
    input.handle(Event::Moved(at), session);
    input.handle(Event::Pressed(Button::Left, false), session);
    input.handle(Event::Moved(at + Vec2::new(1.0, -1.0)), session);
    input.handle(Event::Released(Button::Left), session);
}

fn release(session: &mut Session, input: &mut Input) {
    input.handle(Event::Released(Button::Left), session);
}

fn undo(session: &mut Session, input: &mut Input) {
    input.handle(Event::Modifiers(false, true, false), session);
    input.handle(Event::Key(Key::Char('z')), session);
    input.handle(Event::Modifiers(false, false, false), session);
}

pub(crate) fn select(session: &mut Session, name: &str) {
    let joint = node(session, name);
    session.apply(Command::Select(Some(joint)));
}

/// Returns the axis, the minimum and the maximum angle of a hinge in radians.
fn hinge(session: &Session, name: &str) -> (DVec3, f64, f64) {
    let limit = session.rig().joint(node(session, name)).limit;
    let hinge = if let Limit::Hinge { axis, min, max } = limit { Some((axis, min, max)) } else { None };
    hinge.unwrap()
}

/// Converts a distance on the screen in points to world metres, at the depth of a position.
pub(crate) fn metres(session: &Session, place: Vec3, points: f32) -> f32 {
    session.camera().height_at(place) * points / SIZE.y
}

/// Returns the pixel where the arc of a hinge shows an angle.
fn on_arc(session: &Session, name: &str, below: &str, angle: f64) -> Vec2 {
    let joint = node(session, name);
    let skeleton = &session.puppet().character().skeleton;
    let (axis, ..) = hinge(session, name);
    let above = rig::orientation(skeleton, session.puppet().pose(), skeleton.nodes[joint].parent.unwrap());
    let bone = skeleton.nodes[node(session, below)].rest.translation.as_dvec3();
    let zero = bone.reject_from_normalized(axis).normalize();
    let frame = above * skeleton.nodes[joint].rest.rotation.as_dquat();
    let direction = (frame * (DQuat::from_axis_angle(axis, angle) * zero)).as_vec3();
    let center = place(session, name);
    let place = center + direction * metres(session, center, 58.0);
    pixel(&session.camera(), place, SIZE).unwrap()
}

#[test]
fn click_selects_without_moving_anything() {
    let (mut session, mut input) = (mannequin_session(), Input::default());
    let before = pose(&session);
    let hand = at(&session, "leftHand");
    click(&mut session, &mut input, hand);
    assert_eq!(session.selected(), Some(node(&session, "leftHand")));
    assert_eq!(before, pose(&session));
    // Orbiting keeps the selection, and a click on empty space clears it.
    drag(&mut session, &mut input, Vec2::new(30.0, 30.0), Vec2::new(40.0, 0.0));
    release(&mut session, &mut input);
    assert!(session.selected().is_some());
    click(&mut session, &mut input, Vec2::new(30.0, 30.0));
    assert_eq!(session.selected(), None);
    select(&mut session, "head");
    input.handle(Event::Key(Key::Escape), &mut session);
    assert_eq!(session.selected(), None);
    session.apply(Command::Select(Some(100_000)));
    assert_eq!(session.selected(), None);
}

#[test]
fn dragging_the_end_of_an_arc_moves_limit_and_joint() {
    let (mut session, mut input) = (mannequin_session(), Input::default());
    let joint = node(&session, "leftLowerArm");
    // Bend the elbow beyond the new limit.
    drag_joint(&mut session, &mut input, "leftHand", Vec2::new(-70.0, -90.0));
    release(&mut session, &mut input);
    let bent = pose(&session);
    select(&mut session, "leftLowerArm");
    session.apply(Command::Orbit(Vec2::new(90.0, -40.0)));
    let (_, min, max) = hinge(&session, "leftLowerArm");
    let new_max = 0.3;
    let angles: Vec<f64> = (0..=8).map(|i| max + (new_max - max) * f64::from(i) / 8.0).collect();
    let pixels: Vec<Vec2> =
        angles.iter().map(|&angle| on_arc(&session, "leftLowerArm", "leftHand", angle)).collect();
    input.handle(Event::Moved(pixels[0]), &mut session);
    assert_eq!(session.hovered(), None, "the end of the arc must take precedence");
    input.handle(Event::Pressed(Button::Left, false), &mut session);
    for pixel in &pixels {
        input.handle(Event::Moved(*pixel), &mut session);
    }
    let (_, new_min, now) = hinge(&session, "leftLowerArm");
    assert!((now - new_max).abs() < 0.02 && (new_min - min).abs() < 1e-12, "{now}");
    assert!(
        (now.to_degrees() * 10.0).fract().abs() < 1e-6,
        "not a multiple of 0.1 degrees: {}",
        now.to_degrees()
    );
    let local = session.puppet().pose().locals[joint].rotation;
    let rest = session.puppet().character().skeleton.nodes[joint].rest.rotation;
    assert!((f64::from(rest.angle_between(local)) - now).abs() < 1e-3, "the elbow must stop at the limit");
    // If the limit is widened again during the same drag, the elbow returns to its bent pose.
    for pixel in pixels.iter().rev() {
        input.handle(Event::Moved(*pixel), &mut session);
    }
    assert!(session.puppet().pose().locals[joint].rotation.angle_between(bent.locals[joint].rotation) < 1e-6);
    input.handle(Event::Moved(pixels[8]), &mut session);
    let narrow = (pose(&session), session.rig().clone());
    release(&mut session, &mut input);
    assert!((pose(&session), session.rig().clone()) == narrow);
    undo(&mut session, &mut input);
    assert_eq!((hinge(&session, "leftLowerArm").1, hinge(&session, "leftLowerArm").2), (min, max));
    assert_eq!(pose(&session), bent);
    session.apply(Command::Redo);
    assert!((pose(&session), session.rig().clone()) == narrow);
    // Cancelling restores the exact state.
    let end = on_arc(&session, "leftLowerArm", "leftHand", min);
    drag(&mut session, &mut input, end, Vec2::new(9.0, 30.0));
    assert!(session.is_dragging() && *session.rig() != narrow.1);
    input.handle(Event::Key(Key::Escape), &mut session);
    assert!((pose(&session), session.rig().clone()) == narrow);
}

#[test]
fn limit_edits_until_release_are_one_undo_step_and_invalid_limits_add_none() {
    let (mut session, mut input) = (mannequin_session(), Input::default());
    let joint = node(&session, "leftLowerArm");
    let before = session.rig().clone();
    for degrees in [100.0_f64, 60.0, 20.0] {
        session.apply(Command::Limit(
            joint,
            Limit::Hinge { axis: DVec3::X, min: 0.0, max: degrees.to_radians() },
        ));
    }
    session.apply(Command::Release);
    let edited = session.rig().clone();
    session.apply(Command::Limit(joint, Limit::Locked));
    session.apply(Command::Release);
    undo(&mut session, &mut input);
    assert!(*session.rig() == edited);
    undo(&mut session, &mut input);
    assert!(*session.rig() == before);
    for invalid in [
        Limit::Hinge { axis: DVec3::ZERO, min: 0.0, max: 1.0 },
        Limit::Hinge { axis: DVec3::X, min: 2.0, max: 1.0 },
        Limit::Hinge { axis: DVec3::X, min: f64::NAN, max: 1.0 },
    ] {
        session.apply(Command::Limit(joint, invalid));
    }
    session.apply(Command::Limit(100_000, Limit::Locked));
    assert!(*session.rig() == before);
    // Setting a limit adds an entry for the joint to the rig, and setting `Limit::Free` removes the entry.
    let bone = session.puppet().character().skeleton.nodes.iter().position(|n| n.skin.is_some()).unwrap();
    assert!(!before.joints.contains_key(&bone));
    for limit in [Limit::Locked, Limit::Free] {
        session.apply(Command::Limit(bone, limit));
        assert_eq!(session.rig().joints.contains_key(&bone), limit == Limit::Locked);
    }
}

#[test]
fn dragging_the_pole_moves_the_elbow_but_not_the_hand() {
    let (mut session, mut input) = (mannequin_session(), Input::default());
    let start = at(&session, "leftHand");
    drag(&mut session, &mut input, start, Vec2::new(-90.0, -40.0));
    release(&mut session, &mut input);
    select(&mut session, "leftLowerArm");
    let (before, hand, elbow) =
        (pose(&session), place(&session, "leftHand"), place(&session, "leftLowerArm"));
    // The default pole is half a limb's length away from the elbow, in the direction of the bend.
    let shoulder = place(&session, "leftUpperArm");
    let length = shoulder.distance(elbow) + elbow.distance(hand);
    let way = (elbow - shoulder).reject_from((hand - shoulder).normalize()).normalize();
    let pole = pixel(&session.camera(), elbow + way * length * 0.5, SIZE).unwrap();
    drag(&mut session, &mut input, pole, Vec2::new(10.0, -140.0));
    let moved = place(&session, "leftLowerArm");
    assert!(moved.y > elbow.y + 0.03, "{elbow} {moved}");
    assert!(place(&session, "leftHand").distance(hand) < 2e-3);
    release(&mut session, &mut input);
    let chain = |session: &Session| session.rig().chain(node(session, "leftHand")).unwrap().pole;
    let set = chain(&session).unwrap();
    // The pole applies to the next drag of the hand.
    drag_joint(&mut session, &mut input, "leftHand", Vec2::new(15.0, 15.0));
    release(&mut session, &mut input);
    let (shoulder, elbow, hand) =
        (place(&session, "leftUpperArm"), place(&session, "leftLowerArm"), place(&session, "leftHand"));
    let line = (hand - shoulder).normalize();
    let (bend, expected) = ((elbow - shoulder).reject_from(line), (set - shoulder).reject_from(line));
    assert!(bend.angle_between(expected) < 0.35, "{}", bend.angle_between(expected));
    // A double click removes the pole. Each change is one undo step.
    let place = pixel(&session.camera(), set, SIZE).unwrap();
    input.handle(Event::Moved(place), &mut session);
    input.handle(Event::Pressed(Button::Left, true), &mut session);
    release(&mut session, &mut input);
    assert_eq!(chain(&session), None);
    undo(&mut session, &mut input);
    assert_eq!(chain(&session), Some(set));
    undo(&mut session, &mut input);
    undo(&mut session, &mut input);
    assert_eq!((chain(&session), pose(&session)), (None, before));
}

#[test]
fn pinned_feet_do_not_drift_during_a_long_drag() {
    let (mut session, mut input) = (mannequin_session(), Input::default());
    let feet = ["leftFoot", "rightFoot"];
    for foot in feet {
        let pixel = at(&session, foot);
        input.handle(Event::Moved(pixel), &mut session);
        input.handle(Event::Key(Key::Char('p')), &mut session);
    }
    let starts = feet.map(|foot| place(&session, foot));
    let hips = at(&session, "hips");
    input.handle(Event::Moved(hips), &mut session);
    input.handle(Event::Pressed(Button::Left, false), &mut session);
    for step in 0..2000_u16 {
        let turn = f32::from(step) * 0.05;
        let to = hips + Vec2::new(22.0 * turn.sin(), 14.0 - 14.0 * (0.7 * turn).cos());
        input.handle(Event::Moved(to), &mut session);
    }
    assert!(session.error().is_none(), "{:?}", session.error());
    for (foot, start) in feet.into_iter().zip(starts) {
        let drift = place(&session, foot).distance(start);
        assert!(drift < 1e-4, "{foot} has drifted by {drift} m");
    }
}

/// The gizmo of every joint of every test character can be drawn and dragged.
#[test]
fn gizmos_of_all_joints_of_all_characters_stay_finite() {
    for name in ["arm", "awkward", "mannequin", "spider", "tentacle"] {
        let mut session = session_of(load(&asset_path(&format!("{name}.glb"))).unwrap());
        let mut input = Input::default();
        for joint in 0..session.puppet().character().skeleton.nodes.len() {
            session.apply(Command::Select(Some(joint)));
            let frame = session.frame(1.0);
            let lines = frame.lines.iter().all(|l| l.start.is_finite() && l.end.is_finite());
            let fills = frame.fills.iter().flat_map(|f| f.corners).all(Vec3::is_finite);
            assert!(lines && fills, "{name} {joint}");
            let ends: Vec<Vec3> = frame.lines.iter().rev().step_by(37).map(|l| l.start).collect();
            let pixels: Vec<Vec2> =
                ends.iter().filter_map(|p| pixel(&session.camera(), *p, SIZE)).take(2).collect();
            for pixel in pixels {
                drag(&mut session, &mut input, pixel, Vec2::new(25.0, -15.0));
                release(&mut session, &mut input);
            }
            let finite = |r: Quat| r.is_finite();
            assert!(session.puppet().pose().locals.iter().all(|l| finite(l.rotation)), "{name} {joint}");
        }
    }
}
