//! The poses from which chains restart. The poses are pseudo-random, and the same for every solve. The frames of their
//! effectors are computed once for each structure, so a restart selects the nearest of many poses without forward kinematics.

use glam::{DQuat, DVec3};

use crate::ik::{Limit, shared};
use sinew_base::Random;

use super::structure::{Effector, Structure, four, quaternion};

/// Number of poses. With 256 poses, 10 % more restarts stall for robot arms.
pub(super) const POSES: usize = 1024;
/// Half width, in radians, of the cube from which rotation vectors are drawn for a joint without a limit. Restarts on the CPU
/// use the same value.
const FREE_TURN: f64 = 1.0;

/// Returns the table in the form that the shader reads: for each pose, the rotations of the joints, the position of the
/// effector, and the orientation of the last joint.
pub(super) fn table(structure: &Structure, effector: &Effector) -> Vec<[f32; 4]> {
    let mut random = Random(1);
    let mut table = Vec::with_capacity(POSES * (structure.joints.len() + 2));
    for _ in 0..POSES {
        let (mut place, mut orientation) = (DVec3::ZERO, DQuat::IDENTITY);
        for joint in &structure.joints {
            let own = rotation(&joint.limit, &mut random);
            let own = if joint.is_reversed { own.conjugate() } else { own };
            table.push(quaternion(own));
            place += orientation * joint.offset;
            orientation = (orientation * joint.before * own).normalize();
        }
        table.push(four((place + orientation * effector.place) / structure.length, 0.0));
        table.push(quaternion(orientation));
    }
    table
}

/// Returns a random rotation within a limit.
fn rotation(limit: &Limit, random: &mut Random) -> DQuat {
    if *limit == Limit::Free {
        return DQuat::from_scaled_axis(random.turn(FREE_TURN));
    }
    shared::random_rotation(limit, random, shared::random_angle).unwrap_or(DQuat::IDENTITY)
}
