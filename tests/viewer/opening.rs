//! Tests of opening files: the background reader, the settings and the file watcher.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use glam::Vec2;
use sinew::viewer::{
    CharacterLoader, Command, LoadResult, LoadedFile, Preferences, Prop, Session, ThemePreference, Watch,
};
use sinew_testkit::{asset_path, folder};

use crate::support::{SIZE, detected_session, place};

/// Maximum time to wait for an expected event.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Time to wait for an event that must not occur.
const QUIET: Duration = Duration::from_millis(150);

fn reader() -> (CharacterLoader, Receiver<LoadResult>) {
    let (sender, receiver) = channel();
    (CharacterLoader::new(move |read| sender.send(read).unwrap_or_default()), receiver)
}

#[test]
fn reader_loads_a_character_with_the_rig_beside_it() {
    let (mut reader, results) = reader();
    reader.start(&asset_path("spider.glb"), false, None, SIZE).unwrap();
    assert_eq!(reader.reading(), Some(&*asset_path("spider.glb")));
    let read = reader.accept(results.recv_timeout(TIMEOUT).unwrap()).unwrap();
    assert_eq!((reader.reading(), &*read.path, read.reloads), (None, &*asset_path("spider.glb"), false));
    let LoadedFile::Character(session, _) = read.outcome.unwrap() else {
        panic!("the character was not read")
    };
    assert_eq!(session.file(), Some(&*asset_path("spider.glb")));
    assert_eq!(session.puppet().rig.chains.len(), 8, "the rig file has one chain per leg");
}

#[test]
fn reader_loads_a_model_for_a_joint() {
    let ((mut reader, results), session) = (reader(), detected_session());
    let mut read = |file: &Path| {
        reader.start_attaching(file, "leftHand".into(), &session).unwrap();
        assert_eq!(reader.attaching(), Some(file));
        let read = reader.accept(results.recv_timeout(TIMEOUT).unwrap()).unwrap();
        assert!(read.attaches && read.path == file);
        read.outcome
    };
    let Ok(LoadedFile::Prop(carrier, model, _)) = read(&asset_path("arm.glb")) else {
        panic!("the model was not read")
    };
    assert_eq!((&*carrier, &*model.character().path), ("leftHand", &*asset_path("arm.glb")));
    let Err(error) = read(Path::new("missing.glb")) else { panic!("there is no such file") };
    assert!(error.contains("missing.glb: "), "{error}");
}

/// Regression test: a reload kept the models of props whose files had changed.
#[test]
fn a_reload_reads_the_models_of_props() {
    let folder = folder("reload-props");
    let [file, prop] = ["figure.glb", "cup.glb"].map(|name| folder.join(name));
    fs::copy(asset_path("mannequin.glb"), &file).unwrap();
    fs::copy(asset_path("arm.glb"), &prop).unwrap();
    let mut session = Session::new(sinew::asset::load(&file).unwrap(), None, SIZE);
    session.apply(Command::Props(vec![Prop::new(prop.clone(), "leftHand".into())]));
    fs::copy(asset_path("spider.glb"), &prop).unwrap();
    let (mut reader, results) = reader();
    reader.start_beside(&file, true, &session).unwrap();
    assert_eq!((reader.reading(), reader.attaching()), (Some(&*file), None));
    let read = reader.accept(results.recv_timeout(TIMEOUT).unwrap()).unwrap();
    let Ok(LoadedFile::Character(mut reloaded, _)) = read.outcome else {
        panic!("the character was not read")
    };
    // The window's thread does not read the file.
    fs::remove_file(&prop).unwrap();
    assert_eq!(reloaded.take_over(&session, true), Vec::<String>::new());
    let nodes = |session: &Session| {
        session.prop_puppets().map(|prop| prop.character().skeleton.nodes.len()).collect::<Vec<_>>()
    };
    let spider = sinew::asset::load(&asset_path("spider.glb")).unwrap();
    assert_eq!(nodes(&reloaded), [spider.skeleton.nodes.len()]);
    assert_ne!(nodes(&session), nodes(&reloaded));
}

#[test]
fn a_cancelled_read_is_not_accepted() {
    let (mut reader, results) = reader();
    assert!(!reader.cancel());
    reader.start(&asset_path("spider.glb"), false, None, SIZE).unwrap();
    assert!(reader.cancel() && reader.reading().is_none());
    // The read may have ended before it was cancelled.
    if let Ok(read) = results.recv_timeout(QUIET) {
        assert!(reader.accept(read).is_none());
    }
    reader.start(&asset_path("arm.glb"), false, None, SIZE).unwrap();
    let read = std::iter::from_fn(|| results.recv_timeout(TIMEOUT).ok()).find_map(|read| reader.accept(read));
    assert_eq!(read.unwrap().path, asset_path("arm.glb"));
}

#[test]
fn the_quality_of_moving_scenes_is_remembered() {
    let path = folder("quality-settings").join("settings.json");
    let mut settings = Preferences::at(path.clone());
    assert!(!settings.full_quality());
    settings.set_full_quality(true);
    assert!(Preferences::at(path).full_quality());
}

#[test]
fn only_the_last_request_is_accepted() {
    let (mut reader, results) = reader();
    for name in ["mannequin.glb", "spider.glb", "awkward.glb", "arm.glb"] {
        reader.start(&asset_path(name), false, None, SIZE).unwrap();
    }
    let mut accepted = Vec::new();
    while accepted.is_empty() {
        accepted.extend(reader.accept(results.recv_timeout(TIMEOUT).unwrap()));
    }
    // Results that arrive later belong to earlier requests and must be dropped.
    while let Ok(read) = results.recv_timeout(QUIET) {
        accepted.extend(reader.accept(read));
    }
    let paths: Vec<&Path> = accepted.iter().map(|r| r.path.as_path()).collect();
    assert_eq!(paths, [asset_path("arm.glb")]);
}

#[test]
fn unreadable_file_is_reported_in_one_line() {
    let folder = folder("read-bad");
    let bytes = fs::read(asset_path("arm.glb")).unwrap();
    fs::write(folder.join("half.glb"), &bytes[..bytes.len() / 2]).unwrap();
    fs::copy(asset_path("arm.glb"), folder.join("rigged.glb")).unwrap();
    fs::write(folder.join("rigged.rig.toml"), "chains = 3").unwrap();
    for name in ["half.glb", "rigged.glb", "missing.glb"] {
        let (mut reader, results) = reader();
        reader.start(&folder.join(name), false, None, SIZE).unwrap();
        let line = reader.accept(results.recv_timeout(TIMEOUT).unwrap()).unwrap().outcome.err().unwrap();
        assert!(line.contains(name.split('.').next().unwrap()) && !line.contains('\n'), "{line}");
    }
}

#[test]
fn eight_recent_files_are_remembered_newest_first() {
    let path = folder("recent").join("deep/er/settings.json");
    let file = |i: u8| PathBuf::from(format!("/models/{i}.glb"));
    let mut settings = Preferences::at(path.clone());
    assert!(settings.recent().is_empty());
    (0..12).for_each(|i| settings.add(&file(i)));
    settings.add(&file(9));
    let expected: Vec<PathBuf> = [9, 11, 10, 8, 7, 6, 5, 4].map(file).into();
    assert_eq!(settings.recent(), expected);
    assert_eq!(Preferences::at(path.clone()).recent(), expected);
    // Another window opens a file and changes the theme in between.
    let mut other = Preferences::at(path.clone());
    other.add(&file(20));
    other.set_theme(ThemePreference::Light);
    settings.add(&file(21));
    let now = Preferences::at(path.clone());
    assert_eq!((&now.recent()[..3], now.theme()), (&[21, 20, 9].map(file)[..], ThemePreference::Light));
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "a temporary file was left behind");
}

#[test]
fn theme_is_remembered() {
    let path = folder("theme").join("settings.json");
    for theme in [ThemePreference::Dark, ThemePreference::Light, ThemePreference::System] {
        let mut settings = Preferences::at(path.clone());
        settings.set_theme(theme);
        assert_eq!((settings.theme(), Preferences::at(path.clone()).theme()), (theme, theme));
    }
    // Unchanged settings are not written.
    fs::remove_file(&path).unwrap();
    Preferences::at(path.clone()).set_theme(ThemePreference::System);
    assert!(!path.exists());
}

#[test]
fn folder_for_images_and_poses_is_remembered() {
    let path = folder("export-folder").join("settings.json");
    assert_eq!(Preferences::at(path.clone()).export_folder(), None);
    Preferences::at(path.clone()).set_export_folder(Path::new("/pictures"));
    assert_eq!(Preferences::at(path.clone()).export_folder(), Some(Path::new("/pictures")));
    fs::write(&path, "{\"export_folder\":\"relative\"}").unwrap();
    assert_eq!(Preferences::at(path).export_folder(), None);
}

#[test]
fn invalid_settings_are_replaced_by_defaults() {
    let folder = folder("settings-invalid");
    let path = folder.join("settings.json");
    let invalid = [
        &b"\xff\xfe\x00"[..],
        b"",
        b"{\"recent\":[3]}",
        b"{\"recent\":[\"relative.glb\",\"\",\"../up.glb\"]}",
        &[b'['; 200_000],
    ];
    for bytes in invalid {
        fs::write(&path, bytes).unwrap();
        let mut settings = Preferences::at(path.clone());
        assert_eq!((settings.recent(), settings.theme()), (&[][..], ThemePreference::System));
        settings.add(Path::new("/models/a.glb"));
        assert_eq!(Preferences::at(path.clone()).recent(), [Path::new("/models/a.glb")]);
    }
    // An invalid value does not affect the others.
    fs::write(&path, "{\"theme\":\"purple\",\"recent\":[\"/a.glb\"]}").unwrap();
    assert_eq!(Preferences::at(path.clone()).recent(), [Path::new("/a.glb")]);
    // Unknown keys of later versions are ignored.
    fs::write(&path, "{\"theme\":\"dark\",\"volume\":11}").unwrap();
    assert_eq!(Preferences::at(path.clone()).theme(), ThemePreference::Dark);
    // If the settings cannot be written, they are kept in memory.
    let mut unwritable = Preferences::at(folder.join("settings.json/below/a/file"));
    unwritable.add(Path::new("/models/a.glb"));
    unwritable.add(Path::new("/models/b.glb"));
    assert_eq!(unwritable.recent(), [Path::new("/models/b.glb"), Path::new("/models/a.glb")]);
}

#[test]
fn watcher_reports_changes_of_the_file_and_its_dependencies_only() {
    let folder = folder("watched");
    let file = folder.join("model.glb");
    fs::write(&file, "old").unwrap();
    fs::create_dir_all(folder.join("textures")).unwrap();
    let dependencies = ["shared.bin", "textures/skin.png", "gone/lost.png"].map(|name| folder.join(name));
    let (sender, changes) = channel();
    let watch = Watch::new(&file, &dependencies, move || sender.send(()).unwrap_or_default()).unwrap();
    let expect_change = |change: &str| {
        assert!(changes.recv_timeout(TIMEOUT).is_ok(), "{change} was not reported");
        while changes.recv_timeout(QUIET).is_ok() {}
    };
    fs::write(&file, "new").unwrap();
    expect_change("a write");
    fs::write(folder.join("beside"), "newer").unwrap();
    fs::rename(folder.join("beside"), &file).unwrap();
    expect_change("a replacement by rename");
    fs::write(folder.join("model.rig.toml"), "").unwrap();
    expect_change("a new rig file");
    fs::write(&dependencies[0], "").unwrap();
    expect_change("a change of a buffer");
    fs::write(&dependencies[1], "").unwrap();
    expect_change("a change of a texture in another folder");
    fs::read(&file).unwrap();
    fs::write(folder.join("model-0001.png"), "").unwrap();
    fs::write(folder.join("other.glb"), "").unwrap();
    assert!(changes.recv_timeout(QUIET).is_err(), "an unrelated change was reported");
    drop(watch);
    fs::write(&file, "newest").unwrap();
    assert!(changes.recv_timeout(QUIET).is_err(), "a change was reported after the watcher was dropped");
    let error = Watch::new(&folder.join("missing/model.glb"), &[], || {}).unwrap_err();
    assert!(error.contains("missing") && !error.contains('\n'), "{error}");
}

#[test]
fn resizing_keeps_the_character_in_view() {
    let mut session = detected_session();
    let before = session.camera().position;
    session.apply(Command::Resize(Vec2::new(1016.0, 800.0)));
    assert_eq!(session.camera().position, before, "the camera must not move if the height is unchanged");
    session.apply(Command::Resize(Vec2::new(200.0, 800.0)));
    for name in ["leftHand", "rightHand", "head", "leftFoot"] {
        let at =
            sinew::scene::picking::pixel(&session.camera(), place(&session, name), session.size()).unwrap();
        assert!(at.cmpge(Vec2::ZERO).all() && at.cmple(session.size()).all(), "{name} is at {at}");
    }
    session.apply(Command::Resize(Vec2::ZERO));
    session.apply(Command::Resize(SIZE));
    assert!(session.camera().position.distance(before) < 1e-4);
}

/// The rest pose of a motion capture is at the origin, but its frames are at the position of the actor. The floor must
/// be below the actor.
#[test]
fn motion_without_meshes_starts_at_its_first_frame() {
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
    // The lines show two bones, three joints with a rim each, and the overlays.
    assert!(frame.lines.len() >= 10);
}
