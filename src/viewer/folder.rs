//! The files beside the one that is open, and what is kept when it is read again.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::asset::Character;
use crate::motion::Motion;

use super::Session;
use super::history::State;

/// Endings of files that hold characters, and of those that hold motion alone.
pub(super) const ENDINGS: [&str; 4] = ["glb", "gltf", "vrm", MOTION];
const MOTION: &str = "bvh";
/// That of takes, which only a character that is shown can follow.
#[cfg(feature = "viewer")]
const TAKE: &str = "csv";

/// Both, in small and in capital letters: a portal's patterns tell them apart, who names files does not.
#[cfg(feature = "viewer")]
pub(super) fn all_endings() -> Vec<String> {
    let small = || ENDINGS.iter().chain([&TAKE]);
    small().map(|ending| (*ending).to_owned()).chain(small().map(|ending| ending.to_uppercase())).collect()
}

/// The model file after (or before) one in its folder, by name; round at the ends; files of motion only from one of them. `None`: there is no other.
///
/// # Errors
/// What the system says of the folder.
pub fn neighbour(file: &Path, forward: bool) -> io::Result<Option<PathBuf>> {
    let folder = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let ends = |p: &Path, known: &str| p.extension().is_some_and(|e| e.eq_ignore_ascii_case(known));
    // A file of motion would be put on the character that is shown, and be no step.
    let is_model = |p: &PathBuf| {
        let known = ENDINGS.iter().find(|known| ends(p, known));
        known.is_some_and(|known| *known != MOTION || ends(file, MOTION)) && p.is_file()
    };
    let mut models: Vec<PathBuf> = std::fs::read_dir(folder)?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(is_model)
        .collect();
    models.sort();
    let name = file.file_name();
    // A file that has gone meanwhile still has a place between the others.
    let (before, after): (Vec<_>, Vec<_>) =
        models.into_iter().filter(|p| p.file_name() != name).partition(|p| p.file_name() < name);
    let mut around = after.into_iter().chain(before);
    Ok(if forward { around.next() } else { around.last() })
}

impl Session {
    /// Takes over what is not the character's from the session that showed the former one. `again`: it is the same
    /// character, read once more; then also from where it is seen, the clips that were added, and what is played. Where
    /// its nodes are the same, pose, goals and what can be taken back too. Of each addition that cannot be put on the
    /// character any more, a line.
    pub fn take_over(&mut self, from: &Self, again: bool) -> Vec<String> {
        let mut faults = Vec::new();
        from.settings().into_iter().for_each(|command| self.obey(command));
        if again {
            self.orbit = from.orbit;
            faults = self.add_again(from.additions());
            self.go_on(from);
        }
        self.comparison.choose(&from.comparison.methods(), &self.puppet);
        faults
    }

    /// Stands where another session of the same character does. Where its nodes are others now, it plays the same.
    fn go_on(&mut self, from: &Self) {
        let skeleton = |s: &Self| s.puppet.shared_character();
        let (here, there) = (skeleton(self), skeleton(from));
        let names =
            |c: &Character| c.skeleton.nodes.iter().map(|n| (n.name.clone(), n.parent)).collect::<Vec<_>>();
        let same =
            names(&here) == names(&there) && self.state.held.weights.len() == from.state.held.weights.len();
        let clips = self.clips_of(from);
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
        let moved = clips.iter().enumerate().any(|(place, now)| *now != Some(place));
        let mut state = from.state.clone();
        if moved || !state.motion.fits(&here) {
            let renumbered = |motion: &Motion| {
                let motion = motion.renumbered(clip, Some);
                if motion.fits(&here) { motion } else { Motion::default() }
            };
            state.motion = Arc::new(renumbered(&state.motion));
            self.history.change_motions(renumbered);
        }
        // What was edited and not saved is not lost; else the file has the say.
        let changed = from.is_rig_changed();
        let rig = if changed { state.rig } else { self.state.rig.clone() };
        if !changed {
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
    fn a_dialog_shows_files_however_their_endings_are_written() {
        let endings = all_endings();
        for name in ["glb", "GLB", "gltf", "GLTF", "vrm", "VRM", "bvh", "BVH", "csv", "CSV"] {
            assert!(endings.iter().any(|e| e == name), "{name}");
        }
    }
}
