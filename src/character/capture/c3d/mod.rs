//! Reads takes from C3D files, the binary format of optical systems.
//!
//! A file consists of blocks of 512 bytes: a header, parameters in groups, and the points and analog values of each frame. Numbers have the
//! format of one of three processors. A point has scaled integers or floating-point numbers as coordinates, and a word that is negative if
//! the point was not seen. Analog values are skipped. See "The C3D File Format: A Technical User Guide", Motion Lab Systems 2021.

mod bytes;
mod parameters;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::path::Path;

use glam::{DVec3, Vec3};

use crate::asset::LoadError;
use crate::files::{Progress, bounded};

use super::units::metres;
use super::{Take, Tracks};
use bytes::{Bytes, Processor};
use parameters::{BLOCK, Parameters};

/// Maximum size of a file, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 30;
/// Maximum frame rate, in hertz.
const MAX_RATE: f64 = 1e6;

/// The location and the cause of an error in a file.
#[derive(Debug)]
struct C3dError {
    at: String,
    cause: String,
}

impl C3dError {
    fn at(at: impl Into<String>, cause: impl Into<String>) -> Self {
        Self { at: at.into(), cause: cause.into() }
    }
}

/// Reads a take from a C3D file. Reports the progress, and can be stopped from another thread.
///
/// # Errors
/// Same as [`parse_c3d`], or [`LoadError::Stopped`].
pub(super) fn load_c3d_with(path: &Path, progress: &Progress) -> Result<Take, LoadError> {
    let io = |source| LoadError::Io { path: path.to_owned(), source };
    let bytes = bounded::read_regular_with(path, MAX_FILE_BYTES, progress).map_err(io);
    match bytes.and_then(|bytes| parse_c3d(path, &bytes)) {
        Err(_) if progress.is_stopped() => Err(LoadError::Stopped { path: path.to_owned() }),
        other => other,
    }
}

/// Parses a take from the bytes of a C3D file. The path is only used in error messages.
///
/// Positions are converted to metres if the file names a known unit. The axis of `POINT:Y_SCREEN`, or +Z without that parameter,
/// becomes +Y. A prefix `SUBJECT:` that all labels share is removed. Points without a label, or with the label of an earlier one,
/// are called `point N`, where N counts from one.
///
/// # Errors
/// [`LoadError`] with the location of the invalid data.
pub fn parse_c3d(path: &Path, bytes: &[u8]) -> Result<Take, LoadError> {
    parse(bytes).map_err(|C3dError { at, cause }| LoadError::Object { path: path.to_owned(), at, cause })
}

fn parse(all: &[u8]) -> Result<Take, C3dError> {
    let [block, 0x50, ..] = *all else { return Err(C3dError::at("header", "this is not a C3D file")) };
    let start = usize::from(block).saturating_sub(1) * BLOCK;
    let unknown = Bytes { all, processor: Processor::Intel };
    let code = unknown.byte(start + 3)?;
    let processor = Processor::from_code(code).ok_or_else(|| {
        C3dError::at("parameters", format!("unknown processor {code}; expected 84, 85 or 86"))
    })?;
    let bytes = Bytes { all, processor };
    let parameters = Parameters::read(bytes, start)?;
    let layout = Layout::read(&bytes, &parameters)?;
    let unit = parameters.texts("UNITS").next().and_then(|unit| metres(&unit)).unwrap_or(1.0);
    let axes = axes(&parameters);
    let names = names(&parameters, layout.points);
    let mut take = Take { positions: Tracks::of(names), ..Take::default() };
    for frame in 0..layout.frames {
        #[expect(clippy::cast_precision_loss, reason = "a file has fewer frames than 2^52")]
        take.times.push(frame as f64 / layout.rate);
        let points = layout.frame(all, frame)?;
        take.positions.frames.push(points.chunks(layout.point_bytes()).map(|point| {
            let measured = layout.point(processor, point)? * unit;
            let [x, y, z] = axes.map(|axis| axis.dot(measured));
            Some(DVec3::new(x, y, z).as_vec3()).filter(|p: &Vec3| p.is_finite())
        }));
    }
    // The table of orientations has no columns, but it has as many frames as the table of positions.
    take.orientations.frames.resize(layout.frames);
    Ok(take)
}

/// The location and the format of the points.
struct Layout {
    points: usize,
    frames: usize,
    rate: f64,
    /// Offset of the first frame in bytes.
    data: usize,
    /// Size of a frame in bytes: its points and its analog values.
    frame_bytes: usize,
    /// The scale factor of integer coordinates, or `None` for floating-point coordinates.
    scale: Option<f64>,
}

impl Layout {
    fn read(bytes: &Bytes, parameters: &Parameters) -> Result<Self, C3dError> {
        let scale = parameters.number("SCALE").map_or_else(|| bytes.float(12), Ok)?;
        let rate = parameters.number("RATE").map_or_else(|| bytes.float(20), Ok)?;
        if !(rate > 0.0 && rate <= MAX_RATE) {
            let cause =
                format!("the frame rate is {rate} Hz; expected more than 0 and at most {MAX_RATE} Hz");
            return Err(C3dError::at("POINT:RATE", cause));
        }
        let points = parameters.count("USED").map_or_else(|| bytes.count(2), Ok)?;
        if points == 0 {
            return Err(C3dError::at("POINT:USED", "the file contains no points"));
        }
        let header = (bytes.count(6)?, bytes.count(8)?);
        let trial =
            (parameters.trial_frame("ACTUAL_START_FIELD"), parameters.trial_frame("ACTUAL_END_FIELD"));
        // The header cannot store numbers above 65535.
        let (first, last) = trial.0.zip(trial.1).unwrap_or(header);
        if last < first {
            return Err(C3dError::at(
                "header",
                format!("the last frame {last} is before the first, {first}"),
            ));
        }
        let block =
            Some(bytes.count(16)?).filter(|block| *block > 0).or_else(|| parameters.count("DATA_START"));
        let data = block.unwrap_or(0).checked_sub(1).map(|block| block * BLOCK);
        let data = data.ok_or_else(|| C3dError::at("header", "the block of the first frame is missing"))?;
        let scale = (scale > 0.0).then_some(scale);
        let number_bytes = if scale.is_some() { 2 } else { 4 };
        // Analog values have the same format as coordinates.
        let frame_bytes = (points * 4 + bytes.count(4)?) * number_bytes;
        let layout = Self { points, frames: last - first + 1, rate, data, frame_bytes, scale };
        // No frame is read and no memory is reserved until all frames are known to exist.
        layout.frame(bytes.all, layout.frames - 1).map(|_| layout)
    }

    fn point_bytes(&self) -> usize {
        if self.scale.is_some() { 8 } else { 16 }
    }

    fn frame<'a>(&self, all: &'a [u8], frame: usize) -> Result<&'a [u8], C3dError> {
        let start = frame.checked_mul(self.frame_bytes).and_then(|offset| offset.checked_add(self.data));
        let is_whole = |start: &usize| all.len() >= start.saturating_add(self.frame_bytes);
        let points = start
            .filter(is_whole)
            .and_then(|start| all.get(start..)?.get(..self.points * self.point_bytes()));
        points.ok_or_else(|| {
            let cause = format!("the file ends before frame {} of {}", frame + 1, self.frames);
            C3dError::at("data", cause)
        })
    }

    /// Returns the coordinates of a point, or `None` if it was not seen.
    fn point(&self, processor: Processor, bytes: &[u8]) -> Option<DVec3> {
        let [x, y, z, word] = match self.scale {
            Some(scale) => {
                let (words, _) = bytes.as_chunks::<2>();
                let [x, y, z, word] =
                    <[[u8; 2]; 4]>::try_from(words).ok()?.map(|w| f64::from(processor.integer(w)));
                [x * scale, y * scale, z * scale, word]
            }
            None => {
                <[[u8; 4]; 4]>::try_from(bytes.as_chunks::<4>().0).ok()?.map(|four| processor.float(four))
            }
        };
        // The high byte of the word is the set of cameras that saw the point, and the low byte is its residual.
        Some(DVec3::new(x, y, z)).filter(|p| word >= 0.0 && p.is_finite())
    }
}

fn names(parameters: &Parameters, points: usize) -> Vec<String> {
    // A parameter contains at most 255 texts.
    let further = (2..=points / 255 + 1).flat_map(|number| parameters.texts(&format!("LABELS{number}")));
    let mut labels: Vec<String> = parameters.texts("LABELS").chain(further).take(points).collect();
    labels.resize(points, String::new());
    let subject = |label: &str| label.split_once(':').map(|(subject, _)| subject.to_owned());
    let first = labels.first().and_then(|label| subject(label));
    if first.is_some() && labels.iter().filter(|l| !l.is_empty()).all(|label| subject(label) == first) {
        labels
            .iter_mut()
            .for_each(|label| *label = label.split_once(':').map_or("", |(_, own)| own).to_owned());
    }
    let mut seen: HashSet<String> = labels.iter().cloned().collect();
    let mut used = HashSet::new();
    for (label, number) in labels.iter_mut().zip(1..) {
        if label.is_empty() || !used.insert(label.clone()) {
            // A label may equal the name given to an unlabelled point.
            let names =
                (1..).map(|n| if n == 1 { format!("point {number}") } else { format!("point {number}_{n}") });
            *label = names.into_iter().find(|name| seen.insert(name.clone())).unwrap_or_default();
        }
    }
    labels
}

/// Returns the axes of the file that become +X, +Y and +Z.
fn axes(parameters: &Parameters) -> [DVec3; 3] {
    let axis = |name: &str| {
        let text = parameters.texts(name).next()?.to_uppercase();
        let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
        let axis = match text.trim_start_matches(['+', '-']) {
            "X" => DVec3::X,
            "Y" => DVec3::Y,
            "Z" => DVec3::Z,
            _ => return None,
        };
        Some(axis * sign)
    };
    let up = axis("Y_SCREEN").unwrap_or(DVec3::Z);
    let right = axis("X_SCREEN").filter(|right| right.dot(up).abs() < 0.5);
    let right = right.unwrap_or(if up.x == 0.0 { DVec3::X } else { DVec3::Y });
    [right, up, right.cross(up)]
}
