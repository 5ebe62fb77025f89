//! Tests of goals that remain after release: their dots, their weights and their removal.

use glam::{DVec3, Vec2, Vec4};
use sinew::ik::{AxesFrame, AxisTerm, GoalAxes};
use sinew::scene::picking::pixel;
use sinew::viewer::{Button, Command, Event, Input, Session};

use crate::support::{SIZE, at, drag, drag_joint, mannequin_session, node, pose};

/// The colour of a goal's dot, and a width in pixels that distinguishes dots from the thinner lines of goals.
const GOAL: (Vec4, f32) = (Vec4::new(1.0, 0.2, 0.03, 1.0), 5.0);

/// Drags a joint by a number of pixels and releases it.
fn move_joint(session: &mut Session, name: &str, by: Vec2) {
    let mut input = Input::default();
    drag_joint(session, &mut input, name, by);
    input.handle(Event::Released(Button::Left), session);
}

/// Returns the number of goal dots.
fn dots(session: &Session) -> usize {
    let lines = session.frame(1.0).lines;
    lines.iter().filter(|l| l.color == GOAL.0 && l.widths[0] > GOAL.1).count()
}

/// Returns a session with goals for both hands that are too far apart to be reached together.
fn conflicting_goals() -> Session {
    let mut session = mannequin_session();
    let hips = node(&session, "hips");
    session.apply(Command::KeepGoals(true));
    session.apply(Command::Select(Some(hips)));
    session.apply(Command::Base);
    for hand in ["leftHand", "rightHand"] {
        let outwards = (at(&session, hand).x - SIZE.x * 0.5).signum();
        move_joint(&mut session, hand, Vec2::new(260.0 * outwards, -40.0));
    }
    session.apply(Command::Select(None));
    session
}

/// Returns the distance between a hand and its target in metres.
fn error(session: &Session, name: &str) -> f64 {
    let node = node(session, name);
    session.reports().iter().find(|r| r.node == node).and_then(|r| r.position_error).unwrap()
}

#[test]
fn heavier_goal_is_met_better_and_a_slider_drag_is_one_undo_step() {
    let mut session = conflicting_goals();
    let (left, right) = (node(&session, "leftHand"), node(&session, "rightHand"));
    session.apply(Command::GoalWeight(left, 1.0));
    session.apply(Command::Release);
    let (before, even) = (pose(&session), error(&session, "leftHand"));
    assert!(even > 0.05, "{even}");
    for weight in [1.5, 4.0, 20.0, 50.0] {
        session.apply(Command::GoalWeight(left, weight));
    }
    session.apply(Command::Release);
    let (heavy, light) = (error(&session, "leftHand"), error(&session, "rightHand"));
    assert!(heavy < 0.7 * even && light > heavy, "{even} {heavy} {light}");
    let after = pose(&session);
    session.apply(Command::GoalWeight(right, 50.0));
    session.apply(Command::Release);
    assert!(error(&session, "leftHand") > heavy);
    session.apply(Command::Undo);
    assert_eq!(pose(&session), after);
    session.apply(Command::Undo);
    assert_eq!(pose(&session), before, "the whole slider drag must be one undo step");
    session.apply(Command::Redo);
    assert_eq!(pose(&session), after);
    // Invalid weights and nodes have no effect.
    for (node, weight) in [(left, f64::NAN), (left, -1.0), (0, 3.0), (usize::MAX, 3.0)] {
        session.apply(Command::GoalWeight(node, weight));
    }
    session.apply(Command::Undo);
    assert_eq!(pose(&session), before);
}

#[test]
fn removing_a_goal_lets_the_other_be_met() {
    let mut session = conflicting_goals();
    let (left, right) = (node(&session, "leftHand"), node(&session, "rightHand"));
    assert_eq!(dots(&session), 2);
    let (before, both) = (pose(&session), error(&session, "rightHand"));
    session.apply(Command::RemoveGoal(left));
    assert_eq!((dots(&session), session.reports().len()), (1, 1));
    assert!(error(&session, "rightHand") < both);
    session.apply(Command::RemoveGoal(left));
    session.apply(Command::Undo);
    assert_eq!(pose(&session), before, "removing a missing goal must not be an undo step");
    assert_eq!(dots(&session), 2, "a restored goal must be drawn");
    session.apply(Command::RemoveGoal(left));
    session.apply(Command::RemoveGoal(right));
    assert_eq!((dots(&session), session.reports().len()), (0, 0));
}

#[test]
fn goal_dot_disappears_on_release_unless_the_goal_is_kept() {
    let mut session = mannequin_session();
    let mut input = Input::default();
    let from = at(&session, "leftHand");
    drag(&mut session, &mut input, from, Vec2::new(-70.0, -60.0));
    assert_eq!(dots(&session), 1);
    input.handle(Event::Released(Button::Left), &mut session);
    assert_eq!(dots(&session), 0, "the dot of the hand");
    // Drag the elbow's pole.
    let elbow = node(&session, "leftLowerArm");
    session.apply(Command::Select(Some(elbow)));
    let [shoulder, middle, hand] = ["leftUpperArm", "leftLowerArm", "leftHand"].map(|name| {
        let world = session.puppet().world_from_node()[node(&session, name)];
        glam::Vec3::from(world.translation)
    });
    let length = shoulder.distance(middle) + middle.distance(hand);
    let way = (middle - shoulder).reject_from((hand - shoulder).normalize()).normalize();
    let pole = pixel(&session.camera(), middle + way * length * 0.5, SIZE).unwrap();
    drag(&mut session, &mut input, pole, Vec2::new(10.0, -100.0));
    assert_eq!(dots(&session), 1);
    input.handle(Event::Released(Button::Left), &mut session);
    assert_eq!(dots(&session), 0, "the dot of the limb");
    // A kept goal is drawn until it is removed.
    session.apply(Command::Select(None));
    session.apply(Command::KeepGoals(true));
    move_joint(&mut session, "rightHand", Vec2::new(40.0, -50.0));
    assert_eq!(dots(&session), 1);
    session.apply(Command::Undo);
    assert_eq!(dots(&session), 0);
    session.apply(Command::Redo);
    assert_eq!(dots(&session), 1);
    session.apply(Command::ClearGoals);
    assert_eq!(dots(&session), 0);
}

fn position_axes(weights: DVec3) -> GoalAxes {
    GoalAxes { position: AxisTerm { weights, ..AxisTerm::default() }, ..GoalAxes::default() }
}

#[test]
fn a_free_axis_lets_a_conflicting_goal_be_met() {
    let mut session = conflicting_goals();
    let (left, right) = (node(&session, "leftHand"), node(&session, "rightHand"));
    let (before, both) = (pose(&session), error(&session, "rightHand"));
    // The left hand keeps only its height.
    for weight in [0.9, 0.5, 0.0] {
        session.apply(Command::GoalAxes(left, position_axes(DVec3::new(weight, 1.0, weight))));
    }
    session.apply(Command::Release);
    let after = pose(&session);
    assert!(error(&session, "rightHand") < 0.5 * both);
    // Invalid axes have no effect: bad weights, axes of a target that does not exist, and unknown nodes.
    let target = GoalAxes { frame: AxesFrame::Target, ..GoalAxes::default() };
    let invalid = [
        (right, position_axes(DVec3::NAN)),
        (right, position_axes(-DVec3::ONE)),
        (right, target),
        (0, position_axes(DVec3::Y)),
        (usize::MAX, position_axes(DVec3::Y)),
    ];
    for (node, axes) in invalid {
        session.apply(Command::GoalAxes(node, axes));
    }
    assert_eq!(pose(&session), after);
    session.apply(Command::Undo);
    assert_eq!(pose(&session), before, "the changes must be one undo step");
    session.apply(Command::Redo);
    assert_eq!(pose(&session), after);
    // Another drag of the hand moves the goal, which keeps its axes.
    move_joint(&mut session, "leftHand", Vec2::new(-10.0, -10.0));
    session.apply(Command::GoalWeight(left, 1.0));
    let kept = error(&session, "rightHand");
    assert!(kept < 0.5 * both, "{kept} {both}");
}
