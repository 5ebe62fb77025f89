//! The text as words and lines, with their numbers.

use super::Fault;

/// A number farther from zero cannot be a length or an angle, and would leave single precision.
pub(crate) const LARGEST: f64 = 1e30;
/// As much of a wrong word is told.
const TOLD: usize = 40;

/// What has not been read yet. Braces are words of their own, whatever stands beside them.
#[derive(Debug)]
pub(super) struct Words<'a> {
    rest: &'a str,
    line: usize,
    /// The line of the last word.
    last: usize,
}

impl<'a> Words<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text.strip_prefix('\u{FEFF}').unwrap_or(text), line: 1, last: 1 }
    }

    /// The line that is being read, the first being 1.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// Bytes that have not been read yet.
    pub(super) fn bytes_left(&self) -> usize {
        self.rest.len()
    }

    /// The next word; `None` at the end, where the line is then that of the last word: what is missing belongs there.
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

    /// The next word must be this brace.
    pub(super) fn brace(&mut self, brace: &str, after: &str) -> Result<(), Fault> {
        match self.next() {
            Some(word) if word == brace => Ok(()),
            Some(word) => {
                Err(Fault::new(self.line, format!("{} where {after} needs a {brace}", quoted(word))))
            }
            None => Err(Fault::new(self.line, format!("the text ends where {after} needs a {brace}"))),
        }
    }

    /// The next word as a number.
    pub(super) fn number(&mut self, of: &str) -> Result<f64, Fault> {
        match self.next() {
            Some(word) => number(word, self.line),
            None => Err(Fault::new(self.line, format!("the text ends within {of}"))),
        }
    }

    /// What stands before the next brace or the end of its line, be it several words; `None`: nothing.
    pub(super) fn name(&mut self) -> Option<&'a str> {
        self.skip_space();
        let end = self.find(|c| matches!(c, '\n' | '\r') || is_brace(c));
        let name = self.take(end).trim_end();
        if !name.is_empty() {
            self.last = self.line;
        }
        (!name.is_empty()).then_some(name)
    }

    /// The rest of this line, or the next one, with its number.
    pub(super) fn next_line(&mut self) -> Option<(usize, &'a str)> {
        if self.rest.is_empty() {
            return None;
        }
        let number = self.line;
        let end = self.find(|c| matches!(c, '\n' | '\r'));
        let text = self.take(end);
        self.skip_break();
        Some((number, text))
    }

    fn skip_space(&mut self) {
        while let Some(c) = self.rest.chars().next().filter(|c| c.is_whitespace()) {
            if !self.skip_break() {
                self.take(c.len_utf8());
            }
        }
    }

    /// Steps over the end of a line: a line feed, a carriage return, or both.
    fn skip_break(&mut self) -> bool {
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

/// A word of a line as a finite number that single precision holds.
pub(super) fn number(word: &str, line: usize) -> Result<f64, Fault> {
    match word.parse::<f64>() {
        Ok(value) if value.abs() <= LARGEST => Ok(value),
        Ok(value) if value.is_finite() => {
            Err(Fault::new(line, format!("{} is too large a number", quoted(word))))
        }
        Ok(_) => Err(Fault::new(line, format!("{} is not finite", quoted(word)))),
        Err(_) => Err(Fault::new(line, format!("{} is not a number", quoted(word)))),
    }
}

/// A word of the file as messages show it: on one line, and not all of a long one.
pub(super) fn quoted(word: &str) -> String {
    let told: String = word.chars().take(TOLD).collect();
    if told.len() < word.len() { format!("{:?}", told + "…") } else { format!("{told:?}") }
}
