//! A link of a binding, and the node that it represents.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3, Quat};

use crate::asset::Transform;
use crate::ik::{Limit, LinkIndex, Mimic};
use crate::rig::{Rig, Slide};

/// A link and the node that it represents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BoundLink {
    /// The node that the link represents, or `None` for the fixed base at the start of an upward path.
    pub(super) node: Option<usize>,
    pub(super) parent: Option<LinkIndex>,
    pub(super) reversed: bool,
    pub(super) turns: bool,
    pub(super) limit: Limit,
    pub(super) mimic: Option<Mimic>,
    pub(super) weight: f64,
    pub(super) ccd_budget: f64,
    /// The link's offset is the translation of node `plus` minus the translation of node `minus`.
    pub(super) plus: Option<usize>,
    pub(super) minus: Option<usize>,
}

impl BoundLink {
    /// Creates the link of a node, without its parent and its offset.
    pub(super) fn new(node: usize, turns: bool, rig: &Rig) -> Self {
        let joint = rig.joint(node);
        Self {
            node: Some(node),
            parent: None,
            reversed: false,
            turns,
            limit: joint.limit,
            mimic: None,
            weight: 1.0 - joint.stiffness,
            ccd_budget: joint.ccd_budget,
            plus: None,
            minus: None,
        }
    }

    /// Returns the link's rotation for a rotation of its node.
    pub(super) fn rotation(&self, node: Quat) -> DQuat {
        if self.reversed { node.as_dquat().conjugate() } else { node.as_dquat() }
    }

    /// Returns the link's offset and scale in a pose. The displacements of prismatic joints are not part of the offset.
    pub(super) fn geometry(&self, locals: &[Transform], slides: &BTreeMap<usize, Slide>) -> (DVec3, DVec3) {
        let translation = |node: Option<usize>| node.map_or(DVec3::ZERO, |n| offset(n, locals, slides));
        let scale = self.node.filter(|_| !self.reversed).map_or(DVec3::ONE, |n| locals[n].scale.as_dvec3());
        (translation(self.plus) - translation(self.minus), scale)
    }
}

/// Returns the translation of a node without its displacement.
pub(super) fn offset(node: usize, locals: &[Transform], slides: &BTreeMap<usize, Slide>) -> DVec3 {
    let translation = locals[node].translation;
    slides.get(&node).map_or(translation.as_dvec3(), |slide| slide.split(translation).1)
}
