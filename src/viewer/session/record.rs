//! Recording: writes the current state as commands, then every command with its time. Also restores the state.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::document::{History, Restored, Snapshot};
use crate::rig::Rig;
use crate::scene::compare::Comparison;
use crate::session::recorder::names::SessionNames;
use crate::session::recorder::{Header, relative_to};
use crate::{Command, Recorder, SaveError};

use super::Session;
use super::clock::Clock;
use super::steps::Problem;

impl Session {
    /// Starts a recording. `scale` is the number of pixels per point, which sets the size of overlays.
    ///
    /// This ends any drag. Earlier undo steps are not available during the recording but return when it ends.
    ///
    /// # Errors
    /// [`SaveError`] if the file cannot be written. In this case, the session is not recorded.
    pub fn record(&mut self, mut recorder: Recorder, scale: f32) -> Result<(), SaveError> {
        drop(self.stop_recording());
        self.leave_steps();
        self.release();
        self.execute(Command::Scale(scale));
        let names = SessionNames::new(self.puppet.character(), &self.rig_file.loaded);
        recorder.begin(&Header::of(self, scale, recorder.folder()), names)?;
        let commands = self.state_commands();
        self.clock = Clock::default();
        recorder.before = std::mem::take(&mut self.history);
        self.recorder = Some(recorder);
        // The clips are already in the session, but a replay must add them before it restores the snapshot.
        for index in 0..self.document.additions.len() {
            let Some(addition) = self.document.additions.get(index).cloned() else { continue };
            let mut command = Command::AddClips(Box::new(addition));
            self.log(&mut command);
            if let (Command::AddClips(logged), Some(addition)) =
                (command, self.document.additions.get_mut(index))
            {
                *addition = *logged;
            }
        }
        commands.into_iter().for_each(|command| self.apply(command));
        Ok(())
    }

    /// Ends the recording and moves it to its final path. Returns `None` if no recording was running.
    pub fn stop_recording(&mut self) -> Option<Result<PathBuf, SaveError>> {
        let mut recorder = self.recorder.take()?;
        self.history.append_to(std::mem::take(&mut recorder.before));
        Some(recorder.finish(self.clock.now))
    }

    /// The duration of the running recording.
    pub fn recorded(&self) -> Option<Duration> {
        self.recorder.as_ref().map(|_| self.clock.now)
    }

    /// Returns whether the recording has failed and cannot continue.
    pub(crate) fn cannot_record(&self) -> bool {
        self.recorder.as_ref().is_some_and(Recorder::has_failed)
    }

    /// Records a command if a recording is running. Returns false if the command cannot be written as text. In that case, it must not be
    /// executed. If a take is saved beside the recording, the command gets that file's path.
    pub(super) fn log(&mut self, command: &mut Command) -> bool {
        let now = self.clock.now;
        if let Command::AddClips(addition) = command {
            let name = self.name();
            return self.recorder.as_mut().is_none_or(|recorder| recorder.log_added(now, addition, &name));
        }
        self.recorder.as_mut().is_none_or(|recorder| match command {
            Command::Style(_) | Command::Props(_) => {
                let relative = |file: &Path| relative_to(recorder.folder(), file).into();
                recorder.log(now, &command.clone().with_files(relative))
            }
            command => recorder.log(now, command),
        })
    }

    /// Returns commands that restore the state of this session in another session with the same character and size.
    pub(super) fn state_commands(&self) -> Vec<Command> {
        let mut commands = self.document.stored_settings().commands();
        commands.push(Command::Restore(Box::new(self.snapshot())));
        // Seek first: if the camera follows the character, changing the time moves the camera.
        commands.extend([Command::Seek(self.puppet.time), Command::Camera(self.document.orbit)]);
        commands.extend([Command::Play(self.clock.playing), Command::Hover(self.hover.pointer)]);
        commands
    }

    /// Returns the state of the character. Of the rig, it contains only changes since the start of the session, because a replay starts
    /// with the same rig.
    fn snapshot(&self) -> Snapshot {
        let (character, rig) = (self.puppet.character(), &self.rig_file.loaded);
        let problem = self.steps.problem.as_ref().map(|problem| problem.to_data(&character.skeleton));
        Snapshot { problem, ..Snapshot::of(&self.document, character, rig, self.puppet.time) }
    }

    pub(crate) fn rig_on_disk(&self) -> &Rig {
        if self.file().is_some() { &self.rig_file.saved } else { &self.rig_file.loaded }
    }

    /// Sets the state of the character. Invalid values and unknown nodes are ignored.
    pub(super) fn restore_snapshot(&mut self, snapshot: Snapshot) {
        let Restored { scene, selection, problem } =
            snapshot.restored(self.puppet.character(), &self.rig_file.loaded);
        let problem = problem.map(|data| Problem::from_data(data, &self.puppet.character().skeleton));
        self.document.selection = selection;
        (self.drags.joint, self.drags.gizmo, self.hover.hint) = (None, None, None);
        self.hover.clear();
        self.history = History::default();
        self.puppet.time = scene.time;
        self.puppet.reset_solver();
        // Recreate the compared methods, so that no method continues from a result for different goals.
        self.comparison = Comparison::default();
        self.comparison.set_methods(&self.document.settings.compare, &self.puppet);
        self.restore(Some(scene));
        self.steps.problem = problem;
        self.settle_springs();
    }
}
