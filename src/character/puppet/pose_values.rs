//! Reads poses from TOML: the parts of local transforms that differ from the rest pose, and morph weights.

use glam::{Quat, Vec3};
use toml_edit::Item;

use crate::asset::{Skeleton, Transform};
use crate::text::toml::{
    SpannedError, check_keys, elements, number_where, optional, single, singles, table_like,
};

/// Maximum deviation of a rotation quaternion's length from one.
const MAX_LENGTH_ERROR: f32 = 1e-3;

/// Reads the parts of a node's local transform that differ from the rest pose.
pub fn transform(skeleton: &Skeleton, node: usize, item: &Item) -> Result<Transform, SpannedError> {
    let table = table_like(item, "a joint must be a table like { rotation = [0, 0, 0, 1] }")?;
    check_keys(table, &["rotation", "translation", "scale"])?;
    let rotation = |item: &Item, key: &str| {
        let rotation = Quat::from_array(singles(item, key)?);
        let is_unit = (rotation.length() - 1.0).abs() < MAX_LENGTH_ERROR;
        let error = || SpannedError::at(item, format!("{key} must be a quaternion of length 1"));
        is_unit.then_some(rotation).ok_or_else(error)
    };
    let rest = skeleton.nodes.get(node).map_or(Transform::IDENTITY, |n| n.rest);
    Ok(Transform {
        rotation: optional(table, "rotation", rotation)?.unwrap_or(rest.rotation),
        translation: optional(table, "translation", singles)?.map_or(rest.translation, Vec3::from_array),
        scale: optional(table, "scale", singles)?.map_or(rest.scale, Vec3::from_array),
    })
}

/// Reads the weights of all morph targets.
pub fn morphs(skeleton: &Skeleton, item: &Item) -> Result<Vec<f32>, SpannedError> {
    let count = skeleton.rest_weights.len();
    let no_list = || SpannedError::at(item, format!("morphs must be a list of {count} numbers"));
    let list = elements(item).filter(|list| list.len() == count).ok_or_else(no_list)?;
    let weight = |value: &Item| {
        number_where(value, "morphs", |_| true, || "a weight must be a number".into()).map(single)
    };
    list.into_iter().map(weight).collect()
}
