//! JSON values in TOML. TOML has no `null`, so a free goal axis, whose JSON value is `null`, is written as `"free"`.

use serde_json::{Map, Value as Json};
use toml_edit::{Array, InlineTable, Value};

const FREE: &str = "free";

pub(super) fn to_toml(json: &Json) -> Value {
    match json {
        Json::Null => FREE.into(),
        Json::Bool(on) => (*on).into(),
        Json::Number(number) => match number.as_i64() {
            Some(integer) => integer.into(),
            None => number.as_f64().unwrap_or_default().into(),
        },
        Json::String(text) => text.as_str().into(),
        Json::Array(values) => values.iter().map(to_toml).collect::<Array>().into(),
        Json::Object(map) => {
            map.iter().map(|(key, value)| (key, to_toml(value))).collect::<InlineTable>().into()
        }
    }
}

pub(super) fn to_json(value: &Value) -> Json {
    match value {
        Value::String(text) if text.value() == FREE => Json::Null,
        Value::String(text) => text.value().clone().into(),
        Value::Integer(number) => (*number.value()).into(),
        Value::Float(number) => (*number.value()).into(),
        Value::Boolean(on) => (*on.value()).into(),
        Value::Datetime(date) => date.value().to_string().into(),
        Value::Array(values) => values.iter().map(to_json).collect(),
        Value::InlineTable(table) => {
            table.iter().map(|(key, value)| (key.to_owned(), to_json(value))).collect::<Map<_, _>>().into()
        }
    }
}
