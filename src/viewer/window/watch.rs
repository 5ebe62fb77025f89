//! Watches the open file for changes.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

/// Watches a file and its related files until dropped.
#[derive(Debug)]
pub struct Watch {
    _watcher: RecommendedWatcher,
}

impl Watch {
    /// Calls `changed` on a background thread when the file, a file with the same stem (`NAME.bin`, `NAME.rig.toml`) or
    /// one of `others` is written, replaced or removed.
    ///
    /// Folders are watched instead of files, because many programs write a new file and rename it. As a result, a file
    /// of the same name in another of these folders also triggers `changed`.
    ///
    /// # Errors
    /// Returns a one-line reason why the folder cannot be watched.
    pub fn new(file: &Path, others: &[PathBuf], changed: impl Fn() + Send + 'static) -> Result<Self, String> {
        let folder = folder_of(file);
        let other_folders: BTreeSet<&Path> = others.iter().map(|other| folder_of(other)).collect();
        let names: BTreeSet<OsString> =
            others.iter().filter_map(|o| Some(o.file_name()?.to_owned())).collect();
        let mut stem: OsString = file.file_stem().unwrap_or_default().to_owned();
        stem.push(".");
        let is_ours = move |path: &Path| {
            let name = path.file_name().unwrap_or_default();
            name.as_encoded_bytes().starts_with(stem.as_encoded_bytes()) || names.contains(name)
        };
        let on_event = move |event: notify::Result<Event>| {
            let Ok(event) = event else { return };
            if is_change(event.kind) && event.paths.iter().any(|path| is_ours(path)) {
                changed();
            }
        };
        let watched = notify::recommended_watcher(on_event).and_then(|mut watcher| {
            watcher.watch(folder, RecursiveMode::NonRecursive)?;
            for other in other_folders.into_iter().filter(|&other| other != folder) {
                // A missing folder contains no file that could change.
                drop(watcher.watch(other, RecursiveMode::NonRecursive));
            }
            Ok(Self { _watcher: watcher })
        });
        watched.map_err(|e| format!("{}: cannot watch for changes: {e}", file.display()))
    }
}

fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Returns whether an event means that a file has changed. Closing a file that was open for writing counts as a change. Reading does not.
fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        EventKind::Any | EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_) => true,
        EventKind::Other => false,
    }
}
