//! Reads takes from TRC files, the text format of Motion Analysis and OpenSim for marker positions.
//!
//! ```text
//! PathFileType<TAB>4<TAB>(X/Y/Z)<TAB>walk.trc
//! DataRate<TAB>CameraRate<TAB>NumFrames<TAB>NumMarkers<TAB>Units
//! 60<TAB>60<TAB>2<TAB>2<TAB>mm
//! Frame#<TAB>Time<TAB>hips<TAB><TAB><TAB>head<TAB><TAB>
//! <TAB><TAB>X1<TAB>Y1<TAB>Z1<TAB>X2<TAB>Y2<TAB>Z2
//! 1<TAB>0.0<TAB>0<TAB>980<TAB>0<TAB>0<TAB>1600<TAB>0
//! 2<TAB>0.016667<TAB>0<TAB>981<TAB>0
//! ```
//!
//! A cell that is empty, or missing at the end of a line, means that the marker was not seen. Empty lines between the axis names and the
//! first frame are skipped.

use std::collections::HashSet;
use std::path::Path;

use crate::asset::LoadError;
use crate::files::{Progress, bounded};

use super::csv::{MAX_COLUMNS, MAX_FILE_BYTES, TextError, brief, cell, not_a_number, position};
use super::units::metres;
use super::{Take, Tracks};

/// Reads a take from a TRC file, reports the progress, and can be stopped from another thread.
///
/// # Errors
/// Same as [`parse_trc`], or [`LoadError::Stopped`].
pub(super) fn load_trc_with(path: &Path, progress: &Progress) -> Result<Take, LoadError> {
    let io = |source| LoadError::Io { path: path.to_owned(), source };
    let text = bounded::read_to_string_with(path, MAX_FILE_BYTES, progress).map_err(io);
    match text.and_then(|text| parse(&text, progress).map_err(|error| error.of(path))) {
        Err(_) if progress.is_stopped() => Err(LoadError::Stopped { path: path.to_owned() }),
        other => other,
    }
}

/// Parses a take from the text of a TRC file. The path is only used in error messages. Positions are converted to metres.
///
/// # Errors
/// [`LoadError`] with the line and the column if a field is invalid.
pub fn parse_trc(path: &Path, text: &str) -> Result<Take, LoadError> {
    parse(text, &Progress::default()).map_err(|error| error.of(path))
}

fn parse(text: &str, progress: &Progress) -> Result<Take, TextError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = (1..).zip(text.lines());
    let mut header = |what: &str, number: usize| {
        lines.next().map(|(_, line)| line).ok_or_else(|| TextError(number, 1, format!("{what} is missing")))
    };
    if !header("the line PathFileType", 1)?.trim_start().starts_with("PathFileType") {
        return Err(TextError(1, 1, "a TRC file begins with PathFileType".to_owned()));
    }
    let (keys, values) = (header("the line of keys", 2)?, header("the line of values", 3)?);
    let value = |key: &str| {
        let mut pairs = (1..).zip(keys.split('\t').zip(values.split('\t')));
        pairs.find(|(_, (k, _))| k.trim() == key).map(|(column, (_, value))| (column, value.trim()))
    };
    let unit = match value("Units") {
        None => 1.0,
        Some((column, unit)) => metres(unit).ok_or_else(|| {
            let cause = format!("unknown unit \"{}\"; expected m, cm, mm, in or ft", brief(unit));
            TextError(3, column, cause)
        })?,
    };
    let names = names(header("the line of marker names", 4)?)?;
    if let Some((column, text)) = value("NumMarkers")
        && text.parse() != Ok(names.len())
    {
        let cause = format!("NumMarkers is \"{}\", but line 4 names {} markers", brief(text), names.len());
        return Err(TextError(3, column, cause));
    }
    header("the line of axes", 5)?;
    let mut take = Take { positions: Tracks::of(names), ..Take::default() };
    let count = take.positions.joints.len();
    let mut cells: Vec<Option<f64>> = Vec::new();
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        progress.check().map_err(|stopped| TextError(number, 1, stopped.to_string()))?;
        cells.clear();
        for (column, field) in (1..).zip(line.split('\t')) {
            if column > 2 + 3 * count {
                if field.trim().is_empty() {
                    break;
                }
                let cause = format!("the line has values after those of the {count} markers");
                return Err(TextError(number, column, cause));
            }
            cells.push(cell(field).ok_or_else(|| TextError(number, column, not_a_number(field)))?);
        }
        let at = |column: usize| cells.get(column).copied().flatten();
        let time = at(1).ok_or_else(|| TextError(number, 2, "the time is missing".to_owned()))?;
        if take.times.last().is_some_and(|last| time <= *last) {
            let cause = format!("the time {time} s is not after the time of the previous line");
            return Err(TextError(number, 2, cause));
        }
        take.times.push(time);
        let coordinate = |column: usize| at(column).map(|x| x * unit);
        let marker = |marker: usize| position([0, 1, 2].map(|axis| coordinate(2 + 3 * marker + axis)));
        take.positions.frames.push((0..count).map(marker));
    }
    take.orientations.frames.resize(take.times.len());
    Ok(take)
}

/// Returns the names of the markers. Each name is above the first of the marker's three columns.
fn names(line: &str) -> Result<Vec<String>, TextError> {
    let mut names = Vec::new();
    let mut seen = HashSet::new();
    for (column, name) in (1..).zip(line.split('\t')).skip(2).filter(|(_, name)| !name.trim().is_empty()) {
        let name = name.trim();
        if !seen.insert(name) {
            return Err(TextError(4, column, format!("the marker \"{}\" appears twice", brief(name))));
        }
        if names.len() >= MAX_COLUMNS / 3 {
            return Err(TextError(4, column, format!("more than {} markers", MAX_COLUMNS / 3)));
        }
        names.push(name.to_owned());
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    const TEXT: &str = "PathFileType\t4\t(X/Y/Z)\twalk.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n\
        60\t60\t2\t2\tmm\nFrame#\tTime\thips\t\t\tR.ASIS\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n\
        1\t0.0\t0\t980\t-5\t10\t1600\t20\t\n2\t0.5\t1\t981\t0\n";

    fn read(text: &str) -> Result<Take, String> {
        parse_trc(Path::new("a.trc"), text).map_err(|e| e.to_string())
    }

    #[test]
    fn markers_are_read_in_metres_and_cells_may_be_missing() {
        let take = read(TEXT).unwrap();
        assert_eq!(
            (take.positions.joints.join(" "), &take.times[..]),
            ("hips R.ASIS".to_owned(), &[0.0, 0.5][..])
        );
        let at = |x: f32, y: f32, z: f32| Some(Vec3::new(x, y, z));
        assert_eq!(take.positions.frames[0], [at(0.0, 0.98, -0.005), at(0.01, 1.6, 0.02)]);
        assert_eq!(take.positions.frames[1], [at(0.001, 0.981, 0.0), None]);
    }

    #[test]
    fn errors_name_the_line_and_the_column() {
        for (from, to, expected) in [
            ("PathFileType", "time", "line 1, column 1: a TRC file begins with PathFileType"),
            ("mm", "furlong", "line 3, column 5: unknown unit \"furlong\"; expected m, cm, mm, in or ft"),
            ("R.ASIS", "hips", "line 4, column 6: the marker \"hips\" appears twice"),
            ("\t2\tmm", "\t3\tmm", "line 3, column 4: NumMarkers is \"3\", but line 4 names 2 markers"),
            ("980", "x", "line 7, column 4: \"x\" is not a number in the range of single precision"),
            ("0.5", "0", "line 8, column 2: the time 0 s is not after the time of the previous line"),
            ("0.5", "", "line 8, column 2: the time is missing"),
            ("20\t", "20\t1", "line 7, column 9: the line has values after those of the 2 markers"),
        ] {
            assert_eq!(read(&TEXT.replacen(from, to, 1)).unwrap_err(), format!("a.trc: {expected}"));
        }
        // If the text is cut off anywhere, the result is an error or a shorter take.
        for end in 0..TEXT.len() {
            match read(&TEXT[..end]) {
                Ok(take) => assert!(take.positions.joints.len() == 2 && take.times.len() <= 2),
                Err(error) => assert!(error.starts_with("a.trc: line "), "{error}"),
            }
        }
    }
}
