//! Baked clips as files: a copy of the model with the clip, or its skeleton with the clip as BVH.

use std::path::Path;

use crate::asset::{Character, Clip, LoadError, Skeleton};
use crate::export::{animated_copy, animated_copy_loss, bvh};
use crate::motion::{Motion, Tolerance, reduce};

/// Length in metres of one unit of a written BVH file. Other programs expect centimetres.
const CENTIMETRE: f64 = 0.01;
/// Frame rate of clips whose keys have no regular rate, in frames per second.
const RATE: f32 = 30.0;
/// Key rates of captures and of exports from other programs, in frames per second. Keys at lower rates are assumed to have been set by
/// hand.
const RATES: std::ops::RangeInclusive<f32> = 12.0..=240.0;
/// Maximum relative deviation from a whole number of frames per second that is attributed to rounded key times.
const ROUNDING: f32 = 0.02;

/// File formats for clips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClipFormat {
    /// A copy of the model with the clip.
    Glb,
    /// The skeleton with the clip, as motion capture data.
    Bvh,
}

impl ClipFormat {
    /// Returns the format of a file by its extension.
    pub fn of(path: &Path) -> Option<Self> {
        let is = |extension: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension));
        if is("glb") { Some(Self::Glb) } else { is("bvh").then_some(Self::Bvh) }
    }
}

/// Why a clip cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum ClipFileError {
    /// The model cannot be copied.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The clip cannot be written as BVH.
    #[error(transparent)]
    Bvh(#[from] bvh::BvhError),
}

/// A baked clip that is ready to be written.
#[derive(Clone, Debug)]
pub struct BakedClip {
    all: Clip,
    reduced: Clip,
    rate: f32,
}

/// The contents of a file with a clip.
#[derive(Clone, Debug)]
pub struct ClipFile {
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// One line for each kind of data that the format cannot store.
    pub warnings: Vec<String>,
    /// A short description of the written data.
    pub summary: String,
}

impl BakedClip {
    /// Prepares a clip with a key in each frame. Keys are dropped as long as no value changes by more than `key_error`, in radians or
    /// metres. `rate` is the number of frames per second.
    pub fn new(clip: Clip, skeleton: &Skeleton, key_error: f32, rate: f32) -> Self {
        let tolerance =
            Tolerance { rotation: key_error, translation: key_error, scale: key_error, weights: key_error };
        let reduced = if key_error > 0.0 { reduce(&clip, skeleton, tolerance) } else { clip.clone() };
        Self { all: clip, reduced, rate }
    }

    /// Returns the contents of the file. `model` is the character's file, or `None` for the built-in character. A BVH file always contains
    /// all frames.
    ///
    /// # Errors
    /// [`ClipFileError`] if the model cannot be read again, or if the format cannot store the clip.
    pub fn file(
        &self,
        character: &Character,
        model: Option<&Path>,
        format: ClipFormat,
    ) -> Result<ClipFile, ClipFileError> {
        match format {
            ClipFormat::Glb => {
                let clip = &self.reduced;
                let bytes = animated_copy(character, model, std::slice::from_ref(clip))?;
                let warnings = animated_copy_loss(&character.skeleton, clip).into_iter().collect();
                Ok(ClipFile { bytes, warnings, summary: self.summary(clip) })
            }
            ClipFormat::Bvh => {
                let units = character.units.unwrap_or(CENTIMETRE);
                let written = bvh::write(character, &self.all, f64::from(self.rate), units)?;
                let (bytes, warnings) = (written.text.into_bytes(), written.warnings);
                Ok(ClipFile { bytes, warnings, summary: self.summary(&self.all) })
            }
        }
    }

    fn summary(&self, clip: &Clip) -> String {
        let (seconds, channels, keys) = (clip.seconds, clip.channels.len(), key_count(clip));
        format!("{seconds:.3} s, {channels} channels, {keys} of {} keys", key_count(&self.all))
    }
}

fn key_count(clip: &Clip) -> usize {
    clip.channels.iter().filter_map(|c| clip.timelines.get(c.timeline)).map(Vec::len).sum()
}

/// Returns the largest frame rate of the clips that a motion plays, in frames per second. It is computed from the times between keys.
pub fn rate_of(motion: &Motion, character: &Character) -> f32 {
    let strips = motion.strips.iter().flat_map(|strip| strip.clips.iter().map(|weighted| weighted.clip));
    let clips = strips.chain(motion.layers.iter().map(|layer| layer.clip));
    let clips = clips.filter_map(|clip| character.clips.get(clip));
    let rates = clips.flat_map(|clip| &clip.timelines).filter_map(|times| rate_of_keys(times));
    rates.reduce(f32::max).unwrap_or(RATE)
}

/// Returns the number of keys per second. If keys were dropped, most keys are several frames apart, but at least a tenth are assumed to be
/// one frame apart.
pub(crate) fn rate_of_keys(times: &[f32]) -> Option<f32> {
    let mut steps: Vec<f32> = times
        .windows(2)
        .map(|pair| pair.iter().rev().copied().reduce(|b, a| b - a))
        .map(Option::unwrap_or_default)
        .filter(|step| *step > 0.0)
        .collect();
    steps.sort_by(f32::total_cmp);
    let rate = 1.0 / steps.get(steps.len() / 10)?;
    let whole = rate.round();
    let rate = if (rate - whole).abs() <= whole * ROUNDING { whole } else { rate };
    RATES.contains(&rate).then_some(rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_of_keys_is_found() {
        let frames = |rate: f32, count: u16| (0..count).map(|i| f32::from(i) / rate).collect::<Vec<_>>();
        for rate in [24.0, 30.0, 60.0, 120.0] {
            assert_eq!(rate_of_keys(&frames(rate, 50)), Some(rate));
            // The last interval of a clip may be shorter.
            let mut times = frames(rate, 50);
            times.push(49.2 / rate);
            assert_eq!(rate_of_keys(&times), Some(rate));
        }
        assert_eq!(rate_of_keys(&frames(2.0, 9)), None, "keys that were set by hand");
        assert_eq!(rate_of_keys(&[0.0]), None);
        assert_eq!(rate_of_keys(&[0.0, 0.0]), None);
    }
}
