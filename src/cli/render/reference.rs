//! The comparison with a reference image.

use std::path::Path;

use crate::cli::failure::Failure;
use crate::cli::{Verbosity, output};
use crate::regress::{Drawn, GoldenState, compare};
use crate::render::{Background, DecodedImage};

use super::RenderArgs;

/// Reads the reference image. If the size of the image differs from the given size, the result has no pixels and
/// therefore never matches.
pub(super) fn read_reference(path: &Path, (width, height): (u32, u32)) -> Result<DecodedImage, Failure> {
    let read = Drawn::read(path, width, height).map_err(|e| Failure::Usage(e.to_string()))?;
    match read {
        None => Err(Failure::Usage(format!("{}: reference image does not exist", path.display()))),
        Some(GoldenState::Drawn(drawn)) => Ok(drawn.image),
        Some(GoldenState::OtherSize(width, height)) => Ok(DecodedImage { width, height, rgba: Vec::new() }),
    }
}

/// Returns whether an image matches the reference within `--threshold`. Returns true if there is no reference. If the image does not match,
/// prints the reason and writes a difference image.
pub(super) fn is_match(
    expected: Option<&DecodedImage>,
    actual: &DecodedImage,
    args: &RenderArgs,
    verbosity: Verbosity,
) -> Result<bool, Failure> {
    let Some(expected) = expected else { return Ok(true) };
    let reference = args.reference.as_deref().unwrap_or(Path::new("-"));
    let Some(difference) = compare(expected, actual, 0) else {
        let size = |p: &DecodedImage| format!("{}x{}", p.width, p.height);
        let (path, expected, actual) = (reference.display(), size(expected), size(actual));
        verbosity.print(&format!("{path}: image size is {actual}, but the reference has {expected}"));
        return Ok(false);
    };
    if difference.pixels() == 0 || args.threshold > 0.0 && difference.mean <= args.threshold {
        return Ok(true);
    }
    let (worst, [x, y]) = difference.worst;
    let message = format!(
        "{} pixels differ, mean FLIP error {:.5}, largest {worst:.4} at {x},{y}",
        difference.pixels(),
        difference.mean
    );
    verbosity.print(&format!("{}: {message}", reference.display()));
    if args.output != Path::new("-") {
        let image = difference.image(actual.width, actual.height);
        let bytes = image.png(Background::BLACK)?;
        output::file(&args.output.with_extension("diff.png"), &bytes)?;
    }
    Ok(false)
}
