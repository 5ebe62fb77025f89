//! Tone maps: how light becomes colours. `shaders/tone_map.wgsl` contains their formulas.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A tone map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToneMap {
    /// Khronos PBR Neutral, which preserves base colours and compresses only highlights.
    #[default]
    Neutral,
    /// A fit of the ACES reference transforms (Hill 2016), with strong contrast.
    Aces,
    /// AgX (Sobotka 2022), whose highlights lose their saturation like those of film.
    Agx,
}

impl ToneMap {
    /// All tone maps, in the order of the shader's numbers.
    pub const ALL: [Self; 3] = [Self::Neutral, Self::Aces, Self::Agx];

    /// Returns the name that is used in files and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Neutral => "neutral",
            Self::Aces => "aces",
            Self::Agx => "agx",
        }
    }
}

impl FromStr for ToneMap {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = || Self::ALL.map(Self::name).join(", ");
        let found = Self::ALL.into_iter().find(|tone| tone.name() == name);
        found.ok_or_else(|| format!("unknown tone map \"{name}\"; use one of {}", known()))
    }
}
