//! Moves arms around the body where they would jump from one side of it to the other.
//!
//! In each frame, an arm is moved out of the body along the shortest path. An arm that swings through a wide body would thus be behind it
//! in one frame and in front of it in the next. Near such frames, the arm is first turned away from the body.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3, Quat, Vec3};

use crate::motion::RetargetedFrame;
use crate::pose::{Pose, orientation, world_matrices};
use crate::puppet::Puppet;

use super::corrections::{Delta, is_loop, window};

/// Number of times that arms are turned away, and the angle of each turn in radians.
pub(super) const ROUNDS: usize = 3;
const STEP: f64 = 0.35;
/// Time before and after a jump during which arms are turned away, in seconds.
const ASIDE: f32 = 0.25;
/// Minimum difference between the changes of two successive frames that counts as a jump, in radians.
const JUMP: f32 = 0.14;

/// The joints of an arm from the shoulder to the hand, and the angle of the jump in radians for each frame in which they jump.
#[derive(Clone, Debug)]
pub(super) struct ArmJumps {
    joints: Vec<usize>,
    frames: BTreeMap<usize, f32>,
}

/// Returns, for each arm, the frames in which the change from its free pose to its solved pose jumps.
pub(super) fn jumps(puppet: &Puppet, free: &[RetargetedFrame], solved: &[Pose]) -> Vec<ArmJumps> {
    let arms = puppet.rig.arms().filter(|arm| arm.joints.len() >= 3);
    let jump = |joint: usize, frame: usize| {
        let change = |i: usize| {
            Some(Delta::between(free.get(i)?.pose.locals.get(joint)?, solved.get(i)?.locals.get(joint)?))
        };
        let [before, now] = [change(frame - 1), change(frame)];
        before.zip(now).map_or(0.0, |(a, b)| a.turn.angle_between(b.turn))
    };
    arms.map(|arm| {
        let largest = |i: usize| arm.joints.iter().rev().skip(1).map(|&j| jump(j, i)).fold(0.0, f32::max);
        let frames = (1..solved.len()).map(|i| (i, largest(i))).filter(|(_, size)| *size > JUMP);
        ArmJumps { joints: arm.joints.clone(), frames: frames.collect() }
    })
    .collect()
}

/// Returns the sum of all jumps in radians.
pub(super) fn size(jumps: &[ArmJumps]) -> f32 {
    jumps.iter().flat_map(|arm| arm.frames.values()).fold(0.0, |sum, angle| sum + angle)
}

/// Turns arms away from the body near the frames in which they jump.
pub(super) fn turn_away(puppet: &Puppet, jumps: &[ArmJumps], times: &[f32], frames: &mut [RetargetedFrame]) {
    let is_loop = is_loop(&frames.iter().map(|frame| &frame.pose).collect::<Vec<_>>());
    let shoulders: Vec<usize> = jumps.iter().filter_map(|arm| arm.joints.first().copied()).collect();
    for arm in jumps.iter().filter(|arm| !arm.frames.is_empty()) {
        let mut weights = vec![0.0_f32; frames.len()];
        for &frame in arm.frames.keys() {
            // The jump is between this frame and the previous one.
            for (near, weight) in
                [frame - 1, frame].into_iter().flat_map(|i| window(i, times, ASIDE, is_loop))
            {
                weights[near] = weights[near].max(weight);
            }
        }
        for (frame, weight) in frames.iter_mut().zip(weights).filter(|(_, weight)| *weight > 0.0) {
            let smooth = f64::from(weight * weight * (3.0 - 2.0 * weight));
            turn_arm_away(puppet, &mut frame.pose, &arm.joints, &shoulders, STEP * smooth);
        }
    }
}

/// Turns an arm by an angle in radians towards the side of its shoulder.
fn turn_arm_away(puppet: &Puppet, pose: &mut Pose, arm: &[usize], shoulders: &[usize], angle: f64) {
    let skeleton = &puppet.character().skeleton;
    let mut world = Vec::new();
    world_matrices(skeleton, pose, &mut world);
    let at = |node: usize| world.get(node).map_or(Vec3::ZERO, |m| m.translation.into()).as_dvec3();
    let (Some(&upper), Some(&hand)) = (arm.first(), arm.last()) else { return };
    let middle = shoulders.iter().map(|&node| at(node)).sum::<DVec3>() / shoulders.len().max(1) as f64;
    let (along, outwards) = (at(hand) - at(upper), at(upper) - middle);
    // An arm that is already stretched out to its side is not turned.
    let (Some(axis), left) = (along.cross(outwards).try_normalize(), along.angle_between(outwards)) else {
        return;
    };
    let Some(parent) = skeleton.nodes.get(upper).and_then(|node| node.parent) else { return };
    let parent = orientation(skeleton, pose, parent);
    let turn = parent.conjugate() * DQuat::from_axis_angle(axis, angle.min(left)) * parent;
    if let Some(local) = pose.locals.get_mut(upper) {
        let rotation: Quat = (turn * local.rotation.as_dquat()).normalize().as_quat();
        local.rotation = if rotation.is_finite() { rotation } else { local.rotation };
    }
}

#[cfg(test)]
mod tests {
    use super::super::{keep, solve};
    use super::*;
    use crate::asset;
    use crate::files::Progress;
    use crate::motion::ContactConstraint;

    /// Regression test: during a walk, an arm that swung through a wide body was behind it in one frame and in front of it in the next, so
    /// the forearm jumped by 30 degrees.
    #[test]
    fn an_arm_that_swings_through_the_body_goes_around_it() {
        let mut puppet = Puppet::new(asset::mannequin().unwrap(), 0);
        puppet.options.solver.full_body.clear = true;
        let skeleton = puppet.character().skeleton.clone();
        let [upper, hand] = ["leftUpperArm", "leftHand"].map(|bone| skeleton.find(bone).unwrap());
        let rest = Pose::rest(&skeleton);
        let mut world = Vec::new();
        world_matrices(&skeleton, &rest, &mut world);
        let [shoulder, wrist] = [upper, hand].map(|node| Vec3::from(world[node].translation));
        let parent = orientation(&skeleton, &rest, skeleton.nodes[upper].parent.unwrap()).as_quat();
        let stand = |bone: &str| {
            let node = skeleton.find(bone).unwrap();
            let orientation = Some(orientation(&skeleton, &rest, node).as_quat());
            let position = world[node].translation.into();
            let (offset, on, weight) = (Vec3::ZERO, None, 1.0);
            let (yields, pulls) = (false, false);
            ContactConstraint { node, offset, position, orientation, on, weight, yields, pulls }
        };
        let feet = ["leftFoot", "rightFoot"].map(stand).to_vec();
        let frame = |i: u8| {
            // The arm points down and inwards, so that the forearm passes through the hips from behind to the front.
            let ahead = 0.5 * (f32::from(i) / 30.0 - 1.0);
            let turn = Quat::from_rotation_arc(
                (wrist - shoulder).normalize(),
                Vec3::new(-0.45, -1.0, ahead).normalize(),
            );
            let mut pose = rest.clone();
            pose.locals[upper].rotation = parent.conjugate() * turn * parent * pose.locals[upper].rotation;
            RetargetedFrame { pose, contacts: feet.clone() }
        };
        let frames: Vec<RetargetedFrame> = (0..=60).map(frame).collect();
        let times: Vec<f32> = (0..=60_u8).map(|i| f32::from(i) / 60.0).collect();
        let progress = Progress::default();
        let largest = |poses: &[Pose]| {
            let turn =
                |pair: &[Pose]| pair[0].locals[upper].rotation.angle_between(pair[1].locals[upper].rotation);
            poses.windows(2).map(turn).fold(0.0, f32::max).to_degrees()
        };
        let (alone, _) = keep(&mut puppet, &frames, &times, &progress).unwrap();
        let led = solve(&mut puppet, &frames, &times, &mut Vec::new(), &progress).unwrap();
        let [before, now] = [largest(&alone), largest(&led)];
        assert!(before > 15.0 && now < 8.0, "{before}° before, {now}° now");
        // Frames far from the jump are unchanged.
        assert!(alone[0] == led[0] && alone[60] == led[60]);
    }
}
