//! Copies the state of the previous session after another file is opened or the same file is reloaded.

use std::sync::Arc;

use crate::StyleSource;
use crate::asset::Character;
use crate::document::Scene;
use crate::files::Progress;
use crate::ik::{Method, OptionOverrides, Options};
use crate::motion::Motion;

use super::views::CameraEffect;
use super::{Session, default_options};

impl Session {
    /// Copies the settings of the previous session. If `reloaded` is set, both sessions show the same file, and the camera, the added clips
    /// and the motion are copied as well. If the nodes of both sessions also match, the pose, the goals and the undo history are copied
    /// too. Returns one line for each file of added clips that no longer fits the character.
    pub fn take_over(&mut self, from: &Self, reloaded: bool) -> Vec<String> {
        let mut errors = Vec::new();
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
        let before = self.before_command();
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
