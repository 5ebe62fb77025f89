//! Reads values from VRM JSON and collects problems.

use glam::DVec3;
use serde_json::Value;

/// Maximum number of warnings per extension. A file may have a problem in each of a million objects.
const MAX_LINES: usize = 16;

/// Problems found in an extension, one line each.
#[derive(Debug, Default)]
pub(in crate::asset) struct Problems {
    lines: Vec<String>,
    more: usize,
}

impl Problems {
    /// Adds a problem. `line` is only called if the problem is shown.
    pub(super) fn push(&mut self, line: impl FnOnce() -> String) {
        if self.lines.len() < MAX_LINES {
            self.lines.push(line());
        } else {
            self.more += 1;
        }
    }

    /// Returns the lines. The last one counts the problems that are not listed.
    pub(in crate::asset) fn lines(self) -> impl Iterator<Item = String> {
        let rest = (self.more > 0).then(|| format!("{} more problems of this kind", self.more));
        self.lines.into_iter().chain(rest)
    }
}

/// Returns the elements of a list, or nothing if there is no such list.
pub(super) fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// Reads an index below `count`. Returns `None` if it is missing, and an error if it is invalid.
pub(super) fn index(value: &Value, key: &str, count: usize) -> Result<Option<usize>, String> {
    match value.get(key) {
        // Old exporters write -1 if there is no node.
        None | Some(Value::Null) => Ok(None),
        Some(number) if number.as_i64() == Some(-1) => Ok(None),
        Some(number) => checked(number, count).map(Some).map_err(|cause| format!("{key} {cause}")),
    }
}

/// Reads a value that is an index below `count`.
pub(super) fn checked(value: &Value, count: usize) -> Result<usize, String> {
    let index = value.as_u64().and_then(|n| usize::try_from(n).ok());
    match index {
        Some(index) if index < count => Ok(index),
        Some(index) => Err(format!("{index} does not exist (there are {count})")),
        None => Err("is not an index".to_owned()),
    }
}

/// Reads a number that is finite in single precision. Other values count as missing.
pub(super) fn number(value: &Value, key: &str) -> Option<f64> {
    value.get(key).and_then(single)
}

/// Reads a vector, which is a list of three numbers in VRM 1.0 and an object with x, y and z in VRM 0.
pub(super) fn vector(value: &Value, key: &str) -> Option<DVec3> {
    match value.get(key)? {
        Value::Array(list) => match list.as_slice() {
            [x, y, z] => Some(DVec3::new(single(x)?, single(y)?, single(z)?)),
            _ => None,
        },
        object @ Value::Object(_) => {
            let part = |key| number(object, key).unwrap_or(0.0);
            Some(DVec3::new(part("x"), part("y"), part("z")))
        }
        _ => None,
    }
}

fn single(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| number.abs() <= f64::from(f32::MAX))
}

/// Reads a list of indices below `count`.
pub(super) fn indices(value: &Value, key: &str, count: usize) -> impl Iterator<Item = Result<usize, String>> {
    list(value, key).map(move |index| checked(index, count))
}
