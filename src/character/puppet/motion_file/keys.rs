//! Key poses in motion files.

use toml_edit::{Item, Table};

use crate::motion::{Easing, PoseKey};
use crate::puppet::pose_values;
use crate::text::toml::{SpannedError, check_keys, optional, required, single};

use super::{MAX_TIME, MotionReader};

pub(super) fn easing(item: &Item) -> Result<Easing, SpannedError> {
    let easing = Easing::ALL.into_iter().find(|easing| item.as_str() == Some(easing.name()));
    easing.ok_or_else(|| SpannedError::at(item, "easing must be \"linear\", \"smooth\" or \"stepped\""))
}

impl MotionReader<'_> {
    pub(super) fn key(&self, table: &Table) -> Result<PoseKey, SpannedError> {
        check_keys(table, &["time", "easing", "easings", "partial", "joints", "morphs"])?;
        required(table, "time")?;
        let time = single(optional(table, "time", 0.0, 0.0..=MAX_TIME)?);
        let skeleton = &self.character.skeleton;
        let mut key = PoseKey { time, ..PoseKey::default() };
        if let Some(item) = table.get("easing") {
            key.easing = easing(item)?;
        }
        if let Some(item) = table.get("easings") {
            let no_table = || SpannedError::at(item, "easings must be a table of node names and easings");
            for (name, item) in item.as_table_like().ok_or_else(no_table)?.iter() {
                key.easings.push((self.node(item, name)?, easing(item)?));
            }
            key.easings.sort_unstable_by_key(|(node, _)| *node);
        }
        if let Some(item) = table.get("partial") {
            let no_flag = || SpannedError::at(item, "partial must be true or false");
            key.partial = item.as_bool().ok_or_else(no_flag)?;
        }
        if let Some(item) = table.get("joints") {
            let no_table = || SpannedError::at(item, "joints must be a table of node names and transforms");
            for (name, item) in item.as_table_like().ok_or_else(no_table)?.iter() {
                let node = self.node(item, name)?;
                key.joints.push((node, pose_values::transform(skeleton, node, item)?));
            }
            key.joints.sort_unstable_by_key(|(node, _)| *node);
        }
        if let Some(item) = table.get("morphs") {
            key.morphs = pose_values::morphs(skeleton, item)?;
        }
        Ok(key)
    }
}
