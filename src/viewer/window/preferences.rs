//! Preferences that persist between runs of the viewer: recent files, the theme, and the quality of moving scenes.

use std::path::{Path, PathBuf};

use egui::ThemePreference;
use serde::{Deserialize, Serialize};

use crate::Keymap;
use crate::files::{atomic, bounded};
use crate::panel::{Layout, StoredLayout};
use crate::platform::fs;
use crate::text::json;

use super::system;

mod tolerant;

/// Maximum number of recent files.
const MAX_RECENT: usize = 8;
/// Maximum size of the file in bytes. In JSON, a path of 4096 bytes takes up at most six times as many bytes.
const MAX_BYTES: u64 = 256 << 10;

/// Preferences in a small JSON file.
///
/// They are only a convenience. If the file cannot be read, the defaults apply. If it cannot be written, changes are
/// lost when the window closes. Neither failure is reported.
#[derive(Clone, Debug, Default)]
pub struct Preferences {
    path: Option<PathBuf>,
    stored: StoredSettings,
}

/// The contents of the file. Every field is written, because [`tolerant`] ignores keys that the written defaults lack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct StoredSettings {
    #[serde(with = "Theme")]
    theme: ThemePreference,
    /// Whether moving scenes are drawn in full quality even on slow machines.
    full_quality: bool,
    /// Paths, newest first.
    recent: Vec<PathBuf>,
    layout: StoredLayout,
    keymap: Keymap,
    /// The folder for images and poses, if the user has chosen one.
    export_folder: Option<PathBuf>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "ThemePreference", rename_all = "kebab-case")]
enum Theme {
    Dark,
    Light,
    System,
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

impl Preferences {
    /// Loads the settings from the current user's folder for application state.
    pub fn of_user() -> Self {
        let folder = system::settings_folder();
        folder.map_or_else(Self::default, |folder| Self::at(folder.join("settings.json")))
    }

    /// Loads the settings from a file, which need not exist.
    pub fn at(path: PathBuf) -> Self {
        Self { stored: read(&path).unwrap_or_default(), path: Some(path) }
    }

    /// Returns the folder of the file.
    pub fn folder(&self) -> Option<&Path> {
        self.path.as_deref().and_then(Path::parent)
    }

    /// Returns the recently opened files, newest first.
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

    /// Returns the folder chosen by the user for images and poses.
    pub fn export_folder(&self) -> Option<&Path> {
        self.stored.export_folder.as_deref()
    }

    /// Sets and saves the folder for images and poses.
    pub fn set_export_folder(&mut self, folder: &Path) {
        if let Ok(folder) = std::path::absolute(folder) {
            self.change(|stored| stored.export_folder = Some(folder));
        }
    }

    /// Returns the theme: dark, light or system.
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

    /// Returns whether moving scenes are drawn in full quality even on slow machines.
    pub fn full_quality(&self) -> bool {
        self.stored.full_quality
    }

    /// Sets and saves whether moving scenes are drawn in full quality even on slow machines.
    pub fn set_full_quality(&mut self, full_quality: bool) {
        if self.stored.full_quality != full_quality {
            self.change(|stored| stored.full_quality = full_quality);
        }
    }

    pub(crate) fn layout(&self) -> Layout {
        self.stored.layout.layout()
    }

    /// Sets and saves the layout.
    pub(crate) fn set_layout(&mut self, layout: &Layout) {
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
        // Paths that are not valid Unicode cannot be written.
        let mut stored = self.stored.clone();
        stored.recent.retain(|file| file.to_str().is_some());
        stored.export_folder.take_if(|folder| folder.to_str().is_none());
        let Ok(text) = json::to_string_pretty(&stored) else { return };
        let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
        let _ = folder.and_then(|()| atomic::write(path, format!("{text}\n").as_bytes()));
    }
}

/// Reads the file. Returns `None` if it does not exist or is not JSON.
fn read(path: &Path) -> Option<StoredSettings> {
    let bytes = bounded::read_regular(path, MAX_BYTES).ok()?;
    let mut stored: StoredSettings = tolerant::from_slice(&bytes)?;
    stored.recent.retain(|path| path.is_absolute());
    stored.recent.truncate(MAX_RECENT);
    stored.export_folder.take_if(|folder| !folder.is_absolute());
    Some(stored)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Preferences that differ from the defaults in every field. If a new field is missing here, the code does not compile.
    fn changed() -> StoredSettings {
        let layout = json!({
            "face": "lab",
            "folded": { "beside": true, "below": true, "axes": true },
            "pose": { "tabs": [["scene", "inspector"], 1] },
            "lab": { "tabs": [["scene", "solver"], 0] },
        });
        StoredSettings {
            theme: ThemePreference::Light,
            full_quality: true,
            recent: vec!["/a.glb".into(), "/b.glb".into()],
            layout: serde_json::from_value(layout).unwrap(),
            keymap: Keymap::Blender,
            export_folder: Some("/images".into()),
        }
    }

    /// Returns the paths of all fields, including nested ones.
    fn fields(value: &Value, path: &str, out: &mut Vec<String>) {
        for (key, field) in value.as_object().into_iter().flatten() {
            let path = format!("{path}/{key}");
            fields(field, &path, out);
            out.push(path);
        }
    }

    #[test]
    fn an_invalid_field_leaves_all_others() {
        let default = json::to_value(&StoredSettings::default()).unwrap();
        let all = json::to_value(&changed()).unwrap();
        let mut paths = Vec::new();
        fields(&default, "", &mut paths);
        assert!(paths.len() > 9, "{paths:?}");
        for path in &paths {
            assert_ne!(all.pointer(path), default.pointer(path), "{path} must differ from its default");
            for invalid in [json!({ "?": [null] }), json!([[3]]), json!("purple"), json!(-3.5), Value::Null] {
                let mut file = all.clone();
                *file.pointer_mut(path).unwrap() = invalid.clone();
                let read: StoredSettings = tolerant::from_slice(file.to_string().as_bytes()).unwrap();
                let mut read = json::to_value(&read).unwrap();
                let found = read.pointer_mut(path).unwrap();
                // An object without any known key is a struct with defaults.
                if invalid.is_object() && default.pointer(path).unwrap().is_object() {
                    assert_eq!(Some(&*found), default.pointer(path), "{path}");
                }
                *found = all.pointer(path).unwrap().clone();
                assert_eq!(read, all, "{path}: {invalid}");
            }
        }
        // The valid items of a list are kept.
        let recent: StoredSettings = tolerant::from_slice(br#"{"recent":["/a",3,{},"/b"]}"#).unwrap();
        assert_eq!(recent.recent, [Path::new("/a"), Path::new("/b")]);
    }

    #[test]
    fn what_is_written_is_read_unchanged() {
        let text = json::to_vec(&changed()).unwrap();
        assert_eq!(tolerant::from_slice::<StoredSettings>(&text), Some(changed()));
    }

    #[test]
    fn many_unknown_or_invalid_values_are_skipped_quickly() {
        let began = std::time::Instant::now();
        let unknown: String = (0..20_000).map(|i| format!("\"{i}\":{i},")).collect();
        let items = "3,".repeat(60_000);
        let text = format!("{{{unknown}\"keymap\":\"maya\",\"recent\":[{items}\"/a\"]}}");
        let read: StoredSettings = tolerant::from_slice(text.as_bytes()).unwrap();
        assert_eq!(read.keymap, Keymap::Maya);
        assert!(began.elapsed() < std::time::Duration::from_secs(2), "{:?}", began.elapsed());
    }
}
