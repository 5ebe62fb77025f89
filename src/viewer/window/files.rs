//! The open file: chosen in a dialog, read on another thread, watched, and reloaded after a change.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use winit::event_loop::EventLoopProxy;

use crate::export::{StoredPose, is_posed_copy};
use crate::motion::{Motion, RootMotion, Strip};
use crate::viewer::panel::{Answer, AppRequest, Leave, PathPurpose, Question, Reading};
use crate::viewer::{
    AddedClips, CharacterLoader, Command, LoadResult, LoadedFile, Watch, folder, is_project, neighbour,
};

use super::dialogs::Dialog;
use super::export::{ExportEnd, RunningExport};
use super::{App, requests};

/// Time without further changes after which a changed file is reloaded.
const SETTLE_TIME: Duration = Duration::from_millis(200);

/// A message from another thread to the window.
#[derive(Debug)]
pub(super) enum AppEvent {
    /// A file was read, or failed to be read.
    Read(Box<LoadResult>),
    /// The system's file dialog was closed, with or without a path.
    Chosen(PathPurpose, Option<PathBuf>),
    /// The export of a clip has ended.
    Exported(ExportEnd),
    /// The open file, or one that belongs to it, has changed.
    Changed,
    /// The file with which the window was opened was read, or failed to be read.
    Loaded,
    /// The window should close without confirmation.
    Close,
}

/// The window's state that concerns files.
#[derive(Debug)]
pub(super) struct Files {
    pub(super) loader: CharacterLoader,
    watch: Option<Watch>,
    /// Sizes and modification times of the open file and the files that belong to it, as of the last read.
    stamp: Vec<Option<(u64, SystemTime)>>,
    /// When the open file last changed.
    changed: Option<Instant>,
    /// The file that was read while a question about it is shown.
    pub(super) pending: Option<LoadResult>,
    /// The file that is opened by a step through its folder.
    stepped: Option<PathBuf>,
    pub(super) dialog: Option<Dialog>,
    /// The export of a clip that is running.
    pub(super) export: Option<RunningExport>,
    pub(super) proxy: EventLoopProxy<AppEvent>,
}

impl Files {
    pub(super) fn new(proxy: EventLoopProxy<AppEvent>) -> Self {
        let sender = proxy.clone();
        // Sending fails only if the window has closed already.
        let loader =
            CharacterLoader::new(move |read| drop(sender.send_event(AppEvent::Read(Box::new(read)))));
        Self {
            loader,
            watch: None,
            stamp: Vec::new(),
            changed: None,
            pending: None,
            stepped: None,
            dialog: None,
            export: None,
            proxy,
        }
    }
}

impl Files {
    /// Returns a function that delivers the path from a dialog. Sending fails only if the window has closed already.
    pub(super) fn chosen_sender(&self) -> impl Fn(PathPurpose, Option<PathBuf>) + Send + 'static {
        let proxy = self.proxy.clone();
        move |purpose, path| drop(proxy.send_event(AppEvent::Chosen(purpose, path)))
    }

    /// Returns a function that delivers the end of an export.
    pub(super) fn export_sender(&self) -> impl Fn(ExportEnd) + Send + 'static {
        let proxy = self.proxy.clone();
        move |end| drop(proxy.send_event(AppEvent::Exported(end)))
    }
}

impl App {
    /// Adds the session's file to the recent files and watches it.
    pub(super) fn register_file(&mut self) {
        if let Some(file) = self.session.file().map(Path::to_path_buf) {
            self.settings.add(&file);
            self.watch(&file);
        }
        self.panel.open.recent = self.settings.recent().to_vec();
    }

    /// Starts to read a file. If `reloads` is set, it is the open file, and the camera and the pose are kept.
    pub(super) fn read(&mut self, file: &Path, reloads: bool) {
        if let Err(error) = self.files.loader.start_beside(file, reloads, &self.session) {
            self.notify(Err(format!("{}: {error}", file.display())));
        }
        self.note_reading();
    }

    /// Shows in the panel which file is being read.
    pub(super) fn note_reading(&mut self) {
        let loader = &self.files.loader;
        self.panel.open.reading = loader.reading().map(|path| Reading {
            path: path.to_path_buf(),
            progress: loader.progress().clone(),
            began: Instant::now(),
        });
        self.request_redraw();
    }

    /// Opens another file. A question about work that would be lost is asked when the file was read: a file that cannot be read,
    /// and one whose motion or pose the character takes over, lose nothing.
    pub(super) fn open_file(&mut self, file: &Path) {
        self.files.stepped = None;
        self.read(file, false);
    }

    /// Shows a file that was read, or asks first if that would lose work.
    fn accept_read(&mut self, read: LoadResult) {
        let replaces = matches!(
            read.outcome,
            Ok(LoadedFile::Character(..) | LoadedFile::Project(..) | LoadedFile::Watch(..))
        );
        if self.offers_pose(&read) {
            self.panel.question = Some(Question::SameJoints(read.path.clone()));
            self.files.pending = Some(read);
        } else if replaces && !read.reloads {
            let leave = Leave::Open(read.path.clone());
            self.files.pending = Some(read);
            self.leave(leave);
        } else {
            self.show_read(read);
        }
    }

    /// Returns whether a file is a posed copy of the character that is shown. Stepping through a folder is not interrupted by a
    /// question.
    fn offers_pose(&self, read: &LoadResult) -> bool {
        let current = self.session.puppet().character();
        match &read.outcome {
            Ok(LoadedFile::Character(other, _)) if !read.reloads => {
                let is_step = self.files.stepped.as_ref() == Some(&read.path);
                !is_step && is_posed_copy(other.puppet().character(), current)
            }
            _ => false,
        }
    }

    /// Applies the pose of the posed copy that was read, or opens it after all.
    pub(super) fn answer_same_joints(&mut self, answer: Answer) {
        let Some(read) = self.files.pending.take() else { return };
        match (&read.outcome, answer) {
            (Ok(LoadedFile::Character(other, _)), Answer::Yes) => {
                let pose = StoredPose::of_copy(&other.puppet().character().skeleton);
                self.apply_pose(&pose, &read.path);
            }
            (_, Answer::No) => {
                let leave = Leave::Open(read.path.clone());
                self.files.pending = Some(read);
                self.leave(leave);
            }
            _ => {}
        }
    }

    /// Applies a pose from a file as one undo step.
    fn apply_pose(&mut self, pose: &StoredPose, file: &Path) {
        let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
        match self.session.blend_command(pose, 1.0) {
            Ok(command) => {
                self.session.apply(Command::Release);
                self.session.apply(command);
                self.session.apply(Command::Release);
                self.close_path(PathPurpose::Open);
                self.notify(Ok(format!("applied the pose of {name}")));
            }
            Err(error) => self.fail_path(PathPurpose::Open, format!("{name}: {error}")),
        }
    }

    /// Shows the file that was read before a question was asked.
    pub(super) fn show_pending(&mut self) {
        if let Some(read) = self.files.pending.take() {
            self.show_read(read);
        }
    }

    /// Cancels the read in progress. Returns whether there was one.
    pub(super) fn cancel_reading(&mut self) -> bool {
        let cancelled = self.files.loader.cancel();
        if cancelled {
            self.panel.open.reading = None;
            self.request_redraw();
        }
        cancelled
    }

    /// Marks the open files as unchanged after the program has written one of them, so that they are not reloaded.
    pub(super) fn mark_files_read(&mut self) {
        if let Some(file) = self.session.file() {
            self.files.stamp = stamp(file, &self.session.puppet.character().files);
        }
    }

    /// Opens the next or previous file of the folder, relative to the one that is open or being read.
    pub(super) fn step(&mut self, forward: bool) {
        let Some(file) = self.files.loader.reading().or(self.session.file()) else {
            return self.notify(Err(requests::BUILT_IN.into()));
        };
        match neighbour(file, forward) {
            Ok(Some(next)) => {
                self.open_file(&next);
                self.files.stepped = Some(next);
            }
            Ok(None) => self.notify(Err("the folder contains no other model".into())),
            Err(error) => {
                let line = format!("{}: {error}", file.display());
                self.notify(Err(line));
            }
        }
    }

    /// Handles a message from another thread.
    pub(super) fn handle_app_event(&mut self, event: AppEvent) {
        match event {
            AppEvent::Read(read) => {
                if let Some(read) = self.files.loader.accept(*read) {
                    self.panel.open.reading = None;
                    self.accept_read(read);
                }
            }
            AppEvent::Chosen(purpose, path) => self.end_dialog(purpose, path),
            AppEvent::Exported(end) => self.end_export(end),
            // Only the startup handles this one.
            AppEvent::Loaded => {}
            AppEvent::Changed => self.files.changed = Some(Instant::now()),
            AppEvent::Close => {
                // Nobody can be asked any more.
                self.autosave();
                self.quit = true;
            }
        }
        self.request_redraw();
    }

    /// Returns when to reload the changed file, or `None` if no file has changed or it cannot be reloaded now.
    pub(super) fn next_reload(&self) -> Option<Instant> {
        // A recording can refer to only one version of a file.
        let recording = self.session.recorded().is_some();
        let can_reload = !self.input.is_busy()
            && self.files.loader.reading().is_none()
            && !recording
            && self.watched.is_none();
        self.files
            .changed
            .filter(|_| can_reload && !self.panel.open.ignore_changes)
            .map(|then| then + SETTLE_TIME)
    }

    /// Reloads the open file if its last change is at least [`SETTLE_TIME`] ago.
    pub(super) fn reload_changed(&mut self) {
        if self.next_reload().is_some_and(|when| when <= Instant::now()) {
            self.files.changed = None;
            if let Some(file) = self.session.file().map(Path::to_path_buf) {
                let now = stamp(&file, &self.session.puppet.character().files);
                if now != self.files.stamp {
                    self.files.stamp = now;
                    self.read(&file, true);
                }
            }
        }
    }

    /// Shows a file that was read, or the error if reading failed.
    fn show_read(&mut self, read: LoadResult) {
        let mut warnings = None;
        let found = match read.outcome {
            Ok(LoadedFile::Clips(addition)) => return self.play_addition(*addition),
            Ok(LoadedFile::Watch(replay, length, images)) => {
                return self.show_watched(*replay, (length, &images), read.path);
            }
            Ok(LoadedFile::Pose(pose)) => return self.apply_pose(&pose, &read.path),
            Ok(LoadedFile::Character(session, images)) => Ok((*session, images)),
            Ok(LoadedFile::Project(session, images, found)) => {
                warnings = Some(found);
                Ok((*session, images))
            }
            Err(error) => Err(error),
        };
        let open = self.open.as_mut();
        let result = found.and_then(|(mut session, images)| {
            session.apply(Command::Resize(self.session.size()));
            // Without a window there are no graphics to update. They are created later from the session.
            let updated = open.map_or(Ok(()), |s| s.graphics.show(session.puppet(), &images));
            updated.map(|()| session).map_err(|e| e.to_string())
        });
        match result {
            Ok(mut session) => {
                self.watched = None;
                self.session.apply(Command::Release);
                self.panel.clear_message();
                if !read.reloads {
                    self.panel.saved = None;
                }
                // A recording can only contain one character.
                self.stop_recording();
                let files_changed = session.puppet.character().files != self.session.puppet.character().files;
                // A project has its own settings.
                let errors = match &warnings {
                    Some(_) => Vec::new(),
                    None => session.take_over(&self.session, read.reloads),
                };
                if let Some(text) = warnings.into_iter().flatten().chain(errors).next() {
                    self.notify(Err(text));
                }
                let scale = self.session.scale();
                if !read.reloads {
                    self.remove_autosave();
                }
                self.input.abandon();
                self.session = session;
                self.session.apply(Command::Scale(scale));
                if !read.reloads {
                    self.note_opened();
                }
                self.retarget_source();
                if !read.reloads {
                    self.close_path(PathPurpose::Open);
                    self.files.changed = None;
                    // The copy of recovered work is removed when the work is saved.
                    let opened = Some(&*read.path).filter(|path| path.is_file() && !self.is_recovered());
                    let recent = self.session.project().or(self.session.file()).or(opened);
                    if let Some(recent) = recent.map(Path::to_path_buf) {
                        self.settings.add(&recent);
                    }
                    self.panel.open.recent = self.settings.recent().to_vec();
                }
                if !read.reloads || files_changed {
                    self.watch_files();
                }
                if !read.reloads {
                    self.offer_to_watch(&read.path);
                }
            }
            Err(error) => self.fail_path(PathPurpose::Open, error),
        }
    }

    /// Watches the character's file for changes.
    pub(super) fn watch_files(&mut self) {
        match self.session.file().map(Path::to_path_buf) {
            Some(file) => self.watch(&file),
            None => self.files.watch = None,
        }
    }

    /// Offers to play a recorded session, which is shown at its end.
    fn offer_to_watch(&mut self, file: &Path) {
        let is_session = folder::is_own(file) && !is_project(file);
        self.panel.open.session = is_session.then(|| file.to_path_buf());
        // A warning is more important.
        if is_session && self.panel.notice.is_none() {
            let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
            let message = format!("{name} was opened at its end");
            self.panel.offer(&message, "Watch", AppRequest::Watch(file.to_path_buf()));
        }
    }

    /// Adds the clips of a motion file to the current character and plays the first one.
    fn play_addition(&mut self, addition: AddedClips) {
        let file =
            addition.file.file_name().unwrap_or(addition.file.as_os_str()).to_string_lossy().into_owned();
        let first = self.session.puppet().character().clips.len();
        self.session.apply(Command::Release);
        self.session.apply(Command::AddClips(Box::new(addition)));
        if self.session.puppet().character().clips.len() == first {
            return self.notify(Err(format!("{file}: the character cannot have more clips")));
        }
        // Play in place, so that the character stays in view.
        let strip = Strip { root_motion: RootMotion::InPlace, ..Strip::new(first) };
        let motion = Motion { strips: vec![strip], ..Motion::default() };
        self.session.apply(Command::Motion(Box::new(motion)));
        self.session.apply(Command::Release);
        self.session.apply(Command::Seek(0.0));
        self.session.apply(Command::Play(true));
        self.close_path(PathPurpose::Open);
        self.notify(Ok(format!("added the clips of {file}")));
    }

    fn watch(&mut self, file: &Path) {
        let others = &self.session.puppet.character().files;
        self.files.stamp = stamp(file, others);
        let proxy = self.files.proxy.clone();
        let watch = Watch::new(file, others, move || drop(proxy.send_event(AppEvent::Changed)));
        match watch {
            Ok(watch) => self.files.watch = Some(watch),
            Err(error) => {
                self.files.watch = None;
                self.notify(Err(error));
            }
        }
    }
}

/// Returns size and modification time of a character's file, of related files with the same stem, and of `others`. An
/// entry is `None` if the file does not exist.
fn stamp(file: &Path, others: &[PathBuf]) -> Vec<Option<(u64, SystemTime)>> {
    let beside = ["bin", "png", "jpg", "rig.toml"].map(|kind| file.with_extension(kind));
    let size_and_time = |path: &Path| {
        let metadata = std::fs::metadata(path).ok()?;
        Some((metadata.len(), metadata.modified().ok()?))
    };
    std::iter::once(file)
        .chain(beside.iter().chain(others).map(PathBuf::as_path))
        .map(size_and_time)
        .collect()
}
