//! Tests of clips that are added to a character in the viewer: from other files and from takes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use glam::{Vec2, Vec3};
use sinew::asset::{Character, Clip, load};
use sinew::capture::load_csv;
use sinew::export::bake::Source;
use sinew::motion::{Edit, Layer, Motion, Strip, WeightedClip};
use sinew::viewer::{CharacterLoader, Command, LoadedFile, Session};
use sinew_testkit::{asset_path, folder, mannequin};

use crate::support::{SIZE, at, mannequin_session, node, place, pose, position, session_of};

mod recorded;

fn hail() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/hail.bvh")
}

fn add(session: &mut Session, file: &Path) {
    let addition = session.addition(file, Arc::new(Source::load(file).unwrap()), false).unwrap();
    session.apply(Command::AddClips(Box::new(addition)));
}

fn clips(session: &Session) -> &[Clip] {
    &session.puppet().character().clips
}

fn names(session: &Session) -> Vec<&str> {
    clips(session).iter().map(|c| c.name.as_deref().unwrap()).collect()
}

fn strips(clips: &[&[usize]]) -> Motion {
    let strip = |clips: &&[usize]| {
        let clips = clips.iter().map(|&clip| WeightedClip { clip, weight: 1.0 }).collect();
        Strip { clips, looping: true, seconds: Some(2.0), ..Strip::new(0) }
    };
    let mut motion = Motion { strips: clips.iter().map(strip).collect(), ..Motion::default() };
    (0_u8..).zip(&mut motion.strips).for_each(|(index, strip)| strip.start = 1.5 * f32::from(index));
    motion
}

fn play(session: &mut Session, motion: Motion) {
    session.apply(Command::Motion(Box::new(motion)));
    session.apply(Command::Release);
}

/// Returns the mannequin's wave clip, which serves as a recorded take.
fn wave(session: &Session) -> Clip {
    clips(session).iter().find(|c| c.name.as_deref() == Some("wave")).unwrap().clone()
}

#[test]
fn motion_file_is_added_and_undo_keeps_its_clip() {
    let mut session = mannequin_session();
    let (own, plain) = (clips(&session).len(), pose(&session));
    play(&mut session, strips(&[&[0]]));
    add(&mut session, &hail());
    assert_eq!(names(&session)[own..], ["hail"]);
    play(&mut session, strips(&[&[0], &[own, 1]]));
    session.apply(Command::Clip(Some(own)));
    session.apply(Command::Play(false));
    session.apply(Command::Seek(1.0));
    assert!(place(&session, "rightHand").y > 1.4, "the arm must be raised");
    session.apply(Command::Undo);
    assert_eq!(session.puppet().motion, strips(&[&[0], &[own, 1]]));
    session.apply(Command::Undo);
    assert_eq!(session.puppet().motion, strips(&[&[0]]));
    session.apply(Command::Undo);
    assert_eq!((pose(&session), clips(&session).len()), (plain, own + 1), "undo must keep the clip");
    (0..3).for_each(|_| session.apply(Command::Redo));
    assert_eq!(session.puppet().motion.only(), Some(own));
    let other_skeleton = asset_path("spider.glb");
    assert!(
        session.addition(&other_skeleton, Arc::new(Source::load(&other_skeleton).unwrap()), false).is_err()
    );
    // The command that adds the clips of a file has no effect if the file has not been read before.
    session.apply(serde_json::from_str(r#"{"add-clips":{"file":"a.bvh","fingerprint":""}}"#).unwrap());
    assert_eq!(clips(&session).len(), own + 1);
}

#[test]
fn candidates_play_added_clips() {
    let mut session = mannequin_session();
    session.apply(Command::Compare(vec![sinew::ik::Method::Ccd]));
    let own = clips(&session).len();
    add(&mut session, &hail());
    session.apply(Command::Clip(Some(own)));
    session.apply(Command::Seek(1.0));
    let hand = at(&session, "leftHand");
    session.apply(Command::Grab(hand));
    session.apply(Command::Drag(hand + Vec2::new(-20.0, -10.0)));
    let ghost = session.comparison().get(sinew::ik::Method::Ccd).unwrap();
    let right = node(&session, "rightHand");
    let of_ghost = Vec3::from(ghost.puppet().world_from_node()[right].translation);
    assert!(of_ghost.distance(position(&session, right)) < 0.05);
}

#[test]
fn take_becomes_a_clip_and_a_file() {
    let folder = folder("take-kept");
    let mut session = mannequin_session();
    let own = clips(&session).len();
    let recorded = wave(&session);
    let first = session.save_take_as_clip(&recorded, &folder).unwrap();
    let second = session.save_take_as_clip(&recorded, &folder).unwrap();
    assert_eq!(
        [first.as_path(), &second],
        [folder.join("sinew-take-0001.csv"), folder.join("sinew-take-0002.csv")]
    );
    assert_eq!(names(&session)[own..], ["take 1", "take 2"]);
    assert!(!load_csv(&first).unwrap().times.is_empty());
    // The clip equals the recorded motion and can be blended with others.
    let wave = names(&session).iter().position(|n| *n == "wave").unwrap();
    let mut other = mannequin_session();
    for time in [0.0, 0.4, 1.1] {
        for (session, clip) in [(&mut session, own), (&mut other, wave)] {
            session.apply(Command::Clip(Some(clip)));
            session.apply(Command::Seek(time));
        }
        for (a, b) in session.puppet().world_from_node().iter().zip(other.puppet().world_from_node()) {
            assert!(a.translation.distance(b.translation) < 2e-3);
        }
    }
    play(&mut session, strips(&[&[own, 2], &[own + 1]]));
    session.apply(Command::Seek(1.7));
    assert_eq!((session.error(), session.puppet().seconds()), (None, 3.5));
    (0..8).for_each(|_| session.apply(Command::Undo));
    assert_eq!(clips(&session).len(), own + 2);
    // Even if the take cannot be saved, the clip is added.
    let error = session.save_take_as_clip(&recorded, &folder.join("missing")).unwrap_err();
    assert!(error.contains("missing") && !error.contains('\n'), "{error}");
    assert_eq!(names(&session)[own + 2..], ["take 3"]);
}

/// A take that could not be read again is not saved.
#[test]
fn take_beyond_single_precision_is_rejected() {
    let folder = folder("take-far");
    let mut session = mannequin_session();
    let mut recorded = wave(&session);
    for channel in &mut recorded.channels {
        if let sinew::asset::Values::Translation(keys) = &mut channel.values {
            keys.iter_mut().for_each(|k| *k = Vec3::MAX);
        }
    }
    let hips = node(&session, "hips");
    recorded.timelines.push(vec![0.0]);
    recorded.channels.push(sinew::asset::Channel {
        node: hips,
        timeline: recorded.timelines.len() - 1,
        interpolation: sinew::asset::Interpolation::Linear,
        values: sinew::asset::Values::Translation(vec![Vec3::MAX]),
    });
    let error = session.save_take_as_clip(&recorded, &folder).unwrap_err();
    assert!(error.contains("is not a number"), "{error}");
    assert!(std::fs::read_dir(&folder).unwrap().next().is_none());
}

#[test]
fn reader_reads_takes_and_motions_for_the_open_character() {
    let folder = folder("take-read");
    let mut session = mannequin_session();
    let recorded = wave(&session);
    let path = session.save_take_as_clip(&recorded, &folder).unwrap();
    let (sender, receiver) = channel();
    let mut reader = CharacterLoader::new(move |read| sender.send(read).unwrap_or_default());
    let mut read = |session: Option<&Session>, path: &Path, is_reload: bool| {
        match session {
            Some(session) => reader.start_beside(path, is_reload, session).unwrap(),
            None => reader.start(path, is_reload, None, SIZE).unwrap(),
        }
        reader.accept(receiver.recv_timeout(Duration::from_secs(60)).unwrap()).unwrap().outcome
    };
    let Ok(LoadedFile::Clips(take)) = read(Some(&session), &path, false) else {
        panic!("the take was not read as clips")
    };
    assert_eq!(take.fingerprint, session.additions()[0].fingerprint);
    session.apply(Command::AddClips(take));
    assert_eq!(names(&session).last(), Some(&"sinew-take-0001"));
    let Ok(LoadedFile::Clips(motion)) = read(Some(&session), &hail(), false) else {
        panic!("the motion was not read as clips")
    };
    session.apply(Command::AddClips(motion));
    assert_eq!(names(&session).last(), Some(&"hail"));
    // If no character is open, opening a take is an error, and a motion file is opened as a character.
    let error = read(None, &path, false).err().unwrap();
    assert!(error.contains("while a character is shown") && !error.contains('\n'), "{error}");
    assert!(matches!(read(None, &hail(), false), Ok(LoadedFile::Character(..))));
    fs::write(&path, "time,a.x\n").unwrap();
    let error = read(Some(&session), &path, false).err().unwrap();
    assert!(error.contains("line 1, column 2") && !error.contains('\n'), "{error}");
    // A reload of the character keeps the added clips.
    let file = folder.join("man.glb");
    fs::copy(asset_path("mannequin.glb"), &file).unwrap();
    let Ok(LoadedFile::Character(reloaded, _)) = read(Some(&session), &file, true) else {
        panic!("the character was not read")
    };
    assert_eq!(reloaded.additions(), session.additions());
    assert_eq!(names(&reloaded), names(&session));
}

/// The character is reloaded unchanged, then with more clips in a different order, then with a renamed joint, and then with
/// another skeleton.
#[test]
fn added_clips_survive_a_reload() {
    let folder = folder("added-reload");
    let mut before = mannequin_session();
    let own = clips(&before).len();
    add(&mut before, &hail());
    let recorded = wave(&before);
    before.save_take_as_clip(&recorded, &folder).unwrap();
    let arm = node(&before, "leftUpperArm");
    let edit = Edit { time: 0.5, before: 0.2, after: 0.2, turns: vec![(arm, Vec3::X)], shifts: Vec::new() };
    let layer = Layer { clip: own, weight: 0.5, additive: true, mask: vec![arm], speed: 1.0 };
    let first = strips(&[&[own], &[1]]);
    play(&mut before, first.clone());
    let played = Motion { layers: vec![layer], edits: vec![edit], ..strips(&[&[1, own + 1], &[own]]) };
    play(&mut before, played.clone());
    before.apply(Command::Seek(1.6));
    before.apply(Command::Play(true));
    let unchanged = {
        let mut after = mannequin_session();
        assert!(after.take_over(&before, true).is_empty());
        after
    };
    assert_eq!((&unchanged.puppet().motion, names(&unchanged)), (&played, names(&before)));
    assert_eq!((pose(&unchanged), unchanged.is_playing()), (pose(&before), true));

    let mut character = Character::clone(&mannequin());
    let first_clip = character.clips.remove(0);
    character.clips.insert(1, Clip { name: Some("new".into()), ..first_clip.clone() });
    character.clips.push(Clip { name: Some("newer".into()), ..first_clip });
    let mut after = session_of(character);
    assert!(after.take_over(&before, true).is_empty());
    assert_eq!(names(&after)[own + 1..], ["hail", "take 1"]);
    let renumbered = |motion: &Motion| motion.renumbered(|c| Some(if c == 1 { 0 } else { c + 1 }), Some);
    assert_eq!(after.puppet().motion, renumbered(&played));
    // Clips are matched by name.
    assert_eq!(pose(&after), pose(&before));
    after.apply(Command::Undo);
    assert_eq!(after.puppet().motion, renumbered(&first));

    let mut character = Character::clone(&mannequin());
    character.skeleton.nodes[arm].name = Some("arm.L".into());
    let mut after = Session::new(character, None, SIZE);
    assert!(after.take_over(&before, true).is_empty());
    assert_eq!(names(&after)[own..], ["hail", "take 1"]);
    // Layers and edits of a joint that no longer exists are removed.
    assert_eq!(after.puppet().motion, Motion { layers: Vec::new(), edits: Vec::new(), ..played });
    assert!(after.is_playing() && (after.puppet().time - 1.6).abs() < 1e-6);

    // The clips cannot be transferred to a character with another skeleton.
    let spider = load(&asset_path("spider.glb")).unwrap();
    let mut after = session_of(spider);
    let errors = after.take_over(&before, true);
    assert!(errors.len() == 2 && errors[0].contains("hail.bvh"), "{errors:?}");
    assert!(after.additions().is_empty() && after.puppet().motion.strips.iter().all(|b| b.clips.len() == 1));
}
