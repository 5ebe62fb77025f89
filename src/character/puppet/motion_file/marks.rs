//! Marks of strips in motion files: the times at which the same event happens in the clips of a blend.

use toml_edit::Item;

use crate::motion::WeightedClip;
use crate::text::toml::{SpannedError, number_where, single, table_like};

use super::{MAX_TIME, MotionReader, ROUNDING};

impl MotionReader<'_> {
    /// Reads the marks of a strip that blends `clips`. Each clip with a weight needs exactly one mark,
    /// which must be within the clip.
    pub(super) fn marks(
        &self,
        item: &Item,
        clips: &[WeightedClip],
    ) -> Result<Vec<(usize, f32)>, SpannedError> {
        let mut marks: Vec<(usize, f32)> = Vec::new();
        for (name, value) in table_like(item, "must be a table of seconds by clip")?.iter() {
            let clip = self.clip(value, name)?;
            if !clips.iter().any(|blended| blended.clip == clip) {
                return Err(SpannedError::at(value, format!("the strip does not play \"{name}\"")));
            }
            if marks.iter().any(|(marked, _)| *marked == clip) {
                let cause = format!("\"{name}\" already has a mark under another name");
                return Err(SpannedError::at(value, cause));
            }
            let otherwise = || format!("{name} must be a number of seconds from 0 to {MAX_TIME}");
            let time = single(number_where(value, name, |s| (0.0..=MAX_TIME).contains(&s), otherwise)?);
            let length = self.character.clips.get(clip).map_or(0.0, |clip| clip.seconds);
            if time > length + ROUNDING {
                let cause = format!("{time} s is after the end of \"{name}\", which lasts {length} s");
                return Err(SpannedError::at(value, cause));
            }
            marks.push((clip, time));
        }
        let is_marked = |clip: usize| marks.iter().any(|(marked, _)| *marked == clip);
        match clips.iter().find(|blended| blended.weight > 0.0 && !is_marked(blended.clip)) {
            Some(blended) => {
                let name = self.character.clip_name(blended.clip);
                Err(SpannedError::at(item, format!("\"{name}\" has no mark")))
            }
            None => Ok(marks),
        }
    }
}
