//! Exported poses are applied again: from JSON, from a posed copy, blended, and on top of a clip.

use std::fs;

use sinew::asset;
use sinew::export::{StoredPose, is_posed_copy};
use sinew::viewer::{Command, PoseFile, Session, blend_pose_command};
use sinew_testkit::{asset_path, folder};

use crate::support::{SIZE, detected_session, dragged_session, largest_distance, node};

/// Returns a session whose hand was dragged.
fn dragged() -> Session {
    let mut session = dragged_session();
    session.apply(Command::Release);
    session
}

fn stored(session: &Session, name: &str) -> StoredPose {
    let json = session.save_pose(PoseFile::Json, &folder(name)).unwrap();
    StoredPose::read(&fs::read_to_string(json).unwrap()).unwrap()
}

#[test]
fn pose_file_is_applied_as_one_undo_step() {
    let wanted = dragged();
    let pose = stored(&wanted, "pose-json");
    let mut session = detected_session();
    let before = session.puppet().pose().clone();
    session.apply(blend_pose_command(session.puppet(), &pose, 1.0).unwrap());
    session.apply(Command::Release);
    assert_eq!(session.puppet().pose(), wanted.puppet().pose());
    session.apply(Command::Undo);
    assert_eq!(session.puppet().pose(), &before);
}

#[test]
fn blends_start_from_the_same_pose_until_the_release() {
    let wanted = dragged();
    let pose = stored(&wanted, "pose-blend");
    let mut session = detected_session();
    let before = session.puppet().pose().clone();
    // Apply the commands that a slider sends.
    for weight in [0.2, 0.9, 0.5] {
        session.apply(blend_pose_command(session.puppet(), &pose, weight).unwrap());
    }
    let hand = node(&session, "leftUpperArm");
    let [from, now, to] =
        [&before, session.puppet().pose(), wanted.puppet().pose()].map(|pose| pose.locals[hand].rotation);
    assert!((from.angle_between(now) - now.angle_between(to)).abs() < 1e-3);
    session.apply(blend_pose_command(session.puppet(), &pose, 0.0).unwrap());
    assert_eq!(session.puppet().pose(), &before);
    session.apply(blend_pose_command(session.puppet(), &pose, 1.0).unwrap());
    session.apply(Command::Release);
    assert_eq!(session.puppet().pose(), wanted.puppet().pose());
    session.apply(Command::Undo);
    assert_eq!(session.puppet().pose(), &before);
}

#[test]
fn pose_on_top_of_a_clip_is_keyed() {
    let wanted = dragged();
    let pose = stored(&wanted, "pose-key");
    let mut session = detected_session();
    session.apply(Command::Clip(Some(0)));
    session.apply(Command::Play(false));
    session.apply(Command::Seek(0.3));
    let before = session.puppet().pose().clone();
    session.apply(blend_pose_command(session.puppet(), &pose, 1.0).unwrap());
    session.apply(Command::Release);
    assert_eq!(session.puppet().motion.edits.len(), 1);
    assert!(largest_distance(&session, &wanted) < 1e-3, "{}", largest_distance(&session, &wanted));
    session.apply(Command::Undo);
    assert!(session.puppet().motion.edits.is_empty() && session.puppet().pose() == &before);
}

#[test]
fn posed_copy_is_recognised_and_applied() {
    let wanted = dragged();
    let copy = wanted.save_pose(PoseFile::Glb, &folder("pose-copy")).unwrap();
    let copy = asset::load(&copy).unwrap();
    let mut session = detected_session();
    assert!(is_posed_copy(&copy, session.puppet().character()));
    session.apply(blend_pose_command(session.puppet(), &StoredPose::of_copy(&copy.skeleton), 1.0).unwrap());
    assert!(largest_distance(&session, &wanted) < 1e-5);
    for name in ["mannequin.glb", "spider.glb", "arm.glb"] {
        let other = asset::load(&asset_path(name)).unwrap();
        assert!(!is_posed_copy(&other, session.puppet().character()), "{name}");
    }
}

#[test]
fn blends_with_poses_of_other_characters_are_refused() {
    let pose = stored(&dragged(), "pose-other");
    let spider = asset::load(&asset_path("spider.glb")).unwrap();
    let spider = Session::new(spider, None, SIZE);
    let error = blend_pose_command(spider.puppet(), &pose, 1.0).unwrap_err().to_string();
    assert!(error.contains("another character") && !error.contains('\n'), "{error}");
}
