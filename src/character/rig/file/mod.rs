//! Reads and writes rig files, `NAME.rig.toml`. Reading checks every key, and writing keeps comments. See
//! `docs/rig.md`.

use std::ops::Range;

use glam::Vec3;
use toml_edit::{Document, Item, Table};

use crate::asset::Skeleton;
use crate::ik::Limit;
use crate::text::toml::{
    SpannedError, check_keys, existing, missing, number, numbers, optional, required, single, tables,
};

use super::bone_names::{Bones, is_bone};
use super::model::{Chain, ChainKind, JointRig, Rig, path};
use super::reparent::reparent;
use super::{MimicRig, RigError};

pub(crate) mod limit;
#[cfg(test)]
mod mimic_tests;
mod node_names;
pub(crate) mod options;
#[cfg(test)]
mod tests;
pub(crate) mod write;

pub use node_names::NodeNames;
pub use write::write;

const VERSION: i64 = 1;

/// Reads a rig for a skeleton.
///
/// ```
/// use sinew_character::asset::{Node, Skeleton, Transform};
/// use sinew_character::glam::Vec3;
/// use sinew_character::ik::Limit;
/// use sinew_character::rig::file;
///
/// let down = Transform::from_translation(Vec3::NEG_Y);
/// let skeleton = Skeleton::new(vec![Node::new("hip"), Node::child("knee", 0, down)])?;
/// let text = r#"
///     version = 1
///     [[joint]]
///     node = "knee"
///     limit = { kind = "hinge", axis = [1.0, 0.0, 0.0], min = 0, max = 150 }
/// "#;
/// let rig = file::read(text, &skeleton)?;
/// assert!(matches!(rig.joint(1).limit, Limit::Hinge { min: 0.0, max: 2.61..=2.62, .. }));
///
/// let error = file::read(&text.replace("knee", "kneee"), &skeleton).unwrap_err();
/// assert!(error.to_string().contains("kneee"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`RigError::File`] with the line number if the TOML or a value is invalid, a key is unknown or missing, or a node does not exist.
pub fn read(text: &str, skeleton: &Skeleton) -> Result<Rig, RigError> {
    let bones = bones(text, skeleton)?;
    read_with(text, skeleton, &bones)
}

/// Reads a rig for a skeleton with known bones. The rig can refer to nodes by the names of their bones.
pub(super) fn read_with(text: &str, skeleton: &Skeleton, bones: &Bones) -> Result<Rig, RigError> {
    let document = parse(text)?;
    RigReader { text, skeleton, names: NodeNames::with_bones(skeleton, bones) }.rig(document.as_table())
}

/// Reads the table `humanoid` of a rig file, which maps bone names to nodes.
///
/// # Errors
/// [`RigError::File`] as for [`read`].
pub fn bones(text: &str, skeleton: &Skeleton) -> Result<Bones, RigError> {
    let document = parse(text)?;
    let reader = RigReader { text, skeleton, names: NodeNames::new(skeleton) };
    reader.bones(document.as_table()).map_err(|error| file_error(text, error))
}

fn parse(text: &str) -> Result<Document<String>, RigError> {
    Document::parse(text.to_owned()).map_err(|e| file_error(text, SpannedError::syntax(&e)))
}

/// Converts an error at a position in a text to an error with its line number.
fn file_error(text: &str, error: SpannedError) -> RigError {
    let (line, cause) = error.line_and_cause(text);
    RigError::File { line, cause }
}

struct RigReader<'a> {
    text: &'a str,
    skeleton: &'a Skeleton,
    names: NodeNames<'a>,
}

impl RigReader<'_> {
    fn rig(&self, root: &Table) -> Result<Rig, RigError> {
        let read = || {
            check_keys(root, &["version", "humanoid", "pins", "options", "chain", "joint"])?;
            let version = root.get("version").ok_or_else(|| missing(root.span(), "version"))?;
            if version.as_integer() != Some(VERSION) {
                return Err(SpannedError::at(version, format!("version must be {VERSION}")));
            }
            let mut rig = Rig { given_bones: self.bones(root)?, ..Rig::default() };
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
            // Mimic joints are checked when all joints are known.
            let mut mimics: Vec<(usize, Option<Range<usize>>)> = Vec::new();
            for joint in tables(root, "joint")? {
                let (node, read) = self.joint(joint).map_err(|f| f.or_at(joint.span()))?;
                rig.joints.insert(node, read);
                mimics.extend(joint.get("mimic").map(|item| (node, item.span())));
                carrier_spans.push((node, joint.get("logical_parent").and_then(Item::span)));
            }
            for (node, span) in mimics {
                rig.check_mimic(node).map_err(|error| SpannedError::new(span, error.cause))?;
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

    fn bones(&self, root: &Table) -> Result<Bones, SpannedError> {
        let mut bones = Bones::new();
        let Some(item) = root.get("humanoid") else { return Ok(bones) };
        let table = item
            .as_table_like()
            .ok_or_else(|| SpannedError::at(item, "humanoid must be a table of nodes"))?;
        for (bone, item) in table.iter() {
            if !is_bone(bone) {
                let cause = format!("\"{bone}\" is not a bone of VRM 1.0, such as leftUpperArm");
                return Err(SpannedError::at(item, cause));
            }
            bones.insert(bone.to_owned(), self.node(item, item.span())?);
        }
        Ok(bones)
    }

    fn chain(&self, table: &Table, skeleton: &Skeleton) -> Result<Chain, SpannedError> {
        check_keys(table, &["name", "kind", "base", "effector", "bend", "pole", "weight", "pull"])?;
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
        let pull = table.get("pull").map(|_| optional(table, "pull", 1.0, 0.0..=1.0)).transpose()?;
        Ok(Chain { name, kind, effector, base, joints, bend, pole, weight, pull })
    }

    fn joint(&self, table: &Table) -> Result<(usize, JointRig), SpannedError> {
        let keys = ["node", "stiffness", "limit", "mimic", "logical_parent", "ccd_budget"];
        check_keys(table, &keys)?;
        let item = required(table, "node")?;
        let node = self.node(item, item.span())?;
        let stiffness = optional(table, "stiffness", 0.0, 0.0..=1.0)?;
        let limit = table
            .get("limit")
            .map_or(Ok(Limit::Free), |item| limit::read(item).map_err(|f| f.or_at(item.span())))?;
        let logical_parent =
            table.get("logical_parent").map(|item| self.node(item, item.span())).transpose()?;
        let ccd_budget = match table.get("ccd_budget") {
            None => f64::INFINITY,
            Some(_) => optional(table, "ccd_budget", 0.0, 0.0..=f64::from(f32::MAX))?.to_radians(),
        };
        let mimic = table.get("mimic").map(|item| self.mimic(item, &limit).map_err(|f| f.or_at(item.span())));
        Ok((node, JointRig { limit, stiffness, logical_parent, mimic: mimic.transpose()?, ccd_budget }))
    }

    /// Reads the mimic relation of a joint. The offset is in degrees for a hinge, and in metres for a prismatic joint.
    fn mimic(&self, item: &Item, limit: &Limit) -> Result<MimicRig, SpannedError> {
        let table = item.as_table_like().ok_or_else(|| SpannedError::at(item, "mimic must be a table"))?;
        check_keys(table, &["joint", "ratio", "offset"])?;
        let leader = required(table, "joint")?;
        let value = |key: &str, default: f64| {
            let read = |item| number(item, key, |_| true, || format!("{key} must be a number"));
            table.get(key).map_or(Ok(default), read)
        };
        let (ratio, offset) = (value("ratio", 1.0)?, value("offset", 0.0)?);
        let offset = if matches!(limit, Limit::Prismatic { .. }) { offset } else { offset.to_radians() };
        Ok(MimicRig { joint: self.node(leader, leader.span())?, ratio, offset })
    }

    /// Finds a node by its name or `#INDEX`.
    fn node(&self, item: &Item, span: Option<Range<usize>>) -> Result<usize, SpannedError> {
        let name = item
            .as_str()
            .ok_or_else(|| SpannedError { span: span.clone(), cause: "a node must be a string".into() })?;
        self.names.get(name).map_err(|missing| SpannedError::new(span, missing.to_string()))
    }
}
