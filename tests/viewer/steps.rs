//! Tests of the step mode: the pose along the steps of a solve, the keys that step, and the actions that end the mode.

use glam::{Vec2, Vec4};
use sinew::ik::Method;
use sinew::viewer::{Button, Command, Event, Input, Key, Recorder, Session};
use sinew_testkit::folder;

use crate::support::{at, drag_joint, mannequin_session, pose, position, replayed, set_method};

/// Colour of the vector from the joint to the target.
const TARGET: Vec4 = Vec4::new(1.0, 0.2, 0.03, 1.0);

fn press(session: &mut Session, input: &mut Input, key: char) {
    input.handle(Event::Key(Key::Char(key)), session);
}

/// Drags the left hand up with a method and releases it.
fn dragged_with(method: Method) -> (Session, Input) {
    let (mut session, mut input) = (mannequin_session(), Input::default());
    set_method(&mut session, method);
    drag_joint(&mut session, &mut input, "leftHand", Vec2::new(-60.0, -90.0));
    input.handle(Event::Released(Button::Left), &mut session);
    (session, input)
}

#[test]
fn keys_step_from_the_pose_before_the_drag_to_the_target_and_back() {
    let rest = pose(&mannequin_session());
    let (mut session, mut input) = dragged_with(Method::Ccd);
    let solved = pose(&session);
    assert!(session.can_step() && session.shown_steps().is_none());
    press(&mut session, &mut input, ',');
    assert!(session.shown_steps().is_none());
    press(&mut session, &mut input, '.');
    let (shown, count) = session.shown_steps().unwrap();
    assert!(shown == 0 && count >= 6 && session.shown_step().is_none(), "{count}");
    assert_eq!(pose(&session), rest);
    let mut poses = vec![rest.clone()];
    for shown in 1..=count {
        press(&mut session, &mut input, '.');
        assert_eq!(session.shown_steps(), Some((shown, count)));
        let (trace, step) = session.shown_step().map(|(t, s)| (t.clone(), *s)).unwrap();
        assert_eq!(trace.method, Method::Ccd);
        // Only the joint of the step has turned.
        let (before, now) = (poses.last().unwrap(), pose(&session));
        for (node, (a, b)) in before.locals.iter().zip(&now.locals).enumerate() {
            let turned = a.rotation.angle_between(b.rotation);
            let expected = if node == step.node { step.step.angle } else { 0.0 };
            assert!((f64::from(turned) - expected).abs() < 2e-3, "step {shown}, node {node}: {turned}");
        }
        let hand = &trace.targets[0];
        let reached = session.puppet().world_from_node()[hand.node].transform_point3(hand.offset.as_vec3());
        let error = reached.as_dvec3().distance(hand.position.unwrap());
        assert!((error - step.step.position_error.unwrap()).abs() < 1e-5, "step {shown}: {error}");
        // The vector from the joint to the target is drawn.
        let (joint, target) = (position(&session, step.node), hand.position.unwrap().as_vec3());
        let lines = session.frame(1.0).lines;
        assert!(lines.iter().any(|l| l.start == joint && l.end == target && l.color == TARGET), "{shown}");
        poses.push(now);
    }
    let (_, last) = session.shown_step().unwrap();
    assert!(last.step.position_error.unwrap() < 2e-3, "{last:?}");
    press(&mut session, &mut input, '.');
    assert_eq!(session.shown_steps(), Some((count, count)));
    for shown in (0..count).rev() {
        press(&mut session, &mut input, ',');
        assert_eq!(pose(&session), poses[shown], "{shown}");
    }
    press(&mut session, &mut input, ',');
    assert_eq!(session.shown_steps(), Some((0, count)));
    input.handle(Event::Key(Key::Escape), &mut session);
    assert!(session.shown_steps().is_none());
    assert_eq!(pose(&session), solved, "leaving the step mode must show the solved pose");
    // The solve is not a separate undo step.
    session.apply(Command::Undo);
    assert_eq!(pose(&session), rest);
    assert!(!session.can_step(), "the drag was undone");
}

#[test]
fn every_method_can_be_stepped_through() {
    let (mut session, _) = dragged_with(Method::Auto);
    let solved = pose(&session);
    session.apply(Command::Step(Some(3)));
    for method in std::iter::once(Method::Auto).chain(Method::ALL) {
        set_method(&mut session, method);
        session.apply(Command::Step(Some(3)));
        let (shown, count) =
            session.shown_steps().unwrap_or_else(|| panic!("{method}: {:?}", session.error()));
        assert!(count > 1 && shown == count.min(3), "{method}: {shown} of {count}");
        let (trace, _) = session.shown_step().unwrap();
        assert!(method == Method::Auto || trace.method == method, "{method}: {}", trace.method);
        session.apply(Command::Step(Some(usize::MAX)));
        let (_, last) = session.shown_step().unwrap();
        let error = last.step.position_error.unwrap();
        let bound = if method == Method::JacobianTranspose { 0.1 } else { 0.01 };
        assert!(error < bound, "{method}: {error}");
    }
    session.apply(Command::Step(None));
    assert_eq!(pose(&session), solved, "another method must not change the pose of a drag that has ended");
}

#[test]
fn the_view_can_change_while_stepping_and_a_drag_ends_it() {
    let (mut session, mut input) = dragged_with(Method::Ccd);
    let solved = pose(&session);
    session.apply(Command::Play(true));
    session.apply(Command::Step(Some(2)));
    let (shown, camera) = (pose(&session), session.camera());
    assert_ne!(shown, solved);
    // Orbit on empty space, zoom, and clear the selection with a click.
    for to in [Vec2::new(5.0, 5.0), Vec2::new(60.0, 20.0)] {
        input.handle(Event::Moved(to), &mut session);
        input.handle(Event::Pressed(Button::Left, false), &mut session);
        input.handle(Event::Moved(to + 30.0), &mut session);
        input.handle(Event::Released(Button::Left), &mut session);
    }
    input.handle(Event::Pressed(Button::Left, false), &mut session);
    input.handle(Event::Released(Button::Left), &mut session);
    input.handle(Event::Wheel(2.0), &mut session);
    press(&mut session, &mut input, 's');
    assert!(session.shown_steps().is_some_and(|(shown, _)| shown == 2) && session.camera() != camera);
    assert_eq!(pose(&session), shown);
    // The drag starts in the solved pose.
    let foot = at(&session, "rightFoot");
    input.handle(Event::Moved(foot), &mut session);
    input.handle(Event::Pressed(Button::Left, false), &mut session);
    assert!(session.is_dragging() && session.shown_steps().is_none());
    assert_eq!(pose(&session), solved);
    // A key ends the drag, and steps through it.
    input.handle(Event::Moved(foot + Vec2::new(40.0, -60.0)), &mut session);
    press(&mut session, &mut input, '.');
    assert!(!session.is_dragging());
    assert_eq!(pose(&session), solved, "the foot's solve begins where the hand's ended");
}

#[test]
fn goals_on_a_clip_are_stepped_through_at_its_time() {
    let (mut session, mut input) = (mannequin_session(), Input::default());
    session.apply(Command::KeepGoals(true));
    session.apply(Command::Clip(Some(0)));
    session.apply(Command::Seek(0.4));
    session.apply(Command::Play(false));
    let clip = pose(&session);
    drag_joint(&mut session, &mut input, "leftHand", Vec2::new(-30.0, -60.0));
    input.handle(Event::Released(Button::Left), &mut session);
    session.apply(Command::Play(true));
    let solved = pose(&session);
    session.apply(Command::Step(Some(0)));
    assert!(!session.is_playing());
    assert_eq!(pose(&session), clip);
    session.apply(Command::Step(Some(1)));
    assert_ne!(pose(&session), clip);
    session.apply(Command::Step(None));
    assert_eq!(pose(&session), solved);
}

/// Regression test: a recording that begins after a drag can still step through it.
#[test]
fn steps_are_recorded_and_replayed() {
    let path = folder("session-steps").join("a.session");
    let (mut session, mut input) = dragged_with(Method::Fabrik);
    let solved = pose(&session);
    session.apply(Command::Step(Some(1)));
    session.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    assert_eq!(pose(&session), solved, "a recording begins with the solved pose");
    (0..4).for_each(|_| press(&mut session, &mut input, '.'));
    let shown = (pose(&session), session.frame(1.0).lines);
    assert_eq!(session.shown_steps().map(|(shown, _)| shown), Some(3));
    session.stop_recording().unwrap().unwrap();
    let replay = replayed(&path);
    let replayed = replay.session();
    assert_eq!(replayed.shown_steps(), session.shown_steps());
    assert!((pose(replayed), replayed.frame(1.0).lines) == shown, "the replay shows another pose or overlay");
}
