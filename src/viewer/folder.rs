//! The files beside the one that is open, and what is kept when it is read again.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::asset::Character;
use crate::bake;
use crate::motion::RetargetError;
use crate::rig::Rig;

use super::Session;
use super::history::State;

/// Endings of files that hold characters, and of those that hold motion alone.
pub(super) const ENDINGS: [&str; 4] = ["glb", "gltf", "vrm", MOTION];
const MOTION: &str = "bvh";

/// The same in small and in capital letters: a portal's patterns tell them apart, who names files does not.
pub(super) fn all_endings() -> Vec<String> {
    let capital = ENDINGS.iter().map(|ending| ending.to_uppercase());
    ENDINGS.iter().map(|ending| (*ending).to_owned()).chain(capital).collect()
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
    /// The same session with the clips of another character put on this one, and the place of the first of them; what is
    /// done goes on.
    ///
    /// # Errors
    /// [`RetargetError`] where the one cannot be put on the other.
    pub fn with_clips(&self, source: &Character) -> Result<(Self, usize), RetargetError> {
        let mut character = self.puppet.character().clone();
        let first = character.clips.len();
        let clips = bake::retargeted(source, &character, &self.loaded_rig)?;
        character.clips.extend(clips);
        let mut session = Self::new(character, Some(Rig::clone(&self.loaded_rig)), self.size());
        session.take_over(self, true);
        Ok((session, first))
    }

    /// Takes over what is not the character's from the session that showed the former one; where the nodes are the
    /// same, its pose, goals, clip and what can be taken back too. `camera`: also from where it is seen.
    pub fn take_over(&mut self, from: &Self, camera: bool) {
        from.settings().into_iter().for_each(|command| self.obey(command));
        if camera {
            self.orbit = from.orbit;
        }
        let names = |s: &Self| {
            s.puppet.character().skeleton.nodes.iter().map(|n| (n.name.clone(), n.parent)).collect::<Vec<_>>()
        };
        let same =
            names(self) == names(from) && self.state.held.weights.len() == from.state.held.weights.len();
        if camera && same {
            self.puppet.time = from.puppet.time;
            (self.clock, self.history) = (from.clock, from.history.clone());
            (self.selected, self.last) = (from.selected, from.last);
            let mut state = from.state.clone();
            if !state.motion.fits(self.puppet.character()) {
                state.motion = Arc::default();
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
        self.comparison.choose(&from.comparison.methods(), &self.puppet);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialog_shows_files_however_their_endings_are_written() {
        let endings = all_endings();
        for name in ["glb", "GLB", "gltf", "GLTF", "vrm", "VRM", "bvh", "BVH"] {
            assert!(endings.iter().any(|e| e == name), "{name}");
        }
    }
}
