//! Compares the tables of `docs/support.md` with those of the loader.

use std::fmt::Debug;

use sinew::asset::support::{EXTENSIONS, Extension, FORMATS, FileFormat, Support};

use crate::root;

fn extension_row(row: &Extension) -> String {
    let word = |value: &dyn Debug| format!("{value:?}").to_lowercase();
    let kept = match (row.support, row.is_kept()) {
        (Support::Refused, _) => "",
        (_, true) => "kept",
        (_, false) => "removed",
    };
    let (concern, support) = (word(&row.concern), word(&row.support));
    format!("| `{}` | {concern} | {support} | {kept} | {} |", row.name, row.note)
}

fn format_row(f: &FileFormat) -> String {
    format!("| **{}** | {} | {} | {} |", f.name, f.suffixes, f.read, f.written)
}

/// Replaces the rows of the table whose rows all start with `start`.
fn with_rows(page: &str, start: &str, rows: &[String]) -> String {
    let is_row = |line: &&str| line.starts_with(start);
    let head = page.lines().take_while(|l| !is_row(l)).map(str::to_owned);
    let tail = page.lines().skip_while(|l| !is_row(l)).skip_while(is_row).map(str::to_owned);
    head.chain(rows.iter().cloned()).chain(tail).map(|line| line + "\n").collect()
}

/// `UPDATE_DOCS=1` updates the tables.
#[test]
fn the_page_of_supported_formats_lists_the_tables() {
    let path = root().join("docs/support.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let formats: Vec<String> = FORMATS.iter().map(format_row).collect();
    let extensions: Vec<String> = EXTENSIONS.iter().map(extension_row).collect();
    let expected = with_rows(&with_rows(&page, "| **", &formats), "| `", &extensions);
    if page != expected && std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, expected).unwrap();
        return;
    }
    assert_eq!(page, expected, "UPDATE_DOCS=1 writes the tables");
}
