//! Data flows one way: each module uses only the modules that its row in `ARCHITECTURE.md` names.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod paths;
mod snippets;
mod source;
mod table;

/// The crates that solvers may use: `ik` is meant to be usable by a robot.
const SOLVER_CRATES: [&str; 6] = ["glam", "rayon", "serde", "std", "thiserror", "wide"];

#[test]
fn modules_use_only_what_the_table_allows() {
    let page = include_str!("../../ARCHITECTURE.md");
    let files = source::files();
    let faults = table::faults(&table::rows(page), &source::modules(&files), &source::used(&files));
    assert!(faults.is_empty(), "ARCHITECTURE.md:\n{}", faults.join("\n"));
}

#[test]
fn only_the_gltf_loader_names_the_gltf_crate() {
    let files = source::files();
    let (loader, others): (Vec<_>, Vec<_>) = files.iter().partition(|f| f.name.starts_with("asset/gltf/"));
    let named = |f: &&&source::File| f.crates().contains("gltf");
    assert!(loader.iter().any(|f| named(&f)), "the loader moved; this test must follow it");
    let outside: Vec<&str> = others.iter().filter(named).map(|f| f.name.as_str()).collect();
    assert!(outside.is_empty(), "{outside:?} use the gltf crate");
    for text in [include_str!("../../src/lib.rs"), include_str!("../../src/main.rs")] {
        let root = source::File { name: "lib.rs".to_owned(), text: text.to_owned() };
        assert!(!root.crates().contains("gltf"), "a root of the crate uses the gltf crate");
    }
}

/// `serde_json` writes `null` for a number that is not finite: only `json` may call it to write a document.
#[test]
fn only_the_json_module_writes_json() {
    let files = source::files();
    // Tests stand at a file's end.
    let code = |f: &source::File| f.text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
    let writes = |f: &source::File| code(f).contains("serde_json::to_");
    let (json, others): (Vec<_>, Vec<_>) = files.iter().partition(|f| f.name.starts_with("json/"));
    assert!(json.iter().any(|f| writes(f)), "the module moved; this test must follow it");
    let outside = others.iter().filter(|f| !f.is_test() && writes(f));
    let outside: Vec<&str> = outside.map(|f| f.name.as_str()).collect();
    assert!(outside.is_empty(), "{outside:?} write JSON past the json module");
}

#[test]
fn solvers_use_only_the_crates_that_they_are_known_to_need() {
    let files = source::files();
    let ik = files.iter().filter(|f| f.name.starts_with("ik/") && !f.is_test());
    let mut unused = std::collections::BTreeSet::from(SOLVER_CRATES);
    for file in ik {
        for name in file.crates() {
            assert!(SOLVER_CRATES.contains(&name.as_str()), "{}: the crate {name} is new to ik", file.name);
            unused.remove(name.as_str());
        }
    }
    assert!(unused.is_empty(), "ik does not use {unused:?}");
}
