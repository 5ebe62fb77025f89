//! The files and fragments of files that the pages show.

use toml_edit::DocumentMut;

use crate::page::{Block, pages};
use crate::{assert_none, fixtures, root, sinew};

/// The languages of blocks. `text` is for formulas, output and diagrams. `bindings/check.sh` runs the `python` and `c` blocks.
const LANGUAGES: [&str; 13] =
    ["sh", "toml", "json", "csv", "xml", "yaml", "rust", "python", "c", "html", "js", "mermaid", "text"];

#[test]
fn shown_files_are_read_by_the_program() {
    let pages = pages();
    let folder = fixtures::create("files", &pages);
    let mut problems = Vec::new();
    let mut count = 0;
    for page in &pages {
        for block in page.blocks().iter().filter(|block| block.file.is_some()) {
            let Some(arguments) = fixtures::reader(block) else {
                problems.push(format!("{}:{}: nothing reads this file", page.name, block.line));
                continue;
            };
            let output = sinew(&folder).args(&arguments).output().unwrap();
            if !output.status.success() {
                let cause = String::from_utf8_lossy(&output.stderr);
                problems.push(format!("{}:{}: {}", page.name, block.line, cause.trim()));
            }
            count += 1;
        }
    }
    assert_none("these files cannot be read", &problems);
    assert!(count >= 6, "only {count} files are shown");
}

#[test]
fn fragments_of_files_are_valid() {
    let check = |block: &Block| match block.language.as_str() {
        "toml" => block.text.parse::<DocumentMut>().map(drop).map_err(|e| e.to_string()),
        "json" => block.text.lines().try_for_each(|line| {
            serde_json::from_str::<serde_json::Value>(line).map(drop).map_err(|e| e.to_string())
        }),
        language if LANGUAGES.contains(&language.split(',').next().unwrap_or_default()) => Ok(()),
        language => Err(format!("\"{language}\" is not one of the languages of blocks: {LANGUAGES:?}")),
    };
    let mut problems = Vec::new();
    for page in pages().iter().filter(|page| !page.is_exercise()) {
        for block in page.blocks() {
            if let Err(cause) = check(&block) {
                problems.push(format!("{}:{}: {cause}", page.name, block.line));
            }
        }
    }
    assert_none("these blocks are wrong", &problems);
}

/// Rust in a page is compiled as a doctest (see the end of `src/lib.rs`).
#[test]
fn pages_with_rust_are_doctests() {
    let library = std::fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let is_rust = |block: &Block| block.language.starts_with("rust");
    let pages = pages().into_iter().filter(|page| !page.is_exercise());
    let missing = pages.filter(|page| page.blocks().iter().any(is_rust));
    let missing = missing.filter(|page| !library.contains(&format!("include_str!(\"../{}\")", page.name)));
    let missing: Vec<String> = missing.map(|page| page.name).collect();
    assert_none("src/lib.rs does not include these pages", &missing);
}
