//! Joint values as text: CSV with one line for each time, and JSON with one value for each name.
//!
//! ```text
//! time,joint1,joint2,gripper
//! 0,0.5,-1.2,0.04
//! 0.02,0.51,-1.21,0.04
//! ```
//!
//! The first line names the joints, in any order. `time`, in seconds, may be missing. In that case, the lines are one second
//! apart. Joints that are not named have their rest values. The columns of mimic joints are written, but ignored when read.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::text::printable;

use super::{Robot, RobotError};

/// Maximum number of lines of a table.
const MAX_ROWS: usize = 1 << 20;

/// Joint values at some times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointTable {
    /// Times in seconds, in ascending order, each with its `q`.
    pub rows: Vec<(f64, Vec<f64>)>,
}

/// The reason why joint values cannot be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The text is not a table.
    #[error("{0}")]
    Text(String),
    /// A line of a CSV file is invalid.
    #[error("line {line}: {cause}")]
    Line {
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong.
        cause: String,
    },
    /// A joint does not exist.
    #[error(transparent)]
    Robot(#[from] RobotError),
}

impl JointTable {
    /// Returns the table as CSV, with columns for mimic joints at the end.
    pub fn to_csv(&self, robot: &Robot) -> String {
        let names = robot.joints().iter().map(|j| &j.name).chain(robot.mimics().iter().map(|m| &m.name));
        let mut text = String::from("time");
        for name in names {
            text.push(',');
            text.push_str(&quoted(name));
        }
        text.push('\n');
        for (time, q) in &self.rows {
            // Writing to a string cannot fail.
            let _ = write!(text, "{time}");
            for value in q.iter().copied().chain(robot.mimic_values(q)) {
                let _ = write!(text, ",{value}");
            }
            text.push('\n');
        }
        text
    }

    /// Reads a table from CSV or JSON. JSON is recognised by its first character, `{`. It is an object of names and values, or an object
    /// that contains one under the key `q`, as in the JSON of a pose.
    ///
    /// # Errors
    /// [`TableError`] with the line or the name of the joint.
    pub fn read(text: &str, robot: &Robot) -> Result<Self, TableError> {
        let text = text.trim_start_matches('\u{feff}');
        if text.trim_start().starts_with('{') {
            Self::from_json(text, robot)
        } else {
            Self::from_csv(text, robot)
        }
    }

    fn from_json(text: &str, robot: &Robot) -> Result<Self, TableError> {
        let invalid = |cause: String| TableError::Text(printable::cause(&cause));
        let object: Map<String, Value> =
            serde_json::from_str(text).map_err(|e| invalid(format!("not a JSON object: {e}")))?;
        let values = match object.get("q") {
            Some(Value::Object(values)) => values,
            Some(_) => return Err(invalid("\"q\" must be an object of names and values".into())),
            None if object.contains_key("nodes") => {
                return Err(invalid("the pose has no joint values; it is not one of a robot".into()));
            }
            None => &object,
        };
        let mut q = robot.rest();
        for (name, value) in values {
            let Some(place) = place(robot, name)? else { continue };
            let value = value.as_f64().ok_or_else(|| invalid(format!("joint \"{name}\" is not a number")))?;
            if let Some(own) = q.get_mut(place) {
                *own = value;
            }
        }
        Ok(Self { rows: vec![(0.0, q)] })
    }

    fn from_csv(text: &str, robot: &Robot) -> Result<Self, TableError> {
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        let (_, header) = lines.next().ok_or_else(|| TableError::Text("the table is empty".into()))?;
        let mut columns = Vec::new();
        for name in header.split(',').map(unquoted) {
            columns.push(if name == "time" { Column::Time } else { place(robot, &name)?.into() });
        }
        let mut rows: Vec<(f64, Vec<f64>)> = Vec::new();
        for (line, text) in lines {
            let at = |cause: String| TableError::Line { line, cause };
            let cells: Vec<&str> = text.split(',').map(str::trim).collect();
            if cells.len() != columns.len() {
                return Err(at(format!("{} values, but the header names {}", cells.len(), columns.len())));
            }
            #[expect(clippy::cast_precision_loss, reason = "at most a million rows")]
            let (mut time, mut q) = (rows.len() as f64, robot.rest());
            for (cell, column) in cells.iter().zip(&columns) {
                let number = cell.parse::<f64>().ok().filter(|value| value.is_finite());
                let number = number.ok_or_else(|| at(format!("\"{cell}\" is not a finite number")))?;
                match *column {
                    Column::Time => time = number,
                    Column::Ignored => {}
                    Column::Joint(place) => q.get_mut(place).into_iter().for_each(|own| *own = number),
                }
            }
            if rows.last().is_some_and(|(last, _)| *last >= time) {
                return Err(at("times must increase".into()));
            }
            if rows.len() == MAX_ROWS {
                return Err(at(format!("more than {MAX_ROWS} lines")));
            }
            rows.push((time, q));
        }
        if rows.is_empty() {
            Err(TableError::Text("the table has no values".into()))
        } else {
            Ok(Self { rows })
        }
    }
}

/// What a column contains.
enum Column {
    Time,
    Joint(usize),
    Ignored,
}

impl From<Option<usize>> for Column {
    fn from(place: Option<usize>) -> Self {
        place.map_or(Self::Ignored, Self::Joint)
    }
}

/// Returns the position of a joint in `q`, or `None` for a mimic joint.
fn place(robot: &Robot, name: &str) -> Result<Option<usize>, RobotError> {
    if robot.mimics().iter().any(|mimic| mimic.name == name) { Ok(None) } else { robot.joint(name).map(Some) }
}

fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.into()
    }
}

fn unquoted(cell: &str) -> String {
    let cell = cell.trim();
    let inner = cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"'));
    inner.map_or_else(|| cell.into(), |inner| inner.replace("\"\"", "\""))
}
