//! Key poses in motion files.

use toml_edit::{Item, Table};

use crate::motion::{Easing, PoseKey};
use crate::puppet::pose_values;
use crate::rig::file::node_names::read_node_entries;
use crate::text::toml::{SpannedError, check_keys, choice, flag, optional, required};

use super::{MotionReader, seconds};

pub(super) fn easing(item: &Item, key: &str) -> Result<Easing, SpannedError> {
    let known = Easing::ALL.map(|easing| (easing.name(), easing));
    choice(item, known, format!("{key} must be \"linear\", \"smooth\" or \"stepped\""))
}

impl MotionReader<'_> {
    pub(super) fn key(&self, table: &Table) -> Result<PoseKey, SpannedError> {
        check_keys(table, &["time", "easing", "easings", "partial", "joints", "morphs"])?;
        let skeleton = &self.character.skeleton;
        let easings = |item: &Item, key: &str| {
            let cause = format!("{key} must be a table of node names and easings");
            read_node_entries(&self.names, item, cause, |_, item| easing(item, "easing"))
        };
        let joints = |item: &Item, key: &str| {
            let cause = format!("{key} must be a table of node names and transforms");
            read_node_entries(&self.names, item, cause, |node, item| {
                pose_values::transform(skeleton, node, item)
            })
        };
        let mut key = PoseKey {
            time: required(table, "time", seconds)?,
            easing: optional(table, "easing", easing)?.unwrap_or_default(),
            easings: optional(table, "easings", easings)?.unwrap_or_default(),
            partial: optional(table, "partial", flag)?.unwrap_or_default(),
            joints: optional(table, "joints", joints)?.unwrap_or_default(),
            morphs: optional(table, "morphs", |item, _| pose_values::morphs(skeleton, item))?
                .unwrap_or_default(),
        };
        key.easings.sort_unstable_by_key(|(node, _)| *node);
        key.joints.sort_unstable_by_key(|(node, _)| *node);
        Ok(key)
    }
}
