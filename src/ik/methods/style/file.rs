//! Reading, writing and validation of learned styles.
//!
//! A document has `format` (`sinew-style-1`), `joints` (names, base first), `means` (one quaternion per joint), `centre` and `scales`
//! (three numbers per joint), `beta`, `gamma` and `postures`. The three numbers of the base are its height in metres and its tilt about x
//! and z. The three numbers of any other joint are a rotation vector in radians. A posture consists of its latent position `x` and its
//! features minus the centre, `y`. Everything else is computed from these values.

use glam::DQuat;
use serde::{Deserialize, Serialize};

use super::error::STYLE_FORMAT;
use super::model::{FEATURES, MOST_DIMENSIONS, MOST_JOINTS, MOST_POSTURES};
use super::{Style, StyleError};

/// The serialised form of a style.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StyleDocument {
    format: String,
    joints: Vec<String>,
    means: Vec<DQuat>,
    centre: Vec<f64>,
    scales: Vec<f64>,
    beta: f64,
    gamma: f64,
    postures: Vec<KeptPosture>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptPosture {
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Serialize for Style {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let rows = self.postures.chunks_exact(self.features());
        let kept = |(i, y): (usize, &[f64])| KeptPosture { x: self.latent(i).to_vec(), y: y.to_vec() };
        let document = StyleDocument {
            format: STYLE_FORMAT.to_owned(),
            joints: self.joints.clone(),
            means: self.means.clone(),
            centre: self.centre.clone(),
            scales: self.scales.clone(),
            beta: self.beta,
            gamma: self.gamma,
            postures: rows.enumerate().map(kept).collect(),
        };
        // A style that cannot be read back must not be written.
        document.clone().validate().map_err(serde::ser::Error::custom)?;
        document.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Style {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        StyleDocument::deserialize(from)?.validate().map_err(serde::de::Error::custom)
    }
}

impl StyleDocument {
    /// Validates the document and builds the model.
    fn validate(self) -> Result<Style, StyleError> {
        let (joints, count) = (self.joints.len(), self.postures.len());
        if self.format != STYLE_FORMAT {
            // The value can be as long as the file, so the error contains only its start.
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
        let is_usable = |x: &f64| x.is_finite() && x.abs() < 1e6;
        let rate = |x: f64| x.is_finite() && x > 1e-10 && x < 1e10;
        let features = FEATURES * joints;
        let unit = |q: &DQuat| q.is_finite() && (q.length() - 1.0).abs() < 1e-6;
        let checks = [
            (
                "`means` must be one unit quaternion per joint",
                self.means.len() == joints && self.means.iter().all(unit),
            ),
            (
                "`centre` must be three numbers per joint, each below 1e6 in size",
                self.centre.len() == features && self.centre.iter().all(is_usable),
            ),
            (
                "`scales` must be three numbers per joint, each above 1e-9 and below 1e6",
                self.scales.len() == features && self.scales.iter().all(|w| is_usable(w) && *w > 1e-9),
            ),
            (
                "the rates `beta` and `gamma` must be above 1e-10 and below 1e10",
                rate(self.beta) && rate(self.gamma),
            ),
        ];
        if let Some((what, _)) = checks.into_iter().find(|(_, is_valid)| !is_valid) {
            return Err(StyleError::Numbers { what });
        }
        let dimensions = self.postures.first().map_or(0, |p| p.x.len());
        if !(1..=MOST_DIMENSIONS).contains(&dimensions) {
            return Err(StyleError::Posture { posture: 0 });
        }
        let fits = |p: &KeptPosture| {
            p.x.len() == dimensions && p.y.len() == features && p.x.iter().chain(&p.y).all(is_usable)
        };
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
