//! Reads JSON in which individual values may be invalid, for example because a newer version wrote them.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::text::json;

/// Maximum number of list items that are read one by one.
const MAX_ITEMS: usize = 64;

/// Reads a struct. Invalid fields, including those in nested structs, keep their defaults. The valid items of an invalid list are read.
/// Returns `None` if the text is not JSON.
///
/// Every field must be serialized even if it has its default value, because keys that the serialized default lacks are ignored.
pub(super) fn from_slice<T: Default + Serialize + DeserializeOwned>(text: &[u8]) -> Option<T> {
    let stored: Value = serde_json::from_slice(text).ok()?;
    let mut valid = json::to_value(&T::default()).ok()?;
    let is_valid = |value: &Value| T::deserialize(value).is_ok();
    adopt(&mut valid, "", &stored, &is_valid);
    T::deserialize(valid).ok()
}

/// Replaces the value at a JSON pointer in a valid document. Parts of `new` that would make the document invalid are left out.
fn adopt(valid: &mut Value, at: &str, new: &Value, is_valid: &impl Fn(&Value) -> bool) {
    let Some(place) = valid.pointer_mut(at) else { return };
    match (&*place, new) {
        (Value::Object(known), Value::Object(new)) => {
            let known: Vec<String> = known.keys().cloned().collect();
            for key in known {
                if let Some(new) = new.get(&key) {
                    adopt(valid, &format!("{at}/{key}"), new, is_valid);
                }
            }
        }
        (Value::Array(_), Value::Array(items)) => {
            *place = Value::Array(Vec::new());
            for item in items.iter().take(MAX_ITEMS) {
                push(valid, at, Some(item));
                if !is_valid(valid) {
                    push(valid, at, None);
                }
            }
        }
        _ => {
            let old = std::mem::replace(place, new.clone());
            if !is_valid(valid)
                && let Some(place) = valid.pointer_mut(at)
            {
                *place = old;
            }
        }
    }
}

/// Appends an item to the list at a JSON pointer or, with `None`, removes the last item.
fn push(valid: &mut Value, at: &str, item: Option<&Value>) {
    let Some(items) = valid.pointer_mut(at).and_then(Value::as_array_mut) else { return };
    match item {
        Some(item) => items.push(item.clone()),
        None => drop(items.pop()),
    }
}
