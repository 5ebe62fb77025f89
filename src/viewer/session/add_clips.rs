//! Clips added to a character from other files or recorded takes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::asset::Clip;
use crate::capture::{Take, parse_csv, write_csv};
use crate::export::bake::{Source, SourceError, unique_clip_name};
use crate::files::Progress;
use crate::{AddedClips, Command, Transfer};

use super::Session;

/// Maximum number of additions to one character.
pub(crate) const MAX_ADDITIONS: usize = 1000;

impl Session {
    /// Returns the files and takes whose clips were added to the character, in the order in which they were added.
    pub fn additions(&self) -> &[AddedClips] {
        &self.document.additions
    }

    /// Returns the clips of the character's own file. Added clips come after these.
    pub(crate) fn own_clips(&self) -> &[Clip] {
        let clips = &self.puppet.character().clips;
        let added: usize = self.document.additions.iter().map(AddedClips::clip_count).sum();
        clips.get(..clips.len().saturating_sub(added)).unwrap_or_default()
    }

    /// Prepares the clips of a file for [`Command::AddClips`]. `keep_hands` works as in [`Source::clips`].
    ///
    /// # Errors
    /// [`SourceError`] if the clips do not fit this character.
    pub fn addition(
        &self,
        file: &Path,
        source: Arc<Source>,
        keep_hands: bool,
    ) -> Result<AddedClips, SourceError> {
        let transfer = Transfer { keep_hands, ..Transfer::default() };
        AddedClips::new(file, source, self.puppet.character(), &self.rig_file.loaded, transfer)
    }

    /// Appends the clips of an addition. The indices of existing clips do not change, so the motion and the undo history stay valid.
    pub(super) fn add(&mut self, addition: AddedClips) {
        let clips = addition.clips(self.puppet.character());
        if clips.is_empty() || self.document.additions.len() >= MAX_ADDITIONS {
            return;
        }
        let (stem, mut named) = (addition.stem(), self.puppet.character().clips.clone());
        let existing = named.len();
        for clip in clips {
            let own = addition.name.as_deref().or(clip.name.as_deref());
            let name = Some(unique_clip_name(&named, own, &stem));
            named.push(Clip { name, ..clip.clone() });
        }
        self.puppet.add_clips(named.drain(existing..));
        self.view.home.forget_root();
        self.document.additions.push(addition);
        self.refresh_style();
        if let Some(recorder) = &mut self.recorder {
            recorder.names.set_clips(self.puppet.character());
        }
    }

    /// Adds a take to the character as a clip, and saves it in a folder as `NAME-take-0001.csv` or under the next free number. The clip is
    /// parsed from the text of the file, so it is identical to the clip that is later read from the file.
    ///
    /// # Errors
    /// Returns a one-line reason why the take was not saved or cannot become a clip.
    pub fn save_take_as_clip(&mut self, recorded: &Clip, folder: &Path) -> Result<PathBuf, String> {
        let character = self.puppet.character();
        let take = Take::of(recorded, &character.skeleton, &self.puppet.rig.bones);
        // The columns of the file are in a different order, which changes the last bits of the values.
        let take = parse_csv(Path::new("take.csv"), &write_csv(&take)).map_err(|e| e.to_string())?;
        let saved = self.save_take(write_csv(&take).as_bytes(), folder);
        let file = saved.as_ref().map_or_else(|_| PathBuf::from("take.csv"), Clone::clone);
        let name = self.next_take_name();
        let addition =
            self.addition(&file, Arc::new(Source::Take(take)), false).map_err(|e| e.to_string())?;
        self.apply(Command::AddClips(Box::new(addition.into_take(name))));
        saved.map_err(|e| e.to_string())
    }

    /// Returns `take N` with the lowest unused number, starting at 1.
    fn next_take_name(&self) -> String {
        let clips = &self.puppet.character().clips;
        let is_free = |name: &String| clips.iter().all(|c| c.name.as_ref() != Some(name));
        (1..=clips.len() + 1).map(|number| format!("take {number}")).find(is_free).unwrap_or_default()
    }

    /// Adds the additions of another session that this character does not have yet. Returns a one-line error for each addition that does
    /// not fit the character.
    pub(crate) fn reapply_with(&mut self, additions: &[AddedClips], progress: &Progress) -> Vec<String> {
        let mut errors = Vec::new();
        let before = self.document.additions.len();
        for addition in additions {
            let is_known = self.document.additions.iter().take(before).any(|a| a.same_source(addition));
            if is_known {
                continue;
            }
            match addition.for_character(self.puppet.character(), &self.rig_file.loaded, progress) {
                Ok(addition) => self.add(addition),
                Err(error) => errors.push(format!("{}: {error}", addition.file.display())),
            }
        }
        errors
    }

    /// Maps another session's clip indices to those of this session. Clips of the character's own file are found by name, or by index if no
    /// clip has that name.
    pub(crate) fn map_clips(&self, from: &Self) -> Vec<Option<usize>> {
        let (here, there) = (self.own_clips(), from.own_clips());
        let own = there.iter().enumerate().map(|(index, clip)| {
            let is_same = |c: &Clip| c.name.is_some() && c.name == clip.name;
            let named = here.iter().position(is_same).filter(|_| !here.get(index).is_some_and(is_same));
            named.or_else(|| (index < here.len()).then_some(index))
        });
        let mut indices: Vec<Option<usize>> = own.collect();
        let mut taken = vec![false; self.document.additions.len()];
        for addition in &from.document.additions {
            let mut start = here.len();
            let mut found = None;
            for (other, taken) in self.document.additions.iter().zip(&mut taken) {
                if !*taken && other.same_source(addition) && found.is_none() {
                    (*taken, found) = (true, Some(start));
                }
                start += other.clip_count();
            }
            indices.extend((0..addition.clip_count()).map(|clip| Some(found? + clip)));
        }
        indices
    }
}
