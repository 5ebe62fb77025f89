//! Poses that show the range of motion of a character. Errors in skin weights are visible where joints bend.

use std::collections::BTreeSet;

use glam::{DVec3, Vec3};

use crate::asset::Character;
use crate::pose::{Pose, world_matrices};
use crate::skin::weighted_joints;

use super::limits::RestPose;
use super::{BodyPlan, Rig};

use turn::Turns;

mod chains;
mod fingers;
mod limbs;
mod others;
mod trunk;
mod turn;

/// Angles below this, in radians, have no visible effect.
const NEGLIGIBLE: f64 = 0.02;

/// A pose that differs from the rest pose in some joints, which are rotated to their limits or close to them.
#[derive(Clone, Debug, PartialEq)]
pub struct RangePose {
    /// Name for readers, such as `left arm raised`, unique within a character.
    pub name: String,
    /// Node indices, each with a rotation vector in the rest frame of the node, in radians.
    pub turns: Vec<(usize, DVec3)>,
    /// Whether the joints are small, such as fingers, so that an image of the whole character hardly shows them.
    pub is_detail: bool,
}

/// Returns poses in which the joints of a character are bent and twisted within their limits. They cover the limbs, back, head, tails and
/// fingers of a recognised body, or otherwise the chains of the rig. They are followed by poses of all other joints that move vertices.
///
/// ```
/// use sinew_character::{asset, rig};
///
/// let mannequin = asset::mannequin()?;
/// let poses = rig::range_of_motion(&mannequin, &rig::detect(&mannequin));
/// assert!(poses.iter().any(|pose| pose.name == "left arm raised"));
/// // The sole of a foot is not moved by its shin alone.
/// let foot = mannequin.skeleton.find("leftFoot").ok_or("no foot")?;
/// assert!(poses.iter().any(|pose| pose.turns.iter().any(|(node, _)| *node == foot)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn range_of_motion(character: &Character, rig: &Rig) -> Vec<RangePose> {
    let skeleton = &character.skeleton;
    let mut world = Vec::new();
    world_matrices(skeleton, &Pose::rest(skeleton), &mut world);
    let range = Range { rest: RestPose { skeleton, world: &world }, rig };
    let mut poses = match &rig.body {
        Some(plan) => range.body(plan),
        None => range.chains(),
    };
    poses.retain(|pose| !pose.turns.is_empty());
    let moved: BTreeSet<usize> = poses.iter().flat_map(|pose| &pose.turns).map(|(node, _)| *node).collect();
    let others = weighted_joints(character).into_iter().filter(|joint| !moved.contains(joint));
    poses.extend(range.others(&others.collect()));
    let mut names = BTreeSet::new();
    for pose in &mut poses {
        pose.name = unique(&pose.name, &mut names);
    }
    poses
}

/// Appends a number to a name if it is taken.
fn unique(name: &str, taken: &mut BTreeSet<String>) -> String {
    let numbered = std::iter::once(name.to_owned()).chain((2..).map(|number| format!("{name} {number}")));
    let free = numbered.into_iter().find(|name| !taken.contains(name)).unwrap_or_default();
    taken.insert(free.clone());
    free
}

/// A character in the rest pose whose joints are rotated.
struct Range<'a> {
    rest: RestPose<'a>,
    rig: &'a Rig,
}

impl Range<'_> {
    fn body(&self, plan: &BodyPlan) -> Vec<RangePose> {
        let mut poses = vec![self.hips(plan)];
        poses.extend(self.back(plan));
        poses.extend(self.neck(plan));
        for (index, limb) in plan.limbs.iter().enumerate() {
            poses.extend(self.limb(plan, index, limb));
        }
        for limb in &plan.limbs {
            poses.extend(self.fingers(limb));
        }
        for tail in &plan.tails {
            poses.extend(self.curl("tail", tail, plan.facing, TAIL));
        }
        poses
    }

    /// Returns a pose in which the whole body is rotated, which shows vertices that are left behind.
    fn hips(&self, plan: &BodyPlan) -> RangePose {
        let mut turns = Turns::new(self);
        turns.twist(plan.hips, Vec3::Y, HIPS);
        turns.pose("hips turned")
    }
}

/// Turn of the hips, in degrees.
const HIPS: f64 = 40.0;
/// Total angle by which a tail is bent, in degrees.
const TAIL: f64 = 80.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::mannequin;

    #[test]
    fn every_joint_that_moves_vertices_is_turned_within_its_limits() {
        let mannequin = mannequin().unwrap();
        let rig = crate::rig::load(&mannequin, None).unwrap();
        let poses = range_of_motion(&mannequin, &rig);
        let turned: BTreeSet<usize> = poses.iter().flat_map(|p| &p.turns).map(|(node, _)| *node).collect();
        let missing: Vec<usize> = weighted_joints(&mannequin).difference(&turned).copied().collect();
        assert!(missing.is_empty(), "{missing:?}");
        for (node, turn) in poses.iter().flat_map(|pose| &pose.turns) {
            let violation = rig.joint(*node).limit.limit_violation(glam::DQuat::from_scaled_axis(*turn));
            assert!(violation < 1e-6, "{} {violation}", mannequin.skeleton.label(*node));
        }
        let names: BTreeSet<&str> = poses.iter().map(|pose| pose.name.as_str()).collect();
        assert_eq!(names.len(), poses.len());
    }

    #[test]
    fn a_character_without_joints_has_no_poses() {
        assert!(range_of_motion(&Character::default(), &Rig::default()).is_empty());
    }
}
