//! Links between pages, and the table of contents of the manual.

use std::collections::BTreeSet;

use crate::page::{Page, pages};
use crate::{assert_none, root};

const SUMMARY: &str = "docs/SUMMARY.md";

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let pages = pages();
    let mut problems = Vec::new();
    for page in &pages {
        problems.extend(broken(page));
    }
    assert_none("these links are broken", &problems);
}

/// Returns the broken links of a page.
fn broken(page: &Page) -> Vec<String> {
    let anchors = page.anchors();
    let mut problems = Vec::new();
    for link in page.links().into_iter().filter(|link| !link.text.contains("://")) {
        let (path, anchor) = link.text.split_once('#').unwrap_or((&link.text, ""));
        let target = page.folder().join(path);
        let problem = if !path.is_empty() && !target.exists() {
            "the file does not exist"
        } else if anchor.is_empty() {
            continue;
        } else if path.is_empty() {
            if anchors.iter().any(|a| a == anchor) { continue } else { "the heading does not exist" }
        } else {
            let text = std::fs::read_to_string(&target).unwrap_or_default();
            let there = Page { name: page.name.clone(), text };
            if there.anchors().iter().any(|a| a == anchor) { continue } else { "the heading does not exist" }
        };
        problems.push(format!("{}:{}: {}: {problem}", page.name, link.line, link.text));
    }
    problems
}

#[test]
fn the_table_of_contents_has_every_page_once() {
    let pages = pages();
    let summary = pages.iter().find(|page| page.name == SUMMARY).expect("docs/SUMMARY.md is missing");
    let listed: Vec<String> = summary.links().into_iter().map(|link| format!("docs/{}", link.text)).collect();
    let expected =
        pages.iter().map(|page| page.name.clone()).filter(|n| n.starts_with("docs/") && n != SUMMARY);
    let expected: BTreeSet<String> = expected.collect();
    let set: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(set, expected);
    assert_eq!(listed.len(), set.len(), "a page is listed twice");
    assert!(root().join("docs/book.toml").exists());
}

#[test]
fn broken_links_are_found() {
    let page = |text: &str| Page { name: "docs/motion.md".to_owned(), text: text.to_owned() };
    let right =
        "# One thing\n[a](rig.md) [b](#one-thing) [c](../README.md) [d](https://example.org) `[e](f)`\n";
    assert_eq!(broken(&page(right)), [""; 0]);
    for wrong in ["[a](nothing.md)", "[a](#nothing)", "[a](rig.md#nothing)", "![a](nothing.png)"] {
        assert_eq!(broken(&page(wrong)).len(), 1, "{wrong}");
    }
}
