//! Poses of joints that belong to no limb, such as hair, clothes, eyes and helpers.

use std::collections::BTreeSet;

use glam::Vec3;

use super::turn::Turns;
use super::{Range, RangePose};

/// Maximum angle by which a joint is bent or twisted, and maximum total angle of a strand of joints, in degrees.
const EACH: f64 = 25.0;
const STRAND: f64 = 60.0;

/// Rotates a joint by an angle in degrees. The vectors are the joint's bone and the direction away from the body.
type TurnJoint<'a> = dyn Fn(&mut Turns<'_>, usize, [Vec3; 2], f64) + 'a;

impl Range<'_> {
    /// Returns poses in which all given joints are bent away from the body, bent sideways and twisted.
    pub(super) fn others(&self, joints: &BTreeSet<usize>) -> Vec<RangePose> {
        let positions = || self.rest.world.iter().map(|matrix| Vec3::from(matrix.translation));
        #[expect(clippy::cast_precision_loss, reason = "a skeleton has few nodes")]
        let centre = positions().sum::<Vec3>() / positions().count().max(1) as f32;
        let pose = |word: &str, turn: &TurnJoint<'_>| {
            let mut turns = Turns::new(self);
            for &joint in joints {
                let bone = self.bone_of(joint);
                let from_centre = Vec3::from(self.rest.world[joint].translation) - centre;
                let away = from_centre.with_y(0.0).reject_from(bone).try_normalize();
                let away = away.unwrap_or_else(|| bone.any_orthonormal_vector());
                turn(&mut turns, joint, [bone, away], self.share(joint, joints));
            }
            turns.pose(format!("other joints {word}"))
        };
        let poses = [
            pose("bent", &|turns, joint, [bone, away], degrees| turns.swing(joint, bone, away, degrees)),
            pose("bent aside", &|turns, joint, [bone, away], degrees| {
                turns.swing(joint, bone, bone.cross(away), degrees);
            }),
            pose("twisted", &|turns, joint, [bone, _], degrees| turns.twist(joint, bone, degrees)),
        ];
        poses.into_iter().filter(|pose| !pose.turns.is_empty()).collect()
    }

    /// Returns the unit direction of a joint in world space: to its first child, or from its parent.
    fn bone_of(&self, joint: usize) -> Vec3 {
        let node = self.rest.skeleton.nodes.get(joint);
        let child = node.and_then(|node| node.children.first());
        let down = child.and_then(|&child| self.rest.displacement(joint, child).try_normalize());
        let parent = self.rig.above(self.rest.skeleton, joint);
        let bone = down.or_else(|| self.rest.displacement(parent?, joint).try_normalize());
        bone.unwrap_or(Vec3::Y)
    }

    /// Returns the turn of a joint in degrees. The joints of a strand share one total turn, so that long hair does not curl up.
    fn share(&self, joint: usize, joints: &BTreeSet<usize>) -> f64 {
        let skeleton = self.rest.skeleton;
        let above = skeleton.ancestors(joint).take_while(|node| joints.contains(node)).count();
        let child = |&node: &usize| {
            let children = skeleton.nodes.get(node).map_or(&[][..], |node| &node.children);
            children.iter().copied().find(|child| joints.contains(child))
        };
        // Count the joint itself only once.
        let strand = above + std::iter::successors(Some(joint), child).skip(1).count();
        EACH.min(STRAND / f64::from(u32::try_from(strand.max(1)).unwrap_or(u32::MAX)))
    }
}
