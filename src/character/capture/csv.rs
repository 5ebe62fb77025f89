//! Reads and writes takes as CSV files with one line per frame and one column per number.
//!
//! ```text
//! time,hips.x,hips.y,hips.z,chest.qx,chest.qy,chest.qz,chest.qw
//! 0,0.01,0.98,0,0,0,0,1
//! 0.008333,0.012,0.979,0.001,,,,
//! ```
//!
//! The first line names the columns. `time` is in seconds. Each joint has its world position (`.x`, `.y`, `.z`),
//! the world orientation of its segment (`.qx`, `.qy`, `.qz`, `.qw`), or both. Columns may be in any order, but a
//! position or an orientation needs all of its columns.
//!
//! An empty cell, or `nan`, means that the sensor measured nothing. A position or an orientation counts as missing if
//! any of its cells is empty or `nan`. Times must increase. Fields may be quoted as in RFC 4180, with `""` for a quote
//! inside a field. Empty lines and a byte order mark are skipped.
//!
//! Spreadsheets in many European languages write `;` between fields and use a decimal comma. If a header has `;` outside quotes, `;`
//! separates fields. The first number with a decimal sign decides whether the whole file uses a point or a comma. A number with the other
//! sign is an error, because that sign may be a thousands separator.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use glam::{Quat, Vec3};

use crate::asset::LoadError;
use crate::files::{Progress, bounded};

use super::{Take, Tracks};
use fields::{Dialect, fields};
pub(super) use fields::{MAX_COLUMNS, brief, cell, not_a_number};

mod fields;

/// Maximum size of a file, in bytes.
pub(super) const MAX_FILE_BYTES: u64 = 1 << 30;

/// An error in a file: the line and the column, both counted from one, and the cause. A column is a field, not a
/// character.
pub(super) struct TextError(pub(super) usize, pub(super) usize, pub(super) String);

impl TextError {
    /// Adds the path of the file.
    pub(super) fn of(self, path: &Path) -> LoadError {
        let Self(line, column, cause) = self;
        LoadError::Object { path: path.to_owned(), at: format!("line {line}, column {column}"), cause }
    }
}

/// Reads a take from a CSV file.
///
/// # Errors
/// [`LoadError`]. For an invalid field, it contains the line and the column.
pub fn load_csv(path: &Path) -> Result<Take, LoadError> {
    load_csv_with(path, &Progress::default())
}

/// Reads a take like [`load_csv`], but reports the progress and can be stopped from another thread.
///
/// # Errors
/// Same as [`load_csv`], and [`LoadError::Stopped`].
pub fn load_csv_with(path: &Path, progress: &Progress) -> Result<Take, LoadError> {
    let io = |source| LoadError::Io { path: path.to_owned(), source };
    let text = bounded::read_to_string_with(path, MAX_FILE_BYTES, progress).map_err(io);
    match text.and_then(|text| parse_csv_with(path, &text, progress)) {
        Err(_) if progress.is_stopped() => Err(LoadError::Stopped { path: path.to_owned() }),
        other => other,
    }
}

/// Parses a take from CSV text. The path is only used in error messages.
///
/// ```
/// use std::path::Path;
///
/// use sinew_character::capture::parse_csv;
///
/// let text = "time,hips.x,hips.y,hips.z\n0,0,0.98,0\n0.1,,,\n0.2,0.02,0.98,0\n";
/// let take = parse_csv(Path::new("take.csv"), text)?;
/// assert_eq!((take.times.len(), take.positions.joints[0].as_str()), (3, "hips"));
/// // The sensor was not seen in the second frame.
/// assert!(take.positions.frames[1][0].is_none());
///
/// let error = parse_csv(Path::new("take.csv"), &text.replace("0.02", "x")).unwrap_err();
/// assert!(error.to_string().starts_with("take.csv: line 4, column 2: "));
/// # Ok::<(), sinew_character::asset::LoadError>(())
/// ```
///
/// # Errors
/// [`LoadError`]. For an invalid field, it contains the line and the column.
pub fn parse_csv(path: &Path, text: &str) -> Result<Take, LoadError> {
    parse_csv_with(path, text, &Progress::default())
}

fn parse_csv_with(path: &Path, text: &str, progress: &Progress) -> Result<Take, LoadError> {
    parse(text, progress).map_err(|error| error.of(path))
}

/// The name of each joint, and the columns of its position (N = 3) or its orientation (N = 4).
type JointColumns<const N: usize> = Vec<(String, [usize; N])>;

fn parse(text: &str, progress: &Progress) -> Result<Take, TextError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = (1..).zip(text.lines()).filter(|(_, l)| !l.trim().is_empty());
    let (number, head) = lines.next().ok_or_else(|| TextError(1, 1, "the header is missing".to_owned()))?;
    let mut dialect = Dialect::of_header(head).map_err(|(column, cause)| TextError(number, column, cause))?;
    let separator = dialect.separator;
    let names = fields(head, separator).map_err(|(column, cause)| TextError(number, column, cause))?;
    let header = header(&names).map_err(|(column, cause)| TextError(number, column, cause))?;
    let (time_column, positions, orientations) = header;
    let named = |names: Vec<&String>| names.into_iter().cloned().collect();
    let mut take = Take {
        times: Vec::new(),
        positions: Tracks::of(named(positions.iter().map(|(n, _)| n).collect())),
        orientations: Tracks::of(named(orientations.iter().map(|(n, _)| n).collect())),
    };
    let (mut cells, mut rotations): (Vec<Option<f64>>, Vec<Option<Quat>>) = (Vec::new(), Vec::new());
    for (number, line) in lines {
        progress.check().map_err(|stopped| TextError(number, 1, stopped.to_string()))?;
        let fields = fields(line, separator).map_err(|(column, cause)| TextError(number, column, cause))?;
        if fields.len() != names.len() {
            let cause = format!("the line has {} columns, but the header has {}", fields.len(), names.len());
            return Err(TextError(number, fields.len().min(names.len()), cause));
        }
        cells.clear();
        for (column, field) in (1..).zip(&fields) {
            let cell = dialect.cell(field, number).map_err(|cause| TextError(number, column, cause))?;
            cells.push(cell);
        }
        let at = |column: usize| cells.get(column).copied().flatten();
        let time = at(time_column)
            .ok_or_else(|| TextError(number, time_column + 1, "the time is missing".to_owned()))?;
        if take.times.last().is_some_and(|last| time <= *last) {
            let cause = format!("the time {time} s is not after the time of the previous line");
            return Err(TextError(number, time_column + 1, cause));
        }
        take.times.push(time);
        take.positions.frames.push(positions.iter().map(|(_, c)| position(c.map(at))));
        rotations.clear();
        for (_, columns) in &orientations {
            let error = |cause| TextError(number, columns[0] + 1, cause);
            rotations.push(orientation(columns.map(at)).map_err(error)?);
        }
        take.orientations.frames.push(rotations.iter().copied());
    }
    Ok(take)
}

/// Returns the column of the time, and the columns of each position and each orientation.
fn header(names: &[Cow<str>]) -> Result<(usize, JointColumns<3>, JointColumns<4>), (usize, String)> {
    const PARTS: [&str; 7] = ["x", "y", "z", "qx", "qy", "qz", "qw"];
    let (mut time, mut joints, mut order) = (None, HashMap::<&str, [Option<usize>; 7]>::new(), Vec::new());
    for (column, name) in names.iter().enumerate() {
        let name = name.as_ref();
        if name == "time" {
            if time.replace(column).is_some() {
                return Err((column + 1, "the column \"time\" appears twice".to_owned()));
            }
            continue;
        }
        let found = name
            .rsplit_once('.')
            .and_then(|(joint, part)| Some((joint, PARTS.iter().position(|p| *p == part)?)));
        let Some((joint, part)) = found else {
            return Err((
                column + 1,
                format!(
                    "unknown column \"{}\"; expected time, JOINT.x, .y, .z or JOINT.qx, .qy, .qz, .qw",
                    brief(name)
                ),
            ));
        };
        let parts = joints.entry(joint).or_insert_with(|| {
            order.push(joint);
            [None; 7]
        });
        if parts[part].replace(column).is_some() {
            return Err((column + 1, format!("the column \"{}\" appears twice", brief(name))));
        }
    }
    let time = time.ok_or_else(|| (1, "the column \"time\" is missing".to_owned()))?;
    let (mut positions, mut orientations) = (Vec::new(), Vec::new());
    for joint in order {
        let parts = joints.get(joint).copied().unwrap_or_default();
        let [x, y, z, qx, qy, qz, qw] = parts;
        match (x, y, z) {
            (Some(x), Some(y), Some(z)) => positions.push((joint.to_owned(), [x, y, z])),
            (None, None, None) => {}
            _ => return Err(incomplete(joint, &parts, ".x, .y and .z")),
        }
        match (qx, qy, qz, qw) {
            (Some(x), Some(y), Some(z), Some(w)) => orientations.push((joint.to_owned(), [x, y, z, w])),
            (None, None, None, None) => {}
            _ => return Err(incomplete(joint, &parts, ".qx, .qy, .qz and .qw")),
        }
    }
    Ok((time, positions, orientations))
}

fn incomplete(joint: &str, parts: &[Option<usize>], required: &str) -> (usize, String) {
    let column = parts.iter().flatten().min().map_or(1, |c| c + 1);
    (column, format!("joint \"{}\" needs all of {required}", brief(joint)))
}

#[expect(clippy::cast_possible_truncation, reason = "cells are in the range of single precision")]
pub(super) fn position(cells: [Option<f64>; 3]) -> Option<Vec3> {
    let [x, y, z] = cells;
    Some(Vec3::new(x? as f32, y? as f32, z? as f32))
}

fn orientation(cells: [Option<f64>; 4]) -> Result<Option<Quat>, String> {
    let [Some(x), Some(y), Some(z), Some(w)] = cells else { return Ok(None) };
    #[expect(clippy::cast_possible_truncation, reason = "cells are in the range of single precision")]
    let written = Quat::from_xyzw(x as f32, y as f32, z as f32, w as f32);
    if written.is_normalized() {
        return Ok(Some(written));
    }
    let q = glam::DQuat::from_xyzw(x, y, z, w);
    let length = q.length();
    if !(length.is_finite() && length > 1e-6) {
        return Err("the quaternion is zero".to_owned());
    }
    Ok(Some((q / length).as_quat().normalize()))
}

/// Writes a take as CSV. Reading the text returns exactly the same numbers.
pub fn write_csv(take: &Take) -> String {
    let mut out = String::from("time");
    let mut push_names = |joints: &[String], parts: &[&str]| {
        for (joint, part) in joints.iter().flat_map(|j| parts.iter().map(move |p| (j, p))) {
            out.push(',');
            out.push_str(&quoted(&format!("{joint}.{part}")));
        }
    };
    push_names(&take.positions.joints, &["x", "y", "z"]);
    push_names(&take.orientations.joints, &["qx", "qy", "qz", "qw"]);
    out.push('\n');
    let push_cells = |out: &mut String, value: Option<&[f32]>, width: usize| {
        for part in 0..width {
            out.push(',');
            if let Some(number) = value.and_then(|v| v.get(part)) {
                out.push_str(&number.to_string());
            }
        }
    };
    for (frame, time) in take.times.iter().enumerate() {
        out.push_str(&time.to_string());
        for joint in 0..take.positions.joints.len() {
            let value = take.positions.frames.get(frame).and_then(|f| f.get(joint).copied().flatten());
            push_cells(&mut out, value.map(|v| v.to_array()).as_ref().map(<[f32; 3]>::as_slice), 3);
        }
        for joint in 0..take.orientations.joints.len() {
            let value = take.orientations.frames.get(frame).and_then(|f| f.get(joint).copied().flatten());
            push_cells(&mut out, value.map(|v| v.to_array()).as_ref().map(<[f32; 4]>::as_slice), 4);
        }
        out.push('\n');
    }
    out
}

/// Quotes a name if necessary. Control characters become spaces, because a field cannot contain a line break.
fn quoted(name: &str) -> Cow<'_, str> {
    if !name.contains(|c: char| c == ',' || c == ';' || c == '"' || c.is_control()) && name.trim() == name {
        return name.into();
    }
    format!("\"{}\"", name.replace('"', "\"\"").replace(char::is_control, " ")).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Frames;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Take, String> {
        parse_csv(Path::new("take.csv"), text).map_err(|e| e.to_string())
    }

    fn tracks<V: std::fmt::Debug + Clone + 'static>(
        value: impl Strategy<Value = V> + Clone + 'static,
        names: &'static [&'static str],
    ) -> impl Strategy<Value = Tracks<V>> {
        (0..=names.len()).prop_flat_map(move |count| {
            let joints: Vec<String> = names[..count].iter().map(|n| (*n).to_owned()).collect();
            prop::collection::vec(prop::collection::vec(prop::option::of(value.clone()), count), 4)
                .prop_map(move |frames| Tracks { joints: joints.clone(), frames: Frames::of(count, frames) })
        })
    }

    proptest! {
        #[test]
        fn a_written_take_reads_back_unchanged(
            positions in tracks(prop::array::uniform3(-1e3..1e3_f32).prop_map(Vec3::from_array), &["hips", "left.hand", "a, \"b\""]),
            orientations in tracks(
                prop::array::uniform3(-3.0..3.0_f32).prop_map(|v| Quat::from_scaled_axis(v.into())),
                &["hips", " chest"],
            ),
        ) {
            let take = Take { times: vec![-0.5, 0.0, 1.0 / 3.0, 7.25], positions, orientations };
            prop_assert_eq!(read(&write_csv(&take)).unwrap(), take);
        }

        #[test]
        fn arbitrary_text_does_not_panic(text in "[time,;.xyzqw0-9\"\n\r -]{0,200}", more in any::<String>()) {
            let _ = read(&text);
            let _ = read(&more);
            let _ = read(&format!("time,a.x,a.y,a.z\n{more}"));
            let _ = read(&format!("time;a.x;a.y;a.z\n{text}"));
        }
    }

    #[test]
    fn cells_may_be_empty_and_columns_may_be_in_any_order() {
        let take = read("\u{feff}a.z, time ,a.x,a.y\r\n3,0,1,2\r\n\r\n,1,1,1\n1,2,NaN,1\n").unwrap();
        assert_eq!(take.times, [0.0, 1.0, 2.0]);
        let seen = [vec![Some(Vec3::new(1.0, 2.0, 3.0))], vec![None], vec![None]];
        assert_eq!(take.positions.frames, Frames::of(1, seen));
    }

    /// A German or French spreadsheet uses `;` and a decimal comma.
    #[test]
    fn semicolons_and_decimal_commas_are_read() {
        let plain = read("time,\"a,b.x\",\"a,b.y\",\"a,b.z\"\n0,1,-2.5,1e-3\n0.5,1.25,,0\n").unwrap();
        for text in [
            "time;\"a,b.x\";\"a,b.y\";\"a,b.z\"\n0;1;-2,5;1e-3\n0,5;1,25;;0\n",
            "time;\"a,b.x\";\"a,b.y\";\"a,b.z\"\n0;1;-2.5;0.001\n0.5;1.25;nan;0\n",
            "time,\"a,b.x\",\"a,b.y\",\"a,b.z\"\n0,1,\"-2,5\",\"0,001\"\n\"0,5\",\"1,25\",,0\n",
        ] {
            assert_eq!(read(text).unwrap(), plain, "{text}");
        }
    }

    #[test]
    fn an_ambiguous_decimal_sign_is_an_error() {
        for (text, expected) in [
            (
                "time;a.x;a.y;a.z\n0;0,5;1;2\n1;0.5;1;2\n",
                "line 3, column 2: \"0.5\" has a decimal point, but line 2 has a decimal comma",
            ),
            (
                "time;a.x;a.y;a.z\n0;1.234,5;1;2\n",
                "line 2, column 2: \"1.234,5\" is not a number in the range of single precision",
            ),
            (
                "time;a.x,a.y;a.z\n",
                "line 1, column 1: the header has both \",\" and \";\"; quote the names that contain one of them",
            ),
            // A decimal comma without quotes splits the number.
            (
                "time,a.x,a.y,a.z\n0,0,5,1,2\n",
                "line 2, column 4: the line has 5 columns, but the header has 4",
            ),
        ] {
            assert_eq!(read(text).unwrap_err(), format!("take.csv: {expected}"));
        }
    }

    #[test]
    fn errors_name_the_line_and_the_column() {
        let head = "time,a.x,a.y,a.z,b.qx,b.qy,b.qz,b.qw\n0,1,2,3,0,0,0,1\n";
        for (text, expected) in [
            (String::new(), "line 1, column 1: the header is missing"),
            ("a.x,a.y,a.z\n".into(), "line 1, column 1: the column \"time\" is missing"),
            ("time,a.x,a.y\n".into(), "line 1, column 2: joint \"a\" needs all of .x, .y and .z"),
            ("time,a.x,a.y,a.z,a.y\n".into(), "line 1, column 5: the column \"a.y\" appears twice"),
            (
                "time,speed\n".into(),
                "line 1, column 2: unknown column \"speed\"; expected time, JOINT.x, .y, .z or JOINT.qx, .qy, .qz, .qw",
            ),
            (format!("{head}1,2,3\n"), "line 3, column 3: the line has 3 columns, but the header has 8"),
            (
                format!("{head}1,2,x,3,0,0,0,1\n"),
                "line 3, column 3: \"x\" is not a number in the range of single precision",
            ),
            (
                format!("{head}1,2,inf,3,0,0,0,1\n"),
                "line 3, column 3: \"inf\" is not a number in the range of single precision",
            ),
            (
                format!("{head}\n0,1,2,3,0,0,0,1\n"),
                "line 4, column 1: the time 0 s is not after the time of the previous line",
            ),
            (format!("{head},1,2,3,0,0,0,1\n"), "line 3, column 1: the time is missing"),
            (format!("{head}1,1,2,3,0,0,0,0\n"), "line 3, column 5: the quaternion is zero"),
            (
                format!("{head}1,\"1,2,3,0,0,0,1\n"),
                "line 3, column 2: the quoted field is not closed, or text follows it",
            ),
        ] {
            assert_eq!(read(&text).unwrap_err(), format!("take.csv: {expected}"));
        }
    }
}
