//! What is played: clips of other files, blends, motion files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::asset::{self, Character, Clip};
use crate::bake;
use crate::motion::capture::{TakeOptions, load_csv};
use crate::motion::{Motion, Share};
use crate::puppet::Puppet;
use crate::rig::Rig;
use crate::score;

use super::failure::Failure;
use super::names;
use super::posing::PosingArgs;

impl PosingArgs {
    /// A character with all the clips that are asked for.
    pub(super) fn extend(&self, character: Arc<Character>, rig: &Rig) -> Result<Arc<Character>, Failure> {
        extend(character, &self.clips, rig)
    }

    /// Gives a puppet its motion; `animation`: the clip that is named, and the time in it.
    pub(super) fn play(
        &self,
        puppet: &mut Puppet,
        animation: Option<usize>,
        time: f32,
    ) -> Result<(), Failure> {
        if let Some(path) = &self.motion {
            let character = puppet.character();
            puppet.motion =
                score::load(path, character, &puppet.rig).map_err(|e| Failure::Usage(e.to_string()))?;
            puppet.time = time;
        }
        if let Some(clip) = animation {
            puppet.play(clip, time);
            self.blend(puppet, clip)?;
        }
        puppet.motion.plant |= self.plant_feet;
        Ok(())
    }

    fn blend(&self, puppet: &mut Puppet, clip: usize) -> Result<(), Failure> {
        if self.blend.is_empty() {
            return Ok(());
        }
        let mut shares = Vec::new();
        for text in &self.blend {
            let (name, weight) = text.rsplit_once('=').unwrap_or((text, "none"));
            let weight = weight.parse::<f32>().ok().filter(|w| (0.0..=1.0).contains(w));
            let weight = weight
                .ok_or_else(|| Failure::Usage(format!("--blend {text}: a share is between 0 and 1")))?;
            shares.push(Share { clip: names::clip(puppet.character(), name)?, weight });
        }
        let given: f32 = shares.iter().map(|s| s.weight).sum();
        if given > 1.0 {
            return Err(Failure::Usage(format!("--blend: the shares sum to {given}, more than the whole")));
        }
        shares.insert(0, Share { clip, weight: 1.0 - given });
        let mut motion = Motion::clip(clip);
        motion.bars.iter_mut().for_each(|bar| bar.clips.clone_from(&shares));
        puppet.motion = motion;
        Ok(())
    }
}

/// A character with the clips of other files, put on it. A name that is taken gets the file's before it.
pub(super) fn extend(
    character: Arc<Character>,
    files: &[PathBuf],
    rig: &Rig,
) -> Result<Arc<Character>, Failure> {
    if files.is_empty() {
        return Ok(character);
    }
    let mut character = Arc::unwrap_or_clone(character);
    for path in files {
        let clips = clips_of(path, &character, rig)?;
        if clips.is_empty() {
            return Err(Failure::Usage(format!("--clips {}: there is no clip in it", path.display())));
        }
        for mut clip in clips {
            if character.clips.iter().any(|c| c.name == clip.name) {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                clip.name = Some(format!("{stem} {}", clip.name.unwrap_or_default()));
            }
            character.clips.push(clip);
        }
    }
    Ok(character.into())
}

/// The clips of a file as the character's: a take of sensors, or another character's.
fn clips_of(path: &Path, character: &Character, rig: &Rig) -> Result<Vec<Clip>, Failure> {
    let refused = |e: &dyn std::fmt::Display| Failure::Usage(format!("--clips {}: {e}", path.display()));
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv")) {
        let bones = asset::humanoid(character).map(|h| h.bones).unwrap_or_default();
        let take = load_csv(path)?;
        let captured = take.clip(&character.skeleton, &bones, &TakeOptions::default());
        let mut clip = captured.map_err(|e| refused(&e))?.clip;
        clip.name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        return Ok(vec![clip]);
    }
    bake::retargeted(&asset::load(path)?, character, rig).map_err(|e| refused(&e))
}
