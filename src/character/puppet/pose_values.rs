//! Reads poses from TOML: the parts of local transforms that differ from the rest pose, and morph weights.

use glam::{Quat, Vec3};
use toml_edit::Item;

use crate::asset::{Skeleton, Transform};
use crate::text::toml::{SpannedError, check_keys, number, numbers, single};

/// Maximum deviation of a rotation quaternion's length from one.
const MAX_LENGTH_ERROR: f32 = 1e-3;

/// Reads the parts of a node's local transform that differ from the rest pose.
pub fn transform(skeleton: &Skeleton, node: usize, item: &Item) -> Result<Transform, SpannedError> {
    let no_table = || SpannedError::at(item, "a joint must be a table like { rotation = [0, 0, 0, 1] }");
    let table = item.as_table_like().ok_or_else(no_table)?;
    check_keys(table, &["rotation", "translation", "scale"])?;
    let mut local = skeleton.nodes.get(node).map_or(Transform::IDENTITY, |n| n.rest);
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

/// Reads the weights of all morph targets.
pub fn morphs(skeleton: &Skeleton, item: &Item) -> Result<Vec<f32>, SpannedError> {
    let count = skeleton.rest_weights.len();
    let no_list = || SpannedError::at(item, format!("morphs must be a list of {count} numbers"));
    let list = item.as_array().filter(|list| list.len() == count).ok_or_else(no_list)?;
    let weight = |value: &toml_edit::Value| {
        number(&Item::Value(value.clone()), "morphs", |_| true, || "a weight must be a number".into())
    };
    let weights = list.iter().map(|value| weight(value).map(single)).collect::<Result<_, _>>();
    weights.map_err(|e: SpannedError| SpannedError::at(item, e.cause))
}
