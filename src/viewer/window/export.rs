//! Exports the clip of the timeline on another thread, so that the window stays responsive.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::ClipExport;
use crate::panel::{Answer, ExportProgress, Leave, PathPurpose, Question};
use crate::platform::{Task, spawn};

use super::App;

/// State shared by the window and the export thread.
#[derive(Debug, Default)]
struct Shared {
    /// The completed fraction, as the bits of a float.
    done: AtomicU32,
    is_cancelled: AtomicBool,
}

/// An export that is running.
#[derive(Debug)]
pub(super) struct RunningExport {
    shared: Arc<Shared>,
    thread: Task,
    /// Whether the window closes when the export has ended.
    closes: bool,
}

/// The end of an export: what was written, `None` if cancelled, or why it failed.
#[derive(Debug)]
pub(super) struct ExportEnd {
    pub(super) path: PathBuf,
    pub(super) result: Result<Option<String>, String>,
}

impl App {
    /// Asks for the file to which the clip is exported, or shows why the clip cannot be exported.
    pub(super) fn ask_export(&mut self) {
        if self.files.export.is_some() {
            return self.notify(Err("a clip is being exported already".into()));
        }
        match ClipExport::new(self.session.puppet(), self.session.file()) {
            Ok(_) => self.ask_path(PathPurpose::ExportClip),
            Err(error) => self.notify(Err(error)),
        }
    }

    /// Starts exporting the clip to a file.
    pub(super) fn export_clip(&mut self, path: &Path) {
        if self.files.export.is_some() {
            return;
        }
        let export = match ClipExport::new(self.session.puppet(), self.session.file()) {
            Ok(export) => export,
            Err(error) => return self.fail_path(PathPurpose::ExportClip, error),
        };
        let shared = Arc::new(Shared::default());
        let (other, send, file) = (Arc::clone(&shared), self.files.export_sender(), path.to_path_buf());
        let work = move || {
            let goes_on = |done: f32| {
                other.done.store(done.to_bits(), Ordering::Relaxed);
                !other.is_cancelled.load(Ordering::Relaxed)
            };
            let result = export.write(&file, goes_on);
            send(ExportEnd { path: file, result });
        };
        match spawn("export", work) {
            Ok(thread) => {
                self.files.export = Some(RunningExport { shared, thread, closes: false });
                self.panel.export = Some(ExportProgress::new(path));
            }
            Err(error) => self.notify(Err(format!("{}: {error}", path.display()))),
        }
    }

    /// Shows the progress of the export in the next frame.
    pub(super) fn show_export(&mut self) {
        if let (Some(running), Some(shown)) = (&self.files.export, &mut self.panel.export) {
            shown.done = f32::from_bits(running.shared.done.load(Ordering::Relaxed));
        }
    }

    /// Stops the export without writing its file, and keeps the window open.
    pub(super) fn cancel_export(&mut self) {
        if let Some(running) = &mut self.files.export {
            running.shared.is_cancelled.store(true, Ordering::Relaxed);
            running.closes = false;
        }
    }

    /// Asks whether to wait for the running export. Returns false if there is none, or if this was already asked.
    pub(super) fn ask_about_export(&mut self) -> bool {
        let Some(running) = self.files.export.as_ref().filter(|running| !running.closes) else {
            return false;
        };
        if running.shared.is_cancelled.load(Ordering::Relaxed) {
            return false;
        }
        self.panel.question = Some(Question::Export);
        self.request_redraw();
        true
    }

    /// Closes the window when the export has ended, or keeps it open. [`Answer::No`] stops the export.
    pub(super) fn answer_about_export(&mut self, answer: Answer) {
        if answer == Answer::No {
            self.cancel_export();
        }
        if let Some(running) = &mut self.files.export {
            running.closes = answer != Answer::Cancel;
        }
    }

    /// Stops the export before the program ends, so that no hidden file is left.
    pub(super) fn end_export_now(&mut self) {
        self.cancel_export();
        if let Some(running) = self.files.export.take() {
            // If the thread has panicked, nothing is left to do.
            let _ = running.thread.join();
        }
    }

    /// Handles the end of an export.
    pub(super) fn end_export(&mut self, end: ExportEnd) {
        self.panel.export = None;
        // The question of whether to wait is now obsolete. The next attempt to close asks again.
        self.panel.question.take_if(|question| *question == Question::Export);
        let closes = self.files.export.take().is_some_and(|running| running.closes);
        let is_written = end.result.is_ok();
        match end.result {
            Ok(Some(message)) => {
                self.close_path(PathPurpose::ExportClip);
                let folder = end.path.parent().unwrap_or(Path::new(".")).to_path_buf();
                self.offer_folder(&message, folder);
            }
            Ok(None) => self.notify(Ok("the export was cancelled".into())),
            Err(error) => self.fail_path(PathPurpose::ExportClip, error),
        }
        // After an error, the user may want to export again.
        if closes && is_written {
            self.leave(Leave::Close);
        }
    }
}
