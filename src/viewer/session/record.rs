//! Recording: writes the current state as commands, and then every command with its time.

use std::path::PathBuf;
use std::time::Duration;

use crate::viewer::session::recorder::Header;
use crate::viewer::session::recorder::nodes::SessionNodes;
use crate::viewer::{Command, Recorder, SaveError};

use super::{Clock, Session};

impl Session {
    /// Starts a recording. `scale` is the number of pixels per point, which sets the size of overlays.
    ///
    /// This ends any drag. Earlier undo steps are not available during the recording but return when it ends.
    ///
    /// # Errors
    /// [`SaveError`] if the file cannot be written. The session is then not recorded.
    pub fn record(&mut self, mut recorder: Recorder, scale: f32) -> Result<(), SaveError> {
        drop(self.stop_recording());
        self.leave_steps();
        self.release();
        self.execute(Command::Scale(scale));
        let nodes = SessionNodes::new(&self.puppet.character().skeleton, &self.loaded_rig);
        recorder.begin(&Header::of(self, scale, recorder.folder()), nodes)?;
        let commands = self.state_commands();
        self.clock = Clock::default();
        recorder.before = std::mem::take(&mut self.history);
        self.recorder = Some(recorder);
        // The clips are already in the session, but a replay must add them before it restores the snapshot.
        for index in 0..self.additions.len() {
            let Some(addition) = self.additions.get(index).cloned() else { continue };
            let mut command = Command::AddClips(Box::new(addition));
            self.log(&mut command);
            if let (Command::AddClips(logged), Some(addition)) = (command, self.additions.get_mut(index)) {
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

    /// Returns how long the recording has been running.
    pub fn recorded(&self) -> Option<Duration> {
        self.recorder.as_ref().map(|_| self.clock.now)
    }

    /// Returns whether the recording has failed and cannot continue.
    pub(in crate::viewer) fn cannot_record(&self) -> bool {
        self.recorder.as_ref().is_some_and(Recorder::has_failed)
    }

    /// Records a command if a recording is running. Returns false if the command cannot be written as text. It must
    /// then not be executed. If a take is saved beside the recording, the command gets the path of that file.
    pub(super) fn log(&mut self, command: &mut Command) -> bool {
        let now = self.clock.now;
        if let Command::AddClips(addition) = command {
            let name = self.name();
            return self.recorder.as_mut().is_none_or(|recorder| recorder.log_added(now, addition, &name));
        }
        self.recorder.as_mut().is_none_or(|recorder| recorder.log(now, command))
    }
}
