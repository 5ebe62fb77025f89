//! Data flows one way: a room uses only what its row in ARCHITECTURE.md names.

use std::fs;
use std::path::{Path, PathBuf};

/// Room, and the rooms that it may use.
const ROOMS: [(&str, &[&str]); 21] = [
    ("mathematics", &[]),
    ("ik", &["mathematics"]),
    ("asset", &[]),
    ("pose", &["asset"]),
    ("motion", &["mathematics", "asset", "pose"]),
    ("toml", &[]),
    ("rig", &["asset", "pose", "ik", "toml"]),
    ("skin", &["asset", "pose"]),
    ("camera", &[]),
    ("puppet", &["asset", "pose", "motion", "ik", "rig", "skin", "camera"]),
    ("bake", &["asset", "pose", "motion", "rig", "puppet"]),
    ("score", &["asset", "motion", "rig", "puppet", "toml"]),
    ("posed", &["asset", "pose", "skin", "puppet"]),
    ("picking", &["asset", "rig", "skin", "camera", "puppet"]),
    ("render", &["asset", "camera"]),
    ("stage", &["asset", "pose", "motion", "ik", "rig", "skin", "camera", "puppet", "render"]),
    ("compare", &["pose", "ik", "camera", "puppet", "render", "stage"]),
    ("atomic", &[]),
    ("regress", &["asset", "puppet", "render", "atomic", "toml"]),
    (
        "viewer",
        &[
            "asset", "pose", "motion", "ik", "rig", "skin", "camera", "puppet", "posed", "picking", "render",
            "stage", "compare", "atomic", "bake",
        ],
    ),
    (
        "cli",
        &[
            "asset", "pose", "motion", "ik", "rig", "skin", "camera", "puppet", "posed", "render", "stage",
            "atomic", "bake", "score", "compare", "regress", "viewer",
        ],
    ),
];

fn sources() -> Vec<(String, PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut found, mut folders) = (Vec::new(), vec![root.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let inside = path.strip_prefix(&root).unwrap().to_path_buf();
                let first = inside.components().next().unwrap().as_os_str().to_str().unwrap();
                let room = first.trim_end_matches(".rs").to_owned();
                found.push((room, inside, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found
}

/// The code of a file, without comments.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| line.split("//").next().unwrap_or_default())
}

/// The rooms that come after `crate::` in a line, also those in braces.
fn used(line: &str) -> Vec<String> {
    let name =
        |text: &str| -> String { text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    let after = line.split("crate::").skip(1);
    after
        .flat_map(|rest| match rest.strip_prefix('{') {
            Some(list) => list.split(',').map(|part| name(part.trim())).collect::<Vec<_>>(),
            None => vec![name(rest)],
        })
        .collect()
}

#[test]
fn rooms_use_only_what_is_below_them() {
    let sources = sources();
    for (room, path, text) in &sources {
        if matches!(room.as_str(), "lib" | "main") {
            continue;
        }
        let (_, allowed) = ROOMS
            .iter()
            .find(|(name, _)| name == room)
            .unwrap_or_else(|| panic!("{}: no row for this room", path.display()));
        for other in code(text).flat_map(used) {
            let fine = other == *room || allowed.contains(&other.as_str());
            assert!(fine, "{}: {room} must not use {other}", path.display());
        }
    }
    for (room, _) in ROOMS {
        assert!(sources.iter().any(|(name, ..)| name == room), "the row of {room} has no room");
    }
}

#[test]
fn only_the_loader_names_the_gltf_crate() {
    for (_, path, text) in sources() {
        let inside = path.starts_with("asset/gltf");
        let names = code(&text)
            .any(|line| line.trim_start().starts_with("use gltf") || line.contains("::gltf::json"));
        assert!(inside || !names, "{}", path.display());
    }
}

#[test]
fn solvers_need_no_crate_but_mathematics_and_words_for_their_options() {
    const KNOWN: [&str; 9] = ["std", "super", "self", "crate", "glam", "rayon", "serde", "thiserror", "wide"];
    for (_, path, text) in sources().into_iter().filter(|(room, ..)| room == "ik") {
        for line in code(&text).filter_map(|l| l.trim_start().trim_start_matches("pub ").strip_prefix("use "))
        {
            let root = line.split([':', ';', ' ']).next().unwrap();
            let own = text.contains(&format!("mod {root};"));
            assert!(KNOWN.contains(&root) || own, "{}: {line}", path.display());
        }
    }
}
