//! Tests of the gizmo of the selected joint: its limit, rings and pole, dragged with the pointer.

use std::f64::consts::PI;
use std::fs;

use glam::{DQuat, DVec3, EulerRot, Quat, Vec2, Vec3};
use sinew::asset::{Character, load};
use sinew::ik::Limit;
use sinew::rig;
use sinew::scene::picking::pixel;
use sinew::viewer::{Button, Command, Event, Input, Key, RingMode, Session};

use super::files::folder;
use super::{SIZE, at, drag, pose, session};

/// Returns the mannequin with its own rig.
fn rigged() -> Session {
    let character = sinew::asset::mannequin().unwrap();
    let rig = rig::load(&character, None).unwrap();
    Session::new(character, Some(rig), SIZE)
}

fn node(session: &Session, name: &str) -> usize {
    session.puppet().character().skeleton.find(name).unwrap()
}

fn place(session: &Session, name: &str) -> Vec3 {
    session.puppet().world_from_node()[node(session, name)].translation.into()
}

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

fn select(session: &mut Session, name: &str) {
    let joint = node(session, name);
    session.apply(Command::Select(Some(joint)));
}

/// Returns the axis, the minimum and the maximum angle of a hinge in radians.
fn hinge(session: &Session, name: &str) -> (DVec3, f64, f64) {
    let limit = session.rig().joint(node(session, name)).limit;
    let hinge = if let Limit::Hinge { axis, min, max } = limit { Some((axis, min, max)) } else { None };
    hinge.unwrap()
}

/// Returns the length in world metres of a distance in points at a position.
fn metres(session: &Session, place: Vec3, points: f32) -> f32 {
    let camera = session.camera();
    let depth = (place - camera.position).dot((camera.target - camera.position).normalize());
    2.0 * depth * (camera.fov_y * 0.5).tan() * points / SIZE.y
}

/// Returns the pixel of an angle on the arc of a hinge.
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
    let (mut session, mut input) = (rigged(), Input::default());
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
    let (mut session, mut input) = (rigged(), Input::default());
    let joint = node(&session, "leftLowerArm");
    // Bend the elbow beyond the new limit.
    let hand = at(&session, "leftHand");
    drag(&mut session, &mut input, hand, Vec2::new(-70.0, -90.0));
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
    // If the limit is widened again during the same drag, the elbow returns.
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
fn limit_edits_until_release_are_one_undo_step_and_invalid_limits_none() {
    let (mut session, mut input) = (rigged(), Input::default());
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
    // A joint without an entry in the rig gets one with a limit and loses it with `Limit::Free`.
    let bone = session.puppet().character().skeleton.nodes.iter().position(|n| n.skin.is_some()).unwrap();
    assert!(!before.joints.contains_key(&bone));
    for limit in [Limit::Locked, Limit::Free] {
        session.apply(Command::Limit(bone, limit));
        assert_eq!(session.rig().joints.contains_key(&bone), limit == Limit::Locked);
    }
}

#[test]
fn ring_rotates_the_hand_in_place() {
    let (mut session, mut input) = (rigged(), Input::default());
    let hand = node(&session, "leftHand");
    let start = at(&session, "leftHand");
    drag(&mut session, &mut input, start, Vec2::new(-70.0, -60.0));
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
    let (mut session, mut input) = (rigged(), Input::default());
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
fn dragging_the_pole_moves_the_elbow_but_not_the_hand() {
    let (mut session, mut input) = (rigged(), Input::default());
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
    let start = at(&session, "leftHand");
    drag(&mut session, &mut input, start, Vec2::new(15.0, 15.0));
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
    let (mut session, mut input) = (rigged(), Input::default());
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

/// Copies the arm and its rig to a folder. Returns the session and the path of the rig.
fn arm(folder: &std::path::Path) -> (Session, std::path::PathBuf) {
    for name in ["arm.glb", "arm.rig.toml"] {
        fs::copy(format!("{}/assets/{name}", env!("CARGO_MANIFEST_DIR")), folder.join(name)).unwrap();
    }
    (open(load(&folder.join("arm.glb")).unwrap()), folder.join("arm.rig.toml"))
}

fn open(character: Character) -> Session {
    let rig = rig::load(&character, None).unwrap();
    Session::new(character, Some(rig), SIZE)
}

#[test]
fn edited_rig_is_saved_with_its_comments() {
    let folder = folder("save-rig");
    let (_, path) = arm(&folder);
    let text = fs::read_to_string(&path).unwrap();
    let text =
        text.replace("[[joint]]\nnode = \"axis_3\"", "# The elbow.\n[[joint]]\nnode = \"axis_3\" # third");
    fs::write(&path, &text).unwrap();
    let mut session = open(load(&folder.join("arm.glb")).unwrap());
    assert!(!session.is_rig_changed());
    let limit = Limit::Hinge { axis: DVec3::X, min: -0.5 * PI, max: 0.25 * PI };
    let (elbow, gripper) = (node(&session, "axis_3"), node(&session, "gripper"));
    session.apply(Command::Limit(elbow, limit));
    session.apply(Command::Limit(gripper, Limit::Locked));
    session.apply(Command::Release);
    assert!(session.is_rig_changed());
    // An existing file is not replaced without permission.
    let error = session.save_rig(&folder, false).unwrap_err().to_string();
    assert!(error.ends_with("arm.rig.toml already exists"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    assert_eq!(session.save_rig(&folder, true).unwrap(), path);
    assert!(!session.is_rig_changed());
    let saved = fs::read_to_string(&path).unwrap();
    assert!(saved.contains("# The elbow.\n") && saved.contains("\"axis_3\" # third"), "{saved}");
    // Unedited limits keep their formatting.
    assert!(saved.contains("limit = { kind = \"hinge\", axis = [0.0, 1.0, 0.0], min = -170, max = 170 }"));
    let reloaded = open(load(&folder.join("arm.glb")).unwrap());
    assert_eq!(reloaded.rig().joint(gripper).limit, Limit::Locked);
    let (_, min, max) = hinge(&reloaded, "axis_3");
    assert!((min + 0.5 * PI).abs() < 1e-7 && (max - 0.25 * PI).abs() < 1e-7);
    assert_eq!(
        reloaded.rig().joint(node(&reloaded, "axis_2")),
        session.rig().joint(node(&session, "axis_2"))
    );
    // The session may overwrite its own file, but not a file that was changed since.
    session.apply(Command::Limit(gripper, Limit::Free));
    session.save_rig(&folder, false).unwrap();
    assert!(!fs::read_to_string(&path).unwrap().contains("locked"));
    fs::write(&path, "other = [").unwrap();
    session.apply(Command::Undo);
    let error = session.save_rig(&folder, true).unwrap_err().to_string();
    assert!(error.contains("arm.rig.toml: line 1") && !error.contains('\n'), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "other = [");
    assert!(session.is_rig_changed());
}

#[test]
fn rig_of_the_built_in_character_is_saved_under_a_free_name() {
    let folder = folder("save-own-rig");
    let mut session = rigged();
    let joint = node(&session, "leftLowerArm");
    session.apply(Command::Limit(joint, Limit::Locked));
    assert_eq!(session.save_rig(&folder, false).unwrap(), folder.join("mannequin.rig.toml"));
    assert_eq!(session.save_rig(&folder, false).unwrap(), folder.join("mannequin-0001.rig.toml"));
    let text = fs::read_to_string(folder.join("mannequin.rig.toml")).unwrap();
    let saved = rig::file::read(&text, &session.puppet().character().skeleton).unwrap();
    assert_eq!(saved.joint(joint).limit, Limit::Locked);
    assert_eq!(saved.chains, session.rig().chains);
    assert!(text.starts_with("# Written by"), "{}", text.lines().next().unwrap_or_default());
}

#[test]
fn reload_keeps_an_unsaved_rig() {
    let (mut before, character) = (session(), sinew::asset::mannequin().unwrap());
    let mut after = Session::new(character, None, SIZE);
    after.take_over(&before, true);
    assert!(!after.is_rig_changed());
    let joint = node(&before, "leftLowerArm");
    before.apply(Command::Limit(joint, Limit::Locked));
    after.take_over(&before, true);
    assert!(after.is_rig_changed());
    assert_eq!(after.rig().joint(joint).limit, Limit::Locked);
}

/// The gizmo of every joint of every test character can be drawn and dragged.
#[test]
fn gizmos_of_all_joints_of_all_characters_stay_finite() {
    for name in ["arm", "awkward", "mannequin", "spider", "tentacle"] {
        let path = format!("{}/assets/{name}.glb", env!("CARGO_MANIFEST_DIR"));
        let mut session = open(load(path.as_ref()).unwrap());
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

#[test]
fn kept_ring_drag_stays_a_goal_and_the_gizmo_scales() {
    let (mut session, mut input) = (rigged(), Input::default());
    let joint = node(&session, "leftHand");
    session.apply(Command::Limit(joint, Limit::Free));
    session.apply(Command::Release);
    session.apply(Command::KeepGoals(true));
    session.apply(Command::RingMode(RingMode { alone: false, world: true }));
    session.apply(Command::Scale(2.0));
    select(&mut session, "leftHand");
    // The y ring at its point closest to the camera, with twice the radius because of the scale.
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
