//! Variants of materials in a session: shown, recorded, saved and kept when the file is reloaded.

use std::path::{Path, PathBuf};

use serde_json::json;
use sinew::asset;
use sinew::viewer::{Command, Recorder, Recording, Replay, Session};

use super::SIZE;
use super::files::folder;

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
    Session::new(asset::load(path).unwrap(), None, SIZE)
}

fn show(session: &mut Session, name: Option<&str>) {
    session.apply(Command::Variant(name.map(str::to_owned)));
}

fn material(session: &Session) -> Option<usize> {
    session.shown_character().meshes[0].primitives[0].material
}

fn replayed(path: &Path) -> Session {
    let recording = Recording::open(path).unwrap();
    let character = asset::load(&recording.character().unwrap()).unwrap();
    let rig = sinew::rig::load(&character, None).unwrap();
    let mut replay = Replay::new(&recording, character, rig).unwrap();
    replay.advance(recording.length()).unwrap();
    replay.into_session()
}

#[test]
fn a_variant_is_shown_until_another_one_is_chosen() {
    let mut session = open(&model(&folder("variants-shown")));
    assert_eq!(material(&session), Some(0));
    show(&mut session, Some("blue"));
    assert_eq!((material(&session), session.variant()), (Some(2), Some("blue")));
    // The character itself, which undo steps and exports share, does not change.
    assert_eq!(session.puppet().character().meshes[0].primitives[0].material, Some(0));
    show(&mut session, Some("green"));
    assert_eq!(session.variant(), Some("blue"));
    show(&mut session, None);
    assert_eq!((material(&session), session.variant()), (Some(0), None));
}

#[test]
fn a_variant_is_saved_in_projects_and_kept_on_reload() {
    let folder = folder("variants-saved");
    let path = model(&folder);
    let mut session = open(&path);
    show(&mut session, Some("red"));
    let project = folder.join("red.sinew");
    session.save_project(&project, true).unwrap();
    assert_eq!(replayed(&project).variant(), Some("red"));
    let mut reloaded = open(&path);
    reloaded.take_over(&session, true);
    assert_eq!(reloaded.variant(), Some("red"));
    let mut other = open(&path);
    other.take_over(&session, false);
    assert_eq!(other.variant(), None);
}

#[test]
fn a_recording_starts_with_the_variant_and_contains_its_changes() {
    let folder = folder("variants-recorded");
    let mut session = open(&model(&folder));
    show(&mut session, Some("red"));
    let path = folder.join("start.session");
    session.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    session.stop_recording().unwrap().unwrap();
    assert_eq!(replayed(&path).variant(), Some("red"));
    let path = folder.join("changed.session");
    session.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    show(&mut session, Some("blue"));
    session.stop_recording().unwrap().unwrap();
    assert_eq!(replayed(&path).variant(), Some("blue"));
}
