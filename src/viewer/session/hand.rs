//! The hands whose fingers the panel poses.

use glam::Quat;

use crate::Command;
use crate::asset::Skeleton;
use crate::document::Selection;
use crate::pose::Pose;
use crate::rig::{Hand, LimbSide};

use super::{Session, limb};

/// The hand of the active arm, and the other hand if edits are symmetric.
pub(crate) struct ActiveHands<'a> {
    skeleton: &'a Skeleton,
    pose: &'a Pose,
    pub(crate) hand: Hand,
    pub(crate) side: LimbSide,
    pub(crate) other: Option<Hand>,
}

impl<'a> ActiveHands<'a> {
    /// Returns the hand of the arm that contains the selected joint or, if none is selected, the last dragged joint.
    pub(crate) fn of(session: &'a Session) -> Option<Self> {
        let (character, rig) = (session.puppet.character(), &session.puppet.rig);
        let Selection { active, last, .. } = session.document.selection;
        let (arm, _) = limb::find(character, rig, active.or(last)?)?;
        let hand = Hand::new(&character.skeleton, rig, arm)?;
        let mut others = rig.arms().filter(|other| other.side != arm.side);
        let other = others.find_map(|arm| Hand::new(&character.skeleton, rig, arm));
        Some(Self {
            skeleton: &character.skeleton,
            pose: session.puppet.primary_pose(),
            hand,
            side: arm.side,
            other: other.filter(|_| session.document.settings.symmetry),
        })
    }

    /// Returns the curl of a finger of the active hand.
    pub(crate) fn curl(&self, finger: usize) -> f64 {
        self.hand.curl(self.skeleton, self.pose, finger)
    }

    /// Returns the spread of the active hand, if it has one.
    pub(crate) fn spread(&self) -> Option<f64> {
        self.hand.spread(self.skeleton, self.pose)
    }

    /// Returns the command that turns the fingers of each hand to the rotations that `rotations` returns for that hand.
    pub(crate) fn turn(&self, rotations: impl Fn(&Hand, &Skeleton, &Pose) -> Vec<(usize, Quat)>) -> Command {
        let hands = std::iter::once(&self.hand).chain(&self.other);
        Command::TurnJoints(hands.flat_map(|hand| rotations(hand, self.skeleton, self.pose)).collect())
    }
}
