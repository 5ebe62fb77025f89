//! Helpers for reading TOML files, with errors that name the line.

use std::ops::Range;

use toml_edit::{Item, Table, TableLike};

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

    /// Converts a TOML syntax error.
    pub fn syntax(error: &toml_edit::TomlError) -> Self {
        Self::new(error.span(), error.message().replace('\n', ", "))
    }

    /// Sets the position to `span` if the error has none.
    pub fn or_at(self, span: Option<Range<usize>>) -> Self {
        Self { span: self.span.or(span), ..self }
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

/// Returns the tables of `[[key]]`, or an empty list if the key is missing.
pub fn tables<'t>(root: &'t Table, key: &str) -> Result<Vec<&'t Table>, SpannedError> {
    match root.get(key) {
        None => Ok(Vec::new()),
        Some(item) => {
            let tables = item.as_array_of_tables();
            let tables = tables
                .ok_or_else(|| SpannedError::at(item, format!("{key} must be written as [[{key}]]")))?;
            Ok(tables.iter().collect())
        }
    }
}

/// Returns the value of an integer or a float. The value may be infinite or NaN.
fn any_number(item: &Item) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "numbers in these files are small")]
    let integer = item.as_integer().map(|i| i as f64);
    item.as_float().or(integer)
}

/// Returns a number if it is finite in single precision.
pub fn real(item: &Item) -> Option<f64> {
    any_number(item).filter(|x| x.abs() <= f64::from(f32::MAX))
}

/// Returns the reason why [`real`] rejects a number: the number is not finite, or it is too large for single precision.
fn range_error(item: &Item) -> Option<&'static str> {
    match any_number(item) {
        Some(x) if !x.is_finite() => Some("value is not finite"),
        Some(_) if real(item).is_none() => Some("value is too large"),
        _ => None,
    }
}

/// Returns a [`real`] number for which `accepts` returns true. `otherwise` returns the error message for any other
/// value.
pub fn number(
    item: &Item,
    key: &str,
    accepts: impl Fn(f64) -> bool,
    otherwise: impl FnOnce() -> String,
) -> Result<f64, SpannedError> {
    let cause = || match range_error(item) {
        Some(cause) => format!("{key}: {cause}"),
        None => otherwise(),
    };
    real(item).filter(|x| accepts(*x)).ok_or_else(|| SpannedError::at(item, cause()))
}

/// Converts a [`real`] number to single precision.
#[expect(clippy::cast_possible_truncation, reason = "real numbers are in the range of single precision")]
pub fn single(real: f64) -> f32 {
    real as f32
}

/// Checks that a table has only keys from a list.
pub fn check_keys(table: &dyn TableLike, keys: &[&str]) -> Result<(), SpannedError> {
    for (name, item) in table.iter() {
        if !keys.contains(&name) {
            let span = table.key(name).and_then(toml_edit::Key::span).or_else(|| item.span());
            return Err(SpannedError {
                span,
                cause: format!("unknown key \"{name}\"; known: {}", keys.join(", ")),
            });
        }
    }
    Ok(())
}

/// Returns the error for a missing key. `span` is the position of the table that lacks the key.
pub fn missing(span: Option<Range<usize>>, key: &str) -> SpannedError {
    SpannedError { span, cause: format!("{key} is missing") }
}

/// Returns the item of a key that must exist.
pub fn required<'t>(table: &'t dyn TableLike, key: &str) -> Result<&'t Item, SpannedError> {
    let span = table.iter().next().and_then(|(name, _)| table.key(name)?.span());
    table.get(key).ok_or_else(|| missing(span, key))
}

/// Returns the item of a key that is known to exist. An error can then refer to the item's line.
pub fn existing<'t>(table: &'t dyn TableLike, key: &str) -> &'t Item {
    const NONE: &Item = &Item::None;
    table.get(key).unwrap_or(NONE)
}

/// Returns a number in a range, or `default` if the key is missing.
pub fn optional(
    table: &Table,
    key: &str,
    default: f64,
    range: std::ops::RangeInclusive<f64>,
) -> Result<f64, SpannedError> {
    table.get(key).map_or(Ok(default), |item| {
        let (least, most) = (range.start(), range.end());
        let otherwise = || match *most < f64::from(f32::MAX) {
            true => format!("{key} must be from {least} to {most}"),
            false => format!("{key} must be at least {least}"),
        };
        number(item, key, |v| range.contains(&v), otherwise)
    })
}

/// Returns a list of `N` [`real`] numbers.
pub fn numbers<const N: usize>(item: &Item, key: &str) -> Result<[f64; N], SpannedError> {
    let cause = || format!("{key} must be a list of {N} numbers");
    let list = item.as_array().ok_or_else(|| SpannedError::at(item, cause()))?;
    let one = |value: &toml_edit::Value| number(&Item::Value(value.clone()), key, |_| true, cause);
    let values = list.iter().map(one).collect::<Result<Vec<f64>, SpannedError>>();
    // Cloned values have no position, so errors use the position of the list.
    let values = values.map_err(|e| SpannedError::at(item, e.cause))?;
    values.try_into().map_err(|_| SpannedError::at(item, cause()))
}

/// Returns a single-precision number, written with as few digits as possible.
pub fn short(number: f32) -> toml_edit::Value {
    exact(format!("{number}").parse::<f64>().unwrap_or(f64::from(number)))
}

/// Returns a number. A tiny number is written with an exponent.
pub fn exact(number: f64) -> toml_edit::Value {
    if number != 0.0 && number.abs() < 1e-5 {
        format!("{number:e}").parse().unwrap_or_else(|_| number.into())
    } else {
        number.into()
    }
}

/// Returns an angle in degrees, with as few decimals as [`radians`] needs to restore the same angle.
pub fn degrees(angle: f32) -> toml_edit::Value {
    let exact = f64::from(angle).to_degrees();
    let rounded = |decimals: i32| {
        let factor = 10_f64.powi(decimals);
        (exact * factor).round() / factor
    };
    let is_same = |degrees: &f64| radians(*degrees).to_bits() == angle.to_bits();
    (0..12).map(rounded).find(is_same).unwrap_or(exact).into()
}

/// Returns an angle in radians and in single precision.
pub fn radians(degrees: f64) -> f32 {
    single(degrees * std::f64::consts::PI / 180.0)
}

#[cfg(test)]
mod tests {
    use super::Lines;
    use super::{degrees, radians, short, single};

    #[test]
    fn numbers_of_single_precision_are_short_and_exact() {
        assert_eq!([short(0.1), short(-2.5e-12)].map(|v| v.to_string()), ["0.1", "-2.5e-12"]);
        assert_eq!(degrees(radians(22.5)).to_string(), "22.5");
        for bits in (0..0x7f00_0000_u32).step_by(0x0012_3457) {
            let number = f32::from_bits(bits);
            assert_eq!(single(short(number).as_float().unwrap()).to_bits(), bits);
            let angle = number.min(1e4);
            assert_eq!(radians(degrees(angle).as_float().unwrap()).to_bits(), angle.to_bits());
        }
    }

    #[test]
    fn lines_are_counted_from_one() {
        let lines = Lines::of("a\nbc\n\nd");
        let line = |position: usize| lines.at(Some(position..position));
        assert_eq!([0, 1, 2, 4, 5, 6, 7].map(line), [1, 1, 2, 2, 3, 4, 4]);
        assert_eq!(lines.at(None), 1);
    }
}
