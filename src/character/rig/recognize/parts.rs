//! The parts of a body before its plan is complete.

use std::collections::BTreeMap;

use glam::Vec3;

use crate::rig::body_plan::{BodyKind, LimbKind};
use crate::rig::bone_names::Bones;

use super::limb::LimbJoints;

/// The parts of a body, found by names or by shape.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    pub(super) kind: BodyKind,
    pub(super) hips: usize,
    pub(super) spine: Vec<usize>,
    pub(super) neck: Vec<usize>,
    /// Pairs of limbs: first the left one, then the right one.
    pub(super) limbs: Vec<(LimbKind, [LimbJoints; 2])>,
    pub(super) tails: Vec<Vec<usize>>,
    /// Horizontal unit direction of the front.
    pub(super) facing: Vec3,
    /// The new parents of nodes that the file has attached elsewhere.
    pub(super) logical_parents: BTreeMap<usize, usize>,
    /// The bones of a human body according to the file, the names of joints or the user. Empty if the parts were found by shape.
    pub(super) named: Bones,
    pub(super) certainty: f32,
    pub(super) reasons: Vec<String>,
    /// What makes the result uncertain.
    pub(super) doubts: Vec<String>,
}
