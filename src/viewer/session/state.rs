//! The state of a session: records it as commands, restores it, and copies it to the session of another file.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::asset::Character;
use crate::document::{History, Restored, Scene, Snapshot};
use crate::files::Progress;
use crate::ik::{Method, OptionOverrides, Options};
use crate::motion::Motion;
use crate::rig::Rig;
use crate::scene::compare::Comparison;
use crate::session::recorder::names::SessionNames;
use crate::session::recorder::{Header, relative_to};
use crate::{Command, Recorder, SaveError, StyleSource};

use super::clock::Clock;
use super::steps::Problem;
use super::views::CameraEffect;
use super::{Session, default_options};

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
    #[cfg(feature = "window")]
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

    /// Copies the settings of the previous session. If `reloaded` is set, both sessions show the same file, and the camera, the added clips
    /// and the motion are copied as well. If the nodes of both sessions also match, the pose, the goals and the undo history are copied
    /// too. Returns one line for each file of added clips that no longer fits the character.
    pub fn take_over(&mut self, from: &Self, reloaded: bool) -> Vec<String> {
        let mut errors = Vec::new();
        // The settings contain the props. Their files are not read again.
        self.props.clone_from(&from.props);
        from.document.stored_settings().commands().into_iter().for_each(|command| self.execute(command));
        let (old, new) = (&from.rig_file.saved.options, &self.document.scene.rig.options);
        let options = adopted(&self.document.settings.solver, old, new, !reloaded);
        if options != *self.document.settings.solver {
            self.set_solver(options);
        }
        self.document.orbit = self.home_view();
        if !reloaded {
            // Another character has different variants and a different motion.
            self.document.settings.variant = None;
            self.document.settings.style = StyleSource::default();
            self.document.settings.timeline.range = None;
        }
        if reloaded {
            self.document.orbit = from.document.orbit;
            self.project.clone_from(&from.project);
            errors = self.reapply_with(&from.document.additions, &Progress::default());
            self.restore_from(from);
        }
        self.comparison.set_methods(&from.document.settings.compare, &self.puppet);
        let before = self.view.before_command(&self.puppet, &self.document.orbit, false);
        self.view.update_anchor(CameraEffect::Sets, before, &self.puppet, &mut self.document, false);
        errors
    }

    /// Restores the state of another session of the same file. If the nodes have changed, only the motion is restored.
    fn restore_from(&mut self, from: &Self) {
        let skeleton = |s: &Self| s.puppet.shared_character();
        let (here, there) = (skeleton(self), skeleton(from));
        let names =
            |c: &Character| c.skeleton.nodes.iter().map(|n| (n.name.clone(), n.parent)).collect::<Vec<_>>();
        let same = names(&here) == names(&there)
            && self.document.scene.held.weights.len() == from.document.scene.held.weights.len();
        let clips = self.map_clips(from);
        let clip = |clip: usize| clips.get(clip).copied().flatten();
        self.puppet.time = from.puppet.time;
        if !same {
            // Saving must not overwrite the project, because only the motion is restored.
            self.project = None;
            let node = |n: usize| here.skeleton.find(there.skeleton.nodes.get(n)?.name.as_deref()?);
            let motion = from.document.scene.motion.renumbered(clip, node);
            if motion.fits(&here) && !motion.is_rest() {
                self.clock.copy(&from.clock);
                self.restore(Some(Scene {
                    motion: Arc::new(motion),
                    time: from.puppet.time,
                    ..self.document.scene.clone()
                }));
            }
            return;
        }
        self.clock.copy(&from.clock);
        self.history.clone_from(&from.history);
        self.document.selection.clone_from(&from.document.selection);
        let clips_moved = clips.iter().enumerate().any(|(index, now)| *now != Some(index));
        let mut scene = from.document.scene.clone();
        if clips_moved || !scene.motion.fits(&here) {
            let renumbered = |motion: &Motion| {
                let motion = motion.renumbered(clip, Some);
                if motion.fits(&here) { motion } else { Motion::default() }
            };
            scene.motion = Arc::new(renumbered(&scene.motion));
            self.history.change_motions(renumbered);
        }
        // Unsaved edits of the rig take precedence over the rig in the file.
        let rig_changed = from.is_rig_changed();
        let rig = if rig_changed { scene.rig } else { self.document.scene.rig.clone() };
        if !rig_changed {
            self.history.set_rig(&rig);
        }
        self.restore(Some(Scene { rig, ..scene }));
        self.rig_file.written.clone_from(&from.rig_file.written);
    }
}

/// Returns options in which the rig options of the previous session are replaced with those of the new session. Options that the user has
/// changed are kept, unless the new rig has another value for them. `is_other` is set if the new session shows another character.
fn adopted(current: &Options, old: &OptionOverrides, new: &OptionOverrides, is_other: bool) -> Options {
    let mut options = *current;
    let defaults = default_options(Method::Auto);
    for (option, value) in old.iter().filter(|(option, value)| option.get(current) == *value) {
        if new.get(option) != Some(value) {
            let _ = option.set(&mut options, option.get(&defaults));
        }
    }
    for (option, value) in new.iter() {
        if is_other || old.get(option) != Some(value) {
            let _ = option.set(&mut options, value);
        }
    }
    options
}
