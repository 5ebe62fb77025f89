//! Asks for paths with system dialogs, or with the path field if the desktop has no dialogs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::clip_export::default_clip;
use crate::ik::Method;
use crate::panel::{PathPurpose, Question};
use crate::platform::{Instant, fs};
use crate::project::EXTENSION;
use crate::puppet::read_style;
use crate::session::saved_project::default_path;
use crate::session::solver_options::options_of_rig;
use crate::session::{props, style};
use crate::{Command, StyleSource};

use super::App;
use super::loader::still_reading;
use super::requests::{saved_message, without_code};

/// Extension of style files.
const STYLE: &str = "style.json";
/// Time after a dialog request during which typed keys are assumed to be meant for the dialog.
const DIALOG_DELAY: Duration = Duration::from_secs(2);

/// A requested system dialog.
#[derive(Debug)]
pub(super) struct Dialog {
    requested: Instant,
    /// Whether the window has lost the keyboard focus since the request, probably to the dialog.
    seen: bool,
}

/// The outcome of a dialog request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(target_arch = "wasm32"), expect(dead_code, reason = "a desktop reports each dialog"))]
pub(super) enum DialogRequest {
    /// The dialog appears soon, and its end is reported.
    #[cfg(not(target_arch = "wasm32"))]
    Accepted,
    /// The dialog appears, but only a chosen file is reported.
    Unwatched,
    /// The system has no dialog for this purpose, or cannot show it.
    Refused,
}

impl App {
    /// Opens the system's dialog and waits for it on another thread. If no dialog appeared after an earlier request, this shows the path
    /// field instead.
    pub(super) fn ask_path(&mut self, purpose: PathPurpose) {
        match &self.files.dialog {
            Some(Dialog { seen: true, .. }) => return,
            Some(_) => return self.type_path(purpose),
            None => {}
        }
        if self.open.is_none() {
            return;
        }
        let suggested = self.suggested_path(purpose);
        match self.show_dialog(purpose, &suggested) {
            #[cfg(not(target_arch = "wasm32"))]
            DialogRequest::Accepted => {
                self.files.dialog = Some(Dialog { requested: Instant::now(), seen: false });
            }
            DialogRequest::Unwatched => {}
            DialogRequest::Refused => self.type_path(purpose),
        }
    }

    /// Handles the end of a dialog.
    pub(super) fn end_dialog(&mut self, purpose: PathPurpose, path: Option<PathBuf>) {
        let seen = self.files.dialog.take().is_some_and(|dialog| dialog.seen);
        match path {
            // The dialog has already asked whether to replace the file. `use_path` asks again if it adds an extension to the name.
            Some(path) => self.use_path(purpose, &path, true),
            // A dialog that appears takes the focus, so this one never appeared.
            None if !seen => self.type_path(purpose),
            None => {}
        }
    }

    /// Shows the path field.
    pub(super) fn type_path(&mut self, purpose: PathPurpose) {
        let text = match purpose {
            PathPurpose::Open | PathPurpose::AddClips | PathPurpose::OpenStyle | PathPurpose::AttachProp => {
                String::new()
            }
            other => self.suggested_path(other).display().to_string(),
        };
        self.panel.path.show(purpose, text);
        self.request_redraw();
    }

    /// Returns the absolute path that a dialog suggests.
    fn suggested_path(&self, purpose: PathPurpose) -> PathBuf {
        let here = Path::new(".");
        let path = match purpose {
            PathPurpose::Open | PathPurpose::AddClips | PathPurpose::OpenStyle | PathPurpose::AttachProp => {
                self.session.file().unwrap_or(Path::new("./")).to_path_buf()
            }
            PathPurpose::SaveAs => {
                let default = || default_path(self.session.puppet().character(), here);
                self.session.project().map_or_else(default, Path::to_path_buf)
            }
            PathPurpose::SaveStyle => {
                let folder = self.session.file().and_then(Path::parent).unwrap_or(here);
                folder.join(format!("{}.{STYLE}", self.session.name()))
            }
            PathPurpose::ExportClip => {
                let character = self.session.puppet().character();
                let default = default_path(character, here);
                default_clip(self.session.project().unwrap_or(&default), character)
            }
            PathPurpose::Folder => self.export_folder(),
        };
        std::path::absolute(&path).unwrap_or(path)
    }

    /// Returns whether typed keys are meant for a file dialog that is about to appear, or for the path field.
    pub(super) fn is_typing(&self) -> bool {
        let is_pending = |dialog: &Dialog| !dialog.seen && dialog.requested.elapsed() < DIALOG_DELAY;
        self.files.dialog.as_ref().is_some_and(is_pending) || self.panel.path.wants_keys()
    }

    /// Records that the window has lost the keyboard focus. If a dialog was requested, it has probably appeared.
    pub(super) fn note_lost_focus(&mut self) {
        if let Some(dialog) = &mut self.files.dialog {
            dialog.seen = true;
        }
    }

    /// Uses a path that was typed or chosen in a dialog. `may_replace` is set if the user has agreed to replace the file.
    pub(super) fn use_path(&mut self, purpose: PathPurpose, path: &Path, may_replace: bool) {
        let (named, is_own) = match purpose {
            PathPurpose::Open => return self.open_file(path),
            PathPurpose::AddClips => return self.add_clips(path, None),
            PathPurpose::SaveAs => {
                let named = with_extension(path, EXTENSION);
                let is_own = self.session.project() == Some(&named);
                (named, is_own)
            }
            PathPurpose::OpenStyle => return self.open_style(path),
            PathPurpose::AttachProp => return self.attach_prop(path),
            PathPurpose::SaveStyle => (with_extension(path, STYLE), false),
            PathPurpose::ExportClip => (with_extension(path, "glb"), false),
            PathPurpose::Folder => (path.to_path_buf(), true),
        };
        if fs::is_dir(&named) && purpose != PathPurpose::Folder {
            let cause = format!("{} is a folder; add the name of a file", named.display());
            return self.fail_path(purpose, cause);
        }
        let is_agreed = is_own || may_replace && named == path;
        if !is_agreed && fs::metadata(&named).is_ok() {
            self.panel.question = Some(Question::Replace(purpose, named));
            return self.request_redraw();
        }
        match purpose {
            PathPurpose::SaveAs => self.save_as(&named),
            PathPurpose::ExportClip => self.export_clip(&named),
            PathPurpose::Folder => self.choose_folder(&named),
            PathPurpose::SaveStyle => self.save_style(&named),
            PathPurpose::Open | PathPurpose::AddClips | PathPurpose::OpenStyle | PathPurpose::AttachProp => {}
        }
    }

    /// Applies the style in a file, and selects the matching method.
    pub(super) fn open_style(&mut self, path: &Path) {
        let file = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        if let Err(error) = read_style(&file) {
            return self.fail_path(PathPurpose::OpenStyle, error.to_string());
        }
        self.close_path(PathPurpose::OpenStyle);
        self.session.apply(Command::Style(StyleSource::File { file }));
        let options = options_of_rig(self.session.rig(), Method::Style);
        if self.session.settings().solver.method != Method::Style {
            self.session.apply(Command::Solver(Box::new(options)));
        }
        self.request_redraw();
    }

    /// Starts reading a model that the selected joint is to carry. Refused while any file is being read.
    fn attach_prop(&mut self, path: &Path) {
        if let Some(reason) = self.files.loader.reading().map(still_reading) {
            return self.fail_path(PathPurpose::AttachProp, reason);
        }
        let file = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let prop_joint = match props::prop_joint(&self.session) {
            Ok(prop_joint) => prop_joint,
            Err(error) => return self.fail_path(PathPurpose::AttachProp, error),
        };
        if let Err(error) = self.files.loader.start_attaching(&file, prop_joint, &self.session) {
            return self.fail_path(PathPurpose::AttachProp, format!("{}: {error}", file.display()));
        }
        self.note_reading();
    }

    fn save_style(&mut self, path: &Path) {
        match style::save(&self.session, path) {
            Ok(()) => {
                self.close_path(PathPurpose::SaveStyle);
                self.notify(Ok(saved_message(path)));
            }
            Err(error) => self.fail_path(PathPurpose::SaveStyle, error),
        }
    }

    /// Closes the path field if it is shown for this purpose.
    pub(super) fn close_path(&mut self, purpose: PathPurpose) {
        if self.panel.path.purpose() == Some(purpose) {
            self.panel.path.close();
        }
    }

    /// Shows why a path could not be used. A typed path can then be corrected.
    pub(super) fn fail_path(&mut self, purpose: PathPurpose, error: String) {
        self.panel.path.fail(purpose, &without_code(&error));
        self.notify(Err(error));
    }
}

/// Returns whether a path has the file extension of a learned style.
pub(super) fn is_style(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    name.ends_with(&format!(".{STYLE}"))
}

/// Returns a path with an extension. A name such as `v1.2` keeps its dot.
fn with_extension(path: &Path, extension: &str) -> PathBuf {
    let known = match extension {
        EXTENSION => &[EXTENSION][..],
        STYLE => &["json"],
        _ => &["glb", "bvh"],
    };
    if path.extension().is_some_and(|e| known.iter().any(|known| e.eq_ignore_ascii_case(known))) {
        return path.to_path_buf();
    }
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}
