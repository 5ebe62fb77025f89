//! `--camera`: cameras of glTF files.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::{folder, refusal, sinew, stdout};
use sinew_testkit::Builder;

/// Writes a triangle, and two cameras that look at it from the front and from behind.
fn file(folder: &Path) -> String {
    let mut b = Builder::default();
    b.floats("VEC3", 3, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let half_turn = [0.0, 1.0, 0.0, 0.0];
    let bytes = b.file(json!({
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "cameras": [
            {"name": "front", "type": "perspective", "perspective": {"yfov": 0.8, "znear": 0.1}},
            {"type": "orthographic", "orthographic": {"xmag": 1, "ymag": 1, "znear": 0.1, "zfar": 10}},
        ],
        "nodes": [
            {"name": "part", "mesh": 0},
            {"name": "back", "camera": 1, "translation": [0.5, 0.5, -4], "rotation": half_turn},
            {"name": "dolly", "camera": 0, "translation": [0.5, 0.5, 4]},
        ],
        "scenes": [{"nodes": [0, 1, 2]}],
    }));
    let path = folder.join("cameras.gltf");
    fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn images_are_seen_by_the_camera_of_a_name_or_an_index() {
    let folder = folder("camera");
    let model = file(&folder);
    let render = |camera: &[&str]| {
        let out = folder.join("out.png").to_str().unwrap().to_owned();
        let arguments =
            ["render", &model, "--resolution", "64,64", "--mode", "mask", "--samples", "1", "-o", &out];
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_sinew"))
            .args(arguments)
            .args(["--adapter", "cpu"])
            .args(camera)
            .output()
            .unwrap();
        assert!(output.status.success(), "{camera:?}: {}", String::from_utf8_lossy(&output.stderr));
        fs::read(&out).unwrap()
    };
    let front = render(&["--camera", "front"]);
    assert_eq!(front, render(&["--camera", "dolly"]));
    assert_eq!(front, render(&["--camera", "0"]));
    let same = [
        "--camera-position",
        "0.5,0.5,4",
        "--camera-focal-point",
        "0.5,0.5,0",
        "--camera-view-angle",
        "45.8366",
    ];
    assert_eq!(front, render(&same));
    let back = render(&["--camera", "back"]);
    assert_eq!(back, render(&["--camera", "1"]));
    assert_ne!(front, back);
    assert_ne!(front, render(&["--camera", "front", "--camera-view-angle", "20"]));
}

#[test]
fn unknown_cameras_are_refused_with_those_of_the_file() {
    let folder = folder("camera-unknown");
    let model = file(&folder);
    let out = folder.join("out.png").to_str().unwrap().to_owned();
    let refused = refusal(["render", &model, "-o", &out, "--camera", "fronts"]);
    assert_eq!(refused, "camera \"fronts\" does not exist; did you mean \"front\"?");
    let refused = refusal(["render", &model, "-o", &out, "--camera", "2"]);
    assert_eq!(refused, "camera 2 does not exist; the file has 2, counted from 0");
    let refused = refusal(["render", "-o", &out, "--camera", "top"]);
    assert_eq!(refused, "camera \"top\" does not exist; the file has no cameras with names");
}

#[test]
fn suites_name_cameras() {
    let folder = folder("camera-suite");
    file(&folder);
    let suite = folder.join("suite.toml");
    let text = "version = 1\n[defaults]\nmodel = \"cameras.gltf\"\nresolution = [32, 32]\n[[matrix]]\nname = \"by\"\ncamera = [\"front\", \"1\"]\n";
    fs::write(&suite, text).unwrap();
    let path = suite.to_str().unwrap();
    stdout(["test", path, "--update"]);
    assert_eq!(stdout(["test", path, "--list"]), "by front\nby 1\n");
    fs::write(&suite, text.replace("\"front\"", "\"left\"")).unwrap();
    let output = sinew(["test", path]);
    let lines = String::from_utf8(output.stdout).unwrap();
    assert!(lines.contains("camera \"left\" does not exist; nearest: "), "{lines}");
}
