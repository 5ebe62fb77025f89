//! Rigs as files, `NAME.rig.toml`: read with every key checked, written with comments kept. `docs/rig.md` has the schema.

use std::ops::Range;

use glam::{DVec3, Vec3};
use toml_edit::{Document, Item, Table};

use crate::asset::Skeleton;
use crate::ik::{self, Limit};
use crate::toml::{Fault, known, missing, need, need_item, number, numbers, optional, single, tables};

use super::RigError;
use super::carry::carry;
use super::model::{Chain, ChainKind, JointRig, Rig, path};

#[cfg(test)]
mod tests;
mod write;

pub use write::write;

const VERSION: i64 = 1;

/// Reads a rig for a skeleton.
///
/// # Errors
/// [`RigError::File`] with the line of what is no TOML, of a key that is not known or missing, of a value that will
/// not do, of a node that does not exist.
pub fn read(text: &str, skeleton: &Skeleton) -> Result<Rig, RigError> {
    let document = Document::parse(text.to_owned()).map_err(|e| refused(text, Fault::of(&e)))?;
    Reader { text, skeleton }.rig(document.as_table())
}

/// What is said of a text with a fault.
fn refused(text: &str, fault: Fault) -> RigError {
    let (line, cause) = fault.told(text);
    RigError::File { line, cause }
}

struct Reader<'a> {
    text: &'a str,
    skeleton: &'a Skeleton,
}

impl Reader<'_> {
    fn rig(&self, root: &Table) -> Result<Rig, RigError> {
        let read = || {
            known(root, &["version", "pins", "chain", "joint"])?;
            let version = root.get("version").ok_or_else(|| missing(root.span(), "version"))?;
            if version.as_integer() != Some(VERSION) {
                return Err(Fault::at(version, format!("version is not {VERSION}")));
            }
            let mut rig = Rig::default();
            if let Some(pins) = root.get("pins") {
                let array = pins.as_array().ok_or_else(|| Fault::at(pins, "pins is no list of nodes"))?;
                for pin in array {
                    rig.pins.push(self.node(&Item::Value(pin.clone()), pin.span())?);
                }
            }
            let mut places: Vec<(usize, Option<Range<usize>>)> = Vec::new();
            for joint in tables(root, "joint")? {
                let (node, read) = self.joint(joint).map_err(|f| f.within(joint.span()))?;
                rig.joints.insert(node, read);
                places.push((node, joint.get("carrier").and_then(Item::span)));
            }
            let carriers = rig.carriers();
            let circle = |e: RigError| {
                let is_named = |node| matches!(&e, RigError::Circle { node: name } if self.skeleton.label(node) == *name);
                let place = places.iter().rev().find(|(node, place)| place.is_some() && is_named(*node));
                Fault::new(place.and_then(|(_, place)| place.clone()), e.to_string())
            };
            let carried = (!carriers.is_empty()).then(|| carry(self.skeleton, &carriers)).transpose();
            let carried = carried.map_err(circle)?;
            for chain in tables(root, "chain")? {
                let read = self.chain(chain, carried.as_ref().unwrap_or(self.skeleton));
                rig.chains.push(read.map_err(|f| f.within(chain.span()))?);
            }
            Ok(rig)
        };
        read().map_err(|fault| refused(self.text, fault))
    }

    fn chain(&self, table: &Table, skeleton: &Skeleton) -> Result<Chain, Fault> {
        known(table, &["name", "kind", "base", "effector", "bend", "pole", "weight"])?;
        let node = |key| {
            let item = need(table, key)?;
            self.node(item, item.span())
        };
        let (base, effector) = (node("base")?, node("effector")?);
        let joints = path(skeleton, base, effector)
            .filter(|joints| joints.len() > 1)
            .ok_or_else(|| Fault::at(need_item(table, "base"), "base is not above effector"))?;
        let kind = match table.get("kind") {
            None => ChainKind::Limb,
            Some(item) => {
                let of = |name| ChainKind::ALL.into_iter().find(|k| k.name() == name);
                let names = || ChainKind::ALL.map(ChainKind::name).join(", ");
                item.as_str()
                    .and_then(of)
                    .ok_or_else(|| Fault::at(item, format!("kind is none of {}", names())))?
            }
        };
        let name = match table.get("name") {
            None => self.skeleton.label(effector),
            Some(item) => item.as_str().ok_or_else(|| Fault::at(item, "name is no text"))?.to_owned(),
        };
        let vector = |key| table.get(key).map(|item| Ok(numbers::<3>(item, key)?.map(single))).transpose();
        let bend = match vector("bend")?.map(Vec3::from_array) {
            Some(bend) => Some(
                bend.try_normalize()
                    .ok_or_else(|| Fault::at(need_item(table, "bend"), "bend has no length"))?,
            ),
            None => None,
        };
        let pole = vector("pole")?.map(Vec3::from_array);
        let weight = optional(table, "weight", 1.0, 0.0..=f64::from(f32::MAX))?;
        Ok(Chain { name, kind, effector, base, joints, bend, pole, weight })
    }

    fn joint(&self, table: &Table) -> Result<(usize, JointRig), Fault> {
        known(table, &["node", "stiffness", "limit", "carrier"])?;
        let item = need(table, "node")?;
        let node = self.node(item, item.span())?;
        let stiffness = optional(table, "stiffness", 0.0, 0.0..=1.0)?;
        let limit = table
            .get("limit")
            .map_or(Ok(Limit::Free), |item| limit(item).map_err(|f| f.within(item.span())))?;
        let carrier = table.get("carrier").map(|item| self.node(item, item.span())).transpose()?;
        Ok((node, JointRig { limit, stiffness, carrier }))
    }

    /// A node by name, or `#INDEX`.
    fn node(&self, item: &Item, span: Option<Range<usize>>) -> Result<usize, Fault> {
        let name =
            item.as_str().ok_or_else(|| Fault { span: span.clone(), cause: "a node is a text".into() })?;
        named(self.skeleton, name)
            .ok_or_else(|| Fault { span, cause: format!("node \"{name}\" does not exist") })
    }
}

/// The node of a name, or of an index behind `#`.
pub(crate) fn named(skeleton: &Skeleton, name: &str) -> Option<usize> {
    let index = name.strip_prefix('#').and_then(|i| i.parse().ok());
    index.filter(|&i: &usize| i < skeleton.nodes.len()).or_else(|| skeleton.find(name))
}

/// What [`named`] finds a node by: its own name, unless that says another one.
fn name(skeleton: &Skeleton, node: usize) -> String {
    let own = skeleton.label(node);
    if named(skeleton, &own) == Some(node) { own } else { format!("#{node}") }
}

/// A limit in degrees.
fn limit(item: &Item) -> Result<Limit, Fault> {
    let table = item.as_table_like().ok_or_else(|| Fault::at(item, "limit is no table"))?;
    let kind = need(table, "kind")?;
    let angles = |key: &str| {
        let item = need(table, key)?;
        Ok(numbers::<2>(item, key)?.map(f64::to_radians))
    };
    let angle = |key: &str| {
        number(need(table, key)?, key, |_| true, || format!("{key} is no number")).map(f64::to_radians)
    };
    let axis = |key: &str| {
        let item = need(table, key)?;
        let axis = DVec3::from_array(numbers(item, key)?).try_normalize();
        axis.ok_or_else(|| Fault::at(item, format!("{key} has no length")))
    };
    let limit = match kind.as_str() {
        Some("free") => known(table, &["kind"]).map(|()| Limit::Free)?,
        Some("locked") => known(table, &["kind"]).map(|()| Limit::Locked)?,
        Some("hinge") => {
            known(table, &["kind", "axis", "min", "max"])?;
            Limit::Hinge { axis: axis("axis")?, min: angle("min")?, max: angle("max")? }
        }
        Some("cone") => {
            known(table, &["kind", "axis", "side", "swing", "twist"])?;
            let (axis, side) = (axis("axis")?, axis("side")?);
            // The second axis is exactly across the first.
            let side = side.reject_from_normalized(axis).try_normalize();
            let side = side.ok_or_else(|| Fault::at(need_item(table, "side"), "side is along axis"))?;
            Limit::Cone { axis, side, swing: angles("swing")?, twist: angles("twist")? }
        }
        Some("euler") => {
            known(table, &["kind", "order", "min", "max"])?;
            let order = need(table, "order")?;
            let order = order
                .as_str()
                .and_then(ik::euler_order)
                .ok_or_else(|| Fault::at(order, "order is no order of x, y, z"))?;
            let three = |key: &str| Ok(numbers::<3>(need(table, key)?, key)?.map(f64::to_radians));
            Limit::Euler { order, min: three("min")?, max: three("max")? }
        }
        _ => return Err(Fault::at(kind, "kind is none of free, locked, hinge, cone, euler")),
    };
    limit.fault().map_or(Ok(limit), |what| Err(Fault::at(item, format!("the {what} will not do"))))
}
