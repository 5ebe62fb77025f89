//! The state of a session: records and saves it, restores it, and copies it to the session of another file.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::asset::Clip;
use crate::capture::write_csv;
use crate::document::Scene;
use crate::export::bake::{Source, SourceError};
use crate::files::Progress;
use crate::motion::Motion;
use crate::project::{self, ProjectContents};
use crate::render::{Model, RenderError, Renderer};
use crate::session::recorder::Header;
use crate::session::recorder::names::SessionNames;
use crate::{AddedClips, Command, PoseFile, Recorder, SaveError, StyleSource, Transfer};

use super::added_clips::{MAX_ADDITIONS, matching_clips, missing, next_take_name, recorded_take};
use super::clock::Clock;
use super::files::{folder_of, write_numbered};
use super::saved_project::{SavedProject, default_path};
use super::solver_options::adopted;
use super::views::CameraEffect;
use super::{Session, display, fingerprint, key_edits, pose_commands, saved_project};

impl Session {
    /// Starts a recording. `scale` is the number of pixels per point, which sets the size of overlays.
    ///
    /// This ends any drag. Earlier undo steps are not available during the recording but return when it ends.
    ///
    /// # Errors
    /// [`SaveError`] if the file cannot be written. In this case, the session is not recorded.
    pub fn record(&mut self, mut recorder: Recorder, scale: f32) -> Result<(), SaveError> {
        drop(self.stop_recording());
        self.leave_steps();
        self.release();
        self.execute(Command::Scale(scale));
        let names = SessionNames::new(self.puppet.character(), &self.rig_file.loaded);
        recorder.begin(&Header::of(self, scale, recorder.folder()), names)?;
        let commands = self.state_commands();
        self.clock = Clock::default();
        recorder.before = std::mem::take(&mut self.history);
        // The clips are already in the session, but a replay must add them before it restores the snapshot.
        for addition in &mut self.document.additions {
            recorder.log_added(self.clock.now, addition, self.puppet.character());
        }
        self.recorder = Some(recorder);
        commands.into_iter().for_each(|command| self.apply(command));
        Ok(())
    }

    /// Ends the recording and moves it to its final path. Returns `None` if no recording was running.
    pub fn stop_recording(&mut self) -> Option<Result<PathBuf, SaveError>> {
        let mut recorder = self.recorder.take()?;
        self.history.append_to(std::mem::take(&mut recorder.before));
        Some(recorder.finish(self.clock.now))
    }

    /// The duration of the running recording.
    pub fn recorded(&self) -> Option<Duration> {
        self.recorder.as_ref().map(|_| self.clock.now)
    }

    /// Copies the settings of the previous session. If `reloaded` is set, both sessions show the same file, and the camera, the added clips
    /// and the motion are copied as well. If the nodes of both sessions also match, the pose, the goals and the undo history are copied
    /// too. Returns one line for each file of added clips that no longer fits the character.
    pub fn take_over(&mut self, from: &Self, reloaded: bool) -> Vec<String> {
        let mut errors = Vec::new();
        // The settings contain the props. A reload has read their files already.
        if !reloaded {
            self.props.share(&from.props);
        }
        from.document.stored_settings().commands().into_iter().for_each(|command| self.execute(command));
        let (old, new) = (&from.rig_file.saved.options, &self.document.scene.rig.options);
        let options = adopted(&self.document.settings.solver, old, new, !reloaded);
        if options != *self.document.settings.solver {
            self.set_solver(options);
        }
        self.document.orbit = self.home_view();
        if reloaded {
            self.document.orbit = from.document.orbit;
            self.project.clone_from(&from.project);
            errors = self.reapply_with(&from.document.additions, &Progress::default());
            self.restore_from(from);
        } else {
            // Another character has different variants and a different motion.
            self.document.settings.variant = None;
            self.document.settings.style = StyleSource::default();
            self.document.settings.timeline.range = None;
        }
        self.comparison.set_methods(&from.document.settings.compare, &self.puppet);
        let before = self.view.before_command(&self.puppet, &self.document.orbit, false);
        self.view.update_anchor(CameraEffect::Sets, before, &self.puppet, &mut self.document, false);
        errors
    }

    /// Restores the state of another session of the same file. If the nodes have changed, only the motion is restored.
    fn restore_from(&mut self, from: &Self) {
        let (here, there) = (self.puppet.shared_character(), from.puppet.character());
        let same = fingerprint::has_same_nodes(&here.skeleton, &there.skeleton)
            && self.document.scene.held.weights.len() == from.document.scene.held.weights.len();
        let clips = matching_clips((there, from.additions()), (here.as_ref(), self.additions()));
        let clip = |clip: usize| clips.get(clip).copied().flatten();
        self.puppet.time = from.puppet.time;
        let mut scene = from.document.scene.clone();
        if !same {
            // Saving must not overwrite the project, because only the motion is restored.
            self.project = None;
            let node = |n: usize| here.skeleton.find(there.skeleton.nodes.get(n)?.name.as_deref()?);
            let motion = scene.motion.renumbered(clip, node);
            if motion.fits(&here) && !motion.is_rest() {
                self.clock.copy(&from.clock);
                let (motion, time) = (Arc::new(motion), from.puppet.time);
                self.restore(Some(Scene { motion, time, ..self.document.scene.clone() }));
            }
            return;
        }
        self.clock.copy(&from.clock);
        self.history.clone_from(&from.history);
        self.document.selection.clone_from(&from.document.selection);
        let clips_moved = clips.iter().enumerate().any(|(index, now)| *now != Some(index));
        if clips_moved || !scene.motion.fits(&here) {
            let renumbered = |motion: &Motion| {
                let motion = motion.renumbered(clip, Some);
                if motion.fits(&here) { motion } else { Motion::default() }
            };
            scene.motion = Arc::new(renumbered(&scene.motion));
            self.history.change_motions(renumbered);
        }
        // Unsaved edits of the rig take precedence over the rig in the file.
        if !from.is_rig_changed() {
            scene.rig = Arc::clone(&self.document.scene.rig);
            self.history.set_rig(&scene.rig);
        }
        self.restore(Some(scene));
        self.rig_file.written.clone_from(&from.rig_file.written);
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
        let clips = addition.named_clips(self.puppet.character());
        if clips.is_empty() || self.document.additions.len() >= MAX_ADDITIONS {
            return;
        }
        self.puppet.add_clips(clips);
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
        let take = recorded_take(recorded, character, &self.puppet.rig)?;
        let saved = self.save_take(write_csv(&take).as_bytes(), folder);
        let file = saved.as_ref().map_or_else(|_| PathBuf::from("take.csv"), Clone::clone);
        let addition = self.addition(&file, Arc::new(Source::Take(take)), false);
        let addition = addition.map_err(|e| e.to_string())?.into_take(next_take_name(&character.clips));
        self.apply(Command::AddClips(Box::new(addition)));
        saved.map_err(|e| e.to_string())
    }

    /// Adds the additions of another session that this character does not have yet. Returns a one-line error for each addition that does
    /// not fit the character.
    pub(crate) fn reapply_with(&mut self, additions: &[AddedClips], progress: &Progress) -> Vec<String> {
        let mut errors = Vec::new();
        for addition in missing(&self.document.additions, additions) {
            match addition.for_character(self.puppet.character(), &self.rig_file.loaded, progress) {
                Ok(addition) => self.add(addition),
                Err(error) => errors.push(format!("{}: {error}", addition.file.display())),
            }
        }
        errors
    }

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
        let (pending, background) = display::submit(self, renderer, model, scale)?;
        let png = pending.image()?.png(background).map_err(RenderError::from)?;
        write_numbered(folder, &self.name(), "png", &png)
    }

    /// Saves the pose as `NAME-0001.json` or `.glb`, or under the next free number in a folder.
    ///
    /// # Errors
    /// [`SaveError`] if the pose could not be written. No file is left behind.
    pub fn save_pose(&self, kind: PoseFile, folder: &Path) -> Result<PathBuf, SaveError> {
        pose_commands::save(&self.puppet, &self.reports, kind, folder)
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

    /// Saves a take as `NAME-take-0001.csv` or under the next free number in a folder.
    ///
    /// # Errors
    /// [`SaveError`] if the take could not be written. No file is left behind.
    pub fn save_take(&self, csv: &[u8], folder: &Path) -> Result<PathBuf, SaveError> {
        write_numbered(folder, &format!("{}-take", self.name()), "csv", csv)
    }

    /// Saves the session's state as a project for `sinew` and the viewer. The files of the character and its added clips are not
    /// copied: the project references them relative to its folder.
    ///
    /// # Errors
    /// [`SaveError::Exists`] if the file exists, unless `replace` is set. [`SaveError::Write`] if the file cannot be written. An existing
    /// file is then unchanged.
    pub fn save_project(&mut self, path: &Path, replace: bool) -> Result<(), SaveError> {
        let text = self.project_text(folder_of(path));
        saved_project::write(path, &text, replace)?;
        self.note_project(path, text);
        Ok(())
    }

    /// Saves the project under its name. A new project is saved beside the character as `NAME.sinew`, or in `folder` if the character is
    /// built in. If another file of that name already exists, or if another program has changed the project, the name gets the first free
    /// number.
    ///
    /// # Errors
    /// [`SaveError`] if the project cannot be written.
    pub fn save(&mut self, folder: &Path) -> Result<PathBuf, SaveError> {
        let (path, replace) = match &self.project {
            Some(project) => (project.path.clone(), project.is_unchanged()),
            None => (default_path(self.puppet.character(), folder), false),
        };
        match self.save_project(&path, replace) {
            Err(SaveError::Exists { .. }) if !replace => {
                let text = self.project_text(folder_of(&path));
                let path = saved_project::write_beside(&path, &text)?;
                self.note_project(&path, text);
                Ok(path)
            }
            saved => saved.map(|()| path),
        }
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
        let (document, character) = (&self.document, self.puppet.character());
        let rig_on_disk = self.rig_file.on_disk(character);
        ProjectContents { document, character, rig_on_disk, size: self.view.size, time: self.puppet.time }
    }

    /// Records that the session is now the project at `path`, and that the file contains `text`.
    pub(crate) fn note_project(&mut self, path: &Path, text: String) {
        self.project = Some(SavedProject { path: path.into(), text, work: Some(self.work()) });
    }

    /// Returns whether the project's file contains all of the user's work.
    pub fn is_saved(&self) -> bool {
        self.project.as_ref().is_some_and(|project| project.work.as_ref() == Some(&self.work()))
    }
}
