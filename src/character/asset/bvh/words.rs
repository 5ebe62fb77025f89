//! Splits the text into words and lines, and parses numbers.

use super::LineError;

/// Maximum magnitude of a number. No real length or angle is larger, and larger numbers could overflow single
/// precision.
pub(crate) const LARGEST: f64 = 1e30;
/// Maximum number of characters of a word to quote in a message.
const MAX_QUOTED: usize = 40;

/// The unread part of the text. A brace is always a separate word.
#[derive(Debug)]
pub(super) struct Words<'a> {
    rest: &'a str,
    line: usize,
    /// Line number of the last word.
    last: usize,
}

impl<'a> Words<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text.strip_prefix('\u{FEFF}').unwrap_or(text), line: 1, last: 1 }
    }

    /// Returns the current line, counted from 1.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    pub(super) fn bytes_left(&self) -> usize {
        self.rest.len()
    }

    /// Returns the next word. At the end, it returns `None` and restores the line number of the last word, for messages.
    pub(super) fn next(&mut self) -> Option<&'a str> {
        self.skip_space();
        let Some(first) = self.rest.chars().next() else {
            self.line = self.last;
            return None;
        };
        self.last = self.line;
        let end = if is_brace(first) { 1 } else { self.find(|c| c.is_whitespace() || is_brace(c)) };
        Some(self.take(end))
    }

    /// Reads the next word, which must be this brace. `after` is the text before the brace, for messages.
    pub(super) fn brace(&mut self, brace: &str, after: &str) -> Result<(), LineError> {
        match self.next() {
            Some(word) if word == brace => Ok(()),
            Some(word) => Err(LineError::new(
                self.line,
                format!("expected {brace} after {after}, found {}", quoted(word)),
            )),
            None => {
                Err(LineError::new(self.line, format!("expected {brace} after {after}, but the file ends")))
            }
        }
    }

    /// Reads the next word as a number. `of` is the object that the number belongs to, for messages.
    pub(super) fn number(&mut self, of: &str) -> Result<f64, LineError> {
        match self.next() {
            Some(word) => number(word, self.line),
            None => Err(LineError::new(self.line, format!("the file ends inside {of}"))),
        }
    }

    /// Reads a name up to the next brace or the end of the line. A name may have several words. Returns `None` if the
    /// name is empty.
    pub(super) fn name(&mut self) -> Option<&'a str> {
        self.skip_space();
        let end = self.find(|c| matches!(c, '\n' | '\r') || is_brace(c));
        let name = self.take(end).trim_end();
        if !name.is_empty() {
            self.last = self.line;
        }
        (!name.is_empty()).then_some(name)
    }

    /// Returns the rest of the current line, and its line number.
    pub(super) fn next_line(&mut self) -> Option<(usize, &'a str)> {
        if self.rest.is_empty() {
            return None;
        }
        let number = self.line;
        let end = self.find(|c| matches!(c, '\n' | '\r'));
        let text = self.take(end);
        self.skip_line_break();
        Some((number, text))
    }

    fn skip_space(&mut self) {
        while let Some(c) = self.rest.chars().next().filter(|c| c.is_whitespace()) {
            if !self.skip_line_break() {
                self.take(c.len_utf8());
            }
        }
    }

    /// Skips a line break: a line feed, a carriage return, or both.
    fn skip_line_break(&mut self) -> bool {
        let length = match self.rest.as_bytes() {
            [b'\r', b'\n', ..] => 2,
            [b'\r' | b'\n', ..] => 1,
            _ => return false,
        };
        self.take(length);
        self.line += 1;
        true
    }

    fn find(&self, ends: impl Fn(char) -> bool) -> usize {
        self.rest.find(ends).unwrap_or(self.rest.len())
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }
}

fn is_brace(c: char) -> bool {
    matches!(c, '{' | '}')
}

/// Parses a number that is finite and at most [`LARGEST`] in magnitude.
pub(super) fn number(word: &str, line: usize) -> Result<f64, LineError> {
    match word.parse::<f64>() {
        Ok(value) if value.abs() <= LARGEST => Ok(value),
        Ok(value) if value.is_finite() => Err(LineError::new(line, format!("{} is too large", quoted(word)))),
        Ok(_) => Err(LineError::new(line, format!("{} is not finite", quoted(word)))),
        Err(_) => Err(LineError::new(line, format!("{} is not a number", quoted(word)))),
    }
}

/// Returns a word in quotes for a message. Line breaks are escaped, and a long word is shortened.
pub(super) fn quoted(word: &str) -> String {
    let shortened: String = word.chars().take(MAX_QUOTED).collect();
    if shortened.len() < word.len() { format!("{:?}", shortened + "…") } else { format!("{shortened:?}") }
}
