//! Tests of the keymaps through input events: joints that follow the pointer or a typed number, and buttons that move the camera.

use glam::{DVec3, Quat, Vec2, Vec3};
use sinew::viewer::{Action, Button, Command, Event, EyeTarget, Input, Key, Keymap, Session};

use crate::support::{at, mannequin_session, node, pose, position};

/// Returns a session with a selected joint of the mannequin, an input with the pointer beside the character, and the index of the joint.
fn selected(joint: &str, keymap: Keymap) -> (Session, Input, usize) {
    let mut session = mannequin_session();
    let node = node(&session, joint);
    session.apply(Command::Select(Some(node)));
    let mut input = Input::new(keymap);
    input.handle(Event::Moved(Vec2::new(20.0, 20.0)), &mut session);
    (session, input, node)
}

fn press(keys: &str, input: &mut Input, session: &mut Session) {
    for key in keys.chars() {
        let key = if key == '\n' { Key::Enter } else { Key::Char(key) };
        input.handle(Event::Key(key), session);
    }
}

#[test]
fn a_typed_number_pulls_a_joint_along_an_axis() {
    for keymap in Keymap::ALL {
        let (mut session, mut input, hand) = selected("leftHand", keymap);
        let before = position(&session, hand);
        let pull = if keymap == Keymap::Maya { "w" } else { "g" };
        press(pull, &mut input, &mut session);
        assert!(input.is_carrying() && session.is_dragging());
        press("y0.1-\n", &mut input, &mut session);
        assert!(!input.is_carrying() && !session.is_dragging());
        let by = position(&session, hand) - before;
        assert!(by.distance(Vec3::new(0.0, -0.1, 0.0)) < 1e-3, "{}: {by}", keymap.name());
        session.apply(Command::Undo);
        assert!(position(&session, hand).distance(before) < 1e-6);
    }
}

#[test]
fn a_typed_angle_turns_a_joint_about_a_world_axis() {
    let (mut session, mut input, head) = selected("head", Keymap::Blender);
    let before = pose(&session);
    let world = |session: &Session| {
        let matrix = session.puppet().world_from_node()[head].matrix3;
        Quat::from_mat3(&matrix.into())
    };
    let start = world(&session);
    press("ry30\n", &mut input, &mut session);
    let wanted = Quat::from_rotation_y(30_f32.to_radians()) * start;
    assert!(world(&session).angle_between(wanted) < 1e-3);
    // Another joint must not move.
    let spine = node(&session, "chest");
    assert_eq!(pose(&session).locals[spine], before.locals[spine]);
    session.apply(Command::Undo);
    assert_eq!(pose(&session), before);
}

/// Regression test: the direction in which the head looks became part of the pose.
#[test]
fn a_typed_angle_does_not_contain_the_look_of_the_head() {
    let turned = |look: EyeTarget| {
        let (mut session, mut input, head) = selected("head", Keymap::Blender);
        session.apply(Command::LookAt(look));
        press("ry30\n", &mut input, &mut session);
        session.apply(Command::LookAt(EyeTarget::Nothing));
        pose(&session).locals[head].rotation
    };
    let looking = turned(EyeTarget::Point(DVec3::new(1.0, 1.6, 1.0)));
    assert!(looking.angle_between(turned(EyeTarget::Nothing)) < 1e-2);
}

#[test]
fn escape_and_the_right_button_restore_the_pose() {
    for key in ["g", "r"] {
        for cancels in [Event::Key(Key::Escape), Event::Pressed(Button::Right, false)] {
            let (mut session, mut input, _) = selected("leftHand", Keymap::Blender);
            let before = pose(&session);
            press(key, &mut input, &mut session);
            input.handle(Event::Moved(Vec2::new(90.0, 160.0)), &mut session);
            assert_ne!(pose(&session), before, "{key}");
            input.handle(cancels, &mut session);
            assert_eq!(pose(&session), before, "{key}");
            assert!(!input.is_carrying());
        }
    }
}

#[test]
fn a_click_ends_a_pull_and_keeps_the_selection() {
    let (mut session, mut input, hand) = selected("leftHand", Keymap::Sinew);
    press("g", &mut input, &mut session);
    input.handle(Event::Moved(Vec2::new(60.0, 40.0)), &mut session);
    let pulled = pose(&session);
    input.handle(Event::Pressed(Button::Left, false), &mut session);
    input.handle(Event::Released(Button::Left), &mut session);
    assert_eq!((pose(&session), session.selected()), (pulled, Some(hand)));
    // Keys are shortcuts again.
    assert_eq!(input.action(Key::Char('9')), Some(Action::Auto));
}

#[test]
fn the_middle_button_moves_the_camera_as_the_keymap_says() {
    let dragged = |keymap: Keymap, shift: bool, control: bool| {
        let (mut session, mut input, _) = selected("head", keymap);
        let before = session.camera();
        input.handle(Event::Modifiers(shift, control, false), &mut session);
        input.handle(Event::Pressed(Button::Middle, false), &mut session);
        input.handle(Event::Moved(Vec2::new(60.0, 45.0)), &mut session);
        input.handle(Event::Released(Button::Middle), &mut session);
        let after = session.camera();
        let distance = |camera: sinew::view::Camera| camera.position.distance(camera.target);
        let has_zoomed = (distance(after) / distance(before) - 1.0).abs() > 1e-3;
        (after.target.distance(before.target) > 1e-3, has_zoomed)
    };
    let (pan, zoom, orbit) = ((true, false), (false, true), (false, false));
    assert_eq!(dragged(Keymap::Sinew, false, false), pan);
    assert_eq!(dragged(Keymap::Maya, false, false), pan);
    assert_eq!(dragged(Keymap::Blender, false, false), orbit);
    assert_eq!(dragged(Keymap::Blender, true, false), pan);
    assert!(dragged(Keymap::Blender, false, true).1 && zoom.1);
}

#[test]
fn views_look_along_the_axes() {
    let (mut session, mut input, _) = selected("head", Keymap::Blender);
    for (key, side) in [('1', Vec3::Z), ('3', Vec3::X), ('7', Vec3::Y)] {
        input.handle(Event::Key(Key::Numpad(key)), &mut session);
        let camera = session.camera();
        let direction = (camera.position - camera.target).normalize();
        assert!(direction.dot(side) > 0.999, "{key}: {direction}");
    }
}

/// Regression test: cancelling a turn performed an undo, so an earlier edit could be lost.
#[test]
fn a_cancelled_turn_leaves_no_trace_in_the_history() {
    let (mut session, mut input, head) = selected("head", Keymap::Blender);
    session.apply(Command::Turn(head, Quat::from_rotation_x(0.1)));
    session.apply(Command::Release);
    let before = pose(&session);
    for keys in ["r", "rx20"] {
        press(keys, &mut input, &mut session);
        input.handle(Event::Key(Key::Escape), &mut session);
        assert_eq!(pose(&session), before, "{keys}");
    }
    session.apply(Command::Redo);
    assert_eq!(pose(&session), before);
}

#[test]
fn shift_and_a_click_change_the_selection() {
    let (mut session, mut input, _) = selected("leftHand", Keymap::Blender);
    let foot = node(&session, "rightHand");
    let at = at(&session, "rightHand");
    let count = |session: &Session| session.selection().len();
    for expected in [2, 1] {
        input.handle(Event::Modifiers(true, false, false), &mut session);
        input.handle(Event::Moved(at), &mut session);
        input.handle(Event::Pressed(Button::Left, false), &mut session);
        input.handle(Event::Released(Button::Left), &mut session);
        assert_eq!(count(&session), expected);
    }
    assert_ne!(session.selected(), Some(foot));
}

/// A key once turned only the active one of several selected joints, although it pulls all of them.
#[test]
fn a_key_turns_all_selected_joints() {
    let (mut session, mut input, right) = selected("rightUpperArm", Keymap::Blender);
    let skeleton = &session.puppet().character().skeleton;
    let [left, below] = ["leftUpperArm", "leftLowerArm"].map(|name| skeleton.find(name).unwrap());
    session.apply(Command::SelectAdd(left));
    session.apply(Command::SelectAdd(below));
    let before = pose(&session);
    let world = |session: &Session, node: usize| {
        Quat::from_mat3(&session.puppet().world_from_node()[node].matrix3.into())
    };
    let start = [left, right].map(|node| world(&session, node));
    press("ry20\n", &mut input, &mut session);
    for (node, start) in [left, right].into_iter().zip(start) {
        let wanted = Quat::from_rotation_y(20_f32.to_radians()) * start;
        assert!(world(&session, node).angle_between(wanted) < 1e-3, "{node}");
    }
    assert_eq!(pose(&session).locals[below], before.locals[below], "it moves with the upper arm");
    session.apply(Command::Undo);
    assert_eq!(pose(&session), before);
}
