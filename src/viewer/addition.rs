//! Clips that came to a character after its file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::asset::{Character, Clip};
use crate::bake::{Source, SourceError};
use crate::motion::capture::write_csv;
use crate::rig::Rig;

use super::fingerprint;

/// Clips of another file, or of a take, put on a character.
///
/// Only where they are from is written down and compared; a replay reads the file again.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Addition {
    /// Where they are from. In a recording: seen from its folder, if the file is in there.
    pub file: PathBuf,
    /// By what the file is known again.
    pub fingerprint: String,
    /// What its only clip is called, if not as the file says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether hands are kept in their places ([`Source::clips`]).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep_hands: bool,
    #[serde(skip)]
    held: Option<Held>,
}

/// What was read, and what it became.
#[derive(Clone, Debug)]
struct Held {
    source: Arc<Source>,
    clips: Arc<[Clip]>,
    /// Nodes and morph weights of the character that they are for.
    fits: (usize, usize),
    /// Whether it was recorded here, and is in no file that must stay.
    live: bool,
}

impl PartialEq for Addition {
    fn eq(&self, other: &Self) -> bool {
        let said = |a: &Self| (a.file.clone(), a.fingerprint.clone(), a.name.clone(), a.keep_hands);
        said(self) == said(other)
    }
}

fn size(character: &Character) -> (usize, usize) {
    (character.skeleton.nodes.len(), character.skeleton.rest_weights.len())
}

impl Addition {
    /// What was read from a file, put on a character by its rig as it was loaded. `keep_hands`: as for [`Source::clips`].
    ///
    /// # Errors
    /// [`SourceError`] where that cannot be.
    pub fn new(
        file: &Path,
        source: Arc<Source>,
        character: &Character,
        rig: &Rig,
        keep_hands: bool,
    ) -> Result<Self, SourceError> {
        let clips = source.clips(character, rig, keep_hands)?.into();
        let held = Held { clips, fits: size(character), live: false, source };
        let fingerprint = fingerprint::of_source(&held.source);
        Ok(Self { file: file.to_owned(), fingerprint, name: None, keep_hands, held: Some(held) })
    }

    /// The same as a take that was recorded here, under a name.
    #[must_use]
    pub(super) fn taken(self, name: String) -> Self {
        Self { name: Some(name), held: self.held.map(|held| Held { live: true, ..held }), ..self }
    }

    /// The same from another character's clips to this one's.
    ///
    /// # Errors
    /// As [`Addition::new`].
    pub(super) fn again(&self, character: &Character, rig: &Rig) -> Result<Self, SourceError> {
        let Some(held) = &self.held else { return Err(SourceError::Empty) };
        let clips = held.source.clips(character, rig, self.keep_hands)?.into();
        let held = Held { clips, fits: size(character), ..held.clone() };
        Ok(Self { held: Some(held), ..self.clone() })
    }

    /// What this names, with what another one of the same file holds.
    pub(super) fn filled(self, other: &Self) -> Self {
        Self { held: other.held.clone(), ..self }
    }

    /// Clips that a character can play; none where nothing was read, or for another character.
    pub(super) fn clips(&self, character: &Character) -> &[Clip] {
        let held = self.held.as_ref().filter(|held| held.fits == size(character));
        held.map_or(&[], |held| &held.clips)
    }

    /// How many they are.
    pub(super) fn count(&self) -> usize {
        self.held.as_ref().map_or(0, |held| held.clips.len())
    }

    /// Whether both are of one reading of a file.
    pub(super) fn is_of(&self, other: &Self) -> bool {
        let pair = self.held.as_ref().zip(other.held.as_ref());
        pair.is_some_and(|(a, b)| Arc::ptr_eq(&a.source, &b.source))
    }

    /// The file that a take which was recorded here would be.
    pub(super) fn csv(&self) -> Option<String> {
        match self.held.as_ref().filter(|held| held.live)?.source.as_ref() {
            Source::Take(take) => Some(write_csv(take)),
            Source::Character(_) => None,
        }
    }

    /// What its clips are called after.
    pub(super) fn stem(&self) -> String {
        self.file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }
}
