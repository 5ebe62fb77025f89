//! TOML that people write: what will not do is told with its line.

use std::ops::Range;

use toml_edit::{Item, Table};

/// A value that will not do: where, and why.
pub(crate) struct Fault {
    pub(crate) span: Option<Range<usize>>,
    pub(crate) cause: String,
}

impl Fault {
    pub(crate) fn new(span: Option<Range<usize>>, cause: impl Into<String>) -> Self {
        Self { span, cause: cause.into() }
    }

    pub(crate) fn at(item: &Item, cause: impl Into<String>) -> Self {
        Self::new(item.span(), cause)
    }

    /// What is no TOML.
    pub(crate) fn of(error: &toml_edit::TomlError) -> Self {
        Self::new(error.span(), error.message())
    }

    /// The line in a text, from one, and why, in one line.
    pub(crate) fn told(self, text: &str) -> (usize, String) {
        (line(text, self.span), self.cause.replace('\n', ", "))
    }
}

/// The line of a place in a text, from one.
pub(crate) fn line(text: &str, span: Option<Range<usize>>) -> usize {
    let start = span.map_or(0, |s| s.start);
    1 + text.bytes().take(start).filter(|b| *b == b'\n').count()
}

/// The tables of `[[key]]`; none where there is no such key.
pub(crate) fn tables<'t>(root: &'t Table, key: &str) -> Result<Vec<&'t Table>, Fault> {
    match root.get(key) {
        None => Ok(Vec::new()),
        Some(item) => {
            let tables = item.as_array_of_tables();
            let tables = tables.ok_or_else(|| Fault::at(item, format!("write [[{key}]]")))?;
            Ok(tables.iter().collect())
        }
    }
}

/// A number, whole or not, that is finite.
pub(crate) fn real(item: &Item) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "numbers that people write are small")]
    let integer = item.as_integer().map(|i| i as f64);
    item.as_float().or(integer).filter(|x| x.is_finite())
}
