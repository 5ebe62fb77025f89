//! App requests: actions, such as saving files, that the panel and keys request but only the window can perform.

use std::path::Path;

use crate::panel::{AppRequest, PathPurpose};
use crate::{Recorder, SaveError};

use super::{App, scale};

pub(super) const BUILT_IN: &str = "the built-in character has no file";

impl App {
    /// Executes any pending request.
    pub(super) fn handle_app_request(&mut self) {
        if self.session.recorder.as_ref().is_some_and(Recorder::has_failed) {
            self.stop_recording();
        }
        match self.panel.request.take() {
            Some(AppRequest::AddClips(file, clip)) => self.add_clips(&file, clip),
            Some(AppRequest::ChooseClips) => self.ask_path(PathPurpose::AddClips),
            Some(AppRequest::ChooseProp) => self.ask_path(PathPurpose::AttachProp),
            Some(AppRequest::ChooseStyle) => self.ask_path(PathPurpose::OpenStyle),
            Some(AppRequest::SaveStyle) => self.ask_path(PathPurpose::SaveStyle),
            Some(AppRequest::SaveImage) => self.save_image(),
            Some(AppRequest::Save) => drop(self.save_project()),
            Some(AppRequest::SaveAs) => self.ask_path(PathPurpose::SaveAs),
            Some(AppRequest::Path(purpose, path)) => self.use_path(purpose, &path, false),
            Some(AppRequest::Answer(answer)) => self.answer(answer),
            Some(AppRequest::Pose(kind)) => self.save_pose(kind),
            Some(AppRequest::Library(request)) => self.handle_library(request),
            Some(AppRequest::ExportClip) => self.ask_export(),
            Some(AppRequest::CancelExport) => self.cancel_export(),
            Some(AppRequest::CopyLink) => self.copy_link(),
            Some(AppRequest::OpenFolder(folder)) => self.open_folder(&folder),
            Some(AppRequest::ChooseFolder) => self.ask_path(PathPurpose::Folder),
            Some(AppRequest::Rig(replace)) => match self.session.save_rig(Path::new("."), replace) {
                Err(SaveError::Exists { path }) => self.panel.replace = Some(path),
                saved => {
                    self.mark_files_read();
                    self.notify(saved.map_err(|e| e.to_string()).map(|path| saved_message(&path)));
                }
            },
            Some(AppRequest::Watch(file)) => self.watch_session(&file),
            Some(AppRequest::Open) => self.ask_path(PathPurpose::Open),
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
        let is_saved = saved.is_ok();
        if is_saved {
            self.note_saved();
        }
        self.notify(saved.map_err(|e| e.to_string()).map(|path| saved_message(&path)));
        is_saved
    }

    /// Saves the project under a new name, which it keeps from then on.
    pub(super) fn save_as(&mut self, path: &Path) {
        match self.session.save_project(path, true) {
            Ok(()) => {
                self.note_saved();
                self.panel.path.close();
                self.notify(Ok(saved_message(path)));
            }
            Err(error) => self.fail_path(PathPurpose::SaveAs, error.to_string()),
        }
    }

    fn note_saved(&mut self) {
        if let Some(path) = self.session.project() {
            self.preferences.add(path);
            self.panel.open.recent = self.preferences.recent().to_vec();
        }
        self.remove_autosave();
        self.remove_recovered();
        self.move_library();
    }

    /// Starts the recorder that was passed when the window was opened.
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

    pub(super) fn notify(&mut self, result: Result<String, String>) {
        self.panel.show_message(result.map_err(|error| without_code(&error)));
    }
}

/// Removes the number after the text of a system error, such as ` (os error 2)`.
pub(super) fn without_code(error: &str) -> String {
    match error.split_once(" (os error ") {
        Some((before, after)) => {
            let rest = after.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-');
            format!("{before}{}", rest.strip_prefix(')').unwrap_or(rest))
        }
        None => error.to_owned(),
    }
}

/// Returns the message about a saved file. The user may not have chosen the folder, so the message contains the full path.
pub(super) fn saved_message(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    format!("saved {}", path.display())
}
