//! Tests of the checks themselves, with small pieces of source text.

use crate::circles;
use crate::paths::paths;
use crate::source::SourceFile;
use crate::words;

/// A file of a crate in a folder of `src`.
fn file(name: &str, text: &str) -> SourceFile {
    SourceFile { name: name.to_owned(), text: text.to_owned(), has_crate: true }
}

/// Returns the absolute paths in a source text, as if it were a file of the module `body`.
fn targets(text: &str) -> Vec<String> {
    absolute("character/body/tree/moves.rs", text)
}

fn absolute(name: &str, text: &str) -> Vec<String> {
    let file = file(name, text);
    paths(text).iter().filter_map(|found| Some(file.absolute(found)?.join("::"))).collect()
}

fn crates(name: &str, text: &str) -> Vec<String> {
    file(name, text).crates().into_iter().collect()
}

#[test]
fn nested_imports_over_several_lines_are_found() {
    let text = "use crate::{\n    asset::{mesh::Mesh, skeleton::{self, Joint}},\n    // crate::viewer\n    pose as p,\n    rig::*,\n};";
    let found: Vec<String> = paths(text).iter().map(|f| f.path.join("::")).collect();
    let expected = ["asset::mesh::Mesh", "asset::skeleton::self", "asset::skeleton::Joint", "pose", "rig::*"];
    assert_eq!(found, expected.map(|p| format!("crate::{p}")));
}

#[test]
fn paths_in_expressions_types_and_macros_are_found() {
    assert_eq!(
        targets("fn f() -> crate::pose::Pose { crate::rig::read(0..crate::view::N) }"),
        ["character::pose::Pose", "character::rig::read", "character::view::N"]
    );
    assert_eq!(targets("let v = <crate::asset::Clip as Default>::default();"), ["character::asset::Clip"]);
    assert_eq!(
        targets("let v = Vec::<crate::skin::Palette>::new(); crate::text::refuse!(v);"),
        ["character::skin::Palette", "character::text::refuse"]
    );
    assert_eq!(targets("pub(crate) fn f(v: Vec<f64>) { v.iter().collect::<Vec<_>>() }"), [""; 0]);
}

#[test]
fn comments_strings_and_characters_are_ignored() {
    let hidden = [
        "// crate::viewer",
        "/* crate::viewer /* crate::cli */ crate::scene */",
        "let s = \"a \\\" crate::viewer // \";",
        "let s = r#\"a \" crate::viewer\"#;",
        "let s = br\"crate::viewer\\\";",
        "let c = ['\"', '\\'', '\"'];",
    ];
    let pose = ["character::pose::Pose"];
    for text in hidden {
        assert_eq!(targets(&format!("{text}\nuse crate::pose::Pose;")), pose, "{text}");
    }
    let is = ["character::pose::is"];
    assert_eq!(targets("fn f<'a>(x: &'a str, c: char) { c == 'a' && crate::pose::is(x) }"), is);
    assert_eq!(targets("let url = \"https://example.org\"; crate::pose::is(url);"), is);
}

#[test]
fn super_paths_are_resolved() {
    let of_body = ["character::body::tree::Tree", "character::body::Body"];
    assert_eq!(targets("use super::Tree; use super::super::Body;"), of_body);
    let outside = ["character::pose::Pose", "character::rig"];
    assert_eq!(targets("use super::super::super::{pose::Pose, rig};"), outside);
    assert_eq!(targets("mod tests { use super::super::super::Body; }"), ["character::body::Body"]);
    assert_eq!(absolute("character/pose/mod.rs", "use super::asset::Clip;"), ["character::asset::Clip"]);
    // Paths to other crates have no absolute path.
    assert_eq!(targets("use sinew_base::Random;"), [""; 0]);
    let of_program = SourceFile { has_crate: false, ..file("cli/view.rs", "use crate::text;") };
    let found = paths(&of_program.text);
    assert_eq!(of_program.absolute(&found[0]), Some(vec!["text".to_owned()]));
}

#[test]
fn every_way_to_name_the_gltf_crate_is_found() {
    for text in [
        "use gltf::Gltf;",
        "use gltf;",
        "use gltf as reader;",
        "use {std::fs, gltf::json};",
        "extern crate gltf;",
        "fn f() -> ::gltf::Document {}",
        "let n = gltf::json::Value::Null;",
        "let n: Option<gltf::json::Value> = <gltf::Node>::default();",
        "use crate::asset::gltf; fn f(n: ::gltf::Node) {}",
    ] {
        assert!(crates("asset/load.rs", text).contains(&"gltf".to_owned()), "{text}");
    }
    for text in [
        "use crate::asset::gltf::load;",
        "use super::gltf; fn f() { gltf::load(); }",
        "mod gltf; pub use gltf::load;",
        "use super::{gltf::{self, load}, mesh}; fn f() { gltf::load(); }",
        "// gltf::Gltf\nlet name = \"gltf::Gltf\";",
        "fn f(a: super::gltf::Part) { a.gltf(); }",
        "asset::gltf::load();",
    ] {
        assert!(!crates("asset/load.rs", text).contains(&"gltf".to_owned()), "{text}");
    }
}

#[test]
fn crates_are_distinguished_from_types_modules_and_tools() {
    let text = "use glam::{DQuat, DVec3};\n#[expect(clippy::float_cmp)]\nfn f() -> f64 { f64::MAX + own::g() + Body::new() }\nmod own;";
    assert_eq!(crates("ik/body.rs", text), ["glam"]);
    assert_eq!(
        crates("ik/body.rs", "#[derive(thiserror::Error)] struct E; mod tests { use proptest::prelude::*; }"),
        ["thiserror"]
    );
}

#[test]
fn circles_are_found_through_imports_and_reexports() {
    let files = |b: &str| {
        [
            file("k/a/mod.rs", "mod x;\nmod y;\npub use x::X;\npub use y::Y;"),
            file("k/a/x.rs", "use super::Y;\npub struct X;"),
            file("k/a/y.rs", b),
        ]
    };
    assert_eq!(circles::circles(&files("use crate::a::X;\npub struct Y;")), [["k::a::x", "k::a::y"]]);
    assert!(circles::circles(&files("pub struct Y;")).is_empty());
    // A file may use the module that contains it.
    let parent = [
        file("k/a/mod.rs", "mod x;\nuse x::X;\npub struct A;"),
        file("k/a/x.rs", "use super::A;\npub struct X;"),
    ];
    assert!(circles::circles(&parent).is_empty());
}

#[test]
fn circles_of_modules_are_found_between_files_without_a_circle() {
    let files = |d: &str| {
        [
            file("k/a/x.rs", "use crate::b::z::Z;\npub struct X;"),
            file("k/a/y.rs", "pub struct Y;"),
            file("k/b/z.rs", "pub struct Z;"),
            file("k/b/d.rs", d),
        ]
    };
    let circle = files("use crate::a::y::Y;");
    assert!(circles::circles(&circle).is_empty());
    assert_eq!(circles::circles_of_modules(&circle), [["k::a", "k::b"]]);
    assert!(circles::circles_of_modules(&files("")).is_empty());
}

#[test]
fn phrases_are_found_as_whole_words_and_across_lines() {
    assert_eq!(words::phrases("It shall be\n// so\n// long"), [(1, "shall"), (2, "so long")]);
    assert_eq!(words::phrases("fn what_it_told()"), [(1, "told")]);
    assert!(words::phrases("marshalling, retold, so-long, value.is_none(), if there is none").is_empty());
    assert_eq!(words::phrases("a number that is none"), [(1, "is none")]);
}
