//! Tests of the views: along the axes, in both projections, of the selected joint, and of a character that walks.

use std::path::Path;
use std::time::Duration;

use glam::{Vec2, Vec3};
use sinew::asset::{Character, bvh, load};
use sinew::rig;
use sinew::scene::picking::pixel;
use sinew::view::{Framing, Projection};
use sinew::viewer::{
    Action, Command, Display, Event, Input, Key, Keymap, NodePoint, Recorder, Recording, Replay, Session,
};
use sinew_testkit::{asset_path, folder};

use crate::support::{
    SIZE, at, detected_session, drag, mannequin_session, node, place, pose, position, session_of,
};

/// A figure of hips, legs and a head that walks ten metres forwards, in centimetres.
fn walker() -> Character {
    let frames: String = (0..=30_u8)
        .map(|frame| {
            let (height, way) = (90.0 + f32::from(frame % 5), 1000.0 * f32::from(frame) / 30.0);
            format!("0 {height} {way} 0 0 0 0 0 0 0 0 0 0 0 0\n")
        })
        .collect();
    let joint = |name: &str, offset: &str, end: &str| {
        format!(
            "JOINT {name}\n{{\nOFFSET {offset}\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{{\nOFFSET {end}\n}}\n}}\n"
        )
    };
    let text = format!(
        "HIERARCHY\nROOT Hips\n{{\nOFFSET 0 0 0\n\
         CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n{}{}{}}}\n\
         MOTION\nFrames: 31\nFrame Time: 0.1\n{frames}",
        joint("LeftLeg", "10 0 0", "0 -90 0"),
        joint("RightLeg", "-10 0 0", "0 -90 0"),
        joint("Spine", "0 20 0", "0 60 0"),
    );
    bvh::read(&text, "walk.bvh".as_ref(), Some(0.01)).unwrap()
}

fn walk() -> Session {
    session_of(walker())
}

fn with_follow(session: &mut Session, follow: bool) {
    let display = Display { skeleton: false, names: false, ground: true, shadow: true, follow };
    session.apply(Command::Display(display));
}

fn press(key: Key, control: bool, input: &mut Input, session: &mut Session) {
    input.handle(Event::Modifiers(false, control, false), session);
    input.handle(Event::Key(key), session);
    input.handle(Event::Modifiers(false, false, false), session);
}

fn is_orthographic(session: &Session) -> bool {
    matches!(session.camera().projection, Projection::Orthographic { .. })
}

/// Returns the position of the followed joint in the view, or `None` if it is behind the camera.
fn root(session: &Session) -> Option<Vec2> {
    pixel(&session.camera(), session.puppet().world_from_node()[0].translation.into(), SIZE)
}

fn is_inside(at: Option<Vec2>) -> bool {
    at.is_some_and(|at| at.cmpge(Vec2::ZERO).all() && at.cmplt(SIZE).all())
}

#[test]
fn axis_views_are_orthographic_until_the_camera_orbits() {
    for keymap in Keymap::ALL {
        let (mut session, mut input) = (detected_session(), Input::new(keymap));
        let sides = [
            ('1', false, Vec3::Z),
            ('1', true, Vec3::NEG_Z),
            ('3', false, Vec3::X),
            ('3', true, Vec3::NEG_X),
            ('7', false, Vec3::Y),
            ('7', true, Vec3::NEG_Y),
        ];
        for (digit, control, side) in sides {
            press(Key::Numpad(digit), control, &mut input, &mut session);
            let direction = session.camera().direction();
            assert!(direction.dot(-side) > 0.999_999, "{}: {digit} {control} {direction}", keymap.name());
            assert!(is_orthographic(&session));
        }
        session.apply(Command::Orbit(Vec2::new(8.0, 5.0)));
        assert!(!is_orthographic(&session));
        // A projection that was chosen is kept.
        press(Key::Numpad('5'), false, &mut input, &mut session);
        press(Key::Numpad('1'), false, &mut input, &mut session);
        session.apply(Command::Orbit(Vec2::new(8.0, 5.0)));
        assert!(is_orthographic(&session));
        press(Key::Numpad('5'), false, &mut input, &mut session);
        assert!(!is_orthographic(&session));
    }
}

#[test]
fn a_drag_follows_the_pointer_in_every_orthographic_view() {
    for action in [Action::Front, Action::Side, Action::Back, Action::Projection] {
        let (mut session, mut input) = (detected_session(), Input::default());
        input.perform(action, &mut session);
        assert!(is_orthographic(&session));
        // Disable landing, because in the side view the hand would land on the thigh.
        session.apply(Command::Landing(false));
        let (start, by) = (at(&session, "leftHand"), Vec2::new(-12.0, -30.0));
        drag(&mut session, &mut input, start, by);
        assert!(session.is_dragging(), "{action:?}");
        let away = at(&session, "leftHand").distance(start + by);
        assert!(away < 3.0, "{action:?}: {away} pixels");
        // The wheel pushes the hand away from the camera, and its position in the view does not change.
        let before = place(&session, "leftHand");
        input.handle(Event::Wheel(1.0), &mut session);
        let pushed = (place(&session, "leftHand") - before).dot(session.camera().direction());
        assert!((0.01..0.3).contains(&pushed), "{action:?}: {pushed} m");
        assert!(at(&session, "leftHand").distance(start + by) < 4.0, "{action:?}");
    }
}

#[test]
fn what_is_picked_orthographically_is_what_is_seen() {
    let (mut session, mut input) = (detected_session(), Input::default());
    input.perform(Action::Front, &mut session);
    for name in ["head", "leftHand", "rightFoot"] {
        input.handle(Event::Moved(at(&session, name)), &mut session);
        let hit = session.hovered().unwrap();
        let seen = session.puppet().character().skeleton.label(hit.node);
        assert_eq!(seen, name);
    }
    input.handle(Event::Moved(Vec2::new(5.0, 5.0)), &mut session);
    assert!(session.hovered().is_none());
}

#[test]
fn home_is_the_first_view() {
    let (mut session, mut input) = (detected_session(), Input::default());
    let first = session.camera();
    input.perform(Action::Top, &mut session);
    session.apply(Command::Pan(Vec2::new(200.0, 90.0)));
    session.apply(Command::Zoom(SIZE * 0.3, 9.0));
    input.handle(Event::Key(Key::Home), &mut session);
    assert_eq!(session.camera(), first);
}

/// Returns the fractions of the image's width and height that the figure fills.
fn filled(session: &Session) -> Vec2 {
    let camera = session.camera();
    let seen: Vec<Vec2> =
        session.puppet().points().into_iter().filter_map(|point| pixel(&camera, point, SIZE)).collect();
    let low = seen.iter().copied().fold(Vec2::INFINITY, Vec2::min);
    let high = seen.iter().copied().fold(Vec2::NEG_INFINITY, Vec2::max);
    assert!(low.cmpge(Vec2::ZERO).all() && high.cmple(SIZE).all(), "{low} to {high}");
    (high - low) / SIZE
}

#[test]
fn a_tight_view_is_filled_by_the_figure_in_every_pose_and_projection() {
    for file in ["mannequin.glb", "arm.glb", "spider.glb"] {
        let character = load(&asset_path(file)).unwrap();
        let rig = rig::load(&character, None).unwrap();
        let (mut session, mut input) = (Session::new(character, Some(rig), SIZE), Input::default());
        let loose = filled(&session).max_element();
        session.apply(Command::Framing(Framing::Tight));
        input.handle(Event::Key(Key::Home), &mut session);
        let is_tight = |session: &Session| (0.75..=0.8).contains(&filled(session).max_element());
        assert!(is_tight(&session) && loose < 0.77, "{file}: {} and {loose}", filled(&session));
        let root =
            session.puppet().character().skeleton.nodes.iter().position(|n| n.parent.is_none()).unwrap();
        session.apply(Command::Turn(root, glam::Quat::from_rotation_z(1.2)));
        session.apply(Command::Orbit(Vec2::new(90.0, 40.0)));
        for projection in 0..2 {
            input.perform(Action::FrameAll, &mut session);
            assert!(is_tight(&session), "{file}, {projection}: {}", filled(&session));
            input.perform(Action::Projection, &mut session);
        }
    }
}

#[test]
fn a_selected_joint_is_framed_from_the_current_direction() {
    let (mut session, mut input) = (detected_session(), Input::new(Keymap::Maya));
    let whole = session.camera();
    let hand = node(&session, "leftHand");
    session.apply(Command::Select(Some(hand)));
    input.handle(Event::Key(Key::Char('f')), &mut session);
    let near = session.camera();
    assert!(near.direction().distance(whole.direction()) < 1e-5);
    assert!(near.position.distance(near.target) < 0.5 * whole.position.distance(whole.target));
    assert!(at(&session, "leftHand").distance(SIZE * 0.5) < 200.0);
    // Without a selection, the view shows the whole character.
    session.apply(Command::Select(None));
    input.handle(Event::Key(Key::Char('f')), &mut session);
    assert!(session.camera().target.distance(whole.target) < 1e-4);
}

#[test]
fn the_camera_follows_a_walk_only_on_request() {
    for follow in [false, true] {
        let mut session = walk();
        session.apply(Command::Clip(Some(0)));
        // The first view shows the whole walk.
        session.apply(Command::FrameAll);
        with_follow(&mut session, follow);
        let start = root(&session).unwrap();
        let mut is_always_inside = true;
        for _ in 0..28 {
            session.apply(Command::Tick(Duration::from_millis(100)));
            let now = root(&session);
            is_always_inside &= is_inside(now);
            if follow {
                // The figure bobs by 4 cm, but the picture does not.
                let away = now.unwrap() - start;
                assert!(away.x.abs() < 1.0 && away.y.abs() < 60.0, "{away}");
            }
        }
        assert_eq!(is_always_inside, follow);
        // Seeking follows too, and the camera of a paused motion can still be moved.
        if follow {
            session.apply(Command::Play(false));
            session.apply(Command::Seek(1.0));
            let seen = root(&session).unwrap();
            assert!(seen.distance(start) < 60.0);
            session.apply(Command::Pan(Vec2::new(50.0, 0.0)));
            let panned = root(&session).unwrap();
            assert!((panned.x - seen.x - 50.0).abs() < 1.0);
            session.apply(Command::Seek(2.0));
            assert!((root(&session).unwrap().x - panned.x).abs() < 1.0);
        }
    }
}

#[test]
fn a_character_out_of_sight_is_found_when_the_camera_follows_it() {
    let mut session = walk();
    session.apply(Command::Clip(Some(0)));
    session.apply(Command::FrameAll);
    session.apply(Command::Play(false));
    session.apply(Command::Seek(3.0));
    assert!(!is_inside(root(&session)));
    with_follow(&mut session, true);
    assert!(is_inside(root(&session)));
}

#[test]
fn dragging_the_hips_does_not_move_a_camera_that_follows() {
    let mut session = mannequin_session();
    with_follow(&mut session, true);
    let before = session.camera();
    let hips = node(&session, "hips");
    let start = position(&session, hips);
    session.apply(Command::GrabNode(NodePoint { node: hips, offset: glam::DVec3::ZERO }));
    session.apply(Command::DragTo((start + Vec3::new(0.2, -0.2, 0.1)).as_dvec3()));
    let moved = position(&session, hips);
    assert!(moved.distance(start) > 0.1, "{moved}");
    let view = |camera: sinew::view::Camera| (camera.position, camera.target, camera.projection);
    assert_eq!(view(session.camera()), view(before));
    session.apply(Command::Release);
    session.apply(Command::Tick(Duration::from_millis(50)));
    session.apply(Command::Undo);
    assert_eq!(view(session.camera()), view(before));
}

#[test]
fn a_recorded_camera_follows_alike_at_any_frame_rate() {
    let path = folder("follow").join("walk.session");
    let mut session = walk();
    session.apply(Command::Clip(Some(0)));
    session.apply(Command::Tick(Duration::from_millis(333)));
    with_follow(&mut session, true);
    session.apply(Command::Tick(Duration::from_millis(333)));
    session.record(Recorder::new(&path, true).unwrap(), 1.0).unwrap();
    for step in 0..60_u16 {
        session.apply(Command::Tick(Duration::from_millis(17)));
        session.apply(Command::Hover(Vec2::new(f32::from(step) * 9.0, 300.0)));
        if step % 16 == 3 {
            session.apply(Command::Orbit(Vec2::new(3.0, 1.0)));
            session.apply(Command::Pan(Vec2::new(3.0, 1.0)));
        }
    }
    session.stop_recording().unwrap().unwrap();
    let recording = Recording::open(&path).unwrap();
    let length = recording.length();
    for steps in [1, 7, 100_u32] {
        let rig = rig::load(&walker(), None).unwrap();
        let mut replay = Replay::new(&recording, walker(), rig).unwrap();
        for step in 1..=steps {
            replay.advance(length * step / steps).unwrap();
        }
        assert_eq!(replay.session().camera(), session.camera(), "{steps} steps");
        assert_eq!(pose(replay.session()), pose(&session));
    }
}

#[test]
fn a_captured_walk_stays_in_the_picture() {
    let Some(path) = sinew_testkit::external_or_skip("models/bvh/pybvh/cmu_12_01_walk.bvh") else { return };
    let seconds = |session: &Session| session.puppet().character().clips[0].seconds;
    for follow in [false, true] {
        let mut session = session_of(load(Path::new(&path)).unwrap());
        session.apply(Command::Clip(Some(0)));
        session.apply(Command::FrameAll);
        with_follow(&mut session, follow);
        let mut is_always_inside = true;
        for _ in 0..40 {
            session.apply(Command::Tick(Duration::from_secs_f32(seconds(&session) / 41.0)));
            let world = session.puppet().world_from_node();
            is_always_inside &=
                world.iter().all(|m| is_inside(pixel(&session.camera(), m.translation.into(), SIZE)));
        }
        assert_eq!(is_always_inside, follow);
    }
}
