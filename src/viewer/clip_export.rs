//! Exports the motion on the timeline, with the goals on top, as one clip.

use std::path::{Path, PathBuf};

use crate::export::bake;
use crate::export::bake::{BakedClip, ClipFormat};
use crate::files::atomic;
use crate::ik::Start;
use crate::puppet::Puppet;

/// Maximum error that dropping a key may cause, in radians or metres.
const KEY_ERROR: f32 = 1e-4;

/// Returns a copy of a puppet that plays its motion once. Its poses depend only on the time.
pub fn puppet_to_bake(puppet: &Puppet) -> Puppet {
    let mut puppet = puppet.clone();
    puppet.options.looping = false;
    // Each solve starts from the motion's pose.
    puppet.options.solver.start = Start::Current;
    puppet
}

/// Returns the proposed path of an exported clip, beside a project. The path never names a source file of the character, because the export
/// refuses to replace such files.
#[cfg(any(test, feature = "window"))]
pub(crate) fn default_clip(project: &Path, character: &crate::asset::Character) -> PathBuf {
    let stem = project.file_stem().unwrap_or_default().to_string_lossy();
    let inputs: Vec<&PathBuf> = character.files.iter().chain([&character.path]).collect();
    let is_input = |path: &Path| inputs.iter().any(|input| atomic::is_same(input, path));
    let mut path = project.with_file_name(format!("{stem}.glb"));
    for number in 1.. {
        if !is_input(&path) {
            break;
        }
        let number = if number == 1 { String::new() } else { format!("-{number}") };
        path = project.with_file_name(format!("{stem}-clip{number}.glb"));
    }
    path
}

/// Everything needed to export a clip on another thread.
#[derive(Clone, Debug)]
pub struct ClipExport {
    puppet: Puppet,
    /// The character's file.
    file: Option<PathBuf>,
    /// Number of frames per second.
    rate: f32,
}

impl ClipExport {
    /// Prepares the export of the whole motion on the timeline of a puppet, at the frame rate of its clips. `file` is the file of the
    /// character.
    ///
    /// # Errors
    /// Returns a one-line reason if the timeline is empty, or if there would be too many frames.
    pub fn new(puppet: &Puppet, file: Option<&Path>) -> Result<Self, String> {
        if puppet.motion.is_rest() {
            return Err("the timeline is empty; choose a clip to export".into());
        }
        let puppet = puppet_to_bake(puppet);
        let rate = bake::rate_of(&puppet.motion, puppet.character());
        let frames = f64::from(puppet.seconds()) * f64::from(rate);
        #[expect(clippy::cast_precision_loss, reason = "a small constant")]
        if frames > bake::MAX_FRAMES as f64 {
            return Err(format!("{frames:.0} frames exceed the limit of {}", bake::MAX_FRAMES));
        }
        Ok(Self { puppet, file: file.map(Path::to_path_buf), rate })
    }

    /// Writes the clip as .glb or .bvh. Calls `goes_on` with the completed fraction, and stops without writing a file if it returns false.
    /// Returns a one-line summary, or `None` if the export was stopped.
    ///
    /// # Errors
    /// Returns a one-line reason if the clip cannot be written. An existing file is then unchanged.
    pub fn write(
        mut self,
        path: &Path,
        mut goes_on: impl FnMut(f32) -> bool,
    ) -> Result<Option<String>, String> {
        let named = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
        let format = ClipFormat::of(path).ok_or_else(|| named(&"unknown file type; use .glb or .bvh"))?;
        let character = self.puppet.shared_character();
        let inputs = self.file.iter().chain(&character.files);
        if inputs.into_iter().any(|input| atomic::is_same(input, path)) {
            return Err(named(&"the export would overwrite the character; choose another file"));
        }
        // A missing folder is reported before the clip is baked.
        atomic::check(path).map_err(|e| named(&e))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let times = 0.0..self.puppet.seconds();
        let baked = bake::bake_while(&mut self.puppet, times, self.rate, &name, &mut goes_on);
        let Some((clip, _)) = baked.map_err(|e| named(&e))? else { return Ok(None) };
        let baked = BakedClip::new(clip, &character.skeleton, KEY_ERROR, self.rate);
        let written = baked.file(&character, self.file.as_deref(), format).map_err(|e| named(&e))?;
        if !goes_on(1.0) {
            return Ok(None);
        }
        atomic::write(path, &written.bytes).map_err(|e| named(&e))?;
        let warnings = written.warnings.iter().map(|warning| format!("; {warning}"));
        let rate = self.rate;
        Ok(Some(format!(
            "saved {}: {} at {rate} frames per second{}",
            path.display(),
            written.summary,
            warnings.collect::<String>()
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset;
    use crate::session::saved_project::default_path;

    /// Regression test: the dialog proposed the character's own file name, and then asked whether to replace it.
    #[test]
    fn the_source_is_not_proposed_as_the_destination() {
        let proposed = |file: &str| {
            let mut character = asset::mannequin().unwrap();
            character.path = file.into();
            character.files = vec!["panel/robot-clip.glb".into()];
            default_clip(&default_path(&character, Path::new(".")), &character)
        };
        assert_eq!(proposed("panel/mannequin.glb"), Path::new("panel/mannequin-clip.glb"));
        assert_eq!(
            proposed("panel/robot.glb"),
            Path::new("panel/robot-clip-2.glb"),
            "a file to which it refers"
        );
        assert_eq!(proposed("panel/walk.bvh"), Path::new("panel/walk.glb"));
        // The built-in character has no file.
        assert_eq!(proposed("the built-in character"), Path::new("./mannequin.glb"));
    }
}
