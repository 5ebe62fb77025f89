//! Serialises the solver's options without those that have their default value.

use serde::ser::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::ik::Options;
use crate::text::json;

#[expect(clippy::borrowed_box, reason = "serde passes a reference to the field")]
pub(in crate::viewer) fn serialize<S: Serializer>(options: &Box<Options>, to: S) -> Result<S::Ok, S::Error> {
    let to_value = |options: &Options| json::to_value(options).map_err(S::Error::custom);
    let mut changed = to_value(options)?;
    prune(&mut changed, &to_value(&Options::default())?);
    changed.serialize(to)
}

pub(in crate::viewer) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Box<Options>, D::Error> {
    Box::deserialize(from)
}

/// Removes all values that equal the default ones.
fn prune(changed: &mut Value, default: &Value) {
    let (Value::Object(changed), Value::Object(default)) = (changed, default) else { return };
    changed.retain(|key, value| {
        let Some(default) = default.get(key) else { return true };
        prune(value, default);
        value != default && value.as_object().is_none_or(|left| !left.is_empty())
    });
}
