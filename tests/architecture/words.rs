//! Finds words that often occur in text that is hard to understand.

use std::fs;
use std::path::{Path, PathBuf};

/// Phrases that plain technical English does not need, in lower case. A phrase matches only whole words.
const PHRASES: [&str; 8] =
    ["anew", "is none", "shall", "so long", "told", "what came of", "whom", "will not do"];
/// The folders whose files are checked.
const FOLDERS: [&str; 12] = [
    "assets", "benches", "bindings", "docs", "examples", "fuzz", "scripts", "shaders", "src", "tests",
    "tools", ".github",
];
const PAGES: [&str; 5] = ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "Cargo.toml", "README.md"];
const EXTENSIONS: [&str; 7] = ["html", "md", "rs", "sh", "toml", "wgsl", "yml"];
/// Files that quote the phrases.
const EXEMPT: [&str; 2] = ["tests/architecture/words.rs", "tests/architecture/snippets.rs"];

/// Returns the places where a phrase occurs, as `FILE:LINE: PHRASE`.
pub(crate) fn occurrences() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<PathBuf> = PAGES.iter().map(|p| root.join(p)).collect();
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(|f| root.join(f)).filter(|f| f.is_dir()).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| EXTENSIONS.iter().any(|known| e == *known)) {
                files.push(path);
            }
        }
    }
    files.sort();
    let mut found = Vec::new();
    for file in files {
        let name = file.strip_prefix(root).unwrap().display().to_string();
        if !EXEMPT.contains(&&*name) {
            let text = fs::read_to_string(&file).unwrap();
            found.extend(phrases(&text).into_iter().map(|(line, phrase)| format!("{name}:{line}: {phrase}")));
        }
    }
    found
}

/// Returns the phrases in a text with the numbers of their lines. A phrase may be spread over two lines of a comment,
/// and a single word may be part of a name.
pub(crate) fn phrases(text: &str) -> Vec<(usize, &'static str)> {
    let mut words: Vec<(usize, String)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let separate = |c: char| !c.is_alphanumeric() && !"'-_`".contains(c);
        let line = line.to_lowercase();
        words.extend(line.split(separate).filter(|w| !w.is_empty()).map(|w| (index + 1, w.to_owned())));
    }
    let mut found = Vec::new();
    for phrase in PHRASES {
        let parts: Vec<&str> = phrase.split(' ').collect();
        let is_match =
            |word: &str, part: &str| word == part || parts.len() == 1 && word.split('_').any(|w| w == part);
        for (i, window) in words.windows(parts.len()).enumerate() {
            // "If there is none" is plain, unlike "a number that is none".
            let is_plain = phrase == "is none" && i > 0 && words[i - 1].1 == "there";
            if !is_plain && window.iter().zip(&parts).all(|((_, a), b)| is_match(a, b)) {
                found.push((window[0].0, phrase));
            }
        }
    }
    found
}
