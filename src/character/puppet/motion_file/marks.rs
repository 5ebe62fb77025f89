//! Marks of strips in motion files: the times at which the same event happens in the clips of a blend.

use toml_edit::Item;

use crate::motion::WeightedClip;
use crate::text::toml::{SpannedError, number, single};

use super::{MAX_TIME, MotionReader, ROUNDING};

impl MotionReader<'_> {
    /// Reads the marks of a strip that blends `clips`. Each clip with a weight needs exactly one mark,
    /// which must be within the clip.
    pub(super) fn marks(
        &self,
        item: &Item,
        clips: &[WeightedClip],
    ) -> Result<Vec<(usize, f32)>, SpannedError> {
        let fail = |item: &Item, cause: String| SpannedError::at(item, format!("marks: {cause}"));
        let table = item.as_table_like();
        let table = table.ok_or_else(|| fail(item, "must be a table of seconds by clip".into()))?;
        let mut marks: Vec<(usize, f32)> = Vec::new();
        for (name, value) in table.iter() {
            let key = format!("marks: {name}");
            let clip = self
                .clip(value, name)
                .map_err(|e| SpannedError { cause: format!("marks: {}", e.cause), ..e })?;
            if !clips.iter().any(|blended| blended.clip == clip) {
                return Err(fail(value, format!("the strip does not play \"{name}\"")));
            }
            if marks.iter().any(|(marked, _)| *marked == clip) {
                return Err(fail(value, format!("\"{name}\" already has a mark under another name")));
            }
            let otherwise = || format!("{key} must be a number of seconds from 0 to {MAX_TIME}");
            let time = single(number(value, &key, |s| (0.0..=MAX_TIME).contains(&s), otherwise)?);
            let length = self.character.clips.get(clip).map_or(0.0, |clip| clip.seconds);
            if time > length + ROUNDING {
                return Err(fail(
                    value,
                    format!("{time} s is after the end of \"{name}\", which lasts {length} s"),
                ));
            }
            marks.push((clip, time));
        }
        let is_marked = |clip: usize| marks.iter().any(|(marked, _)| *marked == clip);
        match clips.iter().find(|blended| blended.weight > 0.0 && !is_marked(blended.clip)) {
            Some(blended) => {
                Err(fail(item, format!("\"{}\" has no mark", self.character.clip_name(blended.clip))))
            }
            None => Ok(marks),
        }
    }
}
