//! Compares the picture and the table of crates in `ARCHITECTURE.md` with `cargo metadata` and the source.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The published crates, each with the crates of the workspace that it uses. Development and build dependencies do not count.
fn crates() -> BTreeMap<String, BTreeSet<String>> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let output = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let name = |value: &Value| value["name"].as_str().unwrap().to_owned();
    let packages = metadata["packages"].as_array().unwrap();
    let published = packages.iter().filter(|package| package["publish"].is_null());
    let names: BTreeSet<String> = published.clone().map(name).collect();
    let uses = |package: &Value| {
        let all = package["dependencies"].as_array().unwrap().iter().filter(|d| d["kind"].is_null());
        all.map(name).filter(|n| names.contains(n)).collect()
    };
    published.map(|package| (name(package), uses(package))).collect()
}

/// Returns whether a crate uses another one through a third.
fn is_indirect(crates: &BTreeMap<String, BTreeSet<String>>, from: &str, to: &str) -> bool {
    let reaches = |via: &String| via != to && (crates[via].contains(to) || is_indirect(crates, via, to));
    crates[from].iter().any(reaches)
}

/// Draws the crates as a Mermaid diagram that omits dependencies which also exist through another crate.
fn picture(crates: &BTreeMap<String, BTreeSet<String>>) -> String {
    let mut lines = vec!["flowchart LR".to_owned()];
    for (name, uses) in crates {
        for used in uses.iter().filter(|used| !is_indirect(crates, name, used)) {
            lines.push(format!("    {used} --> {name}"));
        }
    }
    lines.join("\n") + "\n"
}

#[test]
fn the_picture_of_the_crates_is_up_to_date() {
    let page = include_str!("../../ARCHITECTURE.md");
    let drawn = page.split_once("```mermaid\n").and_then(|(_, rest)| rest.split_once("```")).map(|(p, _)| p);
    let expected = picture(&crates());
    assert_eq!(drawn, Some(&*expected), "replace the picture by:\n{expected}");
}

/// Each row of the table names a module at the root of a crate, and each such module has a row.
#[test]
fn every_module_has_a_row() {
    let page = include_str!("../../ARCHITECTURE.md");
    let rows = page.lines().skip_while(|l| *l != "| module | folder | contents |").skip(2);
    let rows = rows.map_while(|line| line.strip_prefix("| `")?.split('`').next()).map(str::to_owned);
    let named: BTreeSet<String> = rows.collect();
    let mut modules = folders_with_code();
    for root in [
        include_str!("../../src/base/lib.rs"),
        include_str!("../../src/character/lib.rs"),
        include_str!("../../src/render/lib.rs"),
    ] {
        let public = root.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
        modules.extend(public.map(str::to_owned));
    }
    let missing: Vec<_> = named.iter().filter(|name| !modules.contains(*name)).collect();
    assert!(missing.is_empty(), "the table has rows for {missing:?}, which are not modules");
    let missing: Vec<_> = modules.difference(&named).collect();
    assert!(missing.is_empty(), "the table has no rows for {missing:?}");
}

/// Returns the folders of `src` that contain a crate or a module.
fn folders_with_code() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let all = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let with_code = all.filter(|path| path.join("mod.rs").is_file() || path.join("lib.rs").is_file());
    with_code.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
}
