//! The poses from which chains restart. They are random but always the same. The frames of their effectors are computed
//! once for each structure, so a restart selects the nearest of many poses without forward kinematics.

use std::f64::consts::{PI, TAU};

use glam::{DQuat, DVec3};

use crate::ik::Limit;
use sinew_base::Random;

use super::structure::{Effector, Structure, four, quaternion};

/// Number of poses. With 256 instead, a tenth more of the restarts of robot arms stall.
pub(super) const POSES: usize = 1024;
/// Half width of the cube of rotation vectors for a joint without a limit, radians, as for restarts on the CPU.
const FREE_TURN: f64 = 1.0;

/// Returns the table as the shader reads it: for each pose, the rotations of its joints, the position of its effector, and the
/// orientation of its last joint.
pub(super) fn table(structure: &Structure, effector: &Effector) -> Vec<[f32; 4]> {
    let mut random = Random(1);
    let mut table = Vec::with_capacity(POSES * (structure.joints.len() + 2));
    for _ in 0..POSES {
        let (mut place, mut spin) = (DVec3::ZERO, DQuat::IDENTITY);
        for joint in &structure.joints {
            let own = rotation(&joint.limit, &mut random);
            let own = if joint.is_reversed { own.conjugate() } else { own };
            table.push(quaternion(own));
            place += spin * joint.offset;
            spin = (spin * joint.before * own).normalize();
        }
        table.push(four((place + spin * effector.place) / structure.length, 0.0));
        table.push(quaternion(spin));
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

/// Returns a random angle in a range, of which at most a full turn counts.
fn angle(random: &mut Random, min: f64, max: f64) -> f64 {
    let (middle, half) = (0.5 * (min + max), (0.5 * (max - min)).min(PI));
    random.range(middle - half, middle + half)
}
