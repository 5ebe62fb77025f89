//! The poses of a path as CSV, with one line for each pose.
//!
//! ```text
//! x,y,z,qx,qy,qz,qw
//! 0.4,-0.1,0.3,1,0,0,0
//! 0.4,0.1,0.3,1,0,0,0
//! ```
//!
//! The first line names the columns, in any order. Positions are in metres. The columns of the quaternion may be missing. In that case,
//! the poses have no orientation.

use std::path::Path;

use glam::{DQuat, DVec3};

use crate::cli::failure::Failure;
use crate::cli::posing::unit;
use crate::files::bounded;
use crate::ik::{Goal, LinkIndex};
use crate::text::printable;

use super::refused;

/// Maximum size of a file in bytes.
const MAX_BYTES: u64 = 16 << 20;
/// The columns. Those of the position are required.
const COLUMNS: [&str; 7] = ["x", "y", "z", "qx", "qy", "qz", "qw"];
const POSITION: usize = 3;

/// A pose of the link, in the robot's own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PathPose {
    /// Number of its line, from 1.
    pub(super) line: usize,
    position: DVec3,
    orientation: Option<DQuat>,
}

impl PathPose {
    /// Returns the goal for the link to have this pose.
    pub(super) fn goal(&self, link: LinkIndex) -> Goal {
        Goal::position(link, self.position).with_orientation(self.orientation)
    }
}

/// The reason why poses cannot be read. The line and the column are counted from 1.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("line {line}, column {column}: {cause}")]
struct PoseError {
    line: usize,
    column: usize,
    cause: String,
}

/// Reads at least one pose from a file.
pub(super) fn read(path: &Path) -> Result<Vec<PathPose>, Failure> {
    let text = bounded::read_to_string(path, MAX_BYTES).map_err(|error| refused(path, &error))?;
    parse(&text).map_err(|error| refused(path, &error))
}

fn parse(text: &str) -> Result<Vec<PathPose>, PoseError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let missing = |line: usize, cause: &str| PoseError { line, column: 1, cause: cause.into() };
    let (line, header) = lines.next().ok_or_else(|| missing(1, "the header is missing"))?;
    let columns = columns(line, header)?;
    let poses = lines.map(|(line, text)| pose(&columns, line, text));
    let poses = poses.collect::<Result<Vec<PathPose>, PoseError>>()?;
    if poses.is_empty() { Err(missing(line, "no pose follows the header")) } else { Ok(poses) }
}

fn cells(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(|cell| cell.trim().trim_matches('"'))
}

/// Returns for each column of the file its place in [`COLUMNS`].
fn columns(line: usize, header: &str) -> Result<Vec<usize>, PoseError> {
    let mut columns: Vec<usize> = Vec::new();
    for (column, name) in (1..).zip(cells(header)) {
        let error = |cause: String| PoseError { line, column, cause };
        let place = COLUMNS.iter().position(|known| *known == name);
        let place = place.ok_or_else(|| {
            let (name, known) = (printable::cause(name), COLUMNS.join(", "));
            error(format!("unknown column \"{name}\"; known: {known}"))
        })?;
        if columns.contains(&place) {
            return Err(error(format!("the column \"{name}\" appears twice")));
        }
        columns.push(place);
    }
    let has_rotation = columns.iter().any(|place| *place >= POSITION);
    let required = if has_rotation { COLUMNS.len() } else { POSITION };
    match COLUMNS.iter().enumerate().take(required).find(|(place, _)| !columns.contains(place)) {
        Some((_, name)) => {
            let cause = format!("the column \"{name}\" is missing");
            Err(PoseError { line, column: columns.len(), cause })
        }
        None => Ok(columns),
    }
}

/// Reads the pose of a line. `columns` contains the place of each column in [`COLUMNS`].
fn pose(columns: &[usize], line: usize, text: &str) -> Result<PathPose, PoseError> {
    let cells: Vec<&str> = cells(text).collect();
    if cells.len() != columns.len() {
        let cause = format!("the line has {} columns, but the header has {}", cells.len(), columns.len());
        return Err(PoseError { line, column: cells.len().min(columns.len()), cause });
    }
    let mut values = [0.0; 7];
    for ((column, cell), place) in (1..).zip(cells).zip(columns) {
        let number = cell.parse::<f64>().ok().filter(|number| number.is_finite());
        let number = number.ok_or_else(|| {
            let cause = format!("\"{}\" is not a finite number", printable::cause(cell));
            PoseError { line, column, cause }
        })?;
        values.get_mut(*place).into_iter().for_each(|own| *own = number);
    }
    let [x, y, z, rotation @ ..] = values;
    let mut orientation = None;
    if let Some(first) = columns.iter().position(|place| *place == POSITION) {
        let zero = || PoseError { line, column: first + 1, cause: "the quaternion is zero".into() };
        orientation = Some(DQuat::from_array(unit(rotation).ok_or_else(zero)?));
    }
    Ok(PathPose { line, position: DVec3::new(x, y, z), orientation })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_may_be_in_any_order() {
        let poses = parse("\u{feff}qw,qx,qy,qz,\"z\",y,x\n\n0, 0,0,2, 3,2,1\n").unwrap();
        let orientation = Some(DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0));
        assert_eq!(poses, [PathPose { line: 3, position: DVec3::new(1.0, 2.0, 3.0), orientation }]);
        assert_eq!(parse("x,y,z\n1,2,3\n").unwrap()[0].orientation, None);
    }

    #[test]
    fn errors_name_the_line_and_the_column() {
        for (text, expected) in [
            ("", "line 1, column 1: the header is missing"),
            ("x,y,z\n", "line 1, column 1: no pose follows the header"),
            ("x,y\n", "line 1, column 2: the column \"z\" is missing"),
            ("x,y,z,qx,qw\n", "line 1, column 5: the column \"qy\" is missing"),
            ("x,y,y,z\n", "line 1, column 3: the column \"y\" appears twice"),
            ("x,y,z\n\n1,2\n", "line 3, column 2: the line has 2 columns, but the header has 3"),
            ("x,y,z\n1,2,nan\n", "line 2, column 3: \"nan\" is not a finite number"),
            ("x,y,z\n1,,2\n", "line 2, column 2: \"\" is not a finite number"),
            ("x,y,z,qx,qy,qz,qw\n1,2,3,0,0,0,0\n", "line 2, column 4: the quaternion is zero"),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), expected, "{text}");
        }
        let unknown = parse("x,y,z,time\n1,2,3,0\n").unwrap_err().to_string();
        assert_eq!(unknown, "line 1, column 4: unknown column \"time\"; known: x, y, z, qx, qy, qz, qw");
    }
}
