//! Parsing of strings that name one of several values.

/// The error for a string that is not a known name, such as the name of a method or a shading mode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {kind} \"{text}\"; use {expected}")]
#[non_exhaustive]
pub struct ParseError {
    /// The kind of value that the string should name.
    pub kind: &'static str,
    /// The text that was parsed.
    pub text: String,
    /// A description of the valid strings.
    pub expected: String,
}

impl ParseError {
    /// Creates the error for an unknown name.
    pub fn new(kind: &'static str, text: &str, expected: impl Into<String>) -> Self {
        Self { kind, text: text.to_owned(), expected: expected.into() }
    }
}

/// Finds a value by name.
pub fn named<T: Copy>(
    kind: &'static str,
    text: &str,
    known: impl IntoIterator<Item = (&'static str, T)>,
) -> Result<T, ParseError> {
    let known: Vec<_> = known.into_iter().collect();
    let found = known.iter().find(|(name, _)| *name == text);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
        ParseError::new(kind, text, format!("one of {}", names.join(", ")))
    })
}
