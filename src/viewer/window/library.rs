//! The pose library of the open project: its location, and the actions on its poses.

use std::path::{Path, PathBuf};

use crate::export::StoredPose;
use crate::panel::LibraryRequest;
use crate::project::library::{PoseLibrary, poses_of};
use crate::session::pose_commands::pose_json;
use crate::session::saved_project::default_path;
use crate::{Command, SaveError, blend_pose_command};

use super::App;

impl App {
    /// Returns the pose folder. It is beside the project or, before a project exists, in a folder for the character in the settings folder.
    fn library_folder(&self) -> Option<PathBuf> {
        match self.session.project() {
            Some(project) => Some(poses_of(project)),
            None => {
                let default = default_path(self.session.puppet().character(), Path::new(""));
                let name = default.file_stem()?.to_os_string();
                self.preferences.folder().map(|folder| folder.join("poses").join(name))
            }
        }
    }

    pub(super) fn show_library(&mut self) {
        let folder = self.library_folder();
        let library = folder.map(|folder| PoseLibrary::open(&folder)).unwrap_or_default();
        self.panel.library.set(library);
    }

    /// Copies the poses to the library of a project saved under a new name.
    pub(super) fn move_library(&mut self) {
        let before = self.panel.library.poses().clone();
        self.show_library();
        let now = self.panel.library.poses();
        if before.folder() != now.folder() && !before.names().is_empty() {
            let mut now = now.clone();
            let copied = now.copy_from(&before);
            self.panel.library.set(now);
            self.report(copied);
        }
    }

    pub(super) fn handle_library(&mut self, request: LibraryRequest) {
        let mut library = self.panel.library.poses().clone();
        let result = match request {
            LibraryRequest::Add(name) => self.add_pose(&mut library, &name),
            LibraryRequest::Apply(name) => return self.apply_library_pose(&name),
            LibraryRequest::Rename(name, to) => library.rename(&name, &to),
            LibraryRequest::Remove(name) => library.remove(&name).map(|path| {
                self.notify(Ok(format!("moved \"{name}\" to {}", path.display())));
            }),
        };
        self.panel.library.set(library);
        self.report(result);
    }

    fn add_pose(&mut self, library: &mut PoseLibrary, name: &str) -> Result<(), SaveError> {
        let json = pose_json(self.session.puppet(), self.session.reports()).map_err(|source| {
            SaveError::Write { path: library.folder().to_path_buf(), source: source.into() }
        })?;
        let open = self.open.as_mut();
        let thumbnail = open.and_then(|open| open.graphics.thumbnail(&self.session).ok());
        let name = library.add(name, &json, thumbnail.as_deref())?;
        self.notify(Ok(format!("added \"{name}\" in {}", library.folder().display())));
        Ok(())
    }

    /// Applies a pose fully. The user can then set the weight of the pose with the slider.
    fn apply_library_pose(&mut self, name: &str) {
        let read = self.panel.library.poses().pose(name).map_err(|e| e.to_string());
        let pose = read.and_then(|text| StoredPose::read(&text).map_err(|e| format!("{name}: {e}")));
        let command = pose.and_then(|pose| {
            let command = blend_pose_command(self.session.puppet(), &pose, 1.0);
            Ok((command.map_err(|e| format!("{name}: {e}"))?, pose))
        });
        match command {
            Ok((command, pose)) => {
                self.session.apply(Command::Release);
                self.session.apply(command);
                self.panel.library.select(name, pose);
            }
            Err(error) => self.notify(Err(error)),
        }
    }

    fn report(&mut self, result: Result<(), SaveError>) {
        if let Err(error) = result {
            self.notify(Err(error.to_string()));
        }
    }
}
