//! App requests: actions such as saving files, which the panel and keys request and only the window can perform.

use std::path::{Path, PathBuf};

use winit::keyboard::{Key, NamedKey};

use crate::viewer::panel::AppRequest;
use crate::viewer::{Recorder, SaveError};

use super::{App, scale};

pub(super) const BUILT_IN: &str = "the built-in character has no file";

/// Returns the request that a key triggers.
pub(super) fn request_for_key(key: &Key, control: bool) -> Option<AppRequest> {
    match key {
        Key::Character(text) if control && text.eq_ignore_ascii_case("o") => Some(AppRequest::Open),
        Key::Named(NamedKey::F12) => Some(AppRequest::SaveImage),
        Key::Named(NamedKey::F5) => Some(AppRequest::Reload),
        Key::Named(NamedKey::ArrowLeft) if !control => Some(AppRequest::Step(false)),
        Key::Named(NamedKey::ArrowRight) if !control => Some(AppRequest::Step(true)),
        Key::Character(text) if control && text.eq_ignore_ascii_case("r") => Some(AppRequest::Record),
        Key::Character(text) if control && text.eq_ignore_ascii_case("s") => Some(AppRequest::Save),
        _ => None,
    }
}

impl App {
    /// Executes the pending request, if there is one.
    pub(super) fn handle_app_request(&mut self) {
        if self.session.cannot_record() {
            self.stop_recording();
        }
        match self.panel.request.take() {
            Some(AppRequest::SaveImage) => self.save_image(),
            Some(AppRequest::Save) => drop(self.save_project()),
            Some(AppRequest::Answer(answer)) => self.answer(answer),
            Some(AppRequest::Pose(kind)) => {
                let saved = self.session.save_pose(kind, Path::new("."));
                self.notify(saved.map_err(|e| e.to_string()).map(|path| saved_message(&path)));
            }
            Some(AppRequest::Rig(replace)) => match self.session.save_rig(Path::new("."), replace) {
                Err(SaveError::Exists { path }) => self.panel.replace = Some(path),
                saved => {
                    self.mark_files_read();
                    self.notify(saved.map_err(|e| e.to_string()).map(|path| saved_message(&path)));
                }
            },
            Some(AppRequest::Open) => self.open_dialog(),
            Some(AppRequest::Read(file)) => self.open_file(&file),
            Some(AppRequest::Record) if self.session.recorded().is_some() => self.stop_recording(),
            Some(AppRequest::Record) => match Recorder::numbered(Path::new("."), self.session.name()) {
                Ok(recorder) => {
                    let scale = self.open.as_ref().map_or(1.0, |s| scale(&s.window));
                    self.record(recorder, scale);
                }
                Err(error) => self.notify(Err(error.to_string())),
            },
            Some(AppRequest::Step(forward)) => self.step(forward),
            Some(AppRequest::Reload) => match self.session.file().map(Path::to_path_buf) {
                Some(file) => self.read(&file, true),
                None => self.notify(Err(BUILT_IN.into())),
            },
            Some(AppRequest::Take) => self.toggle_take(),
            Some(AppRequest::Level) => self.level_hips(),
            None => {}
        }
    }

    /// Saves the project. Returns whether it was saved.
    pub(super) fn save_project(&mut self) -> bool {
        let saved = self.session.save(Path::new("."));
        if let Ok(path) = &saved {
            self.settings.add(path);
            self.panel.open.recent = self.settings.recent().to_vec();
            self.remove_autosave();
        }
        let is_saved = saved.is_ok();
        // The folder is not the person's choice, so the message names it.
        let whole = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        self.notify(saved.map_err(|e| e.to_string()).map(|path| saved_message(&whole(path))));
        is_saved
    }

    /// Starts the recorder that was given when the window was opened.
    pub(super) fn start_recorder(&mut self) {
        let scale = self.open.as_ref().map_or(1.0, |s| scale(&s.window));
        if let Some(recorder) = self.recorder.take() {
            self.record(recorder, scale);
        }
    }

    pub(super) fn record(&mut self, recorder: Recorder, scale: f32) {
        match self.session.record(recorder, scale) {
            Ok(()) => {
                self.panel.clear_message();
                self.panel.saved = None;
            }
            Err(error) => self.notify(Err(error.to_string())),
        }
    }

    pub(super) fn stop_recording(&mut self) {
        if let Some(saved) = self.session.stop_recording() {
            self.notify(saved.map_err(|e| e.to_string()).map(|path| saved_message(&path)));
        }
    }

    fn save_image(&mut self) {
        let Some(open) = &mut self.open else { return };
        let saved = open.graphics.save(&self.session, scale(&open.window), Path::new("."));
        self.notify(saved.map_err(|e| e.to_string()).map(|path| saved_message(&path)));
    }

    pub(super) fn notify(&mut self, result: Result<String, String>) {
        self.panel.show_message(result);
    }
}

pub(super) fn saved_message(path: &Path) -> String {
    let path = path.strip_prefix(".").unwrap_or(path);
    format!("saved {}", path.display())
}
