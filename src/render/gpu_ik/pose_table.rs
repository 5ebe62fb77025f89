//! The poses from which chains restart. The poses are pseudo-random, and the same for every solve. The frames of their
//! effectors are computed once for each structure, so a restart selects the nearest of many poses without forward kinematics.

use std::f64::consts::{PI, TAU};

use glam::{DQuat, DVec3};

use crate::ik::Limit;
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
    match *limit {
        Limit::Free => DQuat::from_scaled_axis(random.turn(FREE_TURN)),
        Limit::Locked | Limit::Prismatic { .. } => DQuat::IDENTITY,
        Limit::Hinge { axis, min, max } => DQuat::from_axis_angle(axis, angle(random, min, max)),
        Limit::Cone { axis, side, swing, twist: [min, max] } => {
            let (around, away) = (TAU * random.unit(), random.unit().sqrt());
            let (sin, cos) = around.sin_cos();
            let swing = side * (swing[0] * away * cos) + axis.cross(side) * (swing[1] * away * sin);
            DQuat::from_scaled_axis(swing) * DQuat::from_axis_angle(axis, angle(random, min, max))
        }
        Limit::Euler { order, min, max } => {
            let [a, b, c] = std::array::from_fn(|i| angle(random, min[i], max[i]));
            DQuat::from_euler(order, a, b, c)
        }
    }
}

/// Returns a random angle in a range, at most half a turn from its middle.
fn angle(random: &mut Random, min: f64, max: f64) -> f64 {
    let (middle, half) = (0.5 * (min + max), (0.5 * (max - min)).min(PI));
    random.range(middle - half, middle + half)
}
