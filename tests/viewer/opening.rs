//! Files that are opened: read on another thread, remembered, and seen when they change.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use egui::ThemePreference;
use glam::Vec2;
use sinew::viewer::{Command, Found, Read, Reader, Session, Settings, Watch};

use super::files::folder;
use super::{SIZE, session};

const PATIENCE: Duration = Duration::from_secs(20);
/// Long enough for a change that is none to be told, were it.
const QUIET: Duration = Duration::from_millis(150);

fn asset(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name)
}

fn reader() -> (Reader, Receiver<Read>) {
    let (tell, told) = channel();
    (Reader::new(move |read| tell.send(read).unwrap_or_default()), told)
}

#[test]
fn a_character_is_read_on_another_thread_with_the_rig_beside_it() {
    let (mut reader, told) = reader();
    reader.start(&asset("spider.glb"), false, None, SIZE).unwrap();
    assert_eq!(reader.reading(), Some(&*asset("spider.glb")));
    let read = reader.accept(told.recv_timeout(PATIENCE).unwrap()).unwrap();
    assert_eq!((reader.reading(), &*read.path, read.again), (None, &*asset("spider.glb"), false));
    let Found::Character(session, _) = read.outcome.unwrap() else { panic!("no character") };
    assert_eq!(session.file(), Some(&*asset("spider.glb")));
    assert_eq!(session.puppet().rig.chains.len(), 8, "a leg each, as the rig beside it says");
}

#[test]
fn what_was_asked_for_last_is_what_comes() {
    let (mut reader, told) = reader();
    for name in ["mannequin.glb", "spider.glb", "awkward.glb", "arm.glb"] {
        reader.start(&asset(name), false, None, SIZE).unwrap();
    }
    let mut accepted = Vec::new();
    while accepted.is_empty() {
        accepted.extend(reader.accept(told.recv_timeout(PATIENCE).unwrap()));
    }
    // Whatever ends later was asked for earlier.
    while let Ok(read) = told.recv_timeout(QUIET) {
        accepted.extend(reader.accept(read));
    }
    let paths: Vec<&Path> = accepted.iter().map(|r| r.path.as_path()).collect();
    assert_eq!(paths, [asset("arm.glb")]);
}

#[test]
fn a_file_that_cannot_be_read_says_why_in_one_line() {
    let folder = folder("read-bad");
    let whole = fs::read(asset("arm.glb")).unwrap();
    fs::write(folder.join("half.glb"), &whole[..whole.len() / 2]).unwrap();
    fs::copy(asset("arm.glb"), folder.join("rigged.glb")).unwrap();
    fs::write(folder.join("rigged.rig.toml"), "chains = 3").unwrap();
    for name in ["half.glb", "rigged.glb", "missing.glb"] {
        let (mut reader, told) = reader();
        reader.start(&folder.join(name), false, None, SIZE).unwrap();
        let line = reader.accept(told.recv_timeout(PATIENCE).unwrap()).unwrap().outcome.err().unwrap();
        assert!(line.contains(name.split('.').next().unwrap()) && !line.contains('\n'), "{line}");
    }
}

#[test]
fn recent_files_are_remembered_newest_first_and_no_more_than_a_few() {
    let place = folder("recent").join("deep/er/settings.json");
    let file = |i: u8| PathBuf::from(format!("/models/{i}.glb"));
    let mut settings = Settings::at(place.clone());
    assert!(settings.recent().is_empty());
    (0..12).for_each(|i| settings.add(&file(i)));
    settings.add(&file(9));
    let wanted: Vec<PathBuf> = [9, 11, 10, 8, 7, 6, 5, 4].map(file).into();
    assert_eq!(settings.recent(), wanted);
    assert_eq!(Settings::at(place.clone()).recent(), wanted);
    // Another window has opened a file meanwhile, and chosen a theme.
    let mut other = Settings::at(place.clone());
    other.add(&file(20));
    other.set_theme(ThemePreference::Light);
    settings.add(&file(21));
    let now = Settings::at(place.clone());
    assert_eq!((&now.recent()[..3], now.theme()), (&[21, 20, 9].map(file)[..], ThemePreference::Light));
    assert_eq!(fs::read_dir(place.parent().unwrap()).unwrap().count(), 1, "something was left beside");
}

#[test]
fn a_theme_is_kept_from_one_run_to_the_next() {
    let place = folder("theme").join("settings.json");
    for theme in [ThemePreference::Dark, ThemePreference::Light, ThemePreference::System] {
        let mut settings = Settings::at(place.clone());
        settings.set_theme(theme);
        assert_eq!((settings.theme(), Settings::at(place.clone()).theme()), (theme, theme));
    }
    // What is not changed is not written.
    fs::remove_file(&place).unwrap();
    Settings::at(place.clone()).set_theme(ThemePreference::System);
    assert!(!place.exists());
}

#[test]
fn settings_that_are_broken_are_the_usual_ones() {
    let folder = folder("settings-broken");
    let place = folder.join("settings.json");
    let broken = [
        &b"\xff\xfe\x00"[..],
        b"",
        b"{\"theme\":\"purple\",\"recent\":[\"/a.glb\"]}",
        b"{\"recent\":[3]}",
        b"{\"recent\":[\"relative.glb\",\"\",\"../up.glb\"]}",
        &[b'['; 200_000],
    ];
    for bytes in broken {
        fs::write(&place, bytes).unwrap();
        let mut settings = Settings::at(place.clone());
        assert_eq!((settings.recent(), settings.theme()), (&[][..], ThemePreference::System));
        settings.add(Path::new("/models/a.glb"));
        assert_eq!(Settings::at(place.clone()).recent(), [Path::new("/models/a.glb")]);
    }
    // What a later program has added does no harm.
    fs::write(&place, "{\"theme\":\"dark\",\"volume\":11}").unwrap();
    assert_eq!(Settings::at(place.clone()).theme(), ThemePreference::Dark);
    // Nowhere to write: the window remembers for itself.
    let mut nowhere = Settings::at(folder.join("settings.json/below/a/file"));
    nowhere.add(Path::new("/models/a.glb"));
    nowhere.add(Path::new("/models/b.glb"));
    assert_eq!(nowhere.recent(), [Path::new("/models/b.glb"), Path::new("/models/a.glb")]);
}

#[test]
fn a_file_is_seen_to_change_however_it_is_written_and_its_neighbours_are_not() {
    let folder = folder("watched");
    let file = folder.join("model.glb");
    fs::write(&file, "old").unwrap();
    fs::create_dir_all(folder.join("textures")).unwrap();
    let others = ["shared.bin", "textures/skin.png", "gone/lost.png"].map(|name| folder.join(name));
    let (tell, told) = channel();
    let watch = Watch::new(&file, &others, move || tell.send(()).unwrap_or_default()).unwrap();
    let is_told = |what: &str| {
        assert!(told.recv_timeout(PATIENCE).is_ok(), "{what} is not seen");
        while told.recv_timeout(QUIET).is_ok() {}
    };
    fs::write(&file, "new").unwrap();
    is_told("a write");
    fs::write(folder.join("beside"), "newer").unwrap();
    fs::rename(folder.join("beside"), &file).unwrap();
    is_told("a file that takes its name");
    fs::write(folder.join("model.rig.toml"), "").unwrap();
    is_told("its rig");
    fs::write(&others[0], "").unwrap();
    is_told("a buffer of another name");
    fs::write(&others[1], "").unwrap();
    is_told("a picture in another folder");
    fs::read(&file).unwrap();
    fs::write(folder.join("model-0001.png"), "").unwrap();
    fs::write(folder.join("other.glb"), "").unwrap();
    assert!(told.recv_timeout(QUIET).is_err(), "what is no change of it");
    drop(watch);
    fs::write(&file, "newest").unwrap();
    assert!(told.recv_timeout(QUIET).is_err(), "nobody watches any more");
    let error = Watch::new(&folder.join("missing/model.glb"), &[], || {}).unwrap_err();
    assert!(error.contains("missing") && !error.contains('\n'), "{error}");
}

#[test]
fn a_picture_of_another_shape_still_shows_all_that_was_seen() {
    let mut session = session();
    let before = session.camera().position;
    session.apply(Command::Resize(Vec2::new(1016.0, 800.0)));
    assert_eq!(session.camera().position, before, "as high as it was");
    session.apply(Command::Resize(Vec2::new(200.0, 800.0)));
    for name in ["leftHand", "rightHand", "head", "leftFoot"] {
        let node = session.puppet().character().skeleton.find(name).unwrap();
        let place = session.puppet().world_from_node()[node].translation.into();
        let at = sinew::picking::pixel(&session.camera(), place, session.size()).unwrap();
        assert!(at.cmpge(Vec2::ZERO).all() && at.cmple(session.size()).all(), "{name} is at {at}");
    }
    session.apply(Command::Resize(Vec2::ZERO));
    session.apply(Command::Resize(SIZE));
    assert!(session.camera().position.distance(before) < 1e-4);
}

/// Rest of a capture is at the origin, its frames are where the actor was: the floor is below those.
#[test]
fn motion_without_meshes_begins_with_its_first_frame() {
    let text = "HIERARCHY ROOT hips { OFFSET 0 0 0 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
        JOINT foot { OFFSET 0 -0.9 0 CHANNELS 0 } JOINT head { OFFSET 0 0.8 0 CHANNELS 0 } }
        MOTION\nFrames: 2\nFrame Time: 1\n3 0.9 0 0 0 0\n9 1.1 0 0 0 0\n";
    let character = sinew::asset::bvh::read(text, "jump.bvh".as_ref(), Some(1.0)).unwrap();
    let session = Session::new(character, None, SIZE);
    assert_eq!((session.puppet().motion.only(), session.puppet().time), (Some(0), 0.0));
    assert!(!session.is_playing());
    assert_eq!(session.puppet().world_from_node()[0].translation.x, 3.0);
    let frame = session.frame(1.0);
    assert!(frame.ground.is_some_and(|g| g.center.y.abs() < 1e-6));
    // Two bones and three joints, each with its rim, and what else is drawn over them.
    assert!(frame.lines.len() >= 10);
}
