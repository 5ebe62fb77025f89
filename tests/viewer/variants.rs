//! Variants of materials in a session: shown, recorded, saved and kept when the file is reloaded.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;
use sinew::asset;
use sinew::viewer::{Command, Recorder, Session};

use sinew_testkit::display::{Started, display};
use sinew_testkit::folder;
use sinew_testkit::gltf::square_with_variant;
use sinew_testkit::image;

use crate::support::{replayed, session_of};

/// Writes a model whose only primitive has material 0, or 1 in the variant "red" and 2 in "blue".
fn model(folder: &Path) -> PathBuf {
    let mappings = json!([{"material": 1, "variants": [0]}, {"material": 2, "variants": [1]}]);
    let primitive = json!({
        "attributes": {"POSITION": 0}, "material": 0,
        "extensions": {"KHR_materials_variants": {"mappings": mappings}},
    });
    let file = json!({
        "asset": {"version": "2.0"},
        "extensionsUsed": ["KHR_materials_variants"],
        "extensions": {"KHR_materials_variants": {"variants": [{"name": "red"}, {"name": "blue"}]}},
        "accessors": [{"componentType": 5126, "type": "VEC3", "count": 3}],
        "materials": [{}, {}, {}],
        "meshes": [{"primitives": [primitive]}],
        "nodes": [{"mesh": 0}],
    });
    let path = folder.join("model.gltf");
    std::fs::write(&path, file.to_string()).unwrap();
    path
}

fn open(path: &Path) -> Session {
    session_of(asset::load(path).unwrap())
}

fn show(session: &mut Session, name: Option<&str>) {
    session.apply(Command::Variant(name.map(str::to_owned)));
}

fn material(session: &Session) -> Option<usize> {
    session.shown_character().meshes[0].primitives[0].material
}

#[test]
fn a_variant_is_shown_until_another_one_is_chosen() {
    let mut session = open(&model(&folder("variants-shown")));
    assert_eq!(material(&session), Some(0));
    show(&mut session, Some("blue"));
    assert_eq!((material(&session), session.settings().variant.as_deref()), (Some(2), Some("blue")));
    // The character itself, which undo steps and exports share, does not change.
    assert_eq!(session.puppet().character().meshes[0].primitives[0].material, Some(0));
    show(&mut session, Some("green"));
    assert_eq!(session.settings().variant.as_deref(), Some("blue"));
    show(&mut session, None);
    assert_eq!((material(&session), session.settings().variant.as_deref()), (Some(0), None));
}

#[test]
fn a_variant_is_saved_in_projects_and_kept_on_reload() {
    let folder = folder("variants-saved");
    let path = model(&folder);
    let mut session = open(&path);
    show(&mut session, Some("red"));
    let project = folder.join("red.sinew");
    session.save_project(&project, true).unwrap();
    assert_eq!(replayed(&project).session().settings().variant.as_deref(), Some("red"));
    let mut reloaded = open(&path);
    reloaded.take_over(&session, true);
    assert_eq!(reloaded.settings().variant.as_deref(), Some("red"));
    let mut other = open(&path);
    other.take_over(&session, false);
    assert_eq!(other.settings().variant.as_deref(), None);
}

#[test]
fn a_recording_starts_with_the_variant_and_contains_its_changes() {
    let folder = folder("variants-recorded");
    let mut session = open(&model(&folder));
    show(&mut session, Some("red"));
    let path = folder.join("start.session");
    session.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    session.stop_recording().unwrap().unwrap();
    assert_eq!(replayed(&path).session().settings().variant.as_deref(), Some("red"));
    let path = folder.join("changed.session");
    session.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    show(&mut session, Some("blue"));
    session.stop_recording().unwrap().unwrap();
    assert_eq!(replayed(&path).session().settings().variant.as_deref(), Some("blue"));
}

#[test]
fn the_window_opens_with_the_variant_of_the_command_line() {
    let Some((_server, display)) = display(&["import"]) else { return };
    let folder = folder("variants-window");
    let (model, image_path) = (folder.join("square.gltf"), folder.join("shot.png"));
    std::fs::write(&model, square_with_variant()).unwrap();
    for (options, is_blue) in [(&[][..], false), (&["--variant", "blue"], true)] {
        let mut viewer = std::process::Command::new(env!("CARGO_BIN_EXE_sinew"));
        viewer
            .env("DISPLAY", &display)
            .env_remove("WAYLAND_DISPLAY")
            .env("XDG_STATE_HOME", folder.join("state"));
        viewer.args(["view", "--adapter", "cpu"]).arg(&model).args(options);
        let mut viewer = Started(viewer.spawn().unwrap());
        let start = Instant::now();
        loop {
            let mut import = std::process::Command::new("import");
            import.env("DISPLAY", &display).args(["-window", "root"]).arg(&image_path).status().unwrap();
            let screen = image::open(&image_path);
            let count = |from: usize, other: usize| {
                screen
                    .pixels()
                    .filter(|pixel| pixel[from] > 180 && pixel[other] < 60 && pixel[1] < 60)
                    .count()
            };
            let (red, blue) = (count(0, 2), count(2, 0));
            let (shown, hidden) = if is_blue { (blue, red) } else { (red, blue) };
            // The square fills much of the window.
            if shown > 20_000 {
                assert!(hidden < 1000, "{options:?}: {red} red and {blue} blue pixels");
                break;
            }
            assert!(viewer.0.try_wait().unwrap().is_none(), "{options:?}: the viewer has exited");
            let seconds = start.elapsed();
            assert!(seconds < Duration::from_secs(60), "{options:?}: {red} red and {blue} blue pixels");
            std::thread::sleep(Duration::from_millis(200));
        }
    }
}
