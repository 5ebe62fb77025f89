//! Writes rigs into new or existing texts.

use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

use crate::asset::Skeleton;
use crate::ik::Limit;
use crate::rig::model::{Chain, JointRig, Rig};
use crate::rig::{MimicRig, RigError};
use crate::text::toml::{SpannedError, real};

use super::limit::limit_value;
use super::node_names::NodeNames;
use super::values::{list, round};
use super::{VERSION, file_error, limit, options, read};

/// Writes a rig into an existing text, which may be empty. Comments and the order of keys are kept.
///
/// ```
/// use sinew_character::asset;
/// use sinew_character::rig::{self, file};
///
/// let character = asset::mannequin()?;
/// let mut rig = file::read(asset::MANNEQUIN_RIG, &character.skeleton)?;
/// let elbow = character.skeleton.find("leftLowerArm").ok_or("no elbow")?;
/// rig.joints.insert(elbow, rig::JointRig { stiffness: 0.75, ..rig.joint(elbow) });
/// let text = file::write(&rig, &character.skeleton, asset::MANNEQUIN_RIG)?;
/// assert!(text.starts_with("# Written by make_cast."));
/// assert_eq!(file::read(&text, &character.skeleton)?.joint(elbow).stiffness, 0.75);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`RigError::Value`] for a number that [`read`] would reject. [`RigError::File`] if the existing text is not valid
/// TOML or contains something that [`read`] would reject.
pub fn write(rig: &Rig, skeleton: &Skeleton, existing: &str) -> Result<String, RigError> {
    rig.check(skeleton)?;
    let parsed =
        existing.parse().map_err(|e: toml_edit::TomlError| file_error(existing, SpannedError::syntax(&e)));
    let mut document: DocumentMut = parsed?;
    let root = document.as_table_mut();
    set(root, "version", VERSION.into());
    let names = &NodeNames::new(skeleton);
    update_bones(root, names, rig);
    let pins: Array = rig.pins.iter().map(|&n| names.name(n)).collect();
    if !rig.pins.is_empty() || root.contains_key("pins") {
        set(root, "pins", pins.into());
    }
    options::update(root, &rig.options);
    let chains = rig.chains.iter().map(|c| (c.effector, chain_keys(c, names))).collect();
    update(root, names, "chain", "effector", chains);
    let joints = rig.joints.iter().map(|(&n, j)| (n, joint_keys(n, j, names))).collect();
    update(root, names, "joint", "node", joints);
    let text = document.to_string();
    read(&text, skeleton)?;
    Ok(text)
}

/// Writes the bones that the rig names, and removes all others.
fn update_bones(root: &mut Table, names: &NodeNames<'_>, rig: &Rig) {
    if rig.given_bones.is_empty() {
        root.remove("humanoid");
        return;
    }
    let table = root.entry("humanoid").or_insert_with(|| Item::Table(Table::new()));
    if !table.is_table_like() {
        *table = Item::Table(Table::new());
    }
    let Some(table) = table.as_table_like_mut() else { return };
    let unknown = |bone: &String| !rig.given_bones.contains_key(bone);
    let unknown: Vec<String> = table.iter().map(|(bone, _)| bone.to_owned()).filter(unknown).collect();
    unknown.iter().for_each(|bone| {
        table.remove(bone);
    });
    for (bone, &node) in &rig.given_bones {
        let name = names.name(node);
        if table.get(bone).and_then(Item::as_str) != Some(&name) {
            table.insert(bone, Item::Value(name.into()));
        }
    }
}

type Keys = Vec<(&'static str, Option<Value>)>;

fn chain_keys(chain: &Chain, names: &NodeNames<'_>) -> Keys {
    vec![
        ("name", Some(chain.name.as_str().into())),
        ("kind", Some(chain.kind.name().into())),
        ("base", Some(names.name(chain.base).into())),
        ("effector", Some(names.name(chain.effector).into())),
        ("bend", chain.bend.map(|b| list(b.to_array().map(f64::from)))),
        ("pole", chain.pole.map(|p| list(p.to_array().map(f64::from)))),
        ("weight", Some(chain.weight).filter(|w| (w - 1.0).abs() > 0.0).map(Into::into)),
        ("pull", chain.pull.map(Into::into)),
    ]
}

fn joint_keys(node: usize, joint: &JointRig, names: &NodeNames<'_>) -> Keys {
    vec![
        ("node", Some(names.name(node).into())),
        ("stiffness", Some(joint.stiffness).filter(|s| *s > 0.0).map(Into::into)),
        ("limit", limit_value(&joint.limit)),
        ("logical_parent", joint.logical_parent.map(|c| names.name(c).into())),
        ("mimic", joint.mimic.map(|mimic| mimic_value(&mimic, &joint.limit, names))),
        (
            "ccd_budget",
            Some(joint.ccd_budget).filter(|b| b.is_finite()).map(|b| round(b.to_degrees()).into()),
        ),
    ]
}

/// Writes the offset in degrees for a hinge, and in metres for a prismatic joint.
fn mimic_value(mimic: &MimicRig, limit: &Limit, names: &NodeNames<'_>) -> Value {
    let mut table = InlineTable::new();
    table.insert("joint", names.name(mimic.joint).into());
    table.insert("ratio", round(mimic.ratio).into());
    let is_slide = matches!(limit, Limit::Prismatic { .. });
    let offset = if is_slide { mimic.offset } else { mimic.offset.to_degrees() };
    if round(offset) != 0.0 {
        table.insert("offset", round(offset).into());
    }
    table.into()
}

/// Sets a key and keeps the comments and spaces around its value.
fn set(table: &mut Table, key: &str, mut value: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        // A value with the same meaning keeps its formatting.
        Some(existing) if is_equivalent(existing, &value) => {}
        Some(existing) => {
            *value.decor_mut() = existing.decor().clone();
            *existing = value;
        }
        None => {
            table.insert(key, Item::Value(value));
        }
    }
}

/// Returns whether two values have the same meaning. Limits are compared after reading them, and numbers are equal
/// within 5e-7.
fn is_equivalent(existing: &Value, new: &Value) -> bool {
    let real = |value: &Value| real(&Item::Value(value.clone()));
    match (existing, new) {
        (Value::InlineTable(existing_table), Value::InlineTable(new_table)) => {
            let read = |value: &Value| limit::read(&Item::Value(value.clone())).ok();
            let (existing, new) = (read(existing), read(new));
            let canonical = |value: &Limit| limit_value(value).map(|v| v.to_string());
            let mimics = || is_equivalent_mimic(existing_table, new_table);
            mimics()
                || existing.is_some()
                    && existing.as_ref().and_then(canonical) == new.as_ref().and_then(canonical)
        }
        (Value::Array(existing), Value::Array(new)) => {
            existing.len() == new.len() && existing.iter().zip(new).all(|(a, b)| is_equivalent(a, b))
        }
        (Value::String(existing), Value::String(new)) => existing.value() == new.value(),
        _ => real(existing).zip(real(new)).is_some_and(|(a, b)| (a - b).abs() < 5e-7),
    }
}

/// Returns whether two values of the key `mimic` have the same meaning.
fn is_equivalent_mimic(existing: &InlineTable, new: &InlineTable) -> bool {
    let number = |table: &InlineTable, key: &str, default: f64| {
        table.get(key).map_or(Some(default), |value| real(&Item::Value(value.clone())))
    };
    let same = |key: &str, default: f64| {
        let pair = number(existing, key, default).zip(number(new, key, default));
        pair.is_some_and(|(a, b)| (a - b).abs() < 5e-7)
    };
    let joint = |table: &InlineTable| table.get("joint").and_then(Value::as_str).map(str::to_owned);
    let known = |(key, _): (&str, &Value)| ["joint", "ratio", "offset"].contains(&key);
    joint(new).is_some()
        && joint(existing) == joint(new)
        && same("ratio", 1.0)
        && same("offset", 0.0)
        && existing.iter().all(known)
}

/// Updates a list of tables, which are identified by the node in their key `id`.
fn update(root: &mut Table, names: &NodeNames<'_>, list: &str, id: &str, wanted: Vec<(usize, Keys)>) {
    if wanted.is_empty() && !root.contains_key(list) {
        return;
    }
    let item = root.entry(list).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    if item.as_array_of_tables().is_none() {
        *item = Item::ArrayOfTables(ArrayOfTables::new());
    }
    let Some(tables) = item.as_array_of_tables_mut() else { return };
    let named = |table: &Table| names.find(table.get(id).and_then(Item::as_str)?);
    // Keep only the wanted number of tables of a node, because reading would use the last one.
    let mut rest: Vec<usize> = wanted.iter().map(|(node, _)| *node).collect();
    tables.retain(|table| {
        let index = named(table).and_then(|node| rest.iter().position(|&n| n == node));
        index.map(|index| rest.swap_remove(index)).is_some()
    });
    let mut written = vec![false; tables.len()];
    for (node, keys) in wanted {
        let is_free = |index: usize| written.get(index) == Some(&false);
        let known = (0..).zip(tables.iter()).position(|(i, table)| is_free(i) && named(table) == Some(node));
        let index = known.unwrap_or(tables.len());
        if let Some(written) = written.get_mut(index) {
            *written = true;
        }
        if known.is_none() {
            tables.push(Table::new());
        }
        let Some(table) = tables.get_mut(index) else { continue };
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
