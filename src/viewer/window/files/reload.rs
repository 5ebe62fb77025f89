//! Watches the open file and its related files, and reloads it after a change.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::platform::{Instant, fs};
use crate::window::App;
use crate::{Watch, folder};

use super::AppEvent;

/// Time without further changes after which a changed file is reloaded.
const SETTLE_TIME: Duration = Duration::from_millis(200);

/// Sizes and modification times of files. An entry is `None` if the file does not exist.
type Stamp = Vec<Option<(u64, SystemTime)>>;

/// Tracks changes to the open file.
#[derive(Debug, Default)]
pub(super) struct Changes {
    watch: Option<Watch>,
    /// The open file and its related files, as of the last read.
    stamp: Stamp,
    /// When the open file last changed.
    pub(super) changed: Option<Instant>,
}

impl App {
    /// Adds the session's file to the recent files and watches it.
    pub(in crate::window) fn register_file(&mut self) {
        if let Some(file) = self.session.file().map(Path::to_path_buf) {
            self.preferences.add(&file);
            self.watch(&file);
            self.panel.open.motions = folder::motions(&file);
        }
        self.panel.open.recent = self.preferences.recent().to_vec();
    }

    /// Marks the open files as unchanged after the program has written one of them, so that they are not reloaded.
    pub(in crate::window) fn mark_files_read(&mut self) {
        if let Some(file) = self.session.file() {
            self.files.changes.stamp = stamp(file, &self.session.puppet.character().files);
        }
    }

    /// Returns when to reload the changed file, or `None` if no file has changed or it cannot be reloaded now.
    pub(in crate::window) fn next_reload(&self) -> Option<Instant> {
        // A recording can refer to only one version of a file.
        let recording = self.session.recorded().is_some();
        let can_reload = !self.input.is_busy()
            && self.files.loader.reading().is_none()
            && !recording
            && self.watched.is_none();
        self.files
            .changes
            .changed
            .filter(|_| can_reload && !self.panel.open.ignore_changes)
            .map(|then| then + SETTLE_TIME)
    }

    /// Reloads the open file if it last changed at least [`SETTLE_TIME`] ago.
    pub(in crate::window) fn reload_changed(&mut self) {
        if self.next_reload().is_some_and(|when| when <= Instant::now()) {
            self.files.changes.changed = None;
            if let Some(file) = self.session.file().map(Path::to_path_buf) {
                let now = stamp(&file, &self.session.puppet.character().files);
                if now != self.files.changes.stamp {
                    self.files.changes.stamp = now;
                    self.read(&file, true);
                }
            }
        }
    }

    /// Watches the character's file for changes.
    pub(in crate::window) fn watch_files(&mut self) {
        self.panel.open.motions = self.session.file().map(folder::motions).unwrap_or_default();
        match self.session.file().map(Path::to_path_buf) {
            Some(file) => self.watch(&file),
            None => self.files.changes.watch = None,
        }
    }

    fn watch(&mut self, file: &Path) {
        let others = &self.session.puppet.character().files;
        self.files.changes.stamp = stamp(file, others);
        let proxy = self.files.proxy.clone();
        let watch = Watch::new(file, others, move || drop(proxy.send_event(AppEvent::Changed)));
        match watch {
            Ok(watch) => self.files.changes.watch = Some(watch),
            Err(error) => {
                self.files.changes.watch = None;
                self.notify(Err(error));
            }
        }
    }
}

/// Returns the size and the modification time of a character's file, of related files with the same stem, and of `others`. An entry is
/// `None` if the file does not exist.
fn stamp(file: &Path, others: &[PathBuf]) -> Stamp {
    let beside = ["bin", "png", "jpg", "rig.toml"].map(|kind| file.with_extension(kind));
    let size_and_time = |path: &Path| {
        let metadata = fs::metadata(path).ok()?;
        Some((metadata.len(), metadata.modified().ok()?))
    };
    std::iter::once(file)
        .chain(beside.iter().chain(others).map(PathBuf::as_path))
        .map(size_and_time)
        .collect()
}
