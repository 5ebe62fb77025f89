//! Saves images, poses, rigs and takes under unused names.

use std::io;
use std::path::{Path, PathBuf};

use crate::Session;
use crate::export;
use crate::export::PoseDocument;
use crate::files::{atomic, bounded};
use crate::project::{self, EXTENSION, ProjectContents};
use crate::render::{Background, Frame, Model, Pending, RenderError, Renderer};
use crate::text::json;
use crate::text::json::JsonError;

use super::files::{SaveError, file_of, write_numbered};
use super::key_edits;

/// File formats for a pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoseFile {
    /// The transforms of all nodes, and how well the goals were met.
    Json,
    /// A copy of the model in this pose, readable by other programs.
    Glb,
}

/// A project's file as last read or written.
#[derive(Clone, Debug)]
pub(super) struct SavedProject {
    pub(super) path: PathBuf,
    pub(super) text: String,
    /// The work in the file; see [`Session::work`]. `None` if the session was recovered from a copy, so that its work is not in the file.
    pub(super) work: Option<String>,
}

impl Session {
    /// Saves an image of the scene without the panel, as `NAME-0001.png` or under the next free number in a folder.
    ///
    /// # Errors
    /// [`SaveError`] if the image could not be rendered or written. No file is left behind.
    pub fn save_image(
        &self,
        renderer: &mut Renderer,
        model: &Model,
        scale: f32,
        folder: &Path,
    ) -> Result<PathBuf, SaveError> {
        let (pending, background) = self.submit_image(renderer, model, scale)?;
        let png = pending.image()?.png(background).map_err(RenderError::from)?;
        write_numbered(folder, &self.name(), "png", &png)
    }

    /// Starts to draw the image that [`Self::save_image`] saves.
    pub(crate) fn submit_image(
        &self,
        renderer: &mut Renderer,
        model: &Model,
        scale: f32,
    ) -> Result<(Pending, Background), RenderError> {
        let frame = Frame { ambient_occlusion: true, ..self.frame(scale) };
        let props = self.prop_models(renderer)?;
        let models: Vec<&Model> = std::iter::once(model).chain(&props).collect();
        Ok((renderer.submit(&models, &frame, self.pixels())?, frame.background))
    }

    /// Saves the pose as `NAME-0001.json` or `.glb`, or under the next free number in a folder.
    ///
    /// # Errors
    /// [`SaveError`] if the pose could not be written. No file is left behind.
    pub fn save_pose(&self, kind: PoseFile, folder: &Path) -> Result<PathBuf, SaveError> {
        match kind {
            PoseFile::Json => {
                let failed = |e: JsonError| SaveError::Write { path: folder.into(), source: e.into() };
                let text = self.pose_json().map_err(failed)?;
                write_numbered(folder, &self.name(), "json", &text)
            }
            PoseFile::Glb => {
                let bytes = export::posed_copy(self.puppet(), self.file())?;
                write_numbered(folder, &self.name(), "glb", &bytes)
            }
        }
    }

    /// Returns a warning if a posed GLB would lack a part of the pose.
    pub(crate) fn posed_copy_loss(&self) -> Option<String> {
        export::posed_copy_loss(&self.puppet().character().skeleton, self.puppet().pose())
    }

    pub(crate) fn pose_json(&self) -> Result<Vec<u8>, JsonError> {
        let mut text = json::to_vec(&PoseDocument::new(self.puppet(), self.reports(), None))?;
        text.push(b'\n');
        Ok(text)
    }

    /// Saves the rig as `NAME.rig.toml` beside the character. An existing file keeps its comments and order. The rig of
    /// the built-in character is saved in `folder` under a free name.
    ///
    /// # Errors
    /// [`SaveError::Exists`] if the file exists and was not written by this session, unless `replace` is set. Another
    /// [`SaveError`] if the file cannot be read or written. The existing file is then unchanged.
    pub fn save_rig(&mut self, folder: &Path, replace: bool) -> Result<PathBuf, SaveError> {
        self.rig_file.save(&self.document.scene.rig, self.puppet.character(), folder, replace)
    }

    /// Saves the session's state as a project for `sinew` and the viewer. The files of the character and its added clips are not
    /// copied: the project references them relative to its folder.
    ///
    /// # Errors
    /// [`SaveError::Exists`] if the file exists, unless `replace` is set. [`SaveError::Write`] if the file cannot be written. An existing
    /// file is then unchanged.
    pub fn save_project(&mut self, path: &Path, replace: bool) -> Result<(), SaveError> {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let text = self.project_text(folder);
        let write = if replace { atomic::write } else { atomic::write_new };
        write(path, text.as_bytes()).map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => SaveError::Exists { path: path.into() },
            _ => SaveError::Write { path: path.into(), source },
        })?;
        self.note_project(path, &text);
        Ok(())
    }

    /// Returns the text of the session's project, with paths relative to `folder`. Equal states produce equal text.
    pub(crate) fn project_text(&self, folder: &Path) -> String {
        project::text(self.project_contents(), folder)
    }

    /// Returns the work worth saving. See [`project::work`].
    pub(crate) fn work(&self) -> String {
        let scene = &self.document.scene;
        project::work(self.project_contents(), key_edits::follows(&self.puppet, scene, &scene.motion))
    }

    fn project_contents(&self) -> ProjectContents<'_> {
        ProjectContents {
            document: &self.document,
            character: self.puppet.character(),
            file: self.file(),
            own_clips: self.own_clips(),
            rig_on_disk: self.rig_on_disk(),
            size: self.view.size,
            time: self.puppet.time,
        }
    }

    /// Records that the session is now the project at `path`, and that the file contains `text`.
    pub(crate) fn note_project(&mut self, path: &Path, text: &str) {
        let work = Some(self.work());
        self.project = Some(SavedProject { path: path.into(), text: text.into(), work });
    }

    /// Saves the project under its name. A new project is saved beside the character as `NAME.sinew`, or in `folder` if the character is
    /// built in. If another file of that name already exists, or if another program has changed the project, the name gets the first free
    /// number.
    ///
    /// # Errors
    /// [`SaveError`] if the project cannot be written.
    pub fn save(&mut self, folder: &Path) -> Result<PathBuf, SaveError> {
        let path = match &self.project {
            Some(SavedProject { path, text, .. }) => {
                let path = path.clone();
                let existing = bounded::read_regular(&path, text.len() as u64 + 1);
                let is_changed = match existing {
                    Ok(bytes) => bytes != text.as_bytes(),
                    Err(error) => error.kind() != io::ErrorKind::NotFound,
                };
                if !is_changed {
                    self.save_project(&path, true)?;
                    return Ok(path);
                }
                path
            }
            None => self.default_project(folder),
        };
        match self.save_project(&path, false) {
            Ok(()) => Ok(path),
            Err(SaveError::Exists { .. }) => {
                let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
                let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                let text = self.project_text(folder);
                let path = write_numbered(folder, &stem, EXTENSION, text.as_bytes())?;
                self.note_project(&path, &text);
                Ok(path)
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the default path of a new project, which is used if the name is free: beside the character, or in `folder` for the built-in
    /// character.
    pub(crate) fn default_project(&self, folder: &Path) -> PathBuf {
        let beside = self.file().and_then(Path::parent).filter(|p| !p.as_os_str().is_empty());
        // The base name of the built-in character is the program's name, which is also the extension, so use another name.
        let name = self.file().map_or_else(|| "mannequin".to_owned(), |_| self.name());
        beside.unwrap_or(folder).join(format!("{name}.{EXTENSION}"))
    }

    /// Continues an earlier project with this session's work, which was recovered from a copy. All of the work counts as unsaved. If there
    /// is no earlier project, the session belongs to no project.
    #[cfg(feature = "window")]
    pub(crate) fn continue_project(&mut self, earlier: Option<&Path>) {
        self.project = earlier.map(|path| {
            let text = bounded::read_to_string(path, project::MAX_BYTES).unwrap_or_default();
            SavedProject { path: path.into(), text, work: None }
        });
    }

    /// Returns the project file that the session was opened from or last saved to.
    pub fn project(&self) -> Option<&Path> {
        self.project.as_ref().map(|project| project.path.as_path())
    }

    /// Returns whether the project's file contains all of the user's work.
    pub fn is_saved(&self) -> bool {
        self.project.as_ref().is_some_and(|project| project.work.as_ref() == Some(&self.work()))
    }

    /// Saves a take as `NAME-take-0001.csv` or under the next free number in a folder.
    ///
    /// # Errors
    /// [`SaveError`] if the take could not be written. No file is left behind.
    pub fn save_take(&self, csv: &[u8], folder: &Path) -> Result<PathBuf, SaveError> {
        write_numbered(folder, &format!("{}-take", self.name()), "csv", csv)
    }

    /// The character's file. The built-in character has none.
    pub fn file(&self) -> Option<&Path> {
        file_of(self.puppet.character())
    }

    /// The view's width and height in whole pixels.
    pub fn pixels(&self) -> (u32, u32) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size is 1 to 32768")]
        let size = (self.size().x as u32, self.size().y as u32);
        size
    }

    /// Returns the base name for saved files.
    pub(crate) fn name(&self) -> String {
        let stem = self.file().and_then(Path::file_stem);
        stem.map_or_else(|| "sinew".to_owned(), |s| s.to_string_lossy().into_owned())
    }
}
