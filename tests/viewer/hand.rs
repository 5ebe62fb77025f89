//! Tests of how the pointer interacts with the figure: beside thin parts, and at the limits of joints.

use glam::{Quat, Vec2};
use sinew::viewer::{Button, Command, Event, Input, Session};

use crate::support::{SIZE, at, detected_session, mannequin_session, node};

/// Searches along a row for the first pixel beside the left hand where nothing is drawn.
fn beside_the_hand(session: &Session) -> Vec2 {
    let hand = at(session, "leftHand") + Vec2::new(0.0, 12.0);
    let camera = session.camera();
    let misses = |pixel: &Vec2| {
        let ray = sinew::scene::picking::Ray::through(&camera, *pixel, SIZE).unwrap();
        sinew::scene::picking::pick_skin(session.puppet(), &ray).is_none()
    };
    (0..120_u8).map(|step| hand + Vec2::new(f32::from(step), 0.0)).find(misses).unwrap()
}

/// Regression test: a press beside a finger rotated the camera.
#[test]
fn a_press_up_to_eight_pixels_beside_the_skin_grabs_it() {
    let edge = beside_the_hand(&detected_session());
    for (distance, grabs) in [(1.0, true), (6.0, true), (14.0, false)] {
        let (mut session, mut input) = (detected_session(), Input::default());
        let orbit = session.camera();
        let from = edge + Vec2::new(distance, 0.0);
        input.handle(Event::Moved(from), &mut session);
        assert_eq!(session.is_hovering(), grabs, "{distance} pixels beside the hand");
        input.handle(Event::Pressed(Button::Left, false), &mut session);
        input.handle(Event::Moved(from + Vec2::new(30.0, -20.0)), &mut session);
        assert_eq!((session.is_dragging(), session.camera() == orbit), (grabs, grabs));
        input.handle(Event::Released(Button::Left), &mut session);
    }
}

/// The margin is measured in points, so it has the same visible width on a screen with smaller pixels.
#[test]
fn the_margin_grows_with_the_pixels_per_point() {
    let mut session = detected_session();
    let far = beside_the_hand(&session) + Vec2::new(13.0, 0.0);
    session.apply(Command::Hover(far));
    assert!(!session.is_hovering());
    session.apply(Command::Scale(2.0));
    session.apply(Command::Hover(far));
    assert!(session.is_hovering());
}

/// Regression test: a typed angle beyond a limit was reduced without a message.
#[test]
fn a_turn_that_a_limit_stops_says_so_until_the_next_command() {
    let mut session = mannequin_session();
    let elbow = node(&session, "leftLowerArm");
    let rest = session.puppet().pose().locals[elbow].rotation;
    let turned = |degrees: f32| Command::Turn(elbow, rest * Quat::from_rotation_y(degrees.to_radians()));
    for degrees in [170.0, -170.0] {
        session.apply(turned(degrees));
        let note = session.limit_note().map(str::to_owned);
        session.apply(Command::Undo);
        if let Some(note) = note {
            assert!(note.contains("leftLowerArm") && note.contains("Solver"), "{note}");
            assert_eq!(session.limit_note(), None);
            return;
        }
    }
    panic!("no turn of the elbow was stopped");
}

/// Regression test: the note referred to an arc that was not drawn.
#[test]
fn the_note_about_a_ball_joint_says_how_to_show_its_limit() {
    let mut session = mannequin_session();
    let head = node(&session, "head");
    for (shown, asks) in [(false, true), (true, false)] {
        session.apply(Command::ShowLimits(shown));
        session.apply(Command::Turn(head, Quat::from_rotation_x(2.5)));
        let note = session.limit_note().unwrap();
        assert_eq!(note.contains("Show in the inspector"), asks, "{note}");
    }
}
