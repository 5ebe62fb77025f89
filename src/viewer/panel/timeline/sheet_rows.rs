//! The content of the dope sheet: the joints changed by key poses, grouped by body part.

use std::ops::Range;
use std::sync::Arc;

use crate::Session;
use crate::asset::Transform;
use crate::motion::Motion;
use crate::panel::name;
use crate::rig::ChainKind;

use super::contact_rows::ContactRow;
use super::sheet_goals::GoalRow;

/// Name of the part that contains the joints outside all chains.
const BODY: &str = "body";

/// The joints changed by a motion's key poses. Computed once per motion.
#[derive(Debug)]
pub(super) struct Sheet {
    motion: Arc<Motion>,
    /// The feet and hands with contacts.
    pub(super) contacts: Vec<ContactRow>,
    /// The nodes with goal keys.
    pub(super) goals: Vec<GoalRow>,
    /// The joints, ordered by part.
    pub(super) joints: Vec<SheetJoint>,
    pub(super) parts: Vec<SheetPart>,
    /// The indices of the pose keys that set all joints.
    complete: Vec<usize>,
}

/// A joint that key poses change.
#[derive(Debug)]
pub(super) struct SheetJoint {
    pub(super) node: usize,
    pub(super) part: usize,
    /// The keys that list the joint, with its transforms.
    listed: Vec<(usize, Transform)>,
    rest: Transform,
}

/// A part of the body.
#[derive(Debug)]
pub(super) struct SheetPart {
    pub(super) name: String,
    /// The joints of the part, as indices into [`Sheet::joints`].
    pub(super) joints: Range<usize>,
}

/// A key of a joint or of a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mark {
    /// Time in seconds.
    pub(super) time: f32,
    /// Whether the value differs from the value at a neighbouring key.
    pub(super) differs: bool,
}

impl Sheet {
    /// Collects the joints of the session's motion.
    pub(super) fn new(session: &Session) -> Self {
        let motion = Arc::clone(&session.document.scene.motion);
        let skeleton = &session.puppet.character().skeleton;
        let mut listed: Vec<Vec<(usize, Transform)>> = vec![Vec::new(); skeleton.nodes.len()];
        for (index, key) in motion.keys.iter().enumerate() {
            for (node, local) in &key.joints {
                if let Some(slot) = listed.get_mut(*node) {
                    slot.push((index, *local));
                }
            }
        }
        let keys = motion.keys.iter().enumerate();
        let complete: Vec<usize> = keys.filter(|(_, key)| !key.partial).map(|(index, _)| index).collect();
        let (names, part_of) = parts(session);
        let mut joints: Vec<SheetJoint> = Vec::new();
        for &(node, _) in &skeleton.parents_first {
            let rest = skeleton.nodes.get(node).map_or(Transform::IDENTITY, |node| node.rest);
            let Some(listed) = listed.get_mut(node).map(std::mem::take) else { continue };
            // A joint with only one key has a row, so that the user can find the key.
            let at_rest =
                complete.iter().filter(|key| listed.iter().all(|(listed, _)| listed != *key)).count();
            if !listed.is_empty() && listed.len() + at_rest == 1 || changes(&listed, at_rest, &rest) {
                let part = part_of.get(node).copied().unwrap_or_default();
                joints.push(SheetJoint { node, part, listed, rest });
            }
        }
        joints.sort_by_key(|joint| joint.part);
        let mut parts: Vec<SheetPart> = Vec::new();
        let mut last = None;
        for (index, joint) in joints.iter_mut().enumerate() {
            if last.replace(joint.part) != Some(joint.part) {
                let name = names.get(joint.part).map_or_else(String::new, |text| name(text));
                parts.push(SheetPart { name, joints: index..index });
            }
            joint.part = parts.len().saturating_sub(1);
            if let Some(part) = parts.last_mut() {
                part.joints.end = index + 1;
            }
        }
        let contacts = ContactRow::all(session);
        let goals = GoalRow::all(session);
        Self { motion, contacts, goals, joints, parts, complete }
    }

    /// Returns whether the sheet matches the session's motion.
    pub(super) fn is_current(&self, session: &Session) -> bool {
        Arc::ptr_eq(&self.motion, &session.document.scene.motion)
    }

    /// Returns a joint's keys in time order.
    pub(super) fn marks(&self, joint: &SheetJoint) -> Vec<Mark> {
        let mut values: Vec<(usize, Transform)> = joint.listed.clone();
        values.dedup_by_key(|(index, _)| *index);
        let is_listed = |index: &usize| joint.listed.binary_search_by_key(index, |(key, _)| *key).is_ok();
        values.extend(self.complete.iter().filter(|index| !is_listed(index)).map(|&key| (key, joint.rest)));
        values.sort_by_key(|(index, _)| *index);
        let value = |index: Option<usize>| index.and_then(|index| values.get(index)).map(|(_, value)| *value);
        let mark = |(at, (key, own)): (usize, &(usize, Transform))| {
            let neighbours = [value(at.checked_sub(1)), value(Some(at + 1))];
            let differs = values.len() == 1 || neighbours.into_iter().flatten().any(|other| other != *own);
            Some(Mark { time: self.motion.keys.get(*key)?.time, differs })
        };
        values.iter().enumerate().filter_map(mark).collect()
    }

    /// Returns the keys of a part in time order: one for each pose key that sets any of the part's joints.
    pub(super) fn part_marks(&self, part: &SheetPart) -> Vec<Mark> {
        let joints = self.joints.get(part.joints.clone()).unwrap_or_default();
        let listed = joints.iter().flat_map(|joint| &joint.listed).map(|(index, _)| *index);
        let mut indices: Vec<usize> = listed.chain(self.complete.iter().copied()).collect();
        indices.sort_unstable();
        indices.dedup();
        let keys = indices.into_iter().filter_map(|index| self.motion.keys.get(index));
        keys.map(|key| Mark { time: key.time, differs: true }).collect()
    }
}

/// Returns whether a joint's value differs between keys. `at_rest` is the number of whole-character keys that do not list the
/// joint.
fn changes(listed: &[(usize, Transform)], at_rest: usize, rest: &Transform) -> bool {
    let Some((_, first)) = listed.first() else { return false };
    listed.iter().any(|(_, local)| local != first) || at_rest > 0 && first != rest
}

/// Returns the parts' names, and each node's part: the limb, spine, neck or tail that contains the node or one of its ancestors.
fn parts(session: &Session) -> (Vec<String>, Vec<usize>) {
    let (skeleton, rig) = (&session.puppet.character().skeleton, &session.puppet.rig);
    let mut names = vec![BODY.to_owned()];
    let mut own: Vec<Option<usize>> = vec![None; skeleton.nodes.len()];
    for chain in rig.chains.iter().filter(|chain| chain.kind != ChainKind::Finger) {
        names.push(chain.name.clone());
        for &node in &chain.joints {
            if let Some(slot @ None) = own.get_mut(node) {
                *slot = Some(names.len() - 1);
            }
        }
    }
    let mut part_of = vec![0; skeleton.nodes.len()];
    for &(node, parent) in &skeleton.parents_first {
        let above = parent.and_then(|parent| part_of.get(parent).copied()).unwrap_or_default();
        let part = own.get(node).copied().flatten().unwrap_or(above);
        if let Some(slot) = part_of.get_mut(node) {
            *slot = part;
        }
    }
    (names, part_of)
}
