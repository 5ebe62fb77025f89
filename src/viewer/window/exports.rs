//! The folder for images and poses, and the desktop's file manager.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::export::posed_copy_loss;
use crate::panel::{AppRequest, PathPurpose};
use crate::platform::fs;
use crate::{PoseFile, SaveError};

use super::requests::saved_message;
use super::{App, system};

impl App {
    /// Returns the folders for images and poses in order of preference. If the user has chosen a folder, it is the only one. Otherwise,
    /// they are the folders of the project and the character, and the current folder.
    fn export_folders(&self) -> Vec<PathBuf> {
        if let Some(chosen) = self.preferences.export_folder() {
            return vec![chosen.to_path_buf()];
        }
        let files = [self.session.project(), self.session.file()];
        let beside =
            files.into_iter().flatten().filter_map(Path::parent).filter(|p| !p.as_os_str().is_empty());
        beside.chain([Path::new(".")]).map(Path::to_path_buf).collect()
    }

    /// Returns the preferred folder for images and poses.
    pub(super) fn export_folder(&self) -> PathBuf {
        self.export_folders().into_iter().next().unwrap_or_default()
    }

    /// Sets the folder for images and poses.
    pub(super) fn choose_folder(&mut self, folder: &Path) {
        if !fs::is_dir(folder) {
            let cause = format!("{} is not a folder", folder.display());
            return self.fail_path(PathPurpose::Folder, cause);
        }
        self.preferences.set_export_folder(folder);
        self.panel.path.close();
        self.notify(Ok(format!("images and poses will be saved in {}", folder.display())));
    }

    /// Saves the pose.
    pub(super) fn save_pose(&mut self, kind: PoseFile) {
        let (character, pose) = (self.session.puppet().character(), self.session.puppet().pose());
        let loss = (kind == PoseFile::Glb).then(|| posed_copy_loss(&character.skeleton, pose)).flatten();
        self.save_in_folder(|app, folder| Some(app.session.save_pose(kind, folder)), loss);
    }

    /// Saves a file in the first writable folder, and shows a message that contains `loss`, which describes what the file lacks.
    pub(super) fn save_in_folder(
        &mut self,
        save: impl Fn(&mut Self, &Path) -> Option<Result<PathBuf, SaveError>>,
        loss: Option<String>,
    ) {
        let mut result = None;
        for folder in self.export_folders() {
            let Some(saved) = save(self, &folder) else { return };
            let next = matches!(&saved, Err(SaveError::Write { source, .. }) if cannot_write(source.kind()));
            result = Some(saved);
            if !next {
                break;
            }
        }
        match result {
            Some(Ok(path)) => {
                let path = std::path::absolute(&path).unwrap_or(path);
                let folder = path.parent().unwrap_or(Path::new(".")).to_path_buf();
                let loss = loss.map(|loss| format!("; {loss}")).unwrap_or_default();
                let message = saved_message(&path) + &loss;
                self.offer_folder(&message, folder);
            }
            Some(Err(error)) => self.notify(Err(error.to_string())),
            None => {}
        }
    }

    /// Shows a message about a saved file, with a button that opens its folder.
    pub(super) fn offer_folder(&mut self, message: &str, folder: PathBuf) {
        if system::HAS_FOLDERS {
            self.panel.offer(message, "Open folder", AppRequest::OpenFolder(folder));
        } else {
            self.notify(Ok(message.to_owned()));
        }
    }

    /// Shows a folder in the desktop's file manager.
    pub(super) fn open_folder(&mut self, folder: &Path) {
        if let Err(error) = system::open_folder(folder) {
            self.notify(Err(format!("{}: cannot open the folder: {error}", folder.display())));
        }
    }
}

/// Returns whether saving may succeed in another folder after an error of this kind.
fn cannot_write(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem | ErrorKind::NotFound)
}
