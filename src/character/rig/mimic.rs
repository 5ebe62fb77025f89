//! Mimic joints of rigs.

use crate::ik::shared::{can_follow, narrow};

use super::Rig;

/// The reason why a mimic joint cannot follow its leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{cause}")]
pub struct MimicError {
    /// The requirement that is not met.
    pub cause: &'static str,
}

impl Rig {
    /// Checks that a mimic joint can follow its leader. Joints without a leader pass the check.
    ///
    /// # Errors
    /// [`MimicError`] with the requirement that is not met.
    pub fn check_mimic(&self, node: usize) -> Result<(), MimicError> {
        self.mimic_problem(node).map_or(Ok(()), |cause| Err(MimicError { cause }))
    }

    fn mimic_problem(&self, node: usize) -> Option<&'static str> {
        let joint = self.joint(node);
        let mimic = joint.mimic?;
        let leader = self.joint(mimic.joint);
        let mut leader_limit = leader.limit;
        let same = can_follow(&joint.limit, &leader.limit);
        match () {
            () if mimic.joint == node => Some("a joint must not mimic itself"),
            () if !(mimic.ratio.is_finite() && mimic.offset.is_finite()) => {
                Some("ratio and offset of a mimic joint must be finite")
            }
            () if same && !narrow(&mut leader_limit, &joint.limit, mimic.ratio, mimic.offset) => {
                Some("the limit of a mimic joint must allow some value of the joint that it mimics")
            }
            () if leader.mimic.is_some() => Some("a joint must not mimic another mimic joint"),
            () if !same => {
                Some("a joint and the one that it mimics must both be hinges or both be prismatic")
            }
            () => None,
        }
    }

    /// Removes the mimic relations that are no longer possible after a limit has changed.
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
