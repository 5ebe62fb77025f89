//! Reads and writes rig files, `NAME.rig.toml`. Reading checks every key, and writing keeps comments. See
//! `docs/rig.md`.

use std::ops::Range;

use glam::{DVec3, Vec3};
use toml_edit::{Document, Item, Table};

use crate::asset::Skeleton;
use crate::ik;
use crate::ik::Limit;
use crate::text::toml::{
    SpannedError, check_keys, existing, missing, number, numbers, optional, required, single, spelling,
    tables,
};

use super::RigError;
use super::model::{Chain, ChainKind, JointRig, Rig, path};
use super::reparent::reparent;

mod options;
#[cfg(test)]
mod tests;
mod write;

pub use write::write;

const VERSION: i64 = 1;

/// Reads a rig for a skeleton.
///
/// # Errors
/// [`RigError::File`] with the line of invalid TOML, of an unknown or missing key, of an invalid value, or of a node
/// that does not exist.
pub fn read(text: &str, skeleton: &Skeleton) -> Result<Rig, RigError> {
    let document =
        Document::parse(text.to_owned()).map_err(|e| file_error(text, SpannedError::syntax(&e)))?;
    RigReader { text, skeleton }.rig(document.as_table())
}

/// Converts an error at a position in a text to an error with its line number.
fn file_error(text: &str, error: SpannedError) -> RigError {
    let (line, cause) = error.line_and_cause(text);
    RigError::File { line, cause }
}

struct RigReader<'a> {
    text: &'a str,
    skeleton: &'a Skeleton,
}

impl RigReader<'_> {
    fn rig(&self, root: &Table) -> Result<Rig, RigError> {
        let read = || {
            check_keys(root, &["version", "pins", "options", "chain", "joint"])?;
            let version = root.get("version").ok_or_else(|| missing(root.span(), "version"))?;
            if version.as_integer() != Some(VERSION) {
                return Err(SpannedError::at(version, format!("version must be {VERSION}")));
            }
            let mut rig = Rig::default();
            if let Some(pins) = root.get("pins") {
                let array =
                    pins.as_array().ok_or_else(|| SpannedError::at(pins, "pins must be a list of nodes"))?;
                for pin in array {
                    rig.pins.push(self.node(&Item::Value(pin.clone()), pin.span())?);
                }
            }
            if let Some(item) = root.get("options") {
                rig.options = options::read(item)?;
            }
            let mut carrier_spans: Vec<(usize, Option<Range<usize>>)> = Vec::new();
            for joint in tables(root, "joint")? {
                let (node, read) = self.joint(joint).map_err(|f| f.or_at(joint.span()))?;
                rig.joints.insert(node, read);
                carrier_spans.push((
                    node,
                    joint.get(spelling(joint, "logical_parent", "carrier")?).and_then(Item::span),
                ));
            }
            let logical_parents = rig.logical_parents();
            let cycle_error = |e: RigError| {
                let is_named =
                    |node| matches!(&e, RigError::Cycle { node: name } if self.skeleton.label(node) == *name);
                let span = carrier_spans.iter().rev().find(|(node, span)| span.is_some() && is_named(*node));
                SpannedError::new(span.and_then(|(_, span)| span.clone()), e.to_string())
            };
            let reparented =
                (!logical_parents.is_empty()).then(|| reparent(self.skeleton, &logical_parents)).transpose();
            let reparented = reparented.map_err(cycle_error)?;
            for chain in tables(root, "chain")? {
                let read = self.chain(chain, reparented.as_ref().unwrap_or(self.skeleton));
                rig.chains.push(read.map_err(|f| f.or_at(chain.span()))?);
            }
            Ok(rig)
        };
        read().map_err(|error| file_error(self.text, error))
    }

    fn chain(&self, table: &Table, skeleton: &Skeleton) -> Result<Chain, SpannedError> {
        check_keys(table, &["name", "kind", "base", "effector", "bend", "pole", "weight"])?;
        let node = |key| {
            let item = required(table, key)?;
            self.node(item, item.span())
        };
        let (base, effector) = (node("base")?, node("effector")?);
        let joints = path(skeleton, base, effector)
            .filter(|joints| joints.len() > 1)
            .ok_or_else(|| SpannedError::at(existing(table, "base"), "base must be above effector"))?;
        let kind = match table.get("kind") {
            None => ChainKind::Limb,
            Some(item) => {
                let by_name = |name| ChainKind::ALL.into_iter().find(|k| k.name() == name);
                let names = || ChainKind::ALL.map(ChainKind::name).join(", ");
                item.as_str()
                    .and_then(by_name)
                    .ok_or_else(|| SpannedError::at(item, format!("kind must be one of {}", names())))?
            }
        };
        let name = match table.get("name") {
            None => self.skeleton.label(effector),
            Some(item) => {
                item.as_str().ok_or_else(|| SpannedError::at(item, "name must be a string"))?.to_owned()
            }
        };
        let vector = |key| table.get(key).map(|item| Ok(numbers::<3>(item, key)?.map(single))).transpose();
        let bend = match vector("bend")?.map(Vec3::from_array) {
            Some(bend) => Some(
                bend.try_normalize()
                    .ok_or_else(|| SpannedError::at(existing(table, "bend"), "bend must not be zero"))?,
            ),
            None => None,
        };
        let pole = vector("pole")?.map(Vec3::from_array);
        let weight = optional(table, "weight", 1.0, 0.0..=f64::from(f32::MAX))?;
        Ok(Chain { name, kind, effector, base, joints, bend, pole, weight })
    }

    fn joint(&self, table: &Table) -> Result<(usize, JointRig), SpannedError> {
        check_keys(table, &["node", "stiffness", "limit", "logical_parent", "carrier", "ccd_budget"])?;
        let item = required(table, "node")?;
        let node = self.node(item, item.span())?;
        let stiffness = optional(table, "stiffness", 0.0, 0.0..=1.0)?;
        let limit = table
            .get("limit")
            .map_or(Ok(Limit::Free), |item| limit(item).map_err(|f| f.or_at(item.span())))?;
        let logical_parent = table
            .get(spelling(table, "logical_parent", "carrier")?)
            .map(|item| self.node(item, item.span()))
            .transpose()?;
        let ccd_budget = match table.get("ccd_budget") {
            None => f64::INFINITY,
            Some(_) => optional(table, "ccd_budget", 0.0, 0.0..=f64::from(f32::MAX))?.to_radians(),
        };
        Ok((node, JointRig { limit, stiffness, logical_parent, ccd_budget }))
    }

    /// Finds a node by its name or `#INDEX`.
    fn node(&self, item: &Item, span: Option<Range<usize>>) -> Result<usize, SpannedError> {
        let name = item
            .as_str()
            .ok_or_else(|| SpannedError { span: span.clone(), cause: "a node must be a string".into() })?;
        named(self.skeleton, name)
            .ok_or_else(|| SpannedError { span, cause: format!("node \"{name}\" does not exist") })
    }
}

/// Finds a node by its name, or by an index after `#`.
pub(crate) fn named(skeleton: &Skeleton, name: &str) -> Option<usize> {
    let index = name.strip_prefix('#').and_then(|i| i.parse().ok());
    index.filter(|&i: &usize| i < skeleton.nodes.len()).or_else(|| skeleton.find(name))
}

/// Returns the name of a node, or `#INDEX` if [`named`] would find another node by that name.
fn name(skeleton: &Skeleton, node: usize) -> String {
    let own = skeleton.label(node);
    if named(skeleton, &own) == Some(node) { own } else { format!("#{node}") }
}

/// Reads a limit with angles in degrees.
fn limit(item: &Item) -> Result<Limit, SpannedError> {
    let table = item.as_table_like().ok_or_else(|| SpannedError::at(item, "limit must be a table"))?;
    let kind = required(table, "kind")?;
    let angles = |key: &str| {
        let item = required(table, key)?;
        Ok(numbers::<2>(item, key)?.map(f64::to_radians))
    };
    let angle = |key: &str| {
        number(required(table, key)?, key, |_| true, || format!("{key} must be a number"))
            .map(f64::to_radians)
    };
    let axis = |key: &str| {
        let item = required(table, key)?;
        let axis = DVec3::from_array(numbers(item, key)?).try_normalize();
        axis.ok_or_else(|| SpannedError::at(item, format!("{key} must not be zero")))
    };
    let limit = match kind.as_str() {
        Some("free") => check_keys(table, &["kind"]).map(|()| Limit::Free)?,
        Some("locked") => check_keys(table, &["kind"]).map(|()| Limit::Locked)?,
        Some("hinge") => {
            check_keys(table, &["kind", "axis", "min", "max"])?;
            Limit::Hinge { axis: axis("axis")?, min: angle("min")?, max: angle("max")? }
        }
        Some("cone") => {
            check_keys(table, &["kind", "axis", "side", "swing", "twist"])?;
            let (axis, side) = (axis("axis")?, axis("side")?);
            // The file may round the second axis, so make it exactly perpendicular to the first.
            let side = side.reject_from_normalized(axis).try_normalize();
            let side = side.ok_or_else(|| {
                SpannedError::at(existing(table, "side"), "side must not be parallel to axis")
            })?;
            Limit::Cone { axis, side, swing: angles("swing")?, twist: angles("twist")? }
        }
        Some("euler") => {
            check_keys(table, &["kind", "order", "min", "max"])?;
            let order = required(table, "order")?;
            let order = order
                .as_str()
                .and_then(ik::euler_order)
                .ok_or_else(|| SpannedError::at(order, "order must be a permutation of xyz"))?;
            let three = |key: &str| Ok(numbers::<3>(required(table, key)?, key)?.map(f64::to_radians));
            Limit::Euler { order, min: three("min")?, max: three("max")? }
        }
        _ => return Err(SpannedError::at(kind, "kind must be one of free, locked, hinge, cone, euler")),
    };
    limit.validate().map_err(|property| SpannedError::at(item, format!("the {property} is invalid")))?;
    Ok(limit)
}
