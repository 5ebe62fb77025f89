//! Every picture of README.md and `docs/` is drawn by a script, and shown by a page.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::page::pages;
use crate::{assert_none, root};

/// The scripts that draw pictures. These scripts write the paths of their pictures relative to the root of the repository.
const SCRIPTS: [&str; 8] = [
    "scripts/pictures.sh",
    "scripts/viewer-pictures.sh",
    "scripts/solver-passes.sh",
    "scripts/exercise-pictures.sh",
    "scripts/report-page.sh",
    "scripts/difference-corpus.py",
    "scripts/web-picture.sh",
    "scripts/robot-picture.sh",
];
/// A script that writes `OUT/NAME.jpg`, which becomes `docs/looks-NAME.jpg`.
const LOOKS: &str = "benches/peers/looks.py";

#[test]
fn every_picture_is_drawn_by_a_script() {
    let existing = pictures(&root().join("docs"));
    let (mut drawn, mut stale) = (BTreeSet::new(), Vec::new());
    for script in SCRIPTS {
        for (word, paths) in paths(&fs::read_to_string(root().join(script)).unwrap()) {
            if !paths.iter().any(|path| existing.contains(path)) {
                stale.push(format!("{script}: {word}"));
            }
            drawn.extend(paths);
        }
    }
    let looks = fs::read_to_string(root().join(LOOKS)).unwrap();
    for (start, _) in looks.match_indices("OUT/") {
        let name: String =
            looks[start + 4..].chars().take_while(|c| c.is_alphanumeric() || *c == '.').collect();
        drawn.insert(format!("docs/looks-{name}"));
    }
    let unknown: Vec<String> = existing.difference(&drawn).cloned().collect();
    assert_none("no script draws these pictures", &unknown);
    assert_none("these pictures of scripts do not exist", &stale);
}

#[test]
fn every_picture_is_shown_on_a_page() {
    let mut shown = BTreeSet::new();
    for page in pages() {
        for link in page.links() {
            if let Ok(path) = page.folder().join(&link.text).canonicalize() {
                shown.insert(path);
            }
        }
    }
    let canonical = |name: &String| -> PathBuf { root().join(name).canonicalize().unwrap() };
    let pictures = pictures(&root().join("docs"));
    let unused: Vec<String> =
        pictures.iter().filter(|name| !shown.contains(&canonical(name))).cloned().collect();
    assert_none("no page shows these pictures", &unused);
}

/// Returns the pictures under a folder, with paths relative to the root of the repository.
fn pictures(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(pictures(&path));
        } else if path.extension().is_some_and(|e| e == "png" || e == "jpg") {
            found.insert(path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/"));
        }
    }
    found
}

/// Returns the words of a shell script that are paths of pictures under `docs/`, and for each word all paths that it can expand to. A
/// variable can have any value that an assignment or a loop of the script gives it.
fn paths(script: &str) -> Vec<(String, Vec<String>)> {
    let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in script.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        let looped = line.strip_prefix("for ").and_then(|rest| rest.split(';').next()?.split_once(" in "));
        let assigned = || line.split_once('=').filter(|(name, _)| name.chars().all(char::is_alphanumeric));
        if let Some((name, words)) = looped.or_else(assigned) {
            let words = words.trim_matches('"').split_whitespace().flat_map(|word| expand(word, &values));
            let words: Vec<String> = words.collect();
            values.entry(name.to_owned()).or_default().extend(words);
        }
    }
    let commands = script.lines().filter(|line| !line.trim().starts_with('#'));
    let words = commands.flat_map(|line| line.split([' ', '"', '\'', ';', '>']));
    let pictures = words.filter(|word| word.ends_with(".png"));
    let expanded = pictures.map(|word| (word.to_owned(), expand(word, &values)));
    expanded.filter(|(_, paths)| paths.iter().any(|path| path.starts_with("docs/"))).collect()
}

/// Returns a word with every combination of the values of its variables. A word with an unknown variable is left out.
fn expand(word: &str, values: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let Some((start, rest)) = word.split_once('$') else { return vec![word.to_owned()] };
    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    let known = values.get(name).into_iter().flatten();
    let started = known.map(|value| format!("{start}{value}"));
    let ends = expand(rest, values);
    started.flat_map(|start| ends.iter().map(move |end| format!("{start}{end}"))).collect()
}

#[test]
fn paths_of_a_script_are_expanded() {
    let script = "pages=docs/solvers\nmethods=\"a b\"\nfor method in $methods; do\n    draw \"$pages/$method.png\"\ndone\n\
                  # docs/comment.png\nsmall \"$work/x.png\" docs/y.png\ndraw docs/$1.png\n";
    let found: Vec<String> = paths(script).into_iter().flat_map(|(_, paths)| paths).collect();
    assert_eq!(found, ["docs/solvers/a.png", "docs/solvers/b.png", "docs/y.png"]);
}
