//! What the window remembers from one run to the next: the files that were opened last, and dark or light.

use std::path::{Path, PathBuf};

use egui::ThemePreference;
use etcetera::{AppStrategy, AppStrategyArgs, choose_app_strategy};
use serde::{Deserialize, Serialize};

use crate::{atomic, bounded, json};

/// Files that are remembered.
const MOST: usize = 8;
/// So few paths have fewer bytes: of 4096 bytes each, in JSON at most six times as long.
const MAX_BYTES: u64 = 256 << 10;

/// Settings in a small JSON file.
///
/// They are a convenience: where the file cannot be read, they are the usual ones, and where it cannot be written, they are
/// forgotten with the window; nobody is told.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    place: Option<PathBuf>,
    kept: Kept,
}

/// What stands in the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    #[serde(with = "Theme")]
    theme: ThemePreference,
    /// The newest first.
    recent: Vec<PathBuf>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "ThemePreference", rename_all = "kebab-case")]
enum Theme {
    Dark,
    Light,
    System,
}

impl Default for Kept {
    fn default() -> Self {
        Self { theme: ThemePreference::System, recent: Vec::new() }
    }
}

impl Settings {
    /// Those in the folder where the system keeps what programs remember.
    pub fn of_user() -> Self {
        let name = AppStrategyArgs {
            top_level_domain: String::new(),
            author: String::new(),
            app_name: "sinew".into(),
        };
        let folder = choose_app_strategy(name).ok().map(|s| s.state_dir().unwrap_or_else(|| s.data_dir()));
        folder.map_or_else(Self::default, |folder| Self::at(folder.join("settings.json")))
    }

    /// Those in a file, which need not be there yet.
    pub fn at(place: PathBuf) -> Self {
        Self { kept: read(&place).unwrap_or_default(), place: Some(place) }
    }

    /// Files that were opened, the newest first.
    pub fn recent(&self) -> &[PathBuf] {
        &self.kept.recent
    }

    /// Puts a file in front.
    pub fn add(&mut self, file: &Path) {
        let Ok(file) = std::path::absolute(file) else { return };
        self.change(|kept| {
            kept.recent.retain(|known| *known != file);
            kept.recent.insert(0, file);
            kept.recent.truncate(MOST);
        });
    }

    /// Dark, light, or as the system is.
    pub fn theme(&self) -> ThemePreference {
        self.kept.theme
    }

    /// Remembers a choice of theme.
    pub fn set_theme(&mut self, theme: ThemePreference) {
        if self.kept.theme != theme {
            self.change(|kept| kept.theme = theme);
        }
    }

    /// Writes the file; what another window has changed since is kept.
    fn change(&mut self, change: impl FnOnce(&mut Kept)) {
        self.kept = self.place.as_deref().and_then(read).unwrap_or_else(|| std::mem::take(&mut self.kept));
        change(&mut self.kept);
        let Some(place) = &self.place else { return };
        // A path that is no text is forgotten with the window.
        let mut kept = self.kept.clone();
        kept.recent.retain(|file| file.to_str().is_some());
        let Ok(text) = json::to_string_pretty(&kept) else { return };
        let folder = place.parent().map_or(Ok(()), std::fs::create_dir_all);
        let _ = folder.and_then(|()| atomic::write(place, format!("{text}\n").as_bytes()));
    }
}

/// What a file says; `None`: it is not there, or broken.
fn read(place: &Path) -> Option<Kept> {
    let bytes = bounded::read_regular(place, MAX_BYTES).ok()?;
    let mut kept: Kept = serde_json::from_slice(&bytes).ok()?;
    kept.recent.retain(|path| path.is_absolute());
    kept.recent.truncate(MOST);
    Some(kept)
}
