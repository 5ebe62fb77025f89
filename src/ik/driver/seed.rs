//! Start poses for restarts: pseudo-random poses within the limits.

use glam::DQuat;

use crate::Limit;
use crate::limit::{random_angle, random_rotation};
use crate::tree::{Tree, TreeJoint, TreePose};
use sinew_base::Random;

/// A restart begins with the best of this many random poses. A pose costs one forward-kinematics evaluation, a fraction
/// of an iteration. The slow methods and targets out of reach need good starts: with 4 random poses, `particle` reached
/// 2 % fewer positions on the arms with limits.
const CHOICES: usize = 16;
/// Like [`CHOICES`], for quick methods and targets within reach. Measured on 5,000 poses of a Panda arm: 8 and 16 random
/// poses made the slowest 1 % of the solves 12 % and 37 % slower.
const QUICK_CHOICES: usize = 4;
/// Half width, in radians, of the cube from which the rotation vector from rest is drawn for a joint without a limit. A
/// free joint has no range to draw from, and a larger turn would tangle the chain.
const FREE_TURN: f64 = 1.0;

/// Turns the joints that `turns` selects to the best of several pseudo-random poses. The same number always gives the same
/// rotations.
pub(super) fn place(tree: &mut Tree, turns: &[bool], number: usize, quick: bool, buffer: &mut TreePose) {
    let mut random = Random(number as u64);
    let mut least = f64::INFINITY;
    buffer.store(tree);
    for _ in 0..if quick { QUICK_CHOICES } else { CHOICES } {
        turn_randomly(tree, turns, &mut random);
        let error = tree.measure().sum;
        if error < least {
            least = error;
            buffer.store(tree);
        }
    }
    buffer.apply(tree);
}

/// Turns the joints that `turns` selects to pseudo-random rotations. The same number always gives the same rotations.
pub(super) fn scatter(tree: &mut Tree, turns: &[bool], number: usize) {
    turn_randomly(tree, turns, &mut Random(number as u64));
}

fn turn_randomly(tree: &mut Tree, turns: &[bool], random: &mut Random) {
    for (joint, _) in tree.joints.iter_mut().zip(turns).filter(|(_, turns)| **turns) {
        joint.rotation = rotation(joint, random);
        if let Limit::Prismatic { min, max, .. } = joint.limit {
            joint.displacement = random.range(min, max);
        }
    }
    tree.forward();
}

/// Returns a random rotation within the limit of a joint.
fn rotation(joint: &TreeJoint, random: &mut Random) -> DQuat {
    if joint.limit == Limit::Free {
        return (joint.rest * DQuat::from_scaled_axis(random.turn(FREE_TURN))).normalize();
    }
    let own = random_rotation(&joint.limit, random, random_angle).unwrap_or(DQuat::IDENTITY);
    let rotation = joint.link_rotation(own);
    // The angle of a hinge is already within the range, so the limit is not applied again. A restart of an arm draws many angles.
    if matches!(joint.limit, Limit::Hinge { .. }) { rotation } else { joint.allowed(rotation) }
}
