//! Writes suites, with the keys and values that [`Suite::read`](super::Suite::read) reads.

use std::collections::BTreeSet;
use std::path::{MAIN_SEPARATOR, Path};

use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, Value, value};

use crate::files::relative_to;
use crate::text::toml::exact;

use super::reader::VERSION;
use super::values::slug;

/// Maximum length of a case's name, so that its file names are not too long.
const MAX_NAME: usize = 80;

/// A suite that is being written.
#[derive(Debug)]
pub struct SuiteWriter {
    document: DocumentMut,
    cases: ArrayOfTables,
    /// File names of the cases.
    slugs: BTreeSet<String>,
}

/// A case that is being written.
#[derive(Clone, Debug, Default)]
pub struct NewCase {
    table: Table,
}

impl SuiteWriter {
    /// Starts a suite with a comment of one or more lines, its folder of goldens, and its defaults.
    pub fn new(comment: &str, goldens: &str, defaults: NewCase) -> Self {
        let mut document = DocumentMut::new();
        document.insert("version", value(VERSION));
        document.insert("goldens", value(goldens));
        document.insert("require-scenes", value(true));
        document.insert("defaults", Item::Table(defaults.table));
        let comment: String = comment.lines().map(|line| format!("# {line}\n")).collect();
        if let Some(mut key) = document.key_mut("version") {
            key.leaf_decor_mut().set_prefix(comment);
        }
        Self { document, cases: ArrayOfTables::new(), slugs: BTreeSet::new() }
    }

    /// Adds a case. Its name gets a number if the files of another case have the same name.
    pub fn add(&mut self, name: &str, case: NewCase) {
        let name: String =
            name.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_NAME).collect();
        let numbered = (2..).map(|number| format!("{name} {number}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| self.slugs.insert(slug(name)));
        let mut table = Table::new();
        table.insert("name", value(free.unwrap_or(name)));
        for (key, item) in case.table {
            table.insert(&key, item);
        }
        self.cases.push(table);
    }

    /// Number of cases.
    pub fn count(&self) -> usize {
        self.cases.len()
    }

    /// Returns the text of the file.
    pub fn finish(mut self) -> String {
        self.document.insert("case", Item::ArrayOfTables(self.cases));
        self.document.to_string()
    }
}

impl NewCase {
    /// Adds a string.
    pub fn text(mut self, key: &str, text: &str) -> Self {
        self.table.insert(key, value(text));
        self
    }

    /// Adds the path of a file, relative to the folder of the suite.
    ///
    /// # Errors
    /// If the path is not Unicode, because TOML cannot contain such a path.
    pub fn path(self, key: &str, folder: &Path, file: &Path) -> Result<Self, String> {
        let path = relative_to(folder, file);
        let text = path.to_str().ok_or_else(|| {
            format!("{}: a suite cannot contain a path that is not Unicode; rename it", file.display())
        })?;
        Ok(self.text(key, &text.replace(MAIN_SEPARATOR, "/")))
    }

    /// Adds a number.
    pub fn number(mut self, key: &str, number: f64) -> Self {
        self.table.insert(key, Item::Value(number_value(number)));
        self
    }

    /// Adds a list of numbers.
    pub fn numbers(mut self, key: &str, numbers: &[f64]) -> Self {
        let list: Array = numbers.iter().map(|number| number_value(*number)).collect();
        self.table.insert(key, value(list));
        self
    }

    /// Adds a list of strings.
    pub fn texts<T: AsRef<str>>(mut self, key: &str, texts: &[T]) -> Self {
        let list: Array = texts.iter().map(AsRef::as_ref).collect();
        self.table.insert(key, value(list));
        self
    }
}

/// Converts a number to an integer if it is whole and small, and to a decimal number otherwise.
fn number_value(number: f64) -> Value {
    // Converts negative zero to zero.
    let number = number + 0.0;
    if number.fract() == 0.0 && number.abs() < 1e9 {
        #[expect(clippy::cast_possible_truncation, reason = "whole and small")]
        return Value::from(number as i64);
    }
    exact(number)
}

/// Returns whether a name contains any character that a file name can use.
pub fn has_file_name(name: &str) -> bool {
    !slug(name).is_empty()
}

/// Returns names that result in different file names. Shared names are prefixed with the names of
/// `folders`.
pub fn distinct(names: &[String], folders: &[String]) -> Vec<String> {
    let count = |list: &[String], name: &str| list.iter().filter(|n| slug(n) == slug(name)).count();
    let with_folder: Vec<String> = names
        .iter()
        .zip(folders)
        .map(|(name, folder)| match count(names, name) {
            1 => name.clone(),
            _ => format!("{folder} {name}"),
        })
        .collect();
    let mut taken = BTreeSet::new();
    let numbered = |name: &String| {
        let numbers = (2..).map(|number| format!("{name} {number}"));
        std::iter::once(name.clone()).chain(numbers).find(|n| taken.insert(slug(n))).unwrap_or_default()
    };
    with_folder.iter().map(numbered).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_same_files_get_their_folders_and_then_numbers() {
        let texts = |list: [&str; 4]| list.map(str::to_owned).to_vec();
        let names = distinct(&texts(["man", "Man", "fox", "man"]), &texts(["a", "b", "c", "a"]));
        assert_eq!(names, ["a man", "b Man", "fox", "a man 2"]);
    }

    #[test]
    fn cases_whose_files_would_have_the_same_name_are_numbered() {
        let mut writer = SuiteWriter::new("a\nb", "goldens", NewCase::default().number("samples", 1.0));
        writer.add("Walk 1", NewCase::default());
        writer.add("walk-1", NewCase::default().numbers("camera-position", &[-0.0, 1.25, 3.0]));
        assert_eq!(writer.count(), 2);
        let text = writer.finish();
        assert!(text.starts_with("# a\n# b\nversion = 1\n"), "{text}");
        assert!(text.contains("name = \"walk-1 2\"\ncamera-position = [0, 1.25, 3]"), "{text}");
    }
}
