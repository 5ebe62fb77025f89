//! Tests of the timeline without its panel: frames, keys, the part that loops, and clips after key poses.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use glam::Vec2;
use sinew::asset::{MANNEQUIN_PATH, load};
use sinew::viewer::{
    CharacterLoader, Command, Event, Input, Key, Keymap, LoadedFile, Recorder, Recording, Replay, Session,
    Timeline,
};
use sinew_testkit::{asset_path, folder};

use crate::support::{drag_joint, mannequin_session, replayed, session_of};

fn time(session: &Session) -> f32 {
    session.puppet().time
}

/// Inserts keys at the given times, each with a different pose.
fn keyed(times: &[f32]) -> Session {
    let (mut session, mut input) = (mannequin_session(), Input::default());
    for (index, time) in (0_u8..).zip(times) {
        session.apply(Command::Seek(*time));
        drag_joint(&mut session, &mut input, "leftHand", Vec2::new(-4.0, -6.0) * f32::from(index));
        session.apply(Command::Release);
        session.apply(Command::Key);
    }
    assert_eq!(session.puppet().motion.keys.len(), times.len());
    session
}

#[test]
fn arrows_step_through_frames_and_keys_in_each_keymap() {
    for keymap in Keymap::ALL {
        let (mut session, mut input) = (keyed(&[0.0, 0.5, 2.0]), Input::new(keymap));
        session.apply(Command::Timeline(Timeline { frame_rate: 24.0, ..Timeline::default() }));
        session.apply(Command::Seek(0.51));
        let mut press = |key, shift: bool, wanted: f32| {
            input.handle(Event::Modifiers(shift, false, false), &mut session);
            input.handle(Event::Key(key), &mut session);
            assert!((time(&session) - wanted).abs() < 1e-6, "{key:?}: {} is not {wanted}", time(&session));
        };
        press(Key::Right, false, 13.0 / 24.0);
        press(Key::Right, false, 14.0 / 24.0);
        press(Key::Left, false, 13.0 / 24.0);
        press(Key::Down, false, 0.5);
        press(Key::Down, false, 0.0);
        press(Key::Down, false, 0.0);
        press(Key::Up, false, 0.5);
        press(Key::Right, true, 2.0);
        press(Key::Left, true, 0.0);
        press(Key::Left, false, 0.0);
    }
}

/// Regression test: the playhead could not leave the rest pose, so only a key at the start could be inserted.
#[test]
fn the_playhead_goes_beyond_the_last_key_and_a_key_there_continues_the_motion() {
    let mut session = mannequin_session();
    session.apply(Command::Seek(1.5));
    assert!((time(&session) - 1.5).abs() < 1e-6);
    session.apply(Command::Key);
    assert_eq!(session.puppet().motion.duration, Some(2.0));
    session.apply(Command::Seek(4.0));
    session.apply(Command::Key);
    assert_eq!(session.puppet().motion.duration, Some(4.0));
    assert!(session.puppet().motion.keys.len() == 2 && session.puppet().seconds() >= 4.0);
    // The playhead stops at the end of a clip.
    session.apply(Command::Clip(Some(0)));
    session.apply(Command::Seek(100.0));
    assert!((time(&session) - session.puppet().seconds()).abs() < 1e-6);
}

#[test]
fn a_part_of_the_motion_loops() {
    let mut session = keyed(&[0.0, 1.0, 2.0]);
    session.apply(Command::Timeline(Timeline { range: Some([0.5, 1.5]), ..Timeline::default() }));
    session.apply(Command::Seek(0.5));
    session.apply(Command::Play(true));
    for (passed, wanted) in [(600, 1.1), (500, 0.6), (2000, 0.6), (850, 1.45)] {
        session.apply(Command::Tick(Duration::from_millis(passed)));
        assert!((time(&session) - wanted).abs() < 1e-4, "{} is not {wanted}", time(&session));
    }
    // Without a loop, playback stops at the end of the part.
    session.apply(Command::Looping(false));
    session.apply(Command::Tick(Duration::from_secs(3)));
    assert!((time(&session) - 1.5).abs() < 1e-6);
    // Invalid ranges have no effect.
    for range in [[1.0, 0.5], [f32::NAN, 1.0], [-1.0, 1.0]] {
        session.apply(Command::Timeline(Timeline { range: Some(range), ..Timeline::default() }));
        assert_eq!(session.settings().timeline.range, None);
    }
}

#[test]
fn settings_of_the_timeline_are_saved_and_recorded() {
    let folder = folder("viewer-timeline");
    let film = Timeline { frame_rate: 23.976, frames: false, snap: false, range: Some([0.25, 1.5]) };
    let mut session = keyed(&[0.0, 2.0]);
    session.apply(Command::Timeline(film));
    let project = folder.join("film.sinew");
    session.save_project(&project, false).unwrap();
    let text = fs::read_to_string(&project).unwrap();
    assert!(text.contains("frame_rate = 23.976\n") && text.contains("loop_range = [0.25, 1.5]"), "{text}");
    assert_eq!(replayed(&project).session().settings().timeline, film);
    let recorded = folder.join("film.session");
    session.record(Recorder::new(&recorded, false).unwrap(), 1.0).unwrap();
    session.apply(Command::Timeline(Timeline { snap: true, ..film }));
    session.stop_recording().unwrap().unwrap();
    assert_eq!(replayed(&recorded).session().settings().timeline, Timeline { snap: true, ..film });
}

/// Regression test: a character without clips had nothing to play, because the menu for clips was empty.
#[test]
fn a_built_in_clip_is_retargeted_and_survives_a_project_and_a_recording() {
    let folder = folder("viewer-built-in-clip");
    let file = asset_path("awkward.glb");
    let character = || load(&file).unwrap();
    let open = || session_of(character());
    let mut session = open();
    let own = session.puppet().character().clips.len();
    let (send, read) = channel();
    let mut loader = CharacterLoader::new(move |result| drop(send.send(result)));
    loader.start_adding(Path::new(MANNEQUIN_PATH), Some("walk".into()), &session).unwrap();
    let result = read.recv_timeout(Duration::from_secs(120)).unwrap();
    let Ok(LoadedFile::Clips(addition)) = result.outcome else { panic!("{:?}", result.outcome.err()) };
    let recorded = folder.join("walk.session");
    session.record(Recorder::new(&recorded, false).unwrap(), 1.0).unwrap();
    session.apply(Command::AddClips(addition));
    session.apply(Command::Clip(Some(own)));
    session.apply(Command::Play(false));
    session.apply(Command::Seek(0.4));
    session.stop_recording().unwrap().unwrap();
    let names: Vec<_> = session.puppet().character().clips.iter().filter_map(|c| c.name.clone()).collect();
    assert!(names.len() == own + 1 && names[own] == "walk", "{names:?}");
    let project = folder.join("walk.sinew");
    session.save_project(&project, false).unwrap();
    for path in [recorded, project] {
        let recording = Recording::open(&path).unwrap();
        assert_eq!(recording.warnings(&character(), open().rig()), [""; 0]);
        let mut replay = Replay::new(&recording, Arc::new(character()), open().rig().clone()).unwrap();
        replay.advance(recording.length()).unwrap();
        assert_eq!(replay.session().puppet().pose(), session.puppet().pose(), "{}", path.display());
    }
}
