//! Checks the map of the founding documents: the claims of each row hold after the command of that row, all shortcuts exist, and the map
//! covers every section.

use std::fs;
use std::path::Path;

use sinew::viewer::{Action, Keymap, Shortcut};

use crate::claims::{self, Claim};
use crate::page::{Page, Piece, pages};
use crate::shell::{self, Words};
use crate::{assert_none, root};

pub(crate) const PAGE: &str = "docs/founding-documents.md";
/// The header of each table.
const HEADER: &str = "| section | what it says | command line | what holds | viewer | source |";
/// The page with the closing table, which compares the methods with tables computed from the documents.
const CLOSING_PAGE: &str = "docs/solvers.md";
const CLOSING_HEADER: &str = "| document | figure or equation | command | compared | difference |";
/// Maximum difference that the tests of the closing table accept, in metres or in components of unit vectors.
const CLOSING_LIMIT: f64 = 1e-6;
/// A cell for something that sinew lacks.
const NOTHING: &str = "–";

/// A row of a table: its line and its cells.
struct Row {
    line: usize,
    cells: Vec<String>,
}

fn page() -> Page {
    page_of(PAGE)
}

fn page_of(name: &str) -> Page {
    pages().into_iter().find(|page| page.name == name).expect("the page is missing")
}

/// Returns the rows of all tables of the map.
fn rows(page: &Page) -> Vec<Row> {
    rows_below(page, HEADER)
}

/// Returns the rows of all tables with the given header.
fn rows_below(page: &Page, header: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut in_table = false;
    for (index, line) in page.text.lines().enumerate() {
        in_table = line == header || in_table && line.starts_with('|');
        if in_table && line != header && !line.starts_with("|---") {
            let cells = line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect();
            rows.push(Row { line: index + 1, cells });
        }
    }
    rows
}

/// Returns the complete commands of the page's tables, which the test of commands runs, and the claims that must hold after each.
pub(crate) fn commands(page: &Page) -> Vec<(String, Words, Vec<Claim>)> {
    let mut commands = Vec::new();
    for row in rows(page) {
        let text = row.cells.get(2).cloned().unwrap_or_default();
        let cell = Page { name: page.name.clone(), text };
        for Piece { text, .. } in
            cell.inline_code().into_iter().filter(|code| code.text.starts_with("sinew "))
        {
            let found = shell::commands(&text).unwrap_or_else(|e| panic!("{}: {e}", row.line));
            let place = format!("{}:{}", page.name, row.line);
            let claims = row.cells.get(3).map_or(Ok(Vec::new()), |cell| claims::parse(cell));
            let claims = claims.unwrap_or_else(|e| panic!("{place}: {e}"));
            commands.extend(found.into_iter().map(|words| (place.clone(), words, claims.clone())));
        }
    }
    commands
}

#[test]
fn rows_are_complete() {
    let page = page();
    let rows = rows(&page);
    assert_eq!(page.text.matches(HEADER).count(), 5, "one table for each document");
    assert!(rows.len() > 100, "only {} rows", rows.len());
    let mut problems = Vec::new();
    for Row { line, cells } in &rows {
        if cells.len() != 6 || cells.iter().any(String::is_empty) {
            problems
                .push(format!("{PAGE}:{line}: there must be six cells with text, and {NOTHING} for nothing"));
        }
    }
    assert_none("these rows are incomplete", &problems);
}

/// Italic text in the viewer column is the name of an action, a pane or a control. A shortcut follows in brackets.
#[test]
fn actions_and_shortcuts_of_the_viewer_exist() {
    let sources = sources(&root().join("src/viewer"));
    let mut problems = Vec::new();
    let mut count = 0;
    for Row { line, cells } in rows(&page()) {
        let Some(cell) = cells.get(4) else { continue };
        let mut parts = cell.split('*').skip(1);
        while let (Some(name), Some(after)) = (parts.next(), parts.next()) {
            let shortcut = after.trim_start().strip_prefix('(').and_then(|rest| rest.split(')').next());
            let action = Action::all().find(|action| action.name() == name);
            let is_right = match (shortcut, action) {
                (Some(shortcut), Some(action)) => Keymap::Sinew.text(action) == shortcut,
                (Some(_), None) => false,
                (None, _) => sources.contains(&format!("\"{name}")),
            };
            if !is_right {
                problems.push(format!("{PAGE}:{line}: *{name}* {}", shortcut.unwrap_or_default()));
            }
            count += 1;
        }
    }
    assert_none("the viewer does not have these", &problems);
    assert!(count > 40, "only {count} were found");
}

/// On the other pages, a shortcut in brackets after italic text belongs to an action of the keymap *sinew*.
#[test]
fn shortcuts_on_all_pages_exist() {
    let known: Vec<Shortcut> = Action::all().flat_map(|action| Keymap::Sinew.shortcuts(action)).collect();
    let mut problems = Vec::new();
    let mut count = 0;
    for page in pages().iter().filter(|page| page.name != PAGE) {
        for (start, _) in page.text.match_indices("* (") {
            let inside = page.text[start + 3..].split(')').next().unwrap_or_default().replace(" + ", "+");
            let shortcuts: Option<Vec<Shortcut>> = inside.split(" or ").map(Shortcut::parse).collect();
            count += shortcuts.iter().len();
            if shortcuts.is_some_and(|shortcuts| shortcuts.iter().any(|s| !known.contains(s))) {
                problems.push(format!("{}: ({inside})", page.name));
            }
        }
    }
    assert_none("no action has these shortcuts", &problems);
    assert!(count > 8, "only {count} were found");
}

/// Returns the text of all source files under a folder.
fn sources(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        text += &if path.is_dir() { sources(&path) } else { fs::read_to_string(&path).unwrap_or_default() };
    }
    text
}

/// Every row with a command or a control names the source that implements it, and every command has claims.
#[test]
fn what_exists_has_a_source() {
    let mut problems = Vec::new();
    for Row { line, cells } in rows(&page()) {
        let has = |index: usize| cells.get(index).is_some_and(|cell| cell != NOTHING);
        if has(2) != has(3) {
            problems.push(format!("{PAGE}:{line}: a command needs what must hold after it"));
        }
        if (has(2) || has(4)) && !cells.get(5).is_some_and(|cell| cell.contains("](../")) {
            problems.push(format!("{PAGE}:{line}"));
        }
    }
    assert_none("these rows name no source", &problems);
}

/// Each row of the closing table has a command that runs one test, and a difference that this test accepts.
#[test]
fn each_row_of_the_closing_table_has_a_command() {
    let tests = sources(&root().join("src/ik/tests/textbook"));
    let rows = rows_below(&page_of(CLOSING_PAGE), CLOSING_HEADER);
    assert!(rows.len() >= 15, "only {} rows", rows.len());
    let mut problems = Vec::new();
    for Row { line, cells } in rows {
        let [document, part, command, compared, difference] = &cells[..] else {
            problems.push(format!("{CLOSING_PAGE}:{line}: there must be five cells"));
            continue;
        };
        let command = command.trim_matches('`').strip_prefix("cargo test --test ik ");
        let name = command.and_then(|rest| rest.strip_suffix(" -- --nocapture")).unwrap_or_default();
        if !tests.contains(&format!("\n#[test]\nfn {name}() {{")) {
            problems
                .push(format!("{CLOSING_PAGE}:{line}: the command runs no test of src/ik/tests/textbook"));
        }
        if !difference.parse().is_ok_and(|number: f64| (0.0..CLOSING_LIMIT).contains(&number)) {
            problems.push(format!("{CLOSING_PAGE}:{line}: {difference} must be less than {CLOSING_LIMIT}"));
        }
        if [document, part, compared].iter().any(|cell| cell.is_empty()) {
            problems.push(format!("{CLOSING_PAGE}:{line}: a cell is empty"));
        }
    }
    assert_none("the closing table is incomplete", &problems);
}
