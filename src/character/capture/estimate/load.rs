//! Loads takes as characters.

use std::path::Path;

use super::SkeletonOptions;
use crate::api::with_methods;
use crate::asset::{self, Character, LoadError, References, UpAxis};
use crate::capture::{RotationFit, defines_up, is_take, load_take_with};
use crate::files::Progress;

/// Options for loading a character. Most of them apply only to BVH files or takes.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadOptions {
    /// Length of one unit in metres, 1e-6 to 1e6. If `None`, it is guessed from the size of the skeleton.
    pub units: Option<f64>,
    /// Cutoff in hertz for smoothing a take before its skeleton is estimated ([`Take::smooth`](crate::capture::Take::smooth)).
    pub smooth: Option<f64>,
    /// The axis that points up in BVH, CSV and TRC files. Files of other formats define their up axis, and are loaded
    /// unchanged.
    pub up: UpAxis,
    /// The permitted locations of the files that a model references.
    pub references: References,
    /// Whether left and right bones of a take's skeleton get their mean length ([`SkeletonOptions::symmetric`]).
    pub symmetric: bool,
    /// How joint rotations of a take are computed from the positions of child joints.
    pub rotations: RotationFit,
}

impl Default for LoadOptions {
    fn default() -> Self {
        let (up, rotations) = (UpAxis::default(), RotationFit::default());
        Self { units: None, smooth: None, up, references: References::default(), symmetric: true, rotations }
    }
}

with_methods!(LoadOptions {
    with_units(units: Option<f64>),
    with_smooth(smooth: Option<f64>),
    with_up(up: UpAxis),
    with_references(references: References),
    with_symmetric(symmetric: bool),
    with_rotations(rotations: RotationFit),
});

/// Loads a take (`.csv`, `.trc` or `.c3d`) as a character whose skeleton is estimated
/// ([`Take::character`](crate::capture::Take::character)), and any other file like [`asset::load_with`].
///
/// # Errors
/// [`LoadError`] if the file cannot be loaded or the skeleton cannot be estimated.
pub fn load_character(
    path: &Path,
    options: &LoadOptions,
    progress: &Progress,
) -> Result<Character, LoadError> {
    let LoadOptions { units, smooth, up, ref references, symmetric, rotations } = *options;
    if !is_take(path) {
        let mut character = asset::load_with_references(path, units, references, progress)?;
        character.turn_up(up);
        return Ok(character);
    }
    let mut take = load_take_with(path, progress)?;
    if !defines_up(path) {
        take.turn_up(up);
    }
    progress.set_stage("Estimating the skeleton");
    if let Some(cutoff) = smooth {
        take.smooth(cutoff);
    }
    let failed = |cause: String| LoadError::Format { path: path.into(), cause };
    if units.is_some_and(|units| !(1e-6..=1e6).contains(&units)) {
        return Err(failed("units must be between 1e-6 and 1e6 metres".to_owned()));
    }
    let skeleton =
        SkeletonOptions::default().with_scale(units).with_symmetric(symmetric).with_rotations(rotations);
    take.character(path, &skeleton).map_err(|e| failed(e.to_string()))
}
