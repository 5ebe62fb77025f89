//! Rigs written, into what was there.

use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

use crate::asset::Skeleton;
use crate::ik::{self, Limit};
use crate::toml::{Fault, real};

use super::super::RigError;
use super::super::model::{Chain, JointRig, Rig};
use super::{VERSION, limit, name, named, read, refused};

/// Writes a rig: into the text that was there, if there was one, so that its comments and order stay.
///
/// # Errors
/// [`RigError::Value`] for a number that [`read`] would refuse; [`RigError::File`] if the text that was there is no
/// TOML, or has what [`read`] would refuse.
pub fn write(rig: &Rig, skeleton: &Skeleton, there: &str) -> Result<String, RigError> {
    rig.check(skeleton)?;
    let parsed = there.parse().map_err(|e: toml_edit::TomlError| refused(there, Fault::of(&e)));
    let mut document: DocumentMut = parsed?;
    let root = document.as_table_mut();
    set(root, "version", VERSION.into());
    let pins: Array = rig.pins.iter().map(|&n| name(skeleton, n)).collect();
    if !rig.pins.is_empty() || root.contains_key("pins") {
        set(root, "pins", pins.into());
    }
    let chains = rig.chains.iter().map(|c| (c.effector, chain_keys(c, skeleton))).collect();
    update(root, skeleton, "chain", "effector", chains);
    let joints = rig.joints.iter().map(|(&n, j)| (n, joint_keys(n, j, skeleton))).collect();
    update(root, skeleton, "joint", "node", joints);
    let text = document.to_string();
    read(&text, skeleton)?;
    Ok(text)
}

type Keys = Vec<(&'static str, Option<Value>)>;

fn chain_keys(chain: &Chain, skeleton: &Skeleton) -> Keys {
    vec![
        ("name", Some(chain.name.as_str().into())),
        ("kind", Some(chain.kind.name().into())),
        ("base", Some(name(skeleton, chain.base).into())),
        ("effector", Some(name(skeleton, chain.effector).into())),
        ("bend", chain.bend.map(|b| list(b.to_array().map(f64::from)))),
        ("pole", chain.pole.map(|p| list(p.to_array().map(f64::from)))),
        ("weight", Some(chain.weight).filter(|w| (w - 1.0).abs() > 0.0).map(Into::into)),
    ]
}

fn joint_keys(node: usize, joint: &JointRig, skeleton: &Skeleton) -> Keys {
    vec![
        ("node", Some(name(skeleton, node).into())),
        ("stiffness", Some(joint.stiffness).filter(|s| *s > 0.0).map(Into::into)),
        ("limit", limit_value(&joint.limit)),
        ("carrier", joint.carrier.map(|c| name(skeleton, c).into())),
    ]
}

fn limit_value(limit: &Limit) -> Option<Value> {
    let mut table = InlineTable::new();
    let mut add = |key: &str, value: Value| {
        table.insert(key, value);
    };
    let degrees = |angle: f64| round(angle.to_degrees());
    match *limit {
        Limit::Free => return None,
        Limit::Locked => add("kind", "locked".into()),
        Limit::Hinge { axis, min, max } => {
            add("kind", "hinge".into());
            add("axis", list(axis.to_array()));
            add("min", degrees(min).into());
            add("max", degrees(max).into());
        }
        Limit::Cone { axis, side, swing, twist } => {
            add("kind", "cone".into());
            add("axis", list(axis.to_array()));
            add("side", list(side.to_array()));
            add("swing", list(swing.map(f64::to_degrees)));
            add("twist", list(twist.map(f64::to_degrees)));
        }
        Limit::Euler { order, min, max } => {
            add("kind", "euler".into());
            add("order", ik::euler_order_name(order).unwrap_or("xyz").into());
            add("min", list(min.map(f64::to_degrees)));
            add("max", list(max.map(f64::to_degrees)));
        }
    }
    Some(table.into())
}

/// Six digits are what people can read, and finer than any joint. Numbers too large to have them stay as they are.
fn round(x: f64) -> f64 {
    if x.abs() < 1e9 { (x * 1e6).round() / 1e6 + 0.0 } else { x }
}

fn list<const N: usize>(values: [f64; N]) -> Value {
    values.into_iter().map(round).collect::<Array>().into()
}

/// Sets a key, with the comments and spaces that were around its value.
fn set(table: &mut Table, key: &str, mut value: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        // Written as it was where it says the same.
        Some(there) if says_same(there, &value) => {}
        Some(there) => {
            *value.decor_mut() = there.decor().clone();
            *there = value;
        }
        None => {
            table.insert(key, Item::Value(value));
        }
    }
}

/// Whether two values are the same to a reader: a limit as it is read, else numbers to six digits.
fn says_same(there: &Value, new: &Value) -> bool {
    let real = |value: &Value| real(&Item::Value(value.clone()));
    match (there, new) {
        (Value::InlineTable(_), Value::InlineTable(_)) => {
            let read = |value: &Value| limit(&Item::Value(value.clone())).ok();
            let (there, new) = (read(there), read(new));
            let same = |value: &Limit| limit_value(value).map(|v| v.to_string());
            there.is_some() && there.as_ref().and_then(same) == new.as_ref().and_then(same)
        }
        (Value::Array(there), Value::Array(new)) => {
            there.len() == new.len() && there.iter().zip(new).all(|(a, b)| says_same(a, b))
        }
        (Value::String(there), Value::String(new)) => there.value() == new.value(),
        _ => real(there).zip(real(new)).is_some_and(|(a, b)| (a - b).abs() < 5e-7),
    }
}

/// Brings a list of tables to what it should hold, each told by the node that one of its keys names.
fn update(root: &mut Table, skeleton: &Skeleton, list: &str, id: &str, wanted: Vec<(usize, Keys)>) {
    if wanted.is_empty() && !root.contains_key(list) {
        return;
    }
    let item = root.entry(list).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    if item.as_array_of_tables().is_none() {
        *item = Item::ArrayOfTables(ArrayOfTables::new());
    }
    let Some(tables) = item.as_array_of_tables_mut() else { return };
    let named = |table: &Table| named(skeleton, table.get(id).and_then(Item::as_str)?);
    // As many tables of a node as are wanted: what a second one says would count when read again.
    let mut rest: Vec<usize> = wanted.iter().map(|(node, _)| *node).collect();
    tables.retain(|table| {
        let place = named(table).and_then(|node| rest.iter().position(|&n| n == node));
        place.map(|place| rest.swap_remove(place)).is_some()
    });
    let mut written = vec![false; tables.len()];
    for (node, keys) in wanted {
        let is_free = |place: usize| written.get(place) == Some(&false);
        let known = (0..).zip(tables.iter()).position(|(i, table)| is_free(i) && named(table) == Some(node));
        let place = known.unwrap_or(tables.len());
        if let Some(written) = written.get_mut(place) {
            *written = true;
        }
        if known.is_none() {
            tables.push(Table::new());
        }
        let Some(table) = tables.get_mut(place) else { continue };
        for (key, value) in keys {
            match value {
                Some(value) => set(table, key, value),
                None => {
                    table.remove(key);
                }
            }
        }
    }
}
