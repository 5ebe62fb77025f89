//! Serialises the solver's options, omitting default values. Options may also be given by dotted keys, as on the command line.

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::ik::{OptionError, Options, SolverOption};
use crate::text::json;

#[expect(clippy::borrowed_box, reason = "serde passes a reference to the field")]
pub(crate) fn serialize<S: Serializer>(options: &Box<Options>, to: S) -> Result<S::Ok, S::Error> {
    let to_value = |options: &Options| json::to_value(options).map_err(S::Error::custom);
    let mut changed = to_value(options)?;
    prune(&mut changed, &to_value(&Options::default())?);
    changed.serialize(to)
}

pub(crate) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Box<Options>, D::Error> {
    let (dotted, nested): (Map<_, _>, Map<_, _>) =
        Map::deserialize(from)?.into_iter().partition(|(key, _)| key.contains('.'));
    let nested = Value::Object(nested);
    let mut options: Box<Options> = Deserialize::deserialize(nested).map_err(D::Error::custom)?;
    for (key, value) in dotted {
        set(&mut options, &key, &value).map_err(D::Error::custom)?;
    }
    Ok(options)
}

/// Sets an option by its dotted key. A string value may have a unit.
fn set(options: &mut Options, key: &str, value: &Value) -> Result<(), OptionError> {
    let option = SolverOption::find(key)?;
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".to_owned(),
        other => other.to_string(),
    };
    option.set(options, option.parse(&text)?)
}

/// Removes all values that equal their defaults.
fn prune(changed: &mut Value, default: &Value) {
    let (Value::Object(changed), Value::Object(default)) = (changed, default) else { return };
    changed.retain(|key, value| {
        let Some(default) = default.get(key) else { return true };
        prune(value, default);
        value != default && value.as_object().is_none_or(|left| !left.is_empty())
    });
}
