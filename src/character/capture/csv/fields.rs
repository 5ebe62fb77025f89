//! The fields of a line, and the numbers in them.

use std::borrow::Cow;

/// Maximum number of columns of a line.
pub(in crate::capture) const MAX_COLUMNS: usize = 1 << 14;

/// How a file writes fields and numbers.
pub(super) struct Dialect {
    /// The character between fields: `,` or `;`.
    pub(super) separator: char,
    /// The decimal sign, and the line of the first number that has one.
    decimal: Option<(char, usize)>,
}

impl Dialect {
    /// Detects the separator from a header.
    pub(super) fn of_header(head: &str) -> Result<Self, (usize, String)> {
        let outside_of_quotes: String = head.split('"').step_by(2).collect();
        let has = |c: char| outside_of_quotes.contains(c);
        match (has(';'), has(',')) {
            (true, true) => Err((
                1,
                "the header has both \",\" and \";\"; quote the names that contain one of them".to_owned(),
            )),
            (true, false) => Ok(Self { separator: ';', decimal: None }),
            (false, _) => Ok(Self { separator: ',', decimal: None }),
        }
    }

    /// Parses a cell of a line. The value is `None` if it is missing.
    pub(super) fn cell(&mut self, field: &str, line: usize) -> Result<Option<f64>, String> {
        let Some(sign) = field.chars().find(|c| matches!(c, '.' | ',')) else {
            return cell(field).ok_or_else(|| not_a_number(field));
        };
        let (decimal, first) = *self.decimal.get_or_insert((sign, line));
        if sign != decimal {
            let (field, name) = (brief(field), |c: char| if c == ',' { "comma" } else { "point" });
            let (own, other) = (name(sign), name(decimal));
            return Err(format!("\"{field}\" has a decimal {own}, but line {first} has a decimal {other}"));
        }
        let number =
            if decimal == ',' { Cow::Owned(field.replacen(',', ".", 1)) } else { Cow::Borrowed(field) };
        cell(&number).ok_or_else(|| not_a_number(field))
    }
}

/// Splits a line into its unquoted fields. An error contains the number of the column, counted from one.
pub(super) fn fields(line: &str, separator: char) -> Result<Vec<Cow<'_, str>>, (usize, String)> {
    let (mut all, mut rest) = (Vec::new(), line);
    loop {
        let column = all.len() + 1;
        if column > MAX_COLUMNS {
            return Err((column, format!("the line has more than {MAX_COLUMNS} columns")));
        }
        let (field, after) = match rest.trim_start().strip_prefix('"') {
            None => match rest.split_once(separator) {
                Some((field, after)) => (Cow::Borrowed(field.trim()), Some(after)),
                None => (Cow::Borrowed(rest.trim()), None),
            },
            Some(quoted) => unquoted(quoted, separator)
                .ok_or_else(|| (column, "the quoted field is not closed, or text follows it".to_owned()))?,
        };
        all.push(field);
        match after {
            Some(after) => rest = after,
            None => return Ok(all),
        }
    }
}

/// Returns the content of a quoted field and the text after its separator. `text` starts after the opening quote.
fn unquoted(text: &str, separator: char) -> Option<(Cow<'_, str>, Option<&str>)> {
    let (mut field, mut rest) = (String::new(), text);
    loop {
        let (part, after) = rest.split_once('"')?;
        field.push_str(part);
        if let Some(more) = after.strip_prefix('"') {
            field.push('"');
            rest = more;
            continue;
        }
        let after = after.trim_start();
        return match after.strip_prefix(separator) {
            Some(after) => Some((field.into(), Some(after))),
            None => after.is_empty().then_some((field.into(), None)),
        };
    }
}

/// Parses a cell: `Some(None)` if the value is missing, `None` if it is not a number in the range of `f32`.
pub(in crate::capture) fn cell(field: &str) -> Option<Option<f64>> {
    let field = field.trim();
    if field.is_empty() || field.eq_ignore_ascii_case("nan") {
        return Some(None);
    }
    // Positions are stored as `f32`.
    field.parse::<f64>().ok().filter(|x| x.abs() < f64::from(f32::MAX)).map(Some)
}

/// Returns the error message for a cell that is not a number.
pub(in crate::capture) fn not_a_number(field: &str) -> String {
    format!("\"{}\" is not a number in the range of single precision", brief(field))
}

/// Returns the start of a text without control characters, so that an error message stays on one line.
pub(in crate::capture) fn brief(text: &str) -> String {
    text.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }).collect()
}
