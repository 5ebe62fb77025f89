//! Sources of motion: files whose clips are transferred to a character.

use std::path::Path;

use crate::asset;
use crate::asset::Clip;
use crate::asset::{Character, LoadError, References, UpAxis};
use crate::capture::{CaptureError, Take, TakeOptions, is_take, load_take_with};
use crate::files::{Progress, Stopped};
use crate::motion::RetargetError;
use crate::rig::Rig;

use super::{RetargetedClips, matched, retarget_clips_while};

/// A source of motion for another character.
#[derive(Clone, Debug)]
pub enum Source {
    /// A character or a skeleton with clips.
    Character(Box<Character>),
    /// A motion capture take.
    Take(Take),
}

/// An error that occurred while the clips of a source were transferred to a character.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The source has no clips.
    #[error("the file contains no clips")]
    Empty,
    /// Reading was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The rig file beside the source cannot be used.
    #[error("{0}")]
    Rig(String),
    /// The source cannot be retargeted to the character.
    #[error(transparent)]
    Retarget(#[from] RetargetError),
    /// The joints of the take do not fit the character.
    #[error(transparent)]
    Capture(#[from] CaptureError),
}

impl Source {
    /// Loads a `.csv`, `.trc` or `.c3d` file as a take, and any other file as a character.
    ///
    /// # Errors
    /// [`LoadError`] if the file cannot be loaded.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        Self::load_with(path, &Progress::default())
    }

    /// Does the same as [`Self::load`], but reports the progress and can be stopped from another thread.
    ///
    /// # Errors
    /// Same as [`Self::load`], and [`LoadError::Stopped`].
    pub fn load_with(path: &Path, progress: &Progress) -> Result<Self, LoadError> {
        Self::load_with_references(path, &References::default(), progress)
    }

    /// Loads a file like [`Self::load_with`]. `references` specifies where referenced files may be located.
    ///
    /// # Errors
    /// Same as [`Self::load_with`].
    pub fn load_with_references(
        path: &Path,
        references: &References,
        progress: &Progress,
    ) -> Result<Self, LoadError> {
        if path == Path::new(asset::MANNEQUIN_PATH) {
            return Ok(Self::Character(Box::new(asset::mannequin()?)));
        }
        if is_take(path) {
            return Ok(Self::Take(load_take_with(path, progress)?));
        }
        Ok(Self::Character(Box::new(asset::load_with_references(path, None, references, progress)?)))
    }

    /// Removes noise above a cutoff in hertz from a take, without lag ([`Take::smooth`]). Changes nothing and returns false for the clips
    /// of a character.
    pub fn smooth(&mut self, cutoff: f64) -> bool {
        match self {
            Self::Take(take) => {
                take.smooth(cutoff);
                true
            }
            Self::Character(_) => false,
        }
    }

    /// Rotates the source so that +Y is up. Changes nothing and returns false for a character whose format defines the axes. A take from a
    /// C3D file already has +Y up.
    pub fn turn_up(&mut self, up: UpAxis) -> bool {
        match self {
            Self::Take(take) => {
                take.turn_up(up);
                true
            }
            Self::Character(source) => source.turn_up(up),
        }
    }

    /// Converts the clips of the source to clips of a character. Returns at least one clip.
    ///
    /// The clips of a character are retargeted. A take is converted by fitting the skeleton to the sensor data, and its
    /// clip has no name. If `hands` is set and the bodies differ, contact constraints for the hands are added
    /// ([`Retarget::hands`](crate::motion::Retarget::hands)).
    ///
    /// # Errors
    /// [`SourceError`] if the source has no clips or does not fit the character.
    pub fn clips(&self, target: &Character, rig: &Rig, hands: bool) -> Result<RetargetedClips, SourceError> {
        self.clips_with(target, rig, hands, &Progress::default())
    }

    /// Does the same as [`Self::clips`], but can be stopped from another thread.
    ///
    /// # Errors
    /// Same as [`Self::clips`], and [`SourceError::Stopped`].
    pub fn clips_with(
        &self,
        target: &Character,
        rig: &Rig,
        hands: bool,
        progress: &Progress,
    ) -> Result<RetargetedClips, SourceError> {
        progress.check()?;
        let retargeted = match self {
            Self::Character(source) if source.clips.is_empty() => return Err(SourceError::Empty),
            Self::Character(source) => {
                let mut retarget = matched(source, target, rig)?;
                retarget.hands = hands;
                retarget_clips_while(retarget, source, target, rig, progress)?.ok_or(Stopped)?
            }
            Self::Take(take) => clips_of_take(take, target, rig, &TakeOptions::default())?,
        };
        if retargeted.clips.is_empty() { Err(SourceError::Empty) } else { Ok(retargeted) }
    }

    /// Does the same as [`Self::clips`] for a take, with options. Returns `None` for a character.
    ///
    /// # Errors
    /// [`SourceError`] if the take does not fit the character.
    pub fn clips_of_take(
        &self,
        target: &Character,
        rig: &Rig,
        options: &TakeOptions,
    ) -> Result<Option<RetargetedClips>, SourceError> {
        match self {
            Self::Take(take) => Ok(Some(clips_of_take(take, target, rig, options)?)),
            Self::Character(_) => Ok(None),
        }
    }
}

fn clips_of_take(
    take: &Take,
    target: &Character,
    rig: &Rig,
    options: &TakeOptions,
) -> Result<RetargetedClips, CaptureError> {
    let captured = take.clip(&target.skeleton, &rig.bones, options)?;
    let (clips, warnings) = (vec![captured.clip], captured.warnings);
    Ok(RetargetedClips { clips, contacts: Vec::new(), warnings })
}

/// Returns a unique name for a clip that is added to other clips. This is the clip's own name, or the `stem` of its
/// file name if it has none. If the name is in use, the stem is put in front of it. If the resulting name is also in use, a number is
/// appended.
pub fn unique_clip_name(clips: &[Clip], own: Option<&str>, stem: &str) -> String {
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
    fn added_clips_get_unique_names() {
        let mut clips: Vec<Clip> = Vec::new();
        let mut add = |own: Option<&str>| {
            let name = unique_clip_name(&clips, own, "file");
            clips.push(Clip { name: Some(name.clone()), ..Clip::default() });
            name
        };
        let names = [Some("walk"), Some("walk"), Some("walk"), None, None].map(&mut add);
        assert_eq!(names, ["walk", "file walk", "file walk 2", "file", "file file"]);
    }
}
