//! Clips added to a character from other files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::asset::{Character, Clip, MANNEQUIN_PATH};
use crate::capture::{Take, parse_csv, write_csv};
use crate::export::bake::{RetargetedClips, Source, SourceError, unique_clip_name};
use crate::files::Progress;
use crate::rig::Rig;

use super::fingerprint;

/// Maximum number of additions to one character.
pub(crate) const MAX_ADDITIONS: usize = 1000;

/// Clips from another file or from a recorded take that were added to a character.
///
/// Only the origin is serialised and compared. A replay reads the file again.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddedClips {
    /// The source file. In a recording, the path is relative to the folder of the recording if the file is inside that folder.
    pub file: PathBuf,
    /// Fingerprint of the file's contents.
    pub fingerprint: String,
    /// Name for a single clip, if it differs from the name in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether hands keep their positions ([`Source::clips`]).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep_hands: bool,
    /// The cutoff frequency in hertz for smoothing a take ([`Source::smooth`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smooth: Option<f64>,
    /// Name of the clip to add from the file. `None` adds all clips.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<String>,
    #[serde(skip)]
    loaded: Option<LoadedClips>,
}

/// How the clips of a file are transferred to a character.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transfer {
    /// Whether hands keep their positions ([`Source::clips`]).
    pub keep_hands: bool,
    /// The cutoff frequency in hertz for smoothing a take ([`Source::smooth`]).
    pub smooth: Option<f64>,
    /// Name of the clip to transfer. `None` transfers all clips.
    pub clip: Option<String>,
}

impl Transfer {
    /// Retargets the clips of a source to a character.
    fn clips(
        &self,
        source: &Source,
        character: &Character,
        rig: &Rig,
        progress: &Progress,
    ) -> Result<RetargetedClips, SourceError> {
        let retarget = |source: &Source| source.clips_with(character, rig, self.keep_hands, progress);
        match (self.smooth, source) {
            (Some(cutoff), Source::Take(_)) => {
                let mut smoothed = source.clone();
                smoothed.smooth(cutoff);
                retarget(&smoothed)
            }
            (_, Source::Character(character)) if self.clip.is_some() => {
                let mut only = Character::clone(character);
                only.clips.retain(|clip| clip.name == self.clip);
                retarget(&Source::Character(Box::new(only)))
            }
            _ => retarget(source),
        }
    }
}

/// The contents of a file, and the clips retargeted from it.
#[derive(Clone, Debug)]
struct LoadedClips {
    source: Arc<Source>,
    clips: Arc<[Clip]>,
    /// Warnings about missing or extra parts of the source, one line each.
    warnings: Arc<[String]>,
    /// Number of nodes and morph weights of the character for which the clips were made.
    shape: (usize, usize),
    /// Whether the clips were recorded in this program and may not have been saved to a permanent file yet.
    live: bool,
}

impl PartialEq for AddedClips {
    fn eq(&self, other: &Self) -> bool {
        let origin = |a: &Self| (a.file.clone(), a.fingerprint.clone(), a.name.clone(), a.transfer());
        origin(self) == origin(other)
    }
}

/// Returns whether a path stands for the built-in character.
pub(crate) fn is_built_in(file: &Path) -> bool {
    file == Path::new(MANNEQUIN_PATH)
}

/// Returns the clips of the file of a character, to which clips were added. The added clips come after these.
pub(crate) fn own_clips<'a>(character: &'a Character, additions: &[AddedClips]) -> &'a [Clip] {
    let added: usize = additions.iter().map(AddedClips::clip_count).sum();
    character.clips.get(..character.clips.len().saturating_sub(added)).unwrap_or_default()
}

/// Returns the additions of another character that a character with the additions `known` does not have yet.
pub(super) fn missing<'a>(known: &[AddedClips], wanted: &'a [AddedClips]) -> Vec<&'a AddedClips> {
    let is_missing = |addition: &&AddedClips| !known.iter().any(|known| known.same_source(addition));
    wanted.iter().filter(is_missing).collect()
}

/// Returns for each clip of the character `from` the index of the same clip of the character `to`. Clips of the characters' own files are
/// found by name, or by index if no clip has that name.
pub(super) fn matching_clips(
    from: (&Character, &[AddedClips]),
    to: (&Character, &[AddedClips]),
) -> Vec<Option<usize>> {
    let (here, there) = (own_clips(to.0, to.1), own_clips(from.0, from.1));
    let own = there.iter().enumerate().map(|(index, clip)| {
        let is_same = |c: &Clip| c.name.is_some() && c.name == clip.name;
        let named = here.iter().position(is_same).filter(|_| !here.get(index).is_some_and(is_same));
        named.or_else(|| (index < here.len()).then_some(index))
    });
    let mut indices: Vec<Option<usize>> = own.collect();
    let mut taken = vec![false; to.1.len()];
    for addition in from.1 {
        let mut start = here.len();
        let mut found = None;
        for (other, taken) in to.1.iter().zip(&mut taken) {
            if !*taken && other.same_source(addition) && found.is_none() {
                (*taken, found) = (true, Some(start));
            }
            start += other.clip_count();
        }
        indices.extend((0..addition.clip_count()).map(|clip| Some(found? + clip)));
    }
    indices
}

/// Returns a recorded clip as a take. It is parsed from the text of its file, so that it is identical to the take that is later read from
/// that file. The columns of the file are in a different order, which changes the last bits of the values.
///
/// # Errors
/// Returns a one-line reason if the clip cannot become a take.
pub(super) fn recorded_take(recorded: &Clip, character: &Character, rig: &Rig) -> Result<Take, String> {
    let take = Take::of(recorded, &character.skeleton, &rig.bones);
    parse_csv(Path::new("take.csv"), &write_csv(&take)).map_err(|e| e.to_string())
}

/// Returns `take N` with the lowest number, starting at 1, that no clip has.
pub(super) fn next_take_name(clips: &[Clip]) -> String {
    let is_free = |name: &String| clips.iter().all(|c| c.name.as_ref() != Some(name));
    (1..=clips.len() + 1).map(|number| format!("take {number}")).find(is_free).unwrap_or_default()
}

fn shape(character: &Character) -> (usize, usize) {
    (character.skeleton.nodes.len(), character.skeleton.rest_weights.len())
}

impl AddedClips {
    /// Retargets a file's clips to a character with the given rig. The rig must be the one that was loaded, without later edits.
    ///
    /// # Errors
    /// [`SourceError`] if the clips do not fit the character.
    pub fn new(
        file: &Path,
        source: Arc<Source>,
        character: &Character,
        rig: &Rig,
        transfer: Transfer,
    ) -> Result<Self, SourceError> {
        Self::new_with(file, source, character, rig, transfer, &Progress::default())
    }

    /// Like [`AddedClips::new`], but can be stopped from another thread.
    ///
    /// # Errors
    /// Same as [`AddedClips::new`], and [`SourceError::Stopped`].
    pub(crate) fn new_with(
        file: &Path,
        source: Arc<Source>,
        character: &Character,
        rig: &Rig,
        transfer: Transfer,
        progress: &Progress,
    ) -> Result<Self, SourceError> {
        let RetargetedClips { clips, warnings, .. } = transfer.clips(&source, character, rig, progress)?;
        let (clips, warnings) = (clips.into(), warnings.into());
        let loaded = LoadedClips { clips, warnings, shape: shape(character), live: false, source };
        let fingerprint = fingerprint::of_source(&loaded.source);
        let Transfer { keep_hands, smooth, clip } = transfer;
        let file = file.to_owned();
        Ok(Self { file, fingerprint, name: None, keep_hands, smooth, clip, loaded: Some(loaded) })
    }

    /// Returns how the clips are transferred to the character.
    pub(crate) fn transfer(&self) -> Transfer {
        Transfer { keep_hands: self.keep_hands, smooth: self.smooth, clip: self.clip.clone() }
    }

    /// Marks the addition as a take that was recorded in this program, and names it.
    #[must_use]
    pub(crate) fn into_take(self, name: String) -> Self {
        Self {
            name: Some(name),
            loaded: self.loaded.map(|loaded| LoadedClips { live: true, ..loaded }),
            ..self
        }
    }

    /// Retargets the same source to another character.
    ///
    /// # Errors
    /// Same as [`AddedClips::new`].
    pub(crate) fn for_character(
        &self,
        character: &Character,
        rig: &Rig,
        progress: &Progress,
    ) -> Result<Self, SourceError> {
        let Some(loaded) = &self.loaded else { return Err(SourceError::Empty) };
        let retargeted = self.transfer().clips(&loaded.source, character, rig, progress)?;
        let (clips, warnings) = (retargeted.clips.into(), retargeted.warnings.into());
        let loaded = LoadedClips { clips, warnings, shape: shape(character), ..loaded.clone() };
        Ok(Self { loaded: Some(loaded), ..self.clone() })
    }

    /// Returns this addition with the contents of another addition from the same file.
    pub(crate) fn with_contents_of(self, other: &Self) -> Self {
        Self { loaded: other.loaded.clone(), ..self }
    }

    /// Returns the clips if they fit the character. The result is empty if they do not fit, or if no file was read.
    fn clips(&self, character: &Character) -> &[Clip] {
        let loaded = self.loaded.as_ref().filter(|loaded| loaded.shape == shape(character));
        loaded.map_or(&[], |loaded| &loaded.clips)
    }

    /// Returns the clips with names that no clip of the character has. The result is empty if they do not fit the character.
    pub(super) fn named_clips(&self, character: &Character) -> Vec<Clip> {
        let (stem, mut named) = (self.stem(), character.clips.clone());
        for clip in self.clips(character) {
            let own = self.name.as_deref().or(clip.name.as_deref());
            let name = Some(unique_clip_name(&named, own, &stem));
            named.push(Clip { name, ..clip.clone() });
        }
        named.split_off(character.clips.len())
    }

    /// Returns warnings about missing or extra parts of the source, one line each.
    pub fn warnings(&self) -> &[String] {
        self.loaded.as_ref().map_or(&[], |loaded| &loaded.warnings)
    }

    pub(crate) fn clip_count(&self) -> usize {
        self.loaded.as_ref().map_or(0, |loaded| loaded.clips.len())
    }

    /// Returns whether both additions share the contents of a file that was read once.
    pub(crate) fn same_source(&self, other: &Self) -> bool {
        let pair = self.loaded.as_ref().zip(other.loaded.as_ref());
        pair.is_some_and(|(a, b)| Arc::ptr_eq(&a.source, &b.source))
    }

    /// Returns the CSV text of a take that was recorded in this program.
    pub(crate) fn take_csv(&self) -> Option<String> {
        match self.loaded.as_ref().filter(|loaded| loaded.live)?.source.as_ref() {
            Source::Take(take) => Some(write_csv(take)),
            Source::Character(_) => None,
        }
    }

    /// Returns whether the source is the built-in character, which has no file.
    pub(crate) fn is_built_in(&self) -> bool {
        is_built_in(&self.file)
    }

    /// Returns the base name for clips without a name or with a duplicate name.
    pub(crate) fn stem(&self) -> String {
        if self.is_built_in() {
            return "built-in".to_owned();
        }
        self.file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }
}
