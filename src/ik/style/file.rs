//! What is written down of a model, and what is refused of what was.
//!
//! A document has `format` (`sinew-style-1`), `joints` (names, the base first), `means` (a quaternion a joint),
//! `centre` and `scales` (three numbers a joint: of the base height in metres and tilt about x and z, of others a
//! rotation vector, radians), `beta`, `gamma`, and `postures`: of each its place in latent space, `x`, and its features
//! less the centre, `y`. All else follows from these.

use glam::DQuat;
use serde::{Deserialize, Serialize};

use super::Style;
use super::model::{FEATURES, MOST_DIMENSIONS, MOST_JOINTS, MOST_POSTURES};

/// What a document of a style calls itself.
pub const STYLE_FORMAT: &str = "sinew-style-1";

/// Why there is no style.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StyleError {
    /// It is some other document, or one of another version.
    #[error("its format is \"{format}\", not \"{STYLE_FORMAT}\"")]
    Format {
        /// What it calls itself.
        format: String,
    },
    /// It has no joints, or more than a model may have.
    #[error("{count} joints: a style has 1 to {most}")]
    Joints {
        /// How many.
        count: usize,
        /// How many it may have.
        most: usize,
    },
    /// Nothing can be learned from fewer than three postures.
    #[error("{count} postures: a style needs 3 at least")]
    Few {
        /// How many.
        count: usize,
    },
    /// More postures than a model may keep.
    #[error("{count} postures: a style keeps {MOST_POSTURES} at most")]
    Many {
        /// How many.
        count: usize,
    },
    /// A list is not as long as the joints have it, or a number is not one that it may be.
    #[error("its {what} are not usable")]
    Numbers {
        /// Which.
        what: &'static str,
    },
    /// A posture has other joints than the rest, or a number in it is not finite.
    #[error("posture {posture} is not usable")]
    Posture {
        /// Its index.
        posture: usize,
    },
    /// The postures' places in latent space make no model.
    #[error("its kernel cannot be inverted")]
    Singular,
}

/// A style as a document.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: String,
    joints: Vec<String>,
    means: Vec<DQuat>,
    centre: Vec<f64>,
    scales: Vec<f64>,
    beta: f64,
    gamma: f64,
    postures: Vec<Kept>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Serialize for Style {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let rows = self.postures.chunks_exact(self.features());
        let kept = |(i, y): (usize, &[f64])| Kept { x: self.latent(i).to_vec(), y: y.to_vec() };
        let document = Document {
            format: STYLE_FORMAT.to_owned(),
            joints: self.joints.clone(),
            means: self.means.clone(),
            centre: self.centre.clone(),
            scales: self.scales.clone(),
            beta: self.beta,
            gamma: self.gamma,
            postures: rows.enumerate().map(kept).collect(),
        };
        // What cannot be read again is not written.
        document.clone().check().map_err(serde::ser::Error::custom)?;
        document.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Style {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Document::deserialize(from)?.check().map_err(serde::de::Error::custom)
    }
}

impl Document {
    /// The model, if every list and number is one that a model may have.
    fn check(self) -> Result<Style, StyleError> {
        let (joints, count) = (self.joints.len(), self.postures.len());
        if self.format != STYLE_FORMAT {
            // A name as long as a file helps nobody.
            return Err(StyleError::Format { format: self.format.chars().take(40).collect() });
        }
        if joints == 0 || joints > MOST_JOINTS {
            return Err(StyleError::Joints { count: joints, most: MOST_JOINTS });
        }
        match count {
            0..3 => return Err(StyleError::Few { count }),
            3..=MOST_POSTURES => {}
            _ => return Err(StyleError::Many { count }),
        }
        let sane = |x: &f64| x.is_finite() && x.abs() < 1e6;
        let rate = |x: f64| x.is_finite() && x > 1e-10 && x < 1e10;
        let features = FEATURES * joints;
        let unit = |q: &DQuat| q.is_finite() && (q.length() - 1.0).abs() < 1e-6;
        let faults = [
            ("means", self.means.len() == joints && self.means.iter().all(unit)),
            ("centre's numbers", self.centre.len() == features && self.centre.iter().all(sane)),
            ("scales", self.scales.len() == features && self.scales.iter().all(|w| sane(w) && *w > 1e-9)),
            ("rates", rate(self.beta) && rate(self.gamma)),
        ];
        if let Some((what, _)) = faults.into_iter().find(|(_, good)| !good) {
            return Err(StyleError::Numbers { what });
        }
        let dimensions = self.postures.first().map_or(0, |p| p.x.len());
        if !(1..=MOST_DIMENSIONS).contains(&dimensions) {
            return Err(StyleError::Posture { posture: 0 });
        }
        let fits =
            |p: &Kept| p.x.len() == dimensions && p.y.len() == features && p.x.iter().chain(&p.y).all(sane);
        if let Some(posture) = self.postures.iter().position(|p| !fits(p)) {
            return Err(StyleError::Posture { posture });
        }
        let mut style = Style {
            joints: self.joints,
            means: self.means,
            centre: self.centre,
            scales: self.scales,
            latents: self.postures.iter().flat_map(|p| p.x.iter().copied()).collect(),
            dimensions,
            postures: self.postures.iter().flat_map(|p| p.y.iter().copied()).collect(),
            beta: self.beta,
            gamma: self.gamma,
            inverse: Vec::new(),
            pulls: Vec::new(),
        };
        if style.prepare() { Ok(style) } else { Err(StyleError::Singular) }
    }
}
