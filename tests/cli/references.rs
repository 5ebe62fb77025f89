//! Files referenced by models, suites and projects: with Windows separators, and in parent folders.

use std::fs;
use std::path::PathBuf;

use crate::{MANNEQUIN, folder, json, refusal, stdout, text};

/// A model with one buffer for three points. `uri` is the path of the buffer.
fn model(uri: &str) -> String {
    format!(
        r#"{{"asset": {{"version": "2.0"}}, "buffers": [{{"byteLength": 36, "uri": {}}}],
        "bufferViews": [{{"buffer": 0, "byteLength": 36}}],
        "accessors": [{{"bufferView": 0, "type": "VEC3", "componentType": 5126, "count": 3, "min": [0, 0, 0], "max": [0, 0, 0]}}],
        "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}}}]}}], "nodes": [{{"mesh": 0}}], "scenes": [{{"nodes": [0]}}]}}"#,
        serde_json::Value::from(uri)
    )
}

/// Creates `models/points.gltf`, whose buffer is at `uri`, and `points.bin` in `data` and in `models/sub`.
fn with_model(name: &str, uri: &str) -> PathBuf {
    let folder = folder(name);
    fs::create_dir_all(folder.join("data")).unwrap();
    fs::create_dir_all(folder.join("models/sub")).unwrap();
    fs::write(folder.join("data/points.bin"), [0; 36]).unwrap();
    fs::write(folder.join("models/sub/points.bin"), [0; 36]).unwrap();
    let file = folder.join("models/points.gltf");
    fs::write(&file, model(uri)).unwrap();
    file
}

#[test]
fn a_backslash_separates_folders() {
    let file = with_model("backslash", ".\\sub\\points.bin");
    assert_eq!(json(["inspect", text(&file), "--json"])["warnings"], serde_json::json!([]));
}

#[test]
fn files_above_the_model_are_read_with_permission() {
    for (name, uri) in [("parent", "../data/points.bin"), ("parent-windows", "..\\data\\points.bin")] {
        let file = with_model(name, uri);
        let file = text(&file);
        let cause = format!("\"{uri}\" is outside of the model's folder; --allow-parent allows it");
        assert_eq!(refusal(["inspect", file]), format!("{file}: buffers[0]: {cause}"));
        stdout(["inspect", file, "--allow-parent"]);
        // The copy contains the buffer that was read from the parent folder.
        let copy = file.replace("points.gltf", "copy.glb");
        stdout(["pose", file, "--allow-parent", "-o", &copy]);
        assert_eq!(fs::read(&copy).unwrap().len() % 4, 0);
        stdout(["inspect", &copy]);
    }
    // Permission would not help to read a missing file, so the message does not suggest it.
    let file = with_model("parent-missing", "../data/none.bin");
    let line = refusal(["inspect", text(&file)]);
    assert!(!line.contains("--allow-parent") && line.contains("\"../data/none.bin\": "), "{line}");
    let file = with_model("parent-absolute", "C:\\data\\points.bin");
    let line = refusal(["inspect", text(&file), "--allow-parent"]);
    assert!(line.contains("only data: URIs and relative paths"), "{line}");
}

/// Regression: the option was ignored for the clips of a project, so they could not be opened at all.
#[test]
fn clips_of_a_project_are_read_from_parent_folders_with_permission() {
    let folder = folder("parent-clips");
    fs::create_dir_all(folder.join("data")).unwrap();
    fs::create_dir_all(folder.join("clips")).unwrap();
    // The built-in character as a `.gltf` file, with its buffer in another folder.
    let glb = fs::read(MANNEQUIN).unwrap();
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let mut document: serde_json::Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    document["buffers"][0]["uri"] = "../data/clips.bin".into();
    fs::write(folder.join("data/clips.bin"), &glb[28 + length..]).unwrap();
    fs::write(folder.join("clips/man.gltf"), document.to_string()).unwrap();
    let project = folder.join("work.sinew");
    fs::write(&project, "version = 1\n[[clips]]\nfile = \"clips/man.gltf\"\nclip = \"walk\"\n").unwrap();
    let line = refusal(["pose", text(&project), "-o", "-"]);
    assert!(
        line.ends_with("\"../data/clips.bin\" is outside of the model's folder; --allow-parent allows it"),
        "{line}"
    );
    stdout(["pose", text(&project), "--allow-parent", "-o", "-"]);
}

#[test]
fn suites_and_projects_of_windows_find_their_models() {
    let folder = folder("backslash-suite");
    fs::create_dir_all(folder.join("models")).unwrap();
    fs::copy(MANNEQUIN, folder.join("models/man.glb")).unwrap();
    let suite = folder.join("suite.toml");
    fs::write(
        &suite,
        "version = 1\n[[check]]\nname = \"man\"\nmodel = 'models\\man.glb'\nclip = [\"wave\"]\n",
    )
    .unwrap();
    let output = crate::sinew(["test", text(&suite)]);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.code() != Some(2) && !printed.contains("broken"), "{printed}");

    let project = folder.join("man.sinew");
    fs::write(&project, "version = 1\ncharacter = 'models\\man.glb'\n").unwrap();
    let pose = json(["pose", text(&project)]);
    assert!(pose["nodes"].as_array().is_some_and(|nodes| nodes.len() > 50));
}
