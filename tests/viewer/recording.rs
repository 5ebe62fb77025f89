//! Tests of recording: the contents of a recording, and the files that it writes.

use std::fs;
use std::path::Path;
use std::time::Duration;

use glam::{Vec2, Vec3};
use sinew::asset::{Character, Transform, load};
use sinew::ik::Limit;
use sinew::motion::{Edit, Layer, Motion, RootMotion, Strip, WeightedClip};
use sinew::rig;
use sinew::viewer::{Button, Command, Event, Input, Recorder, Recording, Replay, Session};
use sinew_testkit::{asset_path, file_names, folder, mannequin};

use crate::support::{drag_joint, mannequin_session, node, pose, replayed, session_of, tick};

mod commands;
mod invalid;
mod replay;

/// Describes everything that a session draws. Debug formatting of floats is exact, so equal texts mean equal bits.
fn snapshot(session: &Session) -> String {
    let frame = session.frame(1.0);
    let (pose, display) = (session.puppet().pose(), (frame.mode, frame.ground, frame.shadow, session.size()));
    format!("{pose:?} {:?} {:?} {:?} {display:?}", frame.camera, frame.instances[0].palette, frame.lines)
}

/// Returns a motion with two blended clips, a layer, an edit of one joint and planted feet.
fn blended() -> Motion {
    let shares = vec![WeightedClip { clip: 0, weight: 0.25 }, WeightedClip { clip: 1, weight: 0.75 }];
    let edit = Edit { time: 0.5, before: 0.2, after: 0.1, turns: vec![(3, Vec3::X)], shifts: Vec::new() };
    let layer = Layer { clip: 1, weight: 0.5, additive: true, mask: vec![4], speed: 1.0 };
    let strip = Strip {
        clips: shares,
        looping: true,
        seconds: Some(3.0),
        root_motion: RootMotion::InPlace,
        ..Strip::new(0)
    };
    Motion { strips: vec![strip], layers: vec![layer], edits: vec![edit], plant: true, ..Motion::default() }
}

#[test]
fn recording_keeps_the_undo_history() {
    let (mut session, mut input) = (mannequin_session(), Input::default());
    let rest = pose(&session);
    drag_joint(&mut session, &mut input, "leftHand", Vec2::new(-60.0, -50.0));
    input.handle(Event::Released(Button::Left), &mut session);
    let dragged = pose(&session);
    let path = folder("session-undo").join("a.session");
    session.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    assert_eq!(dragged, pose(&session), "starting a recording must not change the pose");
    session.apply(Command::Undo);
    assert_eq!(dragged, pose(&session), "undo must stop at the start of the recording");
    session.apply(Command::RestAll);
    session.stop_recording().unwrap().unwrap();
    session.apply(Command::Undo);
    assert_eq!(dragged, pose(&session));
    session.apply(Command::Undo);
    assert_eq!(rest, pose(&session));
}

#[test]
fn recording_survives_a_crash_and_replaces_no_file() {
    let folder = folder("session-files");
    let path = folder.join("a.session");
    drop(Recorder::new(&path, false).unwrap());
    assert!(file_names(&folder).is_empty(), "an empty recording was left behind");
    let mut session = mannequin_session();
    session.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    session.apply(Command::Orbit(Vec2::new(30.0, 2.0)));
    tick(&mut session, 250);
    assert_eq!(session.recorded(), Some(Duration::from_millis(250)));
    session.apply(Command::FrameAll);
    // If the program is killed now, the hidden file can be replayed.
    let [hidden] = &file_names(&folder)[..] else { panic!("{:?}", file_names(&folder)) };
    assert_eq!(hidden, ".a.session.part");
    assert_eq!(snapshot(&session), snapshot(replayed(&folder.join(hidden)).session()));
    // During the recording, another program creates a file with the same name.
    fs::write(&path, "other").unwrap();
    let error = session.stop_recording().unwrap().unwrap_err().to_string();
    assert!(error.contains("a.session") && error.contains(hidden) && !error.contains('\n'), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "other");
    assert!(Recorder::new(&path, false).is_err());
    session.record(Recorder::new(&path, true).unwrap(), 1.0).unwrap();
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "other",
        "the file was replaced before the recording ended"
    );
    assert_eq!(session.stop_recording().unwrap().unwrap(), path);
    assert!(fs::read_to_string(&path).unwrap().starts_with(r#"{"format":"sinew-session-1""#));
    assert_eq!(file_names(&folder).len(), 2, "{:?}", file_names(&folder));
    assert!(Recorder::new(&folder.join("missing/a.session"), false).is_err());
}

/// Regression test: a character was exported again with its clips in a different order, and a recording then played the wrong clip.
#[test]
fn recording_finds_its_clips_by_name() {
    let path = folder("session-clip-names").join("a.session");
    let mut session = mannequin_session();
    session.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    let walk = session.puppet().character().find_clip("walk").unwrap();
    session.apply(Command::Clip(Some(walk)));
    session.stop_recording().unwrap().unwrap();
    let mut other = Character::clone(&mannequin());
    other.clips.rotate_left(1);
    let rig = rig::load(&other, None).unwrap();
    let recording = Recording::open(&path).unwrap();
    let mut replay = Replay::new(&recording, other, rig).unwrap();
    replay.advance(recording.length()).unwrap();
    let puppet = replay.session().puppet();
    let clip = puppet.motion.only().unwrap();
    assert_eq!(puppet.character().clip_name(clip), "walk");
    assert_ne!(clip, walk);
}

#[test]
fn recording_finds_and_identifies_its_character() {
    let folder = folder("session-character");
    fs::create_dir(folder.join("models")).unwrap();
    let model = folder.join("models/doll.glb");
    fs::copy(asset_path("arm.glb"), &model).unwrap();
    let path = folder.join("a.session");
    let mut session = session_of(load(&model).unwrap());
    session.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    session.stop_recording().unwrap().unwrap();
    // The recording and the character can be moved together.
    let moved = folder.with_extension("moved");
    let _ = fs::remove_dir_all(&moved);
    fs::rename(&folder, &moved).unwrap();
    let recording = Recording::open(&moved.join("a.session")).unwrap();
    assert_eq!(recording.character().unwrap(), moved.join("models/doll.glb"));
    let original = session_of(load(&moved.join("models/doll.glb")).unwrap());
    assert!(recording.warnings(original.puppet().character(), &original.puppet().rig).is_empty());
    let other = mannequin_session();
    let warnings = recording.warnings(other.puppet().character(), &other.puppet().rig);
    assert!(warnings.len() == 1 && warnings[0].contains("a.session"), "{warnings:?}");
}

#[test]
fn readme_session_matches_the_current_character() {
    // If this fails, run `drag_session` and `animate` of `tools/programs` to update the session and the image.
    let replay = replayed(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/drag.session")));
    assert!(replay.session().error().is_none() && !replay.session().reports().is_empty());
    assert_eq!(replay.session().pixels(), (640, 400));
}

#[test]
fn recording_contains_the_changes_of_a_saved_rig() {
    let folder = folder("session-saved-rig");
    let mut session = mannequin_session();
    let joint = node(&session, "leftLowerArm");
    session.apply(Command::Limit(joint, Limit::Locked));
    session.apply(serde_json::from_str(r#"{"solver":{"ccd.step":"5deg"}}"#).unwrap());
    session.apply(Command::StoreOptions);
    // A replay of the built-in character uses the built-in rig, not the saved one.
    session.save_rig(&folder, false).unwrap();
    let path = folder.join("a.session");
    session.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    session.stop_recording().unwrap().unwrap();
    let replay = replayed(&path);
    assert_eq!(replay.session().rig().joint(joint).limit, Limit::Locked);
    assert!(!session.rig().options.is_empty() && *replay.session().rig() == *session.rig());
}

#[test]
fn replay_restores_the_scale_of_overlays() {
    let folder = folder("session-scale");
    let mut session = mannequin_session();
    let path = folder.join("a.session");
    session.record(Recorder::new(&path, false).unwrap(), 2.0).unwrap();
    // The window moves to a monitor with a different scale factor.
    session.apply(Command::Tick(Duration::from_millis(500)));
    session.apply(Command::Scale(1.5));
    session.stop_recording().unwrap().unwrap();
    assert_eq!(replayed(&path).session().settings().scale.to_bits(), 1.5_f32.to_bits());
}

/// A pose beyond single precision is an error, and the character is shown at rest.
#[test]
fn infinite_pose_is_an_error_and_is_not_shown() {
    let mut session = mannequin_session();
    let far = Transform { translation: Vec3::MAX, ..Transform::IDENTITY };
    session.apply(Command::LivePose(vec![(0, far), (1, far), (2, far)], Vec::new()));
    assert!(session.error().is_some_and(|e| e.ends_with(" is not finite")), "{:?}", session.error());
    assert!(session.puppet().world_from_node().iter().all(glam::Affine3A::is_finite));
    let folder = folder("session-far");
    let file = session.save_pose(sinew::viewer::PoseFile::Glb, &folder).unwrap();
    assert!(load(&file).is_ok());
}
