//! Loads takes as characters.

use std::path::Path;

use super::SkeletonOptions;
use crate::asset::{self, Character, LoadError};
use crate::capture::{is_take, load_take_with};
use crate::files::Progress;

/// Loads a take (`.csv`, `.trc` or `.c3d`) as a character whose skeleton is estimated ([`Take::character`](crate::capture::Take::character)), and any
/// other file as [`asset::load_with`] does. `units` is the length in metres of one unit of a BVH file or of a take. `smooth` is the
/// cutoff in hertz with which a take is smoothed first ([`Take::smooth`](crate::capture::Take::smooth)).
///
/// # Errors
/// [`LoadError`], also if the skeleton cannot be estimated.
pub fn load_character(
    path: &Path,
    units: Option<f64>,
    smooth: Option<f64>,
    progress: &Progress,
) -> Result<Character, LoadError> {
    if !is_take(path) {
        return asset::load_with(path, units, progress);
    }
    let mut take = load_take_with(path, progress)?;
    progress.set_stage("Estimating the skeleton");
    if let Some(cutoff) = smooth {
        take.smooth(cutoff);
    }
    let failed = |cause: String| LoadError::Format { path: path.into(), cause };
    if units.is_some_and(|units| !(1e-6..=1e6).contains(&units)) {
        return Err(failed("units must be between 1e-6 and 1e6 metres".to_owned()));
    }
    take.character(path, &SkeletonOptions::default().with_scale(units)).map_err(|e| failed(e.to_string()))
}
