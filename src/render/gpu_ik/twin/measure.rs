//! The twin of `shaders/ik_measure.wgsl`.

use glam::{Quat, Vec3, Vec4, Vec4Swizzles};

use crate::gpu_ik::gpu_types::{ChainTarget, GoalError, NO_PARENT, PackedJoint, TreeGoal};

const ROUNDING: f32 = 5.960_464_5e-8;
const PLACE_ROUNDING: f32 = 128.0 * ROUNDING;
const TURN_ROUNDING: f32 = 72.0 * ROUNDING;
const OFFSET_ROUNDING: f32 = 8.0 * ROUNDING;

/// Returns the errors of a goal of a body with the given rotations and translation of the base.
pub(super) fn measure_goal(
    joints: &[PackedJoint],
    goal: &TreeGoal,
    wanted: &ChainTarget,
    rotations: &[[f32; 4]],
    root: Vec3,
) -> GoalError {
    let (mut place, mut orientation) = (Vec4::from(goal.end).xyz(), Quat::IDENTITY);
    let (mut offset_bound, mut turn_bound) = (0.0, 0.0);
    let mut next = goal.joint;
    while next != NO_PARENT {
        let (joint, own) = (&joints[next as usize], Quat::from_array(rotations[next as usize]));
        let (offset, distance) = (Vec4::from(joint.offset).xyz(), place.length());
        let excess = (own.length_squared() - 1.0).abs();
        offset_bound +=
            PLACE_ROUNDING * (distance + offset.length()) + distance * (2.0 * excess + joint.limit_error);
        turn_bound += TURN_ROUNDING + joint.limit_error;
        let rotation = Quat::from_array(joint.before) * own;
        place = offset + rotation * place;
        orientation = rotation * orientation;
        next = joint.parent;
    }
    let target = Vec4::from(wanted.position).xyz();
    offset_bound += OFFSET_ROUNDING * (target.length() + place.length() + root.length());
    let turn = Quat::from_array(wanted.orientation) * orientation.conjugate();
    GoalError {
        offset: (target - (root + place)).to_array(),
        offset_bound,
        turn: turn.to_array(),
        turn_bound,
        iterations: 0.0,
        reserved_0: 0.0,
        reserved_1: 0.0,
    }
}
