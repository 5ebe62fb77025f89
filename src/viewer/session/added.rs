//! Clips that are no part of the character's file: of other files, and takes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::asset::{Clip, humanoid};
use crate::bake::{Source, SourceError, name_among};
use crate::motion::capture::{Take, parse_csv, write_csv};

use super::super::{Addition, Command};
use super::Session;

/// So many times clips are added to one character.
pub(in super::super) const MOST: usize = 1000;

impl Session {
    /// Files and takes whose clips were put on the character, in their order.
    pub fn additions(&self) -> &[Addition] {
        &self.additions
    }

    /// The clips of its file; those that were added come after.
    pub(in super::super) fn own_clips(&self) -> &[Clip] {
        self.puppet.character().clips.get(..self.own).unwrap_or_default()
    }

    /// What was read from a file, for [`Command::Add`]. `keep_hands`: as for [`Source::clips`].
    ///
    /// # Errors
    /// [`SourceError`] where it cannot be put on this character.
    pub fn addition(
        &self,
        file: &Path,
        source: Arc<Source>,
        keep_hands: bool,
    ) -> Result<Addition, SourceError> {
        Addition::new(file, source, self.puppet.character(), &self.loaded_rig, keep_hands)
    }

    /// Adds clips after those that are there: what is played, and what can be taken back, names the same ones as before.
    pub(super) fn add(&mut self, addition: Addition) {
        let clips = addition.clips(self.puppet.character());
        if clips.is_empty() || self.additions.len() >= MOST {
            return;
        }
        let (stem, mut named) = (addition.stem(), self.puppet.character().clips.clone());
        let there = named.len();
        for clip in clips {
            let own = addition.name.as_deref().or(clip.name.as_deref());
            let name = Some(name_among(&named, own, &stem));
            named.push(Clip { name, ..clip.clone() });
        }
        self.puppet.add_clips(named.drain(there..));
        self.additions.push(addition);
    }

    /// Makes a take a clip of the character, and saves it as `NAME-take-0001.csv` or the next number that is free in a
    /// folder. The clip is what the file says, so that it is the same wherever it is read.
    ///
    /// # Errors
    /// In a line, why it was not saved, or is no clip.
    pub fn keep_take(&mut self, recorded: &Clip, folder: &Path) -> Result<PathBuf, String> {
        let character = self.puppet.character();
        let bones = humanoid(character).map(|h| h.bones).unwrap_or_default();
        let take = Take::of(recorded, &character.skeleton, &bones);
        // Read from its own text: a file has its columns in another order, and order is in the last bits.
        let take = parse_csv(Path::new("take.csv"), &write_csv(&take)).map_err(|e| e.to_string())?;
        let saved = self.save_take(write_csv(&take).as_bytes(), folder);
        let file = saved.as_ref().map_or_else(|_| PathBuf::from("take.csv"), Clone::clone);
        let name = self.take_name();
        let addition =
            self.addition(&file, Arc::new(Source::Take(take)), false).map_err(|e| e.to_string())?;
        self.apply(Command::Add(Box::new(addition.taken(name))));
        saved.map_err(|e| e.to_string())
    }

    /// `take 1`, or the next number that no clip has.
    fn take_name(&self) -> String {
        let clips = &self.puppet.character().clips;
        let is_free = |name: &String| clips.iter().all(|c| c.name.as_ref() != Some(name));
        (1..=clips.len() + 1).map(|number| format!("take {number}")).find(is_free).unwrap_or_default()
    }

    /// Puts what was added to another session's character on this one too, where it is not yet; of what cannot be, a line.
    pub fn add_again(&mut self, additions: &[Addition]) -> Vec<String> {
        let mut faults = Vec::new();
        let there = self.additions.len();
        for addition in additions {
            let is_there = self.additions.iter().take(there).any(|a| a.is_of(addition));
            if is_there {
                continue;
            }
            match addition.again(self.puppet.character(), &self.loaded_rig) {
                Ok(addition) => self.add(addition),
                Err(error) => faults.push(format!("{}: {error}", addition.file.display())),
            }
        }
        faults
    }

    /// Where the clips of another session are here; a clip of the file by its name, or its place.
    pub(in super::super) fn clips_of(&self, from: &Self) -> Vec<Option<usize>> {
        let (here, there) = (self.own_clips(), from.own_clips());
        let own = there.iter().enumerate().map(|(place, clip)| {
            let is = |c: &Clip| c.name.is_some() && c.name == clip.name;
            let named = here.iter().position(is).filter(|_| !here.get(place).is_some_and(is));
            named.or_else(|| (place < here.len()).then_some(place))
        });
        let mut places: Vec<Option<usize>> = own.collect();
        let mut taken = vec![false; self.additions.len()];
        for addition in &from.additions {
            let mut start = self.own;
            let mut found = None;
            for (other, taken) in self.additions.iter().zip(&mut taken) {
                if !*taken && other.is_of(addition) && found.is_none() {
                    (*taken, found) = (true, Some(start));
                }
                start += other.count();
            }
            places.extend((0..addition.count()).map(|clip| Some(found? + clip)));
        }
        places
    }
}
