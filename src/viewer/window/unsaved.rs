//! Work that is not saved in a project yet: the question asked before it is discarded, and the copy for recovery after a crash.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::SaveError;
use crate::files::{atomic, bounded};
use crate::panel::{Answer, Leave, Question};
use crate::platform::{Instant, fs};
use crate::project::{EXTENSION, MAX_BYTES};
use crate::session::files::{folder_of, write_numbered};
use crate::session::saved_project::SavedProject;

use super::App;

/// Minimum time between two automatic saves.
const INTERVAL: Duration = Duration::from_secs(30);
/// Time after a change before it is saved automatically.
const DELAY: Duration = Duration::from_secs(1);
/// File name suffix of autosaved projects.
const SUFFIX: &str = ".autosave.sinew";

/// The state of unsaved work.
#[derive(Debug, Default)]
pub(super) struct Unsaved {
    /// The work as it was when the file was opened, which does not need saving.
    opened: String,
    /// The last autosaved work, and its file.
    saved: Option<(String, PathBuf)>,
    /// The copy from which this session was recovered, until the work is saved in a project.
    recovered: Option<PathBuf>,
    /// The copy being read for recovery, and the project to which the work belongs.
    recovering: Option<(PathBuf, Option<PathBuf>)>,
    /// Work left by an earlier run, until the user has decided whether to recover it.
    undecided: Option<PathBuf>,
    /// Whether the recovery question was answered. It is not asked again, even if carrying out the answer failed.
    has_answered: bool,
    last: Option<Instant>,
    /// When to autosave next.
    pub(super) due: Option<Instant>,
    /// Whether an error was already shown.
    has_failed: bool,
}

impl App {
    /// Records that another file was opened. Offers to recover work that an earlier run left for it.
    pub(super) fn note_opened(&mut self) {
        self.show_library();
        let recovering = self.unsaved.recovering.take();
        self.unsaved = Unsaved { opened: self.session.work(), ..Unsaved::default() };
        if let Some((copy, earlier)) = recovering.filter(|(copy, _)| self.session.project() == Some(copy)) {
            // All of the recovered work counts as unsaved.
            self.session.project = earlier.as_deref().map(SavedProject::earlier);
            self.show_library();
            self.unsaved.opened.clear();
            self.unsaved.recovered = Some(copy);
            return;
        }
        let left = self.autosave_file().filter(|file| fs::is_file(file));
        self.unsaved.undecided.clone_from(&left);
        self.panel.question = left.map(Question::Recover);
    }

    /// Notes that the work so far comes from a recording, so it does not need saving.
    pub(super) fn note_watched(&mut self) {
        self.unsaved.opened = self.session.work();
    }

    /// Returns whether closing would lose work. Recorded work is not lost.
    fn has_unsaved_work(&self) -> bool {
        let session = &self.session;
        if self.watched.is_some() {
            return false;
        }
        let is_as_opened = || session.project().is_none() && session.work() == self.unsaved.opened;
        session.recorded().is_none() && !session.is_saved() && !is_as_opened()
    }

    /// Closes the character, or asks first if that would lose work.
    pub(super) fn leave(&mut self, leave: Leave) {
        if leave == Leave::Close && self.ask_about_export() {
            return;
        }
        if !self.has_unsaved_work() {
            return self.leave_now(&leave);
        }
        self.panel.question = Some(Question::Leave(leave));
        self.request_redraw();
    }

    fn leave_now(&mut self, leave: &Leave) {
        match leave {
            Leave::Close => {
                self.remove_autosave();
                self.quit = true;
            }
            Leave::Open(_) => self.show_pending(),
        }
    }

    /// Executes the answer to the current question.
    pub(super) fn answer(&mut self, answer: Answer) {
        self.request_redraw();
        let question = self.panel.question.take();
        let is_recovery = matches!(question, Some(Question::Recover(_)));
        match (question, answer) {
            (Some(Question::Leave(leave)), Answer::Yes) => {
                if self.save_project() {
                    self.leave_now(&leave);
                }
            }
            (Some(Question::Leave(leave)), Answer::No) => self.leave_now(&leave),
            (Some(Question::Recover(file)), Answer::No) => {
                self.unsaved.undecided = None;
                if let Err(error) = fs::remove_file(&file) {
                    self.notify(Err(format!("{}: {error}", file.display())));
                }
            }
            // The copy is renamed, so that later autosaves do not replace it.
            (Some(Question::Recover(file)), answer) => match kept(&file) {
                Ok(copy) if answer == Answer::Yes => self.recover(copy),
                Ok(project) => {
                    self.unsaved.undecided = None;
                    self.notify(Ok(format!("kept as {}", project.display())));
                }
                // If the folder is not writable, the work is still recovered, and the autosaved copy keeps its name.
                Err(_) if answer == Answer::Yes => self.recover(file),
                Err(error) => self.notify(Err(error.to_string())),
            },
            (Some(Question::Replace(purpose, path)), Answer::Yes) => self.use_path(purpose, &path, true),
            (Some(Question::SameJoints(_)), answer) => self.answer_same_joints(answer),
            (Some(Question::Export), answer) => self.answer_about_export(answer),
            (Some(Question::Leave(_) | Question::Replace(..)) | None, _) => {}
        }
        // If no further question follows, a pending file that has not been shown was declined.
        if self.panel.question.is_none() {
            self.files.pending = None;
            self.unsaved.has_answered |= is_recovery;
            // Another question may have replaced the recovery question.
            let undecided = self.unsaved.undecided.clone();
            self.panel.question = undecided.filter(|_| !self.unsaved.has_answered).map(Question::Recover);
        }
        self.panel.path.refocus();
    }

    /// Reads a copy of unsaved work to continue it.
    fn recover(&mut self, copy: PathBuf) {
        let earlier = self.session.project().map(Path::to_path_buf);
        self.read(&copy, false);
        self.unsaved.recovering = Some((copy, earlier));
    }

    /// Records that something may have changed, so that an autosave follows soon.
    pub(super) fn note_change(&mut self) {
        if self.unsaved.due.is_none() {
            let now = Instant::now();
            let earliest = self.unsaved.last.map_or(now, |last| last + INTERVAL);
            self.unsaved.due = Some(earliest.max(now + DELAY));
        }
    }

    /// Autosaves unsaved work if due.
    pub(super) fn autosave_if_due(&mut self) {
        if self.unsaved.due.is_some_and(|due| due <= Instant::now()) {
            self.unsaved.due = None;
            self.autosave();
        }
    }

    /// Saves unsaved work beside the project or the character, as `.FILE.autosave.sinew`. Once the work is saved in its project,
    /// the copy is removed.
    pub(super) fn autosave(&mut self) {
        if !self.has_unsaved_work() {
            return self.remove_autosave();
        }
        let work = self.session.work();
        let is_known = self.unsaved.saved.as_ref().is_some_and(|(saved, _)| *saved == work);
        // The file of an earlier run's work must not be replaced until the user has decided whether to recover it.
        let is_asked = self.unsaved.undecided.is_some();
        let Some(file) = self.autosave_file().filter(|_| !is_known && !is_asked) else { return };
        let folder = folder_of(&file);
        let text = self.session.project_text(folder);
        // Set the time only when something is saved, so that the first change after a quiet period is saved soon.
        self.unsaved.last = Some(Instant::now());
        // The settings folder may not exist yet.
        let written = fs::create_dir_all(folder).and_then(|()| atomic::write(&file, text.as_bytes()));
        match written {
            Ok(()) => self.unsaved.saved = Some((work, file)),
            Err(error) if !self.unsaved.has_failed => {
                self.unsaved.has_failed = true;
                self.notify(Err(format!("{}: {error}", file.display())));
            }
            Err(_) => {}
        }
    }

    /// Removes this window's autosaved copy.
    pub(super) fn remove_autosave(&mut self) {
        if let Some((_, file)) = self.unsaved.saved.take() {
            // A leftover copy only leads to another recovery question.
            drop(fs::remove_file(file));
        }
    }

    /// Returns whether the session was recovered and has not been saved since.
    pub(super) fn is_recovered(&self) -> bool {
        self.unsaved.recovered.is_some()
    }

    /// Removes the copy from which the session was recovered, because its work is now in a project.
    pub(super) fn remove_recovered(&mut self) {
        if let Some(copy) = self.unsaved.recovered.take() {
            drop(fs::remove_file(copy));
        }
    }

    /// Returns the autosave file: beside the project or the character, or in the settings folder for the built-in character.
    fn autosave_file(&self) -> Option<PathBuf> {
        match self.session.project().or(self.session.file()) {
            Some(path) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                Some(path.with_file_name(format!(".{name}{SUFFIX}")))
            }
            None => self.preferences.folder().map(|folder| folder.join(format!(".mannequin{SUFFIX}"))),
        }
    }
}

/// Renames the copy of unsaved work to a visible project, for example `.fox.glb.autosave.sinew` to `fox.glb-recovered-0001.sinew`.
fn kept(copy: &Path) -> Result<PathBuf, SaveError> {
    let name = copy.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = name.strip_prefix('.').unwrap_or(&name);
    let name = name.strip_suffix(SUFFIX).unwrap_or(name);
    let folder = copy.parent().unwrap_or(Path::new("."));
    let failed = |source| SaveError::Write { path: copy.into(), source };
    let text = bounded::read_regular(copy, MAX_BYTES).map_err(failed)?;
    let path = write_numbered(folder, &format!("{name}-recovered"), EXTENSION, &text)?;
    // The copy is removed only once the new file exists.
    fs::remove_file(copy).map_err(failed)?;
    Ok(path)
}
