//! Tone maps, which convert light to colours. `shaders/tone_map.wgsl` contains their formulas.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::api::{ParseError, named};

/// A tone map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ToneMap {
    /// Khronos PBR Neutral, which preserves base colours and compresses only highlights.
    #[default]
    Neutral,
    /// A fit of the ACES reference transforms (Hill 2016), with strong contrast.
    Aces,
    /// AgX (Sobotka 2022), whose highlights lose saturation as on film.
    Agx,
}

impl ToneMap {
    /// All tone maps, in the order of the shader's numbers.
    pub const ALL: [Self; 3] = [Self::Neutral, Self::Aces, Self::Agx];

    /// The name in files and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Neutral => "neutral",
            Self::Aces => "aces",
            Self::Agx => "agx",
        }
    }
}

impl FromStr for ToneMap {
    type Err = ParseError;

    fn from_str(name: &str) -> Result<Self, ParseError> {
        named("tone map", name, Self::ALL.map(|tone| (tone.name(), tone)))
    }
}
