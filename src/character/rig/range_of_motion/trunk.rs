//! Poses of the back, the neck and the tail.

use glam::Vec3;

use crate::rig::BodyPlan;

use super::turn::Turns;
use super::{Range, RangePose};

/// Total angles by which the back and the neck are bent or twisted, in degrees.
const BACK: f64 = 75.0;
const NECK: f64 = 60.0;
/// Joints are not bent towards directions within this angle of the line through them, in radians.
const ALONG: f32 = 0.6;

impl Range<'_> {
    pub(super) fn back(&self, plan: &BodyPlan) -> Vec<RangePose> {
        let mut joints = plan.spine.clone();
        let Some(&chest) = joints.last() else { return Vec::new() };
        joints.extend(plan.neck.first().filter(|_| chest != plan.hips));
        self.bent("back", &joints, plan.spine.len(), plan.facing, BACK)
    }

    pub(super) fn neck(&self, plan: &BodyPlan) -> Vec<RangePose> {
        self.bent("head", &plan.neck, plan.neck.len(), plan.facing, NECK)
    }

    /// Returns poses of a tail.
    pub(super) fn curl(&self, name: &str, joints: &[usize], facing: Vec3, degrees: f64) -> Vec<RangePose> {
        self.bent(name, joints, joints.len(), facing, degrees)
    }

    /// Returns poses that bend the first `count` joints together in each direction across their bones, and a pose that twists them. Each
    /// joint turns by an equal part of `degrees`.
    fn bent(&self, name: &str, joints: &[usize], count: usize, facing: Vec3, degrees: f64) -> Vec<RangePose> {
        let (Some(&first), Some(&last)) = (joints.first(), joints.last()) else { return Vec::new() };
        let whole = self.rest.displacement(first, last).try_normalize();
        let whole = whole.unwrap_or_else(|| self.bone(joints, 0));
        let left = Vec3::Y.cross(facing);
        let directions =
            [("forward", facing), ("back", -facing), ("aside", left), ("up", Vec3::Y), ("down", -Vec3::Y)];
        let across = |direction: &(&str, Vec3)| {
            let angle = whole.angle_between(direction.1);
            (ALONG..std::f32::consts::PI - ALONG).contains(&angle)
        };
        let each = degrees / f64::from(u32::try_from(count.max(1)).unwrap_or(u32::MAX));
        let mut poses: Vec<RangePose> = directions
            .into_iter()
            .filter(across)
            .map(|(word, towards)| {
                let mut turns = Turns::new(self);
                for (i, &joint) in joints.iter().enumerate().take(count) {
                    turns.swing(joint, self.bone(joints, i), towards, each);
                }
                turns.pose(format!("{name} bent {word}"))
            })
            .collect();
        let mut turns = Turns::new(self);
        for (i, &joint) in joints.iter().enumerate().take(count) {
            turns.twist(joint, self.bone(joints, i), each);
        }
        poses.push(turns.pose(format!("{name} twisted")));
        poses
    }

    /// Returns the world direction of the bone of one of the joints. The bone of the last joint continues the preceding bone.
    pub(super) fn bone(&self, joints: &[usize], index: usize) -> Vec3 {
        let between = |a: Option<&usize>, b: Option<&usize>| {
            let (a, b) = a.zip(b)?;
            self.rest.displacement(*a, *b).try_normalize()
        };
        let before = index.checked_sub(1).and_then(|i| joints.get(i));
        let bone = between(joints.get(index), joints.get(index + 1));
        bone.or_else(|| between(before, joints.get(index))).unwrap_or(Vec3::Y)
    }
}
