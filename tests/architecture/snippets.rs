//! Tests of the checks themselves, with small pieces of source text.

use std::collections::BTreeSet;

use crate::circles;
use crate::paths::paths;
use crate::source::{self, SourceFile};
use crate::table::{self, Row, Uses};
use crate::words;

fn file(name: &str, text: &str) -> SourceFile {
    SourceFile { name: name.to_owned(), text: text.to_owned() }
}

/// Returns the modules that a file of `body` uses.
fn targets(text: &str) -> Vec<String> {
    file("body/tree/moves.rs", text).targets().into_iter().collect()
}

fn crates(name: &str, text: &str) -> Vec<String> {
    file(name, text).crates().into_iter().collect()
}

#[test]
fn nested_imports_over_several_lines_are_found() {
    let text = "use crate::{\n    asset::{mesh::Mesh, skeleton::{self, Joint}},\n    // crate::viewer\n    pose as p,\n    rig::*,\n};";
    assert_eq!(targets(text), ["asset", "pose", "rig"]);
    let found: Vec<String> = paths(text).iter().map(|f| f.path.join("::")).collect();
    let expected = ["asset::mesh::Mesh", "asset::skeleton::self", "asset::skeleton::Joint", "pose", "rig::*"];
    assert_eq!(found, expected.map(|p| format!("crate::{p}")));
}

#[test]
fn paths_in_expressions_types_and_macros_are_found() {
    assert_eq!(
        targets("fn f() -> crate::pose::Pose { crate::rig::read(0..crate::view::N) }"),
        ["pose", "rig", "view"]
    );
    assert_eq!(targets("let v = <crate::asset::Clip as Default>::default();"), ["asset"]);
    assert_eq!(
        targets("let v = Vec::<crate::skin::Palette>::new(); crate::text::refuse!(v);"),
        ["skin", "text"]
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
    for text in hidden {
        assert_eq!(targets(&format!("{text}\nuse crate::pose::Pose;")), ["pose"], "{text}");
    }
    assert_eq!(targets("fn f<'a>(x: &'a str, c: char) { c == 'a' && crate::pose::is(x) }"), ["pose"]);
    assert_eq!(targets("let url = \"https://example.org\"; crate::pose::is(url);"), ["pose"]);
}

#[test]
fn paths_to_crates_below_src_are_found() {
    let of = |name, text| file(name, text).targets().into_iter().collect::<Vec<_>>();
    assert_eq!(of("ik/tree/mod.rs", "use crate::Body; use sinew_base::api::ParseError;"), ["base", "ik"]);
    assert_eq!(of("rig/hand.rs", "use crate::mathematics::best_fit; use sinew_base::Random;"), ["base"]);
    assert_eq!(of("rig/hand.rs", "use crate::ik::Body; use crate::api::with_methods;"), ["base", "ik"]);
}

#[test]
fn super_paths_are_resolved() {
    assert_eq!(targets("use super::Tree; use super::super::Body;"), ["body"]);
    assert_eq!(targets("use super::super::super::{pose::Pose, rig};"), ["pose", "rig"]);
    assert_eq!(targets("mod tests { use super::super::super::Body; }"), ["body"]);
    assert_eq!(targets("mod tests { use super::*; } use super::super::super::pose::Pose;"), ["body", "pose"]);
    let of = |name, text| file(name, text).targets().into_iter().collect::<Vec<_>>();
    assert_eq!(of("pose/mod.rs", "use super::asset::Clip;"), ["asset"]);
    assert_eq!(of("puppet.rs", "use super::asset::Clip;"), ["asset"]);
    // An import that could lead to any module is reported as `*` or `crate`, which no row of the table allows.
    assert_eq!(of("pose/mod.rs", "use crate::*;"), ["*"]);
    assert_eq!(of("pose/mod.rs", "use crate as root;"), ["crate"]);
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

const PAGE: &str = "
| module | what it contains | may use |
|---|---|---|
| `low` | numbers | nothing |
| `middle` | a \"thing\" | `low` |
| `high` | the rest | all above |

| another | table |
";

/// Returns the rules of the table that the given files violate.
fn violations(files: &[(&str, &str)]) -> Vec<String> {
    let files: Vec<SourceFile> = files.iter().map(|(name, text)| file(name, text)).collect();
    table::violations(&table::rows(PAGE), &source::modules(&files), &source::used(&files))
}

#[test]
fn the_table_is_read_from_a_page() {
    let only = |names: &[&str]| Uses::Only(names.iter().map(|n| (*n).to_owned()).collect::<BTreeSet<_>>());
    let row = |module: &str, uses| Row { module: module.to_owned(), uses };
    let expected = [row("low", only(&[])), row("middle", only(&["low"])), row("high", Uses::AllAbove)];
    assert_eq!(table::rows(PAGE), expected);
}

#[test]
fn differences_between_the_table_and_the_source_are_found() {
    let (low, middle, high) =
        (("low.rs", ""), ("middle/mod.rs", "use crate::low;"), ("high/a.rs", "use crate::{low, middle};"));
    assert_eq!(violations(&[low, middle, high]), [""; 0]);
    // A module depends on one below it in the table, and the dependency also forms a cycle.
    let up = violations(&[("low.rs", "crate::middle::f();"), middle, high]);
    assert_eq!(up, ["low.rs: `low` must not use `middle`"]);
    let up = violations(&[low, ("middle/deep/x.rs", "use crate::{low, high};"), high]);
    assert_eq!(up, ["middle/deep/x.rs: `middle` must not use `high`"]);
    assert_eq!(
        violations(&[low, middle, ("high.rs", "use crate::*;")]),
        ["high.rs: `high` must not use `*`"]
    );
    // The table has an unused entry, a row without a module, or no row for a module.
    assert_eq!(
        violations(&[low, ("middle.rs", ""), high]),
        ["the row of `middle` allows `low`, which it does not use"]
    );
    assert_eq!(violations(&[low, middle]), ["the table has a row for `high`, which is not a module"]);
    assert_eq!(violations(&[low, middle, high, ("new.rs", "")]), ["the table has no row for `new`"]);
}

#[test]
fn rows_in_the_wrong_order_are_found() {
    let page =
        "| module | | may use |\n|---|---|---|\n| `a` | | `b` |\n| `b` | | nothing |\n| `b` | | nothing |\n";
    let files = [file("a.rs", "use crate::b;"), file("b.rs", "")];
    let violations = table::violations(&table::rows(page), &source::modules(&files), &source::used(&files));
    assert_eq!(
        violations,
        ["the row of `a` allows `b`, which is not in a row above it", "the table has two rows for `b`"]
    );
}

#[test]
fn circles_are_found_through_imports_and_reexports() {
    let files = |b: &str| {
        [
            file("a/mod.rs", "mod x;\nmod y;\npub use x::X;\npub use y::Y;"),
            file("a/x.rs", "use super::Y;\npub struct X;"),
            file("a/y.rs", b),
        ]
    };
    assert_eq!(circles::circles(&files("use crate::a::X;\npub struct Y;")), [["a::x", "a::y"]]);
    assert!(circles::circles(&files("pub struct Y;")).is_empty());
    // A file may use the module that contains it.
    let parent = [
        file("a/mod.rs", "mod x;\nuse x::X;\npub struct A;"),
        file("a/x.rs", "use super::A;\npub struct X;"),
    ];
    assert!(circles::circles(&parent).is_empty());
}

#[test]
fn phrases_are_found_as_whole_words_and_across_lines() {
    assert_eq!(words::phrases("It shall be\n// so\n// long"), [(1, "shall"), (2, "so long")]);
    assert_eq!(words::phrases("fn what_it_told()"), [(1, "told")]);
    assert!(words::phrases("marshalling, retold, so-long, value.is_none(), if there is none").is_empty());
    assert_eq!(words::phrases("a number that is none"), [(1, "is none")]);
}
