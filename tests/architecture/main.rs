//! Checks the structure that `ARCHITECTURE.md` describes, and rules that cargo cannot enforce inside a crate.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod circles;
mod crates;
mod method_pages;
mod paths;
mod snippets;
mod source;
mod words;

#[test]
fn no_files_use_each_other_in_a_circle() {
    let circles = circles::circles(&source::files());
    assert!(circles.is_empty(), "{}", circles.iter().map(|c| c.join(", ")).collect::<Vec<_>>().join("\n"));
}

/// The modules of these crates are layers. Each could be a crate too.
#[test]
fn the_modules_of_base_and_character_do_not_use_each_other_in_a_circle() {
    let mut files = source::files();
    files.retain(|f| f.name.starts_with("base/") || f.name.starts_with("character/"));
    let circles = circles::circles_of_modules(&files);
    assert!(circles.is_empty(), "{}", circles.iter().map(|c| c.join(", ")).collect::<Vec<_>>().join("\n"));
}

#[test]
fn texts_avoid_unclear_words() {
    let found = words::occurrences();
    assert!(found.is_empty(), "use plainer words:\n{}", found.join("\n"));
}

#[test]
fn only_the_gltf_loader_names_the_gltf_crate() {
    let files = source::files();
    let (loader, others): (Vec<_>, Vec<_>) =
        files.iter().partition(|f| f.name.starts_with("character/asset/gltf/"));
    let uses_gltf = |f: &&&source::SourceFile| f.crates().contains("gltf");
    assert!(
        loader.iter().any(|f| uses_gltf(&f)),
        "the loader does not use the gltf crate; update the path in this test"
    );
    let outside: Vec<&str> = others.iter().filter(uses_gltf).map(|f| f.name.as_str()).collect();
    assert!(outside.is_empty(), "these files use the gltf crate outside of its loader: {outside:?}");
}

/// `serde_json` writes `null` for a number that is not finite, so only the module `text::json` may write JSON with it.
#[test]
fn only_the_json_module_writes_json() {
    let files = source::files();
    // Unit tests are at the end of a file. Examples in comments are written for users.
    let code = |f: &source::SourceFile| f.text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
    let is_comment = |line: &str| line.trim_start().starts_with("//");
    let writes = |f: &source::SourceFile| {
        code(f).lines().any(|line| !is_comment(line) && line.contains("serde_json::to_"))
    };
    let (json, others): (Vec<_>, Vec<_>) = files.iter().partition(|f| f.name.starts_with("base/text/json/"));
    assert!(
        json.iter().any(|f| writes(f)),
        "the module `text::json` does not write JSON; update the path in this test"
    );
    let outside = others.iter().filter(|f| !f.is_test() && writes(f));
    let outside: Vec<&str> = outside.map(|f| f.name.as_str()).collect();
    assert!(outside.is_empty(), "these files write JSON without the module `text::json`: {outside:?}");
}
