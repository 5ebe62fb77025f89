//! The files that were opened last, kept from one run to the next.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use etcetera::{AppStrategy, AppStrategyArgs, choose_app_strategy};

use crate::atomic;

/// Files that are remembered.
const MOST: usize = 8;
/// A list of so few paths has fewer bytes.
const MAX_BYTES: u64 = 64 << 10;

/// Paths, the newest first, in a text file of one line each.
///
/// It is a convenience: where the list cannot be read or written, it is empty or forgotten, and nobody is told.
#[derive(Clone, Debug, Default)]
pub struct Recent {
    place: Option<PathBuf>,
    files: Vec<PathBuf>,
}

impl Recent {
    /// The list in the folder where the system keeps what programs remember.
    pub fn of_user() -> Self {
        let name = AppStrategyArgs {
            top_level_domain: String::new(),
            author: String::new(),
            app_name: "sinew".into(),
        };
        let folder = choose_app_strategy(name).ok().map(|s| s.state_dir().unwrap_or_else(|| s.data_dir()));
        folder.map_or_else(Self::default, |folder| Self::at(folder.join("recent")))
    }

    /// The list in a file, which need not be there yet.
    pub fn at(place: PathBuf) -> Self {
        Self { files: read(&place), place: Some(place) }
    }

    /// The newest first.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Puts a file in front, and writes the list. What another window has added since is kept.
    pub fn add(&mut self, file: &Path) {
        let Ok(file) = std::path::absolute(file) else { return };
        if let Some(place) = &self.place {
            let there = read(place);
            self.files = if there.is_empty() { std::mem::take(&mut self.files) } else { there };
        }
        self.files.retain(|known| *known != file);
        self.files.insert(0, file);
        self.files.truncate(MOST);
        let Some(place) = &self.place else { return };
        // A path that is no line of text is forgotten with the window.
        let lines = self.files.iter().filter_map(|f| f.to_str()).filter(|f| !f.contains(['\n', '\r']));
        let text: String = lines.map(|line| format!("{line}\n")).collect();
        let folder = place.parent().map_or(Ok(()), std::fs::create_dir_all);
        let _ = folder.and_then(|()| atomic::write(place, text.as_bytes()));
    }
}

/// The absolute paths of a list; whatever else is in the file is passed over.
fn read(place: &Path) -> Vec<PathBuf> {
    let mut bytes = Vec::new();
    let read = File::open(place).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes));
    let text = read.ok().and_then(|_| String::from_utf8(bytes).ok()).unwrap_or_default();
    text.lines().map(PathBuf::from).filter(|path| path.is_absolute()).take(MOST).collect()
}
