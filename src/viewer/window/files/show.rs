//! Shows a loaded file, or asks first.

use std::path::Path;

use crate::arrange::{Item, with_clip};
use crate::export::{StoredPose, is_posed_copy};
use crate::motion::RootMotion;
use crate::panel::{Answer, AppRequest, Leave, PathPurpose, Question};
use crate::platform::fs;
use crate::puppet::Puppet;
use crate::render::DecodedImages;
use crate::session::props;
use crate::window::App;
use crate::{AddedClips, Command, LoadResult, LoadedFile, Session, blend_pose_command, folder, is_project};

impl App {
    /// Shows a loaded file, or asks first if that would lose work.
    pub(super) fn accept_read(&mut self, read: LoadResult) {
        let replaces = matches!(
            read.outcome,
            Ok(LoadedFile::Character(..) | LoadedFile::Project(..) | LoadedFile::Watch(..))
        );
        if self.offers_pose(&read) {
            self.panel.question = Some(Question::SameJoints(read.path.clone()));
            self.files.pending = Some(read);
        } else if replaces && !read.reloads {
            let leave = Leave::Open(read.path.clone());
            self.files.pending = Some(read);
            self.leave(leave);
        } else {
            self.show_read(read);
        }
    }

    /// Returns whether a file is a posed copy of the current character. Returns false while stepping through a folder, because stepping
    /// never asks.
    fn offers_pose(&self, read: &LoadResult) -> bool {
        let current = self.session.puppet().character();
        match &read.outcome {
            Ok(LoadedFile::Character(other, _)) if !read.reloads => {
                let is_step = self.files.stepped.as_ref() == Some(&read.path);
                !is_step && is_posed_copy(other.puppet().character(), current)
            }
            _ => false,
        }
    }

    /// Depending on the answer, applies the loaded posed copy's pose, opens the copy, or discards it.
    pub(in crate::window) fn answer_same_joints(&mut self, answer: Answer) {
        let Some(read) = self.files.pending.take() else { return };
        match (&read.outcome, answer) {
            (Ok(LoadedFile::Character(other, _)), Answer::Yes) => {
                let pose = StoredPose::of_copy(&other.puppet().character().skeleton);
                self.apply_pose(&pose, &read.path);
            }
            (_, Answer::No) => {
                let leave = Leave::Open(read.path.clone());
                self.files.pending = Some(read);
                self.leave(leave);
            }
            _ => {}
        }
    }

    /// Applies a pose from a file as one undo step.
    fn apply_pose(&mut self, pose: &StoredPose, file: &Path) {
        let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
        match blend_pose_command(self.session.puppet(), pose, 1.0) {
            Ok(command) => {
                self.session.apply(Command::Release);
                self.session.apply(command);
                self.session.apply(Command::Release);
                self.close_path(PathPurpose::Open);
                self.notify(Ok(format!("applied the pose of {name}")));
            }
            Err(error) => self.fail_path(PathPurpose::Open, format!("{name}: {error}")),
        }
    }

    /// Shows the file that waited for an answer.
    pub(in crate::window) fn show_pending(&mut self) {
        if let Some(read) = self.files.pending.take() {
            self.show_read(read);
        }
    }

    /// Shows a loaded file, or the error if reading failed.
    fn show_read(&mut self, read: LoadResult) {
        let mut warnings = None;
        let found = match read.outcome {
            Ok(LoadedFile::Clips(addition)) => return self.play_addition(*addition),
            Ok(LoadedFile::Watch(replay, length, images)) => {
                return self.show_watched(*replay, length, &images, read.path);
            }
            Ok(LoadedFile::Pose(pose)) => return self.apply_pose(&pose, &read.path),
            Ok(LoadedFile::Prop(prop_joint, model, images)) => {
                return self.show_prop(&read.path, prop_joint, model, &images);
            }
            Err(error) if read.attaches => return self.fail_path(PathPurpose::AttachProp, error),
            Ok(LoadedFile::Character(session, images)) => Ok((*session, images)),
            Ok(LoadedFile::Project(session, images, found)) => {
                warnings = Some(found);
                Ok((*session, images))
            }
            Err(error) => Err(error),
        };
        let open = self.open.as_mut();
        let result = found.and_then(|(mut session, images)| {
            session.apply(Command::Resize(self.session.size()));
            // If there is no window yet, there are no graphics to update. They are created later from the session.
            let updated = open.map_or(Ok(()), |s| s.graphics.show(&session, &images));
            updated.map(|()| session).map_err(|e| e.to_string())
        });
        match result {
            Ok(session) => self.replace_session(session, warnings, &read.path, read.reloads),
            Err(error) => self.fail_path(PathPurpose::Open, error),
        }
    }

    /// Lets a joint carry a loaded model.
    fn show_prop(&mut self, file: &Path, prop_joint: String, model: Box<Puppet>, images: &DecodedImages) {
        let graphics = self.open.as_mut().map(|open| &mut open.graphics);
        // If there is no window yet, the model is uploaded later from the session.
        let uploaded = graphics.map_or(Ok(()), |graphics| graphics.add_prop(&model, images));
        let attached = match uploaded {
            Ok(()) => props::attach(&mut self.session, file, prop_joint, model),
            Err(error) => Err(error.to_string()),
        };
        match attached {
            Ok(()) => self.close_path(PathPurpose::AttachProp),
            Err(error) => self.fail_path(PathPurpose::AttachProp, error),
        }
    }

    /// Replaces the session with the session of a loaded file. `warnings` is set for a project or a recorded session, both of which have
    /// their own settings.
    fn replace_session(
        &mut self,
        mut session: Session,
        warnings: Option<Vec<String>>,
        path: &Path,
        reloads: bool,
    ) {
        self.watched = None;
        self.session.apply(Command::Release);
        self.panel.clear_message();
        if !reloads {
            self.panel.saved = None;
        }
        // A recording can only contain one character.
        self.stop_recording();
        let files_changed = session.puppet.character().files != self.session.puppet.character().files;
        // Only a session without its own settings inherits the settings of the current session.
        let errors = match &warnings {
            Some(_) => Vec::new(),
            None => session.take_over(&self.session, reloads),
        };
        if let Some(text) = warnings.into_iter().flatten().chain(errors).next() {
            self.notify(Err(text));
        }
        let scale = self.session.settings().scale;
        if !reloads {
            self.remove_autosave();
        }
        self.input.abandon();
        self.session = session;
        self.session.apply(Command::Scale(scale));
        if !reloads {
            self.note_opened();
        }
        self.retarget_source();
        if !reloads {
            self.close_path(PathPurpose::Open);
            self.files.changes.changed = None;
            // A copy of recovered work is not a recent file, because it is removed when the work is saved.
            let opened = Some(path).filter(|path| fs::is_file(path) && !self.is_recovered());
            let recent = self.session.project().or(self.session.file()).or(opened);
            if let Some(recent) = recent.map(Path::to_path_buf) {
                self.preferences.add(&recent);
            }
            self.panel.open.recent = self.preferences.recent().to_vec();
        }
        if !reloads || files_changed {
            self.watch_files();
        }
        if !reloads {
            self.offer_to_watch(path);
        }
    }

    /// Offers to play a recorded session, which is opened at its end.
    fn offer_to_watch(&mut self, file: &Path) {
        let is_session = folder::is_own(file) && !is_project(file);
        self.panel.open.session = is_session.then(|| file.to_path_buf());
        // Do not replace a warning, which is more important.
        if is_session && self.panel.notice.is_none() {
            let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
            let message = format!("{name} was opened at its end");
            self.panel.offer(&message, "Watch", AppRequest::Watch(file.to_path_buf()));
        }
    }

    /// Adds the clips of a motion file to the current character, appends the first one to the timeline and plays it.
    fn play_addition(&mut self, addition: AddedClips) {
        let file =
            addition.file.file_name().unwrap_or(addition.file.as_os_str()).to_string_lossy().into_owned();
        let first = self.session.puppet().character().clips.len();
        self.session.apply(Command::Release);
        self.session.apply(Command::AddClips(Box::new(addition)));
        if self.session.puppet().character().clips.len() == first {
            return self.notify(Err(format!("{file}: the character cannot have more clips")));
        }
        let session = &self.session;
        let feet: Vec<usize> = session.rig().feet().collect();
        let is_first = session.puppet().motion.is_rest();
        let (mut motion, item) =
            with_clip(&session.puppet().motion, session.puppet().character(), &feet, first);
        let mut start = 0.0;
        if let Item::Strip(index) = item
            && let Some(strip) = motion.strips.get_mut(index)
        {
            start = strip.start;
            if is_first {
                // Play in place, so that the character stays in view.
                strip.root_motion = RootMotion::InPlace;
            }
        }
        self.panel.timeline.selected = Some(item);
        self.session.apply(Command::Motion(Box::new(motion)));
        self.session.apply(Command::Release);
        self.session.apply(Command::Seek(start));
        self.session.apply(Command::Play(true));
        [PathPurpose::Open, PathPurpose::AddClips].into_iter().for_each(|purpose| self.close_path(purpose));
        self.notify(Ok(format!("added the clips of {file}")));
    }
}
