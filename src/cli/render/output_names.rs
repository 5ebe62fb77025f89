//! The names of the images that are written.

use std::path::{Path, PathBuf};

use crate::cli::failure::Failure;
use crate::cli::output;

use super::FrameRange;

pub(in crate::cli) struct OutputNames {
    pub(in crate::cli) single: PathBuf,
    /// The text before the first placeholder. Then, for each placeholder, its minimum number of digits and the text after it.
    pattern: Option<(String, Vec<(usize, String)>)>,
}

impl OutputNames {
    pub(in crate::cli) fn new(output: &Path, frames: Option<FrameRange>) -> Result<Self, Failure> {
        let invalid = |cause: &str| Failure::Usage(format!("--output {}: {cause}", output.display()));
        let is_png = output.extension().is_some_and(|e| e.eq_ignore_ascii_case("png"));
        if !is_png && output != Path::new("-") && !output.starts_with("/dev") {
            return Err(invalid("unknown file type; use .png"));
        }
        let text = output.to_string_lossy();
        let pattern = pattern(&text);
        match (frames, &pattern) {
            (Some(_), Some((_, numbers))) if numbers.is_empty() => {
                Err(invalid("a sequence needs {frame} or {frame:04} in its name"))
            }
            (Some(_), None) => Err(invalid("invalid frame number; write {frame} or {frame:04}")),
            _ => Ok(Self { single: output.into(), pattern }),
        }
    }

    /// Checks that the folder exists and that the first image can be written, before anything is posed or drawn.
    pub(in crate::cli) fn check(&self, frames: Option<FrameRange>) -> Result<(), Failure> {
        if self.single == Path::new("-") {
            return Ok(());
        }
        let path = frames.map_or_else(|| self.single.clone(), |frames| self.numbered(frames.first));
        let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        match folder.metadata() {
            Ok(folder) if folder.is_dir() => output::check(&path),
            Ok(_) => Err(Failure::Usage(format!("{}: not a folder", folder.display()))),
            Err(cause) => Err(Failure::Usage(format!("{}: {cause}", folder.display()))),
        }
    }

    pub(in crate::cli) fn numbered(&self, frame: u32) -> PathBuf {
        let Some((before, numbers)) = &self.pattern else { return self.single.clone() };
        let numbers = numbers.iter().map(|(width, after)| format!("{frame:0width$}{after}"));
        format!("{before}{}", numbers.collect::<String>()).into()
    }
}

/// Parses a name into the pattern of [`OutputNames`]; `None` if a placeholder is malformed.
fn pattern(name: &str) -> Option<(String, Vec<(usize, String)>)> {
    let mut parts = name.split("{frame");
    let before = parts.next()?.to_owned();
    let number = |part: &str| {
        let (width, after) = part.split_once('}')?;
        let width = if width.is_empty() { 0 } else { width.strip_prefix(":0")?.parse().ok()? };
        (width < 32).then(|| (width, after.to_owned()))
    };
    Some((before, parts.map(number).collect::<Option<_>>()?))
}
