//! The selected joint: its limit, its rings and its pole, taken hold of by the pointer.

use std::f64::consts::PI;
use std::fs;

use glam::{DQuat, DVec3, EulerRot, Quat, Vec2, Vec3};
use sinew::asset::{Character, load};
use sinew::ik::Limit;
use sinew::picking::pixel;
use sinew::rig;
use sinew::viewer::{Button, Command, Event, Input, Key, Session, Turning};

use super::files::folder;
use super::{SIZE, at, drag, pose, session};

/// With the rig that the mannequin brings along.
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

/// Axis, least and greatest angle of a hinge, radians.
fn hinge(session: &Session, name: &str) -> (DVec3, f64, f64) {
    let limit = session.rig().joint(node(session, name)).limit;
    let hinge = if let Limit::Hinge { axis, min, max } = limit { Some((axis, min, max)) } else { None };
    hinge.unwrap()
}

/// World metres that so many points take at a place, seen by a session's camera.
fn metres(session: &Session, place: Vec3, points: f32) -> f32 {
    let camera = session.camera();
    let depth = (place - camera.position).dot((camera.target - camera.position).normalize());
    2.0 * depth * (camera.fov_y * 0.5).tan() * points / SIZE.y
}

/// The pixel of an angle on the arc of a hinge.
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
fn a_click_selects_and_moves_nothing() {
    let (mut session, mut input) = (rigged(), Input::default());
    let before = pose(&session);
    let hand = at(&session, "leftHand");
    click(&mut session, &mut input, hand);
    assert_eq!(session.selected(), Some(node(&session, "leftHand")));
    assert_eq!(before, pose(&session));
    // Turning the camera keeps it; a click on nothing does not.
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
fn the_end_of_an_arc_is_dragged_and_the_joint_follows() {
    let (mut session, mut input) = (rigged(), Input::default());
    let joint = node(&session, "leftLowerArm");
    // Bent by a drag, so that there is something to hold back.
    let hand = at(&session, "leftHand");
    drag(&mut session, &mut input, hand, Vec2::new(-70.0, -90.0));
    release(&mut session, &mut input);
    let bent = pose(&session);
    select(&mut session, "leftLowerArm");
    session.apply(Command::Orbit(Vec2::new(90.0, -40.0)));
    let (_, min, max) = hinge(&session, "leftLowerArm");
    let wanted = 0.3;
    let ways: Vec<f64> = (0..=8).map(|i| max + (wanted - max) * f64::from(i) / 8.0).collect();
    let places: Vec<Vec2> =
        ways.iter().map(|&angle| on_arc(&session, "leftLowerArm", "leftHand", angle)).collect();
    input.handle(Event::Moved(places[0]), &mut session);
    assert_eq!(session.hovered(), None, "the end of the arc goes first");
    input.handle(Event::Pressed(Button::Left, false), &mut session);
    for place in &places {
        input.handle(Event::Moved(*place), &mut session);
    }
    let (_, still, now) = hinge(&session, "leftLowerArm");
    assert!((now - wanted).abs() < 0.02 && (still - min).abs() < 1e-12, "{now}");
    assert!((now.to_degrees() * 10.0).fract().abs() < 1e-6, "whole tenths of a degree: {}", now.to_degrees());
    let local = session.puppet().pose().locals[joint].rotation;
    let rest = session.puppet().character().skeleton.nodes[joint].rest.rotation;
    assert!((f64::from(rest.angle_between(local)) - now).abs() < 1e-3, "the elbow is held back");
    // Opened again within the same drag, the elbow comes back.
    for place in places.iter().rev() {
        input.handle(Event::Moved(*place), &mut session);
    }
    assert!(session.puppet().pose().locals[joint].rotation.angle_between(bent.locals[joint].rotation) < 1e-6);
    input.handle(Event::Moved(places[8]), &mut session);
    let narrow = (pose(&session), session.rig().clone());
    release(&mut session, &mut input);
    assert!((pose(&session), session.rig().clone()) == narrow);
    undo(&mut session, &mut input);
    assert_eq!((hinge(&session, "leftLowerArm").1, hinge(&session, "leftLowerArm").2), (min, max));
    assert_eq!(pose(&session), bent);
    session.apply(Command::Redo);
    assert!((pose(&session), session.rig().clone()) == narrow);
    // Cancelled, every bit is as it was.
    let end = on_arc(&session, "leftLowerArm", "leftHand", min);
    drag(&mut session, &mut input, end, Vec2::new(9.0, 30.0));
    assert!(session.is_dragging() && *session.rig() != narrow.1);
    input.handle(Event::Key(Key::Escape), &mut session);
    assert!((pose(&session), session.rig().clone()) == narrow);
}

#[test]
fn numbers_of_one_drag_are_one_step_and_nonsense_is_none() {
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
    for nonsense in [
        Limit::Hinge { axis: DVec3::ZERO, min: 0.0, max: 1.0 },
        Limit::Hinge { axis: DVec3::X, min: 2.0, max: 1.0 },
        Limit::Hinge { axis: DVec3::X, min: f64::NAN, max: 1.0 },
    ] {
        session.apply(Command::Limit(joint, nonsense));
    }
    session.apply(Command::Limit(100_000, Limit::Locked));
    assert!(*session.rig() == before);
    // One that was never there comes and goes.
    let bone = session.puppet().character().skeleton.nodes.iter().position(|n| n.skin.is_some()).unwrap();
    assert!(!before.joints.contains_key(&bone));
    for limit in [Limit::Locked, Limit::Free] {
        session.apply(Command::Limit(bone, limit));
        assert_eq!(session.rig().joints.contains_key(&bone), limit == Limit::Locked);
    }
}

#[test]
fn a_ring_turns_the_hand_in_its_place() {
    let (mut session, mut input) = (rigged(), Input::default());
    let hand = node(&session, "leftHand");
    let start = at(&session, "leftHand");
    drag(&mut session, &mut input, start, Vec2::new(-70.0, -60.0));
    release(&mut session, &mut input);
    session.apply(Command::Limit(hand, Limit::Free));
    session.apply(Command::Release);
    session.apply(Command::Turning(Turning { alone: false, world: true }));
    select(&mut session, "leftHand");
    let (center, skeleton) = (place(&session, "leftHand"), session.puppet().character().skeleton.clone());
    let turned = |session: &Session| rig::orientation(&skeleton, session.puppet().pose(), hand);
    let (before, own, elbow) = (pose(&session), turned(&session), place(&session, "leftLowerArm"));
    // The ring about z, from where it is nearest to the camera: a quarter turn by its own points.
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
    let wanted = DQuat::from_rotation_z(0.5) * own;
    assert!(turned(&session).angle_between(wanted) < 5e-3, "{}", turned(&session).angle_between(own));
    assert!(place(&session, "leftHand").distance(center) < 2e-3);
    input.handle(Event::Modifiers(false, true, false), &mut session);
    let steps = turned(&session).angle_between(own).to_degrees() / 15.0;
    assert!((steps - steps.round()).abs() < 0.02, "{steps} steps of 15 degrees");
    input.handle(Event::Modifiers(false, false, false), &mut session);
    input.handle(Event::Key(Key::Escape), &mut session);
    assert_eq!(before, pose(&session));
    assert!(place(&session, "leftLowerArm").distance(elbow) < 1e-6);
}

#[test]
fn a_ring_turns_a_joint_alone_as_far_as_its_limit() {
    let (mut session, mut input) = (rigged(), Input::default());
    let joint = node(&session, "rightUpperLeg");
    session.apply(Command::Limit(
        joint,
        Limit::Euler { order: EulerRot::XYZ, min: [-0.2, 0.0, 0.0], max: [0.2, 0.0, 0.0] },
    ));
    session.apply(Command::Release);
    session.apply(Command::Turning(Turning { alone: true, world: true }));
    select(&mut session, "rightUpperLeg");
    let (center, before) = (place(&session, "rightUpperLeg"), pose(&session));
    let radius = metres(&session, center, 84.0);
    let to_camera = (session.camera().position - center).normalize();
    let first = to_camera.z.atan2(to_camera.y);
    let on_ring = |session: &Session, angle: f32| {
        let (sin, cos) = (first + angle).sin_cos();
        pixel(&session.camera(), center + radius * Vec3::new(0.0, cos, sin), SIZE).unwrap()
    };
    let mut most: f32 = 0.0;
    input.handle(Event::Moved(on_ring(&session, 0.0)), &mut session);
    input.handle(Event::Pressed(Button::Left, false), &mut session);
    for step in 1..=10_u8 {
        input.handle(Event::Moved(on_ring(&session, f32::from(step) * 0.1)), &mut session);
        let local = session.puppet().pose().locals[joint].rotation;
        most = most.max(before.locals[joint].rotation.angle_between(local));
    }
    release(&mut session, &mut input);
    assert!((most - 0.2).abs() < 1e-3, "{most}");
    let after = pose(&session);
    let others = after.locals.iter().zip(&before.locals).enumerate();
    assert!(others.filter(|(n, _)| *n != joint).all(|(_, (now, then))| *now == *then));
    undo(&mut session, &mut input);
    assert_eq!(before, pose(&session));
}

#[test]
fn the_pole_moves_the_elbow_and_not_the_hand() {
    let (mut session, mut input) = (rigged(), Input::default());
    let start = at(&session, "leftHand");
    drag(&mut session, &mut input, start, Vec2::new(-90.0, -40.0));
    release(&mut session, &mut input);
    select(&mut session, "leftLowerArm");
    let (before, hand, elbow) =
        (pose(&session), place(&session, "leftHand"), place(&session, "leftLowerArm"));
    // Where it stands while none is set: half a limb's length away from the elbow, where that points.
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
    // It stays for the next pull of the hand.
    let start = at(&session, "leftHand");
    drag(&mut session, &mut input, start, Vec2::new(15.0, 15.0));
    release(&mut session, &mut input);
    let (shoulder, elbow, hand) =
        (place(&session, "leftUpperArm"), place(&session, "leftLowerArm"), place(&session, "leftHand"));
    let line = (hand - shoulder).normalize();
    let (bent, wanted) = ((elbow - shoulder).reject_from(line), (set - shoulder).reject_from(line));
    assert!(bent.angle_between(wanted) < 0.35, "{}", bent.angle_between(wanted));
    // A double click takes it away; each was a step.
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
fn pinned_feet_do_not_drift_in_a_long_drag() {
    let (mut session, mut input) = (rigged(), Input::default());
    let feet = ["leftFoot", "rightFoot"];
    for foot in feet {
        let pixel = at(&session, foot);
        input.handle(Event::Moved(pixel), &mut session);
        input.handle(Event::Key(Key::Char('p')), &mut session);
    }
    let were = feet.map(|foot| place(&session, foot));
    let hips = at(&session, "hips");
    input.handle(Event::Moved(hips), &mut session);
    input.handle(Event::Pressed(Button::Left, false), &mut session);
    for step in 0..2000_u16 {
        let turn = f32::from(step) * 0.05;
        let to = hips + Vec2::new(22.0 * turn.sin(), 14.0 - 14.0 * (0.7 * turn).cos());
        input.handle(Event::Moved(to), &mut session);
    }
    assert!(session.error().is_none(), "{:?}", session.error());
    for (foot, was) in feet.into_iter().zip(were) {
        let away = place(&session, foot).distance(was);
        assert!(away < 1e-4, "{foot} is {away} m away");
    }
}

/// A copy of the arm with its rig, to be written over.
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
fn an_edited_rig_is_saved_with_its_comments_and_read_again() {
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
    // Nothing is replaced unasked.
    let refused = session.save_rig(&folder, false).unwrap_err().to_string();
    assert!(refused.ends_with("arm.rig.toml already exists"), "{refused}");
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    assert_eq!(session.save_rig(&folder, true).unwrap(), path);
    assert!(!session.is_rig_changed());
    let saved = fs::read_to_string(&path).unwrap();
    assert!(saved.contains("# The elbow.\n") && saved.contains("\"axis_3\" # third"), "{saved}");
    // What was not edited is there as it was written.
    assert!(saved.contains("limit = { kind = \"hinge\", axis = [0.0, 1.0, 0.0], min = -170, max = 170 }"));
    let again = open(load(&folder.join("arm.glb")).unwrap());
    assert_eq!(again.rig().joint(gripper).limit, Limit::Locked);
    let (_, min, max) = hinge(&again, "axis_3");
    assert!((min + 0.5 * PI).abs() < 1e-7 && (max - 0.25 * PI).abs() < 1e-7);
    assert_eq!(again.rig().joint(node(&again, "axis_2")), session.rig().joint(node(&session, "axis_2")));
    // What was written here may be written again; what somebody else wrote since may not.
    session.apply(Command::Limit(gripper, Limit::Free));
    session.save_rig(&folder, false).unwrap();
    assert!(!fs::read_to_string(&path).unwrap().contains("locked"));
    fs::write(&path, "somebody's = [").unwrap();
    session.apply(Command::Undo);
    let broken = session.save_rig(&folder, true).unwrap_err().to_string();
    assert!(broken.contains("arm.rig.toml: line 1") && !broken.contains('\n'), "{broken}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "somebody's = [");
    assert!(session.is_rig_changed());
}

#[test]
fn the_rig_of_the_character_inside_goes_under_a_free_name() {
    let folder = folder("save-own-rig");
    let mut session = rigged();
    let joint = node(&session, "leftLowerArm");
    session.apply(Command::Limit(joint, Limit::Locked));
    assert_eq!(session.save_rig(&folder, false).unwrap(), folder.join("mannequin.rig.toml"));
    assert_eq!(session.save_rig(&folder, false).unwrap(), folder.join("mannequin-0001.rig.toml"));
    let text = fs::read_to_string(folder.join("mannequin.rig.toml")).unwrap();
    let read = rig::file::read(&text, &session.puppet().character().skeleton).unwrap();
    assert_eq!(read.joint(joint).limit, Limit::Locked);
    assert_eq!(read.chains, session.rig().chains);
    assert!(text.starts_with("# Written by"), "{}", text.lines().next().unwrap_or_default());
}

#[test]
fn a_file_read_again_keeps_a_rig_that_is_not_saved() {
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

/// Every joint of every character can be selected, seen, and its gizmo pulled about.
#[test]
fn no_gizmo_of_the_cast_fails() {
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
fn a_ring_that_is_kept_stays_a_goal_and_points_grow_with_the_scale() {
    let (mut session, mut input) = (rigged(), Input::default());
    let joint = node(&session, "leftHand");
    session.apply(Command::Limit(joint, Limit::Free));
    session.apply(Command::Release);
    session.apply(Command::Keep(true));
    session.apply(Command::Turning(Turning { alone: false, world: true }));
    session.apply(Command::Scale(2.0));
    select(&mut session, "leftHand");
    // The ring about y, where it is nearest to the camera, at twice its points.
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
    // Another joint is turned alone; the hand keeps its orientation and its place.
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
