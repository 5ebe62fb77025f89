//! Poses as text: copying, pasting into the same and other characters, and errors.

use sinew::asset::Character;
use sinew::viewer::{pose_text, set_pose_command};
use sinew_testkit::mannequin;

use super::*;

fn posed() -> Session {
    let mut session = mannequin_session();
    let [hips, hand] = ["hips", "leftHand"].map(|n| node(&session, n));
    pull_by(&mut session, hips, Vec3::new(0.05, -0.15, 0.0));
    pull_by(&mut session, hand, Vec3::new(0.0, 0.25, 0.2));
    session
}

#[test]
fn copied_pose_is_pasted_as_one_undo_step() {
    let mut session = posed();
    let (text, wanted) = (pose_text(session.puppet()).unwrap(), pose(&session));
    session.apply(Command::RestAll);
    let rest = pose(&session);
    session.apply(set_pose_command(session.puppet(), &text).unwrap());
    assert_eq!(pose(&session), wanted);
    session.apply(Command::Undo);
    assert_eq!(pose(&session), rest);
    session.apply(Command::Redo);
    assert_eq!(pose(&session), wanted);
    // The pins move with the pasted pose and do not change it.
    let foot = node(&session, "leftFoot");
    session.apply(Command::RestAll);
    session.apply(Command::PinNode(foot));
    session.apply(set_pose_command(session.puppet(), &text).unwrap());
    assert_eq!(pose(&session), wanted);
}

#[test]
fn pose_is_pasted_into_a_character_with_the_same_names() {
    let session = posed();
    let text = pose_text(session.puppet()).unwrap();
    let mut large = Character::clone(&mannequin());
    for node in &mut large.skeleton.nodes {
        node.rest.translation *= 1.5;
    }
    let mut other = Session::new(large, None, SIZE);
    let rest = pose(&other);
    other.apply(set_pose_command(other.puppet(), &text).unwrap());
    let (from, to) = (pose(&session), pose(&other));
    let hips = node(&session, "hips");
    for (index, (from, to)) in from.locals.iter().zip(&to.locals).enumerate() {
        assert!(from.rotation.dot(to.rotation).abs() > 1.0 - 1e-6);
        let expected = if index == hips { from.translation * 1.5 } else { rest.locals[index].translation };
        assert!(to.translation.distance(expected) < 2e-3, "node {index}: {} {expected}", to.translation);
    }
}

#[test]
fn text_that_is_not_a_pose_of_this_character_is_one_clear_error() {
    let session = posed();
    let text = pose_text(session.puppet()).unwrap();
    let other = text.replace("\"name\":\"left", "\"name\":\"x").replace("\"name\":\"right", "\"name\":\"y");
    let (before_first, first) = text.split_once("\"rotation\":[").unwrap();
    let (_, after_first) = first.split_once(',').unwrap();
    let long = format!("{before_first}\"rotation\":[9,{after_first}");
    for (text, expected) in [
        ("", "the text is not a pose"),
        ("hello", "the text is not a pose"),
        ("{}", "the text is not a pose: missing field"),
        (r#"{"format":"other","nodes":[]}"#, "\"format\" must be \"sinew-pose-1\""),
        (r#"{"format":"sinew-pose-1","nodes":[]}"#, "another character"),
        (other.as_str(), "the pose belongs to another character: only"),
        (long.as_str(), "rotation must be a quaternion of length 1"),
    ] {
        let error = set_pose_command(session.puppet(), text).unwrap_err().to_string();
        assert!(error.contains(expected) && !error.contains('\n'), "{text:.40}: {error}");
    }
}

/// A `set-pose` command in a session that was written by hand.
#[test]
fn invalid_values_of_a_pose_are_ignored() {
    let mut session = posed();
    let before = pose(&session);
    let mut local = before.locals[3];
    local.rotation = glam::Quat::from_xyzw(9.0, 0.0, 0.0, 0.0);
    session.apply(Command::SetPose(vec![(3, local), (usize::MAX, before.locals[0])], vec![f32::NAN]));
    assert_eq!(pose(&session), before);
}
