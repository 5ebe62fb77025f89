//! Mimic joints of rigs.

use crate::ik::{Limit, narrow};

use super::Rig;

impl Rig {
    /// Checks that a mimic joint can follow its leader. Joints that are no mimic joints pass.
    ///
    /// # Errors
    /// The requirement that is not met.
    pub fn check_mimic(&self, node: usize) -> Result<(), &'static str> {
        let joint = self.joint(node);
        let Some(mimic) = joint.mimic else { return Ok(()) };
        let leader = self.joint(mimic.joint);
        let mut leader_limit = leader.limit;
        let same = matches!(
            (joint.limit, leader.limit),
            (Limit::Hinge { .. }, Limit::Hinge { .. }) | (Limit::Prismatic { .. }, Limit::Prismatic { .. })
        );
        match () {
            () if mimic.joint == node => Err("a joint must not mimic itself"),
            () if !(mimic.ratio.is_finite() && mimic.offset.is_finite()) => {
                Err("ratio and offset of a mimic joint must be finite")
            }
            () if same && !narrow(&mut leader_limit, &joint.limit, (mimic.ratio, mimic.offset)) => {
                Err("the limit of a mimic joint must allow some value of the joint that it mimics")
            }
            () if leader.mimic.is_some() => Err("a joint must not mimic another mimic joint"),
            () if !same => Err("a joint and the one that it mimics must both be hinges or both be prismatic"),
            () => Ok(()),
        }
    }

    /// Removes the mimic relations that are no longer possible, after a limit was changed.
    pub fn remove_invalid_mimics(&mut self) {
        let invalid: Vec<usize> =
            self.joints.keys().copied().filter(|&node| self.check_mimic(node).is_err()).collect();
        for joint in invalid {
            if let Some(joint) = self.joints.get_mut(&joint) {
                joint.mimic = None;
            }
        }
    }
}
