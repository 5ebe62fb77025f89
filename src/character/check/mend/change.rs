//! The changes that a repair makes, and their sizes.

use crate::asset::Clip;
use crate::check::checker::{CheckError, Checker};
use crate::check::kind::Check;
use crate::check::sampled::{Sampled, degrees_between};
use crate::mathematics::spans::number;

/// A repair of a clip.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Repair {
    /// The check that found the fault.
    pub check: Check,
    /// Node indices of the joints at fault.
    pub nodes: Vec<usize>,
    /// First time at which the fault occurred, in seconds.
    pub from: f32,
    /// Last time at which the fault occurred, in seconds.
    pub to: f32,
    /// Description of the repair, as a clause.
    pub text: String,
    /// The difference that the repair made.
    pub difference: Difference,
}

/// The differences between two versions of a clip in the local rotations and world positions of all joints in all frames.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// Mean angle over all joints and frames, in degrees.
    pub mean_degrees: f64,
    /// Largest angle in degrees.
    pub max_degrees: f64,
    /// Mean distance over all joints and frames, in millimetres.
    pub mean_millimetres: f64,
    /// Largest distance in millimetres.
    pub max_millimetres: f64,
}

impl Difference {
    /// Compares two clips of a character at the frames of the first clip. Lengths are divided by the size of the character relative to a
    /// person of 1.75 m.
    ///
    /// # Errors
    /// [`CheckError`] if a clip is too long.
    pub fn between(checker: &Checker<'_>, a: &Clip, b: &Clip) -> Result<Self, CheckError> {
        let first = Sampled::new(checker.character, a)?;
        let second = Sampled::at(checker.character, b, first.times.clone(), first.step)?;
        Ok(Self::of_samples(checker, &first, &second))
    }

    pub(super) fn of_samples(checker: &Checker<'_>, a: &Sampled, b: &Sampled) -> Self {
        let mut sum = Self::default();
        let joints = &checker.anatomy.joints;
        let scale = 1e3 / f64::from(checker.anatomy.size);
        let frames = a.len().min(b.len());
        for frame in 0..frames {
            for &node in joints {
                let degrees = degrees_between(a.local(frame, node).rotation, b.local(frame, node).rotation);
                let distance = a.position(frame, node).distance(b.position(frame, node));
                let millimetres = f64::from(distance) * scale;
                sum.mean_degrees += degrees;
                sum.mean_millimetres += millimetres;
                sum.max_degrees = sum.max_degrees.max(degrees);
                sum.max_millimetres = sum.max_millimetres.max(millimetres);
            }
        }
        let count = number(frames * joints.len()).max(1.0);
        Self { mean_degrees: sum.mean_degrees / count, mean_millimetres: sum.mean_millimetres / count, ..sum }
    }
}
