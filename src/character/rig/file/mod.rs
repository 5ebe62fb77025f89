//! Reads and writes rig files, `NAME.rig.toml`. Reading checks every key, and writing keeps comments. See
//! `docs/rig.md`.

use std::ops::Range;

use toml_edit::{Item, Table};

use crate::asset::Skeleton;
use crate::ik::Limit;
use crate::text::toml::{
    SpannedError, check_file, check_keys, choice, each, elements, number, optional, parse, required, string,
    table_like, tables,
};

use super::bone_names::{Bones, is_bone};
use super::model::{Chain, ChainKind, JointRig, Rig, path};
use super::reparent::reparent;
use super::{MimicRig, RigError};
use node_names::read_node;
use ranges::{CCD_BUDGET, PULL, STIFFNESS, WEIGHT, direction, position};

pub(crate) mod limit;
#[cfg(test)]
mod mimic_tests;
pub(crate) mod node_names;
pub(crate) mod options;
mod ranges;
#[cfg(test)]
mod tests;
mod values;
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
    let reader = RigReader { skeleton, names: NodeNames::with_bones(skeleton, bones) };
    let rig = parse(text).and_then(|document| reader.rig(document.as_table()));
    rig.map_err(|error| file_error(text, error))
}

/// Reads the table `humanoid` of a rig file, which maps bone names to nodes.
///
/// # Errors
/// [`RigError::File`] as for [`read`].
pub fn bones(text: &str, skeleton: &Skeleton) -> Result<Bones, RigError> {
    let reader = RigReader { skeleton, names: NodeNames::new(skeleton) };
    let bones = parse(text).and_then(|document| reader.bones(document.as_table()));
    bones.map_err(|error| file_error(text, error))
}

/// Converts an error at a position in a text to an error with its line number.
fn file_error(text: &str, error: SpannedError) -> RigError {
    let (line, cause) = error.line_and_cause(text);
    RigError::File { line, cause }
}

struct RigReader<'a> {
    skeleton: &'a Skeleton,
    names: NodeNames<'a>,
}

impl RigReader<'_> {
    fn rig(&self, root: &Table) -> Result<Rig, SpannedError> {
        check_file(root, VERSION, &["humanoid", "pins", "options", "chain", "joint"], "")?;
        let mut rig = Rig {
            given_bones: self.bones(root)?,
            pins: optional(root, "pins", |item, _| self.pins(item))?.unwrap_or_default(),
            options: optional(root, "options", |item, _| options::read(item))?.unwrap_or_default(),
            ..Rig::default()
        };
        let mut parent_spans: Vec<(usize, Option<Range<usize>>)> = Vec::new();
        // Mimic joints are checked when all joints are known.
        let mut mimics: Vec<(usize, Option<Range<usize>>)> = Vec::new();
        for joint in tables(root, "joint")? {
            let (node, read) = self.joint(joint).map_err(|f| f.or_at(joint.span()))?;
            rig.joints.insert(node, read);
            mimics.extend(joint.get("mimic").map(|item| (node, item.span())));
            parent_spans.push((node, joint.get("logical_parent").and_then(Item::span)));
        }
        for (node, span) in mimics {
            rig.check_mimic(node).map_err(|error| SpannedError::new(span, error.cause))?;
        }
        let logical_parents = rig.logical_parents();
        let cycle_error = |e: RigError| {
            let is_named =
                |node| matches!(&e, RigError::Cycle { node: name } if self.skeleton.label(node) == *name);
            let span = parent_spans.iter().rev().find(|(node, span)| span.is_some() && is_named(*node));
            SpannedError::new(span.and_then(|(_, span)| span.clone()), e.to_string())
        };
        let reparented =
            (!logical_parents.is_empty()).then(|| reparent(self.skeleton, &logical_parents)).transpose();
        let reparented = reparented.map_err(cycle_error)?;
        let skeleton = reparented.as_ref().unwrap_or(self.skeleton);
        rig.chains = each(root, "chain", |table, _| self.chain(table, skeleton))?;
        Ok(rig)
    }

    fn pins(&self, item: &Item) -> Result<Vec<usize>, SpannedError> {
        let pins = elements(item).ok_or_else(|| SpannedError::at(item, "pins must be a list of nodes"))?;
        pins.into_iter().map(|pin| self.node(pin)).collect()
    }

    fn bones(&self, root: &Table) -> Result<Bones, SpannedError> {
        let mut bones = Bones::new();
        let Some(item) = root.get("humanoid") else { return Ok(bones) };
        for (bone, item) in table_like(item, "humanoid must be a table of nodes")?.iter() {
            if !is_bone(bone) {
                let cause = format!("\"{bone}\" is not a bone of VRM 1.0, such as leftUpperArm");
                return Err(SpannedError::at(item, cause));
            }
            bones.insert(bone.to_owned(), self.node(item)?);
        }
        Ok(bones)
    }

    fn chain(&self, table: &Table, skeleton: &Skeleton) -> Result<Chain, SpannedError> {
        check_keys(table, &["name", "kind", "base", "effector", "bend", "pole", "weight", "pull"])?;
        let node = |key: &str| required(table, key, |item, _| self.node(item));
        let (base, effector) = (node("base")?, node("effector")?);
        let joints = path(skeleton, base, effector)
            .filter(|joints| joints.len() > 1)
            .ok_or_else(|| SpannedError::at_key(table, "base", "base must be above effector"))?;
        let kind = optional(table, "kind", |item, _| {
            let names = ChainKind::ALL.map(ChainKind::name).join(", ");
            let known = ChainKind::ALL.map(|kind| (kind.name(), kind));
            choice(item, known, format!("kind must be one of {names}"))
        })?;
        let kind = kind.unwrap_or(ChainKind::Limb);
        let name = optional(table, "name", string)?.map(str::to_owned);
        let name = name.unwrap_or_else(|| self.skeleton.label(effector));
        let bend = optional(table, "bend", direction)?;
        let pole = optional(table, "pole", position)?;
        let weight = WEIGHT.read(table)?.unwrap_or(1.0);
        let pull = PULL.read(table)?;
        Ok(Chain { name, kind, effector, base, joints, bend, pole, weight, pull })
    }

    fn joint(&self, table: &Table) -> Result<(usize, JointRig), SpannedError> {
        let keys = ["node", "stiffness", "limit", "mimic", "logical_parent", "ccd_budget"];
        check_keys(table, &keys)?;
        let node = required(table, "node", |item, _| self.node(item))?;
        let stiffness = STIFFNESS.read(table)?.unwrap_or(0.0);
        let limit = optional(table, "limit", |item, _| limit::read(item))?.unwrap_or(Limit::Free);
        let logical_parent = optional(table, "logical_parent", |item, _| self.node(item))?;
        let ccd_budget = CCD_BUDGET.read(table)?.map_or(f64::INFINITY, f64::to_radians);
        let mimic = optional(table, "mimic", |item, _| self.mimic(item, &limit))?;
        Ok((node, JointRig { limit, stiffness, logical_parent, mimic, ccd_budget }))
    }

    /// Reads the mimic relation of a joint. The offset is in degrees for a hinge, and in metres for a prismatic joint.
    fn mimic(&self, item: &Item, limit: &Limit) -> Result<MimicRig, SpannedError> {
        let table = table_like(item, "mimic must be a table")?;
        check_keys(table, &["joint", "ratio", "offset"])?;
        let joint = required(table, "joint", |item, _| Ok(item))?;
        let ratio = optional(table, "ratio", number)?.unwrap_or(1.0);
        let offset = optional(table, "offset", number)?.unwrap_or(0.0);
        let offset = if matches!(limit, Limit::Prismatic { .. }) { offset } else { offset.to_radians() };
        Ok(MimicRig { joint: self.node(joint)?, ratio, offset })
    }

    /// Reads the name or `#INDEX` of a node.
    fn node(&self, item: &Item) -> Result<usize, SpannedError> {
        read_node(&self.names, item, "a node must be a string")
    }
}
