//! Takes as text: one line a frame, a column a number.
//!
//! ```text
//! time,hips.x,hips.y,hips.z,chest.qx,chest.qy,chest.qz,chest.qw
//! 0,0.01,0.98,0,0,0,0,1
//! 0.008333,0.012,0.979,0.001,,,,
//! ```
//!
//! The first line names the columns: `time` in seconds, then of each joint its world position (`.x`, `.y`, `.z`) or the world
//! orientation of its segment (`.qx`, `.qy`, `.qz`, `.qw`), or both. Columns may stand in any order, but those of a value must all
//! be there. An empty cell, or `nan`, was not seen; a value misses if any of its cells does. Times rise. Fields may be quoted as in
//! RFC 4180, `""` for a quote within. Empty lines and a byte order mark are skipped.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use glam::{Quat, Vec3};

use crate::asset::LoadError;
use crate::bounded;

use super::{Take, Tracks};

/// The longest file that is read, bytes.
const LONGEST: u64 = 1 << 30;
/// So many columns may a line have.
const MOST_COLUMNS: usize = 1 << 14;

/// What is wrong: line and column (fields, not letters) from one, and the cause.
struct Fault(usize, usize, String);

/// Reads a take from a CSV file.
///
/// # Errors
/// [`LoadError`] with the line and the column at fault.
pub fn load_csv(path: &Path) -> Result<Take, LoadError> {
    let io = |source| LoadError::Io { path: path.to_owned(), source };
    parse_csv(path, &bounded::read_to_string(path, LONGEST).map_err(io)?)
}

/// Reads a take from text; the path is only for errors.
///
/// # Errors
/// [`LoadError`] with the line and the column at fault.
pub fn parse_csv(path: &Path, text: &str) -> Result<Take, LoadError> {
    parse(text).map_err(|Fault(line, column, cause)| LoadError::Object {
        path: path.to_owned(),
        at: format!("line {line}, column {column}"),
        cause,
    })
}

/// Where the numbers of a joint's value stand.
type Places<const N: usize> = Vec<(String, [usize; N])>;

fn parse(text: &str) -> Result<Take, Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = (1..).zip(text.lines()).filter(|(_, l)| !l.trim().is_empty());
    let (number, head) = lines.next().ok_or_else(|| Fault(1, 1, "no header".to_owned()))?;
    let names = fields(head).map_err(|(column, cause)| Fault(number, column, cause))?;
    let header = header(&names).map_err(|(column, cause)| Fault(number, column, cause))?;
    let (time_column, points, turns) = header;
    let named = |names: Vec<&String>| names.into_iter().cloned().collect();
    let mut take = Take {
        times: Vec::new(),
        positions: Tracks::of(named(points.iter().map(|(n, _)| n).collect())),
        orientations: Tracks::of(named(turns.iter().map(|(n, _)| n).collect())),
    };
    let (mut cells, mut turned): (Vec<Option<f64>>, Vec<Option<Quat>>) = (Vec::new(), Vec::new());
    for (number, line) in lines {
        let fields = fields(line).map_err(|(column, cause)| Fault(number, column, cause))?;
        if fields.len() != names.len() {
            let cause = format!("{} columns, the header has {}", fields.len(), names.len());
            return Err(Fault(number, fields.len().min(names.len()), cause));
        }
        cells.clear();
        for (column, field) in (1..).zip(&fields) {
            let cell = cell(field)
                .ok_or_else(|| Fault(number, column, format!("\"{}\" is no number", brief(field))))?;
            cells.push(cell);
        }
        let at = |column: usize| cells.get(column).copied().flatten();
        let time = at(time_column).ok_or_else(|| Fault(number, time_column + 1, "no time".to_owned()))?;
        if take.times.last().is_some_and(|last| time <= *last) {
            let cause = format!("{time} s is not after the line before");
            return Err(Fault(number, time_column + 1, cause));
        }
        take.times.push(time);
        take.positions.frames.push(points.iter().map(|(_, c)| position(c.map(at))));
        turned.clear();
        for (_, columns) in &turns {
            let fault = |cause| Fault(number, columns[0] + 1, cause);
            turned.push(orientation(columns.map(at)).map_err(fault)?);
        }
        take.orientations.frames.push(turned.iter().copied());
    }
    Ok(take)
}

/// The column of the time, and those of each position and each orientation.
fn header(names: &[Cow<str>]) -> Result<(usize, Places<3>, Places<4>), (usize, String)> {
    const PARTS: [&str; 7] = ["x", "y", "z", "qx", "qy", "qz", "qw"];
    let (mut time, mut joints, mut order) = (None, HashMap::<&str, [Option<usize>; 7]>::new(), Vec::new());
    for (column, name) in names.iter().enumerate() {
        let name = name.as_ref();
        if name == "time" {
            if time.replace(column).is_some() {
                return Err((column + 1, "a second column \"time\"".to_owned()));
            }
            continue;
        }
        let found = name
            .rsplit_once('.')
            .and_then(|(joint, part)| Some((joint, PARTS.iter().position(|p| *p == part)?)));
        let Some((joint, part)) = found else {
            return Err((
                column + 1,
                format!("\"{}\": write time, JOINT.x, .y, .z or JOINT.qx, .qy, .qz, .qw", brief(name)),
            ));
        };
        let parts = joints.entry(joint).or_insert_with(|| {
            order.push(joint);
            [None; 7]
        });
        if parts[part].replace(column).is_some() {
            return Err((column + 1, format!("a second column \"{}\"", brief(name))));
        }
    }
    let time = time.ok_or_else(|| (1, "no column \"time\"".to_owned()))?;
    let (mut points, mut turns) = (Vec::new(), Vec::new());
    for joint in order {
        let parts = joints.get(joint).copied().unwrap_or_default();
        let [x, y, z, qx, qy, qz, qw] = parts;
        match (x, y, z) {
            (Some(x), Some(y), Some(z)) => points.push((joint.to_owned(), [x, y, z])),
            (None, None, None) => {}
            _ => return Err(incomplete(joint, &parts, ".x, .y and .z")),
        }
        match (qx, qy, qz, qw) {
            (Some(x), Some(y), Some(z), Some(w)) => turns.push((joint.to_owned(), [x, y, z, w])),
            (None, None, None, None) => {}
            _ => return Err(incomplete(joint, &parts, ".qx, .qy, .qz and .qw")),
        }
    }
    Ok((time, points, turns))
}

fn incomplete(joint: &str, parts: &[Option<usize>], wanted: &str) -> (usize, String) {
    let column = parts.iter().flatten().min().map_or(1, |c| c + 1);
    (column, format!("joint \"{}\" does not have all of {wanted}", brief(joint)))
}

/// The fields of a line, unquoted; in a fault its column, from one.
fn fields(line: &str) -> Result<Vec<Cow<'_, str>>, (usize, String)> {
    let (mut all, mut rest) = (Vec::new(), line);
    loop {
        let column = all.len() + 1;
        if column > MOST_COLUMNS {
            return Err((column, format!("more than {MOST_COLUMNS} columns")));
        }
        let (field, after) = match rest.trim_start().strip_prefix('"') {
            None => match rest.split_once(',') {
                Some((field, after)) => (Cow::Borrowed(field.trim()), Some(after)),
                None => (Cow::Borrowed(rest.trim()), None),
            },
            Some(quoted) => unquoted(quoted)
                .ok_or_else(|| (column, "a quote is not closed, or text follows it".to_owned()))?,
        };
        all.push(field);
        match after {
            Some(after) => rest = after,
            None => return Ok(all),
        }
    }
}

/// A field after its opening quote, and what follows its comma.
fn unquoted(text: &str) -> Option<(Cow<'_, str>, Option<&str>)> {
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
        return match after.strip_prefix(',') {
            Some(after) => Some((field.into(), Some(after))),
            None => after.is_empty().then_some((field.into(), None)),
        };
    }
}

/// A finite number, or nothing where nothing was seen; `None` for anything else.
fn cell(field: &str) -> Option<Option<f64>> {
    let field = field.trim();
    if field.is_empty() || field.eq_ignore_ascii_case("nan") {
        return Some(None);
    }
    // Beyond single precision a position is none.
    field.parse::<f64>().ok().filter(|x| x.abs() < f64::from(f32::MAX)).map(Some)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "what is captured is in single precision; cells are within it"
)]
fn position(cells: [Option<f64>; 3]) -> Option<Vec3> {
    let [x, y, z] = cells;
    Some(Vec3::new(x? as f32, y? as f32, z? as f32))
}

fn orientation(cells: [Option<f64>; 4]) -> Result<Option<Quat>, String> {
    let [Some(x), Some(y), Some(z), Some(w)] = cells else { return Ok(None) };
    #[expect(clippy::cast_possible_truncation, reason = "as positions")]
    let written = Quat::from_xyzw(x as f32, y as f32, z as f32, w as f32);
    if written.is_normalized() {
        return Ok(Some(written));
    }
    let q = glam::DQuat::from_xyzw(x, y, z, w);
    let length = q.length();
    if !(length.is_finite() && length > 1e-6) {
        return Err("the quaternion has no length".to_owned());
    }
    Ok(Some((q / length).as_quat().normalize()))
}

/// The start of a text, for an error of one line.
fn brief(text: &str) -> String {
    text.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A take as CSV, ready to be read again: numbers come back bit by bit.
pub fn write_csv(take: &Take) -> String {
    let mut out = String::from("time");
    let mut named = |joints: &[String], parts: &[&str]| {
        for (joint, part) in joints.iter().flat_map(|j| parts.iter().map(move |p| (j, p))) {
            out.push(',');
            out.push_str(&quoted(&format!("{joint}.{part}")));
        }
    };
    named(&take.positions.joints, &["x", "y", "z"]);
    named(&take.orientations.joints, &["qx", "qy", "qz", "qw"]);
    out.push('\n');
    let add = |out: &mut String, value: Option<&[f32]>, width: usize| {
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
            add(&mut out, value.map(|v| v.to_array()).as_ref().map(<[f32; 3]>::as_slice), 3);
        }
        for joint in 0..take.orientations.joints.len() {
            let value = take.orientations.frames.get(frame).and_then(|f| f.get(joint).copied().flatten());
            add(&mut out, value.map(|v| v.to_array()).as_ref().map(<[f32; 4]>::as_slice), 4);
        }
        out.push('\n');
    }
    out
}

/// A name as a field. A field ends with its line: what would end it is written as a space.
fn quoted(name: &str) -> Cow<'_, str> {
    if !name.contains(|c: char| c == ',' || c == '"' || c.is_control()) && name.trim() == name {
        return name.into();
    }
    format!("\"{}\"", name.replace('"', "\"\"").replace(char::is_control, " ")).into()
}

#[cfg(test)]
mod tests {
    use super::super::Frames;
    use super::*;
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
        fn what_is_written_is_read_again(
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
        fn any_text_is_read_or_refused(text in "[time,.xyzqw0-9\"\n\r -]{0,200}", more in any::<String>()) {
            let _ = read(&text);
            let _ = read(&more);
            let _ = read(&format!("time,a.x,a.y,a.z\n{more}"));
        }
    }

    #[test]
    fn cells_may_be_empty_and_columns_in_any_order() {
        let take = read("\u{feff}a.z, time ,a.x,a.y\r\n3,0,1,2\r\n\r\n,1,1,1\n1,2,NaN,1\n").unwrap();
        assert_eq!(take.times, [0.0, 1.0, 2.0]);
        let seen = [vec![Some(Vec3::new(1.0, 2.0, 3.0))], vec![None], vec![None]];
        assert_eq!(take.positions.frames, Frames::of(1, seen));
    }

    #[test]
    fn faults_are_told_with_line_and_column() {
        let head = "time,a.x,a.y,a.z,b.qx,b.qy,b.qz,b.qw\n0,1,2,3,0,0,0,1\n";
        for (text, fault) in [
            (String::new(), "line 1, column 1: no header"),
            ("a.x,a.y,a.z\n".into(), "line 1, column 1: no column \"time\""),
            ("time,a.x,a.y\n".into(), "line 1, column 2: joint \"a\" does not have all of .x, .y and .z"),
            ("time,a.x,a.y,a.z,a.y\n".into(), "line 1, column 5: a second column \"a.y\""),
            (
                "time,speed\n".into(),
                "line 1, column 2: \"speed\": write time, JOINT.x, .y, .z or JOINT.qx, .qy, .qz, .qw",
            ),
            (format!("{head}1,2,3\n"), "line 3, column 3: 3 columns, the header has 8"),
            (format!("{head}1,2,x,3,0,0,0,1\n"), "line 3, column 3: \"x\" is no number"),
            (format!("{head}1,2,inf,3,0,0,0,1\n"), "line 3, column 3: \"inf\" is no number"),
            (format!("{head}\n0,1,2,3,0,0,0,1\n"), "line 4, column 1: 0 s is not after the line before"),
            (format!("{head},1,2,3,0,0,0,1\n"), "line 3, column 1: no time"),
            (format!("{head}1,1,2,3,0,0,0,0\n"), "line 3, column 5: the quaternion has no length"),
            (
                format!("{head}1,\"1,2,3,0,0,0,1\n"),
                "line 3, column 2: a quote is not closed, or text follows it",
            ),
        ] {
            assert_eq!(read(&text).unwrap_err(), format!("take.csv: {fault}"));
        }
    }
}
