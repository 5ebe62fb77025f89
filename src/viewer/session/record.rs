//! Recording: from where it stands, every command with its time.

use std::path::PathBuf;
use std::time::Duration;

use super::super::recording::Header;
use super::super::{Command, Recorder, SaveError};
use super::{Clock, Session};

impl Session {
    /// Records from now on. `scale`: pixels a point, which says how large overlays are.
    ///
    /// What is held is let go. What can be taken back until then can be taken back again after the recording.
    ///
    /// # Errors
    /// [`SaveError`] where nothing can be written; nothing is then recorded.
    pub fn record(&mut self, mut recorder: Recorder, scale: f32) -> Result<(), SaveError> {
        drop(self.stop_recording());
        self.release();
        self.obey(Command::Scale(scale));
        recorder.begin(&Header::of(self, scale, recorder.folder()))?;
        let told = self.retell();
        self.clock = Clock::default();
        recorder.before = std::mem::take(&mut self.history);
        self.recorder = Some(recorder);
        // They are there already, and a replay has them before it stands as told.
        for place in 0..self.additions.len() {
            let Some(addition) = self.additions.get(place).cloned() else { continue };
            let mut command = Command::Add(Box::new(addition));
            self.log(&mut command);
            if let (Command::Add(logged), Some(addition)) = (command, self.additions.get_mut(place)) {
                *addition = *logged;
            }
        }
        told.into_iter().for_each(|command| self.apply(command));
        Ok(())
    }

    /// Ends the recording and gives it its name; `None`: there was none.
    pub fn stop_recording(&mut self) -> Option<Result<PathBuf, SaveError>> {
        let mut recorder = self.recorder.take()?;
        self.history.append_to(std::mem::take(&mut recorder.before));
        Some(recorder.finish(self.clock.now))
    }

    /// For how long a recording has run.
    pub fn recorded(&self) -> Option<Duration> {
        self.recorder.as_ref().map(|_| self.clock.now)
    }

    /// Whether the recording can go on no more.
    pub(in super::super) fn cannot_record(&self) -> bool {
        self.recorder.as_ref().is_some_and(Recorder::has_failed)
    }

    /// Whether a command can be carried out: where a recording runs, what text cannot say is not done. A take that is
    /// written beside the recording is from there from now on.
    pub(super) fn log(&mut self, command: &mut Command) -> bool {
        let now = self.clock.now;
        if let Command::Add(addition) = command {
            let name = self.name();
            return self.recorder.as_mut().is_none_or(|recorder| recorder.log_added(now, addition, &name));
        }
        self.recorder.as_mut().is_none_or(|recorder| recorder.log(now, command))
    }
}
