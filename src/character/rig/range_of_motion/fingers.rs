//! Poses of hands.

use glam::DQuat;

use crate::pose::Pose;
use crate::rig::{BodyLimb, Hand, HandPose};

use super::turn::rotation_vector;
use super::{NEGLIGIBLE, Range, RangePose};

impl Range<'_> {
    /// Returns poses of the fingers of an arm, if the hand has any.
    pub(super) fn fingers(&self, arm: &BodyLimb) -> Vec<RangePose> {
        let skeleton = self.rest.skeleton;
        let Some(hand) = Hand::new(skeleton, self.rig, arm) else { return Vec::new() };
        let rest = Pose::rest(skeleton);
        let from_rest = |(node, rotation): (usize, glam::Quat)| {
            let own: DQuat = rest.locals.get(node)?.rotation.as_dquat().normalize();
            let turn = rotation_vector(own.conjugate() * rotation.as_dquat());
            (turn.length() > NEGLIGIBLE).then_some((node, turn))
        };
        let poses = [("closed", HandPose::Fist), ("spread", HandPose::Spread)];
        poses
            .into_iter()
            .map(|(word, pose)| RangePose {
                name: format!("{}fingers {word}", arm.side.prefix()),
                turns: hand.pose(skeleton, &rest, pose).into_iter().filter_map(from_rest).collect(),
                is_detail: true,
            })
            .collect()
    }
}
