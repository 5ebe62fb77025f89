//! Key poses: a character without clips is animated from scratch.

use std::path::Path;
use std::time::Duration;

use glam::DVec3;
use sinew::asset::load;
use sinew::motion::{Easing, Motion, Player};
use sinew::pose::Pose;
use sinew::rig;
use sinew::viewer::{NodePoint, Recording, Replay, pose_text, set_pose_command};
use sinew_testkit::{asset_path, mannequin};

use super::*;
use crate::support::{SIZE, detected_session, drag, position, pull_by};

fn arm() -> Session {
    let character = load(&asset_path("arm.glb")).unwrap();
    assert!(character.clips.is_empty() && character.path.is_file());
    Session::new(character, None, SIZE)
}

/// Returns the node at the end of the arm.
fn end(session: &Session) -> usize {
    session.rig().chains[0].effector
}

/// Returns the arm with a key at 0 s, in which it is at rest, and one at 1 s. Also returns both poses.
fn keyed() -> (Session, [Pose; 2]) {
    let mut session = arm();
    let first = pose(&session);
    session.apply(Command::Key);
    session.apply(Command::Seek(1.0));
    let node = end(&session);
    pull_by(&mut session, node, Vec3::new(0.15, -0.1, 0.2));
    let second = pose(&session);
    session.apply(Command::Key);
    assert_ne!(first, second);
    (session, [first, second])
}

/// Returns the largest angle in radians between the joints of two poses.
fn angle(a: &Pose, b: &Pose) -> f32 {
    let angles = a.locals.iter().zip(&b.locals).map(|(a, b)| a.rotation.angle_between(b.rotation));
    angles.fold(0.0, f32::max)
}

fn seek(session: &mut Session, time: f32) -> Pose {
    session.apply(Command::Seek(time));
    pose(session)
}

#[test]
fn character_without_clips_is_animated_by_keys() {
    let (mut session, [first, second]) = keyed();
    assert!(session.puppet().motion.strips.is_empty());
    assert_eq!(session.puppet().motion.key_times(), [0.0, 1.0]);
    assert_eq!((seek(&mut session, 0.0), seek(&mut session, 1.0)), (first.clone(), second.clone()));
    assert_eq!(seek(&mut session, 1.7), second, "the last key lasts until the end");
    let whole = angle(&first, &second);
    for (easing, quarter) in [(Easing::Linear, 0.25), (Easing::Smooth, 0.156_25), (Easing::Stepped, 0.0)] {
        session.apply(Command::KeyEasing(0.0, easing));
        let between = seek(&mut session, 0.25);
        let passed = angle(&first, &between) / whole;
        assert!((passed - quarter).abs() < 0.01, "{easing:?}: {passed}");
    }
    // Playing produces the same poses as seeking, at any frame rate.
    session.apply(Command::KeyEasing(0.0, Easing::Linear));
    let expected = seek(&mut session, 0.75);
    session.apply(Command::Seek(0.0));
    session.apply(Command::Play(true));
    assert!(session.is_playing());
    for _ in 0..3 {
        session.apply(Command::Tick(Duration::from_millis(250)));
    }
    assert!(angle(&pose(&session), &expected) < 1e-5);
}

#[test]
fn duration_is_set_and_limits_the_time() {
    let (mut session, _) = keyed();
    assert!((session.puppet().seconds() - 2.0).abs() < 1e-6, "a first key begins a timeline");
    session.apply(Command::Duration(Some(5.0)));
    session.apply(Command::Seek(4.5));
    session.apply(Command::Key);
    assert_eq!(session.puppet().motion.key_times(), [0.0, 1.0, 4.5]);
    for invalid in [f32::NAN, 0.0, -1.0, f32::INFINITY] {
        session.apply(Command::Duration(Some(invalid)));
        assert!((session.puppet().seconds() - 5.0).abs() < 1e-6);
    }
    session.apply(Command::Duration(None));
    assert!((session.puppet().seconds() - 4.5).abs() < 1e-6);
    // A timeline can be set before there is a key.
    let mut empty = arm();
    empty.apply(Command::Duration(Some(3.0)));
    empty.apply(Command::Seek(2.0));
    empty.apply(Command::Key);
    assert_eq!(empty.puppet().motion.key_times(), [2.0]);
}

#[test]
fn changes_last_until_the_time_changes_unless_they_are_keyed() {
    let (mut session, [_, second]) = keyed();
    let node = end(&session);
    pull_by(&mut session, node, Vec3::new(0.0, 0.1, 0.0));
    let changed = pose(&session);
    assert_ne!(changed, second);
    // Other settings keep the changed pose.
    session.apply(Command::Looping(false));
    session.apply(Command::Speed(2.0));
    session.apply(Command::Seek(1.0));
    assert_eq!(pose(&session), changed);
    session.apply(Command::Seek(0.5));
    assert_eq!(seek(&mut session, 1.0), second);
    pull_by(&mut session, node, Vec3::new(0.0, 0.1, 0.0));
    let changed = pose(&session);
    session.apply(Command::Key);
    session.apply(Command::Seek(0.5));
    assert_eq!(seek(&mut session, 1.0), changed);
    assert_eq!(session.puppet().motion.key_times(), [0.0, 1.0], "the key at this time is replaced");
}

#[test]
fn keying_is_undone_in_one_step() {
    let (mut session, [_, second]) = keyed();
    let motion = session.puppet().motion.clone();
    let node = end(&session);
    session.apply(Command::GrabNode(NodePoint { node, offset: DVec3::ZERO }));
    session.apply(Command::DragTo((position(&session, node) + Vec3::new(0.0, 0.1, 0.0)).as_dvec3()));
    session.apply(Command::Key);
    assert!(!session.is_dragging());
    let keyed = (pose(&session), session.puppet().motion.clone());
    session.apply(Command::Undo);
    assert_eq!((pose(&session), session.puppet().motion.clone()), (second, motion));
    session.apply(Command::Redo);
    assert_eq!((pose(&session), session.puppet().motion.clone()), keyed);
}

#[test]
fn keys_are_moved_copied_and_deleted() {
    let (mut session, [first, second]) = keyed();
    session.apply(Command::KeyMove(1.0, 1.2));
    session.apply(Command::KeyMove(1.2, 1.5));
    assert_eq!(session.puppet().motion.key_times(), [0.0, 1.5]);
    assert_eq!(seek(&mut session, 1.5), second);
    session.apply(Command::Release);
    session.apply(Command::KeyCopy(0.0, 1.9));
    assert_eq!(session.puppet().motion.key_times(), [0.0, 1.5, 1.9]);
    assert_eq!(seek(&mut session, 1.9), first);
    session.apply(Command::KeyDelete(1.5));
    assert_eq!(session.puppet().motion.key_times(), [0.0, 1.9]);
    assert_eq!(seek(&mut session, 1.0), first);
    // Each is one undo step. The two moves belong to one drag.
    for expected in [vec![0.0, 1.5, 1.9], vec![0.0, 1.5], vec![0.0, 1.0]] {
        session.apply(Command::Undo);
        assert_eq!(session.puppet().motion.key_times(), expected);
    }
    let before = session.puppet().motion.clone();
    for unknown in [Command::KeyMove(0.4, 1.0), Command::KeyDelete(f32::NAN), Command::KeyCopy(0.0, f32::NAN)]
    {
        session.apply(unknown);
    }
    assert_eq!(session.puppet().motion, before);
    // The pose follows a key that is changed at the current time.
    session.apply(Command::Seek(1.0));
    session.apply(Command::KeyDelete(1.0));
    assert_eq!(pose(&session), first);
}

#[test]
fn releases_key_by_themselves_with_auto_key() {
    let mut session = arm();
    session.apply(Command::AutoKey(true));
    let (rest, node) = (pose(&session), end(&session));
    // A click is not an edit.
    session.apply(Command::GrabNode(NodePoint { node, offset: DVec3::ZERO }));
    session.apply(Command::Release);
    assert!(session.puppet().motion.is_rest());
    pull_by(&mut session, node, Vec3::new(0.1, -0.1, 0.1));
    let first = pose(&session);
    session.apply(Command::Seek(1.0));
    session.apply(Command::RestAll);
    pull_by(&mut session, node, Vec3::new(-0.1, -0.1, 0.1));
    let second = pose(&session);
    assert_eq!(session.puppet().motion.key_times(), [0.0, 1.0]);
    assert_eq!((seek(&mut session, 0.0), seek(&mut session, 1.0)), (first.clone(), second));
    // The drag and its key are one undo step.
    for _ in 0..3 {
        session.apply(Command::Undo);
    }
    assert!(session.puppet().motion.is_rest() && pose(&session) == rest);
    // Resetting and pasting are edits too.
    session.apply(Command::Redo);
    session.apply(Command::Seek(1.5));
    let text = pose_text(session.puppet()).unwrap();
    session.apply(Command::SetPose(vec![(node, first.locals[node])], Vec::new()));
    session.apply(set_pose_command(session.puppet(), &text).unwrap());
    assert_eq!(session.puppet().motion.key_times(), [0.0, 1.5]);
}

/// All turns of a joint before a release form one undo step together with their key.
#[test]
fn numeric_turns_key_by_themselves_with_auto_key() {
    let mut session = arm();
    session.apply(Command::AutoKey(true));
    let (rest, joint) = (pose(&session), session.rig().chains[0].joints[1]);
    for angle in [0.1_f32, 0.2] {
        session.apply(Command::Turn(joint, glam::Quat::from_rotation_x(angle) * rest.locals[joint].rotation));
    }
    session.apply(Command::Release);
    let turned = pose(&session);
    assert_eq!(session.puppet().motion.key_times(), [0.0]);
    session.apply(Command::Seek(0.5));
    assert_eq!(pose(&session), turned);
    session.apply(Command::Undo);
    assert!(session.puppet().motion.is_rest() && pose(&session) == rest);
}

/// On top of a clip, an edit is keyed.
#[test]
fn auto_key_on_top_of_a_clip_adds_edits() {
    let mut session = paused_session();
    session.apply(Command::AutoKey(true));
    let (mut input, hand) = (Input::default(), at(&session, "leftHand"));
    drag(&mut session, &mut input, hand, Vec2::new(30.0, -60.0));
    let expected = place(&session, "leftHand");
    input.handle(Event::Released(Button::Left), &mut session);
    assert_eq!(session.puppet().motion.key_times(), [NOW]);
    assert!(place(&session, "leftHand").distance(expected) < 1e-4);
    session.apply(Command::KeyMove(NOW, 1.0));
    assert_eq!(session.puppet().motion.key_times(), [1.0]);
}

/// Key poses blend into the clip that follows them, and the clip continues at the position where the keys leave the character.
#[test]
fn key_poses_blend_into_a_clip() {
    let mut session = detected_session();
    let hips = node(&session, "hips");
    pull_by(&mut session, hips, Vec3::new(0.3, -0.2, 0.1));
    session.apply(Command::Key);
    session.apply(Command::Seek(1.0));
    let keyed = seek(&mut session, 0.2);
    let walk =
        session.puppet().character().clips.iter().position(|c| c.name.as_deref() == Some("walk")).unwrap();
    let mut motion = session.puppet().motion.clone();
    motion.keys.push(sinew::motion::PoseKey { time: 1.0, ..motion.keys[0].clone() });
    motion.strips.push(sinew::motion::Strip { start: 0.6, ..sinew::motion::Strip::new(walk) });
    motion.duration = None;
    session.apply(Command::Motion(Box::new(motion.clone())));
    assert_eq!(seek(&mut session, 0.5), keyed);
    let mut before = position(&session, hips);
    for step in 50..=160_u8 {
        session.apply(Command::Seek(f32::from(step) / 100.0));
        let now = position(&session, hips);
        assert!(now.distance(before) < 0.03, "{step}: {}", now.distance(before));
        before = now;
    }
    assert!((before.x - 0.3).abs() < 0.1, "the walk must continue where the key left it: {before}");
    // A library user gets the same pose from the player.
    let character = mannequin();
    let mut player = Player::default();
    let mut pose = Pose::rest(&character.skeleton);
    player.pose(&character, &motion, &[], 0.5, &mut pose, &mut Vec::new());
    assert_eq!(pose, keyed);
    assert_eq!(Motion::default().seconds(&[]), 0.0);
}

#[test]
fn keys_survive_a_recording_and_a_project() {
    let (mut session, _) = keyed();
    session.apply(Command::KeyEasing(0.0, Easing::Linear));
    session.apply(Command::Seek(0.3));
    let node = end(&session);
    pull_by(&mut session, node, Vec3::new(0.0, 0.05, 0.0));
    let (unkeyed, motion) = (pose(&session), session.puppet().motion.clone());
    let folder = folder("key-poses");
    let (path, project) = (folder.join("arm.session"), folder.join("arm.sinew"));
    session.save_project(&project, true).unwrap();
    assert!(session.is_saved());
    session.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    session.apply(Command::Tick(Duration::from_millis(100)));
    session.apply(Command::Seek(0.8));
    session.apply(Command::Seek(0.3));
    session.stop_recording().unwrap().unwrap();
    let open = |file: &Path| {
        let recording = Recording::open(file).unwrap();
        let character = load(&recording.character().unwrap()).unwrap();
        Replay::new(&recording, character.clone(), rig::load(&character, None).unwrap()).unwrap()
    };
    let opened = open(&project).into_session();
    assert_eq!((pose(&opened), &opened.puppet().motion), (unkeyed.clone(), &motion));
    assert!(opened.is_saved());
    let mut replay = open(&path);
    replay.advance(Duration::ZERO).unwrap();
    assert_eq!(pose(replay.session()), unkeyed, "the first commands restore what is not keyed");
    replay.advance(Duration::from_secs(9)).unwrap();
    assert_eq!(pose(replay.session()), pose(&session));
    // Seeking creates no unsaved work, but a change without a key does.
    let mut opened = open(&project).into_session();
    opened.apply(Command::Seek(0.5));
    opened.save_project(&project, true).unwrap();
    opened.apply(Command::Seek(0.7));
    assert!(opened.is_saved());
    pull_by(&mut opened, node, Vec3::new(0.0, 0.05, 0.0));
    assert!(!opened.is_saved());
}
