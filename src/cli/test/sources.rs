//! The sources of a run's characters and rigs. Each source is also the key under which its result is cached.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::asset::{self, Character, References, UpAxis};
use crate::capture::{LoadOptions, RotationFit, load_character};
use crate::files::Progress;
use crate::rig::{self, Rig};

/// The file of a character, and the options for loading it. The character depends on nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct CharacterSource {
    /// `None` is the built-in character.
    path: Option<PathBuf>,
    units: Option<Bits>,
    smooth: Option<Bits>,
    up: UpAxis,
    references: References,
    symmetric: bool,
    rotations: RotationFit,
}

/// The bits of a number, which can be compared and hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Bits(u64);

impl CharacterSource {
    pub(super) fn new(path: Option<&Path>, options: LoadOptions) -> Self {
        // All fields are named here and in `options`, so that the compiler rejects a new field until it is part of the source.
        let LoadOptions { units, smooth, up, references, symmetric, rotations } = options;
        let bits = |number: f64| Bits(number.to_bits());
        let (units, smooth) = (units.map(bits), smooth.map(bits));
        Self { path: path.map(Path::to_path_buf), units, smooth, up, references, symmetric, rotations }
    }

    fn options(&self) -> LoadOptions {
        let Self { path: _, units, smooth, up, references, symmetric, rotations } = self.clone();
        let number = |bits: Bits| f64::from_bits(bits.0);
        LoadOptions {
            units: units.map(number),
            smooth: smooth.map(number),
            up,
            references,
            symmetric,
            rotations,
        }
    }

    pub(super) fn load(&self) -> Result<Arc<Character>, String> {
        let character = match &self.path {
            Some(path) => load_character(path, &self.options(), &Progress::default()),
            None => asset::mannequin(),
        };
        character.map(Arc::new).map_err(|e| e.to_string())
    }
}

/// The source of a rig, which is derived from its character or read from a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct RigSource {
    pub(super) character: CharacterSource,
    /// `None` uses the character's default source.
    pub(super) file: Option<PathBuf>,
}

impl RigSource {
    /// Loads the rig of a character that was loaded from the same source.
    pub(super) fn load(&self, character: &Character) -> Result<Rig, String> {
        rig::load(character, self.file.as_deref()).map_err(|e| e.to_string())
    }
}
