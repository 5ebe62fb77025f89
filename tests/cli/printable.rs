//! Terminal output has no control characters from files, no long lines and no misleading errors.

use std::fs;

use serde_json::json;

#[cfg(target_os = "linux")]
use crate::command;
use crate::{folder, json, refusal, sinew};

/// Returns the lines of both output streams. Asserts that each line is short and contains no hidden characters.
fn lines<const N: usize>(arguments: [&str; N]) -> Vec<String> {
    let output = sinew(arguments);
    let text = String::from_utf8([output.stderr, output.stdout].concat()).unwrap();
    let hidden = |c: char| c != '\n' && (c.is_control() || matches!(c, '\u{202E}' | '\u{2028}' | '\u{FEFF}'));
    assert!(!text.contains(hidden), "{arguments:?}: {text:?}");
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    assert!(lines.iter().all(|l| l.chars().count() <= 1000), "{arguments:?}: {lines:?}");
    lines
}

#[test]
fn names_in_a_file_cannot_control_the_terminal() {
    let path = folder("escapes").join("escapes.gltf");
    let evil = |name: &str| format!("{name}\u{1b}]0;title\u{7}\u{1b}[2J\r\nerror: fake\u{202e}\u{9b}31m");
    let file = json!({
        "asset": {"version": "2.0", "generator": evil("generator")},
        "scenes": [{"nodes": [0], "name": evil("scene")}],
        "nodes": [
            {"name": evil("top"), "children": [1]},
            {"name": evil("middle"), "children": [2], "translation": [0, 1, 0]},
            {"name": evil("end"), "translation": [0, 1, 0], "mesh": 0, "skin": 0},
        ],
        "meshes": [{"name": evil("mesh"), "primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"componentType": 5126, "type": "VEC3", "count": 3}],
        "skins": [{"name": evil("skin"), "joints": [0, 1, 2]}],
        "animations": [{"name": evil("clip"), "channels": [], "samplers": []}],
        "extensionsUsed": [evil("EXT_")],
    });
    fs::write(&path, file.to_string()).unwrap();
    let path = path.to_str().unwrap();
    let shown = "\\u{1b}]0;title\\u{7}\\u{1b}[2J\\r\\nerror: fake\\u{202e}\\u{9b}31m";
    let inspected = lines(["inspect", path]).join("\n");
    for name in ["generator", "mesh", "skin", "clip", "EXT_"] {
        assert!(inspected.contains(&format!("{name}{shown}")), "{name}: {inspected}");
    }
    // JSON has its own escapes, so the parsed names are unchanged.
    assert_eq!(json(["inspect", path, "--json"])["animations"][0]["name"], evil("clip"));
    let end = evil("end");
    for arguments in [
        ["pose", path, "--reach", "nobody=0,0,0"],
        ["pose", path, "--animation", "none"],
        ["pose", path, "--scene", "none"],
        ["pose", path, "--pole", &format!("{end}=0,0,0")],
        ["pose", path, "--reach", &format!("{end}=1")],
        ["pose", &end, "--scene", "0"],
        ["pose", path, "-o", &end],
    ] {
        let lines = lines(arguments);
        let errors: Vec<_> = lines.iter().filter(|l| l.starts_with("error: ")).collect();
        assert!(errors.len() == 1 && !errors[0].starts_with("error: fake"), "{arguments:?}: {lines:?}");
    }
}

#[test]
fn names_of_cases_cannot_control_the_terminal() {
    let path = folder("escapes-suite").join("suite.toml");
    let case = "name = \"x\\u001b]0;title\\u0007\\r\\npassed  fake\"\ncompare = [\"joints\"]";
    fs::write(&path, format!("version = 1\n[[case]]\n{case}\n")).unwrap();
    let path = path.to_str().unwrap();
    let shown = "x\\u{1b}]0;title\\u{7}\\r\\npassed  fake";
    assert_eq!(lines(["test", path, "--list"]), [shown]);
    let mut ran = lines(["test", path]);
    // No case moves a joint.
    ran.retain(|line| !line.starts_with("warning: the built-in mannequin: no case moves "));
    assert!(ran[0].starts_with(&format!("missing {shown}")) && ran.len() == 3, "{ran:?}");
}

#[test]
fn a_long_error_is_shortened_and_keeps_its_path() {
    let path = folder("long").join("long.gltf");
    fs::write(
        &path,
        format!("{{\"asset\":{{\"version\":\"2.0\"}},\"buffers\":\"{}\"}}", "A".repeat(1 << 20)),
    )
    .unwrap();
    let path = path.to_str().unwrap();
    let line = refusal(["inspect", path]);
    assert!(line.starts_with(&format!("{path}: JSON: ")) && line.contains(" characters left out"), "{line}");
    assert!(line.chars().count() <= 1000 && line.contains("column"), "{line}");
    let long = "a".repeat(100_000);
    assert!(refusal(["pose", "--animation", &long]).chars().count() <= 1000);
    assert!(refusal(["pose", "--reach", &long]).chars().count() <= 1000);
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_without_a_runtime_folder_sees_no_errors() {
    for folder in [None, Some(""), Some("relative")] {
        let mut render = command(["render", "--resolution", "16,16", "-o", "-"]);
        render.env_remove("XDG_RUNTIME_DIR").env_remove("NODEVICE_SELECT").env_remove("DRI_PRIME");
        render.env_remove("MESA_VK_DEVICE_SELECT").env_remove("MESA_VK_DEVICE_SELECT_FORCE_DEFAULT_DEVICE");
        render.envs(folder.map(|folder| ("XDG_RUNTIME_DIR", folder)));
        let output = render.output().unwrap();
        assert!(output.status.success() && output.stdout.starts_with(b"\x89PNG"), "{folder:?}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{folder:?}");
    }
    // The restarted program receives the arguments and returns its exit code.
    let mut refused = command(["pose", "--animation", "a b\u{e9}"]);
    let output = refused.env_remove("XDG_RUNTIME_DIR").output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && error.contains("\"a b\u{e9}\" does not exist"), "{error}");
}
