//! The other files in the folder of the open one, and the state that survives a reload.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::asset::Character;
use crate::motion::Motion;

use super::Session;
use super::session::history::State;

/// Extensions of files that contain characters, and of files that contain only motion.
pub(super) const EXTENSIONS: [&str; 4] = ["glb", "gltf", "vrm", MOTION_EXTENSION];
const MOTION_EXTENSION: &str = "bvh";
/// Extension of takes, which need a character.
#[cfg(feature = "viewer")]
const TAKE_EXTENSION: &str = "csv";

/// Returns all extensions in lower and upper case. The file dialogs of some systems are case-sensitive.
#[cfg(feature = "viewer")]
pub(super) fn all_extensions() -> Vec<String> {
    let lower_case = || EXTENSIONS.iter().chain([&TAKE_EXTENSION]);
    lower_case().map(|e| (*e).to_owned()).chain(lower_case().map(|e| e.to_uppercase())).collect()
}

/// Returns the next or previous model in the folder of a file, in the order of their names. After the last one comes the
/// first. Motion files are skipped unless `file` is one. Returns `None` if there is no other model.
///
/// # Errors
/// Fails if the folder cannot be read.
pub fn neighbour(file: &Path, forward: bool) -> io::Result<Option<PathBuf>> {
    let folder = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let has_extension = |p: &Path, known: &str| p.extension().is_some_and(|e| e.eq_ignore_ascii_case(known));
    // Opening a motion file would add its clips to the current character instead of replacing it.
    let is_model = |p: &PathBuf| {
        let known = EXTENSIONS.iter().find(|known| has_extension(p, known));
        known.is_some_and(|known| *known != MOTION_EXTENSION || has_extension(file, MOTION_EXTENSION))
            && p.is_file()
    };
    let mut models: Vec<PathBuf> = std::fs::read_dir(folder)?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(is_model)
        .collect();
    models.sort();
    let name = file.file_name();
    // A file that was deleted still has its position in the order.
    let (before, after): (Vec<_>, Vec<_>) =
        models.into_iter().filter(|p| p.file_name() != name).partition(|p| p.file_name() < name);
    let mut around = after.into_iter().chain(before);
    Ok(if forward { around.next() } else { around.last() })
}

impl Session {
    /// Takes over the settings of the previous session. With `again` the file was reloaded, and view, added clips and motion
    /// are kept as well. If the nodes are still the same, pose, goals and undo history are kept too. Returns one
    /// line for each addition that no longer fits.
    pub fn take_over(&mut self, from: &Self, again: bool) -> Vec<String> {
        let mut errors = Vec::new();
        from.settings().into_iter().for_each(|command| self.execute(command));
        if again {
            self.orbit = from.orbit;
            errors = self.reapply_added_clips(from.additions());
            self.restore_from(from);
        }
        self.comparison.set_methods(&from.comparison.methods(), &self.puppet);
        errors
    }

    /// Restores the state of another session of the same file. If the nodes have changed, only the motion is restored.
    fn restore_from(&mut self, from: &Self) {
        let skeleton = |s: &Self| s.puppet.shared_character();
        let (here, there) = (skeleton(self), skeleton(from));
        let names =
            |c: &Character| c.skeleton.nodes.iter().map(|n| (n.name.clone(), n.parent)).collect::<Vec<_>>();
        let same =
            names(&here) == names(&there) && self.state.held.weights.len() == from.state.held.weights.len();
        let clips = self.map_clips(from);
        let clip = |clip: usize| clips.get(clip).copied().flatten();
        self.puppet.time = from.puppet.time;
        if !same {
            let node = |n: usize| here.skeleton.find(there.skeleton.nodes.get(n)?.name.as_deref()?);
            let motion = from.state.motion.renumbered(clip, node);
            if motion.fits(&here) && !motion.is_rest() {
                self.clock = from.clock;
                self.restore(Some(State { motion: Arc::new(motion), ..self.state.clone() }));
            }
            return;
        }
        (self.clock, self.history) = (from.clock, from.history.clone());
        (self.selected, self.last, self.followed) = (from.selected, from.last, from.followed);
        let clips_moved = clips.iter().enumerate().any(|(index, now)| *now != Some(index));
        let mut state = from.state.clone();
        if clips_moved || !state.motion.fits(&here) {
            let renumbered = |motion: &Motion| {
                let motion = motion.renumbered(clip, Some);
                if motion.fits(&here) { motion } else { Motion::default() }
            };
            state.motion = Arc::new(renumbered(&state.motion));
            self.history.change_motions(renumbered);
        }
        // Unsaved edits of the rig win over the file.
        let rig_changed = from.is_rig_changed();
        let rig = if rig_changed { state.rig } else { self.state.rig.clone() };
        if !rig_changed {
            self.history.set_rig(&rig);
        }
        self.restore(Some(State { rig, ..state }));
        self.written_rig.clone_from(&from.written_rig);
    }
}

#[cfg(all(test, feature = "viewer"))]
mod tests {
    use super::*;

    #[test]
    fn a_dialog_shows_extensions_in_lower_and_upper_case() {
        let extensions = all_extensions();
        for name in ["glb", "GLB", "gltf", "GLTF", "vrm", "VRM", "bvh", "BVH", "csv", "CSV"] {
            assert!(extensions.iter().any(|e| e == name), "{name}");
        }
    }
}
