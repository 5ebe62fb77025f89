//! Files of motion, whatever kind: their clips become a character's.

use std::path::Path;

use crate::asset::{self, Character, Clip, LoadError};
use crate::motion::capture::{CaptureError, Take, TakeOptions, load_csv};
use crate::motion::{Retarget, RetargetError};
use crate::rig::Rig;

use super::retargeted_by;

/// What moves a character that it does not belong to.
#[derive(Clone, Debug)]
pub enum Source {
    /// Another character with its clips, or a skeleton.
    Character(Box<Character>),
    /// What sensors saw.
    Take(Take),
}

/// Why the clips of a source cannot be put on a character.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// There are none.
    #[error("there is no clip in it")]
    Empty,
    /// Nothing of the one is like anything of the other.
    #[error(transparent)]
    Retarget(#[from] RetargetError),
    /// The joints of a take are not the character's.
    #[error(transparent)]
    Capture(#[from] CaptureError),
}

impl Source {
    /// Reads a `.csv` file as a take, any other as a character.
    ///
    /// # Errors
    /// [`LoadError`].
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        if is_take(path) {
            return Ok(Self::Take(load_csv(path)?));
        }
        Ok(Self::Character(Box::new(asset::load(path)?)))
    }

    /// Its clips as those of a character: retargeted, or fitted to what was seen. The clip of a take has no name.
    /// `hands`: whether hands are kept in their places where they are another body's ([`Retarget::hands`]).
    ///
    /// # Errors
    /// [`SourceError`]; there is at least one clip where it is none.
    pub fn clips(&self, target: &Character, rig: &Rig, hands: bool) -> Result<Vec<Clip>, SourceError> {
        let clips = match self {
            Self::Character(source) if source.clips.is_empty() => return Err(SourceError::Empty),
            Self::Character(source) => {
                let mut retarget = Retarget::new(source, target)?;
                retarget.hands = hands;
                retargeted_by(retarget, source, target, rig)?
            }
            Self::Take(take) => {
                let bones = asset::humanoid(target).map(|h| h.bones).unwrap_or_default();
                vec![take.clip(&target.skeleton, &bones, &TakeOptions::default())?.clip]
            }
        };
        if clips.is_empty() { Err(SourceError::Empty) } else { Ok(clips) }
    }
}

/// Whether a file is read as a take, by its ending.
pub fn is_take(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv"))
}

/// A name for a clip that comes to others: its own, or that of its file's `stem`; where it is taken both, and then a number.
pub fn name_among(clips: &[Clip], own: Option<&str>, stem: &str) -> String {
    let is_free = |name: &str| clips.iter().all(|c| c.name.as_deref() != Some(name));
    let own = own.unwrap_or(stem);
    let both = format!("{stem} {own}");
    let numbered = (2..).map(|number: u32| format!("{both} {number}"));
    let mut names = [own.to_owned(), both.clone()].into_iter().chain(numbered);
    names.find(|name| is_free(name)).unwrap_or(both)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clips_that_come_to_others_have_names_of_their_own() {
        let mut clips: Vec<Clip> = Vec::new();
        let mut add = |own: Option<&str>| {
            let name = name_among(&clips, own, "file");
            clips.push(Clip { name: Some(name.clone()), ..Clip::default() });
            name
        };
        let names = [Some("walk"), Some("walk"), Some("walk"), None, None].map(&mut add);
        assert_eq!(names, ["walk", "file walk", "file walk 2", "file", "file file"]);
    }
}
