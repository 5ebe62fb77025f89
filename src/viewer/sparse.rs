//! A solver's options in text: only what is not as usual.

use serde::ser::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::ik::Options;
use crate::json;

#[expect(clippy::borrowed_box, reason = "serde hands on the field as it is")]
pub(super) fn serialize<S: Serializer>(options: &Box<Options>, to: S) -> Result<S::Ok, S::Error> {
    let value = |options: &Options| json::to_value(options).map_err(S::Error::custom);
    let mut told = value(options)?;
    prune(&mut told, &value(&Options::default())?);
    told.serialize(to)
}

pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Box<Options>, D::Error> {
    Box::deserialize(from)
}

/// Takes out what is there in the same words.
fn prune(told: &mut Value, usual: &Value) {
    let (Value::Object(told), Value::Object(usual)) = (told, usual) else { return };
    told.retain(|key, value| {
        let Some(usual) = usual.get(key) else { return true };
        prune(value, usual);
        value != usual && value.as_object().is_none_or(|left| !left.is_empty())
    });
}
