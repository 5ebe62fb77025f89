//! Keys of goals that are made by hand.

use std::sync::Arc;

use glam::Vec3;
use sinew::asset::{self, Character};
use sinew::motion::GoalKey;
use sinew::viewer::DragScope;
use sinew_testkit::mannequin;

use super::*;
use crate::support::{position, pull, session_of};

fn goals(session: &Session) -> Vec<GoalKey> {
    session.puppet().motion.goals.clone()
}

/// A hand is keyed at two positions. Between them, it moves from one to the other, and the keys are undone one by one.
#[track_caller]
fn check(character: impl Into<Arc<Character>>) {
    let mut session = session_of(character);
    session.apply(Command::DragScope(DragScope::Limb));
    let [hand, chest] = ["rightHand", "chest"].map(|bone| session.rig().bones[bone]);
    let near = position(&session, hand).lerp(position(&session, chest), 0.4) + 0.15 * Vec3::Z;
    pull(&mut session, hand, near);
    let first = position(&session, hand);
    session.apply(Command::KeyGoal(hand));
    assert!(session.puppet().targets.is_empty(), "the key replaces the goal");
    session.apply(Command::Seek(1.0));
    assert!(position(&session, hand).distance(first) < 1e-3, "a goal stays after its last key");
    pull(&mut session, hand, near + 0.15 * Vec3::Y);
    let second = position(&session, hand);
    session.apply(Command::KeyGoal(hand));
    assert_eq!(goals(&session).len(), 2);
    session.apply(Command::Seek(0.5));
    let off = position(&session, hand).distance(first.lerp(second, 0.5));
    assert!(off < 2e-3, "{off} m between the keys");
    // A third key between the two changes nothing.
    session.apply(Command::KeyGoal(hand));
    session.apply(Command::Seek(0.5));
    assert!(position(&session, hand).distance(first.lerp(second, 0.5)) < 2e-3);
    for count in [2, 1, 0] {
        while goals(&session).len() > count {
            session.apply(Command::Undo);
        }
        assert_eq!(goals(&session).len(), count);
    }
}

#[test]
fn a_hand_moves_between_its_goals() {
    check(mannequin());
}

#[test]
fn a_hand_of_another_character_moves_between_its_goals() {
    let path = "models/quaternius/modular_men/Adventurer/Adventurer.glb";
    let Some(path) = sinew_testkit::external_or_skip(path) else { return };
    check(asset::load(&path).unwrap());
}

/// A pinned foot is keyed at its current position, and its pin is removed.
#[test]
fn a_pin_is_keyed() {
    let mut session = mannequin_session();
    let foot = session.rig().bones["leftFoot"];
    session.apply(Command::PinNode(foot));
    session.apply(Command::KeyGoal(foot));
    let [key] = goals(&session)[..] else { panic!("{:?}", goals(&session)) };
    assert!(key.orientation.is_some() && key.position.distance(position(&session, foot)) < 1e-4);
    assert!(session.puppet().pins.is_empty());
    // Undo removes the key.
    session.apply(Command::Undo);
    assert!(goals(&session).is_empty());
    session.apply(Command::KeyGoal(usize::MAX));
    assert!(goals(&session).is_empty(), "unknown nodes are ignored");
}

/// Regression test: *Key IK* between keys of weights 0 and 1 stored the blended position with the blended weight, so the hand moved back.
#[test]
fn a_key_between_others_of_other_weights_changes_nothing() {
    let mut session = mannequin_session();
    session.apply(Command::DragScope(DragScope::Limb));
    let hand = session.rig().bones["leftHand"];
    let start = position(&session, hand);
    session.apply(Command::Key);
    pull(&mut session, hand, start + Vec3::new(-0.2, 0.2, 0.3));
    session.apply(Command::KeyGoal(hand));
    let mut motion = session.puppet().motion.clone();
    motion.goals[0].weight = 0.0;
    motion.goals.push(GoalKey { time: 1.0, weight: 1.0, ..motion.goals[0] });
    session.apply(Command::Motion(Box::new(motion)));
    session.apply(Command::Seek(0.5));
    let before = position(&session, hand);
    assert!(before.distance(start) > 0.05, "the goal is kept by half");
    session.apply(Command::KeyGoal(hand));
    assert_eq!(goals(&session).len(), 3);
    session.apply(Command::Seek(0.2));
    session.apply(Command::Seek(0.5));
    assert!(position(&session, hand).distance(before) < 1e-3);
}

/// Regression test: after a goal was keyed over a clip, the window closed without asking, and the key was lost.
#[test]
fn a_goal_over_a_clip_is_work_to_save() {
    let mut session = paused_session();
    let folder = folder("goal-over-a-clip");
    session.save_project(&folder.join("clip.sinew"), false).unwrap();
    assert!(session.is_saved());
    let hand = session.rig().bones["leftHand"];
    session.apply(Command::KeyGoal(hand));
    assert!(!session.is_saved());
}

/// Regression test: without key poses, a limb that was dragged after a goal was keyed moved back when it was released.
#[test]
fn another_limb_stays_where_it_is_dragged_after_a_goal_is_keyed() {
    let mut session = mannequin_session();
    session.apply(Command::DragScope(DragScope::Limb));
    let [left, right] = ["leftHand", "rightHand"].map(|bone| session.rig().bones[bone]);
    session.apply(Command::KeyGoal(right));
    let to = position(&session, left) + Vec3::new(-0.2, 0.2, 0.3);
    pull(&mut session, left, to);
    assert!(position(&session, left).distance(to) < 0.02, "{}", position(&session, left).distance(to));
}
