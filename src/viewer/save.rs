//! What leaves the viewer as files: pictures of the scene and poses, under names that nothing has yet.

use std::io;
use std::path::{Path, PathBuf};

use crate::asset::{self, LoadError};
use crate::atomic;
use crate::json::{self, JsonError};
use crate::posed::{self, Document};
use crate::render::{Model, RenderError, Renderer};
use crate::rig::{self, RigLoadError};

use super::Session;

/// Numbers that are tried for a name.
const NUMBERS: std::ops::RangeInclusive<u32> = 1..=9999;

/// As what a pose is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoseFile {
    /// Every node's transforms, and how the goals were met.
    Json,
    /// A copy of the model that other programs open.
    Glb,
}

/// Why nothing was saved.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The scene could not be drawn.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The model's file could not be read again.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The rig's file that is there could not be read.
    #[error(transparent)]
    Rig(#[from] RigLoadError),
    /// There is a rig's file already that was not written here.
    #[error("{} is there already", path.display())]
    There {
        /// Its place.
        path: PathBuf,
    },
    /// The file could not be written.
    #[error("{}: {source}", path.display())]
    Write {
        /// Where it should have gone.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl Session {
    /// Saves what is seen, without the panel, as `NAME-0001.png` or the next number that is free in a folder.
    ///
    /// # Errors
    /// [`SaveError`]; nothing is then written.
    pub fn save_picture(
        &self,
        renderer: &mut Renderer,
        model: &Model,
        scale: f32,
        folder: &Path,
    ) -> Result<PathBuf, SaveError> {
        let frame = self.frame(scale);
        let png = renderer.render(model, &frame, self.pixels())?.png(frame.background)?;
        numbered(folder, &self.name(), "png", &png)
    }

    /// Saves the pose as `NAME-0001.json` or `.glb`, or the next number that is free in a folder.
    ///
    /// # Errors
    /// [`SaveError`]; nothing is then written.
    pub fn save_pose(&self, kind: PoseFile, folder: &Path) -> Result<PathBuf, SaveError> {
        match kind {
            PoseFile::Json => {
                let document = Document::new(self.puppet(), self.reports(), None);
                let failed = |e: JsonError| SaveError::Write { path: folder.into(), source: e.into() };
                let mut text = json::to_vec(&document).map_err(failed)?;
                text.push(b'\n');
                numbered(folder, &self.name(), "json", &text)
            }
            PoseFile::Glb => {
                let bytes = posed::copy(self.puppet(), self.file())?;
                numbered(folder, &self.name(), "glb", &bytes)
            }
        }
    }

    /// Saves the rig as `NAME.rig.toml` beside the character; what is there keeps its comments and its order. That of
    /// the character inside the program goes into a folder, under a name that nothing has yet.
    ///
    /// # Errors
    /// [`SaveError::There`] if a file would be replaced that this session has not written, unless `replace`; the
    /// others if it cannot be read or written. The file is then untouched.
    pub fn save_rig(&mut self, folder: &Path, replace: bool) -> Result<PathBuf, SaveError> {
        let character = self.puppet().character();
        let path = match self.file() {
            Some(file) => {
                let path = file.with_extension("rig.toml");
                let (there, text) = rig::updated(&self.state.rig, character, &path)?;
                let write = match &there {
                    None => atomic::write_new,
                    Some(_) if replace || there == self.written_rig => atomic::write,
                    Some(_) => return Err(SaveError::There { path }),
                };
                match write(&path, text.as_bytes()) {
                    Ok(()) => {}
                    Err(taken) if taken.kind() == io::ErrorKind::AlreadyExists => {
                        return Err(SaveError::There { path });
                    }
                    Err(source) => return Err(SaveError::Write { path, source }),
                }
                self.written_rig = Some(text);
                path
            }
            None => {
                let path = folder.join("mannequin.rig.toml");
                let own = asset::MANNEQUIN_RIG;
                let text = rig::file::write(&self.state.rig, &character.skeleton, own)
                    .map_err(|e| RigLoadError { path: path.clone(), cause: e.into() })?;
                match atomic::write_new(&path, text.as_bytes()) {
                    Ok(()) => path,
                    Err(taken) if taken.kind() == io::ErrorKind::AlreadyExists => {
                        numbered(folder, "mannequin", "rig.toml", text.as_bytes())?
                    }
                    Err(source) => return Err(SaveError::Write { path, source }),
                }
            }
        };
        self.saved_rig = std::sync::Arc::clone(&self.state.rig);
        Ok(path)
    }

    /// Saves a take as `NAME-take-0001.csv`, or the next number that is free in a folder.
    ///
    /// # Errors
    /// [`SaveError`]; nothing is then written.
    pub fn save_take(&self, csv: &[u8], folder: &Path) -> Result<PathBuf, SaveError> {
        numbered(folder, &format!("{}-take", self.name()), "csv", csv)
    }

    /// The file that the character came from, if it came from one.
    pub fn file(&self) -> Option<&Path> {
        let path = self.puppet().character().path.as_path();
        // The one inside the program is named by words, not by a file.
        (path.extension().is_some() || path.is_file()).then_some(path)
    }

    /// Pixels across and down.
    pub fn pixels(&self) -> (u32, u32) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size is 1 to 32768")]
        let size = (self.size().x as u32, self.size().y as u32);
        size
    }

    /// What files that are saved are called.
    pub(super) fn name(&self) -> String {
        let stem = self.file().and_then(Path::file_stem);
        stem.map_or_else(|| "sinew".to_owned(), |s| s.to_string_lossy().into_owned())
    }
}

/// Writes under the first number whose name nothing has.
pub(super) fn numbered(
    folder: &Path,
    name: &str,
    extension: &str,
    bytes: &[u8],
) -> Result<PathBuf, SaveError> {
    free(folder, name, extension, |path| atomic::write_new(path, bytes))
}

/// Takes the first number whose name nothing has.
pub(super) fn free(
    folder: &Path,
    name: &str,
    extension: &str,
    mut take: impl FnMut(&Path) -> io::Result<()>,
) -> Result<PathBuf, SaveError> {
    let mut last = folder.to_path_buf();
    for number in NUMBERS {
        last = folder.join(format!("{name}-{number:04}.{extension}"));
        match take(&last) {
            Ok(()) => return Ok(last),
            Err(taken) if taken.kind() == io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(SaveError::Write { path: last, source }),
        }
    }
    Err(SaveError::Write { path: last, source: io::ErrorKind::AlreadyExists.into() })
}
