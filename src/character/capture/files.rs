//! Reads takes from files of all formats.

use std::path::Path;

use crate::asset::LoadError;
use crate::files::Progress;

use super::Take;
use super::c3d::load_c3d_with;
use super::csv::load_csv_with;
use super::trc::load_trc_with;

/// File extensions of takes.
pub const TAKE_EXTENSIONS: [&str; 3] = ["csv", "trc", "c3d"];

/// Returns whether a file is read as a take, judging by its extension.
pub fn is_take(path: &Path) -> bool {
    extension(path).is_some()
}

/// Returns whether the format of a take defines the axis that points up.
pub fn defines_up(path: &Path) -> bool {
    extension(path) == Some("c3d")
}

fn extension(path: &Path) -> Option<&'static str> {
    let own = path.extension()?;
    TAKE_EXTENSIONS.into_iter().find(|known| own.eq_ignore_ascii_case(known))
}

/// Reads a take from a file. The extension selects `.trc` or `.c3d`. Any other file is read as CSV.
///
/// # Errors
/// [`LoadError`] with the location of the invalid data.
pub fn load_take(path: &Path) -> Result<Take, LoadError> {
    load_take_with(path, &Progress::default())
}

/// Same as [`load_take`], but reports the progress and can be stopped from another thread.
///
/// # Errors
/// Same as [`load_take`], and [`LoadError::Stopped`].
pub fn load_take_with(path: &Path, progress: &Progress) -> Result<Take, LoadError> {
    match extension(path) {
        Some("trc") => load_trc_with(path, progress),
        Some("c3d") => load_c3d_with(path, progress),
        _ => load_csv_with(path, progress),
    }
}
