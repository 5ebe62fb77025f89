//! Settings that persist between runs of the viewer: recent files, the theme, and the quality of moving scenes.

use std::path::{Path, PathBuf};

use egui::ThemePreference;
use etcetera::{AppStrategy, AppStrategyArgs, choose_app_strategy};
use serde::{Deserialize, Serialize};

use crate::files::{atomic, bounded};
use crate::text::json;
use crate::viewer::Keymap;
use crate::viewer::panel::{Layout, StoredLayout};

/// Maximum number of recent files.
const MAX_RECENT: usize = 8;
/// Maximum size of the file in bytes. A path of 4096 bytes takes at most six times as much in JSON.
const MAX_BYTES: u64 = 256 << 10;

/// Settings in a small JSON file.
///
/// They are only a convenience. If the file cannot be read, the defaults apply. If it cannot be written, changes are
/// lost when the window closes. Neither failure is reported.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    path: Option<PathBuf>,
    stored: StoredSettings,
}

/// The contents of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct StoredSettings {
    #[serde(with = "Theme")]
    theme: ThemePreference,
    /// Whether moving scenes are drawn in full quality on slow machines too.
    full_quality: bool,
    /// Paths, the newest first.
    recent: Vec<PathBuf>,
    #[serde(deserialize_with = "or_default")]
    layout: StoredLayout,
    #[serde(deserialize_with = "or_default")]
    keymap: Keymap,
    /// The folder for images and poses, if the person has chosen one.
    #[serde(skip_serializing_if = "Option::is_none")]
    export_folder: Option<PathBuf>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "ThemePreference", rename_all = "kebab-case")]
enum Theme {
    Dark,
    Light,
    System,
}

/// Reads a value, or its default if it is invalid, for example because a newer version has written it. The other settings stay.
fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Default + serde::de::DeserializeOwned,
{
    let value = serde_json::Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).unwrap_or_default())
}

impl Default for StoredSettings {
    fn default() -> Self {
        Self {
            theme: ThemePreference::System,
            full_quality: false,
            recent: Vec::new(),
            layout: StoredLayout::default(),
            keymap: Keymap::default(),
            export_folder: None,
        }
    }
}

impl Settings {
    /// Loads the settings from the folder for application state of the current user.
    pub fn of_user() -> Self {
        let name = AppStrategyArgs {
            top_level_domain: String::new(),
            author: String::new(),
            app_name: "sinew".into(),
        };
        let folder = choose_app_strategy(name).ok().map(|s| s.state_dir().unwrap_or_else(|| s.data_dir()));
        folder.map_or_else(Self::default, |folder| Self::at(folder.join("settings.json")))
    }

    /// Loads the settings from a file, which does not have to exist.
    pub fn at(path: PathBuf) -> Self {
        Self { stored: read(&path).unwrap_or_default(), path: Some(path) }
    }

    /// Returns the folder of the file.
    pub fn folder(&self) -> Option<&Path> {
        self.path.as_deref().and_then(Path::parent)
    }

    /// Returns the files that were opened last, the newest first.
    pub fn recent(&self) -> &[PathBuf] {
        &self.stored.recent
    }

    /// Moves a file to the front of the recent files.
    pub fn add(&mut self, file: &Path) {
        let Ok(file) = std::path::absolute(file) else { return };
        self.change(|stored| {
            stored.recent.retain(|known| *known != file);
            stored.recent.insert(0, file);
            stored.recent.truncate(MAX_RECENT);
        });
    }

    /// Returns the folder that the person has chosen for images and poses.
    pub fn export_folder(&self) -> Option<&Path> {
        self.stored.export_folder.as_deref()
    }

    /// Sets and saves the folder for images and poses.
    pub fn set_export_folder(&mut self, folder: &Path) {
        if let Ok(folder) = std::path::absolute(folder) {
            self.change(|stored| stored.export_folder = Some(folder));
        }
    }

    /// Returns the theme: dark, light or that of the system.
    pub fn theme(&self) -> ThemePreference {
        self.stored.theme
    }

    /// Sets and saves the theme.
    pub fn set_theme(&mut self, theme: ThemePreference) {
        if self.stored.theme != theme {
            self.change(|stored| stored.theme = theme);
        }
    }

    /// Returns the keymap.
    pub fn keymap(&self) -> Keymap {
        self.stored.keymap
    }

    /// Sets and saves the keymap.
    pub fn set_keymap(&mut self, keymap: Keymap) {
        if self.stored.keymap != keymap {
            self.change(|stored| stored.keymap = keymap);
        }
    }

    /// Returns whether moving scenes are drawn in full quality on slow machines too.
    pub fn full_quality(&self) -> bool {
        self.stored.full_quality
    }

    /// Sets and saves whether moving scenes are drawn in full quality on slow machines too.
    pub fn set_full_quality(&mut self, full_quality: bool) {
        if self.stored.full_quality != full_quality {
            self.change(|stored| stored.full_quality = full_quality);
        }
    }

    /// Returns the arrangement of the window.
    pub(in crate::viewer) fn layout(&self) -> Layout {
        self.stored.layout.layout()
    }

    /// Sets and saves the arrangement of the window.
    pub(in crate::viewer) fn set_layout(&mut self, layout: &Layout) {
        let layout = StoredLayout::of(layout);
        if self.stored.layout != layout {
            self.change(|stored| stored.layout = layout);
        }
    }

    /// Applies a change and writes the file. Changes that another window has written in the meantime are preserved.
    fn change(&mut self, change: impl FnOnce(&mut StoredSettings)) {
        self.stored = self.path.as_deref().and_then(read).unwrap_or_else(|| std::mem::take(&mut self.stored));
        change(&mut self.stored);
        let Some(path) = &self.path else { return };
        // Paths that are not Unicode cannot be written.
        let mut stored = self.stored.clone();
        stored.recent.retain(|file| file.to_str().is_some());
        stored.export_folder.take_if(|folder| folder.to_str().is_none());
        let Ok(text) = json::to_string_pretty(&stored) else { return };
        let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        let _ = folder.and_then(|()| atomic::write(path, format!("{text}\n").as_bytes()));
    }
}

/// Reads the file. Returns `None` if it does not exist or is invalid.
fn read(path: &Path) -> Option<StoredSettings> {
    let bytes = bounded::read_regular(path, MAX_BYTES).ok()?;
    let mut stored: StoredSettings = serde_json::from_slice(&bytes).ok()?;
    stored.recent.retain(|path| path.is_absolute());
    stored.recent.truncate(MAX_RECENT);
    stored.export_folder.take_if(|folder| !folder.is_absolute());
    Some(stored)
}
