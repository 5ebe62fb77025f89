//! Keys of goals that are made by hand.

use glam::Vec3;
use sinew::asset;
use sinew::motion::GoalKey;
use sinew::viewer::DragScope;

use super::contacts::{place, pull};
use super::*;

fn goals(session: &Session) -> Vec<GoalKey> {
    session.puppet().motion.goals.clone()
}

/// A hand is keyed at two positions. Between them, it moves from one to the other, and the keys are undone one by one.
#[track_caller]
fn check(character: sinew::asset::Character) {
    let rig = rig::load(&character, None).unwrap();
    let mut session = Session::new(character, Some(rig), SIZE);
    session.apply(Command::DragScope(DragScope::Limb));
    let [hand, chest] = ["rightHand", "chest"].map(|bone| session.rig().bones[bone]);
    let near = place(&session, hand).lerp(place(&session, chest), 0.4) + 0.15 * Vec3::Z;
    pull(&mut session, hand, near);
    let first = place(&session, hand);
    session.apply(Command::KeyGoal(hand));
    assert!(session.puppet().targets.is_empty(), "the key replaces the goal");
    session.apply(Command::Seek(1.0));
    assert!(place(&session, hand).distance(first) < 1e-3, "a goal stays after its last key");
    pull(&mut session, hand, near + 0.15 * Vec3::Y);
    let second = place(&session, hand);
    session.apply(Command::KeyGoal(hand));
    assert_eq!(goals(&session).len(), 2);
    session.apply(Command::Seek(0.5));
    let off = place(&session, hand).distance(first.lerp(second, 0.5));
    assert!(off < 2e-3, "{off} m between the keys");
    // A third key between the two changes nothing.
    session.apply(Command::KeyGoal(hand));
    session.apply(Command::Seek(0.5));
    assert!(place(&session, hand).distance(first.lerp(second, 0.5)) < 2e-3);
    for count in [2, 1, 0] {
        while goals(&session).len() > count {
            session.apply(Command::Undo);
        }
        assert_eq!(goals(&session).len(), count);
    }
}

#[test]
fn a_hand_moves_between_its_goals() {
    check(asset::mannequin().unwrap());
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
    let character = mannequin().unwrap();
    let rig = rig::load(&character, None).unwrap();
    let mut session = Session::new(character, Some(rig), SIZE);
    let foot = session.rig().bones["leftFoot"];
    session.apply(Command::PinNode(foot));
    session.apply(Command::KeyGoal(foot));
    let [key] = goals(&session)[..] else { panic!("{:?}", goals(&session)) };
    assert!(key.orientation.is_some() && key.position.distance(place(&session, foot)) < 1e-4);
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
    let character = mannequin().unwrap();
    let rig = rig::load(&character, None).unwrap();
    let mut session = Session::new(character, Some(rig), SIZE);
    session.apply(Command::DragScope(DragScope::Limb));
    let hand = session.rig().bones["leftHand"];
    let start = place(&session, hand);
    session.apply(Command::Key);
    pull(&mut session, hand, start + Vec3::new(-0.2, 0.2, 0.3));
    session.apply(Command::KeyGoal(hand));
    let mut motion = session.puppet().motion.clone();
    motion.goals[0].weight = 0.0;
    motion.goals.push(GoalKey { time: 1.0, weight: 1.0, ..motion.goals[0] });
    session.apply(Command::Motion(Box::new(motion)));
    session.apply(Command::Seek(0.5));
    let before = place(&session, hand);
    assert!(before.distance(start) > 0.05, "the goal is kept by half");
    session.apply(Command::KeyGoal(hand));
    assert_eq!(goals(&session).len(), 3);
    session.apply(Command::Seek(0.2));
    session.apply(Command::Seek(0.5));
    assert!(place(&session, hand).distance(before) < 1e-3);
}

/// Regression test: after a goal was keyed over a clip, the window closed without asking, and the key was lost.
#[test]
fn a_goal_over_a_clip_is_work_to_save() {
    let mut session = session();
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
    let character = mannequin().unwrap();
    let rig = rig::load(&character, None).unwrap();
    let mut session = Session::new(character, Some(rig), SIZE);
    session.apply(Command::DragScope(DragScope::Limb));
    let [left, right] = ["leftHand", "rightHand"].map(|bone| session.rig().bones[bone]);
    session.apply(Command::KeyGoal(right));
    let to = place(&session, left) + Vec3::new(-0.2, 0.2, 0.3);
    pull(&mut session, left, to);
    assert!(place(&session, left).distance(to) < 0.02, "{}", place(&session, left).distance(to));
}
