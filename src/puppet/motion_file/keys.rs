//! Key poses in motion files.

use glam::{Quat, Vec3};
use toml_edit::{Item, Table};

use crate::asset::Transform;
use crate::motion::{Easing, PoseKey};
use crate::text::toml::{SpannedError, check_keys, number, numbers, optional, required, single};

use super::{MAX_TIME, MotionReader};

/// Maximum deviation of a rotation quaternion's length from one.
const MAX_LENGTH_ERROR: f32 = 1e-3;

impl MotionReader<'_> {
    /// Reads a key pose.
    pub(super) fn key(&self, table: &Table) -> Result<PoseKey, SpannedError> {
        check_keys(table, &["time", "easing", "joints", "morphs"])?;
        required(table, "time")?;
        let time = single(optional(table, "time", 0.0, 0.0..=MAX_TIME)?);
        let mut key = PoseKey { time, ..PoseKey::default() };
        if let Some(item) = table.get("easing") {
            let easing = Easing::ALL.into_iter().find(|e| item.as_str() == Some(e.name()));
            let unknown = "easing must be \"linear\", \"smooth\" or \"stepped\"";
            key.easing = easing.ok_or_else(|| SpannedError::at(item, unknown))?;
        }
        if let Some(item) = table.get("joints") {
            let no_table = || SpannedError::at(item, "joints must be a table of node names and transforms");
            for (name, item) in item.as_table_like().ok_or_else(no_table)?.iter() {
                let node = self.node(item, name)?;
                key.joints.push((node, self.transform(node, item)?));
            }
            key.joints.sort_unstable_by_key(|(node, _)| *node);
        }
        if let Some(item) = table.get("morphs") {
            key.morphs = self.morphs(item)?;
        }
        Ok(key)
    }

    /// Reads the parts of a transform that differ from rest.
    fn transform(&self, node: usize, item: &Item) -> Result<Transform, SpannedError> {
        let no_table = || SpannedError::at(item, "a joint must be a table like { rotation = [0, 0, 0, 1] }");
        let table = item.as_table_like().ok_or_else(no_table)?;
        check_keys(table, &["rotation", "translation", "scale"])?;
        let mut local = self.character.skeleton.nodes.get(node).map_or(Transform::IDENTITY, |n| n.rest);
        if let Some(item) = table.get("rotation") {
            let rotation = Quat::from_array(numbers::<4>(item, "rotation")?.map(single));
            let is_unit = (rotation.length() - 1.0).abs() < MAX_LENGTH_ERROR;
            let error = || SpannedError::at(item, "rotation must be a quaternion of length 1");
            local.rotation = is_unit.then_some(rotation).ok_or_else(error)?;
        }
        if let Some(item) = table.get("translation") {
            local.translation = Vec3::from_array(numbers::<3>(item, "translation")?.map(single));
        }
        if let Some(item) = table.get("scale") {
            local.scale = Vec3::from_array(numbers::<3>(item, "scale")?.map(single));
        }
        Ok(local)
    }

    fn morphs(&self, item: &Item) -> Result<Vec<f32>, SpannedError> {
        let count = self.character.skeleton.rest_weights.len();
        let no_list = || SpannedError::at(item, format!("morphs must be a list of {count} numbers"));
        let list = item.as_array().filter(|list| list.len() == count).ok_or_else(no_list)?;
        let weight = |value: &toml_edit::Value| {
            number(&Item::Value(value.clone()), "morphs", |_| true, || "a weight must be a number".into())
        };
        let weights = list.iter().map(|value| weight(value).map(single)).collect::<Result<_, _>>();
        weights.map_err(|e: SpannedError| SpannedError::at(item, e.cause))
    }
}
