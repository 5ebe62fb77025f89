//! Errors in TOML files, with their positions.

use std::ops::Range;

use toml_edit::{Item, Key, TableLike};

use crate::text::printable;

/// An error in a TOML file, with its position and cause.
pub struct SpannedError {
    /// The byte range of the text that causes the error.
    pub span: Option<Range<usize>>,
    /// A description of what is wrong.
    pub cause: String,
}

impl SpannedError {
    /// Creates an error at a byte range of the text.
    pub fn new(span: Option<Range<usize>>, cause: impl Into<String>) -> Self {
        Self { span, cause: cause.into() }
    }

    /// Creates an error at a value.
    pub fn at(item: &Item, cause: impl Into<String>) -> Self {
        Self::new(item.span(), cause)
    }

    /// Creates an error at a key of a table.
    pub fn at_key(table: &dyn TableLike, key: &str, cause: impl Into<String>) -> Self {
        let span = table.key(key).and_then(Key::span);
        Self::new(span.or_else(|| table.get(key)?.span()), cause)
    }

    /// Converts a TOML syntax error.
    pub fn syntax(error: &toml_edit::TomlError) -> Self {
        Self::new(error.span(), error.message().replace('\n', ", "))
    }

    /// Sets the position to `span` if the error has none.
    pub fn or_at(self, span: Option<Range<usize>>) -> Self {
        Self { span: self.span.or(span), ..self }
    }

    /// Puts a prefix before the cause.
    pub fn prefixed(self, prefix: &str) -> Self {
        Self { cause: format!("{prefix}: {}", self.cause), ..self }
    }

    /// Returns the line number in a text, counted from one, and the cause on one line.
    pub fn line_and_cause(self, text: &str) -> (usize, String) {
        (Lines::of(text).at(self.span), printable::cause(&self.cause))
    }
}

/// The positions of a text's line breaks, used to find the line number of a position.
pub struct Lines(Vec<usize>);

impl Lines {
    /// Finds the lines of a text.
    pub fn of(text: &str) -> Self {
        Self(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i).collect())
    }

    /// Returns the line number of a position, counted from one.
    pub fn at(&self, span: Option<Range<usize>>) -> usize {
        let start = span.map_or(0, |s| s.start);
        1 + self.0.partition_point(|end| *end < start)
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn lines_are_counted_from_one() {
        let lines = Lines::of("a\nbc\n\nd");
        let line = |position: usize| lines.at(Some(position..position));
        assert_eq!([0, 1, 2, 4, 5, 6, 7].map(line), [1, 1, 2, 2, 3, 4, 4]);
        assert_eq!(lines.at(None), 1);
    }
}
