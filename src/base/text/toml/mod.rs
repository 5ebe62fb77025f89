//! Reads TOML files, with errors that name the line and the key.
//!
//! A *reader* is a function that converts a value, such as [`flag`], [`string`] or [`numbers`]. It also gets the value's key, which errors
//! name. [`required`] and [`optional`] apply a reader to a key of a table, and [`each`] applies one to the tables of `[[key]]`.

use std::ops::RangeInclusive;

use toml_edit::{Document, Item, Table, TableLike};

mod error;
mod write;

pub use error::{Lines, SpannedError};
pub use write::{degrees, exact, short};

/// Parses a text. The positions in errors refer to it.
pub fn parse<S: AsRef<str>>(text: S) -> Result<Document<S>, SpannedError> {
    Document::parse(text).map_err(|error| SpannedError::syntax(&error))
}

/// Checks the version of a file, and that it has no unknown keys. `keys` are the known keys except `version`. `hint` is appended to the
/// error for another version.
pub fn check_file(root: &Table, version: i64, keys: &[&str], hint: &str) -> Result<(), SpannedError> {
    check_keys(root, &[&["version"][..], keys].concat())?;
    let item = root.get("version").ok_or_else(|| SpannedError::new(None, "version is missing"))?;
    match item.as_integer() == Some(version) {
        true => Ok(()),
        false => Err(SpannedError::at(item, format!("version must be {version}{hint}"))),
    }
}

/// Checks that a table has only keys from a list.
pub fn check_keys(table: &dyn TableLike, keys: &[&str]) -> Result<(), SpannedError> {
    match table.iter().find(|(name, _)| !keys.contains(name)) {
        Some((name, _)) => {
            let cause = format!("unknown key \"{name}\"; known: {}", keys.join(", "));
            Err(SpannedError::at_key(table, name, cause))
        }
        None => Ok(()),
    }
}

/// Reads the value of a key, or returns `None` if the key is missing. An error without a position gets that of the value.
pub fn optional<'t, T>(
    table: &'t dyn TableLike,
    key: &str,
    read: impl FnOnce(&'t Item, &str) -> Result<T, SpannedError>,
) -> Result<Option<T>, SpannedError> {
    table.get(key).map(|item| read(item, key).map_err(|error| error.or_at(item.span()))).transpose()
}

/// Reads the value of a key that must exist. The error for a missing key is at the first key of the table.
pub fn required<'t, T>(
    table: &'t dyn TableLike,
    key: &str,
    read: impl FnOnce(&'t Item, &str) -> Result<T, SpannedError>,
) -> Result<T, SpannedError> {
    let first_key = || table.iter().next().and_then(|(name, _)| table.key(name)?.span());
    optional(table, key, read)?.ok_or_else(|| SpannedError::new(first_key(), format!("{key} is missing")))
}

/// Returns the tables of `[[key]]`, or an empty list if the key is missing.
pub fn tables<'t>(root: &'t Table, key: &str) -> Result<Vec<&'t Table>, SpannedError> {
    let tables = optional(root, key, |item, key| {
        let cause = || SpannedError::at(item, format!("{key} must be written as [[{key}]]"));
        item.as_array_of_tables().ok_or_else(cause)
    })?;
    Ok(tables.into_iter().flatten().collect())
}

/// Reads the tables of `[[key]]`, with their indices. An error without a position gets that of its table.
pub fn each<'t, T>(
    root: &'t Table,
    key: &str,
    mut read: impl FnMut(&'t Table, usize) -> Result<T, SpannedError>,
) -> Result<Vec<T>, SpannedError> {
    let one =
        |(index, table): (usize, &'t Table)| read(table, index).map_err(|error| error.or_at(table.span()));
    tables(root, key)?.into_iter().enumerate().map(one).collect()
}

/// Returns a value as a table. `cause` is the error for any other value.
pub fn table_like(item: &Item, cause: impl Into<String>) -> Result<&dyn TableLike, SpannedError> {
    item.as_table_like().ok_or_else(|| SpannedError::at(item, cause))
}

/// Returns the elements of a list, or `None` for any other value.
pub fn elements(item: &Item) -> Option<Vec<&Item>> {
    let count = item.as_array()?.len();
    (0..count).map(|index| item.get(index)).collect()
}

/// Reads `true` or `false`.
pub fn flag(item: &Item, key: &str) -> Result<bool, SpannedError> {
    item.as_bool().ok_or_else(|| SpannedError::at(item, format!("{key} must be true or false")))
}

/// Reads a string.
pub fn string<'t>(item: &'t Item, key: &str) -> Result<&'t str, SpannedError> {
    item.as_str().ok_or_else(|| SpannedError::at(item, format!("{key} must be a string")))
}

/// Returns the value that belongs to a name. `cause` is the error for any other value.
pub fn choice<T>(
    item: &Item,
    known: impl IntoIterator<Item = (&'static str, T)>,
    cause: impl Into<String>,
) -> Result<T, SpannedError> {
    let found = known.into_iter().find(|(name, _)| item.as_str() == Some(*name));
    found.map(|(_, thing)| thing).ok_or_else(|| SpannedError::at(item, cause))
}

/// Returns the value of an integer or a float. The value may be infinite or NaN.
pub fn any_number(item: &Item) -> Option<f64> {
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

/// Reads a [`real`] number for which `accepts` returns true. `otherwise` returns the error message for any other value.
pub fn number_where(
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

/// Reads a [`real`] number.
pub fn number(item: &Item, key: &str) -> Result<f64, SpannedError> {
    number_where(item, key, |_| true, || format!("{key} must be a number"))
}

/// Returns a reader of numbers in a range.
pub fn within(range: RangeInclusive<f64>) -> impl Fn(&Item, &str) -> Result<f64, SpannedError> {
    move |item: &Item, key: &str| {
        let otherwise = || format!("{key} must be from {} to {}", range.start(), range.end());
        number_where(item, key, |v| range.contains(&v), otherwise)
    }
}

/// Returns a reader of numbers that are not below a minimum.
pub fn at_least(least: f64) -> impl Fn(&Item, &str) -> Result<f64, SpannedError> {
    move |item: &Item, key: &str| {
        number_where(item, key, |v| v >= least, || format!("{key} must be at least {least}"))
    }
}

/// Reads a list of `N` [`real`] numbers.
pub fn numbers<const N: usize>(item: &Item, key: &str) -> Result<[f64; N], SpannedError> {
    let cause = || format!("{key} must be a list of {N} numbers");
    let list = elements(item).ok_or_else(|| SpannedError::at(item, cause()))?;
    let one = |value: &Item| number_where(value, key, |_| true, cause);
    let values = list.into_iter().map(one).collect::<Result<Vec<f64>, SpannedError>>()?;
    values.try_into().map_err(|_| SpannedError::at(item, cause()))
}

/// Like [`numbers`], in single precision.
pub fn singles<const N: usize>(item: &Item, key: &str) -> Result<[f32; N], SpannedError> {
    Ok(numbers::<N>(item, key)?.map(single))
}

/// Converts a [`real`] number to single precision.
#[expect(clippy::cast_possible_truncation, reason = "real numbers are in the range of single precision")]
pub fn single(real: f64) -> f32 {
    real as f32
}

/// Returns an angle in radians and in single precision.
pub fn radians(degrees: f64) -> f32 {
    single(degrees * std::f64::consts::PI / 180.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "version = 2\n[t]\na = [1,\n inf]\nb = 3\n";

    #[test]
    fn errors_name_the_line_and_the_key() {
        let document = parse(TEXT).ok().unwrap();
        let root = document.as_table();
        let table = root.get("t").and_then(Item::as_table).unwrap();
        for (result, line, cause) in [
            (check_file(root, 1, &["t"], ", which is new"), 1, "version must be 1, which is new"),
            (check_file(root, 2, &[], ""), 2, "unknown key \"t\"; known: version"),
            (check_file(table, 2, &["a", "b"], ""), 1, "version is missing"),
            (required(table, "c", number).map(drop), 3, "c is missing"),
            (required(table, "b", within(0.0..=2.0)).map(drop), 5, "b must be from 0 to 2"),
            (required(table, "a", numbers::<2>).map(drop), 4, "a: value is not finite"),
        ] {
            assert_eq!(result.unwrap_err().line_and_cause(TEXT), (line, cause.to_owned()));
        }
    }
}
