//! What is played: clips of other files, blends, motion files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::asset::{Character, Clip};
use crate::bake::{self, Source, SourceError};
use crate::motion::{Motion, Share};
use crate::puppet::Puppet;
use crate::rig::Rig;
use crate::score;
#[cfg(feature = "viewer")]
use crate::viewer::Addition;

use super::failure::Failure;
use super::names;
use super::posing::PosingArgs;

impl PosingArgs {
    /// A character with all the clips that are asked for.
    pub(super) fn extend(&self, character: Arc<Character>, rig: &Rig) -> Result<Arc<Character>, Failure> {
        extend(character, &self.clips, rig, self.keep_hands)
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
    hands: bool,
) -> Result<Arc<Character>, Failure> {
    if files.is_empty() {
        return Ok(character);
    }
    let mut character = Arc::unwrap_or_clone(character);
    for path in files {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        for mut clip in of(path, "--clips", &character, rig, hands)? {
            clip.name = Some(bake::name_among(&character.clips, clip.name.as_deref(), &stem));
            character.clips.push(clip);
        }
    }
    Ok(character.into())
}

/// The clips of a file as the character's, at least one: a take of sensors, or another character's. `option`: what names
/// the file; `hands`: whether hands are kept in their places, where another body has them.
pub(super) fn of(
    path: &Path,
    option: &str,
    character: &Character,
    rig: &Rig,
    hands: bool,
) -> Result<Vec<Clip>, Failure> {
    Source::load(path)?.clips(character, rig, hands).map_err(|e| refused(option, path, &e))
}

fn refused(option: &str, path: &Path, error: &SourceError) -> Failure {
    Failure::Usage(format!("{option} {}: {error}", path.display()))
}

/// The same for the viewer, which must know what came from where.
#[cfg(feature = "viewer")]
pub(super) fn additions(
    character: &Character,
    files: &[PathBuf],
    rig: &Rig,
    hands: bool,
) -> Result<Vec<Addition>, Failure> {
    let one = |path: &PathBuf| {
        let source = Arc::new(Source::load(path)?);
        Addition::new(path, source, character, rig, hands).map_err(|e| refused("--clips", path, &e))
    };
    files.iter().map(one).collect()
}
