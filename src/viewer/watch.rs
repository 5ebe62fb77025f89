//! Whether a file changes while it is open.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

/// Watches a file and what belongs to it until it is dropped.
#[derive(Debug)]
pub struct Watch {
    _watcher: RecommendedWatcher,
}

impl Watch {
    /// Calls `changed`, on a thread of its own, whenever a file of that name or one that has its stem (`NAME.bin`,
    /// `NAME.rig.toml`), or one of `others`, is written, replaced or removed. Their folders are watched and not the files:
    /// many programs write a new file and give it the old one's name. A namesake in another of these folders is told too.
    ///
    /// # Errors
    /// In one line, why the folder cannot be watched.
    pub fn new(file: &Path, others: &[PathBuf], changed: impl Fn() + Send + 'static) -> Result<Self, String> {
        let folder = folder_of(file);
        let further: BTreeSet<&Path> = others.iter().map(|other| folder_of(other)).collect();
        let names: BTreeSet<OsString> =
            others.iter().filter_map(|o| Some(o.file_name()?.to_owned())).collect();
        let mut stem: OsString = file.file_stem().unwrap_or_default().to_owned();
        stem.push(".");
        let ours = move |path: &Path| {
            let name = path.file_name().unwrap_or_default();
            name.as_encoded_bytes().starts_with(stem.as_encoded_bytes()) || names.contains(name)
        };
        let told = move |event: notify::Result<Event>| {
            let Ok(event) = event else { return };
            if is_change(event.kind) && event.paths.iter().any(|path| ours(path)) {
                changed();
            }
        };
        let watched = notify::recommended_watcher(told).and_then(|mut watcher| {
            watcher.watch(folder, RecursiveMode::NonRecursive)?;
            for other in further.into_iter().filter(|&other| other != folder) {
                // A folder that is not there has no file that could change.
                drop(watcher.watch(other, RecursiveMode::NonRecursive));
            }
            Ok(Self { _watcher: watcher })
        });
        watched.map_err(|e| format!("{}: changes are not seen: {e}", file.display()))
    }
}

fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Reading is none; closing what was written to is.
fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        EventKind::Any | EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_) => true,
        EventKind::Other => false,
    }
}
